"""What every learner owes, whatever it learns from."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from caveat.testing._assertions import (
    Check,
    answers,
    fresh,
    must_raise,
    quietly,
    require,
)
from caveat.testing._problems import Problem


def checks_on(problem: Problem) -> list[Check]:
    """Put the demands of every learner to this problem."""
    return [_put(demand, problem) for demand in DEMANDS]


def _put(demand: Callable[[Problem, Any], None], problem: Problem) -> Check:
    def check(estimator: Any) -> None:
        demand(problem, estimator)

    # Reports and test names say which demand it is.
    check.__name__, check.__doc__ = demand.__name__, demand.__doc__
    return check


def parameters_are_only_stored(problem: Problem, estimator: Any) -> None:
    """Demand that `fit` changes no parameter, and that a clone has them all."""
    before, copied = estimator.get_params(), clone(estimator).get_params()
    require(
        estimator,
        list(before) == list(copied),
        f"a clone has the parameters {sorted(copied)}, not {sorted(before)}",
    )
    model = fresh(estimator)
    told = repr(model.get_params())
    quietly(model.fit, problem.X, *problem.told, **problem.named)
    require(
        estimator,
        repr(model.get_params()) == told,
        "fit changes a parameter; keep what is learnt in names that end in _",
    )


def fit_returns_the_learner(problem: Problem, estimator: Any) -> None:
    """Demand that `fit` can be chained."""
    model = fresh(estimator)
    given = quietly(model.fit, problem.X, *problem.told, **problem.named)
    require(estimator, given is model, "fit does not return the learner itself")


def an_unfitted_learner_says_so(problem: Problem, estimator: Any) -> None:
    """Demand scikit-learn's own error before `fit`."""
    with must_raise(estimator, (NotFittedError,), "predict before fit"):
        clone(estimator).predict(problem.X)


def inputs_are_not_changed(problem: Problem, estimator: Any) -> None:
    """Demand that what was passed stays as it was."""
    used = deepcopy(problem)
    answers(used.fit(estimator), used.X)
    same = all(
        _equal(old, new)
        for old, new in zip(_inputs(problem), _inputs(used), strict=True)
    )
    require(estimator, same, "fit or predict changes its input")


def read_only_inputs_are_welcome(problem: Problem, estimator: Any) -> None:
    """Demand that locked arrays are no trouble."""
    X = problem.X.copy()
    X.flags.writeable = False
    answers(problem.fit(estimator, X=X), X)


def same_seed_same_numbers(problem: Problem, estimator: Any) -> None:
    """Demand that one seed gives one answer."""
    one, two = (answers(problem.fit(estimator), problem.X) for _ in range(2))
    require(
        estimator,
        np.array_equal(one, two, equal_nan=True),
        "two fits with one random_state give different answers",
    )


def global_generators_are_left_alone(problem: Problem, estimator: Any) -> None:
    """Demand that nobody else's chance is used up."""
    before = _global_state()
    problem.fit(estimator)
    require(
        estimator,
        np.array_equal(before, _global_state()),
        "fit draws from numpy's global generator; use check_random_state",
    )


def labels_are_known_ones_in_the_right_shape(problem: Problem, estimator: Any) -> None:
    """Demand labels that were seen, one per row."""
    model = problem.fit(estimator)
    labels = np.asarray(model.predict(problem.X))
    require(
        estimator,
        labels.shape == problem.truth.shape,
        f"predict gives the shape {labels.shape}, not {problem.truth.shape}",
    )
    known = [0, 1] if problem.truth.ndim == 2 else list(model.classes_)
    strange = np.setdiff1d(labels, known).tolist()
    require(estimator, not strange, f"predict gives unknown labels: {strange}")


def probabilities_are_probabilities(problem: Problem, estimator: Any) -> None:
    """Demand finite shares that sum to 1."""
    model = problem.fit(estimator)
    if hasattr(model, "predict_proba"):
        _check_proba(estimator, model, problem)


def one_row_can_be_answered(problem: Problem, estimator: Any) -> None:
    """Demand that a row's answer does not hang on its neighbours."""
    model = problem.fit(estimator)
    alone, among = model.predict(problem.X[:1])[0], model.predict(problem.X)[0]
    require(
        estimator,
        np.array_equal(alone, among),
        f"a row alone is answered {alone}, among others {among}",
    )


def it_learns(problem: Problem, estimator: Any) -> None:
    """Demand more than a constant answer on clear clusters."""
    right = problem.share_right(problem.fit(estimator))
    free = problem.share_for_nothing
    require(
        estimator,
        right > free + 0.2,
        f"{right:.0%} right on clear clusters, a constant answer has {free:.0%}",
    )


DEMANDS = (
    parameters_are_only_stored,
    fit_returns_the_learner,
    an_unfitted_learner_says_so,
    inputs_are_not_changed,
    read_only_inputs_are_welcome,
    same_seed_same_numbers,
    global_generators_are_left_alone,
    labels_are_known_ones_in_the_right_shape,
    probabilities_are_probabilities,
    one_row_can_be_answered,
    it_learns,
)


def _check_proba(estimator: Any, model: Any, problem: Problem) -> None:
    proba = np.asarray(model.predict_proba(problem.X))
    many = problem.truth.ndim == 2
    width = problem.truth.shape[1] if many else len(model.classes_)
    wanted = (len(problem.X), width)
    require(
        estimator,
        proba.shape == wanted,
        f"predict_proba gives the shape {proba.shape}, not {wanted}",
    )
    require(estimator, bool(np.isfinite(proba).all()), "probabilities are not finite")
    inside = bool(((proba >= 0) & (proba <= 1 + 1e-9)).all())
    require(estimator, inside, "probabilities are not between 0 and 1")
    off = 0.0 if many else float(np.abs(proba.sum(axis=1) - 1).max())
    require(estimator, off < 1e-6, f"probabilities miss the sum 1 by {off:.2g}")


def _inputs(problem: Problem) -> list[Any]:
    return [problem.X, *problem.told, *problem.named.values()]


def _equal(old: Any, new: Any) -> bool:
    return np.array_equal(np.asarray(old), np.asarray(new))


def _global_state() -> NDArray[Any]:
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    inner = state["state"]
    return np.append(inner["key"], inner["pos"])
