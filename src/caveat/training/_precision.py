"""Half the width for products, where it is asked for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch

from caveat.exceptions import UnknownName

PRECISIONS = ("float32", "bfloat16")


def check_precision(name: str) -> str:
    """Refuse a precision that is none.

    Examples
    --------
    >>> check_precision("float23")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no precision is called 'float23'; did you mean
    'float32'?
    """
    if name not in PRECISIONS:
        raise UnknownName.among("precision", name, PRECISIONS)
    return name


def computing(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Compute in a precision; single needs nothing."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
