"""The evidence on a crowd: methods, people, agreement, confusions, items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from caveat import pages
from caveat.candidates._claims import against_vote, choice, worth
from caveat.candidates.crowd._active_labelling import AMBIGUOUS
from caveat.candidates.result import ONE_LABEL, VOTE, Result, interval
from caveat.pages import claims, figures

_MOST_PEOPLE, _MOST_ROWS = 20, 12


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: methods, people, agreement, confusions, items."""
    parts = [_methods(found)]
    if found.people_known:
        parts.append(_people(found))
    if found.annotators > 1:
        parts.append(_agreement(found))
    if len(found.confusions):
        parts.append(_confusions(found))
    if len(found.curve):
        parts.append(_curve(found))
    parts.append(_items(found))
    return parts


def _methods(found: Result) -> pages.Section:
    table = found.methods
    known = found.known > 0
    columns = [
        pages.Column("Method", "name"),
        pages.Column("Agrees with left-out answers"),
        pages.Column("Information, bits"),
    ]
    if known:
        columns += [pages.Column("Right", best="max"), pages.Column("95 % interval")]
    columns.append(pages.Column("What it is", "text"))
    rows = []
    for row in table.itertuples():
        name = pages.prose(str(row.name))
        if row.name == found.chosen:
            name = name + ", chosen"
        cells = [
            pages.Cell(name, tone="strong" if row.name == found.chosen else ""),
            _number(row.agreement),
            _number(row.information / math.log(2)),
        ]
        if known:
            cells += [_number(row.accuracy), pages.Cell(_ends(row.low, row.high))]
        cells.append(pages.Cell(str(row.summary), tone="muted"))
        # Neither needs a model of the crowd.
        free = row.name in (ONE_LABEL, VOTE) and row.name != found.chosen
        rows.append(pages.Row(cells, "bottom" if free else ""))
    heading = against_vote(found) or worth(found)
    given_up = choice(found)
    return pages.Section(
        "methods",
        "Ways to one label",
        heading,
        lead="One person's answer is left out of an item, the label is made from the "
        "others' answers: how well does it predict the answer? That needs no truth.",
        blocks=[
            pages.Table(
                "methods",
                "Every method, and what is free below",
                columns,
                rows,
                brief=True,
                conditions="Pooled is taken unless the vote, or a way that reads "
                "features, predicts better by two standard errors; other models of the "
                "crowd are special cases of it.",
                downloads=[pages.Download.csv("methods.csv", table)],
            ),
            *([pages.Paragraph(given_up.words)] if given_up else []),
        ],
        wide=True,
    )


def _people(found: Result) -> pages.Section:
    people = found.people.sort_values("accuracy", ascending=False, kind="stable")
    known = people.dropna(subset=["accuracy"])
    if not len(known):
        words = "No person's reliability can be told"
        return pages.Section(
            "people", "The people", words, blocks=[_people_table(people)]
        )
    shown = known if len(known) <= _MOST_PEOPLE else _ends_of(known)
    dots = [
        figures.Dot(
            f"{row.annotator} ({row.flag})" if row.flag else str(row.annotator),
            interval((row.accuracy, row.low, row.high), "accuracy", "", 2),
            "serious" if row.flag in ("spammer", "adversary") else "earned",
        )
        for row in shown.itertuples()
    ]
    flagged = len(found.flagged)
    heading = (
        f"{flagged} of {len(people)} people guess or work against the others"
        if flagged
        else f"No one of {len(people)} people is found guessing"
    )
    left = len(known) - len(shown)
    more = f" {left} people between them are in the CSV." if left else ""
    figure = figures.score_dots(
        dots,
        name="people",
        title="How often everybody is right",
        label="; ".join(f"{dot.name}: {dot.estimate.text}" for dot in dots),
        unit="share of answers that are right",
        limits=(0.0, 1.0),
        conditions="By Dawid-Skene's probable truth; a set of m labels earns 1/m. "
        f"Line: 95 % interval, wider where the truth is not sure.{more}",
        downloads=[pages.Download.csv("annotators.csv", found.people)],
    )
    return pages.Section("people", "The people", heading, blocks=[figure])


def _ends_of(people: pd.DataFrame) -> pd.DataFrame:
    half = _MOST_PEOPLE // 2
    return pd.concat([people.head(half), people.tail(half)])


def _people_table(people: pd.DataFrame) -> pages.Table:
    rows = [
        pages.Row(
            [
                pages.Cell(pages.code(str(row.annotator))),
                pages.Cell(pages.count(int(row.answers)), value=float(row.answers)),
            ]
        )
        for row in people.itertuples()
    ]
    columns = [pages.Column("Annotator", "name"), pages.Column("Answers")]
    return pages.Table("people", "Who answered", columns, rows, brief=True)


def _agreement(found: Result) -> pages.Section:
    value = found.alpha[0]
    heading: Any = "Nobody shares items with anybody else, so agreement is not known"
    if math.isfinite(value):
        heading = claims.Value(
            "Krippendorff's alpha of all answers",
            interval(found.alpha, "", "bootstrap over items", found.items),
            "is",
        )
    rows = [
        pages.Row(
            [
                pages.Cell(f"{row.one}, {row.other}"),
                pages.Cell(pages.count(int(row.items)), value=float(row.items)),
                _number(row.kappa),
                pages.Cell(_ends(row.low, row.high)),
            ]
        )
        for row in found.kappas.sort_values("kappa").head(_MOST_ROWS).itertuples()
    ]
    columns = [
        pages.Column("Two people", "name"),
        pages.Column("Items in common"),
        pages.Column("Kappa", sorted=True),
        pages.Column("95 % interval"),
    ]
    table = pages.Table(
        "kappas",
        "Cohen's kappa of every two people, the lowest first",
        columns,
        rows,
        conditions="Among the ten people with most answers. Bootstrap over items.",
        downloads=[pages.Download.csv("kappas.csv", found.kappas)],
    )
    return pages.Section(
        "agreement",
        "Agreement beyond chance",
        heading,
        lead="1 means that all agree, 0 that they agree as often as chance would have "
        "it. People who share an error agree, too.",
        blocks=[table] if rows else [],
    )


def _confusions(found: Result) -> pages.Section:
    shown = found.confusions.head(_MOST_ROWS)
    rows = [
        pages.Row(
            [
                pages.Cell(f"{row.true} as {row.named}"),
                _number(row.share),
                pages.Cell(_ends(row.low, row.high)),
                *(
                    (pages.Cell(pages.code(str(row.most_by))), _number(row.their_share))
                    if found.people_known
                    else ()
                ),
            ]
        )
        for row in shown.itertuples()
    ]
    columns = [
        pages.Column("Probably", "name"),
        pages.Column("How often named", sorted=True),
        pages.Column("95 % interval"),
    ]
    if found.people_known:
        columns += [pages.Column("Most by", "text"), pages.Column("Their share")]
    return pages.Section(
        "confusions",
        "Who confuses what",
        _most_confused(found.confusions),
        blocks=[
            pages.Table(
                "confusions",
                "What is named in place of the probable label",
                columns,
                rows,
                brief=True,
                conditions="By the probable labels; people with five such items."
                if found.people_known
                else "By the true labels; classes with five items.",
                downloads=[pages.Download.csv("confusions.csv", found.confusions)],
            )
        ],
    )


def _most_confused(confusions: pd.DataFrame) -> pages.Prose:
    """Name the most frequent confusion only where its interval sets it apart."""
    top, others = confusions.iloc[0], confusions.iloc[1:]
    alike = int((others["high"] >= top.low).sum())
    if alike:
        return pages.say(
            "No confusion stands out: the {n} most frequent cannot be told apart",
            n=pages.count(alike + 1),
        )
    return pages.say(
        "{true} is called {named} in {share} ({low} to {high}) of the answers",
        true=pages.shorten(str(top.true), 24),
        named=pages.shorten(str(top.named), 24),
        share=pages.percent(float(top.share)),
        low=pages.percent(float(top.low)),
        high=pages.percent(float(top.high)),
    )


def _curve(found: Result) -> pages.Section:
    curve = found.curve
    last, before = curve.iloc[-1], curve.iloc[-2]
    by = "by the truth" if found.known else "by Dawid-Skene's own probability"
    dots = [
        figures.Dot(
            f"{int(row.answers)} answers, expected"
            if row.expected
            else f"{int(row.answers)} answer{'s' if row.answers > 1 else ''}",
            interval((row.accuracy, row.low, row.high), "accuracy", "", 2),
            filled=not row.expected,
        )
        for row in curve.itertuples()
    ]
    title = f"Labels from one to {int(before.answers)} answers per item, and one more"
    more = interval((last.accuracy, last.low, last.high), "accuracy", "", found.items)
    heading = claims.Value(
        f"With one more answer per item, labels {by}", more, "are expected to reach"
    )
    figure = figures.score_dots(
        dots,
        name="one-more",
        title=title,
        label="; ".join(f"{dot.name}: {dot.estimate.text}" for dot in dots),
        unit=f"share of labels that are right, {by}",
        limits=(0.0, 1.0),
        conditions="Answers drawn from those that items have, weighed by Dawid-Skene. "
        "Open: the gain expected of one more average person. Line: 95 % interval, a "
        "bootstrap over items.",
        downloads=[pages.Download.csv("one-more.csv", curve)],
    )
    return pages.Section(
        "one-more",
        "One more annotator",
        heading,
        blocks=[figure],
    )


def _items(found: Result) -> pages.Section:
    again = found.ask_again
    rows = [
        pages.Row(
            [
                pages.Cell(pages.code(str(row.item))),
                _number(row.gain),
                pages.Cell(str(row.reason), tone="muted"),
            ]
        )
        for row in again[again["reason"] != AMBIGUOUS].head(_MOST_ROWS).itertuples()
    ]
    columns = [
        pages.Column("Item", "name"),
        pages.Column("Expected gain", sorted=True),
        pages.Column("Why", "text"),
    ]
    table = pages.Table(
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
        ("Less than 70 % sure", pages.count(found.unsure)),
        ("Several labels seem right", pages.count(found.ambiguous)),
        ("Labels per answer", f"{found.vague:.2f}"),
    ]
    if math.isfinite(found.calibration):
        by_luck = f" (by luck alone {found.luck:.3f})"
        by_luck = by_luck if math.isfinite(found.luck) else ""
        facts.append(("Calibration error", f"{found.calibration:.3f}{by_luck}"))
    sure = found.items - found.unsure - found.unanswered
    blocks: list[Any] = [table] if rows else []
    return pages.Section(
        "items",
        "The labels, and whom to ask next",
        f"{pages.count(sure)} of {pages.count(found.items)} labels are at least "
        f"70{pages.NBSP}% sure",
        blocks=[*blocks, pages.Facts(facts)],
    )


def _number(value: float) -> pages.Cell:
    if not np.isfinite(value):
        return pages.Cell("–")
    return pages.Cell(pages.fixed(float(value), 3), value=float(value))


def _ends(low: float, high: float) -> str:
    return "" if not np.isfinite([low, high]).all() else f"{low:.3f} to {high:.3f}"
