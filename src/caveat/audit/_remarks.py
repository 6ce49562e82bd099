"""Caveats: sentences made from the numbers of an audit, worst first.

Every check takes the reading and returns the remarks of one kind, or none. Nothing
here looks at the table.
"""

from __future__ import annotations

from collections.abc import Callable

from caveat.audit._reading import Reading
from caveat.audit._remark import Remark
from caveat.audit._remarks_data import conditions, copies, gaps, leaks
from caveat.audit._remarks_free import free_score, policies, vanishing
from caveat.audit._remarks_models import (
    no_skill,
    other_splits,
    ties,
    turned_scores,
    unfinished,
    within_levels,
)
from caveat.audit._remarks_sets import candidate_labels
from caveat.audit._remarks_weaker import several_targets, shares_of_groups

_CHECKS: tuple[Callable[[Reading], list[Remark]], ...] = (
    *(
        turned_scores,
        no_skill,
        leaks,
        other_splits,
        within_levels,
        free_score,
        vanishing,
    ),
    *(policies, gaps, ties, copies, conditions, unfinished),
    *(several_targets, shares_of_groups, candidate_labels),
)

CHECKS = (
    "columns that tell the target alone, rows that belong together or come in time, "
    "levels that carry the score, the free part, columns that vanish, gaps that depend "
    "on the target, copies, and differences between models"
)


def make_remarks(reading: Reading) -> list[Remark]:
    """Collect every caveat of an audit, worst first."""
    found = [remark for check in _CHECKS for remark in check(reading)]
    order = ("serious", "careful", "note")
    return sorted(found, key=lambda one: (order.index(one.severity), -one.rank))
