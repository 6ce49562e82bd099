import numpy as np
import pytest

from caveat.bags import (
    BagForwardCorrection,
    EMLogisticRegression,
    LaplacianMeanMap,
    MeanMap,
    search,
)
from caveat.bags.criteria import bag_l1
from caveat.bags.selection._search import STRATEGIES, strategy_splitter
from caveat.exceptions import CaveatError


def run(learner, grid, known, **settings):
    settings = {"random_state": 0, "n_splits": 3, **settings}
    return search(learner, grid, known.X, known.bags, known.shares, **settings)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (MeanMap(), {"lam": [0, 1, 10]}),
        (LaplacianMeanMap(fit_intercept=True), {"lam": [1, 10], "sigma": [0.5, 1.0]}),
        (EMLogisticRegression(), {"C": [0.1, 1.0]}),
        (BagForwardCorrection(), {"lam": [0.1, 10.0]}),
    ],
)
def test_the_table_is_that_of_a_plain_loop_of_fits(bagged, learner, grid):
    found = run(learner, grid, bagged)
    for strategy in STRATEGIES:
        splits = strategy_splitter(strategy, 3, random_state=0)
        scores = np.zeros(len(found.configurations))
        for train, held in splits.split(None, None, bagged.bags, bagged.shares):
            for k, params in enumerate(found.configurations):
                model = type(learner)(**{**learner.get_params(), **params})
                model.fit(
                    bagged.X[train], bags=bagged.bags[train], proportions=bagged.shares
                )
                predicted = model.predict(bagged.X[held])
                scores[k] += bag_l1(predicted, bagged.bags[held], bagged.shares) / 3
        np.testing.assert_allclose(found.table[strategy], scores, atol=1e-9)


def test_the_grid_varies_its_last_parameter_fastest(bagged):
    found = run(LaplacianMeanMap(), {"lam": [10, 1], "gamma": [1.0, 0.1]}, bagged)
    assert [tuple(one.values()) for one in found.configurations] == [
        (10, 1.0),
        (10, 0.1),
        (1, 1.0),
        (1, 0.1),
    ]


def test_equal_scores_go_to_the_first(bagged):
    found = run(MeanMap(), [{"lam": 5}, {"lam": 5}], bagged)
    assert found.best("split-bag-kfold") == 0
    assert found.best_params("split-bag-kfold") == {"lam": 5}
    assert found.best_model("split-bag-kfold") is found.models[0]


def test_a_configuration_that_fails_is_left_out_and_named(bagged):
    found = run(MeanMap(), {"lam": [-1, 1]}, bagged)
    assert found.models[0] is None
    assert found.table.loc[0].isna().all()
    assert found.best() == 1
    assert any("lam" in note for note in found.notes)


def test_if_all_fail_there_is_nothing_to_choose(bagged):
    found = run(MeanMap(), {"lam": [-1, -2]}, bagged)
    with pytest.raises(CaveatError, match="lam"):
        found.best()


def test_labels_are_used_for_the_oracle_only(bagged):
    blind = run(MeanMap(), {"lam": [1, 10]}, bagged)
    seeing = run(MeanMap(), {"lam": [1, 10]}, bagged, y=bagged.y)
    assert set(seeing.table) - set(blind.table) == {"oracle-error"}
    np.testing.assert_array_equal(seeing.table[blind.table.columns], blind.table)
    assert seeing.table["oracle-error"].between(0, 1).all()


def test_strategies_that_bags_do_not_allow_are_told(bagged):
    one = search(
        MeanMap(), {"lam": [1]}, bagged.X, np.zeros(240, int), [0.5], n_splits=2
    )
    assert not any(name.startswith("full-bag") for name in one.table)
    assert any("full-bag-kfold needs 2 bags" in note for note in one.notes)


def test_warnings_of_fits_are_said_once(bagged, recwarn):
    found = search(
        MeanMap(), {"lam": [1, 2]}, bagged.X, bagged.bags, [0.4] * 4, n_splits=2
    )
    assert len(recwarn) == 0
    assert sum("rank 1" in note for note in found.notes) == 1


def test_progress_is_reported_to_the_end(bagged):
    seen = []
    run(MeanMap(), {"lam": [1]}, bagged, progress=lambda *at: seen.append(at))
    assert seen[-1] == (13, 13)


@pytest.mark.parametrize(
    "settings",
    [
        {"grid": {"lam": 3}},
        {"grid": []},
        {"strategies": ["split-bag"]},
        {"n_splits": 1},
        {"aggregate": "max"},
        {"validation_size": 1},
        {"y": [1]},
    ],
)
def test_bad_requests_are_refused(bagged, settings):
    grid = settings.pop("grid", {"lam": [1]})
    with pytest.raises(CaveatError):
        run(MeanMap(), grid, bagged, **settings)
