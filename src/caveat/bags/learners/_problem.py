"""A learning problem: items, their bags, and what the bags are known to hold."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.bags.solvers._design import Design, design

Floats = NDArray[np.float64]

# Shares that differ by less are the same share.
SAME_SHARE = 1e-9


class BagProblem:
    """Items in bags, with everything that does not depend on a learner's parameters.

    All of it is computed on first use and kept, so that a grid of configurations pays
    for it once.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_items, n_features)
    bags : ndarray of shape (n_items,)
        Row of `shares` for every item.
    shares : ndarray of shape (n_bags, n_classes)
    """

    def __init__(self, X: Any, bags: NDArray, shares: Floats) -> None:
        self._X = X
        self.bags = bags
        self.shares = shares

    @property
    def X(self) -> Any:
        """The items as given."""
        return self._X

    @cached_property
    def items(self) -> Design:
        """The items, ready for products."""
        return design(self.X)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.bags)

    @cached_property
    def sizes(self) -> NDArray:
        """Items in every bag; a bag may be empty."""
        return np.bincount(self.bags, minlength=len(self.shares))

    @cached_property
    def present(self) -> NDArray:
        """Numbers of the bags that have items."""
        return np.flatnonzero(self.sizes)

    @cached_property
    def means(self) -> Floats:
        """Mean item of every bag that has items, in the order of `present`."""
        sums = self.items.bag_sums(self.bags, len(self.shares))
        return sums[self.present] / self.sizes[self.present, None]

    @cached_property
    def distances(self) -> Floats:
        """Euclidean distance between the means of every two present bags."""
        # A far-away centre would cost digits: distances do not depend on it.
        centred = self.means - self.means.mean(axis=0)
        squares = np.einsum("ij,ij->i", centred, centred)
        gaps = squares[:, None] + squares[None, :] - 2.0 * centred @ centred.T
        np.fill_diagonal(gaps, 0.0)
        return np.sqrt(np.maximum(gaps, 0.0))

    @cached_property
    def members(self) -> list[NDArray]:
        """Rows of the items of every bag, each in ascending order."""
        order = np.argsort(self.bags, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    @cached_property
    def spans_constant(self) -> bool:
        """Whether the columns already hold a constant, as one-hot columns do."""
        return self.items.spans_constant()

    @cached_property
    def same_share(self) -> NDArray[np.bool_]:
        """For every class, whether all bags that have items hold the same share."""
        return np.ptp(self.shares[self.present], axis=0) <= SAME_SHARE

    @cached_property
    def global_shares(self) -> Floats:
        """Share of every class over all items."""
        return self.sizes @ self.shares / self.n_items

    def take(self, rows: NDArray) -> BagProblem:
        """Take some of the items in the same bags; a row may come twice."""
        return _Part(self, rows)


class _Part(BagProblem):
    """Some items of a problem; its arrays are cut from the whole when needed."""

    def __init__(self, whole: BagProblem, rows: NDArray) -> None:
        super().__init__(None, whole.bags[rows], whole.shares)
        self._whole = whole
        self._rows = rows

    @cached_property
    def X(self) -> Any:  # type: ignore[override]
        """The items as given."""
        return self._whole.X[self._rows]

    @cached_property
    def items(self) -> Design:
        """The items, ready for products."""
        return self._whole.items.take(self._rows)

    @cached_property
    def spans_constant(self) -> bool:
        """As for the whole: parts of one search are fitted alike."""
        return self._whole.spans_constant
