"""When two numbers are a tie: equal up to the noise of floating point.

A mean of 0.1, 0.2 and 0.3 depends in its last bit on the order of the sum. A
rank or a win must not, so the tests by ranks compare 40 of the 53 bits of a
number, about 12 decimal digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 40


def without_noise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round each value to 40 bits; NaN and infinity stay."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS)


def differences_without_noise(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Subtract, and round to 40 bits of the largest value, not of the difference.

    A small difference of large values keeps few true digits: 0.9 - 0.8 and
    0.8 - 0.7 differ as floats.
    """
    largest = np.nanmax(np.abs([a, b]), initial=0.0)
    exponent = int(np.frexp(largest)[1]) - _BITS
    return np.ldexp(np.round(np.ldexp(a - b, -exponent)), exponent)
