"""The categorical part of a table: which levels there were, and their codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.tables._columns import factorized, in_order

UNSEEN = ("ignore", "mode", "error")
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class CategoricalColumn:
    """What was learnt of one categorical column.

    Codes 0, 1, ... stand for the levels in order; then, where there is one, the level
    of missing cells; then the level that rare ones were merged into. -1 is unknown.
    """

    name: str
    levels: tuple[Any, ...]
    codes: dict[Any, int]
    missing: int  # code of a missing cell; -1: it has none
    other: int  # code of the merged level; -1: there is none
    unknown: int  # code of a level not seen in training
    shares: NDArray[np.float64]  # of each code in the training rows

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.shares)

    def names(self) -> list[str]:
        """Name each code for people: ``job=full``, ``job is missing``."""
        known = [f"{self.name}={level}" for level in self.levels]
        tail = {self.missing: "is missing", self.other: "is rare"}
        extra = range(len(known), self.size)
        return known + [f"{self.name} {tail[code]}" for code in extra]

    def encode(self, column: pd.Series, *, refuse: bool = False) -> Codes:
        """Give the code of every cell; refuse unseen levels if asked to."""
        codes, keys = factorized(column)
        table = np.array(
            [self.codes.get(key, -2) for key in keys] + [-3], dtype=np.int64
        )
        unseen = table[:-1] == -2
        if refuse and unseen.any():
            used = np.unique(codes[codes >= 0])
            new = [keys[code] for code in used if table[code] == -2]
            if new:
                raise InvalidInput(
                    f"column {self.name!r} holds levels that were not in training: "
                    f"{listing(new)}; fit with them, or choose unseen='ignore'"
                )
        table[:-1][unseen] = self.unknown
        table[-1] = self.missing
        return table[codes]

    def count_unseen(self, column: pd.Series) -> int:
        """Count the cells whose level was not seen in training."""
        codes, keys = factorized(column)
        new = np.array([key not in self.codes for key in keys] + [False])
        return int(new[codes].sum())


def learn_categorical(
    column: pd.Series,
    *,
    missing_level: str | None,
    unseen: str,
    rare: float | None,
    max_levels: int | None,
) -> CategoricalColumn:
    """Learn the levels of one column from training rows; see `TableEncoder`."""
    raw, keys = factorized(column)
    counts: dict[Any, int] = dict.fromkeys(keys, 0)
    for key, count in zip(
        keys, np.bincount(raw[raw >= 0], minlength=len(keys)), strict=True
    ):
        counts[key] += int(count)
    counts = {key: count for key, count in counts.items() if count}
    gaps = int((raw < 0).sum())
    order = _declared_order(column) or in_order
    own = missing_level == "own" and gaps > 0

    kept, merged, gap_is_rare = _frequent(
        counts, gaps if own else 0, len(raw), rare, max_levels, order
    )
    levels = tuple(order(kept))
    codes = {level: code for code, level in enumerate(levels)}
    size = len(levels)
    missing = -1
    if own and not gap_is_rare:
        missing, size = size, size + 1
    other = -1
    if merged or (own and gap_is_rare):
        other, size = size, size + 1
    codes.update(dict.fromkeys(merged, other))
    if own and gap_is_rare:
        missing = other

    tally = np.zeros(size)
    for key, count in counts.items():
        tally[codes[key]] += count
    if missing >= 0:
        tally[missing] += gaps
    # The mode of the levels that are there; ties go to the first.
    of_levels = [counts.get(level, 0) for level in levels] or [0]
    mode = int(np.argmax(of_levels)) if levels else -1
    if missing_level == "mode":
        missing = mode
        if mode >= 0:
            tally[mode] += gaps
    return CategoricalColumn(
        name=str(column.name),
        levels=levels,
        codes=codes,
        missing=missing,
        other=other,
        unknown=mode if unseen == "mode" else other,
        shares=tally / max(len(raw), 1),
    )


def _frequent(
    counts: dict[Any, int],
    gaps: int,
    rows: int,
    rare: float | None,
    max_levels: int | None,
    order: Any,
) -> tuple[list[Any], list[Any], bool]:
    """Part the levels into those kept and those merged; say if the gaps merge too."""
    if rare is None and max_levels is None:
        return list(counts), [], False
    gap = object()  # missing cells compete like any other level, last among equals
    ranked: list[Any] = order(counts)
    size = {**counts, gap: gaps}
    if gaps:
        ranked.append(gap)
    ranked.sort(key=lambda key: -size[key])  # stable: ties stay in level order
    most = len(ranked) if max_levels is None else max_levels
    threshold = (rare or 0.0) * rows
    enough = sum(size[key] >= threshold for key in ranked[:most])
    kept, merged = ranked[:enough], ranked[enough:]
    return (
        [key for key in kept if key is not gap],
        [key for key in merged if key is not gap],
        gap in merged,
    )


def _declared_order(column: pd.Series) -> Any:
    """Give the order that an ordered categorical declares, as a sorting function."""
    dtype = column.dtype
    if not (isinstance(dtype, pd.CategoricalDtype) and dtype.ordered):
        return None
    _, keys = factorized(column)
    place = {key: position for position, key in enumerate(keys)}
    return lambda levels: sorted(levels, key=place.__getitem__)
