"""Which numbers of clusters: from ⌊1/p₀⌋ on, and around every class's own 1/p₀."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caveat.eapp.labelings._several_classes import MOST_JOINT
from caveat.eapp.target._target import Target, Task
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.eapp.folds._fold import FoldResult

# Beyond, clustering takes hours and says nothing: almost every point is a cluster.
MOST_CLUSTERS = 1000


def too_rare(target: Target) -> dict[str, Task]:
    """Find classes whose 1/p₀ asks for too many clusters, by reason.

    Where there is nothing else to judge, an error says so instead.
    """
    rare = {
        f"y: the smaller side of class {str(task.label)!r} has {task.n_min:,} of "
        f"{task.n:,} rows, so 1/p0 asks for {task.k_ceil:,} clusters; EAPP goes to "
        f"{MOST_CLUSTERS:,}": task
        for task in target.tasks
        if task.k_ceil > MOST_CLUSTERS
    }
    if len(rare) == len(target.tasks):
        raise InvalidInput(f"{next(iter(rare))}: sample the larger side down")
    return rare


def cluster_counts(target: Target, k_max: int, rows: int) -> tuple[list[int], str]:
    """Return all k, and what to tell if `k_max` had to be raised or lowered.

    There are never more clusters than training rows, of which there are `rows`.

    Examples
    --------
    >>> target = Target(None, None, [Task(label=1, code=1, n=10, n_positive=4)])
    >>> cluster_counts(target, 4, rows=9)
    ([2, 3, 4], '')
    """
    first = min(task.k_floor for task in target.tasks)
    last = max(task.k_ceil for task in target.tasks)
    around = {k for task in target.tasks for k in (task.k_floor, task.k_ceil)}
    ks = sorted({*range(first, min(k_max, rows) + 1), *around})
    if target.joint:
        if last > MOST_JOINT:
            raise InvalidInput(
                f"multiclass: 1/p0 of the rarest class asks for {last} clusters, and "
                f"'joint' goes to {MOST_JOINT}; use multiclass='rest'"
            )
        ks = [k for k in ks if k <= MOST_JOINT]
    if k_max > max(rows, last):
        return ks, (
            f"k_max: {k_max} is above the number of training rows, {rows}; up to "
            f"{ks[-1]} clusters are made"
        )
    if last <= k_max:
        return ks, ""
    most = max(task.k_star for task in target.tasks)
    return ks, (
        f"k_max: {k_max} is below 1/p0 = {most:.4g}; up to {last} clusters are made"
    )


def gaps_in_words(reasons: Mapping[int, str]) -> list[str]:
    """Say which k have no value, a sentence for every reason.

    Examples
    --------
    >>> gaps_in_words({3: "no", 4: "no", 5: "no", 8: "no"})
    ['k = 3 to 5, 8 have no value: no']
    """
    sentences = []
    for reason in dict.fromkeys(reasons.values()):
        ks = sorted(k for k, why in reasons.items() if why == reason)
        starts = [k for k in ks if k - 1 not in ks]
        stops = [k for k in ks if k + 1 not in ks]
        runs = [
            f"{start}" if start == stop else f"{start} to {stop}"
            for start, stop in zip(starts, stops, strict=True)
        ]
        verb = "has" if len(ks) == 1 else "have"
        sentences.append(f"k = {', '.join(runs)} {verb} no value: {reason}")
    return sentences


def lonely_clusters(folds: Sequence[FoldResult], target: Target) -> list[str]:
    """Say where clusters at 1/p₀ hold next to no rows, as outliers make them.

    Parameters
    ----------
    folds : sequence of FoldResult
    target : Target
    """
    k = max((task.k_ceil for task in target.tasks), default=2)
    found = [fold.clusters[k] for fold in folds if k in fold.clusters]
    sizes = [one.sizes for one in found if one.sizes is not None]
    # A fiftieth of what a cluster holds on average.
    lonely = sum(bool(50 * size.min() <= size.mean()) for size in sizes)
    if 2 * lonely <= len(sizes):
        return []
    return [
        f"X: with {k} clusters, one holds next to no rows in {lonely} of {len(sizes)} "
        "folds: a few rows lie far from all others, so look at the largest and "
        "smallest numbers"
    ]
