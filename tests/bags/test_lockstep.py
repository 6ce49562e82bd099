"""Networks that train together end as they would have ended alone."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from caveat.bags import LLPVAT, DLLPClassifier, EasyLLP, fit_together  # noqa: E402
from caveat.bags.learners import _perceptron as passes  # noqa: E402
from caveat.bags.learners._base import checked_problem  # noqa: E402
from caveat.bags.learners._dllp import KLLoss  # noqa: E402
from caveat.bags.learners._easy_llp import (  # noqa: E402
    WeightedItemLoss,
    easy_coefficients,
)
from caveat.bags.learners._thin_items import (  # noqa: E402
    DenseItems,
    ThinItems,
    make_items,
)
from caveat.bags.learners._vat import VATLoss  # noqa: E402
from caveat.training import Diverged  # noqa: E402

# Rounding of single precision, over a few dozen steps. Adam moves a weight whose slope
# is almost 0 by the sign of the rounding: single weights may differ by more.
CLOSE = {"rtol": 2e-4, "atol": 1e-5}


@pytest.fixture
def wide():
    """One-hot columns and numbers in bags of unequal size, three classes."""
    rng = np.random.default_rng(0)
    n = 300
    levels = rng.integers(0, 12, n), rng.integers(0, 9, n)
    numbers = rng.normal(size=(n, 2))
    X = np.column_stack([*(2 * np.eye(k.max() + 1)[k] - 1 for k in levels), numbers])
    bags = rng.choice(7, n, p=np.arange(1, 8) / 28)
    return X, bags, rng.dirichlet(np.ones(3), size=7)


def weights(model):
    return torch.cat([w.ravel() for w in model.network_.parameters()]).detach().numpy()


GRIDS = [
    (DLLPClassifier, [{"learning_rate": 0.01}, {"learning_rate": 0.001}]),
    (EasyLLP, [{"c_max": None}, {"c_max": 2.0}]),
    (
        LLPVAT,
        [
            {"eps": 0.25, "alpha": 1.0},
            {"learning_rate": 0.01, "alpha": 0.0},
            {"xi": 0.5, "n_power": 3, "alpha": 0.5},
        ],
    ),
]


@pytest.mark.parametrize("hidden", [(6,), (8, 5), (40, 4, 3)])
@pytest.mark.parametrize("bag_batch", [None, 20, 100])
@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_network_ends_as_by_the_training_loop(
    kind, grid, bag_batch, hidden, wide
):
    """`_fit` goes the general way: autograd, the functions of `losses`, torch's Adam.

    Both ways through the first layer: narrower and wider than the items. Leaving out
    the moves' part in the first weights, or moving half as far, fails every case of
    LLP-VAT.
    """
    X, bags, shares = wide
    same = {"hidden": hidden, "bag_batch": bag_batch, "n_steps": 30, "random_state": 3}
    models = [kind(**same, **params) for params in grid]
    fit_together(models, X, bags=bags, proportions=shares)
    problem, _ = checked_problem(models[0], X, None, bags, shares)
    for model, params in zip(models, grid, strict=True):
        twin = kind(**same, **params)
        twin._fit(problem)
        assert np.abs(weights(model) - weights(twin)).mean() < 2e-5
        np.testing.assert_allclose(model.losses_, twin.losses_, **CLOSE)
        assert model.n_steps_ == twin.n_steps_ == 30


def test_epochs_count_as_in_the_training_loop(wide):
    X, bags, shares = wide
    model = DLLPClassifier(epochs=3, bag_batch=None, random_state=0)
    model.fit(X, bags=bags, proportions=shares)
    assert model.n_steps_ == len(model.losses_) == 3 * len(np.unique(bags))


def test_the_company_makes_no_difference(wide):
    X, bags, shares = wide
    grid = [LLPVAT(rate, n_steps=9, random_state=0) for rate in (1e-2, 1e-3, 1e-4)]
    fit_together(grid, X, bags=bags, proportions=shares)
    alone = LLPVAT(1e-3, n_steps=9, random_state=0)
    alone.fit(X, bags=bags, proportions=shares)
    np.testing.assert_array_equal(weights(alone), weights(grid[1]))


def test_models_with_other_seeds_or_networks_train_by_themselves(wide):
    X, bags, shares = wide
    network = torch.nn.Linear(X.shape[1], 3)
    models = [
        DLLPClassifier(n_steps=5, random_state=0),
        DLLPClassifier(n_steps=5, random_state=1),
        DLLPClassifier(n_steps=5, random_state=0, network=network),
        DLLPClassifier(n_steps=5, random_state=0, hidden=()),
        DLLPClassifier(n_steps=5, random_state=0, early_stopping=True),
    ]
    fit_together(models, X, bags=bags, proportions=shares)
    for model in models:
        twin = DLLPClassifier(**model.get_params(deep=False))
        twin.fit(X, bags=bags, proportions=shares)
        np.testing.assert_array_equal(weights(model), weights(twin))


def test_a_run_that_diverges_says_so(wide):
    X, bags, shares = wide
    with pytest.raises(Diverged):
        EasyLLP(1e30, n_steps=50, random_state=0).fit(X, bags=bags, proportions=shares)


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_slopes_are_what_autograd_finds(scale, wide):
    """Logits of 30 reach the floor of the cross-entropy."""
    X, bags, shares = wide
    problem, _ = checked_problem(DLLPClassifier(), X, None, bags, shares)
    generator = torch.Generator().manual_seed(0)
    z = (scale * torch.randn(len(bags), 3, generator=generator)).requires_grad_()
    h = np.empty(z.shape, dtype=np.float32)
    log_h, slope = np.empty_like(h), np.empty_like(h)
    passes.log_softmax(z.detach().numpy(), log_h, h)
    present, place = np.unique(bags, return_inverse=True)
    for loss in (
        KLLoss(shares),
        VATLoss(shares, 1.0, 1.0, 1.0, 1),
        WeightedItemLoss(easy_coefficients(problem, None)),
    ):
        value = loss.of(z, torch.as_tensor(bags))
        (wanted,) = torch.autograd.grad(value, z)
        found = loss.slopes(log_h, h, present, place, slope)
        assert found == pytest.approx(float(value.detach()), rel=1e-4)
        size = float(wanted.abs().max())
        np.testing.assert_allclose(slope, wanted.numpy(), rtol=1e-3, atol=1e-5 * size)


def test_items_are_thin_where_columns_have_a_usual_value(wide):
    X = torch.tensor(wide[0], dtype=torch.float32)
    assert isinstance(make_items(X), ThinItems)
    assert isinstance(make_items(torch.randn(50, 4)), DenseItems)
    rows = torch.tensor([5, 0, 299, 5])
    rng = np.random.default_rng(1)
    weight = rng.normal(size=(X.shape[1], 6)).astype(np.float32)
    slope = rng.normal(size=(4, 6)).astype(np.float32)
    for items in (make_items(X), DenseItems(X)):
        items.take(rows)
        entered, grad = np.empty((4, 6), np.float32), np.empty_like(weight)
        items.enter(weight, entered)
        items.pull(slope, slope.sum(axis=0), grad)
        np.testing.assert_allclose(entered, X[rows].numpy() @ weight, atol=1e-5)
        np.testing.assert_allclose(grad, X[rows].numpy().T @ slope, atol=1e-5)
