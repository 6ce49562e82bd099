"""The items as learners see them: products, sums per bag, and one smooth loss.

Two kinds of matrix, one face. `sparse` input, and dense input in which almost every
entry is its column's usual value (scaled one-hot columns), are kept as a sparse part
plus an offset; the rest stays dense. Nothing of the caller's is changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from caveat.bags.solvers import _kernels

Floats = NDArray[np.float64]

# A dense matrix is taken apart when at most this share of its entries is unusual.
_MOST_UNUSUAL = 0.25
_SAMPLED_ROWS = 256
_BLOCK = 1000
_MOST_SPANNED = 1000


class Design(ABC):
    """A matrix of items by features."""

    shape: tuple[int, int]

    @abstractmethod
    def take(self, rows: NDArray) -> Design:
        """Take rows, in the order given; a row may come twice."""

    @abstractmethod
    def scores(self, weights: Floats) -> Floats:
        """``X @ weights``."""

    @abstractmethod
    def weighted_sum(self, item_weights: Floats) -> Floats:
        """``X.T @ item_weights``."""

    @abstractmethod
    def bag_sums(self, bags: NDArray, n_bags: int) -> Floats:
        """Sum of the items of each bag, shape (n_bags, features)."""

    @abstractmethod
    def mean_square(self) -> float:
        """Mean of all squared entries."""

    @abstractmethod
    def with_constant(self) -> Design:
        """Add a last feature that is 1 for all items."""

    def spans_constant(self) -> bool:
        """Whether some sum of columns is 1 for all items.

        So it is for one-hot columns on any scale: an intercept adds nothing there.
        Told from a sample of rows; a table of more than a thousand columns, or with
        hardly more rows than columns, counts as one that does not.
        """
        n, d = self.shape
        rows = min(n, 3 * d + 50)
        if d > _MOST_SPANNED or rows < d + 20:
            return False
        places = np.linspace(0, n - 1, rows).astype(np.int64)
        sample = self.take(places).scores(np.eye(d))
        ones = np.ones(rows)
        fitted = sample @ np.linalg.lstsq(sample, ones, rcond=None)[0]
        return bool(np.abs(fitted - ones).max() < 1e-8)

    @abstractmethod
    def gram(self, item_weights: Floats) -> Floats:
        """``X.T @ diag(item_weights) @ X``."""


class SparseDesign(Design):
    """``X = S + 1 c'``: a sparse part and an offset per column."""

    def __init__(self, part: sparse.csr_matrix, offset: Floats) -> None:
        self.part = part
        self.offset = offset
        self.shape = part.shape
        self._arrays = (
            part.indptr.astype(np.uint64),
            part.indices.astype(np.uint32),
            part.data,
        )

    def take(self, rows: NDArray) -> SparseDesign:
        return SparseDesign(self.part[rows], self.offset)

    def scores(self, weights: Floats) -> Floats:
        return self.part @ weights + self.offset @ weights

    def weighted_sum(self, item_weights: Floats) -> Floats:
        rest = np.multiply.outer(self.offset, item_weights.sum(axis=0))
        return self.part.T @ item_weights + rest

    def bag_sums(self, bags: NDArray, n_bags: int) -> Floats:
        sizes = np.bincount(bags, minlength=n_bags)
        sums = np.zeros((n_bags, self.shape[1]))
        _kernels.sparse_bag_sums(*self._arrays, bags.astype(np.uint64), sums)
        return sums + np.outer(sizes, self.offset)

    def mean_square(self) -> float:
        n, d = self.shape
        mixed = 2.0 * float(np.asarray(self.part.sum(axis=0)).ravel() @ self.offset)
        own = n * float(self.offset @ self.offset)
        return (float(self.part.data @ self.part.data) + mixed + own) / (n * d)

    def with_constant(self) -> SparseDesign:
        n, d = self.shape
        part = sparse.csr_matrix(
            (self.part.data, self.part.indices, self.part.indptr), shape=(n, d + 1)
        )
        return SparseDesign(part, np.append(self.offset, 1.0))

    def gram(self, item_weights: Floats) -> Floats:
        upper, sums = _kernels.sparse_gram(*self._arrays, item_weights, self.shape[1])
        gram = upper + np.triu(upper, 1).T
        # (S + 1c')'D(S + 1c') = S'DS + (S'd)c' + c(S'd)' + (sum d) cc'
        mixed = np.outer(sums, self.offset)
        own = item_weights.sum() * np.outer(self.offset, self.offset)
        return gram + mixed + mixed.T + own


class DenseDesign(Design):
    """A plain dense matrix."""

    def __init__(self, X: Floats) -> None:
        self.X = np.ascontiguousarray(X, dtype=np.float64)
        self.shape = X.shape

    def take(self, rows: NDArray) -> DenseDesign:
        return DenseDesign(self.X[rows])

    def scores(self, weights: Floats) -> Floats:
        return self.X @ weights

    def weighted_sum(self, item_weights: Floats) -> Floats:
        return self.X.T @ item_weights

    def bag_sums(self, bags: NDArray, n_bags: int) -> Floats:
        member = sparse.csr_matrix(
            (np.ones(len(bags)), (bags, np.arange(len(bags)))),
            shape=(n_bags, len(bags)),
        )
        return member @ self.X

    def mean_square(self) -> float:
        return float(np.einsum("ij,ij->", self.X, self.X)) / self.X.size

    def with_constant(self) -> DenseDesign:
        return DenseDesign(np.column_stack([self.X, np.ones(len(self.X))]))

    def gram(self, item_weights: Floats) -> Floats:
        gram = np.zeros((self.shape[1],) * 2)
        for rows in self._blocks():
            part = self.X[rows]
            gram += part.T @ (part * item_weights[rows, None])
        return gram

    def _blocks(self) -> list[slice]:
        return [slice(i, i + _BLOCK) for i in range(0, self.shape[0], _BLOCK)]


def design(X: Floats | sparse.spmatrix | sparse.sparray) -> Design:
    """Choose the cheaper kind of matrix for the items.

    Examples
    --------
    >>> import numpy as np
    >>> one_hot = np.eye(10)[np.arange(4000) % 10]
    >>> type(design(2 * one_hot - 1)).__name__
    'SparseDesign'
    >>> type(design(np.random.default_rng(0).normal(size=(4000, 3)))).__name__
    'DenseDesign'
    """
    if sparse.issparse(X):
        part = sparse.csr_matrix(X, dtype=np.float64)
        if not part.has_canonical_format:
            part = part.copy()
            part.sum_duplicates()
        return SparseDesign(part, np.zeros(part.shape[1]))
    n, d = X.shape
    rows = np.unique(np.linspace(0, n - 1, min(n, _SAMPLED_ROWS)).astype(np.int64))
    usual, share = _usual_values(X[rows])
    if d < 4 or 1.0 - share.mean() > _MOST_UNUSUAL:
        return DenseDesign(X)
    parts = []
    for first in range(0, n, _BLOCK):
        difference = X[first : first + _BLOCK] - usual
        if np.count_nonzero(difference) > 2 * _MOST_UNUSUAL * difference.size:
            return DenseDesign(X)
        parts.append(sparse.csr_matrix(difference))
    return SparseDesign(sparse.vstack(parts, format="csr"), usual)


def _usual_values(sample: Floats) -> tuple[Floats, Floats]:
    """Most frequent value of each column, and its share of the rows."""
    n = len(sample)
    ordered = np.sort(sample, axis=0)
    starts = np.ones(ordered.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    usual, share = np.empty(sample.shape[1]), np.empty(sample.shape[1])
    for j in range(sample.shape[1]):
        first = np.flatnonzero(starts[:, j])
        lengths = np.diff(np.append(first, n))
        longest = lengths.argmax()
        usual[j] = ordered[first[longest], j]
        share[j] = lengths[longest] / n
    return usual, share
