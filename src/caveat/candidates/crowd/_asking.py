"""Whom to ask next, as sections of a page: one more annotator, items to ask again."""

from __future__ import annotations

import math
from typing import Any

from caveat import pages
from caveat.candidates.crowd._active_labelling import AMBIGUOUS
from caveat.candidates.result import Result, interval
from caveat.pages import claims, figures

_MOST_ROWS = 12


def one_more(found: Result) -> pages.Section:
    """Show labels from fewer answers, and what one more is expected to add."""
    curve = found.curve
    last, before = curve.iloc[-1], curve.iloc[-2]
    by = "by the truth" if found.known else "by Dawid-Skene's own probabilities"
    dots = [
        figures.Dot(
            f"{int(row.answers)} answers, expected"
            if row.expected
            else pages.plural(int(row.answers), "answer"),
            interval((row.accuracy, row.low, row.high), "accuracy", "", 2),
            filled=not row.expected,
        )
        for row in curve.itertuples()
    ]
    many = int(before.answers)
    some = "one answer" if many == 1 else f"one to {pages.word(many)} answers"
    figure = figures.score_dots(
        dots,
        name="one-more",
        title=f"Dawid-Skene's labels from {some} per item, and one more",
        label="; ".join(f"{dot.name}: {dot.estimate.text}" for dot in dots),
        unit=f"share of labels that are right, {by}",
        limits=(0.0, 1.0),
        conditions="Answers drawn from those that items have. Open: with the gain "
        "expected of one more average person. Line: 95 % interval of the share; that "
        "of the gain is a bootstrap over items.",
        downloads=[pages.Download.csv("one-more.csv", curve)],
    )
    return pages.Section(
        "one-more",
        "One more annotator",
        _one_more(found, (last.gain, last.gain_low, last.gain_high)),
        lead=f"Labels that Dawid-Skene makes of fewer answers, {by}; the suggestions "
        f"are those of {found.chosen}.",
        blocks=[figure],
    )


def _one_more(found: Result, gain: tuple[float, float, float]) -> Any:
    """Say what one more answer adds, where an interval says that it adds anything."""
    one = interval(gain, "accuracy", "bootstrap over items", found.items)
    if not one.may_lead or not one.is_decided:
        return "What one more answer per item would add cannot be told at this size"
    return claims.Value(
        "to Dawid-Skene's labels, one more answer per item", one, "is expected to add"
    )


def items(found: Result) -> pages.Section:
    """List the items to ask again, and where the labels are."""
    again = found.ask_again
    rows = [
        [
            pages.code(str(row.item)),
            pages.Cell.number(row.gain),
            pages.Cell(str(row.reason), tone="muted"),
        ]
        for row in again[again["reason"] != AMBIGUOUS].head(_MOST_ROWS).itertuples()
    ]
    columns = [
        "Item",
        pages.Column("Expected gain", sorted=True),
        pages.Column("Why", "text"),
    ]
    table = pages.Table.of(
        "ask-again",
        "Items to ask again first",
        columns,
        rows,
        brief=True,
        conditions="Gain: how much likelier the label is right after one more answer.",
        downloads=[pages.Download.csv("ask_again.csv", again)],
    )
    facts = [
        ("Suggestions", pages.say("{f}", f=pages.code("suggestions.csv"))),
        ("Labels per answer", pages.fixed(found.vague, 2)),
    ]
    if math.isfinite(found.calibration):
        by_luck = f" (by luck alone {pages.fixed(found.luck)})"
        by_luck = by_luck if math.isfinite(found.luck) else ""
        error = pages.fixed(found.calibration)
        facts.append(("Calibration error", f"{error}{by_luck}"))
    blocks: list[Any] = [table] if rows else []
    return pages.Section(
        "items",
        "The labels, and whom to ask next",
        _whom_to_ask(found),
        blocks=[*blocks, pages.Facts(facts)],
    )


def _whom_to_ask(found: Result) -> str:
    """Say what is worth asking; how many labels are unsure is told by a caveat."""
    if not found.unsure and not found.unanswered:
        one = "The label is" if found.items == 1 else ""
        all_ = one or f"All {pages.count(found.items)} labels are"
        return f"{all_} at least 70{pages.NBSP}% sure"
    listed = int((found.ask_again["reason"] != AMBIGUOUS).sum())
    some = pages.count(listed) if listed else "None"
    of_all = f"{some} of {pages.plural(found.items, 'item')}"
    are = "are" if listed > 1 else "is"
    if found.annotators > 1:
        return f"{of_all} {are} expected to gain from one more answer"
    return f"{of_all} {are} listed to be asked again"
