"""Results of every topic, made up: tied, tiny, at the ends, below chance, unfinished.

To add a topic: a strategy that draws its Look, and a row in `TOPICS`.
"""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from caveat.eapp import page as eapp_page
from caveat.eapp._reading import VERDICTS
from caveat.eapp.result import Result as EAPPResult
from caveat.pages import About

ABOUT = About("made-up.csv", "y", "binary", 120, 5, "30 % yes", "caveat x made-up.csv")
shares = st.floats(0, 1)
scores = st.one_of(shares, st.sampled_from([0.0, 0.5, 1.0]))
verdicts = st.sampled_from(sorted(VERDICTS))


@st.composite
def eapp_results(draw):
    folds = tuple(draw(st.lists(scores, min_size=1, max_size=10)))
    low, mean, high = sorted(draw(st.tuples(shares, shares, shares)))
    verdict = draw(verdicts)
    curve = pd.DataFrame({"k": [2, 3], "honest": draw(scores), "paper": draw(scores)})
    for prefix in ("", "paper_"):
        curve[f"{prefix}null_mean"] = mean
        curve[f"{prefix}null_low"], curve[f"{prefix}null_high"] = low, high
    curve["exact"] = True
    classes = pd.DataFrame(
        {
            "label": ["yes"],
            "share": [0.3],
            "k_star": [2.0],
            "value": [np.mean(folds)],
            "null_low": [low],
            "null_high": [high],
            "verdict": [verdict],
        }
    )
    columns = pd.DataFrame(
        {"column": ["a", "b"], "drop": [0.1, 0.0], "alone": [draw(scores), 0.5]}
    )
    probe = pd.DataFrame(
        {
            "s": [0.0, 1.0],
            "eapp": 0.6,
            "null_high": 0.55,
            "detected": draw(st.booleans()),
        }
    )
    return EAPPResult(
        measure="AUC",
        folds=folds,
        test_share=draw(st.sampled_from([0.0, 0.1, 0.5])),
        smaller=draw(st.integers(1, 500)),
        value_paper=draw(scores),
        k_star=2.0,
        p_value=draw(shares),
        skill=draw(scores),
        alpha=0.05,
        verdict=verdict,
        shuffles=draw(st.sampled_from([0, 5, 200])),
        null=(mean, low, high),
        paper_null=(mean, low, high),
        curve=curve,
        classes=classes,
        conditions="PCA, k-means.",
        notes=tuple(draw(st.lists(st.just("k = 9: no value"), max_size=1))),
        drivers=draw(st.one_of(st.none(), st.just(columns))),
        probe=draw(st.one_of(st.none(), st.just(probe))),
    )


def eapp_looks():
    models = st.one_of(st.none(), scores)
    return st.builds(
        lambda found, auc: eapp_page.look(found, ABOUT, model_auc=auc),
        eapp_results(),
        models,
    )


TOPICS = {"eapp": eapp_looks()}
RESULTS = {"eapp": eapp_results()}
