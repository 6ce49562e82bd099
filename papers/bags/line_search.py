"""The line search of Moré and Thuente, as a coroutine.

It looks for a step that lowers the function enough and where it has become flat
enough: both constants are those of L-BFGS-B.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import copysign, inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

_DECREASE = 1e-3
_FLATNESS = 0.9
_WIDTH = 0.1


@dataclass(frozen=True)
class Step:
    """An accepted step and what was found at its end."""

    step: float
    x: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]
    slope: float


@dataclass
class _End:
    """One end of the interval: step, value, slope."""

    at: float
    value: float
    slope: float


def line_search(
    x: NDArray[np.float64],
    value: float,
    direction: NDArray[np.float64],
    slope: float,
    first: float,
    largest: float,
    max_evaluations: int,
) -> Generator[NDArray[np.float64], tuple[float, NDArray[np.float64]], Step | None]:
    """Find a good step along a direction; None when the evaluations run out.

    Parameters
    ----------
    x, value : ndarray, float
        Where the search begins and the function there.
    direction, slope : ndarray, float
        Where it goes and the (negative) slope that way.
    first, largest : float
        First and largest step to try.
    max_evaluations : int
        How often the function may be asked for.

    References
    ----------
    .. [1] J. J. Moré, D. J. Thuente (1994). Line search algorithms with
       guaranteed sufficient decrease. ACM TOMS 20(3).
    """
    test = _DECREASE * slope
    best, other = _End(0.0, value, slope), _End(0.0, value, slope)
    low, high = 0.0, 5.0 * first
    width = largest
    width_before = 2.0 * width
    bracketed, lifted = False, True
    step = first
    for _ in range(max_evaluations):
        point = x + step * direction
        found, gradient = yield point
        inclination = float(gradient @ direction)
        here = _End(step, found, inclination)
        bound = value + step * test
        accepted = Step(step, point, found, gradient, inclination)
        if found <= bound and abs(inclination) <= -_FLATNESS * slope:
            return accepted
        # The interval has shrunk to nothing, or the step hit its bound: take what
        # is there. A value that is not finite can only be left by shrinking.
        stuck = bracketed and (
            step <= low or step >= high or high - low <= _WIDTH * high
        )
        if stuck or (step == largest and found <= bound and inclination <= test):
            return accepted if isfinite(found) else None
        if lifted and found <= bound and inclination >= 0.0:
            lifted = False
        # While no step is good enough, work on the function minus its test line:
        # that one has a minimiser where this one falls far enough.
        lift = test if lifted and bound < found <= best.value else 0.0
        for end in (best, other, here):
            end.value -= end.at * lift
            end.slope -= lift
        best, other, step, bracketed = _next_step(
            best, other, here, bracketed, low, high
        )
        for end in (best, other):
            end.value += end.at * lift
            end.slope += lift
        if bracketed:
            if abs(other.at - best.at) >= 0.66 * width_before:
                step = best.at + 0.5 * (other.at - best.at)
            width_before, width = width, abs(other.at - best.at)
            low, high = sorted((best.at, other.at))
        else:
            low = step + 1.1 * (step - best.at)
            high = step + 4.0 * (step - best.at)
        step = min(max(step, 0.0), largest)
        if bracketed and (step <= low or step >= high or high - low <= _WIDTH * high):
            step = best.at
    return None


def _next_step(
    best: _End, other: _End, here: _End, bracketed: bool, low: float, high: float
) -> tuple[_End, _End, float, bool]:
    """Interpolate: cubic and quadratic steps, chosen by four cases (section 4)."""
    gap = here.at - best.at
    if here.value > best.value:
        cubic = best.at + _cubic(best, here) * gap
        chord = (best.value - here.value) / gap + best.slope
        quadratic = best.at + 0.5 * (best.slope / chord) * gap
        closer = abs(cubic - best.at) < abs(quadratic - best.at)
        step = cubic if closer else cubic + 0.5 * (quadratic - cubic)
        return best, here, step, True
    secant = here.at - gap * _ratio(here.slope, here.slope - best.slope)
    if here.slope * copysign(1.0, best.slope) < 0.0:
        cubic = here.at - _cubic(here, best) * gap
        farther = abs(cubic - here.at) > abs(secant - here.at)
        return here, best, (cubic if farther else secant), True
    if abs(here.slope) < abs(best.slope):
        cubic = _extrapolation(best, here, low, high)
        closer = abs(cubic - here.at) < abs(secant - here.at)
        if bracketed:
            step = cubic if closer else secant
            limit = here.at + 0.66 * (other.at - here.at)
            step = min(limit, step) if gap > 0 else max(limit, step)
        else:
            step = min(max(secant if closer else cubic, low), high)
        return here, other, step, bracketed
    if bracketed:
        step = here.at + _cubic(here, other) * (other.at - here.at)
    else:
        step = high if gap > 0 else low
    return here, other, step, bracketed


def _cubic(a: _End, b: _End) -> float:
    """Minimiser of the cubic through two ends, as a share of the way from a to b."""
    gap = b.at - a.at
    theta = 3.0 * (a.value - b.value) / gap + a.slope + b.slope
    scale = max(abs(theta), abs(a.slope), abs(b.slope))
    inside = (theta / scale) ** 2 - (a.slope / scale) * (b.slope / scale)
    gamma = copysign(scale * sqrt(max(inside, 0.0)), gap)
    return _ratio((gamma - a.slope) + theta, ((gamma - a.slope) + gamma) + b.slope)


def _extrapolation(best: _End, here: _End, low: float, high: float) -> float:
    """Find the cubic step beyond `here`, or else the end of the interval."""
    gap = here.at - best.at
    theta = 3.0 * (best.value - here.value) / gap + best.slope + here.slope
    scale = max(abs(theta), abs(best.slope), abs(here.slope))
    inside = (theta / scale) ** 2 - (best.slope / scale) * (here.slope / scale)
    gamma = copysign(scale * sqrt(max(inside, 0.0)), -gap)
    share = _ratio(
        (gamma - here.slope) + theta, (gamma + (best.slope - here.slope)) + gamma
    )
    if share < 0.0 and gamma != 0.0:
        return here.at - share * gap
    return high if gap > 0 else low


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom != 0.0 else copysign(inf, top)
