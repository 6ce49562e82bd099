"""The loop of one run, a step at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from caveat.exceptions import InvalidInput
from caveat.training._batches import Batch, Rows, Sampler
from caveat.training._budget import Budget
from caveat.training._precision import computing
from caveat.training._resume import Progress
from caveat.training._run import Run


class Loop:
    """A run, which rows it takes next, and what follows its steps.

    Parameters
    ----------
    run : Run
    sampler : Sampler
    generator : torch.Generator
        For the order of the rows.
    budget : Budget
    file : Progress or None
        Where the state of the run is kept; the loop goes on from there.
    progress : callable or None
        Gets ``(updates, total)`` after every epoch and checkpoint.
    """

    def __init__(
        self,
        run: Run,
        sampler: Sampler,
        generator: torch.Generator,
        budget: Budget,
        file: Progress | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.run = run
        self.sampler = sampler
        self.generator = generator
        self.budget = budget
        self.file = file
        self.progress = progress
        self._watched = run.evaluate is not None or run.rule is not None
        self._batches: Sequence[Rows] = ()
        self._epoch_start, self._position = generator.get_state(), 0
        if file is not None:
            found = file.load()
            self._epoch_start, self._position = found or (self._epoch_start, 0)

    def turn(self) -> None:
        """Make one update."""
        batch = self.run.batch(self.rows())
        with computing(self.run.precision, self.run.device):
            loss = self.run.objective.step(self.run, batch)
        self.follow(batch, loss)

    def rows(self) -> Rows:
        """Give the numbers of the next rows."""
        if not self._batches:
            self._batches = self.sampler.epoch(self.generator)
            if not self._batches:
                raise InvalidInput("an epoch has no batch; give the sampler more rows")
        return self._batches[self._position]

    def follow(self, batch: Batch, loss: float | Tensor) -> None:
        """Do all that is due after an update."""
        run = self.run
        run.note(loss)
        run.objective.after_step(run, batch)
        run.updates += 1
        self._position += 1
        ended = self._position == len(self._batches)
        if ended:
            run.settle()
            run.end_epoch()
            self._batches, self._position = (), 0
            self._epoch_start = self.generator.get_state()
        if self.budget.is_spent(run.updates, run.epoch):
            run.stop("budget")
        checked = self._watched and (
            bool(run.stopped)
            or self.budget.is_checkpoint(run.updates, run.epoch, epoch_ended=ended)
        )
        if checked or run.stopped:
            run.settle()
        if checked:
            run.checkpoint()
        if self.progress is not None and (ended or checked):
            self.progress(run.updates, run.total)
        if self.file is not None and self.file.is_due(epoch_ended=ended):
            run.settle()
            self.file.save(self._epoch_start, self._position)
