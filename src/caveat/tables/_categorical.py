"""The categorical part of a table: which levels there were, and their codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.tables._columns import factorized, in_order, is_mixed

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
    by_text: bool = False  # levels of a column of mixed objects

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
        codes, keys = factorized(column, by_text=self.by_text)
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
        codes, keys = factorized(column, by_text=self.by_text)
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
    counts = level_counts(raw, keys)
    gaps = int((raw < 0).sum())
    own = missing_level == "own" and gaps > 0
    order = _declared_order(column) or in_order

    levels = order(counts)
    merged: list[Any] = []
    gap_is_rare = False
    if rare is not None or max_levels is not None:
        kept, merged, gap_is_rare = _frequent(
            levels, counts, gaps if own else 0, (rare or 0.0) * len(raw), max_levels
        )
        levels = order(kept)
    codes = dict(zip(levels, range(len(levels)), strict=True))
    # The codes after the levels: missing cells first, then what was merged.
    missing = len(levels) if own and not gap_is_rare else -1
    other = len(levels) + (missing >= 0) if merged or gap_is_rare else -1
    codes.update(dict.fromkeys(merged, other))

    of_levels = [counts[level] for level in levels]
    shares = np.zeros(len(levels) + (missing >= 0) + (other >= 0))
    shares[: len(levels)] = of_levels
    if merged:
        shares[other] = sum(counts[key] for key in merged)
    mode = int(np.argmax(of_levels)) if levels else -1  # ties go to the first
    if gap_is_rare:
        missing = other
    elif missing_level == "mode":
        missing = mode
    if missing >= 0:
        shares[missing] += gaps
    return CategoricalColumn(
        name=str(column.name),
        levels=tuple(levels),
        codes=codes,
        missing=missing,
        other=other,
        unknown=mode if unseen == "mode" else other,
        shares=shares / max(len(raw), 1),
        by_text=is_mixed(column),
    )


def level_counts(raw: NDArray[np.intp], keys: list[Any]) -> dict[Any, int]:
    """Count the cells of every level that occurs; equal keys are one level."""
    tally = np.bincount(raw[raw >= 0], minlength=len(keys)).tolist()
    counts = dict(zip(keys, tally, strict=True))
    if len(counts) < len(keys):
        counts = dict.fromkeys(keys, 0)
        for key, count in zip(keys, tally, strict=True):
            counts[key] += count
    return {key: count for key, count in counts.items() if count}


def _frequent(
    levels: list[Any],
    counts: dict[Any, int],
    gaps: int,
    threshold: float,
    max_levels: int | None,
) -> tuple[list[Any], list[Any], bool]:
    """Part the levels into those kept and those merged; say if the gaps merge too."""
    gap = object()  # missing cells compete like any other level, last among equals
    ranked = [*levels, gap] if gaps else list(levels)
    size = {**counts, gap: gaps}
    ranked.sort(key=lambda key: -size[key])  # stable: ties stay in level order
    most = len(ranked) if max_levels is None else max_levels
    enough = sum(size[key] >= threshold for key in ranked[:most])
    kept, merged = ranked[:enough], ranked[enough:]
    return (
        [key for key in kept if key is not gap],
        [key for key in merged if key is not gap],
        any(key is gap for key in merged),
    )


def _declared_order(column: pd.Series) -> Any:
    """Give the order that an ordered categorical declares, as a sorting function."""
    dtype = column.dtype
    if not (isinstance(dtype, pd.CategoricalDtype) and dtype.ordered):
        return None
    _, keys = factorized(column)
    place = {key: position for position, key in enumerate(keys)}
    return lambda levels: sorted(levels, key=place.__getitem__)
