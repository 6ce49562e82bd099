import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import make_model
from caveat.models.registry import MODELS
from caveat.shift._tuning import SAMPLER, tune


def test_it_searches_the_papers_space_and_records_its_settings(mixed):
    X, y, _, _ = mixed()
    found = tune("lightgbm", X, y, n_trials=6, fixed={"n_estimators": 5})
    space = MODELS["lightgbm"].space
    assert list(found.trials.columns) == [*space, "value"]
    tried = found.trials.iloc[1:]
    for name in space:
        assert set(tried[name]) <= set(space[name]["choice"])
    assert found.trials[list(space)].iloc[0].isna().all()  # the defaults come first
    assert found.value == found.trials["value"].max()
    assert (
        found.settings.items()
        >= {**SAMPLER, "seed": 0, "sampler": "TPESampler"}.items()
    )
    assert "optuna" in found.settings


def test_the_same_seed_finds_the_same(mixed):
    X, y, _, _ = mixed("regression")
    one, two = (tune("ridge", X, y, n_trials=5, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(one.trials, two.trials)
    assert one.measure == "rmse"
    assert one.value == one.trials["value"].min()


def test_the_share_of_rows_that_lose_columns_is_searched_on_rows_that_do():
    X = pd.DataFrame({"a": np.arange(100.0) % 10, "b": np.arange(100.0) % 7})
    y = (X["a"] > 4).astype(int)
    settings = {"n_trials": 3, "fixed": {"n_estimators": 5, "min_data_in_leaf": 5}}
    found = tune("lightgbm", X, y, masked=True, **settings)
    assert found.trials["mask_rate"].iloc[1:].between(0, 0.8).all()
    usual = tune("lightgbm", X, y, **settings)
    # Losing columns costs something, and the mean over all degrees shows it.
    assert found.trials["value"].iloc[0] < usual.trials["value"].iloc[0]
    assert found.settings["masked"]
    with pytest.raises(InvalidInput, match="cannot be trained for loss"):
        tune("logistic-regression", X, y, masked=True)


@pytest.mark.thorough
def test_a_search_that_was_cut_off_goes_on_and_finds_the_same(
    mixed, tmp_path, monkeypatch
):
    X, y, _, _ = mixed("regression")
    whole = tune("ridge", X, y, n_trials=14)
    file = tmp_path / "search.log"
    fits = []

    def cut_off(*args, **settings):
        fits.append(settings)
        if len(fits) == 6:
            raise KeyboardInterrupt
        return make_model(*args, **settings)

    monkeypatch.setattr("caveat.shift._tuning.make_model", cut_off)
    with pytest.raises(KeyboardInterrupt):
        tune("ridge", X, y, n_trials=14, file=file)
    again = tune("ridge", X, y, n_trials=14, file=file)
    assert len(fits) == 6 + 14 - 5
    pd.testing.assert_frame_equal(again.trials, whole.trials)
    tune("ridge", X, y, n_trials=14, file=file)
    assert len(fits) == 6 + 14 - 5
    # Other rows have trials of their own.
    other = tune("ridge", X, y + 1, n_trials=2, file=file)
    assert len(other.trials) == 2


def test_a_name_for_labels_finds_its_counterpart_for_numbers(mixed):
    X, y, _, _ = mixed("regression")
    assert tune("logistic-regression", X, y, n_trials=2).model == "ridge"


def test_defaults_stay_unless_they_are_beaten():
    X = pd.DataFrame({"a": np.arange(60.0)})
    y = (X["a"] > 30).astype(int)
    found = tune("logistic-regression", X, y, n_trials=3)
    assert found.value == 1.0
    assert found.params == {}


@pytest.mark.parametrize(
    "setting",
    [{"n_trials": 0}, {"n_trials": 1.5}, {"validation": 0}, {"validation": 1}],
)
def test_settings_that_make_no_sense_are_refused(setting, mixed):
    X, y, _, _ = mixed()
    with pytest.raises(InvalidInput):
        tune("lightgbm", X, y, **setting)


def test_what_has_no_space_cannot_be_tuned(mixed):
    X, y, _, _ = mixed()
    with pytest.raises(InvalidInput, match="nothing to tune"):
        tune("dummy", X, y)
    with pytest.raises(UnknownName):
        tune("lightgbn", X, y)
