"""What must not fool EAPP: cells far out, columns of two values, groups and time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from caveat.eapp import EAPP, look
from caveat.exceptions import InvalidInput


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    return rng.normal(size=(600, 4)) + 8.0 * y[:, None], y


def fitted(X, y, **options):
    return EAPP(k_max=3, folds=5, shuffles=0, random_state=0, **options).fit(X, y)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_three_cells_far_out_of_six_hundred_rows_change_nothing(blobs):
    X, y = blobs
    spoilt = X.copy()
    spoilt[[5, 250, 431]] = [[9e3, -7e3, 8e3, 9e3]] * 3
    assert fitted(X, y).value_ == pytest.approx(1.0, abs=0.002)
    assert fitted(spoilt, y).value_ == pytest.approx(1.0, abs=0.01)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_form_of_the_paper_stays_and_says_that_a_cluster_is_nearly_empty(blobs):
    X, y = blobs
    X[[5, 250, 431]] = [[9e3, -7e3, 8e3, 9e3]] * 3
    found = fitted(X, y, scaling="standard")
    assert found.value_ < 0.9
    assert any("next to no rows" in note for note in found.notes_)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("share", [0.5, 0.2, 0.09])
def test_a_column_of_two_values_that_is_the_target_leads_the_drivers(share):
    rng = np.random.default_rng(1)
    y = (np.arange(400) < 400 * share).astype(int)
    X = pd.DataFrame({"noise": rng.normal(size=400), "copy": y})
    found = fitted(X, y).drivers(method="single", random_state=0)
    assert found["column"].iloc[0] == "copy"
    assert found["value"].iloc[0] == pytest.approx(1.0)


@pytest.mark.thorough
def test_groups_stay_together_and_their_column_is_no_feature():
    rng = np.random.default_rng(2)
    group = rng.integers(0, 30, 240)
    table = pd.DataFrame({"a": rng.normal(size=30)[group], "g": group})
    table["y"] = rng.integers(0, 2, 30)[group]
    found = look(table, "y", groups="g", folds=3, shuffles=0)
    assert found.facts["columns"] == 1


@pytest.mark.thorough
def test_later_rows_are_judged_by_clusters_of_earlier_ones():
    rng = np.random.default_rng(3)
    days = pd.date_range("2024-01-01", periods=240).strftime("%Y-%m-%d")
    table = pd.DataFrame({"a": rng.normal(size=240), "day": days})
    table["y"] = (table["a"] > 0).astype(int)
    found = look(table, "y", time="day", folds=3, shuffles=0)
    assert found.facts["score"] > 0.9


def test_roles_that_make_no_sense_are_refused():
    table = pd.DataFrame(
        {"a": np.arange(40.0), "g": [0, 1] * 20, "y": [0, 0, 1, 1] * 10}
    )
    with pytest.raises(InvalidInput, match="both given"):
        look(table, "y", groups="g", time="a")
    with pytest.raises(InvalidInput, match="2 values for 10 folds"):
        look(table, "y", groups="g")


@pytest.mark.thorough
def test_a_sample_names_the_clusters_of_many_rows_as_all_of_them_do(monkeypatch):
    rng = np.random.default_rng(5)
    y = rng.random(3_000) < 0.4
    X = rng.normal(size=(3_000, 3)) + 1.5 * y[:, None]
    settings = {"k_max": 4, "folds": 3, "shuffles": 19, "random_state": 0}
    whole = EAPP(**settings).fit(X, y)
    monkeypatch.setattr("caveat.eapp.labelings._naming.NAMING_POINTS", 600)
    drawn = EAPP(**settings).fit(X, y)
    assert drawn.value_ == pytest.approx(whole.value_, abs=0.002)
    assert drawn.value_paper_ == pytest.approx(whole.value_paper_, abs=0.002)
    assert drawn.null_at_k_star_["high"] == pytest.approx(
        whole.null_at_k_star_["high"], abs=0.03
    )
