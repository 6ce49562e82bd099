"""Training and validation parts when labels are known per bag only.

*Full-bag* strategies keep bags whole; *split-bag* ones cut every bag, so both parts
know all bags. Proportions are those of the whole training set in either part: labels of
the parts are not known, so they cannot be counted anew.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from caveat.bags._params import check_number, check_whole
from caveat.bags._shares import check_shares, same_index
from caveat.exceptions import InvalidInput, listing

Floats = NDArray[np.float64]
Split = tuple[NDArray, NDArray]


class BagSplitter(BaseCrossValidator):
    """Base of the splitters: checks bags, shuffles the rows it hands out.

    A splitter of scikit-learn: bags are its groups. With metadata routing on it asks
    for ``groups``, and for ``proportions`` where those are passed along.
    """

    n_splits: int
    random_state: Any

    # With these scikit-learn hands both over without being told.
    __metadata_request__split: ClassVar[dict[str, bool]] = {
        "groups": True,
        "proportions": True,
    }

    def split(
        self, X: Any, y: Any = None, groups: Any = None, proportions: Any = None
    ) -> Iterator[Split]:
        """Yield row numbers of training and validation parts.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or None
            Only its number of rows counts, and its index if it is a DataFrame.
        y : object
            Never read.
        groups : array-like of shape (n_items,)
            The bag of every item: any ids, or keys or row numbers of `proportions`.
        proportions : array-like, dict, Series or DataFrame, optional
            One row per bag, the whole table. Folds of whole bags are balanced by it,
            or else by size alone; the other splitters need it for nothing.

        Yields
        ------
        train, validation : ndarray
        """
        if groups is None:
            raise InvalidInput(
                "groups: found none; pass the bag of every item as groups=bags"
            )
        n_items = len(groups) if X is None else _n_rows(X)
        if proportions is None:
            numbers, n_bags = _numbered(X, groups, n_items)
            shares = np.full((n_bags, 2), 0.5)
        else:
            numbers, shares, _ = check_shares(X, n_items, groups, proportions)
        rng = check_random_state(self.random_state)
        for train, validation in self._split(numbers, shares, rng):
            yield rng.permutation(train), rng.permutation(validation)

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Any = None, proportions: Any = None
    ) -> int:
        """Tell the number of splits."""
        return self.n_splits

    @classmethod
    def obstacle(cls, sizes: NDArray, n_splits: int) -> str:
        """Say what bags of these sizes lack; empty if they can be split."""
        return "" if sizes.max() > 1 else "needs a bag of 2 items, the largest has 1"

    @classmethod
    def possible_splits(cls, sizes: NDArray, n_splits: int) -> int:
        """Give how many of the splits asked for bags of these sizes allow."""
        return n_splits

    @abstractmethod
    def _split(
        self, bags: NDArray, shares: Floats, rng: RandomState
    ) -> Iterator[Split]:
        """Rows of both parts, in any order."""

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class FullBagKFold(BagSplitter):
    """Folds of whole bags, about equal in items and in class shares.

    The smallest fold takes the next bag, drawn so that its share of positives moves
    towards that of all items.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at most that of bags.
    random_state : int, RandomState or None, default=None

    Warnings
    --------
    Validation bags are bags that training never saw: with few bags, or bags that
    differ much, it judges how the model carries over to other bags, not how
    well it labels items of these.

    References
    ----------
    .. [1] J. Hernández-González (2019). A framework for evaluation in learning from
       label proportions. Progress in Artificial Intelligence 8.

    Examples
    --------
    >>> from caveat.bags import FullBagKFold
    >>> bags, shares = [0, 0, 1, 1, 2, 2], [0.0, 0.5, 1.0]
    >>> folds = FullBagKFold(3, random_state=0).split(None, None, bags, shares)
    >>> sorted(sorted(validation.tolist()) for _, validation in folds)
    [[0, 1], [2, 3], [4, 5]]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        self.n_splits = check_whole("n_splits", n_splits, least=2)
        self.random_state = random_state

    @classmethod
    def obstacle(cls, sizes: NDArray, n_splits: int) -> str:
        """Say what bags of these sizes lack; empty if they can be split."""
        return "" if len(sizes) > 1 else "needs 2 bags, there is 1"

    @classmethod
    def possible_splits(cls, sizes: NDArray, n_splits: int) -> int:
        """Give how many of the splits asked for bags of these sizes allow."""
        return min(n_splits, len(sizes))

    def _split(
        self, bags: NDArray, shares: Floats, rng: RandomState
    ) -> Iterator[Split]:
        sizes = np.bincount(bags, minlength=len(shares))
        present = np.flatnonzero(sizes)
        if self.n_splits > len(present):
            raise InvalidInput(
                f"n_splits: found {self.n_splits} folds for {len(present)} bags; whole "
                "bags need as many bags as folds (a split-bag strategy does not)"
            )
        if shares.shape[1] == 2:
            fold_of = self._two_classes(sizes, shares[:, 1], present, rng)
        else:
            fold_of = self._more_classes(sizes, shares, present, rng)
        for fold in range(self.n_splits):
            inside = fold_of[bags] == fold
            if inside.any():
                yield np.flatnonzero(~inside), np.flatnonzero(inside)

    def _two_classes(
        self, sizes: NDArray, p: Floats, present: NDArray, rng: RandomState
    ) -> NDArray:
        positives = np.rint(sizes * p)
        negatives = sizes - positives
        overall = float(sizes @ p) / sizes.sum()
        fold_of = np.full(len(sizes), -1)
        items, plus = np.zeros(self.n_splits), np.zeros(self.n_splits)
        left = list(present)
        while left:
            fold = int(items.argmin())
            share = plus[fold] / items[fold] if items[fold] else 0.0
            lacking = self._lacks(share, overall)
            weights = (positives if lacking else negatives)[left] ** 2
            if not weights.any():
                weights = (negatives if lacking else positives)[left] ** 2
            bag = left.pop(rng.choice(len(left), p=weights / weights.sum()))
            fold_of[bag] = fold
            items[fold] += sizes[bag]
            plus[fold] += positives[bag]
        return fold_of

    def _lacks(self, share: float, overall: float) -> bool:
        """Whether a fold with this share of positives should get more of them."""
        return share <= overall

    def _more_classes(
        self, sizes: NDArray, shares: Floats, present: NDArray, rng: RandomState
    ) -> NDArray:
        counts = sizes[:, None] * shares
        overall = counts.sum(axis=0) / sizes.sum()
        fold_of = np.full(len(sizes), -1)
        content = np.zeros((self.n_splits, shares.shape[1]))
        left = list(present)
        while left:
            fold = int(content.sum(axis=1).argmin())
            after = content[fold] + counts[left]
            gap = np.linalg.norm(
                after / after.sum(axis=1, keepdims=True) - overall, axis=1
            )
            weights = np.exp(-gap)
            bag = left.pop(rng.choice(len(left), p=weights / weights.sum()))
            fold_of[bag] = fold
            content[fold] += counts[bag]
        return fold_of


class SplitBagKFold(BagSplitter):
    """Every bag is cut into k parts; each part is validation once.

    Parameters
    ----------
    n_splits : int, default=5
        Number of parts, at most the items of the smallest bag.
    random_state : int, RandomState or None, default=None

    Warnings
    --------
    Both parts use the proportions of whole bags; in small bags those of a part differ.

    References
    ----------
    .. [1] G. Franco, M. Crovella, G. Comarela (2023). Dependence and model selection
       in LLP: the problem of variants. KDD 29.

    Examples
    --------
    >>> from caveat.bags import SplitBagKFold
    >>> folds = SplitBagKFold(2, random_state=0).split(None, groups=[0, 0, 1, 1])
    >>> [sorted(validation.tolist()) for _, validation in folds]
    [[1, 2], [0, 3]]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        self.n_splits = check_whole("n_splits", n_splits, least=2)
        self.random_state = random_state

    @classmethod
    def obstacle(cls, sizes: NDArray, n_splits: int) -> str:
        """Say what bags of these sizes lack; empty if they can be split."""
        smallest = int(sizes.min())
        if smallest >= n_splits:
            return ""
        return f"needs {n_splits} items in every bag, one has {smallest}"

    def _split(
        self, bags: NDArray, shares: Floats, rng: RandomState
    ) -> Iterator[Split]:
        members = _members(bags, len(shares))
        small = [
            bag for bag, rows in enumerate(members) if 0 < len(rows) < self.n_splits
        ]
        if small:
            raise InvalidInput(
                f"n_splits: found {self.n_splits} parts, but bag {listing(small, 5)} "
                "has fewer items; use fewer parts or split-bag-shuffle"
            )
        for fold, shuffled in enumerate(self._shuffles(members, rng)):
            # The first parts get an item more where a bag does not go even.
            parts = [np.array_split(rows, self.n_splits) for rows in shuffled]
            validation = np.concatenate([part[fold] for part in parts])
            yield _rest(len(bags), validation), validation

    def _shuffles(
        self, members: list[NDArray], rng: RandomState
    ) -> Iterator[list[NDArray]]:
        """Give the items of every bag, in the order that each fold cuts."""
        shuffled = [rng.permutation(rows) for rows in members]
        return repeat(shuffled, self.n_splits)


class SplitBagShuffle(BagSplitter):
    """Random halves (or other shares) of every bag, again and again.

    Parameters
    ----------
    n_splits : int, default=5
    validation_size : float or array-like of shape (n_bags,), default=0.5
        Share of a bag's items for validation, rounded half to even; at least one
        item of every bag stays in training.
    random_state : int, RandomState or None, default=None

    Warnings
    --------
    Both parts use the proportions of whole bags; in small bags those of a part differ.
    Splits overlap, so their scores are not independent.

    References
    ----------
    .. [1] G. Franco, M. Crovella, G. Comarela (2023). Dependence and model selection
       in LLP: the problem of variants. KDD 29.

    Examples
    --------
    >>> from caveat.bags import SplitBagShuffle
    >>> splits = SplitBagShuffle(1).split(None, groups=[0, 0, 1, 1])
    >>> [(len(train), len(validation)) for train, validation in splits]
    [(2, 2)]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        validation_size: float | ArrayLike = 0.5,
        random_state: Any = None,
    ) -> None:
        self.n_splits = check_whole("n_splits", n_splits, least=1)
        self.validation_size = validation_size
        self.random_state = random_state

    def _split(
        self, bags: NDArray, shares: Floats, rng: RandomState
    ) -> Iterator[Split]:
        members = _members(bags, len(shares))
        held_out = _held_out(self.validation_size, [len(rows) for rows in members])
        for _ in range(self.n_splits):
            shuffled = [rng.permutation(rows) for rows in members]
            pairs = list(zip(shuffled, held_out, strict=True))
            yield (
                np.concatenate([rows[count:] for rows, count in pairs]),
                np.concatenate([rows[:count] for rows, count in pairs]),
            )


class SplitBagBootstrap(BagSplitter):
    """Validation and training drawn with replacement from every bag.

    Parameters
    ----------
    n_splits : int, default=5
    validation_size : float or array-like of shape (n_bags,), default=0.5
        Share of a bag's items for validation; training gets as many draws
        as remain, at least one.
    disjoint : bool, default=False
        Draw a whole bootstrap for training and validate on the items it missed. By
        default both parts are drawn from the whole bag, as published, and may
        share items.
    random_state : int, RandomState or None, default=None

    Warnings
    --------
    Unless `disjoint`, about a third of the validation draws are items of the
    training part: scores flatter.

    References
    ----------
    .. [1] G. Franco, M. Crovella, G. Comarela (2023). Dependence and model selection
       in LLP: the problem of variants. KDD 29.

    Examples
    --------
    >>> from caveat.bags import SplitBagBootstrap
    >>> splits = SplitBagBootstrap(1, random_state=0).split(None, groups=[0] * 4)
    >>> [(len(train), len(validation)) for train, validation in splits]
    [(2, 2)]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        validation_size: float | ArrayLike = 0.5,
        disjoint: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_splits = check_whole("n_splits", n_splits, least=1)
        self.validation_size = validation_size
        self.disjoint = disjoint
        self.random_state = random_state

    def _split(
        self, bags: NDArray, shares: Floats, rng: RandomState
    ) -> Iterator[Split]:
        members = _members(bags, len(shares))
        held_out = _held_out(self.validation_size, [len(rows) for rows in members])
        for _ in range(self.n_splits):
            train, validation = [], []
            for rows, count in zip(members, held_out, strict=True):
                if self.disjoint:
                    drawn = rng.choice(rows, len(rows)) if len(rows) else rows
                    train.append(drawn)
                    validation.append(np.setdiff1d(rows, drawn))
                elif len(rows):
                    validation.append(rng.choice(rows, count))
                    train.append(rng.choice(rows, len(rows) - count))
            yield np.concatenate(train), np.concatenate(validation)


def _n_rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _numbered(X: Any, groups: Any, n_items: int) -> tuple[NDArray, int]:
    """Give groups of any kind numbers, in the order of their ids."""
    same_index(X, groups, ("X", "groups"))
    ids = pd.Series(np.asarray(groups))
    if len(ids) != n_items:
        raise InvalidInput(
            f"groups: found {len(ids)} entries for {n_items} items; expected one each"
        )
    if ids.isna().any():
        row = int(ids.isna().to_numpy().argmax())
        raise InvalidInput(f"groups: item {row} is in no bag; every item needs one")
    numbers, names = pd.factorize(ids, sort=True)
    return np.asarray(numbers), len(names)


def _members(bags: NDArray, n_bags: int) -> list[NDArray]:
    order = np.argsort(bags, kind="stable")
    sizes = np.bincount(bags, minlength=n_bags)
    return np.split(order, np.cumsum(sizes)[:-1])


def _held_out(share: float | ArrayLike, sizes: list[int]) -> NDArray:
    """Count validation items per bag; at least one stays in training."""
    shares = np.asarray(share, dtype=np.float64)
    if shares.ndim == 0:
        check_number("validation_size", float(shares), above=0)
        if shares >= 1:
            raise InvalidInput(
                f"validation_size: found {share!r}; expected a share between 0 and 1"
            )
    elif shares.shape != (len(sizes),) or not ((shares >= 0) & (shares < 1)).all():
        raise InvalidInput(
            f"validation_size: found {np.asarray(share)!r}; expected a share between 0 "
            f"and 1 for each of {len(sizes)} bags"
        )
    counts = np.array(sizes)
    wanted = np.rint(shares * counts).astype(np.int64)
    return np.minimum(wanted, np.maximum(counts - 1, 0))


def _rest(n_items: int, rows: NDArray) -> NDArray:
    outside = np.ones(n_items, dtype=bool)
    outside[rows] = False
    return np.flatnonzero(outside)
