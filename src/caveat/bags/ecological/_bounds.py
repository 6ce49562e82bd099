"""Sharp bounds on what shares leave open: accuracy of answers, effects of columns.

In a group of n items, answers give k items to a class and the share gives it m. How
many of the k are right is not known, but it lies between what the counts force and
what they allow. Both ends are attained by some labels that meet all shares, so no
method can narrow them without an assumption or a label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from caveat.bags._shares import check_bag_numbers
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]
_NORMAL = float(norm.ppf(0.975))


@dataclass(frozen=True)
class ShareBox:
    """Shares that are known up to a margin.

    Attributes
    ----------
    low, high : ndarray of shape (n_groups, n_classes)
        Ends of every share; they are equal where a share is known exactly.
    """

    low: Floats
    high: Floats

    @classmethod
    def of(cls, shares: ArrayLike, margins: ArrayLike | None = None) -> ShareBox:
        """Build it from shares and half widths of their 95 % intervals.

        Every margin is widened so that all of them hold together in 95 % of cases
        (Bonferroni): bounds add up over groups, and one share outside of its margin
        could spoil them.
        """
        centre = np.asarray(shares, dtype=np.float64)
        if margins is None:
            return cls(centre, centre)
        half = np.broadcast_to(np.asarray(margins, dtype=np.float64), centre.shape)
        # Two classes have one share: the other's margin is the same statement.
        uncertain = half[:, 1:] if centre.shape[1] == 2 else half
        count = int((uncertain > 0).sum())
        factor = norm.ppf(1 - 0.025 / max(count, 1)) / _NORMAL
        low = np.clip(centre - factor * half, 0.0, 1.0)
        high = np.clip(centre + factor * half, 0.0, 1.0)
        return cls(low, high)

    @property
    def exact(self) -> bool:
        """Whether all shares are known exactly."""
        return bool((self.low == self.high).all())


def accuracy_bounds(
    predicted: ArrayLike,
    groups: ArrayLike,
    shares: ArrayLike,
    *,
    margins: ArrayLike | None = None,
) -> tuple[float, float]:
    """Smallest and largest accuracy that answers can have, given the shares.

    Parameters
    ----------
    predicted : array-like of shape (n_items,)
        Class numbers.
    groups : array-like of shape (n_items,)
        Rows of `shares`.
    shares : array-like of shape (n_groups, n_classes)
    margins : array-like, optional
        Half widths of the shares' 95 % intervals, of the same shape or a number.

    Returns
    -------
    low, high : float
        No labels that meet the shares give less or more, and some give each.

    Warnings
    --------
    They are about these items, not about new ones. Counts need not be whole: a
    share of 0.333 of ten items counts as 3.33 items.

    Examples
    --------
    Six of ten items are positive, and six are called so: are they the same six?

    >>> accuracy_bounds([1] * 6 + [0] * 4, [0] * 10, [[0.4, 0.6]])
    (0.2, 1.0)
    """
    table = np.asarray(shares, dtype=np.float64)
    answers = np.asarray(predicted, dtype=np.int64)
    numbers = check_bag_numbers(groups, len(answers), "groups")
    n_groups, n_classes = table.shape
    if len(numbers) == 0 or numbers.max() >= n_groups or answers.max() >= n_classes:
        raise InvalidInput(
            f"shares: found {n_groups} groups and {n_classes} classes; the items name "
            "others"
        )
    box = ShareBox.of(table, margins)
    flat = np.bincount(numbers * n_classes + answers, minlength=n_groups * n_classes)
    given = flat.reshape(n_groups, n_classes).astype(np.float64)
    sizes = given.sum(axis=1)
    low, high = box.low * sizes[:, None], box.high * sizes[:, None]
    # Most: every class as near to what was answered as its share allows; what is then
    # too much in total has to go where it was right.
    near = np.clip(given, low, high)
    most = np.minimum(given, near).sum(axis=1)
    most -= np.maximum(near.sum(axis=1) - sizes, 0.0)
    # Least: an answer must be right where the other classes have no room for it.
    others = sizes[:, None] - (high.sum(axis=1, keepdims=True) - high)
    forced = given + np.maximum(low, others) - sizes[:, None]
    least = np.maximum(forced.max(axis=1), 0.0)
    total = sizes.sum()
    return float(least.sum() / total), float(most.sum() / total)


def effect_bounds(
    exposed: ArrayLike,
    groups: ArrayLike,
    shares: ArrayLike,
    *,
    margins: ArrayLike | None = None,
) -> tuple[float, float]:
    """Smallest and largest difference in a class's share that something can make.

    The effect is the share of the class among exposed items minus that among the
    others. With exact shares these are the bounds of Duncan and Davis [1]_, summed
    over groups.

    Parameters
    ----------
    exposed : array-like of bool, shape (n_items,)
        Items that have the property.
    groups : array-like of shape (n_items,)
        Positions in `shares`.
    shares : array-like of shape (n_groups,)
        Share of the class in every group.
    margins : array-like, optional
        Half widths of the shares' 95 % intervals.

    Returns
    -------
    low, high : float, between -1 and 1

    Warnings
    --------
    A difference, not a cause. Bounds that exclude 0 fix its direction for these
    items; most do not.

    References
    ----------
    .. [1] O. D. Duncan, B. Davis (1953). An alternative to ecological correlation.
       American Sociological Review 18(6).

    Examples
    --------
    All of one town and none of the other: membership tells everything.

    >>> effect_bounds([True, True, False, False], [0, 0, 1, 1], [1.0, 0.0])
    (1.0, 1.0)
    """
    has = np.asarray(exposed, dtype=bool)
    numbers = check_bag_numbers(groups, len(has), "groups")
    share = np.asarray(shares, dtype=np.float64)
    n_with, n_without = int(has.sum()), int((~has).sum())
    if n_with == 0 or n_without == 0:
        raise InvalidInput(
            f"exposed: found {n_with} of {len(has)} items; an effect compares two parts"
        )
    both = np.column_stack([1 - share, share])
    half = None
    if margins is not None:
        half = np.broadcast_to(np.asarray(margins, np.float64), share.shape)
        half = np.column_stack([half, half])
    box = ShareBox.of(both, half)
    sizes = np.bincount(numbers, minlength=len(share)).astype(np.float64)
    inside = np.bincount(numbers, has, minlength=len(share))
    outside = sizes - inside
    fewest, most = box.low[:, 1] * sizes, box.high[:, 1] * sizes
    weight = 1 / n_with + 1 / n_without
    # With m positives, t of them exposed, a group adds t * weight - m / n_without. The
    # most is at t = min(m, inside), which rises in m up to `inside` and then falls.
    m = np.clip(inside, fewest, most)
    high = np.minimum(m, inside) * weight - m / n_without
    m = np.clip(outside, fewest, most)
    low = np.maximum(m - outside, 0.0) * weight - m / n_without
    # Sums of many groups end a rounding error beyond what a difference can be.
    return max(float(low.sum()), -1.0), min(float(high.sum()), 1.0)
