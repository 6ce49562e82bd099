"""Label proportions as published: learners, splits, and one published number."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit

from caveat.bags import FullBagKFold, MeanMap, bag_proportions, fit_together, search
from caveat.bags.solvers._design import design
from papers.bags import paired
from papers.bags.learners import (
    PUBLISHED,
    CappedEM,
    MeanLogLoss,
    OldCappedEM,
    PublishedEM,
    published_learner,
)
from papers.bags.lockstep import log_cosh, run_together
from papers.bags.splits import (
    SPLIT_SEEDS,
    PublishedFullBagKFold,
    PublishedSplitBagKFold,
    published_strategies,
)

MEAN_MAPS = ("mm", "lmm", "amm")


def known(problem):
    return {"bags": problem.bags, "proportions": problem.shares}


@pytest.mark.thorough
def test_published_predictions_of_the_mean_map(adult):
    """First published split of one released set, lam 1: F1 .5771, 44 iterations."""
    X = 2 * adult.X - 1
    bags = adult.bags("adult-simple-small-equal-close-global-cluster-None-None")
    splitter = ShuffleSplit(1, test_size=0.25, random_state=SPLIT_SEEDS[0])
    train, test = next(splitter.split(X))
    shares = bag_proportions(adult.y[train], bags[train])
    model = published_learner("mm")
    model.fit(X[train], bags=bags[train], proportions=shares)
    score = f1_score(adult.y[test], model.predict(X[test]))
    # The descent is cut short: which of the last steps it reaches, rounding decides.
    assert score == pytest.approx(0.5771, abs=2e-4)
    assert not model.mean_operator_feasible_


@pytest.mark.parametrize("name", MEAN_MAPS)
def test_a_grid_fitted_together_equals_fits_one_by_one(bagged, name):
    # Products of matrices are rounded otherwise than products of vectors. Without a
    # strong penalty the descent is chaotic: the page tells what that does to F1.
    grid = [published_learner(name, lam=lam) for lam in (10, 100)]
    fit_together(grid, bagged.X, **known(bagged))
    for model in grid:
        alone = type(model)(**model.get_params()).fit(bagged.X, **known(bagged))
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-3, atol=1e-5)


def test_a_descent_that_is_not_cut_short_ends_at_the_exact_minimum(bagged):
    capped = published_learner("mm", lam=2.0, max_iter=1000)
    exact = MeanMap(lam=2.0, weighting="equal", fit_intercept=False)
    for model in (capped, exact):
        model.fit(bagged.X, **known(bagged))
    # L-BFGS stops where a step lowers F by less than 2e-9 of it.
    np.testing.assert_allclose(capped.coef_, exact.coef_, rtol=1e-3, atol=1e-4)
    assert capped.objective_ == pytest.approx(exact.objective_, rel=1e-7)


def test_no_bag_is_without_a_positive_item(bagged):
    shares = np.array([[1.0, 0.0], *bagged.shares[1:]])
    model = published_learner("amm", max_rounds=2)
    model.fit(bagged.X, bags=bagged.bags, proportions=shares)
    assert model._least == 1
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("kind", [PublishedEM, CappedEM, OldCappedEM])
def test_em_stops_by_the_change_of_the_change(bagged, kind):
    model = kind(init="random", random_state=0).fit(bagged.X, **known(bagged))
    assert model.n_rounds_ >= 2


def test_a_fit_that_is_not_cut_short_is_the_exact_one(bagged):
    items = design(bagged.X).with_constant()
    labels = np.eye(2)[(bagged.X[:, 0] > bagged.X[:, 0].mean()).astype(int)]
    old, exact = (
        kind(C=0.1)._regress(items, labels, None) for kind in (OldCappedEM, PublishedEM)
    )
    # L-BFGS stops where a step lowers the loss by less than 2e-9 of it.
    np.testing.assert_allclose(old, exact, atol=1e-3)


def test_the_published_loss_never_predicts_what_is_a_minority_everywhere(bagged):
    model = published_learner(
        "dllp", learning_rate=0.01, hidden=(8,), epochs=25, random_state=0
    )
    model.fit(bagged.X, bags=bagged.bags, proportions=[0.1, 0.2, 0.3, 0.4])
    assert model.predict(bagged.X).sum() == 0


def test_the_published_loss_is_that_of_a_brute_force_sum(bagged):
    scores = torch.tensor(np.random.default_rng(0).normal(size=(len(bagged.X), 2)))
    log_h = torch.log_softmax(scores, dim=1).numpy()
    total = [
        np.mean(p * (np.log(p) - log_h[bagged.bags == bag].mean(axis=0)))
        for bag, p in enumerate(bagged.shares)
    ]
    loss = MeanLogLoss(bagged.shares)
    found = loss.value(torch.nn.Identity(), scores, torch.tensor(bagged.bags))
    assert float(found) == pytest.approx(np.mean(total), rel=1e-6)


def test_full_bag_folds_lean_away_from_the_global_share():
    bags, shares = np.repeat(np.arange(20), 10), np.tile([0.05, 0.25, 0.9, 0.1], 5)

    def spread(kind):
        found = []
        for seed in range(60):
            folds = kind(5, random_state=seed).split(None, None, bags, shares)
            found.append(np.std([shares[bags[held]].mean() for _, held in folds]))
        return np.mean(found)

    assert spread(FullBagKFold) < spread(PublishedFullBagKFold)


def test_split_bag_folds_overlap():
    bags, shares = np.repeat(np.arange(6), 15), np.linspace(0.1, 0.9, 6)
    folds = PublishedSplitBagKFold(5, random_state=0).split(None, None, bags, shares)
    held = np.concatenate([validation for _, validation in folds])
    assert len(np.unique(held)) < len(bags)


def test_split_bag_folds_give_rows_in_the_published_order():
    """EM/LR draws a first label per row: the same rows in another order are others."""
    bags = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
    rng = np.random.RandomState(3)
    members = [np.flatnonzero(bags == bag) for bag in (0, 1)]
    folds = PublishedSplitBagKFold(2, random_state=3).split(None, None, bags, [0.5] * 2)
    for fold, (train, validation) in enumerate(folds):
        held, kept = [], []
        for rows in members:
            rng.shuffle(rows)
            held.append(np.array_split(rows, 2)[fold])
            kept.append(np.setdiff1d(rows, held[-1]))
        np.testing.assert_array_equal(train, rng.permutation(np.concatenate(kept)))
        np.testing.assert_array_equal(validation, rng.permutation(np.concatenate(held)))


def test_a_search_takes_the_published_splitters(bagged):
    strategies = published_strategies(["full-bag-kfold", "split-bag-shuffle"], 3, 7)
    found = search(
        published_learner("mm"),
        {"lam": [1, 10]},
        bagged.X,
        bagged.bags,
        bagged.shares,
        strategies=strategies,
    )
    assert set(strategies) <= set(found.table.columns)
    assert found.table["full-bag-kfold"].notna().all()


def test_the_overflow_puts_the_score_in_place_of_its_size():
    X = np.array([[800.0], [-800.0], [1.0]])
    values, gradients = log_cosh(design(X), np.ones((1, 1)))
    assert values[0] == pytest.approx(800 - 800 + np.logaddexp(1, -1))
    assert gradients[0, 0] == pytest.approx(1600 + np.tanh(1))


def test_fits_that_run_together_end_like_fits_that_run_alone():
    items = design(np.random.default_rng(0).normal(size=(60, 10)))

    def routine(step, rounds):
        w = np.zeros(10)
        for _ in range(rounds):
            _, gradient = yield w
            w = w - step * (gradient - 3.0 + w)
        return w

    settings = [(1e-3, 5), (2e-3, 1), (3e-3, 9), (4e-3, 0)]
    together = run_together(items, [routine(*one) for one in settings])
    for one, found in zip(settings, together, strict=True):
        (alone,) = run_together(items, [routine(*one)])
        # Products with other columns beside them may be rounded otherwise.
        np.testing.assert_allclose(found, alone, rtol=1e-12)


def test_there_are_thirty_seeds_and_five_learners():
    assert len(set(SPLIT_SEEDS)) == 30
    assert set(PUBLISHED) == {"em-lr", "mm", "lmm", "amm", "dllp"}


def test_executions_are_paired_by_data_set_seed_and_strategy():
    runs = pd.DataFrame(
        {
            "settings": ["legacy", "legacy", "default"],
            "dataset": "a",
            "learner": "em-lr",
            "strategy": "full-bag-kfold",
            "execution": [0, 1, 0],
            "f1": [0.5, 0.3, 0.9],
            "configuration": ['{"C": 1}', '{"C": 10}', '{"C": 1}'],
        }
    )
    published = pd.DataFrame(
        {
            "dataset": "a",
            "model": "kdd-lr",
            "split_method": "full-bag-stratified-k-fold",
            "exec": ["1", "0"],
            "f1_test": [0.0, 0.5004],
            "best_hyperparams": ['{"C": 1.0}', '{"C": 1.0, "lmd": null}'],
        }
    )
    pairs = paired.pair(runs, published)
    assert pairs["same_setting"].tolist() == [True, False]
    assert pairs["published_f1"].tolist() == [0.5004, 0.0]
    shares = "| em-lr | 2 | 50.0% | 50.0% | 50.0% | 50.0% | 50.0% | 50.0% |"
    assert shares in paired.summary(pairs, lambda datasets: datasets.map({"a": 0.51}))
