"""Too many columns: some are chosen, by rows that judge nothing afterwards."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from caveat.audit import Settings
from caveat.audit._plan import prepare
from caveat.audit._screening import about_columns, screening, screening_rows
from caveat.audit._table import make_table
from caveat.datasets import from_frame

LOOK = {"aside": {}, "dates": [], "test": None}


@pytest.fixture(scope="module")
def wide():
    """Nothing but noise, in 900 columns."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 900))).rename(columns="g{}".format)
    return frame.assign(y=np.where(rng.random(240) < 0.5, "a", "b"))


def test_a_few_columns_need_no_choice(wide):
    assert screening(from_frame(wide, "y"), 5, 0, ()) is None


def test_columns_that_tell_the_target_are_chosen_and_roles_stay(wide):
    y = (wide["y"] == "b").to_numpy()
    rng = np.random.default_rng(1)
    words = np.where(rng.random(240) < 0.2 + 0.6 * y, "red", None)
    frame = wide.assign(
        told=y + rng.normal(size=240), word=words, patient_id=range(240)
    )
    found = screening(from_frame(frame, "y"), 0.5, 0, {"g7"})
    assert {"told", "word", "patient_id", "g7"} <= set(found["only"])
    assert found["of"] == 903
    assert found["rows"] == 80
    assert len(found["only"]) < 310


def test_rows_that_chose_judge_nothing_so_noise_stays_noise(wide):
    dataset = from_frame(wide, "y")
    screen = screening(dataset, 0.5, 0, ())
    table = make_table(dataset, {**LOOK, "screen": screen})
    chose = screening_rows(240, 0)
    assert len(table.y) == 160
    assert not set(chose) & set(table.origin)
    train, test = np.arange(80), np.arange(80, 160)
    model = LogisticRegression(max_iter=200).fit(table.X.iloc[train], table.y[train])
    honest = model.decision_function(table.X.iloc[test])
    assert roc_auc_score(table.y[test], honest) < 0.65


@pytest.mark.thorough
def test_a_rare_class_in_a_large_file_is_no_reason_to_refuse(tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40_000) % 400 == 0, "rare", "usual")
    frame = pd.DataFrame(rng.normal(size=(40_000, 3)), columns=list("abc")).assign(y=y)
    frame.to_csv(tmp_path / "large.csv", index=False)
    assert (tmp_path / "large.csv").stat().st_size > 2**20
    prepared = prepare(Settings(str(tmp_path / "large.csv"), "y", minutes=1))
    assert prepared.whole_rows == 40_000
    assert set(prepared.table.classes) == {"rare", "usual"}


def test_columns_are_counted_without_parsing(tmp_path, wide):
    wide.head(3).to_csv(tmp_path / "t.csv", index=False, sep=";")
    wide.head(3).to_parquet(tmp_path / "t.parquet")
    assert about_columns(tmp_path / "t.csv", "csv") == 901
    assert about_columns(tmp_path / "t.parquet", "parquet") == 901
