"""What a report finds: who is first, and what that is worth.

Every sentence is a claim made from numbers here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.board._floors import Floor
from caveat.board._scores import OVER_REPEATS, Context
from caveat.board._study import OPEN_STATES, Study
from caveat.board._verdict import ALPHA
from caveat.pages import Words, count, name, names, say, word
from caveat.pages.claims import (
    AgainstFloor,
    Claim,
    Comparison,
    Estimate,
    Standings,
    Tie,
    Unfinished,
    Value,
)

if TYPE_CHECKING:
    from caveat.statistics import Interval


def findings(context: Context) -> Iterator[Claim]:
    """Say who is first and whether that is real, then what it is worth."""
    if context.study.is_running:
        yield so_far(context.study)
    yield standing(context)
    yield from worth(context)


def so_far(study: Study) -> Unfinished:
    """Say how much of a running study has ended."""
    states = study.trials["state"]
    ended = int((~states.isin(OPEN_STATES)).sum())
    return Unfinished("trials", ended, len(states), leads=True, section="run")


def standing(context: Context) -> Claim:
    """Say who can be told from the first, and by which test."""
    scores, study, verdict = context.scores, context.study, context.scores.verdict
    who = [context.names[one] for one in verdict.leaders]
    place = {"section": "different"}
    # What names its test itself does not name it twice.
    told = {**place, "how": verdict.sentence}
    if len(study.competing) == 1:
        alone = "was run alone" if len(study.learners) == 1 else "has no competitor"
        if study.competing[0] not in scores.intervals and not study.is_running:
            alone = "gave no value"
        one = name(context.names[study.competing[0]])
        return Standings(sentence=say("{who} {is_}.", who=one, is_=alone), **told)
    if verdict.kind == "none":
        return Standings(sentence="No test compares the learners.", **told)
    if verdict.kind == "each" and len(who) == 1:
        return _told_on_some(context, told)
    if verdict.kind == "each" and not who:
        sets = len(verdict.sets)
        words = f"On {count(sets)} data sets, other learners come first on each."
        return Standings(sentence=words, counts=(sets,), **told)
    if len(who) > 1:
        test = _test(context)
        return Tie(tuple(who), test, context.unit, noun="learners", **place)
    second = next(one for one in scores.order if one in verdict.differences)
    return Comparison(
        name(who[0]),
        name(context.names[second]),
        verdict.differences[second],
        _test(context),
        verdict.pairs,
        **place,
    )


def _told_on_some(context: Context, place: dict[str, str]) -> Claim:
    """Count the data sets on which all others are told from the first, one by one."""
    verdict = context.scores.verdict
    first, sets = verdict.leaders[0], len(verdict.sets)
    alone = sum(len(one) == 1 for one in verdict.sets.values())
    over_all = [
        one
        for one, p in verdict.p_values.items()
        if p <= ALPHA and (verdict.differences[one].low or 0.0) > 0
    ]
    template = "On {n} of {all} data sets {others} from {who}."
    if alone < sets and len(over_all) == len(verdict.compared) - 1:
        template = (
            "Over {all} data sets together {others} from {who}, on {n} by themselves."
        )
    words = say(
        template,
        n=count(alone) if alone else "none of them",
        all=count(sets),
        others=_others(context, first),
        who=name(context.names[first]),
    )
    return Standings(sentence=words, counts=(alone, sets), **place)


def _others(context: Context, first: str) -> Words:
    """Name those who were compared with the first; who gave no value was not."""
    out = {first, *context.scores.verdict.unranked}
    ours = [one for one in context.scores.order if one in context.study.competing]
    others = [context.names[one] for one in ours if one not in out]
    if len(others) > 3:
        return f"all {count(len(others))} others are told"
    are = "is" if len(others) == 1 else "are"
    return say("{who} {are} told", who=names(others), are=are)


def _test(context: Context) -> str:
    """Name the test in a few words."""
    verdict = context.scores.verdict
    if verdict.kind == "data sets" and not verdict.differences:
        return "Friedman's test over data sets"
    if verdict.kind == "data sets":
        return "Friedman's and paired Wilcoxon tests over data sets, Holm-corrected"
    if verdict.kind == "each":
        sets = word(len(verdict.sets))
        return (
            f"of {sets} data sets each is compared by itself, and so is the mean over "
            f"them, by {OVER_REPEATS}"
        )
    return OVER_REPEATS


def worth(context: Context) -> Iterator[Claim]:
    """Hold the weakest of those who share the first place against the floor.

    The weakest, by the careful end of its interval, so that nobody was picked by test
    scores. The constant answer itself is no learner to be quoted.
    """
    scores, floor = context.scores, context.floor
    able, shared = _able(context)
    if not able:
        return
    one = least_sure(context)
    who: Words = name(context.names[one])
    if len(able) > 1:
        these = " of these" if shared else ""
        who = say("the least sure{these}, {who},", these=these, who=who)
    estimate = scores.estimate(one)
    if not np.isfinite(floor.value):
        yield Value(who, estimate, section="leaderboard")
        return
    yield held(context, who, one, floor, section="leaderboard")


def held(
    context: Context,
    who: Words,
    learner: str,
    floor: Floor,
    level: str = "",
    **more: Any,
) -> AgainstFloor:
    """Hold a learner against a floor: paired, where the floor was measured."""
    gap = None if floor.each is None else context.beside(floor, level).get(learner)
    return AgainstFloor(
        who,
        context.scores.estimate(learner, level),
        Estimate(floor.value, context.unit),
        floor.name,
        sign=int(context.measure.sign),
        difference=gap,
        **more,
    )


def _able(context: Context) -> tuple[list[str], bool]:
    """Give who may be quoted, and whether these share the first place."""
    scores = context.scores
    shared = scores.verdict.kind != "none" and bool(scores.leaders)
    those = scores.leaders if shared else scores.order
    ours = context.study.competing
    return [one for one in those if one in scores.intervals and one in ours], shared


def least_sure(context: Context) -> str:
    """Give the one of them whose interval promises least; empty if there is none.

    The interval of its way from the floor, where that was measured on the same splits.
    """
    known, sign = context.scores.intervals, context.measure.sign
    able, _ = _able(context)
    floor = context.floor
    paired = np.isfinite(floor.value) and floor.each is not None
    gaps = context.beside(floor) if paired else {}

    def promise(one: str) -> tuple[float, float]:
        low = gaps[one].low if one in gaps else None
        return -np.inf if low is None else low, _careful_end(known[one], sign)

    return min(able, key=promise, default="")


def _careful_end(interval: Interval, sign: float) -> float:
    """Give the end nearer to the floor, larger for better; the mean without one."""
    end = interval.low if sign > 0 else interval.high
    return sign * (end if np.isfinite(end) else interval.mean)
