"""Synthetic candidate sets: how partial labels come about, on purpose."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from caveat.candidates._candidates import Mask, check_matrix
from caveat.exceptions import InvalidInput, UnknownName

RandomState = int | np.random.Generator | np.random.RandomState | None


def uniform_candidates(
    y: ArrayLike,
    n_classes: int | None = None,
    *,
    method: str = "exact",
    random_state: RandomState = None,
) -> Mask:
    """Draw every set that holds the true label, except the full one, equally often.

    Parameters
    ----------
    y : array-like of int
        True classes, 0, 1, ...
    n_classes : int, optional
        The largest class plus one, if not given.
    method : {"exact", "legacy"}, default="exact"
        "exact" is eq. (1) of [2]_: probability 1/(2^(q-1) - 1) each. "legacy" is the
        generator that much of the literature copied: it draws the size from all
        subsets of the q labels, so small sets come too often (for q = 10 a mean size
        of 5.0 instead of 5.5). Use it to compare with published numbers.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    Real annotators do not choose labels by coin: learners that rely on it look better
    here than on real data.

    References
    ----------
    .. [1] L. Feng et al. (2020). Provably consistent partial-label learning. NeurIPS.
    .. [2] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.

    Examples
    --------
    >>> uniform_candidates([0, 1, 2], random_state=0).shape
    (3, 3)
    """
    codes, columns = _codes(y, n_classes)
    rng = generator(random_state)
    truth = _one_hot(codes, columns)
    if method == "exact":
        return truth | _coins_but_not_all(truth, rng)
    if method in ("legacy", "uss-legacy"):
        return _legacy(codes, columns, rng)
    raise UnknownName.among("method", method, ["exact", "legacy"])


def flip_candidates(
    y: ArrayLike,
    n_classes: int | None = None,
    *,
    rate: float | None = None,
    matrix: ArrayLike | None = None,
    pairwise: bool = False,
    at_least_one_false: bool = False,
    random_state: RandomState = None,
) -> Mask:
    """Let every wrong label join with a probability of its own, eq. (2) of [1]_.

    Parameters
    ----------
    y : array-like of int
        True classes, 0, 1, ...
    n_classes : int, optional
        The largest class plus one, if not given.
    rate : float, optional
        Probability of every wrong label; at least 0, below 1.
    matrix : array-like of shape (n_classes, n_classes), optional
        Row j, column k: probability that class k joins the set of an item of class j,
        instead of `rate`. A diagonal below 1 leaves the true label out now and then.
    pairwise : bool, default=False
        Only the class after the true one (the first after the last) can join.
    at_least_one_false : bool, default=False
        Add one random wrong label to sets of one.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    A full set can occur, and says nothing. A constant rate is kinder than people are.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.

    Examples
    --------
    >>> flip_candidates([0, 1, 2], rate=0.0)
    array([[ True, False, False],
           [False,  True, False],
           [False, False,  True]])
    """
    codes, columns = _codes(y, n_classes)
    rng = generator(random_state)
    chances = _flipping(columns, rate, matrix, pairwise)
    found = rng.random((len(codes), columns)) < chances[codes]
    # A set that the noise emptied keeps nothing to learn from: one wrong label then.
    alone = ~found.any(axis=1)
    if at_least_one_false:
        rows = np.arange(len(codes))
        alone |= (found.sum(axis=1) == 1) & found[rows, codes]
    _add_wrong(found, codes, np.flatnonzero(alone), rng)
    return found


def instance_candidates(
    y: ArrayLike,
    proba: ArrayLike,
    *,
    rate: float = 0.4,
    normalise: bool = True,
    random_state: RandomState = None,
) -> Mask:
    """Let wrong labels join the more likely a classifier finds them.

    With r the probabilities that an auxiliary classifier gives, the true label's set
    to 0 and divided by the largest, label j joins with probability r_j; with
    `normalise` with min(1, rate r_j / mean(r)), which makes about ``rate * n_classes``
    wrong labels an item.

    Parameters
    ----------
    y : array-like of int
        True classes.
    proba : array-like of shape (n_items, n_classes)
        Of a classifier that learnt from true labels, preferably on other items.
    rate : float, default=0.4
        Mean probability; above 0 and at most 1.
    normalise : bool, default=True
        Do as the published code does; False is the formula as the paper prints it.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    An item of which the classifier is certain gets its true label only. The sets carry
    what the classifier knows: a learner of the same kind has an easy time.

    References
    ----------
    .. [1] N. Xu et al. (2021). Instance-dependent partial label learning. NeurIPS.

    Examples
    --------
    >>> proba = [[0.6, 0.4, 0.0], [0.1, 0.8, 0.1]]
    >>> instance_candidates([0, 1], proba, normalise=False, random_state=0)
    array([[ True,  True, False],
           [ True,  True,  True]])
    """
    scores = np.asarray(proba, dtype=np.float64)
    if scores.ndim != 2 or not np.isfinite(scores).all() or (scores < 0).any():
        raise InvalidInput(
            "proba: expected finite numbers of 0 and above, of shape (items, classes); "
            f"found the shape {scores.shape}"
        )
    codes, columns = _codes(y, scores.shape[1])
    if len(codes) != len(scores):
        raise InvalidInput(f"proba: found {len(scores)} rows for {len(codes)} labels")
    if not 0 < rate <= 1:
        raise InvalidInput(f"rate is {rate}; pass a share above 0 and at most 1")
    truth = _one_hot(codes, columns)
    chances = np.where(truth, 0.0, scores)
    largest = chances.max(axis=1, keepdims=True)
    chances /= np.where(largest > 0, largest, 1.0)
    if normalise:
        mean = chances.mean(axis=1, keepdims=True)
        chances = np.minimum(1.0, rate * chances / np.where(mean > 0, mean, 1.0))
    return truth | (generator(random_state).random(chances.shape) < chances)


def complementary_candidates(
    y: ArrayLike,
    n_classes: int | None = None,
    *,
    count: int = 1,
    random_state: RandomState = None,
) -> Mask:
    """Exclude a fixed number of wrong labels, drawn at random; all others stay.

    Parameters
    ----------
    y : array-like of int
        True classes, 0, 1, ...
    n_classes : int, optional
        The largest class plus one, if not given.
    count : int, default=1
        How many labels are excluded: one is the classical complementary label.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    One excluded label of many says very little: expect to need far more items.

    References
    ----------
    .. [1] T. Ishida et al. (2017). Learning from complementary labels. NeurIPS.

    Examples
    --------
    >>> complementary_candidates([0, 1, 2, 3], random_state=0).sum(axis=1)
    array([3, 3, 3, 3])
    """
    codes, columns = _codes(y, n_classes)
    if not 1 <= count <= columns - 1:
        raise InvalidInput(
            f"count is {count}; of {columns} classes 1 to {columns - 1} can be excluded"
        )
    order = _wrong_in_random_order(codes, columns, generator(random_state))
    found = np.ones((len(codes), columns), dtype=bool)
    np.put_along_axis(found, order[:, :count], False, axis=1)
    return found


def noisy_candidates(
    candidates: ArrayLike,
    y: ArrayLike,
    *,
    rate: float,
    random_state: RandomState = None,
) -> Mask:
    """Take the true label out of some sets.

    Parameters
    ----------
    candidates : 0/1 array of shape (n_items, n_classes)
    y : array-like of int
        True classes.
    rate : float
        Probability that an item loses its true label; at least 0, below 1. A set that
        this empties gets one random wrong label.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    Noise here hits all classes and items alike; people err on the hard ones.

    Examples
    --------
    >>> noisy_candidates([[1, 1, 0], [0, 1, 1]], [0, 1], rate=0.0)
    array([[ True,  True, False],
           [False,  True,  True]])
    """
    found = check_matrix(candidates)
    codes, _ = _codes(y, found.shape[1])
    if len(codes) != len(found):
        raise InvalidInput(f"y: found {len(codes)} labels for {len(found)} sets")
    _check_rate(rate)
    rng = generator(random_state)
    hit = rng.random(len(codes)) < rate
    found[hit, codes[hit]] = False
    _add_wrong(found, codes, np.flatnonzero(~found.any(axis=1)), rng)
    return found


def generator(random_state: RandomState) -> np.random.Generator:
    """Make a numpy generator of whatever people pass as `random_state`."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(int(random_state.randint(2**31 - 1)))
    return np.random.default_rng(random_state)


def _codes(y: ArrayLike, n_classes: int | None) -> tuple[NDArray[np.intp], int]:
    values = np.asarray(y)
    if values.ndim != 1 or not len(values):
        raise InvalidInput(
            f"y: found the shape {values.shape}; pass one class per item"
        )
    if values.dtype.kind not in "iub":
        raise InvalidInput(
            f"y: found {values.dtype} values; pass classes as whole numbers 0, 1, ... "
            "(numpy.unique(y, return_inverse=True) makes them)"
        )
    codes = values.astype(np.intp)
    columns = int(codes.max()) + 1 if n_classes is None else int(n_classes)
    if columns < 2:
        raise InvalidInput(f"n_classes is {columns}; candidate sets need at least two")
    if codes.min() < 0 or codes.max() >= columns:
        wrong = codes.min() if codes.min() < 0 else codes.max()
        raise InvalidInput(f"y: class {wrong} is not one of 0 to {columns - 1}")
    return codes, columns


def _one_hot(codes: NDArray[np.intp], columns: int) -> Mask:
    found = np.zeros((len(codes), columns), dtype=bool)
    found[np.arange(len(codes)), codes] = True
    return found


def _check_rate(rate: Any) -> None:
    if not isinstance(rate, Real) or not 0 <= float(rate) < 1:
        raise InvalidInput(f"rate is {rate}; pass a probability from 0 up to below 1")


def _flipping(
    columns: int, rate: float | None, matrix: ArrayLike | None, pairwise: bool
) -> NDArray[np.float64]:
    if (rate is None) == (matrix is None):
        raise InvalidInput("pass either rate or matrix, one of the two")
    if matrix is None:
        _check_rate(rate)
        chances = np.eye(columns)
        if pairwise:
            chances[np.arange(columns), (np.arange(columns) + 1) % columns] = rate
            return chances
        return np.where(chances > 0, 1.0, float(rate or 0.0))
    if pairwise:
        raise InvalidInput("pairwise=True goes with rate; a matrix says it all itself")
    chances = np.asarray(matrix, dtype=np.float64)
    if chances.shape != (columns, columns):
        raise InvalidInput(
            f"matrix: found the shape {chances.shape}; expected ({columns}, {columns})"
        )
    off = ~np.eye(columns, dtype=bool)
    wrong = ~((chances >= 0) & (chances <= 1)) | (off & (chances >= 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"matrix: {chances[row, column]} in row {row}, column {column}; pass "
            "probabilities below 1 (1 on the diagonal)"
        )
    return chances


def _coins_but_not_all(truth: Mask, rng: np.random.Generator) -> Mask:
    """Fair coins for the wrong labels; rows where all fell on 1 are thrown again."""
    coins = np.ones_like(truth)
    todo = np.arange(len(truth))
    while len(todo):
        coins[todo] = rng.random((len(todo), truth.shape[1])) < 0.5
        todo = todo[(coins[todo] | truth[todo]).all(axis=1)]
    return coins


def _legacy(codes: NDArray[np.intp], columns: int, rng: np.random.Generator) -> Mask:
    sizes = np.arange(1, columns)
    logs = gammaln(columns + 1) - gammaln(sizes + 1) - gammaln(columns - sizes + 1)
    chances = np.exp(logs - logs.max())
    drawn = rng.choice(sizes, size=len(codes), p=chances / chances.sum())
    order = _wrong_in_random_order(codes, columns, rng)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(columns)[None, :], axis=1)
    return (ranks < (drawn - 1)[:, None]) | _one_hot(codes, columns)


def _wrong_in_random_order(
    codes: NDArray[np.intp], columns: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Give labels of every item in random order, the true one last."""
    keys = rng.random((len(codes), columns))
    keys[np.arange(len(codes)), codes] = 2.0
    return np.argsort(keys, axis=1)


def _add_wrong(
    found: Mask,
    codes: NDArray[np.intp],
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> None:
    """Add one uniformly drawn wrong label to some rows, in place."""
    columns = found.shape[1]
    shift = rng.integers(1, columns, size=len(rows))
    found[rows, (codes[rows] + shift) % columns] = True
