"""What to do about a lost column, as far as the intervals carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from caveat.pages.claims import Estimate

Advice = Literal["fill", "keep", "refit", "change", "open"]
_ENOUGH = 299
"""Among so many rows, one that made a difference would be seen with 95 % if 1 % did."""


def advise(
    loss: Estimate,
    gains: Sequence[Estimate],
    others: Sequence[Estimate] = (),
    *,
    tolerance: float,
    told: bool = False,
    unread: bool = False,
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
    told : bool, default=False
        Whether the model is told which columns are gone: then nothing is filled in, and
        the word is ``keep``.
    unread : bool, default=False
        Whether the model reads none of the columns: nothing can be lost.

    Returns
    -------
    {"fill", "keep", "refit", "change", "open"}
        ``fill`` where nothing is lost beyond the tolerance, or neither fitting again
        nor another model could gain more than it; also where none of 299 rows or more
        makes a difference. ``change`` where another model is
        better by more than the tolerance for sure; ``refit`` where fitting again gains
        for sure, and as it stands more than the tolerance. Else ``open``.

    Examples
    --------
    >>> lost = Estimate(0.08, "AUC", 0.05, 0.11)
    >>> advise(lost, [Estimate(0.04, "AUC", 0.02, 0.06)], tolerance=0.01)
    'refit'
    >>> advise(lost, [Estimate(0.01, "AUC", -0.02, 0.04)], tolerance=0.01)
    'open'
    """
    stay: Advice = "keep" if told else "fill"
    if unread or _below(loss, tolerance):
        return stay
    if any(_above(one, tolerance) for one in others):
        return "change"
    if any(_above(one, 0.0) and one.value > tolerance for one in gains):
        return "refit"
    # Filling in is advised only where neither of the two could be, with more rows.
    if gains and not any(may_gain(one, tolerance) for one in (*gains, *others)):
        return stay
    return "open"


def may_gain(gain: Estimate, tolerance: float) -> bool:
    """Whether more rows could show a gain that matters."""
    return not _below(gain, tolerance)


def _above(one: Estimate, bound: float) -> bool:
    return one.has_interval and one.low is not None and one.low > bound


def _below(one: Estimate, bound: float) -> bool:
    if one.low == one.high == 0:
        # No interval: not one row of all made a difference. How many were asked?
        return one.n >= _ENOUGH
    return one.has_interval and one.high is not None and one.high < bound
