"""Training and test rows in which every group, and every label in it, has its share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TEST_SHARE = 0.25


def division(bags: NDArray, codes: NDArray, rng: Any) -> tuple[NDArray, NDArray]:
    """Divide items at random so that every bag, and every label in it, has its share.

    In the order of bags and labels every fourth item is for the test: strata may be
    as small as they like. A label of two items or more is on both sides.
    """
    shuffled = rng.permutation(len(codes))
    order = shuffled[np.lexsort((codes[shuffled], bags[shuffled]))]
    step = round(1 / TEST_SHARE)
    is_test = np.zeros(len(codes), dtype=bool)
    is_test[order[rng.randint(step) :: step]] = True
    for code in range(int(codes.max()) + 1):
        rows = order[codes[order] == code]
        if len(rows) and is_test[rows].all():
            is_test[rows[0]] = False
        elif len(rows) > 1 and not is_test[rows].any():
            is_test[rows[-1]] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)
