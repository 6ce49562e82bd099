"""Identities that hold exactly for every fitted model (sections 6 and 7)."""

import numpy as np
import pytest

from caveat.exceptions import MissingExtra
from caveat.models.registry import MODELS
from caveat.shift import Marginalise, Stages, shift_curve

pytestmark = pytest.mark.thorough

# What needs weights of its own cannot run here.
ABLE = {name: row for name, row in MODELS.items() if not row.facts.get("needs")}
CASES = [(name, "binary") for name, row in ABLE.items() if "binary" in row.tasks]
CASES += [
    (name, "regression") for name in ("ridge", "lightgbm", "random-forest", "mlp")
]


SOME = [
    ("logistic-regression", "binary"),
    ("lightgbm", "binary"),
    ("mlp", "regression"),
]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def fitted(request, mixed):
    """A model of each kind, fitted once."""
    return fit(*request.param, mixed)


@pytest.fixture(scope="module", params=SOME, ids="-".join)
def some(request, mixed):
    """A model of some kinds: linear, trees, a network."""
    return fit(*request.param, mixed)


def fit(name, task, mixed):
    entry = MODELS[name]
    X, y, X_test, y_test = mixed(task, n=64)
    try:
        model = entry.make(task=task, random_state=0, **entry.quick)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    return model.fit(X, y), X, y, X_test, y_test


def values(fitted, scenario, imputer, **more):
    curve = shift_curve(
        *fitted, scenario=scenario, imputer=imputer, random_state=5, **more
    )
    return curve.of()


def assert_that_scenarios_agree(fitted, imputer):
    single = values(fitted, "single", imputer)
    most = values(fitted, "most", imputer)["value"]
    least = values(fitted, "least", imputer)["value"]
    rand = values(fitted, "random", imputer)["value"]
    n = len(most) - 1
    assert most[0] == least[0] == rand[0] == single["value"][0]
    assert least[1] == single["value"].iloc[1]
    assert most[1] == single["value"].iloc[-1]
    assert most[n] == least[n] == rand[n]
    np.testing.assert_allclose(rand[1], single["value"][1:].mean(), rtol=1e-14)


def test_the_scenarios_agree_where_they_must(fitted):
    assert_that_scenarios_agree(fitted, "mean")


def test_with_one_column_left_the_mean_is_over_the_keep_one_masks(some):
    names = list(some[1].columns)
    kept = Stages({name: [other for other in names if other != name] for name in names})
    rand = values(some, "random", "mean", degrees=[3])["value"][1]
    each = values(some, kept, "mean")["value"][1:]
    np.testing.assert_allclose(rand, each.mean(), rtol=1e-14)


def test_with_every_column_gone_the_answer_is_constant(fitted):
    model, _, _, _X_test, y_test = fitted
    regression = not hasattr(model, "classes_")
    metrics = ["rmse"] if regression else ["accuracy", "auc"]
    curve = shift_curve(*fitted, degrees=[4], metric=metrics, random_state=0)
    last = curve.table[curve.table["k"] == 4].set_index("measure")["value"]
    shares = [] if regression else list(y_test.value_counts(normalize=True))
    floor = np.std(y_test) if regression else 0.0
    assert not curve.notes
    assert last.get("auc", 0.5) == 0.5
    assert regression or np.isclose(last["accuracy"], shares).any()
    assert last.get("rmse", np.inf) >= floor * (1 - 1e-12)


def test_new_columns_change_nothing(some):
    flat = values(some, "increment", "mean")["value"]
    assert flat.nunique() == 1
    assert len(flat) == 4


def test_block_size_changes_nothing(some):
    model, X, y, X_test, y_test = some
    few = (model, X, y, X_test[:2], y_test[:2])
    one = values(few, "random", "mean", degrees=[1], block_size=1, fast=False)
    all_at_once = values(few, "random", "mean", degrees=[1], block_size=200_000)
    # Matrix products of another height may differ in the last bit.
    np.testing.assert_allclose(one["value"], all_at_once["value"], rtol=1e-13)


@pytest.mark.parametrize("imputer", ["random", "zero", "gaussian", Marginalise(3)])
def test_they_agree_with_every_kind_of_imputation(mixed, imputer):
    X, y, X_test, y_test = mixed("binary")
    model = MODELS["logistic-regression"].make().fit(X, y)
    assert_that_scenarios_agree((model, X, y, X_test, y_test), imputer)


def test_the_model_is_left_as_it_was(some):
    model, *_, X_test, _ = some
    before = model.predict(X_test)
    values(some, "most", "mean")
    np.testing.assert_array_equal(before, model.predict(X_test))
