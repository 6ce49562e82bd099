"""Which columns are gone: subsets by rank, enumerated or drawn without repetition.

A subset of k of n columns has a rank in lexicographic order, a number from 0 to
C(n, k) - 1. Drawing distinct subsets is drawing distinct ranks, as long as they fit
into 64 bits; where there are more subsets than that, permutations are drawn instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput

Masks = NDArray[np.bool_]

_LARGEST = 2**63 - 1
_BATCH = 64


def unrank(ranks: Sequence[int] | NDArray[np.int64], n: int, k: int) -> Masks:
    """Turn ranks into the subsets of k of n columns that they stand for.

    Parameters
    ----------
    ranks : sequence of int
        Places in the lexicographic order of all subsets, from 0; below 2**63.
    n, k : int
        How many columns there are, and how many of them are gone.

    Returns
    -------
    bool array of shape (n_ranks, n); True means gone.

    Examples
    --------
    The six pairs of four columns; the last is the pair of the last two.

    >>> unrank([0, 5], 4, 2).astype(int)
    array([[1, 1, 0, 0],
           [0, 0, 1, 1]])
    """
    left = np.array(ranks, dtype=np.int64)
    possible = comb(n, k)
    if 2 * k > n and possible <= _LARGEST:
        # The columns that stay come in the opposite order, and there are fewer of them.
        return ~unrank(possible - 1 - left, n, n - k)
    missing = np.full(len(left), k)
    masks = np.zeros((len(left), n), dtype=bool)
    for column in range(n):
        # So many of the subsets that are still possible contain this column. What
        # does not fit into 64 bits is larger than any rank, so the cut does no harm.
        after = n - 1 - column
        counts = [0, *(min(comb(after, size), _LARGEST) for size in range(k))]
        with_it = np.array(counts, dtype=np.int64)[missing]
        masks[:, column] = left < with_it
        left -= np.where(masks[:, column], 0, with_it)
        missing -= masks[:, column]
    return masks


class Subsets:
    """The subsets of k of n columns that a curve averages over.

    All of them in lexicographic order if there are at most `most`, else `most`
    distinct ones, drawn by ``numpy.random.default_rng([seed, k])``: a degree can be
    run again alone, and a smaller `most` takes the first of the same draws.

    Parameters
    ----------
    n, k : int
        How many columns there are, and how many of them are gone.
    most : int
        At most so many subsets.
    seed : int
        Seed of the draws.
    shuffled : bool, default=False
        Whether to enumerate in random order, so that any first part of it is a
        random sample; needed where one may stop early.

    Attributes
    ----------
    possible : int
        C(n, k).

    Examples
    --------
    >>> pairs = Subsets(4, 2, most=10, seed=0)
    >>> len(pairs), pairs.possible, pairs.take(0, 1).astype(int)
    (6, 6, array([[1, 1, 0, 0]]))
    """

    def __init__(
        self, n: int, k: int, *, most: int, seed: int, shuffled: bool = False
    ) -> None:
        self.n = n
        self.k = k
        self.possible = comb(n, k)
        self._size = min(most, self.possible)
        self._rng = np.random.default_rng([seed, k])
        self._drawn: list[Masks] = []
        self._seen: set[object] = set()
        self._ranks: NDArray[np.int64] | None = None
        if self.possible <= most:
            ranks = np.arange(self.possible)
            self._ranks = self._rng.permutation(ranks) if shuffled else ranks

    def __len__(self) -> int:
        return self._size

    def take(self, start: int, stop: int) -> Masks:
        """Return the subsets number `start` to `stop` - 1."""
        if self._ranks is not None:
            return unrank(self._ranks[start:stop], self.n, self.k)
        stop = min(stop, self._size)
        while len(self._drawn) < stop:
            self._draw()
        return np.array(self._drawn[start:stop]).reshape(-1, self.n)

    def _draw(self) -> None:
        # Always a full batch, so that the draws do not depend on how they are taken.
        keys: Iterable[object]
        if self.possible <= _LARGEST:
            ranks = self._rng.integers(self.possible, size=_BATCH)
            keys, masks = ranks.tolist(), unrank(ranks, self.n, self.k)
        else:
            orders = [self._rng.permutation(self.n) for _ in range(_BATCH)]
            masks = np.array([mask_of(order[: self.k], self.n) for order in orders])
            keys = [mask.tobytes() for mask in masks]
        for key, mask in zip(keys, masks, strict=True):
            if key not in self._seen:
                self._seen.add(key)
                self._drawn.append(mask)


class Fixed:
    """A given list of masks, in the place of drawn ones."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self.possible = len(masks)

    def __len__(self) -> int:
        return len(self._masks)

    def take(self, start: int, stop: int) -> Masks:
        """Return the masks number `start` to `stop` - 1."""
        return self._masks[start:stop]


def mask_of(gone: Iterable[int], n: int) -> Masks:
    """Mark the columns with the given numbers.

    Examples
    --------
    >>> mask_of([0, 2], 3)
    array([ True, False,  True])
    """
    mask = np.zeros(n, dtype=bool)
    mask[list(gone)] = True
    return mask


def counts_of(degrees: object, n: int) -> list[int]:
    """Turn degrees into numbers of missing columns.

    Parameters
    ----------
    degrees : None, "all", number, or sequence of numbers
        A whole number is a number of columns; a number with a decimal point, from
        0.0 to 1.0, is a share of them: k = ⌊share · n⌋. None and "all" mean 1 to n.
    n : int
        How many columns there are.

    Returns
    -------
    list of int, ascending, without 0 (which every curve has)

    Examples
    --------
    >>> counts_of([0.3, 2], 4), counts_of(0.5, 11), counts_of(None, 3)
    ([1, 2], [5], [1, 2, 3])
    """
    if degrees is None or (isinstance(degrees, str) and degrees == "all"):
        return list(range(1, n + 1))
    if isinstance(degrees, str):
        raise InvalidInput(
            f"degrees is {degrees!r}; write 'all', numbers of columns, or shares "
            "such as 0.5"
        )
    several = isinstance(degrees, Iterable)
    asked: list[object] = list(degrees) if several else [degrees]  # type: ignore[call-overload]
    counts = {_count_of(degree, n) for degree in asked}
    return sorted(counts - {0})


def _count_of(degree: object, n: int) -> int:
    if isinstance(degree, bool | np.bool_) or not isinstance(
        degree, int | float | np.integer | np.floating
    ):
        raise InvalidInput(
            f"degrees holds {degree!r}; write whole numbers of columns, or shares "
            "such as 0.5"
        )
    if isinstance(degree, int | np.integer):
        if not 0 <= degree <= n:
            raise InvalidInput(
                f"degrees holds {degree}, but no more than {n} can be lost; use 0 to "
                f"{n}, or shares such as 0.5"
            )
        return int(degree)
    if not 0.0 <= degree <= 1.0:
        raise InvalidInput(
            f"degrees holds the share {float(degree):g}; use 0.0 to 1.0, or whole "
            "numbers of columns"
        )
    # The little push mends 0.7 * 10 = 6.999...
    return min(n, int(float(degree) * n + 1e-9))
