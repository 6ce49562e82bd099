"""Shares of groups: how well the labels of rows can be learnt from them alone."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from caveat import pages as kit
from caveat.audit._figure_weaker import Mark, learner_dots
from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import Shares
from caveat.audit._remark import number
from caveat.audit._shares import RULE
from caveat.bags import TESTS

NAME, EYEBROW = "shares", "Weaker labels: shares of groups"
_ALPHA = 0.05


def shares_section(reading: Reading) -> kit.Section:
    """Say what is left of the score if only shares of groups are known."""
    found = reading.shares
    column = kit.code(kit.shorten(str(reading.scenario["bags"]), 24))
    if found is None or not found.facts:
        return kit.Section(
            NAME,
            EYEBROW,
            kit.say("What the shares by {column} teach is not known", column=column),
            lead="Labels are hidden, and only the shares of every group are kept.",
            blocks=[kit.Notice("There was no time for it, or it failed; see caveats.")],
        )
    blocks: list[kit.Block] = []
    if found.best is not None:
        blocks += [_figure(reading, found), _table(reading, found)]
    else:
        blocks.append(kit.Notice("No learner ended in time, or all of them failed."))
    if len(found.rules):
        blocks.append(_rules(found))
    blocks += [_tests(found), _facts(reading, found)]
    return kit.Section(
        NAME,
        EYEBROW,
        _heading(reading, found, column),
        lead=kit.say(
            "Labels were hidden; the share of every class in each of {groups} was "
            "kept. {variant}",
            groups=kit.plural(int(found.facts["groups"]), "group"),
            variant=_plain(str(found.facts["sentence"])),
        ),
        blocks=blocks,
    )


def _plain(words: str) -> str:
    """Say groups and rows, as the rest of the page does."""
    return words.replace("bag", "group").replace("item", "row")


def _heading(reading: Reading, found: Shares, column: kit.Span) -> kit.Prose:
    best = found.best
    if best is None:
        return kit.say("No learner could use the shares by {column}", column=column)
    value, low, _ = best.auc
    edge = low if not math.isnan(low) else value
    if edge <= 0.5:
        return kit.say(
            "Known only by {column}, the labels cannot be learnt: {value} AUC",
            column=column,
            value=number(value),
        )
    if reading.best is None:
        return kit.say(
            "Known only by {column}, the labels still support {value} AUC",
            column=column,
            value=number(value),
        )
    return kit.say(
        "Known only by {column}, the labels still support {value} of {full} AUC",
        column=column,
        value=number(value),
        full=number(reading.best.value),
    )


def _figure(reading: Reading, found: Shares) -> kit.Figure:
    models = list(found.models.values())
    best = models[0]
    free = reading.free
    mark = None
    if free is not None and not math.isnan(free.value):
        mark = Mark(free.value, "free part", "free")
    line = None
    if reading.best is not None:
        line = Mark(reading.best.value, "every label")
    title = kit.say(
        "{model} gets furthest with shares: {value} AUC",
        model=kit.capital(best.title),
        value=number(best.auc[0]),
    )
    return learner_dots(
        "share-learners",
        title,
        [(one.title, one.auc) for one in models],
        unit="AUC, held-out rows",
        free=mark,
        line=line,
        conditions=f"{kit.plural(best.folds, 'fold')} of the models'. Settings chosen "
        f"by {RULE}, without a label. "
        + ("Line: 95 % interval over folds. " if best.folds > 1 else "")
        + "Hatched: clusters without labels.",
        frame=_frame(found),
    )


def _frame(found: Shares) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "learner": one.name,
                "auc": one.auc[0],
                "low": one.auc[1],
                "high": one.auc[2],
                "best-setting": one.top,
                "regret": one.regret,
                "accuracy": one.accuracy,
                "folds": one.folds,
            }
            for one in found.models.values()
        ]
    )


def _table(reading: Reading, found: Shares) -> kit.Table:
    columns = [
        kit.Column("Learner", "name"),
        kit.Column("AUC", best="max", sorted=True, term="term-auc"),
        kit.Column("Best setting", term="term-regret"),
        kit.Column("Regret", best="min", term="term-regret"),
        kit.Column("Accuracy", best="max", term="term-accuracy"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(one.title),
                kit.Cell(kit.fixed(one.auc[0], 3), value=one.auc[0], tone="strong"),
                kit.Cell(kit.fixed(one.top, 3), value=one.top),
                kit.Cell(kit.fixed(one.regret, 3), value=one.regret),
                kit.Cell(kit.fixed(one.accuracy, 3), value=one.accuracy),
            ]
        )
        for one in found.models.values()
    ]
    if reading.best is not None:
        full = reading.best
        cells = [
            kit.Cell(f"{full.title}, every label"),
            kit.Cell(kit.fixed(full.value, 3)),
            kit.Cell(),
            kit.Cell(),
            kit.Cell(kit.fixed(full.further.get("accuracy"), 3)),
        ]
        rows.append(kit.Row(cells, place="bottom"))
    return kit.Table("share-scores", "Scores by learner from shares", columns, rows)


def _rules(found: Shares) -> kit.Table:
    rows = [
        kit.Row(
            [
                kit.Cell(str(rule)),
                kit.Cell(kit.fixed(float(value), 3), value=float(value)),
            ]
        )
        for rule, value in found.rules.items()
    ]
    return kit.Table(
        "share-rules",
        kit.say(
            "Choosing settings without a label costs {value} AUC by {rule}",
            value=kit.fixed(float(found.rules.iloc[0]), 3),
            rule=str(found.rules.index[0]),
        ),
        [
            kit.Column("Settings chosen by", "name"),
            kit.Column("Mean regret", best="min", sorted=True, term="term-regret"),
        ],
        rows,
        titled=True,
    )


def _tests(found: Shares) -> kit.Table:
    rows = []
    for test, question in TESTS.items():
        p = found.facts.get(test)
        if p is None:
            continue
        decision = "independent" if float(p) > _ALPHA else "dependent"
        rows.append(
            kit.Row(
                [
                    kit.Cell(kit.capital(_plain(question))),
                    kit.Cell(decision),
                    kit.Cell(
                        kit.p_value(float(p)).removeprefix("p = ").removeprefix("p "),
                        value=float(p),
                    ),
                ]
            )
        )
    return kit.Table(
        "share-tests",
        "How groups depend on rows and labels",
        [
            kit.Column("Independent?", "name", term="term-variant"),
            kit.Column("Decision", "text"),
            kit.Column("p-value"),
        ],
        rows,
        titled=True,
        conditions=f"{kit.count(int(found.facts['looked-at']))} rows. p-values of "
        "tests by trees are approximate: read them as decisions.",
    )


def _facts(reading: Reading, found: Shares) -> kit.Facts:
    facts = found.facts
    shares = found.quantiles
    label = "the last class"
    if len(reading.classes):
        label = str(reading.classes["label"].iloc[-1])
    pairs: list[tuple[str, Any]] = []
    if len(shares):
        ends = shares.set_index("q")["share"].astype(float)
        pairs.append(
            (
                "Shares",
                kit.say(
                    "of {label}: {low} to {high}, median {middle}",
                    label=kit.code(kit.shorten(label, 24)),
                    low=number(float(ends.iloc[0])),
                    high=number(float(ends.iloc[-1])),
                    middle=number(float(ends.loc[0.5])),
                ),
            )
        )
    apart = facts.get("separation")
    pairs += [
        ("Spread", f"{float(facts['spread']):.3f}, the standard deviation of shares"),
        (
            "Separation",
            "–" if apart is None else f"{float(apart):.3f}; at 1 groups look alike",
        ),
        (
            "Sizes",
            f"{kit.count(int(facts['smallest']))} to "
            f"{kit.count(int(facts['largest']))} rows, "
            f"{kit.count(round(float(facts['mean-size'])))} on average",
        ),
    ]
    return kit.Facts(pairs)
