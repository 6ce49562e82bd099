"""What is said of candidate labels and crowds: one claim per finding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from caveat import pages
from caveat.candidates.result import Result, interval
from caveat.pages import claims

_WEAK_ALPHA, _UNSURE_SHARE, _GIVEN_UP = 0.4, 0.2, 0.02
# Sets from which so many true labels are missing, or in which two labels nearly always
# come together.
_NOISY, _TOGETHER, _INSEPARABLE = 0.1, 0.9, 0.99


@dataclass(frozen=True)
class Worth(claims.AgainstFloor):
    """How right labels are, in a title that carries the interval."""

    @property
    def short(self) -> pages.Prose:
        """Say it in few words, with the interval."""
        return self.headed


@dataclass(frozen=True)
class Belief(claims.Value):
    """How right labels are by their own probabilities, which no floor is held against.

    They praise themselves: whether they are worth more than a vote is for answers that
    were left out to say.
    """

    @property
    def short(self) -> pages.Prose:
        """Say it with the interval, in titles too."""
        return self.words


def worth(found: Result) -> claims.Claim:
    """Say how right the labels are, beside what is free where the truth is known.

    That is the vote, which needs no model of the crowd; where the vote itself was
    chosen, it is one label for all.
    """
    chosen = f"{found.chosen} was chosen by {found.rule}."
    if not found.known:
        return Belief(
            f"labels by {found.chosen}, by their own probabilities,",
            found.estimate,
            "have",
            section="methods",
            how=f"Nobody checked them: a truth column would. {chosen}",
        )
    voted = found.vote is not None
    return Worth(
        f"labels by {found.chosen}",
        found.estimate,
        found.floor,
        "the majority vote" if voted else "the most frequent label",
        difference=found.advantage if voted else None,
        many=True,
        section="methods",
        how=f"By the truth of {pages.plural(found.known, 'item')}, which chose "
        f"nothing. {chosen}",
    )


def against_vote(found: Result) -> claims.Claim | None:
    """Compare the suggestions with the vote by what they predict, without a truth.

    By the truth the vote is the floor, see `worth`.
    """
    if found.known or found.by_vote or not math.isfinite(found.ahead[0]):
        return None
    test = "answers left out in turn, paired over items"
    vote, place = "the majority vote", "methods"
    ours = pages.name(found.chosen)
    compared = claims.Comparison(ours, vote, found.foresight, test, section=place)
    if compared.decided:
        return compared
    unit = found.foresight.measure
    return claims.Tie((found.chosen, vote), test, unit, section=place)


def choice(found: Result) -> claims.Claim | None:
    """Say what the choice without truth gave up, where the truth is known."""
    given_up = interval(found.regret, "accuracy", "paired bootstrap", found.known)
    if not (found.known and given_up.has_interval):
        return None
    return claims.Chosen(
        found.chosen,
        found.rule,
        given_up,
        severity="careful" if found.regret[1] > _GIVEN_UP else None,
        kind="regret",
        section="methods",
        how="Among all ways of the table, by the truth; that choice is resampled, too.",
    )


def all_claims(found: Result) -> Iterator[claims.Claim]:
    """Give all claims, what leads first: the vote before a score of one's own."""
    compared = against_vote(found)
    if compared is not None:
        yield compared
    yield worth(found)
    given_up = choice(found)
    if given_up is not None:
        yield given_up
    yield from _label_columns(found)
    yield from _vote_caveat(found)
    yield from _people_caveats(found)
    yield from _agreement_caveats(found)
    yield from _item_caveats(found)
    if not found.people_known:
        yield from _set_caveats(found)
    if not found.known:
        yield claims.Condition(
            sentence="No true label is known: how right labels are is the models' "
            "own belief.",
            severity="note",
            kind="unchecked",
            section="methods",
            fix="Check a few dozen suggestions by hand and pass them with --truth.",
        )
    yield from claims.remarks(found.notes, section="again")


def _label_columns(found: Result) -> Iterator[claims.Claim]:
    """Name columns that hold labels: a model that reads them reads the answer."""
    names = list(found.label_columns)
    if not names:
        return
    who, one = pages.names(names), len(names) == 1
    if found.known:
        fix = "Add {who} to --annotators if {they} another person's labels."
    elif one:
        fix = (
            "Pass {who} as --truth if {they} the truth, or with --annotators if "
            "{they} another person's labels."
        )
    else:
        fix = (
            "Pass the truth, if it is among {who}, as --truth; people as --annotators."
        )
    yield claims.Condition(
        sentence=pages.say(
            "{who} {hold} names of classes only: nothing was learnt from {it}.",
            who=who,
            hold="holds" if one else "hold",
            it="it" if one else "them",
        ),
        severity="careful",
        kind="labels",
        section="again",
        columns=tuple(names),
        size=1.0,
        fix=pages.say(fix, who=who, they="it is" if one else "they are"),
    )


def _vote_caveat(found: Result) -> Iterator[claims.Claim]:
    """Never suggest what is worse than the vote without saying so."""
    value, _, high = found.difference
    if found.by_vote or not math.isfinite(value) or value >= 0:
        return
    surely = high < 0
    yield claims.Condition(
        sentence=pages.say(
            "The majority vote is right more often than the suggestions, by {by}{not}.",
            by=pages.strong(pages.fixed(-value)),
            **{"not": "" if surely else "; that cannot be told from none"},
        ),
        counts=(-value, value),
        estimate=replace(found.advantage, measure="difference"),
        severity="serious" if surely else "note",
        kind="vote",
        section="methods",
        how="By the truth, paired over items.",
        fix="Use the column vote of the suggestions." if surely else "",
    )


def _people_caveats(found: Result) -> Iterator[claims.Claim]:
    words = {
        "spammer": ("answers as if guessing", "careful", "answer as if guessing"),
        "adversary": ("is right less often than guessing would be", "serious", ""),
    }
    for row in found.flagged.head(3).itertuples():
        said, severity, _ = words[row.flag]
        one = interval(
            (row.accuracy, row.low, row.high), "accuracy", "answers", int(row.answers)
        )
        yield claims.Condition(
            sentence=pages.say(
                "{who} {said}: a share of {share} ({ends}) of {n} answers is right.",
                who=pages.code(str(row.annotator)),
                said=said,
                share=pages.strong(pages.fixed(row.accuracy, 2)),
                n=pages.count(int(row.answers)),
                ends=f"{pages.fixed(row.low, 2)} to {pages.fixed(row.high, 2)}",
            ),
            counts=(row.accuracy, row.low, row.high, row.answers),
            estimate=one,
            severity=severity,  # type: ignore[arg-type]
            kind=row.flag,
            section="people",
            size=1 - row.accuracy,
            how="By Dawid-Skene's probable truth.",
            fix="Look at this person's answers, or leave them out.",
        )
    more = len(found.flagged) - 3
    if more > 0:
        yield claims.Condition(
            sentence=f"{more} more people guess or work against the others.",
            counts=(more,),
            severity="careful",
            kind="spammer",
            section="people",
            how="annotators.csv has the column flag.",
        )


def _agreement_caveats(found: Result) -> Iterator[claims.Claim]:
    if found.people_known and found.annotators == 1:
        yield claims.Condition(
            sentence="One person answered: nothing tells how reliable the labels are.",
            severity="serious",
            kind="one-annotator",
            section="people",
            fix="Have a second person answer some of the items.",
        )
    elif found.people_known and found.methods["information"].isna().all():
        yield claims.Condition(
            sentence="No item has two answers: how right labels are is an assumption, "
            "half way between guessing and certainty.",
            severity="serious",
            kind="one-answer",
            section="methods",
            fix="Have a second person answer some of the items.",
        )
    value, low, high = found.alpha
    if math.isfinite(value) and math.isfinite(high) and high < _WEAK_ALPHA:
        yield claims.Condition(
            sentence=pages.say(
                "People agree little beyond chance: Krippendorff's alpha is {a}.",
                a=pages.strong(pages.fixed(value, 2)),
            ),
            counts=(value,),
            estimate=interval(found.alpha, "alpha", "items", found.items),
            severity="careful",
            kind="agreement",
            section="agreement",
            how=f"95 % interval {pages.fixed(low, 2)} to {pages.fixed(high, 2)}, a "
            "bootstrap over items.",
        )


def _set_caveats(found: Result) -> Iterator[claims.Claim]:
    """Say what the truth shows of sets: labels that are missing, or always together."""
    if found.unnamed:
        share = found.unnamed / found.known
        yield claims.Condition(
            sentence=pages.say(
                "The true label is no candidate of {n} of {all}: no choice among "
                "candidates can be right there.",
                n=pages.strong(pages.count(found.unnamed)),
                all=pages.plural(found.known, "item"),
            ),
            counts=(found.unnamed, found.known),
            severity="serious" if share >= _NOISY else "careful",
            kind="noise",
            section="items",
            size=share,
            how="By the truth.",
        )
    if not len(found.confusions):
        return
    top = found.confusions.iloc[0]
    if top.share >= _TOGETHER:
        yield claims.Condition(
            sentence=pages.say(
                "{other} is a candidate of a share of {share} of the items that are "
                "{true}: sets hardly tell the two apart.",
                other=pages.code(str(top.named)),
                share=pages.strong(pages.fixed(top.share, 2)),
                true=pages.code(str(top.true)),
            ),
            counts=(top.share,),
            estimate=interval(
                (top.share, top.low, top.high), "share", "items with truth", found.known
            ),
            severity="serious" if top.share >= _INSEPARABLE else "careful",
            kind="same",
            section="confusions",
            size=float(top.share),
            how="The ambiguity degree of Cour, Sapp and Taskar (2011).",
        )


def _items(number: int) -> str:
    return "item" if number == 1 else "items"


def _item_caveats(found: Result) -> Iterator[claims.Claim]:
    if found.unanswered:
        yield claims.Condition(
            sentence=pages.say(
                "{n} of {all} {have} no answer.",
                have="has" if found.unanswered == 1 else "have",
                n=pages.strong(pages.count(found.unanswered)),
                all=pages.plural(found.items, "item"),
            ),
            counts=(found.unanswered, found.items),
            severity="careful",
            kind="unanswered",
            section="items",
            fix=f"Ask for the {_items(found.unanswered)} at the top of ask_again.csv.",
        )
    share = found.unsure / max(found.items, 1)
    if found.unsure:
        yield claims.Condition(
            sentence=pages.say(
                "{n} of {all} {are} less than 70 % sure.",
                are="is" if found.unsure == 1 else "are",
                n=pages.strong(pages.count(found.unsure)),
                all=pages.plural(found.items, "suggestion"),
            ),
            counts=(found.unsure, found.items, 70),
            severity="careful" if share >= _UNSURE_SHARE else "note",
            kind="unsure",
            section="items",
            size=share,
            fix=f"Ask one more person for the {_items(found.unsure)} at the top of "
            "ask_again.csv.",
        )
    if found.ambiguous:
        yield claims.Condition(
            sentence=pages.say(
                "On {n} {items} several labels seem right: more answers will not "
                "settle {them}.",
                n=pages.strong(pages.count(found.ambiguous)),
                items=_items(found.ambiguous),
                them="it" if found.ambiguous == 1 else "them",
            ),
            counts=(found.ambiguous,),
            severity="note",
            kind="ambiguous",
            section="items",
            how="People who are reliable elsewhere disagree there; two labels explain "
            "their answers at least 7 times better than one.",
        )
