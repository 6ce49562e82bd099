"""How long a run may take, and when it is looked at."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from caveat.exceptions import InvalidInput


@dataclass(frozen=True)
class Budget:
    """Updates or epochs, whichever was given, and the checkpoints among them.

    Attributes
    ----------
    steps, epochs : int or None
        One of the two.
    checkpoints : int, collection of int or None
        Every so many, or at these; None means ten times in all for steps, and after
        every epoch for epochs.
    """

    steps: int | None
    epochs: int | None
    checkpoints: int | Collection[int] | None = None

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.epochs is None):
            raise InvalidInput(
                f"the budget is steps={self.steps} and epochs={self.epochs}; "
                "give one of the two"
            )
        if self.size < 1:
            raise InvalidInput(f"the budget is {self.size}; one is the least")
        if isinstance(self.checkpoints, int) and self.checkpoints < 1:
            raise InvalidInput(f"checkpoints is {self.checkpoints}; one is the least")

    @property
    def size(self) -> int:
        """The number that was given."""
        return self.steps if self.steps is not None else self.epochs or 0

    def updates(self, batches_per_epoch: int) -> int:
        """How many updates it amounts to."""
        return self.size if self.steps is not None else self.size * batches_per_epoch

    def is_spent(self, updates: int, epochs: int) -> bool:
        """Tell whether nothing is left."""
        return (updates if self.steps is not None else epochs) >= self.size

    def is_checkpoint(self, updates: int, epochs: int, *, epoch_ended: bool) -> bool:
        """Tell whether a checkpoint is due after this update."""
        if self.steps is None and not epoch_ended:
            return False
        done = updates if self.steps is not None else epochs
        if self.checkpoints is None:
            every = max(1, self.size // 10) if self.steps is not None else 1
            return done % every == 0
        if isinstance(self.checkpoints, int):
            return done % self.checkpoints == 0
        return done in self.checkpoints
