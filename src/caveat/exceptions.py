"""Everything that caveat raises on purpose.

Each message is one sentence: what was wrong, with which value, what to do.
The command line catches `CaveatError` alone; anything else is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class CaveatError(Exception):
    """Root of all errors that a user can cause and mend."""


class InvalidInput(CaveatError, ValueError):
    """An argument, option or table that cannot be used as it is."""


class UnknownName(CaveatError, LookupError):
    """A name that no registry holds.

    Examples
    --------
    >>> raise UnknownName.among("learner", "lm", ["lmm", "em-lr"])
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no learner is called 'lm'; did you mean 'lmm'?
    """

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> UnknownName:
        """Say which name is not known, and which known one is nearest."""
        return cls(f"no {kind} is called {str(name)!r}; {hint(name, known)}")


class MissingExtra(CaveatError, ImportError):
    """A library that the asked-for part needs is not installed."""


class DataError(CaveatError):
    """A data file that cannot be read, fetched or trusted."""


class LedgerError(CaveatError):
    """A ledger that cannot be opened, read or written."""


class DamagedLedger(LedgerError):
    """A ledger whose content is not what was written; the exit code is 1."""


def hint(name: object, known: Iterable[str]) -> str:
    """Name the nearest known names, or list what there is.

    Examples
    --------
    >>> hint("defualt", ["age", "default"])
    "did you mean 'default'?"
    >>> hint("x", ["age", "default"])
    "there are 'age', 'default'"
    """
    names = [str(item) for item in known]
    close = get_close_matches(str(name), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if not names:
        return "there are none"
    return "there are " + listing(names)


def listing(names: Iterable[object], most: int = 8) -> str:
    """Join quoted names, at most `most` of them, then say how many more.

    Examples
    --------
    >>> listing(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    items = [repr(str(item)) for item in names]
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
