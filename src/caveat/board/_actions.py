"""What to do next: one action that follows from a report's claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from caveat.board._floors import Floor, constant_answer
from caveat.board._scores import FEWEST, Context
from caveat.board._verdict import FEWEST_TESTED
from caveat.pages import Words, code, duration, name, names, plural, say
from caveat.pages.claims import past

if TYPE_CHECKING:
    import pandas as pd


def next_step(context: Context, seconds: pd.Series) -> Words:
    """Say what to do where no caveat asks for anything.

    Nobody is recommended who is not seen above the floor.
    """
    leaders, floor = context.scores.leaders, context.floor
    if context.study.is_running:
        return "Wait for the trials that are left, then make this page again."
    if np.isfinite(floor.value) and not context.above_floor:
        gaps = context.beside(floor).values()
        below = all(gap.high is not None and gap.high < 0 for gap in gaps)
        if _few_repeats(context) and not below:
            return _add_more(context, (), floor)
        return _none_above_floor(context, floor)
    if np.isfinite(floor.value):
        unsure = [one for one in leaders if one not in context.above_floor]
        if unsure:
            return _add_more(context, unsure, floor)
    tied = [one for one in leaders if one in seconds]
    if len(tied) < 2:
        return "Nothing to do."
    fastest = min(tied, key=lambda one: seconds[one])
    return say(
        "Choose among them by something other than this score: {who} takes the least "
        "time, {time} per search.",
        who=name(context.names[fastest]),
        time=duration(float(seconds[fastest])),
    )


def _over_data_sets(context: Context) -> bool:
    """Whether learners are held against floors over data sets, not over repeats."""
    return len(context.study.datasets) >= FEWEST_TESTED


def _few_repeats(context: Context) -> bool:
    """Whether so few values decide that not seen may be too few to see."""
    return not _over_data_sets(context) and context.scores.cells.repeats < FEWEST


def _add_more(
    context: Context, unseen: Sequence[str], floor: Floor, level: str = ""
) -> Words:
    """Ask for more repeats or data sets: these do not show who is above the floor."""
    repeats, sets = context.scores.cells.repeats, len(context.study.datasets)
    what: Words = say("{key} to the study file", key=code(f"repeats: {_more(repeats)}"))
    now = plural(repeats, "repeat")
    if _over_data_sets(context):
        what, now = "data sets", plural(sets, "data set")
    shown = names([context.names[one] for one in unseen], most=3)
    return say(
        "Add {what}: {where}{now} {who} seen {past} {floor}.",
        what=what,
        where=f"{context.in_level(level)} with " if level else "with ",
        now=now + ",",
        who=shown + (" are not" if len(unseen) > 1 else " is not")
        if unseen
        else "no learner is",
        past=past(context.measure.sign),
        floor=floor.name,
    )


def _more(repeats: int) -> int:
    return max(10, 2 * repeats)


def about_clusters(context: Context, floor: Floor, level: str, learner: str) -> Words:
    """Say what to do where nobody is seen above clusters: ask what they know, if so.

    A few repeats that do not put the learner below them only ask for more.
    """
    constant = constant_answer(context.study, context.scores)
    known = constant.of(context.study.datasets_of(level))
    sign = context.measure.sign
    high = context.beside(floor, level)[learner].high
    if _few_repeats(context) and (high is None or high >= 0):
        return _add_more(context, (), floor, level)
    where = f" {context.in_level(level)}" if level else ""
    if np.isfinite(known) and sign * floor.value <= sign * known:
        return _none_above_floor(context, constant, where)
    return say(
        "Look at the data before the learners: what do clusters pick up{where} that "
        "gives the classes away?",
        where=where,
    )


def _none_above_floor(context: Context, floor: Floor, where: str = "") -> Words:
    return say(
        "Look for columns that say more, or for other learners: none is seen {past} "
        "{floor}{where}.",
        past=past(context.measure.sign),
        floor=floor.name,
        where=where,
    )
