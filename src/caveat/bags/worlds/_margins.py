"""Fitting tables to margins, and to each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, identity, kron, vstack

Floats = NDArray[np.float64]


def fit_margins(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Scale the rows and columns of a table until both margins hold.

    Iterative proportional fitting; the margins must have the same total. Where no
    scaling meets both, the rows win.
    """
    fitted = np.array(table, dtype=np.float64)
    for _ in range(10_000):
        totals = fitted.sum(axis=0)
        fitted *= np.divide(columns, totals, out=np.ones_like(totals), where=totals > 0)
        totals = fitted.sum(axis=1)
        fitted *= np.divide(rows, totals, out=np.ones_like(totals), where=totals > 0)[
            :, None
        ]
        if np.allclose(fitted.sum(axis=0), columns, rtol=1e-12, atol=1e-14):
            break
    return fitted


def proportional_fit(
    start: Floats,
    margins: Sequence[tuple[Floats, tuple[int, ...]]],
    *,
    tolerance: float = 1e-5,
    stall: float = 1e-8,
    most: int = 1000,
) -> tuple[Floats, float]:
    """Fit a table with any number of axes to margins, proportionally.

    Parameters
    ----------
    start : ndarray
    margins : sequence of (target, axes)
        Targets in the order in which one sweep meets them, each with the axes it
        keeps. An empty slice is left alone.
    tolerance, stall : float
        Stop when no margin is off by more than this share, or when the largest such
        share changes by less than `stall` in a sweep.
    most : int
        Most sweeps after the first.

    Returns
    -------
    table : ndarray
    off : float
        Largest relative error of a margin at the end.
    """
    table = np.array(start, dtype=np.float64)
    off = np.inf
    for _ in range(most + 1):
        before = off
        for target, axes in margins:
            current = _margin(table, axes)
            ratio = np.divide(
                target, current, out=np.ones_like(current), where=current != 0
            )
            table *= _spread(ratio, axes, table.ndim)
        off = max(_relative_error(table, target, axes) for target, axes in margins)
        if off <= tolerance or abs(off - before) <= stall:
            break
    return table, off


def closest_mixture(counts: Floats, wanted: Floats) -> Floats:
    """Row-stochastic A that minimises ``|wanted - counts A|`` (Frobenius).

    Accelerated projected gradient from the uniform start, with the Euclidean projection
    of every row on the simplex, so the answer is the same every time.

    Parameters
    ----------
    counts : ndarray of shape (C, Q)
    wanted : ndarray of shape (C, L)

    Returns
    -------
    ndarray of shape (Q, L)
    """
    gram = counts.T @ counts
    target = counts.T @ wanted
    step = 1.0 / max(float(np.linalg.norm(gram, 2)), 1e-300)
    A = np.full((counts.shape[1], wanted.shape[1]), 1.0 / wanted.shape[1])
    ahead, momentum = A, 1.0
    value = np.inf
    for _ in range(20_000):
        new = project_rows(ahead - step * (gram @ ahead - target))
        now = float(((wanted - counts @ new) ** 2).sum())
        if now > value:
            # The momentum overshot: start it anew from the best point.
            ahead, momentum = A, 1.0
            new = project_rows(A - step * (gram @ A - target))
            now = float(((wanted - counts @ new) ** 2).sum())
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
        ahead = new + (momentum - 1.0) / faster * (new - A)
        small = value - now <= 1e-12 * max(now, 1e-300)
        A, value, momentum = new, now, faster
        if small:
            break
    return A


def project_rows(points: Floats) -> Floats:
    """Euclidean projection of every row on the probability simplex [1]_.

    References
    ----------
    .. [1] J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra (2008). Efficient
       projections onto the l1-ball. ICML 25.
    """
    ordered = np.sort(points, axis=1)[:, ::-1]
    excess = np.cumsum(ordered, axis=1) - 1.0
    place = np.arange(1, points.shape[1] + 1)
    last = (ordered * place > excess).sum(axis=1)
    cut = excess[np.arange(len(points)), last - 1] / last
    return np.maximum(points - cut[:, None], 0.0)


def controlled_rounding(table: Floats, rows: NDArray, columns: NDArray) -> NDArray:
    """Whole numbers next to a table's entries, with whole margins met exactly.

    Such a rounding exists whenever the table has these margins (up to rounding),
    because a transport problem with whole margins has whole corners.

    Parameters
    ----------
    table : ndarray of shape (R, K)
    rows, columns : ndarray of whole numbers
        Margins, with the same total.
    """
    low = np.floor(table + 1e-9).astype(np.int64)
    fraction = np.clip(table - low, 0.0, 1.0)
    open_rows = rows - low.sum(axis=1)
    open_columns = columns - low.sum(axis=0)
    if not open_rows.any() and not open_columns.any():
        return low
    n_rows, n_columns = table.shape
    by_row = kron(identity(n_rows), np.ones((1, n_columns)))
    by_column = kron(np.ones((1, n_rows)), identity(n_columns))
    # Zero cells stay zero. If that leaves no answer, let every cell move.
    for most in (np.where(table > 0, 1.0, 0.0), None):
        top = most.ravel() if most is not None else np.full(table.size, np.inf)
        least = np.zeros(table.size) if most is not None else -low.ravel()
        found = linprog(
            -fraction.ravel() if most is not None else (low - table).ravel(),
            A_eq=csr_matrix(vstack([by_row, by_column])),
            b_eq=np.concatenate([open_rows, open_columns]),
            bounds=np.column_stack([least, top]),
            method="highs-ds",
        )
        if found.status == 0:
            break
    return low + np.rint(found.x).astype(np.int64).reshape(table.shape)


def _margin(table: Floats, axes: tuple[int, ...]) -> Floats:
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return table.sum(axis=others)


def _spread(values: Floats, axes: tuple[int, ...], ndim: int) -> Floats:
    shape = [1] * ndim
    for axis, size in zip(axes, values.shape, strict=True):
        shape[axis] = size
    return values.reshape(shape)


def _relative_error(table: Floats, target: Floats, axes: tuple[int, ...]) -> float:
    current = _margin(table, axes)
    known = target != 0
    if not known.any():
        return 0.0
    return float(np.abs(current[known] / target[known] - 1.0).max())
