"""Linear classifiers from a mean operator: the shared half of the mean-map family.

Logistic loss needs the labels only through ``E[y x]``, the mean operator. Whoever can
estimate it from bags can fit a classifier of items; the estimates differ, the rest is
here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.learners._base import OneVersusRest
from caveat.bags.learners._problem import BagProblem
from caveat.bags.solvers._design import Design
from caveat.bags.solvers._newton import Minimum, newton
from caveat.bags.solvers._penalty_path import minima_along

Floats = NDArray[np.float64]

_VANISHING = 1e-6


@dataclass
class Task:
    """One vector to fit: a model, a class, and its estimate of ``sum_i y_i x_i``."""

    model: Any
    label: int
    linear: Floats
    minimum: Minimum | None = None
    path: list[float] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class MeanOperatorClassifier(OneVersusRest):
    """Base of the mean-map family: estimate ``E[y x]``, minimise the logistic loss.

    ``F(w) = sum_i log(e^(w.x_i) + e^(-w.x_i)) - N m.w + lam/2 |w|^2``, and the
    probability of the second class is ``1 / (1 + e^(-2 w.x))``. A subclass adds its
    parameters as fields, so that `__init__` takes and stores them all.
    """

    lam: float = 1.0
    _: KW_ONLY
    weighting: str = "size"
    bag_weights: str = "equal"
    fit_intercept: bool | str = "auto"
    max_iter: int = 100
    multiclass: str = "ovr"

    _sharpness = 2.0

    @abstractmethod
    def _bag_coefficients(self, problem: BagProblem, label: int) -> Floats:
        """Coefficients of the present bags' means in the mean operator."""

    def _check_parameters(self) -> None:
        check_number("lam", self.lam, least=0)
        check_whole("max_iter", self.max_iter, least=1)
        check_choice("weighting", self.weighting, ["size", "equal"])
        check_choice("bag_weights", self.bag_weights, ["size", "equal"])
        if not isinstance(self.fit_intercept, bool | np.bool_):
            check_choice("fit_intercept", self.fit_intercept, ["auto"])

    def _fit(self, problem: BagProblem) -> None:
        self._fit_many([self], problem)

    def _fit_many(self, models: Sequence[Any], problem: BagProblem) -> None:
        for model in models:
            model._check_parameters()
        labels = self._positive_classes(problem)
        for constant in (False, True):
            chosen = [m for m in models if m._has_intercept(problem) == constant]
            if not chosen:
                continue
            items = problem.items.with_constant() if constant else problem.items
            tasks = [
                Task(model, label, estimated_sum(problem, items, model, label))
                for model in chosen
                for label in labels
            ]
            self._solve(tasks, problem, items)
            for model in chosen:
                model._keep([task for task in tasks if task.model is model], problem)

    def _has_intercept(self, problem: BagProblem) -> bool:
        """Whether a constant feature is added: asked for, or lacking."""
        if self.fit_intercept == "auto":
            return not problem.spans_constant
        return bool(self.fit_intercept)

    def _solve(self, tasks: list[Task], problem: BagProblem, items: Design) -> None:
        """Minimise F for every task."""
        solve_tasks(tasks, items)

    def _minimum(self, items: Design, linear: Floats, start: Floats) -> Minimum:
        """Minimise F for one estimate of ``sum_i y_i x_i``."""
        ridge = np.full(items.shape[1], self._penalty(items))
        return newton(items, linear, ridge, start, max_iter=5 * self.max_iter)

    def _penalty(self, items: Design) -> float:
        """Give the penalty, or the smallest for which the minimum is well defined.

        Without a penalty an infeasible mean operator has no minimum, but the minimisers
        for vanishing penalties tend to one direction. It is reached, to three digits
        of F1, long before a millionth of the mean curvature at zero.
        """
        return max(float(self.lam), _VANISHING * items.mean_square() * items.shape[0])

    def _keep(self, tasks: list[Task], problem: BagProblem) -> None:
        """Store what was learnt, one task per class."""
        ends = [task.minimum for task in tasks if task.minimum is not None]
        vectors = np.stack([end.x for end in ends])
        d = self.n_features_in_
        self.coef_ = vectors[:, :d]
        self.intercept_ = vectors[:, d:].sum(axis=1)
        operators = np.stack([task.linear for task in tasks]) / problem.n_items
        self.mean_operator_ = operators[:, :d]
        self.objective_ = np.array([end.value for end in ends])
        # Without its penalty F is never negative for the mean operator of real labels.
        lam = self._penalty(problem.items)
        loss = [end.value - 0.5 * lam * float(end.x @ end.x) for end in ends]
        slack = 1e-9 * problem.n_items
        self.mean_operator_feasible_ = bool(min(loss) >= -slack)
        self.n_iter_ = max(end.n_iter for end in ends)


def estimated_sum(
    problem: BagProblem, items: Design, model: MeanOperatorClassifier, label: int
) -> Floats:
    """Estimate ``sum_i y_i x_i`` (N m) from the coefficients of the bag means."""
    coefficients = model._bag_coefficients(problem, label)
    per_bag = np.zeros(len(problem.sizes))
    per_bag[problem.present] = coefficients / problem.sizes[problem.present]
    if items.shape[1] > problem.items.shape[1] or len(problem.present) > 1000:
        return problem.n_items * items.weighted_sum(per_bag[problem.bags])
    return problem.n_items * (coefficients @ problem.means)


def solve_tasks(tasks: Sequence[Task], items: Design) -> None:
    """Minimise F for every task; tasks that differ in their penalty share a way."""
    ways: dict[tuple[int, bytes], list[Task]] = {}
    for task in tasks:
        key = (task.model.max_iter, task.linear.tobytes())
        ways.setdefault(key, []).append(task)
    last: list[float] = []
    near: list[Floats] = []
    for (max_iter, _), way in ways.items():
        way.sort(key=lambda task: -task.model.lam)
        penalties = [task.model._penalty(items) for task in way]
        ends = minima_along(
            items,
            way[0].linear,
            penalties,
            max_iter=5 * max_iter,
            near=near if penalties == last else (),
        )
        last, near = penalties, [end.x for end in ends]
        for task, end in zip(way, ends, strict=True):
            task.minimum = end
