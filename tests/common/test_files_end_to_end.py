"""Twenty files from CSV to JSON: no law is broken, and the schema holds."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import caveat.audit
import caveat.bags
import caveat.candidates
import caveat.eapp
import caveat.multilabel
import caveat.shift
from caveat import pages

_SPEC = importlib.util.spec_from_file_location(
    "laws", Path(__file__).with_name("laws.py")
)
laws = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(laws)


def table(seed, *, rows=80, signal=1.0, share=0.5, columns=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.normal(size=(rows, columns)), columns=[f"x{n}" for n in range(columns)]
    )
    score = signal * frame["x0"] + rng.normal(0, 1, rows)
    frame["y"] = np.where(score > score.quantile(1 - share), "yes", "no")
    return frame


def leaking(seed):
    return table(seed).assign(code=lambda t: (t["y"] == "yes") * 2.0)


def several(seed):
    rng = np.random.default_rng(seed)
    return table(seed).assign(y=lambda t: t["y"] + rng.choice(["-a", "-b"], len(t)))


def gaps(seed):
    frame = table(seed)
    frame.loc[::4, "x1"] = np.nan
    return frame


def words(seed):
    rng = np.random.default_rng(seed)
    return table(seed).assign(town=rng.choice(["here", "there"], 80))


MAKE = {
    "plain": table,
    "noise": lambda seed: table(seed, signal=0.0),
    "sure": lambda seed: table(seed, signal=50.0),
    "rare": lambda seed: table(seed, share=0.15),
    "tiny": lambda seed: table(seed, rows=24),
    "one-column": lambda seed: table(seed, columns=1),
    "leak": leaking,
    "classes": several,
    "gaps": gaps,
    "words": words,
}
QUICK = {"shuffles": 19, "folds": 3, "k_max": 3}


def grouped(file):
    """Give every row a town; where somebody is ill depends on it."""
    frame = pd.read_csv(file)
    frame["town"] = [f"t{number % 4}" for number in range(len(frame))]
    frame.to_csv(file, index=False)
    return file


def by_shares(file):
    frame = pd.read_csv(grouped(file))
    shares = pd.crosstab(frame["town"], frame["y"], normalize="index").reset_index()
    return caveat.bags.look(
        frame.drop(columns="y"), "town", shares=shares, learners=["em-lr"]
    )


def by_sets(file):
    frame = pd.read_csv(file)
    every = "|".join(sorted(frame["y"].unique()))
    frame["set"] = frame["y"].where(np.arange(len(frame)) % 3 > 0, every)
    return caveat.candidates.look(frame, "set", truth="y", steps=5)


def by_labels(file):
    frame = pd.read_csv(file)
    words = pd.get_dummies(frame["y"]).astype(int).add_prefix("is ")
    frame = frame.drop(columns="y").join(words)
    return caveat.multilabel.look(frame, list(words), models=["ml-knn"], resamples=20)


def by_audit(file):
    few = {"models": ["logistic-regression"], "engine": "serial", "minutes": 1.0}
    return caveat.audit.look(file, "y", **few)


LOOKS = {
    "audit": by_audit,
    "eapp": lambda file: caveat.eapp.look(file, target="y", **QUICK),
    "shift": lambda file: caveat.shift.look(file, target="y"),
    "bags": lambda file: caveat.bags.look(
        grouped(file), "town", "y", learners=["em-lr"], repeats=2, smallest=5
    ),
    "shares": by_shares,
    "candidates": by_sets,
    "multilabel": by_labels,
}
BOTH = ("eapp", "shift")
FEW = ("noise", "rare", "classes", "gaps")
FILES = [(name, topic) for name in MAKE for topic in BOTH]
FILES += [(name, topic) for name in FEW for topic in list(LOOKS) if topic not in BOTH]
FILES.remove(("classes", "bags"))  # many solvers: too long for what it adds


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "topic"), FILES)
def test_a_file_goes_through_without_a_breach(tmp_path, name, topic):
    jsonschema = pytest.importorskip("jsonschema")
    file = tmp_path / f"{name}.csv"
    MAKE[name](sum(map(ord, name))).to_csv(file, index=False)
    look = LOOKS[topic](file)
    for law in laws.LAWS:
        law(look)
    schema = json.loads(pages.schema_path().read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(look.to_json()))
    text = pages.render(pages.Page([look]))
    top = text[: text.index("<section")]
    assert '<p class="sort now">Now</p>' in top
