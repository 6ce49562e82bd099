"""A run that has not begun: everything `train` was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput
from caveat.training._batches import Batch, Sampler, Shuffled, as_tensors
from caveat.training._best_checkpoint import Best
from caveat.training._budget import Budget
from caveat.training._loop import Loop
from caveat.training._objective import LossFunction, Objective
from caveat.training._optimisers import Recipe, adam
from caveat.training._precision import check_precision
from caveat.training._resume import Progress
from caveat.training._run import Evaluate, Run, Training
from caveat.training._sandbox import check_device, sandbox
from caveat.training._views import View, Views


@dataclass(frozen=True, kw_only=True)
class Job:
    """The arguments of `train`, under the same names, for `train_all`.

    Examples
    --------
    >>> import torch
    >>> from caveat.training import Job, mlp
    >>> x = torch.linspace(-1, 1, 64)[:, None]
    >>> def loss(module, batch):
    ...     return (module(batch["x"]) - batch["x"]).square().mean()
    >>> job = Job(module=mlp(1, [8], 1, seed=0), objective=loss, data={"x": x}, steps=9)
    >>> job.train().updates
    9
    """

    module: nn.Module
    objective: Objective | Callable[[nn.Module, Batch], Tensor]
    data: Mapping[str, Any]
    steps: int | None = None
    epochs: int | None = None
    batch_size: int = 128
    drop_last: bool = False
    sampler: Sampler | None = None
    optimiser: Recipe | torch.optim.Optimizer | None = None
    schedule: Callable[[torch.optim.Optimizer], Any] | None = None
    clip: float | None = None
    views: Mapping[str, View] | None = None
    evaluate: Evaluate | None = None
    checkpoints: int | Collection[int] | None = None
    best: Best | None = None
    seed: int = 0
    device: str | torch.device = "cpu"
    precision: str = "float32"
    channels_last: bool = False
    threads: int | None = 1
    save_to: str | os.PathLike[str] | None = None
    save_every: int | None = None
    progress: Callable[[int, int], None] | None = None

    def train(self) -> Training:
        """Make the run, alone."""
        budget = self.budget
        device = check_device(self.device)
        with sandbox(self.seed, device=device, threads=self.threads) as generator:
            loop = self.begin(generator, budget)
            while not loop.run.stopped:
                loop.turn()
            return loop.run.finish()

    @property
    def budget(self) -> Budget:
        """How long the run may take."""
        return Budget(self.steps, self.epochs, self.checkpoints)

    def begin(self, generator: torch.Generator, budget: Budget) -> Loop:
        """Set the run up; torch's own generator is seeded already."""
        device = torch.device(self.device)
        self.module.to(device).train()
        if self.channels_last:
            self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        tensors = as_tensors(self.data, device)
        n_rows = len(next(iter(tensors.values())))
        sampler = self.sampler or Shuffled(
            n_rows, self.batch_size, drop_last=self.drop_last
        )
        optimiser = self._make_optimiser()
        run = Run(
            module=self.module,
            objective=self._make_objective(),
            data=tensors,
            optimiser=optimiser,
            schedule=self.schedule(optimiser) if self.schedule else None,
            total=budget.updates(len(sampler)),
            batches_per_epoch=len(sampler),
            device=device,
            clip=self.clip,
            evaluate=self.evaluate,
            rule=self.best,
            views=Views(self.views or {}, self.seed),
            precision=check_precision(self.precision),
        )
        run.views.check(run.objective.views)
        run.objective.begin(run)
        file = None
        if self.save_to is not None:
            settings = {"seed": self.seed, "steps": self.steps, "epochs": self.epochs}
            file = Progress(
                self.save_to, run, generator, settings, every=self.save_every
            )
        return Loop(run, sampler, generator, budget, file, self.progress)

    def _make_objective(self) -> Objective:
        given = self.objective
        return given if isinstance(given, Objective) else LossFunction(given)

    def _make_optimiser(self) -> torch.optim.Optimizer:
        if isinstance(self.optimiser, torch.optim.Optimizer):
            return self.optimiser
        weights = [w for w in self.module.parameters() if w.requires_grad]
        if not weights:
            raise InvalidInput(
                "the network has no weight that requires a gradient; there is nothing "
                "to train"
            )
        return (self.optimiser or adam())(weights)
