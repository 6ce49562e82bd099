"""What a scan finds, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from caveat.audit.scan._single_question import Score
from caveat.pages import SEVERITIES


@dataclass(frozen=True)
class Finding:
    """One thing about a table that its score depends on.

    Attributes
    ----------
    kind : str
        ``leak``, ``pair-leak``, ``missing-leak``, ``row-order``, ``group``,
        ``duplicate``, ``near-duplicate``, ``label-error``, ``conflict``, ``time``,
        ``drift``, ``chance``, ``outlier``, ``imbalance``, ``small`` or ``capture``.
    severity : {"serious", "careful", "note"}
    columns : tuple of str
        The columns it is about; empty where it is about rows.
    rows : tuple of int
        Rows to look at, from 0, the most suspicious first.
    number, low, high : float or None
        The finding's size in `measure` with its 95 % interval, where it has one.
    measure : str
        ``auc``, ``r2``, ``share`` or ``rows``.
    sentence, fix : str
        What was found, and what to do.
    size : float
        Orders findings of the same severity, larger first.
    """

    kind: str
    severity: str
    sentence: str
    fix: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    number: float | None = None
    low: float | None = None
    high: float | None = None
    measure: str = ""
    size: float = 0.0

    @classmethod
    def scored(cls, *, score: Score, **told: Any) -> Self:
        """Make a finding whose number is a score with its interval."""
        return cls(number=score.value, low=score.low, high=score.high, **told)


@dataclass(frozen=True)
class Floor:
    """What is free: the better of the constant answer and the best single column.

    Attributes
    ----------
    value, low, high : float
        In `measure`.
    measure : str
    column : str
        The best column; empty where the constant answer is as good.
    p_value : float
        Share of shuffled targets of which some column told as much. The same shuffles
        were used for every column, so looking at all of them is paid for.
    shuffles : int
    """

    value: float
    low: float
    high: float
    measure: str
    column: str
    p_value: float
    shuffles: int


@dataclass(frozen=True)
class Scan:
    """All that was found, most important first.

    Attributes
    ----------
    findings : tuple of Finding
    columns : DataFrame
        ``column, kind, alone, low, high, null_high, measure, note``: how well each
        column alone tells the target of rows it was not fitted on.
    floor : Floor
    sampled : str
        What was left out of a long or wide table, in words; empty if nothing was.
    """

    findings: tuple[Finding, ...]
    columns: pd.DataFrame
    floor: Floor
    sampled: str = ""


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put the most important first: by severity, then by size."""
    return tuple(
        sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), -one.size))
    )
