"""Networks that make a step per bag: batches, budget, early stopping."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from torch import Tensor, nn

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._bag_batches import BagBatches
from caveat.bags.learners._network import BagLoss, NetworkBagClassifier, check_budget
from caveat.bags.learners._problem import BagProblem
from caveat.training import Best, Training, adam, train


@dataclass(eq=False, repr=False)
class BagNetworkClassifier(NetworkBagClassifier):
    """Base of networks whose loss is about bags; a subclass says which loss."""

    _: KW_ONLY
    bag_batch: int | None = 512
    early_stopping: bool = False
    validation_fraction: float = 0.2
    patience: int = 5

    @abstractmethod
    def _objective(self, problem: BagProblem) -> BagLoss:
        """Build the loss."""

    def _check_parameters(self) -> None:
        check_number("validation_fraction", self.validation_fraction, above=0, most=0.9)
        check_whole("patience", self.patience, least=1)
        if self.bag_batch is not None:
            check_whole("bag_batch", self.bag_batch, least=1)
        check_budget(self.n_steps, self.epochs)

    def _train(
        self, network: nn.Module, problem: BagProblem, x: Tensor, seed: int
    ) -> Training:
        objective = self._objective(problem)
        kept = np.arange(problem.n_items)
        watch: dict[str, Any] = {}
        budget = check_budget(self.n_steps, self.epochs)
        if self.early_stopping:
            kept, held = _held_out(problem, self.validation_fraction, seed)
            rows = torch.as_tensor(held)
            data = (x[rows], torch.as_tensor(problem.bags[held]))
            watch = {
                "evaluate": lambda run: {"held-out": objective.value(network, *data)},
                "best": Best("held-out", patience=self.patience),
                "checkpoints": max(1, next(iter(budget.values())) // 20),
            }
        bags = problem.bags[kept]
        return train(
            network,
            objective,
            {"x": x[torch.as_tensor(kept)] if self.early_stopping else x, "bag": bags},
            sampler=BagBatches(bags, self.bag_batch),
            optimiser=adam(self.learning_rate),
            seed=seed,
            device=self.device,
            **budget,
            **watch,
        )


def _held_out(
    problem: BagProblem, fraction: float, seed: int
) -> tuple[NDArray, NDArray]:
    """Rows to train on and rows to watch: a part of every bag of at least two items."""
    rng = check_random_state(seed)
    held = []
    for bag in problem.present:
        rows = problem.members[bag]
        count = min(int(np.rint(fraction * len(rows))), len(rows) - 1)
        held.append(rng.permutation(rows)[:count])
    out = np.concatenate(held)
    if len(out) == 0:
        out = np.arange(problem.n_items)
        return out, out
    return np.setdiff1d(np.arange(problem.n_items), out), np.sort(out)
