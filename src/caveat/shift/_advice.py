"""What to do about a lost column, as far as the intervals carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from caveat.pages.claims import Estimate

Advice = Literal["fill", "refit", "change", "open"]


def advise(
    loss: Estimate,
    gains: Sequence[Estimate],
    others: Sequence[Estimate] = (),
    *,
    tolerance: float,
) -> Advice:
    """Decide between filling in, fitting again and another model.

    Parameters
    ----------
    loss : Estimate
        What the model loses when the columns are filled in.
    gains : sequence of Estimate
        What models that were fitted without the columns have more than it.
    others : sequence of Estimate
        What other models, each with its own remedy, have more than this one with its.
    tolerance : float
        A loss or gain below it does not matter.

    Returns
    -------
    {"fill", "refit", "change", "open"}
        ``change`` and ``refit`` where an interval lies above 0, and not below the
        tolerance, as a whole. ``fill``
        where nothing is lost, or nothing could be gained, beyond the tolerance.

    Examples
    --------
    >>> lost = Estimate(0.08, "AUC", 0.05, 0.11)
    >>> advise(lost, [Estimate(0.04, "AUC", 0.02, 0.06)], tolerance=0.01)
    'refit'
    >>> advise(lost, [Estimate(0.01, "AUC", -0.02, 0.04)], tolerance=0.01)
    'open'
    """
    if any(_matters(one, tolerance) for one in others):
        return "change"
    if any(_matters(one, tolerance) for one in gains):
        return "refit"
    if _below(loss, tolerance) or (gains and all(_below(g, tolerance) for g in gains)):
        return "fill"
    return "open"


def _matters(one: Estimate, tolerance: float) -> bool:
    """Whether it lies above 0 for sure, and may be large enough to matter."""
    sure = one.has_interval and one.low is not None and one.low > 0
    return sure and not _below(one, tolerance)


def _below(one: Estimate, bound: float) -> bool:
    return one.has_interval and one.high is not None and one.high < bound
