import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput
from caveat.study import Finished, Ledger, export, plan, tidy
from caveat.study.ledger._diff import compare


def fill(path, trials, change=0.0):
    with Ledger(path, write=True) as book:
        book.add_study("small", {"study": "small"}, trials)
        for number, trial in enumerate(trials[:-2]):
            indices = [index for index, _ in trial.spec["configurations"]]
            table = {
                "config": indices,
                "checkpoint": [None] * len(indices),
                "test.score": [number / 7 + change * (number == 3)] * len(indices),
                "fact.word": ["=cmd()"] * len(indices),
                "fact.name": ["126"] * len(indices),
            }
            if number % 2:
                table["criterion.guess"] = [0.1 * number] * len(indices)
            record = {
                "table": table,
                "curves": {"line": [{"k": 0, "value": 1.0}, {"k": 1, "value": None}]},
                "digests": {"split": "abc"},
                "notes": ["a note"],
            }
            book.finish("fake", Finished(trial.key, "done", record=record))
        failed = Finished(trials[-2].key, "failed", reason="ValueError", message="no")
        book.finish("fake", failed)
        return book.records()


@pytest.fixture
def trials(fake_study):
    return plan(fake_study())


@pytest.fixture
def records(tmp_path, trials):
    return fill(tmp_path / "a.ledger", trials)


def test_rows_and_trials_agree(records, trials):
    assert records.trials["state"].value_counts().to_dict() == {
        "done": 16,
        "failed": 1,
        "pending": 1,
    }
    done = records.trials[records.trials["state"] == "done"]
    assert len(records.rows) == done["configurations"].sum()
    other = records.rows[records.rows["learner"] == "other"]
    assert set(other["params"]) == {
        '{"factor":0.5}',
        '{"factor":0.25}',
        '{"factor":0.1}',
    }
    assert records.rows["criterion.guess"].isna().any()
    assert records.trials["scenario.size"].isin([1, 2]).all()
    assert records.trials["group_size"].isin([1, 3]).all()


def test_a_name_that_looks_like_a_number_stays_a_name(records):
    assert set(records.rows["fact.name"]) == {"126"}


def test_curves_notes_and_digests_come_back(records):
    curve = records.curves("line")
    assert len(curve) == 32
    assert curve["value"].isna().sum() == 16
    assert records.curve_names == ["line"]
    assert records.curves("none").empty
    assert len(records.notes()) == len(records.digests()) == 16


def test_the_export_is_sorted_whole_and_reads_back(records, tmp_path):
    frame = tidy(records)
    assert frame["key"].is_monotonic_increasing
    assert frame["state"].value_counts()["failed"] == 1
    csv = export(records, tmp_path / "a.csv")
    parquet = export(records, tmp_path / "a.parquet")
    back = pd.read_csv(csv)
    np.testing.assert_array_equal(back["test.score"], frame["test.score"])
    assert pd.read_parquet(parquet)["test.score"].equals(frame["test.score"])
    assert list(tmp_path.glob(".*part")) == []
    with pytest.raises(InvalidInput, match=r"\.csv or \.parquet"):
        export(records, tmp_path / "a.xlsx")


def test_spreadsheets_run_no_cell_as_a_formula(records, tmp_path):
    plain = export(records, tmp_path / "a.csv").read_text()
    safe = export(records, tmp_path / "b.csv", excel_safe=True).read_text()
    assert ",=cmd()" in plain
    assert ",=cmd()" not in safe
    assert ",'=cmd()" in safe


def test_a_full_disk_leaves_no_half_export(records, tmp_path):
    with pytest.raises(InvalidInput, match="cannot write"):
        export(records, tmp_path / "absent" / "a.csv")


@pytest.mark.thorough
def test_two_ledgers_are_compared_cell_by_cell(records, trials, tmp_path):
    same = compare(records, fill(tmp_path / "b.ledger", trials))
    assert (same.shared, same.only_first, same.only_second) == (17, 0, 0)
    assert same.differences == []
    other = fill(tmp_path / "c.ledger", trials, change=0.001)
    found = compare(records, other)
    assert {item.key for item in found.differences} == {trials[3].key}
    assert compare(records, other, tolerance=0.01).differences == []
