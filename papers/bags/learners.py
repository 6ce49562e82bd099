"""The learners as published: capped descents, early stops, and one overflow.

`llp-learn` fits the mean maps by at most 100 iterations of L-BFGS from a fixed start,
which acts as a penalty of its own, and lets an exponential overflow on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from torch import Tensor, nn

from caveat.bags import (
    AlternatingMeanMap,
    DLLPClassifier,
    EMLogisticRegression,
    LaplacianMeanMap,
    MeanMap,
)
from caveat.bags.learners._mean_operator import Task
from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._problem import BagProblem
from caveat.bags.solvers._design import Design
from caveat.bags.solvers._logistic import descend
from caveat.bags.solvers._newton import Minimum
from papers.bags.lbfgs import lbfgs
from papers.bags.lockstep import Routine, run_together

Floats = NDArray[np.float64]

# Where every published run starts, and how much it remembers.
START = 1e-3
MEMORY = 5

# What scikit-learn's solver does: the loss is a mean, its gradient is small enough at
# 1e-4, and 100 iterations are the most.
_LOGISTIC = {
    "maxiter": 100,
    "gtol": 1e-4,
    "ftol": 64 * float(np.finfo(np.float64).eps),
    "maxls": 50,
}


class Capped:
    """Stop after `max_iter` iterations of L-BFGS, with the published overflow.

    For the mean-map family, in front of it.
    """

    lam: float
    max_iter: int

    def _solve(self, tasks: list[Task], problem: BagProblem, items: Design) -> None:
        routines = [capped_routine(task.model, task.linear) for task in tasks]
        for task, end in zip(tasks, run_together(items, routines), strict=True):
            task.minimum = end

    def _minimum(self, items: Design, linear: Floats, start: Floats) -> Minimum:
        return run_together(items, [capped_routine(self, linear)])[0]

    def _penalty(self, items: Design) -> float:
        return float(self.lam)


class PublishedMeanMap(Capped, MeanMap):
    """`MeanMap` by a capped descent."""


class PublishedLaplacianMeanMap(Capped, LaplacianMeanMap):
    """`LaplacianMeanMap` by a capped descent."""


class PublishedAlternatingMeanMap(AlternatingMeanMap, PublishedLaplacianMeanMap):
    """`AlternatingMeanMap` by capped descents; no bag is without a positive item."""

    _least = 1


class PublishedEM(EMLogisticRegression):
    """EM that stops when the number of changed labels hardly changes any more."""

    def _settled(self, changed: float, before: float | None, n: int) -> bool:
        return before is not None and abs(before - changed) < 0.05 * n


class CappedEM(PublishedEM):
    """The same with at most 100 iterations of L-BFGS in every fit."""

    def _regress(self, items: Design, labels: Floats, start: Floats | None) -> Floats:
        rows = 1 if labels.shape[1] == 2 else labels.shape[1]
        zeros = np.zeros((rows, items.shape[1]))
        return descend(items, labels, self.C, zeros, _LOGISTIC)


class OldCappedEM(PublishedEM):
    """The same by scikit-learn 1.2, of which the released bags are.

    Its loss is a sum, not a mean, so that a gradient of 1e-4 is far smaller, and a fit
    ends where a step lowers the loss by less than 2e-9 of it.
    """

    def _regress(self, items: Design, labels: Floats, start: Floats | None) -> Floats:
        positive = labels[:, 1]

        def objective(point: Floats) -> tuple[float, Floats]:
            scores = items.scores(point[:, None])[:, 0]
            # The intercept comes last and costs nothing.
            weights = np.append(point[:-1], 0.0)
            loss = float(np.logaddexp(0.0, scores).sum() - positive @ scores)
            value = loss + 0.5 / self.C * float(weights @ weights)
            slope = items.weighted_sum((expit(scores) - positive)[:, None])[:, 0]
            return value, slope + weights / self.C

        options = {"maxiter": 100, "gtol": 1e-4}
        zeros = np.zeros(items.shape[1])
        end = minimize(objective, zeros, jac=True, method="L-BFGS-B", options=options)
        return end.x[None, :]


class MeanLogLoss(BagLoss):
    """The released loss: log-probabilities are averaged, and classes too.

    The same as giving every item its bag's proportions as a soft label.
    """

    def value(self, network: nn.Module, x: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of some items."""
        log_h = torch.log_softmax(network(x), dim=1)
        present, place = torch.unique(bags, return_inverse=True)
        sums = torch.zeros(len(present), log_h.shape[1], dtype=log_h.dtype)
        sums = sums.to(log_h.device).index_add(0, place, log_h)
        counts = torch.bincount(place, minlength=len(present))[:, None]
        known = self.shares[present]
        terms = torch.special.xlogy(known, known) - known * sums / counts
        return terms.mean()


class PublishedDLLP(DLLPClassifier):
    """`DLLPClassifier` with the released loss."""

    def _objective(self, problem: BagProblem) -> BagLoss:
        return MeanLogLoss(problem.shares)


_PLAIN = {"weighting": "equal", "fit_intercept": False}
PUBLISHED: Mapping[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {
    # Exact fits in place of at most 100 steps of L-BFGS: seven times as fast, and
    # small against what the random first labels do.
    "em-lr": (PublishedEM, {"init": "random"}),
    "mm": (PublishedMeanMap, _PLAIN),
    "lmm": (PublishedLaplacianMeanMap, _PLAIN),
    "amm": (PublishedAlternatingMeanMap, {**_PLAIN, "mode": "max"}),
    "dllp": (PublishedDLLP, {"bag_batch": None, "epochs": 100}),
}
"""What the published study ran under each name, with which parameters."""


def published_learner(name: str, **params: Any) -> Any:
    """Build a learner as the published study ran it."""
    kind, fixed = PUBLISHED[name]
    return kind(**{**fixed, **params})


def capped_routine(model: Any, linear: Floats) -> Routine:
    """L-BFGS on F for at most the model's number of iterations, as a coroutine."""
    lam = float(model.lam)
    point = np.full(len(linear), START)
    search = lbfgs(point, memory=MEMORY, max_iter=model.max_iter)
    w = next(search)
    while True:
        value, gradient = yield w
        total = value - float(linear @ w) + 0.5 * lam * float(w @ w)
        try:
            w = search.send((total, gradient - linear + lam * w))
        except StopIteration as end:
            return end.value
