"""Wilcoxon's signed-rank test, exact also with ties and zeros."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

# Up to here the exact distribution costs a few milliseconds.
MOST_EXACT = 200


class SignedRank(NamedTuple):
    """Sum of the ranks of positive differences, two-sided p-value, exact or not."""

    statistic: float
    p_value: float
    exact: bool


def signed_rank_test(differences: NDArray[np.float64]) -> SignedRank:
    """Test whether differences are symmetric about 0.

    Zeros take part in the ranking and are then left out (Pratt's way): many ties
    thus speak against a difference. Under the null every sign is a fair coin, so
    the distribution of the statistic follows from the ranks alone, tied or not;
    scipy's exact method is for ranks without ties only.
    """
    if not len(differences):
        return SignedRank(np.nan, np.nan, True)
    ranks = rankdata(np.abs(differences))
    statistic = float(ranks[differences > 0].sum())
    signed = ranks[differences != 0]
    if not len(signed):
        return SignedRank(statistic, 1.0, True)
    if len(signed) > MOST_EXACT:
        z = (statistic - signed.sum() / 2) / np.sqrt((signed**2).sum() / 4)
        return SignedRank(statistic, float(2 * ndtr(-abs(z))), False)
    # Ranks are whole or half numbers, so twice a rank is a place in a table of how
    # many sets of signs reach a sum. It is symmetric: the smaller tail is enough.
    steps = np.rint(2 * signed).astype(int)
    place = round(2 * statistic)
    reach = min(place, int(steps.sum()) - place)
    ways = np.zeros(reach + 1)
    ways[0] = 1.0
    for step in steps[steps <= reach]:
        ways[step:] += ways[:-step]
    tail = ways.sum() / 2.0 ** len(steps)
    return SignedRank(statistic, float(min(2 * tail, 1.0)), True)
