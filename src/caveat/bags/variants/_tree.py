"""A regression tree on binned features, made for growing hundreds of them.

Entries in a feature's most frequent bin are never touched, so one-hot columns cost what
their ones cost; and one tree grown to the end answers for every `min_samples_split`.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from caveat.bags.variants import _tree_kernels

Floats = NDArray[np.float64]
Arrays = tuple[NDArray, NDArray, NDArray, NDArray, NDArray, NDArray]

MOST_BINS = 256


class BinnedItems:
    """Features as small whole numbers, ready for trees.

    A feature with few values keeps them all; another is cut at its quantiles.
    """

    def __init__(self, codes: NDArray[np.uint8], widths: NDArray) -> None:
        self.codes = codes
        self.first_bin = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self.usual = np.array(
            [np.bincount(column, minlength=1).argmax() for column in codes],
            dtype=np.int64,
        )
        unusual = codes != self.usual[:, None].astype(np.uint8)
        by_item = sparse.csr_matrix(unusual.T)
        self.indptr = by_item.indptr.astype(np.int64)
        self.features = by_item.indices.astype(np.int32)
        items = np.repeat(np.arange(codes.shape[1]), np.diff(self.indptr))
        values = codes[self.features, items]
        self.bins = (self.first_bin[self.features] + values).astype(np.int32)

    @classmethod
    def of(cls, X: Any, most: int = MOST_BINS) -> BinnedItems:
        """Bin a dense or sparse matrix of items by features, in `most` bins each."""
        codes, widths = [], []
        columns: Any = sparse.csc_matrix(X) if sparse.issparse(X) else np.asarray(X)
        for j in range(columns.shape[1]):
            column = columns[:, [j]]
            flat = column.toarray() if sparse.issparse(X) else column
            code, width = _binned(np.ravel(flat), most)
            codes.append(code)
            widths.append(width)
        shape = (len(codes), columns.shape[0])
        return cls(
            np.array(codes, dtype=np.uint8).reshape(shape), np.array(widths, int)
        )

    @classmethod
    def joined(cls, *parts: BinnedItems) -> BinnedItems:
        """Features of several matrices side by side, about the same items."""
        codes = np.vstack([part.codes for part in parts])
        widths = np.concatenate([np.diff(part.first_bin) for part in parts])
        return cls(codes, widths)

    def arrays(self) -> Arrays:
        """Give the kernels what they read: codes, entries, bins."""
        entries = self.indptr, self.features, self.bins
        return self.codes, *entries, self.first_bin, self.usual

    def orders(self, count: int, rng: np.random.RandomState) -> NDArray:
        """Random orders of the features, a row per tree: who wins among equals."""
        return np.array([rng.permutation(self.n_features) for _ in range(count)])

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.codes.shape[1]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.codes.shape[0]


def tree_errors(
    items: BinnedItems,
    y: Floats,
    train: NDArray,
    test: NDArray,
    min_splits: list[int | float],
    rng: np.random.RandomState,
) -> Floats:
    """Test error of trees that differ in `min_samples_split` only.

    Parameters
    ----------
    items : BinnedItems
    y : ndarray of shape (items, outputs)
    train, test : ndarray
        Row numbers.
    min_splits : list
        Numbers of rows, or shares of the training rows (below 1).
    rng : RandomState
        Puts features in the random order in which equal gains are settled.

    Returns
    -------
    ndarray of shape (len(min_splits), outputs)
        Mean squared error on the test rows.
    """
    absolute = np.array([rows_to_split(m, len(train)) for m in min_splits])
    falling = np.argsort(-absolute, kind="stable")
    (order,) = items.orders(1, rng)
    tree, _ = _tree_kernels.grow(
        *items.arrays(), order, y, np.sort(train), int(absolute.min())
    )
    sums = _tree_kernels.squared_errors(
        items.codes, y, test, *tree, absolute[falling].astype(np.int64)
    )
    errors = np.empty_like(sums)
    errors[falling] = sums / len(test)
    return errors


def boost(
    items: BinnedItems,
    y: Floats,
    train: NDArray,
    test: NDArray,
    min_split: int | float,
    orders: NDArray,
    shrinkage: float,
) -> tuple[Floats, Floats]:
    """Grow several trees, each on what the ones before have left unexplained.

    Parameters
    ----------
    items, y, train, test
        As in `tree_errors`.
    min_split : int or float
        Number of rows, or share of the training rows (below 1).
    orders : ndarray of shape (n_trees, n_features)
        In which equal gains are settled, tree by tree.
    shrinkage : float
        Share of a tree's prediction that counts.

    Returns
    -------
    rest : ndarray of shape (items, outputs)
        What is left of y in the end, at training and test rows.
    errors : ndarray of shape (n_trees, outputs)
        Mean squared error on the test rows after each tree.
    """
    return _tree_kernels.boost(
        *items.arrays(),
        orders,
        y,
        # In their order the items' entries are read one after another from memory.
        np.sort(train),
        test,
        rows_to_split(min_split, len(train)),
        shrinkage,
    )


def rows_to_split(min_split: int | float, n_rows: int) -> int:
    """Fewest rows of a node that is split: a number, or a share of all rows."""
    if isinstance(min_split, float):
        return max(2, ceil(min_split * n_rows))
    return max(2, min_split)


def _binned(column: Floats, most: int) -> tuple[NDArray[np.uint8], int]:
    values, codes = np.unique(column, return_inverse=True)
    if len(values) > most:
        at = np.linspace(0.0, 1.0, most + 1)[1:-1]
        edges = np.unique(np.quantile(column, at, method="lower"))
        codes = np.searchsorted(edges, column, side="left")
    return codes.astype(np.uint8), int(codes.max()) + 1
