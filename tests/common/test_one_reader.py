"""One file goes through every look and is read alike: target, classes, columns."""

import numpy as np
import pandas as pd
import pytest

import caveat.eapp
import caveat.multilabel
import caveat.shift
from caveat.audit._roles import outline
from caveat.datasets import given, read

ROWS = 90
LEFT_OUT = {
    "row": "identifier",
    "file": "identifier",
    "day": "date",
    "site": "constant",
}
FEATURES = ["age", "dose", "sex"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Write a table as people have it: names of rows, dates, numbers as text."""
    rng = np.random.default_rng(0)
    age = rng.normal(size=ROWS).round(3)
    days = pd.date_range("2024-01-01", periods=ROWS)
    dose = rng.normal(size=ROWS).round(3).astype(str)
    dose[3] = "n/a"
    table = pd.DataFrame(
        {
            "row": range(ROWS),
            "file": [f"scan-{n}.png" for n in range(ROWS)],
            "day": days.strftime("%d.%m.%Y"),
            "site": "north",
            "age": age,
            "dose": dose,
            "sex": rng.choice(["f", "m"], ROWS),
            "calm": rng.integers(0, 2, ROWS),
            "loud": (age + rng.normal(0, 0.5, ROWS) > 0).astype(int),
            "outcome": np.where(age + rng.normal(0, 0.5, ROWS) > 0.5, "bad", "good"),
        }
    )
    path = tmp_path_factory.mktemp("reader") / "patients.csv"
    table.to_csv(path, index=False)
    return path


QUICK = {"shuffles": 5, "folds": 2, "k_max": 3}
LOOKS = {
    "eapp": lambda file: caveat.eapp.look(
        file, target="outcome", drop=["calm", "loud"], **QUICK
    ),
    "shift": lambda file: caveat.shift.look(
        pd.read_csv(file).drop(columns=["calm", "loud"]), target="outcome"
    ),
    "multilabel": lambda file: caveat.multilabel.look(
        pd.read_csv(file).drop(columns="outcome"), targets=["calm", "loud"]
    ),
}


@pytest.fixture(scope="module", params=LOOKS)
def look(request, file):
    return request.param, LOOKS[request.param](file)


@pytest.mark.thorough
def test_every_look_has_the_same_rows_and_columns(look):
    _, found = look
    assert (found.facts["rows"], found.facts["columns"]) == (ROWS, len(FEATURES))


@pytest.mark.thorough
def test_every_look_lists_what_it_left_out(look):
    _, found = look
    last = next(one for one in found.sections if one.name == "again")
    facts = dict(last.blocks[0].pairs)
    listed = ", ".join(f"{name} ({why})" for name, why in LEFT_OUT.items())
    assert str(facts["Columns left out"]) == listed


@pytest.mark.thorough
def test_looks_at_one_target_call_the_same_class_positive(look):
    name, found = look
    last = next(one for one in found.sections if one.name == "again")
    facts = dict(last.blocks[0].pairs)
    if name != "multilabel":
        assert str(facts["Positive class"]).startswith("bad; ")


def test_the_audit_sets_aside_what_the_reader_leaves_out(file):
    whole = read(file, target="outcome", drop=["calm", "loud"])
    found = outline(whole.X, whole.kinds)
    assert {name: found.aside[name] for name in LEFT_OUT} == LEFT_OUT
    assert list(given(file, target="outcome", drop=["calm", "loud"]).X) == FEATURES


def test_numbers_as_text_and_missing_words_are_read_alike(file):
    one = given(file, target="outcome")
    other = given(pd.read_csv(file), target="outcome")
    assert one.kinds == other.kinds
    assert one.X["dose"].isna().sum() == other.X["dose"].isna().sum() == 1
