"""Views of a batch: what becomes of its rows between the data and the step.

An image is looked at plain, weakly or strongly changed; a table with some of its
columns gone. An objective names the views that it needs, only those are made, and each
is made once for a batch: whoever asks again sees the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from caveat.exceptions import InvalidInput, UnknownName, listing
from caveat.training._sandbox import mixed

View = Callable[[Tensor, torch.Generator], Tensor]
"""Makes a view of rows; all that is random must come from the generator."""

VIEWS = ("plain", "weak", "strong", "distill")


def as_it_is(x: Tensor, generator: torch.Generator) -> Tensor:
    """Give the rows unchanged."""
    return x


@dataclass(frozen=True)
class Views:
    """The views that a run can make.

    Parameters
    ----------
    makers : mapping of str to callable
        For "plain", "weak", "strong" and "distill", as far as they are there:
        ``maker(x, generator)`` gives the view of the rows `x`. Without "plain", rows
        are what they are.
    seed : int, default=0
        Of the run.

    Examples
    --------
    >>> import torch
    >>> def shaken(x, generator):
    ...     return x + torch.randn(x.shape, generator=generator)
    >>> views = Views({"weak": shaken}, seed=1)
    >>> x = torch.zeros(2, 3)
    >>> torch.equal(views.make("weak", x, step=4), views.make("weak", x, step=4))
    True
    >>> torch.equal(views.make("weak", x, step=4), views.make("weak", x, step=5))
    False
    """

    makers: Mapping[str, View] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.makers:
            if name not in VIEWS:
                raise UnknownName.among("view", name, VIEWS)

    def check(self, needed: Collection[str]) -> None:
        """Refuse an objective that needs a view which nobody makes."""
        known = {"plain", *self.makers}
        for name in needed:
            if name not in VIEWS:
                raise UnknownName.among("view", name, VIEWS)
            if name not in known:
                raise InvalidInput(
                    f"the objective needs the view {name!r}, but there are "
                    f"{listing(sorted(known))}; pass views={{{name!r}: ...}}"
                )

    def differ(self, names: Collection[str]) -> bool:
        """Tell whether any of some views is more than the rows as they are."""
        return any(self.makers.get(name, as_it_is) is not as_it_is for name in names)

    def make(self, name: str, x: Tensor, *, step: int, beside: bool = False) -> Tensor:
        """Make a view of the rows of a step; the same step gives the same view.

        Parameters
        ----------
        name : str
        x : tensor
        step : int
            How many updates were made before. A run that is resumed needs no more.
        beside : bool, default=False
            Whether the rows are those of the second batch of the step.
        """
        maker = self.makers.get(name, as_it_is)
        if maker is as_it_is:
            return x
        place = VIEWS.index(name) + len(VIEWS) * beside
        generator = torch.Generator(x.device)
        generator.manual_seed(mixed(self.seed, 2, step, place))
        return maker(x, generator)
