"""Caveats: each a function from numbers to a sentence, or to None.

A caveat speaks only when its numbers do. The severity is decided here too: *serious*
if the headline would mislead, *careful* if a decision could change, *note* otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caveat.pages import (
    Caveat,
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

CHECKS = (
    "the free part, failed and incomplete searches, selection rules, best sets, other "
    "measures, library versions and hosts, digests of records"
)


def below_free_part(
    *,
    where: str,
    best: str,
    value: str,
    free: str,
    reaches: bool,
    part: str,
    size: float,
    star: str,
) -> Caveat | None:
    """Warn where no learner reaches what clustering gives without a label.

    Parameters
    ----------
    where : str
        ``in the naive worlds``, or empty for all of them.
    best, value, free : str
        Who is best there, its score, and the free part.
    reaches : bool
        Whether that score is better than the free part.
    part : str
        How much of the study it is about: ``2 of 20 worlds``.
    size : float
        By how much it stays below.
    star : str
        Name of the caveat.
    """
    if reaches:
        return None
    return Caveat(
        "serious",
        say(
            "{where} no learner reaches the free part: the best, {best}, scores "
            "{value}, clustering {free}.",
            where=capital(where) or "On average",
            best=name(best),
            value=strong(value),
            free=free,
        ),
        value,
        part,
        name=star,
        size=size,
    )


def mostly_free(*, share: float, free: str, best: str, unit: str) -> Caveat | None:
    """Warn if more than half of the rise above chance needs no label."""
    if not share > 0.5:
        return None
    percent = f"{min(share, 1):.0%}".replace("%", "\u00a0%")
    return Caveat(
        "careful",
        say(
            "{percent} of the rise above chance needs no label: clustering reaches "
            "{free} {unit}, the best learner {best}.",
            percent=strong(percent),
            free=free,
            unit=unit,
            best=best,
        ),
        percent,
        "Free part by EAPP; chance is 0.5.",
        size=share,
    )


def chosen_by_oracle(rule: str, is_oracle: bool) -> Caveat | None:
    """Warn if the numbers on the page were chosen with true labels."""
    if not is_oracle:
        return None
    return Caveat(
        "serious",
        say(
            "Every number here was chosen by {rule}, which reads true labels; without "
            "them nobody gets these scores.",
            rule=name(rule),
        ),
        how=say("Choose an honest one with {option}.", option=code("--rule")),
        size=1.0,
    )


def damaged_rows(damaged: int) -> Caveat | None:
    """Warn if rows of the ledger are not what was written."""
    if not damaged:
        return None
    return Caveat(
        "serious",
        say(
            "{n} of the ledger {are} not what was written any more, and left out of "
            "every number here.",
            n=strong(plural(damaged, "row")),
            are="is" if damaged == 1 else "are",
        ),
        count(damaged),
        say(
            "{verify} says which, and running the study again mends it.",
            verify=code("caveat verify"),
        ),
        size=1.0,
    )


def no_rule(searches: int, rows: int) -> Caveat | None:
    """Warn if searches have several rows, and nothing to choose by."""
    if not searches:
        return None
    return Caveat(
        "serious",
        say(
            "{n} hold several rows, {rows} in all, and no selection rule was recorded; "
            "none was chosen from them.",
            n=strong(plural(searches, "search", "searches")),
            rows=count(rows),
        ),
        count(searches),
        "A rule names a criterion column and whether larger is better.",
        size=1.0,
    )


def gave_nothing(learners: Sequence[str], many: str, blocks: int) -> Caveat | None:
    """Warn if learners have no value at all."""
    if not learners:
        return None
    return Caveat(
        "serious",
        say(
            "{who} gave no value in {all} {many}.",
            who=names(learners),
            all=strong(f"any of {count(blocks)}" if blocks > 1 else "the only"),
            many=many,
        ),
        how="Counted last in the ranks, never filled in.",
        size=1.0,
    )


def failed_trials(
    *, failed: int, planned: int, worst: str, by_worst: int, left_out: int, many: str
) -> Caveat | None:
    """Warn if trials gave no value.

    `left_out` is how many blocks the mean of the worst learner leaves out.
    """
    if not failed:
        return None
    sentence = say(
        "{failed} of {planned} trials gave no value",
        failed=strong(count(failed)),
        planned=count(planned),
    )
    if by_worst < failed:
        sentence += say(", {n} of them from {who}", n=count(by_worst), who=name(worst))
    else:
        sentence += say(", all from {who}", who=name(worst))
    if left_out:
        sentence += f"; its mean leaves out {word(left_out)} {many}"
    return Caveat(
        "careful",
        sentence + ".",
        count(failed),
        "Counted as last in the ranks, never filled in.",
        size=failed / planned,
    )


def incomplete_searches(incomplete: int, searches: int) -> Caveat | None:
    """Warn if searches had fewer configurations to choose from than planned."""
    if not incomplete:
        return None
    return Caveat(
        "careful",
        say(
            "{n} of {all} searches are incomplete: the best of what is there may not "
            "be the best.",
            n=strong(count(incomplete)),
            all=count(searches),
        ),
        count(incomplete),
        "Some of their configurations failed or have not been run.",
        size=incomplete / searches,
    )


def rules_differ(
    *,
    where: str,
    worst: str,
    high: str,
    best: str,
    low: str,
    unit: str,
    apart: bool,
    size: float,
) -> Caveat | None:
    """Warn if the choice of the rule costs more than chance explains."""
    if not apart:
        return None
    return Caveat(
        "careful",
        say(
            "Tuned by {worst}{where}, a learner gives up {high} {unit}; by {best}, "
            "{low}.",
            worst=name(worst),
            where=f" {where}" if where else "",
            high=strong(high),
            unit=unit,
            best=name(best),
            low=low,
        ),
        high,
        "Regret against the best row of the same selection table.",
        size=size,
    )


def best_sets_disagree(
    *, first: str, first_count: int, leader: str, leader_count: int, many: str
) -> Caveat | None:
    """Warn if another learner than the leader is most often among the best."""
    if first == leader or first_count <= leader_count:
        return None
    return Caveat(
        "careful",
        say(
            "{first} is in the best set of {n} {many}, {leader} of {m}. Best on "
            "average does not mean best here.",
            first=name(first),
            n=strong(count(first_count)),
            many=many,
            leader=name(leader),
            m=count(leader_count),
        ),
        count(first_count),
        "Welch t-tests from the highest mean, at 0.05.",
        size=0.1,
    )


def measures_disagree(leaders: Mapping[str, str]) -> Caveat | None:
    """Warn if different measures have different leaders.

    Parameters
    ----------
    leaders : mapping of measure to the learner with its best mean, the main one first
    """
    main = next(iter(leaders.values()), None)
    other = {one: who for one, who in leaders.items() if who != main}
    if main is None or not other:
        return None
    unit, who = next(iter(other.items()))
    return Caveat(
        "careful",
        say(
            "{n} of {all} measures {have} another leader: by {unit} it is {who}, by "
            "{main_unit} {main}.",
            n=strong(capital(word(len(other)))),
            have="has" if len(other) == 1 else "have",
            all=word(len(leaders)),
            unit=name(unit),
            who=name(who),
            main_unit=name(next(iter(leaders))),
            main=name(main),
        ),
        how="Best mean under the same selection rule.",
        size=0.2,
    )


def guessed_direction(measures: Sequence[str]) -> Caveat | None:
    """Warn if nothing recorded which way some measures go."""
    if not measures:
        return None
    return Caveat(
        "careful",
        say(
            "Nothing recorded whether larger or smaller {what} is better; larger was "
            "taken to be.",
            what=names(measures),
        ),
        size=0.5,
    )


def one_data_set(data: str, worlds: int) -> Caveat | None:
    """Note that worlds of one data set are counted as if they were data sets."""
    if worlds < 2:
        return None
    return Caveat(
        "note",
        say(
            "{n} worlds of {one} data set are not {m} data sets. The test speaks about "
            "{data}.",
            n=capital(word(worlds)),
            one=strong("one"),
            m=word(worlds),
            data=name(data),
        ),
        "one",
    )


def few_blocks(blocks: int, many: str) -> Caveat | None:
    """Note that the approximations behind the tests are rough for few blocks."""
    if not 2 <= blocks < 10:
        return None
    return Caveat(
        "note",
        say(
            "{n} {many} are few: below ten the p-value of this test is rough.",
            n=strong(capital(word(blocks))),
            many=many,
        ),
        how="Iman and Davenport's approximation of Friedman's test.",
    )


def one_repeat(repeats: int) -> Caveat | None:
    """Note that every score is a single run."""
    if repeats != 1:
        return None
    return Caveat(
        "note",
        say(
            "Each number is {one} run: how much it would vary is not known.",
            one=strong("one"),
        ),
        how=say("More of them: {option} in the study file.", option=code("repeats:")),
    )


def copied_repeats(copies: int) -> Caveat | None:
    """Tell that repeats of the same split were left out."""
    if not copies:
        return None
    return Caveat(
        "careful",
        say(
            "Left out: {n} on the split of an earlier repeat; a copy counts once.",
            n=strong(plural(copies, "search", "searches")),
        ),
        how=say(
            "Other seeds, or a split at random, give repeats; {order} gives one split.",
            order=code("order:"),
        ),
    )


def no_free_part(*, asked: bool, known: int, datasets: int, unit: str) -> Caveat | None:
    """Note that nobody knows how much of the score is free.

    Parameters
    ----------
    asked : bool
        Whether there is a baseline at all.
    known, datasets : int
        For how many of how many data sets it has the measure.
    unit : str
        The measure.
    """
    if known == datasets:
        return None
    if not asked:
        why = prose("No baseline was run")
    elif not known:
        why = say("The baseline has no {unit}", unit=name(unit))
    else:
        why = say(
            "The baseline has {unit} for {known} of {all}",
            unit=name(unit),
            known=strong(count(known)),
            all=plural(datasets, "data set"),
        )
    return Caveat("note", why + ", so how much of these scores is free is not known.")


def several_hosts(hosts: int) -> Caveat | None:
    """Note that times were measured on more than one machine."""
    if hosts < 2:
        return None
    return Caveat(
        "note",
        say(
            "Times come from {n} hosts; they were not measured side by side.",
            n=strong(count(hosts)),
        ),
        count(hosts),
    )


def several_versions(versions: Mapping[str, Sequence[str]]) -> Caveat | None:
    """Warn if trials ran under more than one version of a library."""
    mixed = {library: found for library, found in versions.items() if len(found) > 1}
    if not mixed:
        return None
    library, found = next(iter(mixed.items()))
    more = f"; so for {plural(len(mixed) - 1, 'other library', 'other libraries')}"
    return Caveat(
        "careful",
        say(
            "Trials ran under {n} versions of {library}, {found}{more}.",
            n=strong(word(len(found))),
            library=name(library),
            found=names(found),
            more=more if len(mixed) > 1 else "",
        ),
        how="Scores of different versions were compared as if of one.",
        size=0.1,
    )


def rules_left_out(reasons: Sequence[str]) -> Caveat | None:
    """Note that some selection rules of the study cannot be used."""
    if not reasons:
        return None
    return Caveat(
        "note",
        say(
            "{n} could not be used: {why}.",
            n=strong(plural(len(reasons), "selection rule")),
            why=reasons[0],
        ),
    )
