"""The choices that a measure's formula leaves open, and the warnings about them.

Ties
    ``half`` gives the expected value under random tie-breaking, ``paper`` reads
    Table 1 of Wu & Zhou (2017) literally, ``sklearn`` does as scikit-learn does.
Degenerate rows and labels
    ``skip`` leaves out what has nothing to compare, ``sklearn`` counts it as
    scikit-learn does, ``authors`` as the published LIMO code does.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Literal, NamedTuple

from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures.registry import LABEL_MEASURES

Ties = Literal["half", "paper", "sklearn"]
Degenerate = Literal["skip", "sklearn", "authors"]
ZeroDivision = float | Literal["skip"]

TIES: tuple[Ties, ...] = ("half", "paper", "sklearn")
DEGENERATE: tuple[Degenerate, ...] = ("skip", "sklearn", "authors")


class Conventions(NamedTuple):
    """The choices, checked."""

    ties: Ties = "half"
    zero_division: ZeroDivision = 0.0
    degenerate: Degenerate = "skip"

    @classmethod
    def of(cls, ties: str, zero_division: object, degenerate: str) -> Conventions:
        """Check what a caller asked for."""
        return cls(
            check_ties(ties),
            check_zero_division(zero_division),
            check_degenerate(degenerate),
        )


class TieWarning(UserWarning):
    """Relevant and irrelevant entries share a score: the tie rule decides."""


class DegenerateWarning(UserWarning):
    """Rows or labels with nothing to compare, or a measure that is not defined."""


def check_ties(ties: str) -> Ties:
    """Return a known tie rule, or say which there are."""
    if ties not in TIES:
        raise UnknownName.among("tie rule", ties, TIES)
    return ties


def check_degenerate(degenerate: str) -> Degenerate:
    """Return a known rule for degenerate rows and labels."""
    if degenerate not in DEGENERATE:
        raise UnknownName.among("rule for degenerate rows", degenerate, DEGENERATE)
    return degenerate


def check_zero_division(zero_division: object) -> ZeroDivision:
    """Return what 0/0 counts as in an F-measure: a number in [0, 1], or 'skip'."""
    if zero_division == "skip":
        return "skip"
    if isinstance(zero_division, bool) or not isinstance(zero_division, Real):
        raise InvalidInput(
            f"zero_division is {zero_division!r}; pass 0.0, 1.0 or 'skip'"
        )
    value = float(zero_division)
    if not 0 <= value <= 1:
        raise InvalidInput(
            f"zero_division is {value}; pass a number from 0 to 1, or 'skip'"
        )
    return value


def check_measures(
    measures: Iterable[str] | None, *, scores: bool, decisions: bool
) -> tuple[str, ...]:
    """Return the measures to compute: those asked for, or all that can be.

    Parameters
    ----------
    measures : iterable of str or None
        What was asked for; hyphens are read as underscores.
    scores, decisions : bool
        Which inputs are there.
    """
    there = {"scores": scores, "decisions": decisions}
    if measures is None:
        return tuple(name for name, row in LABEL_MEASURES.items() if there[row.needs])
    if isinstance(measures, str):
        measures = [measures]
    chosen = []
    for item in measures:
        name = str(item).replace("-", "_")
        needs = LABEL_MEASURES[name].needs
        if not there[needs]:
            raise InvalidInput(
                f"{name} needs {needs}, which were not given; "
                f"pass {needs}= or leave {name} out"
            )
        chosen.append(name)
    if not chosen:
        raise InvalidInput("measures is empty; name at least one, or pass None for all")
    return tuple(dict.fromkeys(chosen))
