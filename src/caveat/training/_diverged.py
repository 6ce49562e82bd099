"""What is raised when training leaves the finite numbers."""

from __future__ import annotations

from caveat.exceptions import CaveatError


class Diverged(CaveatError):
    """A loss or a weight is no longer finite.

    A run that diverged has no result: the largest of a row of NaNs is always the
    first class, and would be scored as if it had been predicted.

    Attributes
    ----------
    step : int
        How many updates had been made.

    Examples
    --------
    >>> raise Diverged("the loss is nan", step=17)
    Traceback (most recent call last):
    ...
    caveat.training._diverged.Diverged: the loss is nan after 17 updates; lower the
    learning rate or clip the gradient
    """

    def __init__(self, what: str, *, step: int) -> None:
        super().__init__(
            f"{what} after {step} updates; lower the learning rate or clip the gradient"
        )
        self.step = step
