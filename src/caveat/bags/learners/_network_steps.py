"""Networks that make a step per bag: batches, budget, early stopping."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from torch import Tensor, nn

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._bag_batches import BagBatches
from caveat.bags.learners._lockstep import Student, train_together
from caveat.bags.learners._network import (
    BagLoss,
    NetworkBagClassifier,
    as_float32,
    check_budget,
)
from caveat.bags.learners._problem import BagProblem
from caveat.training import Best, Training, adam, mlp, train


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

    def _fit_many(self, models: Sequence[Any], problem: BagProblem) -> None:
        """Train models with the same batches together, all others by themselves."""
        seeds = [model._checked_seed() for model in models]
        x = as_float32(problem.X)
        groups: dict[Hashable, list[BagNetworkClassifier]] = {}
        for number, (model, seed) in enumerate(zip(models, seeds, strict=True)):
            groups.setdefault(model._batches_of(seed) or number, []).append(model)
        for key, group in groups.items():
            if isinstance(key, int):
                group[0]._fit_alone(problem, x, seeds[key])
            else:
                _fit_in_lockstep(group, problem, x, seeds[models.index(group[0])])

    def _batches_of(self, seed: int) -> Hashable:
        """Say what models that train together have in common; None trains alone."""
        if self.network is not None or self.early_stopping or self.device != "cpu":
            return None
        if not len(self.hidden):
            return None
        budget = tuple(check_budget(self.n_steps, self.epochs).items())
        return type(self), seed, tuple(self.hidden), self.bag_batch, budget

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


def _fit_in_lockstep(
    models: Sequence[BagNetworkClassifier], problem: BagProblem, x: Tensor, seed: int
) -> None:
    like = models[0]
    objectives = [model._objective(problem) for model in models]
    if not objectives[0].by_logits:
        for model in models:
            model._fit_alone(problem, x, seed)
        return
    n_classes = problem.shares.shape[1]
    students = [
        Student(mlp(x.shape[1], list(like.hidden), n_classes, seed=seed), loss, rate)
        for loss, rate in zip(
            objectives, [float(model.learning_rate) for model in models], strict=True
        )
    ]
    sampler = BagBatches(problem.bags, like.bag_batch)
    budget = check_budget(like.n_steps, like.epochs)
    steps = budget.get("steps") or budget["epochs"] * len(sampler)
    trainings = train_together(
        students,
        x,
        problem.bags,
        sampler,
        updates=steps,
        seed=seed,
    )
    for model, student, training in zip(models, students, trainings, strict=True):
        model._keep(student.network, training)


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
