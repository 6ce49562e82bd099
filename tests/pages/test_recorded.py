"""Results that went into a record and come back: the types of fields say how."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from caveat.pages.claims import Estimate
from caveat.pages.recorded import Recorded, remade


@dataclass(frozen=True)
class Part:
    names: tuple[str, ...]
    score: Estimate | None = None


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    by_name: Mapping[str, Estimate]
    rows: pd.DataFrame
    one: Part | None = None


@dataclass(frozen=True)
class Found(Recorded):
    _topic, _first = "found", "curve"

    curve: pd.DataFrame
    further: pd.DataFrame
    asked: pd.DataFrame | None = None
    ends: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


def test_parts_of_parts_are_made_of_what_json_made_of_them():
    score = {"value": 0.5, "measure": "AUC"}
    written = {
        "parts": [{"names": ["a", "b"], "score": score}, {"names": [], "score": None}],
        "by_name": {"a": score},
        "rows": {"x": [1, 2]},
        "one": None,
    }
    found = remade(Whole, json.loads(json.dumps(written)))
    assert found.parts == (Part(("a", "b"), Estimate(0.5, "AUC")), Part(()))
    assert found.by_name == {"a": Estimate(0.5, "AUC")}
    assert found.rows["x"].tolist() == [1, 2]
    assert found.one is None


def test_tables_become_curves_and_come_back():
    table = pd.DataFrame({"k": [2, 3]})
    found = Found(table, table.head(0), ends=(0.1, 0.9), notes=("one",))
    record = json.loads(json.dumps(found.to_record()))
    assert sorted(record["curves"]) == ["found", "found-asked", "found-further"]
    again = Found.from_record(record)
    assert again.curve.equals(table)
    assert len(again.further) == 0
    assert again.asked is None
    assert (again.ends, again.notes) == ((0.1, 0.9), ("one",))


def test_what_an_older_record_lacks_has_its_default():
    row, curves = {"ends": [0.1, 0.9]}, {"found": [{"k": 2}]}
    found = Found.from_record({"row": row, "curves": curves})
    assert found.notes == ()
    assert found.asked is None
