"""What is said of models of many labels: one claim per finding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from caveat import pages
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel.registry import LEARNERS
from caveat.multilabel.result import MAIN, Model, Result, from_draws
from caveat.pages import claims

RULE = "the score on held-out training rows"
TEST = "paired bootstrap over the test rows"
_WORTH_SAYING = 0.02


@dataclass(frozen=True)
class AgainstFree(claims.AgainstFloor):
    """A score beside what looks at no feature, in a title without intervals."""

    @property
    def short(self) -> pages.Prose:
        """Say it without the floor's interval, too: the line below has both."""
        ends = f" ({self.floor.interval})"
        spans = super().short.spans
        return pages.Prose(
            tuple(replace(one, text=one.text.replace(ends, "")) for one in spans)
        )


def against_popularity(found: Result, measure: str = MAIN) -> claims.Claim:
    """Hold the chosen model against what looks at no feature, row by row."""
    first, free = found.chosen, found.floor(measure)
    title = MEASURES[measure].title
    if free is None or measure not in first.draws:
        return claims.Condition(
            sentence=f"The {title} is not defined on these rows.", section="measures"
        )
    gap, p_value = found.difference(first, free, measure), None
    if gap.has_interval and gap.value > 0:
        p_value = found.p_value(first, free, measure)
    return AgainstFree(
        _subject(found),
        found.estimate(first, measure),
        found.estimate(free, measure),
        f"{free.name} alone" if free.name in LEARNERS else f"{free.name} for all",
        sign=1 if MEASURES[measure].larger_is_better else -1,
        p_value=p_value,
        section="measures",
        how=pages.sentence(f"{TEST}, {pages.count(found.n_test)} of them"),
    )


def _subject(found: Result) -> pages.Words:
    who = pages.name(found.chosen.name)
    if len(found.models) < 2:
        return who
    if not found.chosen.held_out > 0:
        return pages.say("{who}, the first of {n} given,", who=who, n=_all(found))
    return pages.say("{who}, chosen on held-out training rows,", who=who)


def _all(found: Result) -> str:
    return pages.word(len(found.models) + len(found.failed))


def all_claims(found: Result) -> Iterator[claims.Claim]:
    """Give all claims, what leads first."""
    yield against_popularity(found)
    yield from _not_above(found)
    yield from among(found)
    yield from _disagreement(found)
    yield from _orders(found)
    yield from _thresholds(found)
    yield from _scores(found)
    yield from claims.remarks(
        found.notes, severity="careful", kind="small", section="measures"
    )
    if found.failed:
        planned = len(found.models) + len(found.failed)
        yield claims.Unfinished("models", len(found.models), planned)
    for name, why in found.failed.items():
        yield claims.Condition(
            sentence=pages.sentence(f"{name} gave no value: {why}"),
            severity="careful",
            kind="unfinished",
            section="measures",
        )


def _not_above(found: Result) -> Iterator[claims.Claim]:
    """Name the measures on which the chosen model is not above the free rows."""
    missed = []
    for measure in found.measures:
        claim = against_popularity(found, measure)
        if isinstance(claim, claims.AgainstFloor) and claim.standing in ("at", "below"):
            missed.append(MEASURES[measure].title)
    if missed:
        count, all_ = len(missed), len(found.measures)
        yield claims.Condition(
            sentence=pages.say(
                "On {count} of {all} measures {who} is not above what looks at no "
                "feature: {names}.",
                count=pages.strong(str(count)),
                all=str(all_),
                who=pages.name(found.chosen.name),
                names=pages.names(missed, most=11),
            ),
            counts=(count, all_),
            severity="serious" if 2 * count > all_ else "careful",
            kind="free",
            section="measures",
            size=count / all_,
            how=f"Each by its own {TEST}.",
            fix="Report these measures beside popularity, or not at all.",
        )


def among(found: Result) -> Iterator[claims.Claim]:
    """Say which models cannot be told from the chosen one, and what the choice cost."""
    first = found.chosen
    if len(found.models) < 2 or MAIN not in first.draws:
        return
    many = len(found.against_chosen)
    tests = f"{TEST}, Holm's correction for {many} comparisons" if many > 1 else TEST
    tied = {name for name, p in found.against_chosen.items() if not p <= 0.05}
    if tied:
        together = [m.name for m in in_order(found) if m.name in {first.name, *tied}]
        measure = MEASURES[MAIN].title
        yield claims.Tie(tuple(together), tests, measure, section="measures")
    if first.held_out > 0:
        oracle = found.oracle
        regret = found.difference(oracle, first, MAIN) if oracle is not first else None
        yield claims.Chosen(pages.name(first.name), RULE, regret, section="measures")


def _disagreement(found: Result) -> Iterator[claims.Claim]:
    """Say on which measures the chosen model is behind, and whether all are on some."""
    behind = {measure: found.behind(measure) for measure in found.measures}
    first = found.chosen.name
    lost = [m for m in behind if behind[m].get(first)]
    if not lost:
        return
    models = [model.name for model in found.models]
    everybody = all(any(one.get(name) for one in behind.values()) for name in models)
    yield claims.Condition(
        sentence=pages.say(
            "On {count} of {all} measures {who} falls behind another model: "
            "{names}.{more}",
            count=pages.strong(str(len(lost))),
            all=str(len(behind)),
            who=pages.name(first),
            names=pages.names([_ahead_on(found, one) for one in lost], most=11),
            more=" Every model falls behind on some measure." if everybody else "",
        ),
        counts=(len(lost), len(behind)),
        severity="note",
        kind="measures",
        section="measures",
        how=pages.sentence(f"{TEST}{within(found)}"),
        fix="Decide first which measure your use asks for, then choose the model by "
        "that measure on held-out training rows.",
    )


def within(found: Result) -> str:
    """Say how tests within a measure are corrected; one test needs no correction."""
    return ", Holm's correction within a measure" if len(found.models) > 2 else ""


def _ahead_on(found: Result, measure: str) -> str:
    """Name a measure, and who comes first on it."""
    return f"{MEASURES[measure].title} ({found.first(measure).name} first)"


def _orders(found: Result) -> Iterator[claims.Claim]:
    """Say which kind of pairs the chosen model puts in order."""
    first = found.chosen
    if "macro_auc" not in first.draws:
        return
    one = found.estimate(first, "macro_auc")
    if one.has_interval and one.low is not None and one.low <= 0.5:
        yield claims.Condition(
            sentence=pages.say(
                "Within a label, {who} orders rows no better than chance as far as "
                "these rows tell: {score}.",
                who=pages.name(first.name),
                score=claims.written(one),
            ),
            severity="serious" if (one.high or 1) < 0.55 else "careful",
            kind="chance",
            section="margins",
            estimate=one,
            counts=(0.5,),
            how="What it has on other measures comes from how common labels are.",
            fix="Look for features that tell rows apart, not labels.",
        )


def _thresholds(found: Result) -> Iterator[claims.Claim]:
    """Say what thresholds tuned on the test rows would pretend."""
    if not found.tuned:
        return
    draws = pd.Series(found.tuned["draws"], dtype=float)
    gain = from_draws(draws, "macro-F1", found.n_test)
    if gain.low is None or gain.low < _WORTH_SAYING:
        return
    yield claims.Condition(
        sentence=pages.say(
            "Thresholds tuned on the test rows would add {gain} to the macro-F1 of "
            "{who}, from {honest}, without any merit.",
            gain=claims.written(replace(gain, measure="")),
            who=pages.name(found.chosen.name),
            honest=pages.fixed(found.tuned["honest"]),
        ),
        counts=(found.tuned["honest"], found.tuned["tuned"]),
        estimate=gain,
        severity="careful",
        kind="thresholds",
        section="thresholds",
        fix="Ask every published macro-F1 where its thresholds come from.",
    )


def _scores(found: Result) -> Iterator[claims.Claim]:
    """Say where scores are decisions in disguise, or tied."""
    for model in found.models:
        who = pages.name(model.name)
        if model.two_valued:
            yield claims.Condition(
                sentence=pages.say(
                    "The scores of {who} take two values at most: decisions used as "
                    "scores, whose order is a matter of ties.",
                    who=who,
                ),
                severity="careful",
                kind="tie",
                section="measures",
                fix="Judge real-valued scores, before they are cut.",
            )
        elif model.tie_share > 0.01:
            share = pages.percent(model.tie_share)
            yield claims.Condition(
                sentence=pages.say(
                    "{share} of the pairs that {who} should order have equal scores.",
                    share=pages.strong(share),
                    who=who,
                ),
                counts=(100 * model.tie_share,),
                severity="note",
                kind="tie",
                section="measures",
                how="Counted one half; literal definitions would count them as right.",
            )


def in_order(found: Result) -> list[Model]:
    """Give the models as the table has them."""
    return sorted(found.models, key=lambda m: -known_or_nan(m.values.get(MAIN)))


def known_or_nan(value: float | None) -> float:
    """Return a value, NaN where there is none."""
    return math.nan if value is None else value
