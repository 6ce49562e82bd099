"""Proportion SVM: a large margin, and labels that are near the bags' shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import check_random_state

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.learners._base import OneVersusRest
from caveat.bags.learners._em import first_labels
from caveat.bags.learners._problem import BagProblem
from caveat.bags.solvers._design import Design

Floats = NDArray[np.float64]

_FIRST = 1e-5
_GROWTH = 2.0
_MOST_STEPS = 100
_PRECISION = 1e-12


class ProportionSVM(OneVersusRest):
    """Linear support vector machine that labels the items itself, near the shares.

    It minimises ``1/2 |w|^2 + C sum of squared hinge losses + C_p sum over bags of
    items * |share of its labels - known share|`` over w and the labels in turn: a
    machine for the labels, then for every bag the best labels for the machine. C grows
    from a small number, so that first labels do not decide.

    Parameters
    ----------
    C : float, default=1
        Price of losses.
    C_p : float, default=100
        Price of every label too many or too few in a bag.
    init : {"mean-map", "random", "majority"}, default="mean-map"
        First labels, as in `EMLogisticRegression`.
    tol : float, default=1e-3
        C grows on, and at last the fit ends, when at most this share of the labels
        changes.
    max_rounds : int, default=20
        Most turns at one value of C.
    multiclass : {"ovr", "error"}, default="ovr"
        What to do with more than two classes: each against the rest, or refuse.
    random_state : int, RandomState or None, default=None
        For ``init="random"``.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        A row per class, or one row for two classes.
    n_rounds_ : int
        Machines that were fitted.

    Warnings
    --------
    A wide gap between items need not be one between classes. Scores are margins, not
    log-odds: its probabilities rank items, no more. The paper's loss is the plain
    hinge; squared, every machine is found exactly, in a few steps. The constant is
    penalised like a weight. The paper's price is per
    bag, whatever its size, at which large bags would not keep their shares.

    References
    ----------
    .. [1] F. X. Yu, D. Liu, S. Kumar, T. Jebara, S.-F. Chang (2013). Proportion-SVM
       for learning with label proportions. ICML 30.

    Examples
    --------
    >>> from caveat.bags import ProportionSVM
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = ProportionSVM()
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[1 / 3, 2 / 3]).predict(X)
    array([0, 0, 1, 0, 1, 1])
    """

    def __init__(
        self,
        C: float = 1.0,
        C_p: float = 100.0,
        *,
        init: str = "mean-map",
        tol: float = 1e-3,
        max_rounds: int = 20,
        multiclass: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.C_p = C_p
        self.init = init
        self.tol = tol
        self.max_rounds = max_rounds
        self.multiclass = multiclass
        self.random_state = random_state

    def _fit(self, problem: BagProblem) -> None:
        check_number("C", self.C, above=0)
        check_number("C_p", self.C_p, above=0)
        check_choice("init", self.init, ["mean-map", "random", "majority"])
        check_number("tol", self.tol, least=0)
        check_whole("max_rounds", self.max_rounds, least=1)
        rng = check_random_state(self.random_state)
        self.n_rounds_ = 0
        vectors = []
        for label in self._positive_classes(problem):
            p = problem.shares[:, label]
            binary = BagProblem(problem.X, problem.bags, np.column_stack([1 - p, p]))
            vectors.append(self._alternate(binary, rng))
        found = np.vstack(vectors)
        self.coef_, self.intercept_ = found[:, :-1], found[:, -1]

    def _alternate(self, problem: BagProblem, rng: RandomState) -> Floats:
        """Weights, and the constant last, after C has grown to its value."""
        is_second = first_labels(problem, self.init, rng)[:, 1] > 0.5
        items = problem.items.with_constant()
        w, strength = np.zeros(items.shape[1]), _FIRST * self.C
        while True:
            strength = min(_GROWTH * strength, self.C)
            for _ in range(self.max_rounds):
                w = fit_machine(items, np.where(is_second, 1.0, -1.0), strength, w)
                self.n_rounds_ += 1
                before, price = is_second, self.C_p / strength
                is_second = bag_labels(problem, items.scores(w), price)
                if (is_second != before).mean() <= self.tol:
                    break
            if strength == self.C:
                return w


def fit_machine(items: Design, signs: Floats, C: float, start: Floats) -> Floats:
    """Minimise ``1/2 |w|^2 + C sum of max(0, 1 - sign * w.x)^2`` by Newton's method.

    The function is made of quadratic pieces, one for every set of items within the
    margin, so a few steps from a near start end at the minimum.
    """
    w, z = start, items.scores(start)
    value, gaps = _value(w, z, signs, C)
    for _ in range(_MOST_STEPS):
        slope = w - 2.0 * C * items.weighted_sum(gaps)
        hessian = 2.0 * C * items.gram((gaps != 0.0).astype(np.float64))
        hessian[np.diag_indices_from(hessian)] += 1.0
        step = cho_solve(cho_factor(hessian), slope)
        rise = items.scores(step)
        decrement, size = float(slope @ step), 1.0
        if decrement <= _PRECISION * max(1.0, value):
            break
        new, new_gaps = _value(w - step, z - rise, signs, C)
        while new > value - 1e-4 * size * decrement:
            size *= 0.5
            new, new_gaps = _value(w - size * step, z - size * rise, signs, C)
        w, z, value, gaps = w - size * step, z - size * rise, new, new_gaps
    return w


def _value(w: Floats, z: Floats, signs: Floats, C: float) -> tuple[float, Floats]:
    """Value of a machine, and how far every item is within the margin, signed."""
    gaps = np.where(signs * z < 1.0, signs - z, 0.0)
    return 0.5 * float(w @ w) + C * float(gaps @ gaps), gaps


def bag_labels(problem: BagProblem, scores: Floats, price: float) -> NDArray[np.bool_]:
    """Tell which items are best labelled as the second class, bag by bag.

    The labels minimise the sum of squared hinge losses plus `price` for every label
    beyond or below the known share. The second class is worth
    most where the score is highest, so the best k labels are the k highest scores; the
    best k is found by trying all.
    """
    order = np.lexsort((-scores, problem.bags))
    f, bags = scores[order], problem.bags[order]
    cost = np.maximum(0.0, 1.0 - f) ** 2 - np.maximum(0.0, 1.0 + f) ** 2
    sizes = problem.sizes[problem.present]
    first = np.cumsum(sizes) - sizes
    total = np.cumsum(cost)
    spent = total - np.repeat(total[first] - cost[first], sizes)
    count = np.arange(1, len(f) + 1) - np.repeat(first, sizes)
    wanted = problem.shares[:, 1] * problem.sizes
    value = spent + price * np.abs(count - wanted[bags])
    least = np.minimum.reduceat(value, first)
    # Where no label at all is better still, or as good, nobody gets one.
    least = np.where(least < price * wanted[problem.present], least, -np.inf)
    best = np.where(value == np.repeat(least, sizes), count, 0)
    most = np.maximum.reduceat(best, first)
    chosen = np.empty(len(f), dtype=bool)
    chosen[order] = count <= np.repeat(most, sizes)
    return chosen
