"""What a report says: every sentence of it is a claim made from numbers here.

A caveat speaks only when its numbers do; its severity is decided here, by the careful
end of an interval where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.board._floors import Floor, constant_answer
from caveat.board._scores import FEWEST, OVER_REPEATS, Context, score
from caveat.board._study import FAILED_STATES, OPEN_STATES, Study
from caveat.board._verdict import ALPHA, FEWEST_TESTED
from caveat.eapp.result import CLUSTERS
from caveat.pages import (
    Words,
    capital,
    code,
    count,
    duration,
    name,
    names,
    plural,
    prose,
    say,
    strong,
    word,
)
from caveat.pages.claims import (
    AgainstFloor,
    Claim,
    Comparison,
    Condition,
    Estimate,
    Standings,
    Tie,
    Unfinished,
    Value,
    past,
)

if TYPE_CHECKING:
    import pandas as pd

    from caveat.statistics import Interval

CHECKS = (
    "No caveat was found by these checks: floors, failed and incomplete searches, "
    "selection rules, other measures, library versions and hosts, digests of records."
)


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
    one = _least_sure(context)
    who: Words = name(context.names[one])
    if len(able) > 1:
        these = " of these" if shared else ""
        who = say("the least sure{these}, {who},", these=these, who=who)
    estimate = scores.estimate(one)
    if not np.isfinite(floor.value):
        yield Value(who, estimate, section="leaderboard")
        return
    yield _held(context, who, one, floor, section="leaderboard")


def _held(
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


def _least_sure(context: Context) -> str:
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
        "Choose among them by something else than this score: {who} takes the least "
        "time, {time} per search.",
        who=name(context.names[fastest]),
        time=duration(float(seconds[fastest])),
    )


def _few_repeats(context: Context) -> bool:
    """Whether so few values decide that not seen may be too few to see."""
    return not _over_data_sets(context) and context.scores.cells.repeats < FEWEST


def _over_data_sets(context: Context) -> bool:
    """Whether learners are held against floors over data sets, not over repeats."""
    return len(context.study.datasets) >= FEWEST_TESTED


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


def caveats(context: Context) -> Iterator[Claim]:
    """Give every caveat of a study that has scores."""
    study = context.study
    yield from ledger_caveats(study)
    yield from _floors_by_level(context)
    yield from _choice(context)
    yield from _silent(context)
    yield from _failures(context)
    yield from _measures(context)
    yield from _design(context)
    yield from _machines(study)


def ledger_caveats(study: Study) -> Iterator[Claim]:
    """Warn of damaged rows and of mixed library versions."""
    if study.damaged:
        are, rows = "is" if study.damaged == 1 else "are", plural(study.damaged, "row")
        yield Condition(
            sentence=f"{rows} of the ledger {are} damaged and left out.",
            counts=(study.damaged,),
            severity="serious",
            kind="damaged",
            section="run",
            size=1.0,
            fix=say("Run {v} to see which.", v=code("caveat verify")),
        )
    mixed = {k: found for k, found in study.versions.items() if len(found) > 1}
    if mixed:
        library, found = next(iter(mixed.items()))
        others = plural(len(mixed) - 1, "other library", "other libraries")
        yield Condition(
            sentence=say(
                "Trials ran under {n} versions of {library}, {found}{more}.",
                n=strong(word(len(found))),
                library=name(library),
                found=names(found),
                more=f"; so for {others}" if len(mixed) > 1 else "",
            ),
            counts=(len(found), len(mixed) - 1),
            severity="careful",
            kind="versions",
            section="run",
            size=0.1,
            how="Scores of different versions were compared as if of one.",
        )


def _floors_by_level(context: Context) -> Iterator[Claim]:
    """Warn where not even the first mean is seen above what clusters reach."""
    scores, study = context.scores, context.study
    clusters = context.scorer.clusters(context.measure)
    for number, level in enumerate(("", *study.levels)):
        floor = Floor(context.free_of(level), CLUSTERS, clusters)
        means = scores.level_means[level]
        ours = [one for one in study.competing if one in means]
        if not ours or not np.isfinite(floor.value):
            continue
        held = context.beside(floor, level)
        gaps = [held[one].low if one in held else None for one in ours]
        if any(low is None or low > 0 for low in gaps):
            continue
        first = max(ours, key=lambda one: context.measure.sign * means[one])
        claim = _beside_clusters(context, first, level, number, floor)
        told = not level and context.floor.name == CLUSTERS
        if told and first == _least_sure(context) and claim.standing == "at":
            # The title says it of this learner; it is not said twice.
            yield _none_above(claim, len(study.competing), floor)
        else:
            yield claim
        if not level:  # what holds on the whole need not be said of each part
            return


def _none_above(claim: AgainstFloor, learners: int, floor: Floor) -> Claim:
    return Condition(
        sentence=say(
            "None of {n} is seen {past} {floor}, {value}.",
            past=past(claim.sign),
            n=plural(learners, "learner"),
            floor=floor.name,
            value=claim.floor.text,
        ),
        counts=(learners, floor.value),
        severity="careful",
        kind=claim.kind,
        section=claim.section,
        name=claim.name,
        fix=claim.fix,
        size=claim.size,
    )


def _beside_clusters(
    context: Context, learner: str, level: str, number: int, floor: Floor
) -> AgainstFloor:
    who = say(
        "the {end} mean{where}, {who}'s,",
        end="highest" if context.measure.sign > 0 else "lowest",
        where=f" {context.in_level(level)}" if level else "",
        who=name(context.names[learner]),
    )
    claim = _held(
        context,
        who,
        learner,
        floor,
        level,
        kind="free",
        section="leaderboard",
        name=f"{context.prefix}below-{number}",
        how=f"No learner is seen {past(context.measure.sign)} what needs no "
        f"learning{' there' * bool(level)}.",
        fix=_about_clusters(context, floor, level, learner),
        size=abs(floor.value - context.scores.level_means[level][learner]),
    )
    below = claim.standing == "below" and claim.score.has_interval
    return replace(claim, severity="serious" if below else "careful")


def _about_clusters(context: Context, floor: Floor, level: str, learner: str) -> Words:
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


def _choice(context: Context) -> Iterator[Claim]:
    choice, table = context.scores.choice, context.study.table
    if choice.oracle:
        yield Condition(
            sentence=say(
                "Every number here was chosen by {rule}, which reads true labels; "
                "without them nobody gets these scores.",
                rule=name(choice.title),
            ),
            severity="serious",
            kind="oracle",
            section="leaderboard",
            size=1.0,
            fix=say("Choose an honest rule with {option}.", option=code("--rule")),
        )
    if choice.name is None and len(table.code):
        rows = np.bincount(table.code[table.code >= 0], minlength=len(table.groups))
        several = rows > 1
        if several.any():
            yield Condition(
                sentence=say(
                    "{n} hold several rows and no selection rule was recorded; none "
                    "was chosen from them.",
                    n=strong(plural(int(several.sum()), "search", "searches")),
                ),
                counts=(int(several.sum()),),
                severity="serious",
                kind="no-rule",
                section="leaderboard",
                size=1.0,
            )
    for reason in context.study.left_out[:1]:
        n = len(context.study.left_out)
        yield Condition(
            sentence=say(
                "{n} could not be used: {why}.",
                n=strong(plural(n, "selection rule")),
                why=reason,
            ),
            counts=(n,),
            severity="note",
            section="selection",
        )


def _silent(context: Context) -> Iterator[Claim]:
    """Name learners without any value, and those that could not be compared."""
    scores, study = context.scores, context.study
    blocks = len(study.blocks)
    silent = [
        one
        for one in study.learners
        if one not in scores.intervals and not scores.count(one).open
    ]
    if silent:
        where = f"any of {count(blocks)}" if blocks > 1 else "the only"
        yield Condition(
            sentence=say(
                "{who} gave no value in {all} {many}.",
                who=names([context.names[one] for one in silent]),
                all=strong(where),
                many=study.noun.many if blocks > 1 else study.noun.one,
            ),
            counts=(blocks,),
            severity="serious",
            kind="failed",
            section="leaderboard",
            size=1.0,
            how="Never filled in.",
        )
    apart = [one for one in scores.verdict.unranked if one not in silent]
    if apart and len(scores.intervals) > 1:
        yield Condition(
            sentence=say(
                "{who} {are} compared with nobody: values are missing where others "
                "have them.",
                who=names([context.names[one] for one in apart]),
                are="is" if len(apart) == 1 else "are",
            ),
            severity="careful",
            kind="unfinished",
            section="different",
            size=0.3,
            how="Differences are taken over the same data sets, worlds and repeats.",
        )


def _failures(context: Context) -> Iterator[Claim]:
    study = context.study
    failed = study.trials[study.trials["state"].isin(FAILED_STATES)]
    if len(failed):
        by_learner = failed["learner"].astype(str).value_counts(sort=False)
        worst = str(by_learner.idxmax())
        some = int(by_learner.max())
        part = f"{count(some)} of them" if some < len(failed) else "all"
        yield Condition(
            sentence=say(
                "{failed} of {planned} trials gave no value, {part} from {who}.",
                failed=strong(count(len(failed))),
                planned=count(len(study.trials)),
                part=part,
                who=name(study.title("learner", worst)),
            ),
            counts=(len(failed), len(study.trials), some),
            severity="careful",
            kind="failed",
            section="failures",
            size=len(failed) / len(study.trials),
            how="Counted as last in the ranks, never filled in.",
            fix=say("See why with {status}.", status=code("caveat status")),
        )
    groups = study.table.groups
    searches = groups[~groups["baseline"].fillna(False).astype(bool)]
    # Failed members only: what has not been run yet is said elsewhere.
    torn = int(((searches["failed"] > 0) & (searches["present"] > 0)).sum())
    if torn:
        yield Condition(
            sentence=say(
                "{n} of {all} searches {are} incomplete: what was chosen is the choice "
                "of what is there.",
                are="is" if torn == 1 else "are",
                n=strong(count(torn)),
                all=count(len(searches)),
            ),
            counts=(torn, len(searches)),
            severity="careful",
            kind="unfinished",
            section="failures",
            size=torn / len(searches),
        )


def _measures(context: Context) -> Iterator[Claim]:
    """Warn where another measure puts other learners first, by the same tests."""
    study, ours = context.study, set(context.scores.leaders)
    if context.scores.verdict.kind in ("splits", "data sets"):
        for measure in study.measures[1:]:
            other = score(context.scorer, measure, study.choices[0]).verdict
            if other.kind == "none" or ours & set(other.leaders) or not other.leaders:
                continue
            yield Condition(
                sentence=say(
                    "By {unit} others come first: {who}.",
                    unit=name(measure.title),
                    who=names([context.names[one] for one in other.leaders], most=4),
                ),
                severity="careful",
                kind="measures",
                section="leaderboard",
                size=0.2,
                how="By the same tests, under the same selection rule.",
            )
            break
    guessed = [one.title for one in study.measures if one.guessed]
    if guessed:
        yield Condition(
            sentence=say(
                "Nothing recorded whether larger or smaller {what} is better; larger "
                "was taken to be.",
                what=names(guessed),
            ),
            severity="careful",
            section="leaderboard",
            size=0.5,
        )


def _design(context: Context) -> Iterator[Claim]:
    """Note what the design of the study cannot tell."""
    study, scores = context.study, context.scores
    if scores.cells.repeats == 1:
        yield Condition(
            sentence=say(
                "Each number is {one} run: how much it would vary is not known.",
                one=strong("one"),
            ),
            severity="careful",
            kind="small",
            section="leaderboard",
            fix=say("Add {option} to the study file.", option=code("repeats: 10")),
            counts=(10,),
        )
    if study.table.copies:
        copies = plural(study.table.copies, "search", "searches")
        words = f"Left out: {copies} on the split of an earlier repeat."
        yield Condition(
            sentence=words,
            counts=(study.table.copies,),
            severity="careful",
            section="leaderboard",
        )
    worlds, data = len(study.blocks), study.datasets
    if len(data) == 1 and worlds > 1:
        yield Condition(
            sentence=say(
                "{n} worlds of one data set are not {m} data sets: all this is about "
                "{data}.",
                n=strong(capital(word(worlds))),
                m=word(worlds),
                data=name(data[0]),
            ),
            counts=(worlds,),
            severity="note",
            section="different",
        )
    known, asked = len(context.free), len(study.baseline) > 0
    if known < len(data):
        why = say("Clusters give no {unit}", unit=name(context.unit))
        if not asked:
            why = prose("Clusters were not run")
        elif known:
            why = say(
                "Clusters have {unit} for {known} of {all}",
                unit=name(context.unit),
                known=strong(count(known)),
                all=plural(len(data), "data set"),
            )
        yield Condition(
            sentence=why + f": {_floor_left(context)}.",
            counts=(known, len(data)),
            severity="note",
            section="leaderboard",
        )


def _floor_left(context: Context) -> str:
    """Say what stands in for clusters as the floor."""
    if np.isfinite(context.floor.value):
        return f"the floor here is {context.floor.name}"
    return "no floor is known by this measure"


def _machines(study: Study) -> Iterator[Claim]:
    hosts = study.trials["host"].dropna().astype(str)
    several = int(hosts[hosts != ""].nunique())
    if several > 1:
        words = f"Times come from {several} hosts, not measured side by side."
        yield Condition(
            sentence=words, counts=(several,), severity="note", section="cost"
        )
