"""EM with logistic regression: label within the proportions, fit, label again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.utils import check_random_state

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.learners._assignment import hard_labels, soft_labels
from caveat.bags.learners._mean_map import mixture_coefficients
from caveat.bags.learners._problem import BagProblem
from caveat.bags.learners._softmax import SoftmaxClassifier, with_reference
from caveat.bags.solvers._design import Design
from caveat.bags.solvers._logistic import fit_logistic
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


class EMLogisticRegression(SoftmaxClassifier):
    """Logistic regression on labels that it assigns itself, bag by bag.

    Each round fits a logistic regression to the present labels, then relabels every
    bag: as many items of each class as its proportions say, the most probable ones.

    Parameters
    ----------
    C : float, default=1
        Inverse strength of the penalty: ``1/2 |w|^2 + C sum of losses``.
    init : {"mean-map", "random", "majority"}, default="mean-map"
        First labels: ranked by the difference of the mean map's class means; at
        random; or every item that of its bag's largest class.
    assignment : {"hard", "soft"}, default="hard"
        Whole labels, or shares of labels by entropic transport.
    reg : float, default=0.2
        Entropy of ``soft`` labels; 1 gives the posterior given the bag's counts.
    tol : float, default=1e-3
        Stop when at most this share of the labels changes.
    max_rounds : int, default=100
    multiclass : {"transport", "error"}, default="transport"
        More than two classes: a softmax regression and labels assigned to all
        classes at once, or refuse.
    random_state : int, RandomState or None, default=None
        For ``init="random"``.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        One row for two classes, else a row per class.
    labels_ : ndarray of shape (n_items, n_classes)
        The labels of the last fit; they meet every bag's counts.
    n_rounds_ : int

    Warnings
    --------
    Believes its own labels: a wrong start grows more confident, not more right. With
    ``init="random"`` results vary widely; published numbers come from that start
    and from a rule that stops after three rounds on Adult.

    References
    ----------
    .. [1] G. Comarela, R. Durairajan, P. Barford, D. Christenson, M. Crovella
       (2018). Assessing candidate preference through web browsing history. KDD 24.

    Examples
    --------
    >>> from caveat.bags import EMLogisticRegression
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = EMLogisticRegression()
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[1 / 3, 2 / 3]).predict(X)
    array([0, 0, 1, 0, 1, 1])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        init: str = "mean-map",
        assignment: str = "hard",
        reg: float = 0.2,
        tol: float = 1e-3,
        max_rounds: int = 100,
        multiclass: str = "transport",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.init = init
        self.assignment = assignment
        self.reg = reg
        self.tol = tol
        self.max_rounds = max_rounds
        self.multiclass = multiclass
        self.random_state = random_state

    def _fit(self, problem: BagProblem) -> None:
        self._check_parameters(problem)
        items = problem.items.with_constant()
        labels = first_labels(problem, self.init, check_random_state(self.random_state))
        vectors, before = None, None
        self.n_rounds_ = 0
        while True:
            vectors = self._regress(items, labels, vectors)
            self.n_rounds_ += 1
            used = labels
            labels = self._assign(problem, items.scores(vectors.T))
            changed = 0.5 * float(np.abs(labels - used).sum())
            settled = self._settled(changed, before, problem.n_items)
            if settled or self.n_rounds_ == self.max_rounds:
                break
            before = changed
        self.coef_, self.intercept_ = vectors[:, :-1], vectors[:, -1]
        self.labels_ = labels

    def _regress(self, items: Design, labels: Floats, start: Floats | None) -> Floats:
        """M step: a logistic regression on the labels."""
        return fit_logistic(items, labels, self.C, start)

    def _assign(self, problem: BagProblem, scores: Floats) -> Floats:
        """E step: labels that meet the bags' counts."""
        if self.assignment == "hard":
            return hard_labels(problem, with_reference(scores))
        log_h = log_softmax(with_reference(scores), axis=1)
        return soft_labels(problem, log_h, self.reg)

    def _settled(self, changed: float, before: float | None, n: int) -> bool:
        return changed <= self.tol * n

    def _check_parameters(self, problem: BagProblem) -> None:
        check_number("C", self.C, above=0)
        check_number("reg", self.reg, above=0)
        check_number("tol", self.tol, least=0)
        check_whole("max_rounds", self.max_rounds, least=1)
        check_choice("init", self.init, ["mean-map", "random", "majority"])
        check_choice("assignment", self.assignment, ["hard", "soft"])
        check_choice("multiclass", self.multiclass, ["transport", "error"])
        n_classes = problem.shares.shape[1]
        if n_classes > 2 and self.multiclass == "error":
            raise InvalidInput(
                f"proportions: found {n_classes} classes; EMLogisticRegression with "
                "multiclass='error' takes 2"
            )


def first_labels(problem: BagProblem, init: str, rng: RandomState) -> Floats:
    """Where EM begins, as a 0/1 matrix of items by classes."""
    n_classes = problem.shares.shape[1]
    if init == "majority":
        # On a tie of two classes the second one counts as the majority.
        top = n_classes - 1 - problem.shares[:, ::-1].argmax(axis=1)
        return np.eye(n_classes)[top[problem.bags]]
    if init == "mean-map":
        scores = mean_map_scores(problem)
        if scores is not None:
            return hard_labels(problem, scores)
    return np.eye(n_classes)[rng.randint(n_classes, size=problem.n_items)]


def mean_map_scores(problem: BagProblem) -> Floats | None:
    """Scores along the difference of every class mean from that of the rest.

    None when the proportions of all bags are the same: then there is no difference.
    """
    present = problem.present
    columns = []
    for label in range(problem.shares.shape[1]):
        p = problem.shares[present, label]
        if problem.same_share[label]:
            columns.append(np.zeros(problem.n_items))
            continue
        difference = np.array([1.0, -1.0])
        weights = mixture_coefficients(p, np.ones(len(p)), difference)
        per_bag = np.zeros(len(problem.sizes))
        per_bag[present] = weights / problem.sizes[present]
        direction = problem.items.weighted_sum(per_bag[problem.bags])
        columns.append(problem.items.scores(direction))
    scores = np.column_stack(columns)
    return scores if np.ptp(scores) > 0 else None
