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


def worth(found: Result) -> Worth:
    """Say what the crowd is worth: its labels beside what is free.

    That is the vote, which needs no model of the crowd. Where the vote itself was
    chosen, or nobody knows how right it is, it is one label for all.
    """
    if found.known:
        subject = f"labels by {found.chosen}"
        how = (
            f"By the truth of {pages.count(found.known)} items, which chose nothing. "
            f"{found.chosen} was chosen by {found.rule}."
        )
    else:
        subject = f"labels by {found.chosen}, by their own probabilities,"
        how = (
            "Nobody checked them: a truth column would. "
            f"{found.chosen} was chosen by {found.rule}."
        )
    voted = found.vote is not None
    return Worth(
        subject,
        found.estimate,
        found.floor,
        "the majority vote" if voted else "the most frequent label",
        difference=found.advantage if voted else None,
        many=True,
        section="methods",
        how=how,
    )


def against_vote(found: Result) -> claims.Claim | None:
    """Compare the suggestions with the vote by what they predict, without a truth.

    By the truth the vote is the floor, see `worth`.
    """
    if found.known or found.by_vote or not math.isfinite(found.ahead[0]):
        return None
    return claims.Comparison(
        found.chosen,
        "the majority vote",
        found.foresight,
        "answers left out in turn, paired over items",
        section="methods",
    )


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
    """Give all claims, what leads first."""
    yield worth(found)
    compared = against_vote(found)
    if compared is not None:
        yield compared
    given_up = choice(found)
    if given_up is not None:
        yield given_up
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
    for note in found.notes:
        yield claims.Condition(
            sentence=pages.sentence(note), severity="note", section="again"
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
            by=pages.strong(f"{-value:.3f}"),
            **{"not": "" if surely else ", within its interval"},
        ),
        counts=(-value, value),
        estimate=replace(found.advantage, measure="difference"),
        severity="serious" if surely else "note",
        kind="vote",
        section="methods",
        how="By the truth, paired over items.",
        fix="Use the column vote of the suggestions.",
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
                share=pages.strong(f"{row.accuracy:.2f}"),
                n=pages.count(int(row.answers)),
                ends=f"{row.low:.2f} to {row.high:.2f}",
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
                a=pages.strong(f"{value:.2f}"),
            ),
            counts=(value,),
            estimate=interval(found.alpha, "alpha", "items", found.items),
            severity="careful",
            kind="agreement",
            section="agreement",
            how=f"95 % interval {low:.2f} to {high:.2f}, a bootstrap over items.",
        )


def _set_caveats(found: Result) -> Iterator[claims.Claim]:
    """Say what the truth shows of sets: labels that are missing, or always together."""
    if found.unnamed:
        share = found.unnamed / found.known
        yield claims.Condition(
            sentence=pages.say(
                "The true label is no candidate of {n} of {all} items: no choice among "
                "candidates can be right there.",
                n=pages.strong(pages.count(found.unnamed)),
                all=pages.count(found.known),
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
                share=pages.strong(f"{top.share:.2f}"),
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


def _item_caveats(found: Result) -> Iterator[claims.Claim]:
    if found.unanswered:
        yield claims.Condition(
            sentence=pages.say(
                "{n} of {all} items {have} no answer.",
                have="has" if found.unanswered == 1 else "have",
                n=pages.strong(pages.count(found.unanswered)),
                all=pages.count(found.items),
            ),
            counts=(found.unanswered, found.items),
            severity="careful",
            kind="unanswered",
            section="items",
            fix="Ask for the items at the top of ask_again.csv.",
        )
    share = found.unsure / max(found.items, 1)
    if found.unsure:
        yield claims.Condition(
            sentence=pages.say(
                "{n} of {all} suggestions {are} less than 70 % sure.",
                are="is" if found.unsure == 1 else "are",
                n=pages.strong(pages.count(found.unsure)),
                all=pages.count(found.items),
            ),
            counts=(found.unsure, found.items, 70),
            severity="careful" if share >= _UNSURE_SHARE else "note",
            kind="unsure",
            section="items",
            size=share,
            fix="Ask one more person for the items at the top of ask_again.csv.",
        )
    if found.ambiguous:
        yield claims.Condition(
            sentence=pages.say(
                "On {n} {items} several labels seem right: more answers will not "
                "settle {them}.",
                n=pages.strong(pages.count(found.ambiguous)),
                items="item" if found.ambiguous == 1 else "items",
                them="it" if found.ambiguous == 1 else "them",
            ),
            counts=(found.ambiguous,),
            severity="note",
            kind="ambiguous",
            section="items",
            how="People who are reliable elsewhere disagree there; two labels explain "
            "their answers at least 7 times better than one.",
        )
