"""Slopes that the learners follow, against finite differences of what they lower."""

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import nn

from caveat.bags.learners._dllp import KLLoss
from caveat.bags.learners._easy_llp import WeightedItemLoss, easy_coefficients
from caveat.bags.learners._problem import BagProblem
from caveat.bags.learners._vat import VATLoss
from caveat.bags.losses import mean_kl
from caveat.bags.solvers._design import DenseDesign, design
from caveat.bags.solvers._logistic import fit_logistic
from caveat.bags.solvers._newton import value_at


def slopes(function, point, step=1e-6):
    """Central differences of a function of one vector."""
    return [
        (function(point + e) - function(point - e)) / (2 * step)
        for e in step * np.eye(len(point))
    ]


def one_hot_items(n=80, seed=0):
    rng = np.random.default_rng(seed)
    hot = 2.0 * np.eye(6)[rng.integers(0, 6, n)] - 1.0
    return np.column_stack([hot, rng.normal(size=n)])


def of_mean_maps(items, w):
    linear, ridge = np.linspace(-3, 3, 7), np.full(7, 2.0)
    return value_at(items, linear, ridge, w, items.scores(w))


@pytest.mark.parametrize(
    "kind",
    [DenseDesign, design, lambda X: design(sparse.csr_matrix(X))],
    ids=["dense", "one-hot", "sparse"],
)
def test_the_loss_of_the_mean_maps_falls_along_its_gradient(kind):
    items = kind(one_hot_items())
    point = np.random.default_rng(1).normal(size=7)
    wanted = slopes(lambda w: of_mean_maps(items, w)[0], point)
    np.testing.assert_allclose(of_mean_maps(items, point)[1], wanted, 1e-6)


def test_the_curvature_of_the_mean_maps_is_the_slope_of_their_gradient():
    items = design(one_hot_items())
    point = np.random.default_rng(2).normal(size=7)
    wanted = slopes(lambda w: of_mean_maps(items, w)[1], point)
    hessian = items.gram(of_mean_maps(items, point)[2]) + 2 * np.eye(7)
    np.testing.assert_allclose(hessian, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_logistic_fit_of_em_leaves_no_slope(n_classes):
    """Labels may be shares; the last feature is the constant and has no penalty."""
    rng = np.random.default_rng(3)
    X, C = rng.normal(size=(60, 3)), 0.7
    labels = rng.dirichlet(np.ones(n_classes), size=60)
    items = design(X).with_constant()
    found = fit_logistic(items, labels, C, None)
    rows = found.shape[0]

    def objective(point):
        vectors = point.reshape(rows, 4)
        scores = np.column_stack([X, np.ones(60)]) @ vectors.T
        scores = scores if rows > 1 else np.column_stack([np.zeros(60), scores])
        log_h = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return 0.5 * (vectors[:, :-1] ** 2).sum() - C * (labels * log_h).sum()

    np.testing.assert_allclose(slopes(objective, found.ravel()), 0.0, atol=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "loss",
    [
        lambda known: KLLoss(known.shares),
        lambda known: VATLoss(known.shares, 0.0, 1.0, 1.0, 1),
        lambda known: WeightedItemLoss(easy_coefficients(known, None)),
    ],
    ids=["kl", "cross-entropy", "easy"],
)
def test_the_losses_of_networks_have_the_slopes_of_finite_differences(loss, n_classes):
    rng = np.random.default_rng(4)
    bags, shares = np.arange(9) % 3, rng.dirichlet(np.ones(n_classes), size=3)
    known = BagProblem(None, bags, shares)
    objective = loss(known)
    scores = torch.tensor(rng.normal(size=(9, n_classes)), requires_grad=True)

    def value(scores):
        return objective.value(nn.Identity(), scores, torch.as_tensor(bags))

    assert torch.autograd.gradcheck(value, (scores,))


def test_the_divergence_from_a_fixed_output_has_the_slopes_of_finite_differences():
    rng = np.random.default_rng(5)
    before = torch.log_softmax(torch.tensor(rng.normal(size=(5, 3))), dim=1)
    scores = torch.tensor(rng.normal(size=(5, 3)), requires_grad=True)

    def value(scores):
        return mean_kl(before, torch.log_softmax(scores, dim=1))

    assert torch.autograd.gradcheck(value, (scores,))
