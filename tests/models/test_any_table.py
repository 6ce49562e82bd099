"""Whatever the table: a finite answer, or one sentence that says why not."""

from __future__ import annotations

import warnings
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import CaveatError
from caveat.models import MODELS, make_model

CELLS = {
    "float": st.one_of(st.none(), st.floats(width=32), st.just(1e300)),
    "int": st.integers(-(2**40), 2**40),
    "int8": st.integers(-128, 127),
    "text": st.one_of(st.none(), st.text(max_size=3), st.sampled_from("ab")),
    "bool": st.booleans(),
    "mixed": st.one_of(st.integers(0, 2), st.text(max_size=1), st.none()),
    "category": st.sampled_from(["u", "v", None]),
    "nullable": st.one_of(st.none(), st.integers(0, 3)),
    "date": st.one_of(st.none(), st.dates(date(1700, 1, 1), date(2200, 1, 1))),
}
DTYPES = {
    "float": "float64",
    "int8": "int8",
    "category": "category",
    "nullable": "Int64",
    "mixed": "object",
}


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 8))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), max_size=4))
    columns = {
        draw(st.text(max_size=3)): pd.Series(
            draw(st.lists(CELLS[kind], min_size=rows, max_size=rows)),
            dtype=DTYPES.get(kind),
        )
        for kind in kinds
    }
    index = draw(st.sampled_from([range(rows), [0] * rows, list("abcdefgh")[:rows]]))
    frame = pd.DataFrame(columns, index=range(rows)).set_axis(list(index), axis=0)
    labels = st.one_of(st.sampled_from(["p", "q"]), st.sampled_from(["p", "q", "r"]))
    return frame, draw(st.lists(labels, min_size=rows, max_size=rows))


def finite_or_refused(name, frame, y):
    entry = MODELS[name]
    try:
        model = make_model(name, random_state=0, **entry.quick).fit(frame, y)
    except CaveatError:
        return
    proba = model.predict_proba(frame[::-1])
    assert np.isfinite(proba).all()
    assert set(model.predict(frame)) <= set(y)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["k-nn", "hist-gradient-boosting"])
@given(table=tables())
@settings(max_examples=20, deadline=None, derandomize=True)
def test_core_models_answer_any_table_or_say_why_not(name, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        finite_or_refused(name, *table)


INSTALLED = [
    entry.name
    for entry, why_not in MODELS.available()
    if "binary" in entry.tasks and not why_not
]


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTALLED)
@given(table=tables())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_all_models_answer_any_table_or_say_why_not(name, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        finite_or_refused(name, *table)
