"""Findings in words: small functions from numbers to sentences.

Nothing here reads records. Each function gets the numbers that its sentence is about
and says what they say, also where that is the opposite of what one hoped for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caveat.pages import (
    Prose,
    Span,
    capital,
    count,
    duration,
    fixed,
    name,
    names,
    p_value,
    plural,
    prose,
    say,
    share,
    word,
)

NOTHING_RUN = "Nothing has been run yet."
NO_VALUE = "No trial gave a value."
SAME_PAGE = "The same ledger gives the same page, byte for byte"


def without_damaged(damaged: int) -> str:
    """Say beside a finding that it leaves something out; nothing if it does not."""
    if not damaged:
        return ""
    are = "is" if damaged == 1 else "are"
    return f"{plural(damaged, 'row')} of the ledger {are} damaged and left out."


def so_far(words: Prose, running: bool) -> Prose:
    """Put "So far" before a finding that may still change."""
    if not running or not words:
        return words
    first, *rest = words.spans
    if first.kind == "plain" and first.text[1:2].islower():
        first = Span(first.text[:1].lower() + first.text[1:], first.kind, first.target)
    return prose("So far ") + Prose((first, *rest))


def trials_so_far(ended: int, planned: int) -> Prose:
    """Title of a page about a study that is still running."""
    return say("{a} of {b} trials so far.", a=count(ended), b=count(planned))


def who_leads(leaders: Sequence[str], learners: int, compared_by: str) -> Prose:
    """First sentence of the title: who leads, and whether the lead is real."""
    if learners == 1:
        return say("{who} was run alone.", who=name(leaders[0]))
    if compared_by == "nothing":
        return say("{who} has the best mean.", who=name(leaders[0]))
    if len(leaders) == 1:
        rest = "the other" if learners == 2 else f"the other {word(learners - 1)}"
        return say("{who} leads {rest}.", who=name(leaders[0]), rest=rest)
    if len(leaders) == learners:
        if learners == 2:
            return say("Nothing separates {both}.", both=names(leaders))
        return say("Nothing separates the {n} learners.", n=word(learners))
    if len(leaders) == 2:
        return say("{both} share the lead.", both=names(leaders))
    return prose(f"{capital(word(len(leaders)))} learners share the lead.")


def larger_finding(
    *,
    leaders: int,
    learners: int,
    value: str,
    unit: str,
    free: str,
    reaches_free: bool,
    tuning: float,
    distance: float,
) -> Prose:
    """Second sentence of the title: what matters more than who leads.

    Parameters
    ----------
    leaders, learners : int
        How many share the lead, and how many there are.
    value, unit : str
        The best mean, as written, and its measure.
    free : str
        The free part as written; empty if it is not known.
    reaches_free : bool
        Whether the best mean is better than the free part.
    tuning : float
        By how much the choice of rule moves a mean; NaN with fewer than two rules.
    distance : float
        From the first to the last of those who share the lead, or to the second.
    """
    if free and not reaches_free:
        who = "It does not reach" if learners == 1 else "No learner reaches"
        return say("{who} the free part, {free}.", who=who, free=free)
    if tuning > distance:
        if leaders > 1:
            return prose("How you tune them matters more than which you take.")
        return prose("How it is tuned matters more than its lead.")
    if free:
        return say(
            "The best scores {value}, clustering {free} without a label.",
            value=value,
            free=free,
        )
    return say("The best mean is {value} {unit}.", value=value, unit=unit)


def standing(
    *,
    leaders: Sequence[str],
    others: Sequence[str],
    compared_by: str,
    where: str,
    distance: str,
    unit: str,
) -> Prose:
    """First sentence of the lede: the leader, and who cannot be told from it.

    Parameters
    ----------
    leaders, others : sequence of str
        Those who share the lead, and the rest, both best first.
    compared_by : {"ranks", "repeats", "nothing"}
    where : str
        ``20 worlds of adult``.
    distance, unit : str
        Between the means of those who share the lead, or to the next.
    """
    first = name(leaders[0])
    if not others and len(leaders) == 1:
        return say("{who} was run on {where}, alone.", who=first, where=where)
    if compared_by == "nothing":
        return say(
            "{who} has the best mean over {where}; no part of it was run by all "
            "learners, so no test compares them.",
            who=first,
            where=where,
        )
    place = "ranks first over" if compared_by == "ranks" else "has the best mean on"
    if len(leaders) == 1:
        return say(
            "{who} {place} {where}; the next, {next}, is {gap} {unit} behind.",
            who=first,
            place=place,
            where=where,
            next=name(others[0]),
            gap=distance,
            unit=unit,
        )
    return say(
        "{who} {place} {where}, but nothing separates it from {rest}: "
        "they lie within {gap} {unit}.",
        who=first,
        place=place,
        where=where,
        rest=names(leaders[1:]),
        gap=distance,
        unit=unit,
    )


def tuning_moves(amount: str, unit: str, where: Prose | str) -> Prose:
    """Second sentence of the lede: what the choice of the rule alone does.

    `where` opens the sentence: "In the hard worlds"; empty for all of them.
    """
    return say(
        "{where} the choice of tuning rule alone moves a learner by {amount} {unit}.",
        where=where or "On average",
        amount=amount,
        unit=unit,
    )


def run_heading(planned: int, done: int, failed: int) -> Prose:
    """Heading of *What was run*."""
    waiting = planned - done - failed
    if waiting:
        return say(
            "{ended} of {planned} trials have ended, {failed} failed",
            ended=count(done + failed),
            planned=count(planned),
            failed=count(failed) if failed else "none",
        )
    if not done:
        return say("None of {trials} gave a value", trials=plural(planned, "trial"))
    if not failed:
        return prose(
            "The one planned trial gave a value"
            if planned == 1
            else f"All {count(planned)} planned trials gave a value"
        )
    return say(
        "{planned} trials are planned, {done} gave a value, {failed} failed",
        planned=count(planned),
        done=count(done),
        failed=count(failed),
    )


def leaderboard_heading(
    *,
    by_rank: str,
    by_mean: str,
    value: str,
    unit: str,
    to_reference: str,
    short: bool,
    to_free: str,
    above: bool,
) -> Prose:
    """Heading of the leaderboard.

    Parameters
    ----------
    by_rank : str
        Who has the best average rank; empty if nothing was ranked.
    by_mean, value, unit : str
        Who has the best mean, and what it is.
    to_reference, to_free : str
        How far the best mean is from full labels and from the free part; empty if
        they are not known.
    short, above : bool
        Whether it is worse than full labels, and better than the free part.
    """
    if not by_rank:
        who = say(
            "{who} scores {value} {unit}", who=name(by_mean), value=value, unit=unit
        )
    elif by_rank == by_mean:
        who = say(
            "{who} has the best average rank and the best mean", who=name(by_rank)
        )
    else:
        who = say(
            "{rank} has the best average rank, {mean} the best mean",
            rank=name(by_rank),
            mean=name(by_mean),
        )
    if to_reference:
        better = f"; {to_reference} better than full labels"
        return who + (f"; {to_reference} short of full labels" if short else better)
    if to_free:
        return who + f"; {to_free} {'better' if above else 'worse'} than the free part"
    return who


def difference_heading(
    cliques: Sequence[Sequence[str]], order: Sequence[str], *, p: float, differ: bool
) -> Prose:
    """Heading of *Are they different?* where ranks were tested."""
    if not differ:
        return say("Ranks tell no two learners apart: {p}", p=p_value(p))
    first = next((set(one) for one in cliques if order[0] in one), set())
    last = next((set(one) for one in cliques if order[-1] in one), set())
    if not first:
        head = say("{who} can be told from all others", who=name(order[0]))
        if last and len(last) < len(order) - 1:
            return head + f"; the last {word(len(last))} cannot be told apart"
        return head
    head = prose(f"The first {word(len(first))} cannot be told apart")
    if last and not first & last:
        return head + f", and neither can the last {word(len(last))}"
    return head


def repeats_heading(leaders: Sequence[str], learners: int, repeats: int) -> Prose:
    """Heading of *Are they different?* where one block has nothing but repeats."""
    if repeats < 2:
        return prose("One run each: nothing tells the learners apart")
    if len(leaders) == learners:
        return say(
            "{n} repeats tell no two of the best apart", n=capital(word(repeats))
        )
    if len(leaders) == 1:
        return say(
            "{who} is told from all others by {n} repeats",
            who=name(leaders[0]),
            n=word(repeats),
        )
    return say(
        "{n} repeats cannot tell the first {k} apart",
        n=capital(word(repeats)),
        k=word(len(leaders)),
    )


def matrix_title(
    firsts: Mapping[str, Mapping[str, int]], blocks: int, many: str
) -> Prose:
    """Title of the matrix of ranks: who is first where.

    Parameters
    ----------
    firsts : mapping of level to mapping of learner to number of first places
        One level without a name if blocks are not grouped.
    blocks, many
        How many blocks there are, and what they are called.
    """
    leaders = {
        level: max(counts, key=lambda one: counts[one])
        for level, counts in firsts.items()
        if any(counts.values())
    }
    if not leaders:
        return prose("Nobody is first anywhere: no cell has a value")
    who = list(dict.fromkeys(leaders.values()))
    if len(firsts) > 1 and len(who) == 1:
        return say("{who} has the most first places everywhere", who=name(who[0]))
    if len(firsts) > 1:
        where = {
            one: [at for at, first in leaders.items() if first == one] for one in who
        }
        parts = [
            say(
                "{who} most often in {where}"
                if place
                else "{who} is most often first in {where}",
                who=name(one),
                where=names(where[one]),
            )
            for place, one in enumerate(who[:3])
        ]
        return Prose(tuple(span for part in _comma(parts) for span in part.spans))
    wins = next(iter(firsts.values()))[who[0]]
    return say(
        "{who} is first in {n} of {all} {many}",
        who=name(who[0]),
        n=count(wins),
        all=count(blocks),
        many=many,
    )


def _comma(parts: Sequence[Prose]) -> list[Prose]:
    spaced: list[Prose] = []
    for number, part in enumerate(parts):
        spaced += [prose(", ")] * (number > 0) + [part]
    return spaced


def selection_heading(
    honest: Mapping[str, float], oracles: Mapping[str, float], unit: str, places: int
) -> Prose:
    """Heading of *Honest selection*: the range of regret over rules."""
    if not honest and not oracles:
        return prose("There was nothing to choose: one row per search")
    if not honest:
        return say(
            "Only rules that read true labels were recorded; the best costs {least} "
            "{unit}",
            least=fixed(min(oracles.values()), places),
            unit=unit,
        )
    low, high = fixed(min(honest.values()), places), fixed(max(honest.values()), places)
    if len(honest) == 1:
        return say(
            "Tuning by {rule} costs {low} {unit}",
            rule=name(next(iter(honest))),
            low=low,
            unit=unit,
        )
    if low == high:
        return say(
            "Honest tuning costs {low} {unit}, whatever the rule",
            low=low,
            unit=unit,
        )
    return say(
        "Honest tuning costs {low} to {high} {unit}, depending on the rule",
        low=low,
        high=high,
        unit=unit,
    )


def regret_title(order: Sequence[str], apart: Sequence[str]) -> Prose:
    """Title of the regret figure: which rules stand apart from the best one.

    Parameters
    ----------
    order : sequence of str
        Rules, smallest mean regret first.
    apart : sequence of str
        Rules whose interval lies wholly above that of the first.
    """
    if len(order) == 1:
        return say("What {rule} gives up", rule=name(order[0]))
    if not apart:
        return prose("No rule stands apart: their intervals overlap")
    if len(apart) == len(order) - 1 > 1:
        return say("{best} gives up least, beyond chance", best=name(order[0]))
    return say(
        "{worst} {verb} up more than {best}, beyond chance",
        worst=names(apart),
        verb="gives" if len(apart) == 1 else "give",
        best=name(order[0]),
    )


def cost_heading(
    *, best: str, rival: str, gap: str, unit: str, ratio: float, seconds: float
) -> Prose:
    """Heading of *Cost*: the nearest learner that is faster than the best.

    Parameters
    ----------
    best, rival : str
        Who has the best mean; the best of those that are faster, or empty.
    gap, unit : str
        How far the rival stays behind.
    ratio : float
        The rival's time over that of the best.
    seconds : float
        The time of the best.
    """
    if not rival:
        return say(
            "{who} is the best and the fastest: {time} per search",
            who=name(best),
            time=duration(seconds),
        )
    if ratio > 0.9:
        return say(
            "{who} comes within {gap} {unit} of the best in nearly the same time",
            who=name(rival),
            gap=gap,
            unit=unit,
        )
    return say(
        "{who} comes within {gap} {unit} of the best in {share} of the time",
        who=name(rival),
        gap=gap,
        unit=unit,
        share=share(ratio),
    )


def cost_title(frontier: Sequence[str], learners: int) -> Prose:
    """Title of the cost figure: who is worth the seconds."""
    if learners == 1:
        return say("What {who} takes", who=name(frontier[0]))
    if len(frontier) == learners:
        return prose("Every learner is worth its seconds: whoever is slower is better")
    if len(frontier) == 1:
        return say("Only {who} is worth its seconds", who=name(frontier[0]))
    return say("Only {who} are worth their seconds", who=names(frontier))


def failures_heading(failed: int, reasons: int) -> Prose:
    """Heading of *Failures*."""
    if not failed:
        return prose("No trial failed")
    if failed == 1:
        return prose("One trial failed; it was not filled in")
    why = "one reason" if reasons == 1 else f"{word(reasons)} reasons"
    return say(
        "{n} trials failed, for {why}; none was filled in", n=count(failed), why=why
    )
