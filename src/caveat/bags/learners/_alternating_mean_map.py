"""The alternating mean map: guess the labels, fit, guess again."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.learners._assignment import first_of_bags
from caveat.bags.learners._laplacian_mean_map import LaplacianMeanMap
from caveat.bags.learners._mean_map import mean_map_coefficients
from caveat.bags.learners._mean_operator import Task
from caveat.bags.learners._problem import BagProblem
from caveat.bags.solvers._design import Design
from caveat.bags.solvers._newton import Minimum
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]

STARTS = ("lmm", "mm", "ones")


@dataclass
class _Course:
    """How one alternation went: its last sum, its end, and F after every round."""

    linear: Floats
    minimum: Minimum
    path: list[float] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class AlternatingMeanMap(LaplacianMeanMap):
    """Mean map that labels the items itself, again and again, within the proportions.

    From a first classifier, label in every bag as many items positive as
    its proportion says, the highest-scored ones; fit to these labels; repeat until
    the objective stands still.

    Parameters
    ----------
    lam, gamma, sigma : float, default=1
        As in `LaplacianMeanMap`, which gives the first classifier.
    mode : {"min", "max"}, default="min"
        Label the items that the classifier likes best (``min``: each half-step
        lowers the objective), or worst (``max``: guards against the worst labels,
        keeps the best round). Published runs used ``max``.
    start : {"lmm", "mm", "ones"} or array-like of shape (n_features,), default="lmm"
        The first classifier.
    max_rounds : int or None, default=None
        Most rounds; None is 100 for ``min`` and 30 (and one more) for ``max``.
    tol : float, default=1e-3
        Stop when the objective changes by less in a round.
    similarity, eps, max_pair_items, random_state
        As in `LaplacianMeanMap`.
    weighting, bag_weights, fit_intercept, max_iter, multiclass
        As in `MeanMap`.

    Attributes
    ----------
    classes_, coef_, intercept_, mean_operator_, mean_operator_feasible_
        As in `MeanMap`.
    objective_, n_iter_
        As in `MeanMap`.
    objective_path_ : list of list of float
        F after every round, one list per fitted vector.
    n_rounds_ : int

    Warnings
    --------
    Finds a local optimum: what the first classifier gets wrong may stay wrong, with
    more confidence. ``max`` has no objective that falls from round to round.

    References
    ----------
    .. [1] G. Patrini, R. Nock, P. Rivera, T. Caetano (2014). (Almost) no label no
       cry. NeurIPS 27.

    Examples
    --------
    >>> from caveat.bags import AlternatingMeanMap
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = AlternatingMeanMap()
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.34, 0.67]).predict(X)
    array([0, 0, 1, 0, 1, 1])
    """

    mode: str = "min"
    _: KW_ONLY
    start: str | ArrayLike = "lmm"
    max_rounds: int | None = None
    tol: float = 1e-3

    # Items that every bag labels positive, whatever its proportion.
    _least = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("mode", self.mode, ["min", "max"])
        check_number("tol", self.tol, least=0)
        if self.max_rounds is not None:
            check_whole("max_rounds", self.max_rounds, least=1)
        if isinstance(self.start, str):
            check_choice("start", self.start, STARTS)
        elif np.shape(self.start) != (self.n_features_in_,):
            raise InvalidInput(
                f"start: found shape {np.shape(self.start)}; expected one number per "
                f"feature ({self.n_features_in_})"
            )

    def _bag_coefficients(self, problem: BagProblem, label: int) -> Floats:
        if isinstance(self.start, str) and self.start == "mm":
            return mean_map_coefficients(problem, label, self)
        return super()._bag_coefficients(problem, label)

    def _solve(self, tasks: list[Task], problem: BagProblem, items: Design) -> None:
        super()._solve([t for t in tasks if _needs_start(t.model)], problem, items)
        for task in tasks:
            course = alternate(task, problem, items)
            task.linear, task.minimum = course.linear, course.minimum
            task.path = course.path

    def _keep(self, tasks: list[Task], problem: BagProblem) -> None:
        super()._keep(tasks, problem)
        self.objective_path_ = [task.path for task in tasks]
        self.n_rounds_ = max(len(path) for path in self.objective_path_)


def _needs_start(model: AlternatingMeanMap) -> bool:
    return isinstance(model.start, str) and model.start != "ones"


def alternate(task: Task, problem: BagProblem, items: Design) -> _Course:
    """Run the rounds of one fit."""
    model = task.model
    highest = model.mode == "min"
    most = model.max_rounds or (100 if highest else 30)
    theta = _first(task, items)
    before, course = np.inf, None
    path: list[float] = []
    while True:
        labels = label_by_rank(
            problem,
            items.scores(theta),
            task.label,
            highest=highest,
            least=model._least,
        )
        linear = items.weighted_sum(labels)
        end = model._minimum(items, linear, theta)
        path.append(end.value)
        theta = end.x
        if highest or course is None or end.value < before:
            course = _Course(linear, end, path)
        # "max" ends after one round more than its number, as published.
        last = len(path) >= most if highest else len(path) > most
        if abs(end.value - before) < model.tol or last:
            return course
        before = end.value


def label_by_rank(
    problem: BagProblem,
    scores: Floats,
    label: int,
    *,
    highest: bool = True,
    least: int = 0,
) -> Floats:
    """Label +1 the first ``floor(p s)`` items of every bag by score, -1 the others.

    Items with equal scores are taken in the order of their rows.
    """
    # A share counted from k of s items must give k again, whatever its last digit.
    wanted = np.floor(problem.shares[:, label] * problem.sizes + 1e-9).astype(np.int64)
    keys = -scores if highest else scores
    return np.where(first_of_bags(problem, keys, np.maximum(wanted, least)), 1.0, -1.0)


def _first(task: Task, items: Design) -> Floats:
    """Where the alternation begins."""
    if task.minimum is not None:
        return task.minimum.x
    given = task.model.start
    if isinstance(given, str):
        return np.ones(items.shape[1])
    first = np.zeros(items.shape[1])
    first[: len(np.asarray(given))] = given
    return first
