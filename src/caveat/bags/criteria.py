"""How well predictions fit the bags' proportions: all that can be known without labels.

Every criterion compares the shares that a model predicts in each bag with the shares
that are known; smaller is better. Hard predictions are counted; probabilities are
averaged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.bags._shares import check_bag_numbers
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


def bag_l1(predicted: ArrayLike, bags: ArrayLike, proportions: ArrayLike) -> float:
    """Sum over bags of the distance between predicted and known shares.

    Parameters
    ----------
    predicted : array-like of shape (n_items,) or (n_items, n_classes)
        Class numbers, or probabilities.
    bags : array-like of shape (n_items,)
    proportions : array-like of shape (n_bags, n_classes) or (n_bags,)

    Returns
    -------
    float, at least 0; smaller is better. Two classes count the second one only, more
    count all. Bags without items count nothing.

    Warnings
    --------
    A model that predicts the right share of wrong items has criterion 0. It cannot tell
    a classifier from a fortunate threshold.

    Examples
    --------
    >>> bag_l1([0, 1, 1, 1], [0, 0, 1, 1], [0.25, 1.0])
    0.25
    """
    gaps, _ = _gaps(predicted, bags, proportions)
    return float(gaps.sum())


def bag_l1_weighted(
    predicted: ArrayLike, bags: ArrayLike, proportions: ArrayLike
) -> float:
    """`bag_l1` with every bag weighted by its share of the items.

    Parameters
    ----------
    predicted, bags, proportions
        As in `bag_l1`.

    Returns
    -------
    float, between 0 and the number of classes; smaller is better.

    Warnings
    --------
    As `bag_l1`; and small bags hardly count.

    Examples
    --------
    >>> bag_l1_weighted([0, 1, 1, 1], [0, 0, 1, 1], [0.25, 1.0])
    0.125
    """
    gaps, sizes = _gaps(predicted, bags, proportions)
    return float(sizes @ gaps / sizes.sum())


def bag_kl(predicted: ArrayLike, bags: ArrayLike, proportions: ArrayLike) -> float:
    """Mean over bags of the Kullback-Leibler divergence of predicted from known shares.

    Parameters
    ----------
    predicted, bags, proportions
        As in `bag_l1`.

    Returns
    -------
    float, at least 0; smaller is better. Predicted shares count as at least 1e-6,
    so that it stays finite.

    Warnings
    --------
    As `bag_l1`. A class that is predicted nowhere in a bag dominates all else.

    Examples
    --------
    >>> round(bag_kl([[0.5, 0.5], [0.5, 0.5]], [0, 0], [0.25]), 6)
    0.130812
    """
    guessed, known, _ = _shares(predicted, bags, proportions)
    floor = np.maximum(guessed, 1e-6)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(known > 0, known * (np.log(known) - np.log(floor)), 0.0)
    return float(np.maximum(terms.sum(axis=1), 0.0).mean())


def oracle_error(predicted: ArrayLike, labels: ArrayLike) -> float:
    """Share of items whose predicted class is not the true one.

    Parameters
    ----------
    predicted, labels : array-like of int of shape (n_items,)

    Returns
    -------
    float, between 0 and 1; smaller is better.

    Warnings
    --------
    Needs the labels that bags do not have: whoever chooses by it reports an upper
    reference, not what a user will get.

    Examples
    --------
    >>> oracle_error([0, 1, 1, 1], [0, 0, 1, 1])
    0.25
    """
    return float(np.mean(np.asarray(predicted) != np.asarray(labels)))


def _gaps(
    predicted: ArrayLike, bags: ArrayLike, proportions: ArrayLike
) -> tuple[Floats, NDArray]:
    guessed, known, sizes = _shares(predicted, bags, proportions)
    gaps = np.abs(guessed - known)
    return (gaps[:, 1] if gaps.shape[1] == 2 else gaps.sum(axis=1)), sizes


def _shares(
    predicted: ArrayLike, bags: ArrayLike, proportions: ArrayLike
) -> tuple[Floats, Floats, NDArray]:
    """Predicted and known shares, and sizes, of the bags that have items."""
    known = np.asarray(proportions, dtype=np.float64)
    if known.ndim == 1:
        known = np.column_stack([1.0 - known, known])
    output = np.asarray(predicted)
    numbers = check_bag_numbers(bags, len(output))
    n_bags, n_classes = known.shape
    if len(numbers) == 0 or numbers.max() >= n_bags:
        raise InvalidInput(
            f"bags: found {len(numbers)} items in up to {numbers.max(initial=-1) + 1} "
            f"bags; proportions has {n_bags} rows"
        )
    sizes = np.bincount(numbers, minlength=n_bags)
    if output.ndim == 1:
        flat = np.bincount(
            numbers * n_classes + output.astype(np.int64), minlength=n_bags * n_classes
        )
        sums = flat.reshape(n_bags, n_classes).astype(np.float64)
    else:
        sums = np.column_stack(
            [np.bincount(numbers, column, minlength=n_bags) for column in output.T]
        )
    present = np.flatnonzero(sizes)
    return sums[present] / sizes[present, None], known[present], sizes[present]
