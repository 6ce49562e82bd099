"""A second network like the first, with first weights of its own."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeVar

from torch import nn

from caveat.exceptions import InvalidInput

Module = TypeVar("Module", bound=nn.Module)


def fresh_copy(module: Module) -> Module:
    """Copy a network and draw new first weights for it, in its own way.

    Every part draws by its ``reset_parameters``, the inner ones first: a network that
    has such a method itself (because it starts otherwise than its layers would) has
    the last word.

    Parameters
    ----------
    module : torch.nn.Module

    Returns
    -------
    torch.nn.Module

    Examples
    --------
    >>> from torch import nn
    >>> class Zero(nn.Linear):
    ...     def reset_parameters(self):
    ...         nn.init.zeros_(self.weight), nn.init.zeros_(self.bias)
    >>> float(fresh_copy(nn.Sequential(Zero(3, 1)))[0].weight.detach().sum())
    0.0
    """
    twin = deepcopy(module)
    _reset(twin)
    return twin


def _reset(part: nn.Module) -> None:
    for inner in part.children():
        _reset(inner)
    reset: Any = getattr(part, "reset_parameters", None)
    # Torch's attention has the underscore.
    reset = reset or getattr(part, "_reset_parameters", None)
    if reset is not None:
        reset()
    elif next(part.parameters(recurse=False), None) is not None:
        raise InvalidInput(
            f"a {type(part).__name__} has weights of its own but no reset_parameters; "
            "give it that method, so that a copy can start afresh"
        )
