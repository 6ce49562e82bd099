"""The evidence on a crowd: methods, people, agreement, confusions, items."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from caveat import pages
from caveat.candidates._claims import against_vote, choice, worth
from caveat.candidates.crowd._asking import items, one_more
from caveat.candidates.crowd._reliability import UNDECIDED
from caveat.candidates.result import ONE_LABEL, VOTE, Result, interval
from caveat.pages import claims, figures

_MOST_PEOPLE, _MOST_ROWS = 20, 12
ALONE = "One person answered, and is not found guessing"


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
        parts.append(one_more(found))
    parts.append(items(found))
    return parts


def _methods(found: Result) -> pages.Section:
    table = found.methods
    known = found.known > 0
    columns: list[Any] = ["Method", "Agrees with left-out answers", "Information, bits"]
    if known:
        columns += [pages.Column("Right", best="max"), "95 % interval"]
    columns.append(pages.Column("What it is", "text"))
    rows = []
    for row in table.itertuples():
        name = pages.prose(str(row.name))
        if row.name == found.chosen:
            name = name + ", chosen"
        cells: list[Any] = [
            pages.Cell(name, tone="strong" if row.name == found.chosen else ""),
            pages.Cell.number(row.agreement),
            pages.Cell.number(row.information / math.log(2)),
        ]
        if known:
            cells += [pages.Cell.number(row.accuracy), pages.ends(row.low, row.high)]
        cells.append(pages.Cell(str(row.summary), tone="muted"))
        # Neither needs a model of the crowd.
        free = row.name in (ONE_LABEL, VOTE) and row.name != found.chosen
        rows.append(pages.Row(cells, "bottom" if free else ""))
    heading: Any = against_vote(found) or worth(found)
    if not heading.may_lead:
        heading = "How right the labels are cannot be told"
    given_up = choice(found)
    return pages.Section(
        "methods",
        "Ways to one label",
        heading,
        lead=_left_out(found),
        blocks=[
            pages.Table.of(
                "methods",
                "Every method, and what is free below",
                columns,
                rows,
                brief=True,
                conditions=_rule(found),
                downloads=[pages.Download.csv("methods.csv", table)],
            ),
            *([pages.Paragraph(given_up.words)] if given_up else []),
        ],
        wide=True,
    )


def _left_out(found: Result) -> str:
    """Say how ways are held against answers, where there are several of an item."""
    if found.methods["information"].isna().all():
        return ""
    return (
        "One person's answer is left out of an item, the label is made from the "
        "others' answers: how well does it predict the answer? That needs no truth. "
        "Each of up to three rounds leaves out one answer of about half of the items "
        "that have several, so that most answers stay to learn from."
    )


def _rule(found: Result) -> str:
    """Say what was taken into the choice, where answers could be left out."""
    if found.methods["information"].isna().all():
        return ""
    return (
        "Pooled is taken unless the vote, or a way that reads features, predicts "
        "better by two standard errors of the information. The other models of the "
        "crowd are shown, and never chosen."
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
    heading = _flagged(flagged, len(people)) if flagged else _nobody(people)
    left = len(known) - len(shown)
    more = f" {left} people between them are in the CSV." if left else ""
    figure = figures.score_dots(
        dots,
        name="people",
        title="How often each person is right",
        label="; ".join(f"{dot.name}: {dot.estimate.text}" for dot in dots),
        unit="share of answers that are right",
        limits=(0.0, 1.0),
        conditions="By Dawid-Skene's probable truth; a set of m labels earns 1/m. "
        f"Line: 95 % interval, wider where the truth is not sure.{more}",
        downloads=[pages.Download.csv("annotators.csv", found.people)],
    )
    return pages.Section("people", "The people", heading, blocks=[figure])


def _flagged(some: int, all_: int) -> str:
    verbs = "guesses or works" if some == 1 else "guess or work"
    people = "person" if all_ == 1 else "people"
    return f"{some} of {all_} {people} {verbs} against the others"


def _nobody(people: pd.DataFrame) -> pages.Words:
    """Say that nobody is found guessing, or of whom that cannot be told."""
    unsure = people.loc[people["flag"] == UNDECIDED, "annotator"]
    if not len(unsure):
        many = len(people)
        return f"No one of {many} people is found guessing" if many > 1 else ALONE
    return pages.say(
        "Whether {who} {guess} cannot be told at this size",
        who=pages.names([str(name) for name in unsure], most=3),
        guess="guesses" if len(unsure) == 1 else "guess",
    )


def _ends_of(people: pd.DataFrame) -> pd.DataFrame:
    half = _MOST_PEOPLE // 2
    return pd.concat([people.head(half), people.tail(half)])


def _people_table(people: pd.DataFrame) -> pages.Table:
    rows = [
        [
            pages.code(str(row.annotator)),
            pages.Cell(pages.count(int(row.answers)), value=float(row.answers)),
        ]
        for row in people.itertuples()
    ]
    columns = ["Annotator", "Answers"]
    return pages.Table.of("people", "Who answered", columns, rows, brief=True)


def _agreement(found: Result) -> pages.Section:
    value = found.alpha[0]
    heading: Any = "Nobody shares items with anybody else, so agreement is not known"
    if math.isfinite(value):
        one = interval(found.alpha, "", "bootstrap over items", found.items)
        heading = "How much people agree beyond chance cannot be told at this size"
        if one.has_interval:
            heading = claims.Value("Krippendorff's alpha of all answers", one, "is")
    rows = [
        [
            f"{row.one}, {row.other}",
            pages.Cell(pages.count(int(row.items)), value=float(row.items)),
            pages.Cell.number(row.kappa),
            pages.ends(row.low, row.high),
        ]
        for row in found.kappas.sort_values("kappa").head(_MOST_ROWS).itertuples()
    ]
    columns = [
        "Two people",
        "Items in common",
        pages.Column("Kappa", sorted=True),
        "95 % interval",
    ]
    table = pages.Table.of(
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
        [
            f"{row.true} as {row.named}",
            pages.Cell.number(row.share),
            pages.ends(row.low, row.high),
            *(
                (pages.code(str(row.most_by)), pages.Cell.number(row.their_share))
                if found.people_known
                else ()
            ),
        ]
        for row in shown.itertuples()
    ]
    columns = [
        "Probably",
        pages.Column("How often named", sorted=True),
        "95 % interval",
    ]
    if found.people_known:
        columns += [pages.Column("Most by", "text"), "Their share"]
    return pages.Section(
        "confusions",
        "Who confuses what",
        _most_confused(found.confusions),
        blocks=[
            pages.Table.of(
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
