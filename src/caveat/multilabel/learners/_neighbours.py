"""Exact nearest neighbours, ties to the lowest row number.

Binary features make many equal distances, so the order among them must not
depend on rounding or on block sizes. Distances are first estimated by a matrix
product, then the candidates that rounding leaves open are measured exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from caveat.multilabel._arrays import FloatArray, IntArray

BLOCK_ENTRIES = 2**22
THIN = 0.05
"""Dense rows with a smaller share of entries than this are searched as sparse ones."""


class NearestRows:
    """The training rows, ready to be searched.

    Parameters
    ----------
    X : array or CSR array of shape (m, d)
        Training rows.
    """

    def __init__(self, X: Any) -> None:
        self.X = _canonical(X)
        if not sparse.issparse(self.X) and np.count_nonzero(self.X) < THIN * X.size:
            self.X = sparse.csr_array(self.X)
        self._squares = _row_squares(self.X)
        self._whole = _whole_numbers(self.X)

    def nearest(self, Q: Any, k: int, *, skip_self: bool = False) -> IntArray:
        """Return the k nearest training rows of every row of Q, nearest first.

        Parameters
        ----------
        Q : array or CSR array of shape (n, d)
            Rows to look up.
        k : int
            How many; at most m, or m - 1 with `skip_self`.
        skip_self : bool, default=False
            Q is the training set itself: row i is not its own neighbour.
        """
        Q = _canonical(Q)
        if sparse.issparse(self.X) and not sparse.issparse(Q):
            Q = sparse.csr_array(Q)
        squares = _row_squares(Q)
        found = np.empty((Q.shape[0], k), dtype=np.int64)
        step = max(1, BLOCK_ENTRIES // self.X.shape[0])
        transposed = self.X.T
        whole = self._whole and _whole_numbers(Q)
        for start in range(0, Q.shape[0], step):
            part = slice(start, min(start + step, Q.shape[0]))
            product = Q[part] @ transposed
            if sparse.issparse(product):
                product = product.toarray()
            rough = squares[part, None] + self._squares[None, :] - 2.0 * product
            if skip_self:
                rough[np.arange(len(rough)), np.arange(part.start, part.stop)] = np.inf
            # An inner product of length d is off by at most about d ε |q| |x|.
            slack = (
                4.0
                * np.finfo(float).eps
                * (self.X.shape[1] + 4)
                * (squares[part] + self._squares.max())
            )
            limit = np.partition(rough, k - 1, axis=1)[:, k - 1] + slack
            rows, candidates = np.nonzero(rough <= limit[:, None])
            if whole:
                exact = rough[rows, candidates]
            else:
                exact = self._distances(Q, rows + part.start, candidates)
            order = np.lexsort((candidates, exact, rows))
            first = np.searchsorted(rows, np.arange(len(rough)))
            found[part] = candidates[order][first[:, None] + np.arange(k)]
        return found

    def _distances(self, Q: Any, rows: IntArray, candidates: IntArray) -> FloatArray:
        out = np.empty(len(rows))
        if sparse.issparse(self.X):
            _sparse_distances(
                Q.data, _long(Q.indices), _long(Q.indptr),
                self.X.data, _long(self.X.indices), _long(self.X.indptr),
                rows, candidates, out,
            )  # fmt: skip
        else:
            _dense_distances(_dense(Q), self.X, rows, candidates, out)
        return out


def _canonical(X: Any) -> Any:
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    plain = sparse.csr_array(X, dtype=np.float64)
    if not plain.has_canonical_format:
        plain = plain.copy()
        plain.sum_duplicates()
    return plain


def _row_squares(X: Any) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def _whole_numbers(X: Any) -> bool:
    """Whether sums of products of the entries are exact: small whole numbers."""
    data = X.data if sparse.issparse(X) else X
    most = np.abs(data).max(initial=0.0)
    return bool(X.shape[1] * most * most < 2**50 and (data == np.rint(data)).all())


def _dense(X: Any) -> FloatArray:
    return X.toarray() if sparse.issparse(X) else X


def _long(array: Any) -> IntArray:
    return array.astype(np.int64)


@njit(cache=True, nogil=True)
def _dense_distances(
    Q: FloatArray, X: FloatArray, rows: IntArray, candidates: IntArray, out: FloatArray
) -> None:
    for n in range(len(rows)):
        total = 0.0
        for k in range(Q.shape[1]):
            gap = Q[rows[n], k] - X[candidates[n], k]
            total += gap * gap
        out[n] = total


@njit(cache=True, nogil=True)
def _sparse_distances(
    q_data: FloatArray,
    q_columns: IntArray,
    q_ends: IntArray,
    x_data: FloatArray,
    x_columns: IntArray,
    x_ends: IntArray,
    rows: IntArray,
    candidates: IntArray,
    out: FloatArray,
) -> None:
    # Two sorted lists of columns are merged: who lags behind counts against 0.
    for n in range(len(rows)):
        a, a_end = q_ends[rows[n]], q_ends[rows[n] + 1]
        b, b_end = x_ends[candidates[n]], x_ends[candidates[n] + 1]
        total = 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and q_columns[a] < x_columns[b]):
                gap = q_data[a]
                a += 1
            elif a == a_end or x_columns[b] < q_columns[a]:
                gap = x_data[b]
                b += 1
            else:
                gap = q_data[a] - x_data[b]
                a += 1
                b += 1
            total += gap * gap
        out[n] = total
