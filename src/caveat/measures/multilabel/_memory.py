"""Refuse in advance what would not fit into memory."""

from __future__ import annotations

import psutil

from caveat.exceptions import InvalidInput


def check_fits(n_bytes: float, what: str, instead: str) -> None:
    """Raise if `n_bytes` exceed the memory that is free now.

    Parameters
    ----------
    n_bytes : float
        What the work will need.
    what, instead : str
        What needs it, and what to do about it.

    Examples
    --------
    >>> check_fits(1e18, "this table", "take fewer rows")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: this table would take 1,000,000,000.0 GB ...
    """
    free = psutil.virtual_memory().available
    if n_bytes > free:
        raise InvalidInput(
            f"{what} would take {n_bytes / 1e9:,.1f} GB of memory and "
            f"{free / 1e9:,.1f} GB are free; {instead}"
        )
