"""The run of the networks: its cells, their order, and their intervals."""

import numpy as np
import pandas as pd
import pytest

from caveat.models import MODELS, make_model
from papers.shift.distilled import distilled, lost_sets
from papers.shift.networks import ABSENT, cells
from papers.shift.page_networks import HERE, interval
from papers.shift.run import SEEDS, TABLES


def test_every_model_meets_every_table_that_it_can():
    found = {(one.dataset, one.model) for one in cells() if one.kind == "curve"}
    able = {
        (dataset, name)
        for dataset, (_, task) in TABLES.items()
        for name in MODELS
        if task in MODELS[name].tasks and name not in ABSENT
    }
    assert found == able
    names = [one.file for one in cells()]
    assert len(set(names)) == len(names)


def test_cheap_cells_come_first_then_the_usual_models_and_splits_stay_together():
    found = cells()
    dear = [one.seconds > 20 for one in found]
    assert dear == sorted(dear)
    late = found[dear.index(True) :]
    usual = [one.mask_rate == 0 and one.kind in ("curve", "closed") for one in late]
    assert usual == sorted(usual, reverse=True)
    cost = [one.seconds for one in late[: sum(usual)]]
    assert cost == sorted(cost)
    for start in range(0, len(found), len(SEEDS)):
        assert [one.seed for one in found[start:][: len(SEEDS)]] == list(SEEDS)


def test_intervals_are_students():
    mean, half = interval([1.0, 2.0, 3.0])
    assert mean == 2
    assert half == pytest.approx(4.3027 / 3**0.5, abs=1e-4)


def test_sets_of_lost_columns_are_different_and_neither_none_nor_all():
    sets = lost_sets(4, np.random.default_rng(0))
    assert len(sets) == len(np.unique(sets, axis=0)) == 14
    assert set(sets.sum(axis=1)) == {1, 2, 3}


@pytest.mark.thorough
def test_a_distilled_network_is_told_which_columns_are_gone():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    y = pd.Series(np.where(X["a"] + X["b"] > 0, "yes", "no"))
    model = distilled("mlp", "binary", (X, y), 0.3, seed=0)
    told = model.predict_masked(X, ["b"])
    np.testing.assert_array_equal(model.predict_masked(X.assign(b=9.0), ["b"]), told)
    assert (model.classes_[told.argmax(1)] == y).mean() > 0.6
    assert model.score(X, y) > 0.9


@pytest.mark.thorough
def test_the_page_says_what_a_gone_number_becomes_in_a_network_without_mask_bits():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=list("ab"))
    y = pd.Series(np.where(X["a"] > 0, "yes", "no"))
    model = make_model("mlp", "binary", mask_rate=0.3, max_epochs=2, random_state=0)
    model.fit(X, y)
    told = model.predict_masked(X, ["b"])
    meant = model.predict_proba(X.assign(b=X["b"].mean()))
    np.testing.assert_allclose(told, meant, atol=1e-6)  # single precision
    words = (HERE / "words-networks.md").read_text()
    assert "nothing is filled in" not in words
    assert "a gone number becomes the training mean" in words
