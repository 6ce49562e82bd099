"""With --no-names nothing that is written holds a name; no cell is ever written."""

import json
import sqlite3
import zlib
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

from caveat.audit import Settings, audit
from caveat.audit._plan import prepare
from caveat.exceptions import InvalidInput

pytestmark = pytest.mark.thorough

NAMES = ("salary", "wardroom", "postcode", "unsealed", "kettle", "villain", "bystander")
CELLS = ("Zanzibar", "Timbuktu", "2019-", "Oslo")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    days = pd.date_range("2019-01-01", periods=120).strftime("%Y-%m-%d")
    return pd.DataFrame(
        {
            "salary": rng.normal(size=120) + y,
            "wardroom": rng.choice(["Zanzibar", "Timbuktu", "Oslo"], 120),
            "postcode_id": rng.permutation(120) + 5_000,
            "unsealed": days,
            "kettle": rng.random(120),
            "outcome_q": np.where(y == 1, "villain", "bystander"),
        }
    )


@pytest.fixture(scope="module")
def hidden(frame, tmp_path_factory, here):
    """Audit with all that can name something: test file, scores, roles, shares."""
    place = tmp_path_factory.mktemp("names")
    frame.iloc[:90].to_csv(place / "nightshift.csv", index=False)
    frame.iloc[90:].to_csv(place / "later.csv", index=False)
    frame[["postcode_id"]].assign(guess=0.5 * frame["salary"]).to_csv(
        place / "scores.csv", index=False
    )
    settings = Settings(
        str(place / "nightshift.csv"),
        "outcome_q",
        positive="villain",
        weights="kettle",
        bags="wardroom",
        test=str(place / "later.csv"),
        predictions=str(place / "scores.csv"),
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
        hide_names=True,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caveat.audit._topics.BAG_LEARNERS", ("mm",))
        return audit(settings, place / "out", engine=here, command="caveat audit FILE")


def all_bytes(folder):
    """Give every file, and every cell of the ledger, packed ones unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes()
    with closing(sqlite3.connect(folder / "audit.ledger")) as book:
        tables = book.execute("select name from sqlite_master where type='table'")
        for (table,) in tables.fetchall():
            for row in book.execute(f'select * from "{table}"'):
                for cell in row:
                    raw = cell if isinstance(cell, bytes) else str(cell).encode()
                    yield table, raw
                    try:
                        yield table, zlib.decompress(raw)
                    except zlib.error:
                        continue


@pytest.mark.parametrize("word", [*NAMES, *CELLS, "nightshift", "outcome_q"])
def test_no_name_and_no_cell_is_anywhere_in_the_folder(hidden, word):
    found = {
        where
        for where, data in all_bytes(hidden.save().parent)
        if word.encode().lower() in data.lower()
    }
    assert found == set()


def test_the_json_has_no_name_either(hidden):
    text = hidden.look.to_json().lower()
    assert [word for word in (*NAMES, *CELLS) if word.lower() in text] == []


def test_without_names_the_audit_is_the_same(hidden, frame):
    page = hidden.save().read_text("utf-8")
    assert "column 1" in page
    assert "class 2" in page
    assert set(hidden.states) == {"done"}
    written = YAML(typ="safe").load((hidden.folder / "study.yaml").read_text("utf-8"))
    assert written["scenario"]["aside"] == {
        "column 2": "makes the groups",
        "column 3": "identifier",
        "column 4": "date",
    }
    assert written["scenario"]["dates"] == ["column 4"]
    names = {model.name for model in hidden.result.models}
    assert names == {"logistic-regression", "score 1"}


def test_a_folder_with_names_is_not_mixed_with_one_without(frame, tmp_path, here):
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "study.yaml").write_text("study: audit-t\n")
    settings = Settings(str(tmp_path / "t.csv"), "outcome_q", hide_names=True)
    with pytest.raises(InvalidInput, match="holds an audit with names"):
        audit(settings, tmp_path / "out", engine=here)


def test_numbered_classes_keep_their_order():
    from caveat.audit._anonymous import _numbered

    names = _numbered([f"c{i}" for i in range(11)], "class")
    assert list(names.values()) == sorted(names.values())
    assert names["c9"] == "class 10"


def test_several_targets_and_candidates_lose_their_names_too(frame, tmp_path):
    from caveat.audit._anonymous import without_names

    rng = np.random.default_rng(1)
    table = frame.assign(
        tall=rng.integers(0, 2, 120),
        wide=rng.integers(0, 2, 120),
        seen=[f"{one}|villain" for one in frame["outcome_q"]],
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    alone = {"drop": ("outcome_q",), "candidates": "seen"}
    asked = [
        {"targets": ("tall", "wide"), **alone},
        alone,
        {"target": "outcome_q", "targets": ("tall", "wide"), "candidates": "seen"},
    ]
    for number, one in enumerate(asked):
        folder = tmp_path / str(number)
        folder.mkdir()
        prepared = prepare(Settings(str(tmp_path / "t.csv"), **one))
        study = json.dumps(without_names(prepared, folder).study)
        words = ("tall", "wide", "seen", *NAMES)
        assert [word for word in words if word in study] == []
        copied = pd.read_parquet(folder / "table.parquet")
        assert "villain" not in copied.astype(str).to_csv()


def test_columns_and_classes_may_be_called_by_numbers(audited):
    rng = np.random.default_rng(0)
    y = rng.integers(1, 3, 120)
    table = pd.DataFrame({"0": rng.normal(size=120) + 2 * y, "1": rng.random(120)})
    made = audited(table.assign(**{"2": y}), "2", models=("logistic-regression",))
    assert made.result.vanished[0].column == "0"
    assert "<code>0</code>" in made.save().read_text()
