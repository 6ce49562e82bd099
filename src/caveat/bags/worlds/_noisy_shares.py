"""Shares as they are told: with errors, or blurred so that nobody can be found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from caveat.bags._params import check_number
from caveat.bags.worlds._margins import project_rows
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


def noisy_shares(shares: ArrayLike, sd: float, *, random_state: Any = None) -> Floats:
    """Add normal errors to every class's share, and move the row back to shares.

    Parameters
    ----------
    shares : array-like of shape (n_bags, n_classes)
        An empty bag's row (NaN) stays.
    sd : float
        Standard deviation of the error of a share.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_bags, n_classes)
        The nearest shares, at least 0, that sum to 1.

    Examples
    --------
    >>> from caveat.bags import noisy_shares
    >>> noisy_shares([[0.5, 0.5], [0.0, 1.0]], 0.0)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    known = _table(shares)
    check_number("sd", sd, least=0)
    rng = check_random_state(random_state)
    return _nearest(known + sd * _errors(rng.normal(size=known.shape)))


def private_shares(
    shares: ArrayLike, sizes: ArrayLike, epsilon: float, *, random_state: Any = None
) -> Floats:
    """Release shares under differential privacy: counts with Laplace noise.

    Whoever changes one item's label changes two counts of its bag by one, of which one
    says all where there are two classes: so the noise of a count has the scale
    ``1 / epsilon`` for two classes, and ``2 / epsilon`` for more. A bag's size counts
    as public.

    Parameters
    ----------
    shares : array-like of shape (n_bags, n_classes)
        An empty bag's row (NaN) stays.
    sizes : array-like of shape (n_bags,)
        Items of every bag.
    epsilon : float
        What one release may tell about one item: odds change by ``e^epsilon`` at most.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_bags, n_classes)
        The nearest shares, at least 0, that sum to 1; moving them there is no cost to
        privacy.

    References
    ----------
    .. [1] C. Dwork, F. McSherry, K. Nissim, A. Smith (2006). Calibrating noise to
       sensitivity in private data analysis. TCC 3.

    Examples
    --------
    >>> from caveat.bags import private_shares
    >>> private_shares([[0.5, 0.5]], [10], 1e9, random_state=0).round(6)
    array([[0.5, 0.5]])
    """
    known = _table(shares)
    check_number("epsilon", epsilon, above=0)
    items = np.asarray(sizes, dtype=np.float64)
    if items.shape != (len(known),):
        raise InvalidInput(
            f"sizes: found shape {items.shape} for {len(known)} bags; expected one each"
        )
    noise = check_random_state(random_state).laplace(size=known.shape)
    scale = (1.0 if known.shape[1] == 2 else 2.0) / epsilon
    per_item = scale / np.maximum(items, 1.0)
    return _nearest(known + per_item[:, None] * _errors(noise))


def told_shares(
    world: Mapping[str, Any], shares: Floats, sizes: NDArray, seed: int
) -> Floats:
    """Shares as learners of a world get to know them."""
    if world.get("share_sd") is not None:
        shares = noisy_shares(shares, world["share_sd"], random_state=seed)
    if world.get("epsilon") is not None:
        shares = private_shares(shares, sizes, world["epsilon"], random_state=seed)
    return shares


def _errors(noise: Floats) -> Floats:
    """With two classes, what one share gains the other loses."""
    if noise.shape[1] == 2:
        return np.column_stack([-noise[:, 1], noise[:, 1]])
    return noise


def _table(shares: ArrayLike) -> Floats:
    known = np.asarray(shares, dtype=np.float64)
    if known.ndim != 2 or known.shape[1] < 2:
        raise InvalidInput(
            f"shares: found shape {known.shape}; expected a row per bag and a column "
            "per class"
        )
    return known


def _nearest(rows: Floats) -> Floats:
    there = ~np.isnan(rows).any(axis=1)
    moved = rows.copy()
    moved[there] = project_rows(rows[there])
    return moved
