"""One table with a planted fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Case:
    """A table, what was planted in it, and how to see that it was found.

    Attributes
    ----------
    name : str
        What was planted, rows, strength and seed: ``noisy-leak-600-0.9-0``.
    kind : str
        Kind of the caveat that names the fault, such as ``leak``.
    strength : float
        From 0 (nothing) to 1 (as strong as it gets).
    table : DataFrame or Path
        Features and target; a folder of pictures, a folder per class, for ``capture``.
    target : str
    options : mapping
        For the scan and the audit: ``groups``, ``time``, ``test`` (a DataFrame).
    columns : tuple of str
        The columns a caveat must name; empty where the fault is in rows.
    rows : tuple of int
        The rows it is in, where it is in some.
    twin : DataFrame, Path or None
        The same table without the fault.
    """

    name: str
    kind: str
    strength: float
    table: pd.DataFrame | Path
    target: str
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    twin: pd.DataFrame | Path | None = None
