"""Which checkpoint is the best so far, and when to give up waiting for a better one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from caveat.exceptions import InvalidInput


@dataclass(frozen=True)
class Best:
    """Rule for the best checkpoint of a run.

    Parameters
    ----------
    score : str, default="loss"
        A name that `evaluate` gives, or "loss": the mean training loss since the
        checkpoint before.
    direction : {"min", "max"}, default="min"
        What is better.
    patience : int or None, default=None
        Stop after so many checkpoints in a row without a better one.
    tolerance : float, default=0.0
        How much better, relative to the best so far, counts as better.
    restore : bool, default=True
        Give the module the weights of the best checkpoint in the end.

    Warnings
    --------
    The best of many noisy checkpoints looks better than it is: judge it on rows that
    did not choose it.

    Examples
    --------
    >>> Best("validation-loss", patience=20).is_better(0.31, 0.35)
    True
    """

    score: str = "loss"
    direction: str = "min"
    patience: int | None = None
    tolerance: float = 0.0
    restore: bool = True

    def __post_init__(self) -> None:
        if self.direction not in ("min", "max"):
            raise InvalidInput(
                f"direction is {self.direction!r}; what is better, 'min' or 'max'?"
            )
        if self.patience is not None and self.patience < 1:
            raise InvalidInput(
                f"patience is {self.patience}; wait for at least 1 checkpoint"
            )

    def is_better(self, value: float, best: float | None) -> bool:
        """Tell whether a score beats the best so far; equal is not better."""
        if math.isnan(value):
            return False
        if best is None:
            return True
        gain = best - value if self.direction == "min" else value - best
        return gain > self.tolerance * abs(best)


@dataclass
class Waiting:
    """The best score so far and how many checkpoints have come since."""

    value: float | None = None
    place: int | None = None
    since: int = 0

    def see(self, rule: Best, value: float, place: int) -> bool:
        """Take a checkpoint's score into account; tell whether it is the best."""
        if rule.is_better(value, self.value):
            self.value, self.place, self.since = value, place, 0
            return True
        self.since += 1
        return False

    def is_over(self, rule: Best) -> bool:
        """Tell whether patience has run out."""
        return rule.patience is not None and self.since >= rule.patience
