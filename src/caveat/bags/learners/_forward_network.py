"""Bag forward correction with a network, over all bags or in random groups."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.bags._params import check_choice, check_whole
from caveat.bags.learners._forward_correction import log_transitions
from caveat.bags.learners._network import NetworkBagClassifier, check_budget
from caveat.bags.learners._problem import BagProblem
from caveat.bags.worlds._margins import project_rows
from caveat.training import Objective, Training, adam, train

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class BagForwardNetwork(NetworkBagClassifier):
    """Perceptron that is trained, through a transition matrix, to guess the bag.

    The likelihood of `BagForwardCorrection` with a network in place of a linear model;
    or, in groups, the published method LLPFC: as many bags as classes are drawn
    together, and items guess their bag within the group.

    Parameters
    ----------
    learning_rate : float, default=1e-3
        Of Adam.
    groups : {"all", "random"}, default="all"
        One likelihood over all bags, or random groups (LLPFC). Bags that fill no
        group sit out until the next grouping.
    prior : {"approx", "uniform"}, default="approx"
        For groups: weigh the bags so that their mixture comes closest to the global
        shares, or all alike.
    regroup_every : int, default=20
        Epochs between groupings.
    hidden : sequence of int, default=(100, 100)
    batch_size : int, default=128
        Items in a step.
    epochs : int, default=20
    n_steps : int or None, default=None
        Updates, in place of `epochs`.
    device : str, default="cpu"
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray
    network_ : torch.nn.Sequential
    losses_ : list of float
    n_steps_ : int

    Warnings
    --------
    As `BagForwardCorrection`: right where bags differ in their labels only. A network
    that is trained long learns to tell bags apart by anything.

    References
    ----------
    .. [1] C. Scott, J. Zhang (2020). Learning from label proportions: a mutual
       contamination framework. NeurIPS 33.
    .. [2] J. Zhang, Y. Wang, C. Scott (2022). Learning from label proportions by
       learning with label noise. NeurIPS 35.

    Examples
    --------
    >>> from caveat.bags import BagForwardNetwork
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = BagForwardNetwork(learning_rate=0.01, n_steps=200, random_state=0)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    _: KW_ONLY
    groups: str = "all"
    prior: str = "approx"
    regroup_every: int = 20
    batch_size: int = 128
    epochs: int | None = 20
    n_steps: int | None = None

    def _check_parameters(self) -> None:
        check_choice("groups", self.groups, ["all", "random"])
        check_choice("prior", self.prior, ["approx", "uniform"])
        check_whole("regroup_every", self.regroup_every, least=1)
        check_whole("batch_size", self.batch_size, least=1)

    def _train(
        self, network: nn.Module, problem: BagProblem, x: Tensor, seed: int
    ) -> Training:
        steps_first = None if self.n_steps is not None else self.epochs
        enough = len(problem.present) >= problem.shares.shape[1]
        objective = ForwardLoss(
            problem, self.prior, self.regroup_every, self.groups == "random" and enough
        )
        return train(
            network,
            objective,
            {"x": x, "bag": problem.bags},
            batch_size=self.batch_size,
            optimiser=adam(self.learning_rate),
            seed=seed,
            device=self.device,
            **check_budget(self.n_steps, steps_first),
        )


class ForwardLoss(Objective):
    """Weighted ``-log sum_c T_bc h_c(x)``; in groups, T and weights are drawn anew."""

    def __init__(
        self, problem: BagProblem, prior: str, regroup_every: int, grouped: bool
    ) -> None:
        self.problem = problem
        self.prior = prior
        self.regroup_every = regroup_every
        self.grouped = grouped

    def begin(self, run: Any) -> None:
        """Set the transitions up."""
        self._regroup(run)

    def after_epoch(self, run: Any) -> None:
        """Draw new groups when it is time."""
        if self.grouped and run.epoch % self.regroup_every == 0:
            self._regroup(run)

    def loss(self, run: Any, batch: Any) -> Tensor:
        """Compute the loss of a batch."""
        log_h = torch.log_softmax(run.module(batch["x"]), dim=1)
        joint = self.log_transition[batch["bag"]] + log_h
        weights = self.weights[batch["bag"]]
        # A batch of bags that sit out teaches nothing.
        scale = weights.sum().clamp(min=1e-12)
        return -(weights * torch.logsumexp(joint, dim=1)).sum() / scale

    def _regroup(self, run: Any) -> None:
        if self.grouped:
            order = torch.randperm(len(self.problem.present)).numpy()
            logs, weights = group_transitions(self.problem, order, self.prior)
        else:
            logs = log_transitions(self.problem)
            weights = np.ones(len(logs))
        # An impossible class is so unlikely that it never counts, yet finite.
        finite = np.maximum(logs, -80.0)
        self.log_transition = torch.as_tensor(finite, dtype=torch.float32).to(
            run.device
        )
        self.weights = torch.as_tensor(weights, dtype=torch.float32).to(run.device)


def group_transitions(
    problem: BagProblem, order: NDArray, prior: str
) -> tuple[Floats, Floats]:
    """Log-transitions and item weights of the bags, grouped by a random order.

    Parameters
    ----------
    problem : BagProblem
    order : ndarray
        A permutation of the present bags.
    prior : {"approx", "uniform"}

    Returns
    -------
    logs : ndarray of shape (n_bags, n_classes)
        ``log(alpha_i G_ic / pi_c)`` within the bag's group.
    weights : ndarray of shape (n_bags,)
        ``alpha_i`` over the bag's share of the group's items; they sum to 1 over a
        group, and are 0 for bags that sit out.
    """
    n_bags, n_classes = problem.shares.shape
    logs, weights = np.zeros((n_bags, n_classes)), np.zeros(n_bags)
    bags = problem.present[order]
    for first in range(0, len(bags) - n_classes + 1, n_classes):
        group = bags[first : first + n_classes]
        table = problem.shares[group]
        alpha = np.full(n_classes, 1.0 / n_classes)
        if prior == "approx":
            alpha = closest_prior(table, problem.global_shares)
        mixed = alpha @ table
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = alpha[:, None] * table / np.where(mixed > 0, mixed, 1.0)
            logs[group] = np.log(rows)
        sizes = problem.sizes[group]
        raw = alpha / (sizes / sizes.sum())
        weights[group] = raw / raw.sum()
    return logs, weights


def closest_prior(table: Floats, shares: Floats) -> Floats:
    """Find the mixture of bags whose class shares come closest to the given."""
    gram = table @ table.T
    target = table @ shares
    step = 1.0 / max(float(np.linalg.norm(gram, 2)), 1e-12)
    alpha = np.full(len(table), 1.0 / len(table))
    for _ in range(2000):
        new = project_rows((alpha - step * (gram @ alpha - target))[None, :])[0]
        if np.abs(new - alpha).max() < 1e-12:
            break
        alpha = new
    return alpha
