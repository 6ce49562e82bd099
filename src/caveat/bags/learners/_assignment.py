"""Labels for items that meet their bags' counts: whole ones, or shares of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from caveat.bags.learners._problem import BagProblem

Floats = NDArray[np.float64]

_SINKHORN_ROUNDS = 1000
_SINKHORN_TOLERANCE = 1e-10
# Below this many items per bag one sort of all is faster than a search in each.
_FEW_PER_BAG = 100


def bag_counts(shares: Floats, sizes: NDArray) -> NDArray:
    """Whole numbers of items per class, ``round(p s)``, that add up to the bag.

    Two classes: the second is rounded (half to even), the first takes the rest. More
    classes: the largest fractions are rounded up.
    """
    wanted = shares * sizes[:, None]
    if shares.shape[1] == 2:
        second = np.rint(wanted[:, 1]).astype(np.int64)
        return np.column_stack([sizes - second, second])
    counts = np.floor(wanted + 1e-9).astype(np.int64)
    fractions = wanted - counts
    missing = sizes - counts.sum(axis=1)
    # Rank of every class by its fraction, larger first, earlier first among equals.
    order = np.argsort(-fractions, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(shares.shape[1])[None, :], axis=1)
    return counts + (rank < missing[:, None])


def hard_labels(problem: BagProblem, log_h: Floats) -> Floats:
    """Most probable labels with the right number of each class in every bag.

    Two classes: exact, by rank. More: greedy, the item that would lose most by
    not getting its best class that still has room comes first; then every two classes
    share their items anew, exactly, until no exchange of two items is a gain.

    Parameters
    ----------
    problem : BagProblem
    log_h : ndarray of shape (n_items, n_classes)
        Log-probabilities, or any scores that rank items.

    Returns
    -------
    ndarray of shape (n_items, n_classes)
        Zeros and a one per row.
    """
    counts = bag_counts(problem.shares, problem.sizes)
    n_classes = log_h.shape[1]
    if n_classes == 2:
        behind = log_h[:, 0] - log_h[:, 1]
        chosen = first_of_bags(problem, behind, counts[:, 1]).astype(np.int64)
    else:
        chosen = np.empty(problem.n_items, dtype=np.int64)
        for bag in problem.present:
            rows = problem.members[bag]
            chosen[rows] = _exchanged(log_h[rows], _greedy(log_h[rows], counts[bag]))
    return np.eye(n_classes)[chosen]


def first_of_bags(
    problem: BagProblem, keys: Floats, counts: NDArray
) -> NDArray[np.bool_]:
    """Tell the items with the smallest keys, as many per bag as `counts` says.

    Items with equal keys are taken in the order of their rows.
    """
    if problem.n_items < _FEW_PER_BAG * len(problem.present):
        order = np.lexsort((keys, problem.bags))
        bags = problem.bags[order]
        first = np.cumsum(problem.sizes) - problem.sizes
        chosen = np.empty(len(order), dtype=bool)
        chosen[order] = np.arange(len(order)) - first[bags] < counts[bags]
        return chosen
    # Large bags need not be sorted: the key of the last item that gets in is enough.
    chosen = np.zeros(problem.n_items, dtype=bool)
    for bag in problem.present:
        rows, count = problem.members[bag], min(counts[bag], problem.sizes[bag])
        if count > 0:
            own = keys[rows]
            last = np.partition(own, count - 1)[count - 1]
            inside = own < last
            inside[np.flatnonzero(own == last)[: count - inside.sum()]] = True
            chosen[rows] = inside
    return chosen


def _greedy(log_h: Floats, counts: NDArray) -> NDArray:
    """Fill the classes of one bag; when a class is full, its rivals queue anew."""
    room = counts.copy()
    chosen = np.full(len(log_h), -1)
    waiting = np.arange(len(log_h))
    while len(waiting):
        open_classes = np.flatnonzero(room)
        scores = log_h[np.ix_(waiting, open_classes)]
        best = scores.argmax(axis=1)
        if len(open_classes) == 1:
            chosen[waiting] = open_classes[0]
            break
        top_two = np.partition(scores, -2, axis=1)[:, -2:]
        # In order of regret, serve until the first class is full.
        order = np.argsort(top_two[:, 0] - top_two[:, 1], kind="stable")
        wanted = best[order]
        turn = np.zeros(len(order), dtype=np.int64)
        for c in range(len(open_classes)):
            mine = wanted == c
            turn[mine] = np.arange(1, mine.sum() + 1)
        full = turn > room[open_classes[wanted]]
        served = len(order) if not full.any() else int(np.argmax(full))
        rows = order[:served]
        chosen[waiting[rows]] = open_classes[wanted[:served]]
        room -= np.bincount(chosen[waiting[rows]], minlength=len(room))
        waiting = np.delete(waiting, rows)
    return chosen


def _exchanged(log_h: Floats, chosen: NDArray) -> NDArray:
    """Let every two classes share their items anew until none of them gains.

    Each round raises the sum of scores, of which there are finitely many.
    """
    chosen = chosen.copy()
    pairs = list(combinations(np.unique(chosen), 2))
    gained = bool(pairs)
    while gained:
        gained = False
        for first, second in pairs:
            rows = np.flatnonzero((chosen == first) | (chosen == second))
            odds = log_h[rows, second] - log_h[rows, first]
            is_second = chosen[rows] == second
            n_second = int(is_second.sum())
            best = np.zeros(len(rows), dtype=bool)
            best[np.argsort(-odds, kind="stable")[:n_second]] = True
            if odds[best].sum() > odds[is_second].sum() + 1e-12 * np.abs(odds).sum():
                chosen[rows] = np.where(best, second, first)
                gained = True
    return chosen


def soft_labels(problem: BagProblem, log_h: Floats, reg: float) -> Floats:
    """Shares of labels by entropic transport: every bag's shares are met exactly.

    Minimises, bag by bag, the cost ``-log h`` minus `reg` times the entropy, over label
    shares whose bag means are the proportions [1]_. Two classes need one number
    per bag, found by bisection; more are found by Sinkhorn's iteration.

    References
    ----------
    .. [1] M. Cuturi (2013). Sinkhorn distances. NeurIPS 26.
    """
    labels = np.empty_like(log_h)
    for bag in problem.present:
        rows = problem.members[bag]
        scaled = log_h[rows] / reg
        if log_h.shape[1] == 2:
            share = problem.shares[bag, 1]
            positive = _shifted(scaled[:, 1] - scaled[:, 0], share)
            labels[rows] = np.column_stack([1.0 - positive, positive])
        else:
            labels[rows] = _sinkhorn(scaled, problem.shares[bag])
    return labels


def _shifted(odds: Floats, share: float) -> Floats:
    """``sigmoid(odds + b)`` with b such that the mean is the share."""
    if share <= 0.0 or share >= 1.0:
        return np.full(len(odds), float(share >= 1.0))
    target = np.log(share) - np.log1p(-share)
    low, high = target - odds.max(), target - odds.min()
    for _ in range(100):
        middle = 0.5 * (low + high)
        if expit(odds + middle).mean() < share:
            low = middle
        else:
            high = middle
    return expit(odds + 0.5 * (low + high))


def _sinkhorn(log_scores: Floats, shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        wanted = np.log(shares) + np.log(len(log_scores))
    lift = np.zeros(len(shares))
    for _ in range(_SINKHORN_ROUNDS):
        rows = logsumexp(log_scores + lift, axis=1, keepdims=True)
        totals = logsumexp(log_scores + lift - rows, axis=0)
        with np.errstate(invalid="ignore"):
            change = np.where(np.isfinite(wanted), wanted - totals, -np.inf)
        lift = lift + change
        if np.abs(np.expm1(change[np.isfinite(wanted)])).max() < _SINKHORN_TOLERANCE:
            break
    rows = logsumexp(log_scores + lift, axis=1, keepdims=True)
    return np.exp(log_scores + lift - rows)
