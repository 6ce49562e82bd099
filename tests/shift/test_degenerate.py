"""Whatever the table: a finite result, or one sentence of ours (reliability, 3.2)."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.exceptions import CaveatError
from caveat.shift import feature_importance, shift_curve
from caveat.shift.registry import IMPORTANCES, IMPUTERS, SCENARIOS

NAMES = st.text(min_size=0, max_size=4)
KINDS = ("float", "whole", "text", "truth", "constant", "empty", "category", "huge")
ASKED = [name for name in IMPORTANCES if name not in ("shap", "permutation", "model")]


def column(kind, rows, rng):
    holes = rng.random(rows) < 0.3
    values = {
        "float": np.where(holes, np.nan, rng.normal(size=rows)),
        "whole": rng.integers(-2, 3, size=rows),
        "text": np.where(holes, None, rng.choice(["a", "b", "é", ""], size=rows)),
        "truth": rng.random(rows) < 0.5,
        "constant": np.full(rows, 7),
        "empty": np.full(rows, np.nan),
        "huge": rng.normal(size=rows) * 1e300,
    }
    if kind == "category":
        return pd.Series(
            pd.Categorical(rng.choice(["x", "y"], size=rows), list("wxyz"))
        )
    return pd.Series(values[kind])


@st.composite
def cases(draw):
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    names = draw(st.lists(NAMES, min_size=len(kinds), max_size=len(kinds), unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    tables = []
    for rows in (draw(st.integers(1, 7)), draw(st.integers(1, 5))):
        made = {
            name: column(kind, rows, rng)
            for name, kind in zip(names, kinds, strict=True)
        }
        tables.append(pd.DataFrame(made))
    labels = draw(
        st.sampled_from([("no", "yes"), (0, 1), (0, 1, 2), (1.5, 2.5, 3.25), ("one",)])
    )
    targets = [rng.choice(np.array(labels), size=len(table)) for table in tables]
    return {
        "parts": (tables[0], targets[0], tables[1], targets[1]),
        "scenario": draw(
            st.sampled_from([name for name in SCENARIOS if name != "stages"])
        ),
        "imputer": draw(st.sampled_from(list(IMPUTERS))),
        "importance": draw(st.sampled_from(ASKED)),
        "max_subsets": draw(st.sampled_from([1, 3, 10_000])),
        "tolerance": draw(st.sampled_from([None, 0.1])),
    }


def check(case):
    settings_ = {key: value for key, value in case.items() if key != "parts"}
    X, y, X_test, y_test = case["parts"]
    regression = y.dtype.kind == "f"
    n_classes = len(np.unique(y))

    def model(table):
        if regression:
            return np.full(len(table), 2.0)
        return np.full((len(table), n_classes), 1 / n_classes)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            task = "regression" if regression else "classification"
            feature_importance(X, y, case["importance"], task=task)
            curve = shift_curve(
                model, X, y, X_test, y_test, task=task, random_state=0, **settings_
            )
        except CaveatError:
            return
    assert np.isfinite(curve.table["value"]).all()
    assert curve.table["k"].iloc[0] == 0


@pytest.mark.thorough
@given(cases())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_odd_tables_give_a_curve_or_a_sentence(case):
    check(case)


@pytest.mark.slow
@given(cases())
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
def test_two_thousand_odd_tables_give_a_curve_or_a_sentence(case):
    check(case)
