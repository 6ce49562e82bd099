"""Means over subsets: in full blocks, and no longer than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput
from caveat.measures import Measure
from caveat.shift.curves._gaps import Z95, spread
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.scenarios._scenarios import Step
from caveat.shift.scenarios._subsets import Masks

CHECK_EVERY = 64
"""With a tolerance, so many subsets are taken between two looks at the interval."""

Score = Callable[[Masks], NDArray[np.float64]]


class _Tally:
    """What has been seen of one step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.parts: list[NDArray[np.float64]] = []
        self.taken = 0

    @property
    def left(self) -> int:
        return len(self.step.masks) - self.taken

    @property
    def values(self) -> NDArray[np.float64]:
        return np.concatenate(self.parts)

    def is_precise(self, tolerance: float | None) -> bool:
        """Whether every measure's 95 % interval is narrower than the tolerance."""
        if tolerance is None or self.taken < CHECK_EVERY:
            return False
        return all(
            Z95 * spread(column, self.step.masks.possible)[1] < tolerance
            for column in self.values.T
        )


@dataclass(frozen=True)
class Measured:
    """One step, measured; each field has one number per measure.

    Attributes
    ----------
    value, sd, se : array (measures,)
        Mean over subsets, standard deviation over subsets, standard error of the mean.
    n_subsets : int
    """

    value: NDArray[np.float64]
    sd: NDArray[np.float64]
    se: NDArray[np.float64]
    n_subsets: int


def measured(values: NDArray[np.float64], possible: int) -> Measured:
    """Summarise an array (subsets, measures)."""
    spreads = np.array([spread(column, possible) for column in values.T])
    return Measured(values.mean(axis=0), spreads[:, 0], spreads[:, 1], len(values))


def averages(
    steps: Sequence[Step],
    score: Score,
    *,
    tolerance: float | None,
    per_block: int,
    progress: Callable[[int, int], None],
) -> list[Measured]:
    """Measure the masks of every step, and stop each step when it is precise enough.

    Parameters
    ----------
    steps : sequence of Step
    score : callable
        Masks to an array (masks, measures).
    tolerance : float or None
        Half width of the 95 % interval at which a step stops.
    per_block : int
        How many masks `score` takes at a time.
    progress : callable
        ``progress(done, total)``.

    Returns
    -------
    list of Measured, one per step.
    """
    tallies = [_Tally(step) for step in steps]
    waiting = list(tallies)
    while waiting:
        # Masks of several steps go together, so that blocks are full and identical
        # rows of different degrees are found.
        chosen, masks, room = [], [], per_block
        for tally in waiting:
            if room <= 0 and tolerance is None:
                break
            count = CHECK_EVERY if tolerance is not None else min(tally.left, room)
            block = tally.step.masks.take(tally.taken, tally.taken + count)
            chosen.append((tally, len(block)))
            masks.append(block)
            room -= len(block)
        stacked = np.concatenate(masks)
        found = np.concatenate(
            [
                score(stacked[start : start + per_block])
                for start in range(0, len(stacked), per_block)
            ]
        )
        start = 0
        for tally, count in chosen:
            tally.parts.append(found[start : start + count])
            tally.taken += count
            start += count
        waiting = [
            tally
            for tally in waiting
            if tally.left > 0 and not tally.is_precise(tolerance)
        ]
        seen = sum(tally.taken for tally in tallies)
        progress(seen, seen + sum(tally.left for tally in waiting))
    return [measured(tally.values, tally.step.masks.possible) for tally in tallies]


_MOST_CELLS = 200_000_000


def pooled(bench: Bench, step: Step, measures: Sequence[Measure]) -> Measured:
    """Measure the rows of all subsets of a step as one table.

    The same as the mean for accuracy, another number for AUC and RMSE. It has no
    standard error over subsets.
    """
    there = bench.at(step)
    rows = np.arange(len(bench.test)) if step.rows is None else step.rows
    count = len(step.masks)
    if count * len(rows) * max(1, bench.target.n_classes) > _MOST_CELLS:
        raise InvalidInput(
            f"aggregate='pooled' would hold {count} x {len(rows)} rows of k = {step.k} "
            "in memory; lower max_subsets"
        )
    per_block = there.evaluator.per_block
    parts = [
        there.answers(step.masks.take(start, start + per_block))[:, rows]
        for start in range(0, count, per_block)
    ]
    answers = np.concatenate(parts)
    truth = np.tile(bench.target.values[rows], count)
    one_table = answers.reshape(1, count * len(rows), *answers.shape[2:])
    value = np.array([measure.block(truth, one_table)[0] for measure in measures])
    unknown = np.full(len(measures), np.nan)
    return Measured(value, unknown, unknown, count)
