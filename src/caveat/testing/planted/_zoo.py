"""All faults in all strengths and sizes, one case after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import UnknownName
from caveat.testing.planted._faults import FAULTS, Fault
from caveat.testing.planted._ground import STRONG, TARGET, ground
from caveat.testing.planted._pictures import write_pictures

CAPTURE = "capture"
_BIASES = {
    "brightness": ("brightness",),
    "border": ("border brightness",),
    "compression": ("bytes per pixel",),
    "width": ("width",),
}


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


def zoo(kinds: Sequence[str] | None = None, *, seed: int = 0) -> Iterator[Case]:
    """Make tables with one planted fault each, and their clean twins.

    Parameters
    ----------
    kinds : sequence of str, optional
        Faults (``noisy-leak``) or kinds of caveats (``leak``); all if not given.
    seed : int
        Another seed makes other tables of the same faults.

    Yields
    ------
    Case

    Warnings
    --------
    What finds every planted fault may miss those of the world: these are the faults
    that somebody thought of.

    Examples
    --------
    >>> case = next(zoo(["binary-leak"]))
    >>> case.name, case.kind, case.columns
    ('binary-leak-400-0.3-0', 'leak', ('closed',))
    >>> case.table.shape == case.twin.shape
    True
    """
    for name in _chosen(kinds):
        if name == CAPTURE:
            yield from _captures(seed)
            continue
        fault = FAULTS[name]
        for size in fault.rows:
            for strength in fault.strengths:
                yield _case(name, fault, size, strength, seed)


def _captures(seed: int) -> Iterator[Case]:
    """Make folders of pictures; they are deleted when the next case is asked for."""
    for number, (bias, columns) in enumerate(_BIASES.items()):
        for strength in (0.3, 1.0):
            rng = np.random.default_rng([seed, 1000 + number, round(100 * strength)])
            with tempfile.TemporaryDirectory() as folder:
                for part, planted in (("spoilt", bias), ("clean", "")):
                    write_pictures(Path(folder) / part, rng, 80, planted, strength)
                yield Case(
                    name=f"{CAPTURE}-{bias}-160-{strength:g}-{seed}",
                    kind=CAPTURE,
                    strength=strength,
                    table=Path(folder) / "spoilt",
                    target="class",
                    columns=columns,
                    twin=Path(folder) / "clean",
                )


def stated_strength(name: str) -> float:
    """Return the strength from which on a case must be found.

    Parameters
    ----------
    name : str
        Of a case or a fault.
    """
    if name.startswith(CAPTURE):
        return 1.0
    fault = next(
        one
        for one in sorted(FAULTS, key=len, reverse=True)
        if name == one or name.startswith(f"{one}-")
    )
    return FAULTS[fault].stated


def _chosen(kinds: Sequence[str] | None) -> list[str]:
    if kinds is None:
        return [*FAULTS, CAPTURE]
    known = {CAPTURE, *FAULTS, *(fault.kind for fault in FAULTS.values())}
    for one in kinds:
        if one not in known:
            raise UnknownName.among("kind of fault", one, known)
    chosen = [
        name for name, fault in FAULTS.items() if name in kinds or fault.kind in kinds
    ]
    return [*chosen, CAPTURE] if CAPTURE in kinds else chosen


def _case(name: str, fault: Fault, size: int, strength: float, seed: int) -> Case:
    number = list(FAULTS).index(name)
    rng = np.random.default_rng([seed, number, size, round(100 * strength)])
    strong = STRONG[(seed + number + size + round(10 * strength)) % len(STRONG)]
    table = ground(rng, size, task=fault.task, strong=strong, clear=fault.clear)
    planted = fault.plant(rng, table, strength)
    return Case(
        name=f"{name}-{size}-{strength:g}-{seed}",
        kind=fault.kind,
        strength=strength,
        table=planted.table,
        target=TARGET,
        options=planted.options,
        columns=planted.columns,
        rows=planted.rows,
        twin=planted.twin,
    )
