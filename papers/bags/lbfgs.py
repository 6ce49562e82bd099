"""L-BFGS as a coroutine: it yields the points whose value it wants to know.

Whoever drives it evaluates the function, and may do so for many minimisations
at once (see `papers.bags.lockstep`): the path of each is the same as if
it ran alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator

import numpy as np
from numpy.typing import NDArray

from caveat.bags.solvers._newton import Minimum
from papers.bags.line_search import line_search

Vector = NDArray[np.float64]
Evaluation = tuple[float, Vector]
Minimisation = Generator[Vector, Evaluation, Minimum]

_EPSILON = float(np.finfo(np.float64).eps)
_LARGEST_STEP = 1e10


def lbfgs(
    start: Vector,
    *,
    memory: int = 10,
    max_iter: int = 100,
    relative_reduction: float = 1e7 * _EPSILON,
    gradient_tolerance: float = 0.0,
    max_evaluations: int = 20,
) -> Minimisation:
    """Minimise a smooth function; yield points, expect (value, gradient).

    The unconstrained case of L-BFGS-B [1]_ with its line search, its scaling
    of the first step, its skipped updates and its restart from steepest descent, so
    that a run cut short by `max_iter` stops where L-BFGS-B would stop.

    Parameters
    ----------
    start : ndarray of shape (d,)
        Where to begin.
    memory : int, default=10
        How many of the last steps shape the next one.
    max_iter : int, default=100
        Most accepted steps.
    relative_reduction : float, default=2.2e-9
        Stop when a step lowers the value by at most this share of
        ``max(|before|, |after|, 1)``.
    gradient_tolerance : float, default=0.0
        Stop when no entry of the gradient is larger.
    max_evaluations : int, default=20
        Most evaluations in one line search.

    Returns
    -------
    Minimum

    References
    ----------
    .. [1] C. Zhu, R. H. Byrd, P. Lu, J. Nocedal (1997). Algorithm 778: L-BFGS-B.
       ACM Transactions on Mathematical Software 23(4).

    Examples
    --------
    >>> import numpy as np
    >>> square = lambda x: (float(x @ x), 2 * x)
    >>> drive(lbfgs(np.array([3.0, -4.0])), square).x.round(6) + 0.0
    array([0., 0.])
    """
    x = np.array(start, dtype=np.float64)
    value, gradient = yield x
    steps: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)
    n_iter = 0
    if _largest(gradient) <= gradient_tolerance:
        return Minimum(x, value, gradient, n_iter, True)
    while n_iter < max_iter:
        direction = _direction(gradient, steps)
        slope = float(gradient @ direction)
        first = 1.0
        if n_iter == 0:
            first = min(1.0 / float(np.sqrt(direction @ direction)), _LARGEST_STEP)
        found = None
        if slope < 0.0:
            found = yield from line_search(
                x, value, direction, slope, first, _LARGEST_STEP, max_evaluations
            )
        if found is None:
            if not steps:
                return Minimum(x, value, gradient, n_iter, False)
            # The memory has gone bad: forget it and go straight down.
            steps.clear()
            continue
        n_iter += 1
        before, old_gradient = value, gradient
        x, value, gradient = found.x, found.value, found.gradient
        if _largest(gradient) <= gradient_tolerance:
            return Minimum(x, value, gradient, n_iter, True)
        if before - value <= relative_reduction * max(abs(before), abs(value), 1.0):
            return Minimum(x, value, gradient, n_iter, True)
        if found.step == _LARGEST_STEP and np.array_equal(gradient, old_gradient):
            # The function falls in a straight line without end: every further iteration
            # would be this one again.
            left = max_iter - n_iter
            x = x + left * (found.step * direction)
            return Minimum(
                x, value + left * (value - before), gradient, max_iter, False
            )
        curvature = (found.slope - slope) * found.step
        if curvature > -_EPSILON * slope * found.step:
            change = gradient - old_gradient
            steps.append((direction * found.step, change, curvature))
    return Minimum(x, value, gradient, n_iter, False)


def drive(
    minimisation: Minimisation, function: Callable[[Vector], Evaluation]
) -> Minimum:
    """Run one minimisation to its end with a function of one point."""
    point = next(minimisation)
    while True:
        try:
            point = minimisation.send(function(point))
        except StopIteration as end:
            return end.value


def _direction(gradient: Vector, steps: deque[tuple[Vector, Vector, float]]) -> Vector:
    """Two-loop recursion (Nocedal 1980): minus inverse Hessian times gradient."""
    q = -gradient
    weights = []
    for step, change, curvature in reversed(steps):
        weight = (step @ q) / curvature
        q = q - weight * change
        weights.append(weight)
    if steps:
        _, change, curvature = steps[-1]
        q = q * (curvature / (change @ change))
    for (step, change, curvature), weight in zip(steps, reversed(weights), strict=True):
        q = q + (weight - (change @ q) / curvature) * step
    return q


def _largest(gradient: Vector) -> float:
    return float(np.abs(gradient).max(initial=0.0))
