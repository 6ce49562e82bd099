"""All faults in all strengths and sizes, one case after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from caveat.exceptions import UnknownName
from caveat.testing.planted._case import Case
from caveat.testing.planted._faults import FAULTS, Fault
from caveat.testing.planted._ground import STRONG, TARGET, ground


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
        fault = FAULTS[name]
        for size in fault.rows:
            for strength in fault.strengths:
                yield _case(name, fault, size, strength, seed)


def stated_strength(name: str) -> float:
    """Return the strength from which on a case must be found.

    Parameters
    ----------
    name : str
        Of a case or a fault.
    """
    fault = next(
        one
        for one in sorted(FAULTS, key=len, reverse=True)
        if name == one or name.startswith(f"{one}-")
    )
    return FAULTS[fault].stated


def _chosen(kinds: Sequence[str] | None) -> list[str]:
    if kinds is None:
        return list(FAULTS)
    known = {*FAULTS, *(fault.kind for fault in FAULTS.values())}
    for one in kinds:
        if one not in known:
            raise UnknownName.among("kind of fault", one, known)
    return [
        name for name, fault in FAULTS.items() if name in kinds or fault.kind in kinds
    ]


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
