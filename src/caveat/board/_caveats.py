"""The caveats of a report.

A caveat speaks only when its numbers do; its severity is decided here, by the careful
end of an interval where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from caveat.board._actions import about_clusters
from caveat.board._claims import held, least_sure
from caveat.board._floors import Floor
from caveat.board._scores import Context, score
from caveat.board._study import FAILED_STATES, Study
from caveat.eapp.result import CLUSTERS
from caveat.pages import (
    capital,
    code,
    count,
    name,
    names,
    plural,
    prose,
    say,
    strong,
    word,
)
from caveat.pages.claims import AgainstFloor, Claim, Condition, past

CHECKS = (
    "No caveat was found by these checks: floors, failed and incomplete searches, "
    "selection rules, other measures, library versions and hosts, digests of records."
)


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
        if told and first == least_sure(context) and claim.standing == "at":
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
    claim = held(
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
        fix=about_clusters(context, floor, level, learner),
        size=abs(floor.value - context.scores.level_means[level][learner]),
    )
    below = claim.standing == "below" and claim.score.has_interval
    return replace(claim, severity="serious" if below else "careful")


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
    searches = study.table.groups[study.table.learnt]
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
