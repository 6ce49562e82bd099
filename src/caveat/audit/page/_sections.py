"""The sections of an audit: the table, what survives, the floor, models, columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from caveat import pages
from caveat.audit.page._caveats import (
    FLOORS,
    VANISH_SHARE,
    WORST,
    floor_estimate,
    floor_name,
)
from caveat.audit.result import FURTHER, Change, Result, Rung
from caveat.eapp import page as eapp_page
from caveat.measures import get as get_measure
from caveat.pages import claims, figures
from caveat.pages.claims import Estimate

_ASIDE = {
    "identifier": "set aside: names rows",
    "constant": "set aside: one value",
    "empty": "set aside: no value",
    "free text": "set aside: free text",
    "date": "set aside: a date",
    "names a group": "set aside: says which rows belong together",
    "groups": "keeps rows together",
    "time": "orders the rows",
    "weights": "weighs the rows",
    "another target": "set aside: another target",
    "makes the groups": "set aside: makes the groups",
    "holds candidates": "set aside: holds candidate labels",
}
_RUNGS = {
    "stands": "as it stands",
    "leak": "without {columns}",
    "group": "and {columns} kept together",
    "copies": "and copies kept together",
    "time": "and later rows judged",
}
_CAUSES = {
    "leak": "a leak",
    "group": "the same groups",
    "copies": "the same rows",
    "time": "time",
}
_MOST_COLUMNS = 6
_CONSTANT = "constant answer"


def sections(found: Result, made: Sequence[claims.Claim]) -> list[pages.Section]:
    """Give the evidence, section by section."""
    parts = [_data(found), _survives(found, made)]
    if found.floor is not None:
        parts.append(_floor(found))
    parts.append(_models(found, made))
    if found.vanished:
        parts.append(_vanish(found, made))
    return parts


def rung_name(rung: Rung) -> str:
    """Name a step of the ladder."""
    names = ", ".join(rung.columns[:2]) + (", …" if len(rung.columns) > 2 else "")
    return _RUNGS[rung.remedy].format(columns=names)


def ladder(found: Result, floor: Estimate, name: pages.Prose) -> pages.Figure | None:
    """Draw what survives; None before anything was measured."""
    if not found.rungs:
        return None
    rungs = [
        figures.Rung(
            rung_name(rung),
            rung.score,
            None if rung.change is None else rung.change.change,
            _CAUSES.get(rung.remedy, ""),
        )
        for rung in found.rungs
    ]
    told = [f"{rung.name} {rung.estimate.text}" for rung in rungs]
    return figures.ladder(
        rungs,
        label=f"{'; '.join(told)}. Floor {floor.text}: {name}.",
        unit=f"{found.measure} of the model chosen on other folds, held-out rows",
        floor=figures.Mark(str(name), floor, "free"),
        limits=found.limits,
        conditions="Each step keeps the steps above it. Line: 95 % interval over "
        "folds, corrected for shared rows. Hatched: what needs no learning. A step "
        "that changes nothing beyond its interval is grey.",
        downloads=[pages.Download.csv("ladder.csv", found.to_frame())],
    )


def _data(found: Result) -> pages.Section:
    parts: list[Any] = [
        f"{pages.count(found.rows)} rows",
        pages.plural(len(found.columns), "column"),
    ]
    sizes = found.classes
    if len(sizes) == 2:
        share = sizes["rows"].iloc[1] / max(1, sizes["rows"].sum())
        label = pages.code(str(sizes["label"].iloc[1]))
        parts.append(pages.say("{s} are {label}", s=pages.percent(share), label=label))
    elif len(sizes):
        parts.append(f"{len(sizes)} classes")
    aside = [
        name for name, why in found.aside.items() if "aside" in _ASIDE.get(why, "")
    ]
    if aside:
        verb = "was" if len(aside) == 1 else "were"
        parts.append(f"{pages.plural(len(aside), 'column')} {verb} set aside")
    return pages.Section(
        "data",
        "The table",
        pages.join(parts, ", "),
        blocks=[_column_table(found)],
    )


def _column_table(found: Result) -> pages.Table:
    known = found.columns
    named = {c for one in found.findings for c in one.columns} | set(found.aside)
    order = known.assign(
        first=known["column"].isin(named), alone=known["alone"].astype(float)
    ).sort_values(["first", "alone"], ascending=[False, False], kind="stable")
    shown = order.head(_MOST_COLUMNS)
    judge = get_measure(str(next(iter(known["measure"]), "auc")))
    rows = [
        [
            pages.code(pages.shorten(str(row.column), 40)),
            str(row.kind),
            pages.Cell.number(row.alone, 2),
            pages.ends(row.low, row.high, 2) or "–",
            pages.Cell(_ASIDE.get(found.aside.get(row.column, ""), ""), tone="muted"),
        ]
        for row in shown.itertuples()
    ]
    left = len(known) - len(rows)
    # What a constant answer has on rows like those that it was learnt from.
    chance = pages.fixed(judge.floor([0, 1], [0, 1]), 2)
    rows.append(pages.Row([_CONSTANT, "", chance, "", ""], "bottom"))
    return pages.Table.of(
        "columns",
        "Columns, those with a remark first",
        [
            "Column",
            pages.Column("Read as", "text"),
            pages.Column(f"Alone, {judge.title}", best="max", term="term-alone"),
            "95 % interval",
            pages.Column("Role", "text"),
        ],
        rows,
        conditions=f"{pages.plural(left, 'more column')} in the CSV."
        if left > 0
        else "",
        downloads=[pages.Download.csv("columns.csv", known)],
    )


def _survives(found: Result, made: Sequence[claims.Claim]) -> pages.Section:
    if not found.rungs:
        return pages.Section(
            "survives",
            "What survives",
            "No model was judged yet",
            blocks=[pages.Notice("Give it more time with --minutes.")],
        )
    remedies = [one for one in made if isinstance(one, claims.Remedy)]
    remedies += [one.remedy for one in made if getattr(one, "remedy", None)]  # type: ignore[attr-defined]
    lost = [one for one in remedies if one.decided]
    heading: Any = "No remedy that was tried changes the score beyond its interval"
    if len(found.rungs) == 1:
        heading = "Nothing was found that calls for a remedy"
    if lost:
        heading = min(lost, key=lambda one: found.sign * one.change.value)
    rows = [row for rung in found.rungs for row in _ladder_rows(rung)]
    floor, blank = floor_estimate(found), ("", "", "")
    bottom = [(floor_name(found), floor.text, floor.interval, *blank)]
    # Where a column alone has the score of the constant answer, both are rows.
    if str(floor_name(found)) != FLOORS["constant"]:
        bottom.append((pages.prose(_CONSTANT), _chance(found), "", *blank))
    rows += [pages.Row(one, "bottom") for one in bottom]
    told = "Before: the step above on the same rows, paired."
    if any(_by_another(rung) for rung in found.rungs):
        told += f" A named model is {WORST}, corrected for all."
    table = pages.Table.of(
        "ladder",
        "The ladder in numbers",
        ["Step", found.measure, "95 % interval", "Before", "Change", "95 % interval"],
        rows,
        conditions=told,
        brief=True,
    )
    return pages.Section("survives", "What survives", heading, blocks=[table])


def _by_another(rung: Rung) -> bool:
    """Whether a step is told by another model than the chosen one."""
    return rung.shown is not rung.change


def _ladder_rows(rung: Rung) -> list[pages.Row]:
    """Show a step, and below it the model that a caveat tells it by."""
    rows = [_ladder_row(rung_name(rung), rung.score, rung.change, "strong")]
    one = rung.shown
    if one is not None and _by_another(rung):
        named = f"{rung_name(rung)}, {one.model}"
        rows.append(_ladder_row(named, one.after, one, "muted"))
    return rows


def _ladder_row(
    words: str, score: Estimate, change: Change | None, tone: str
) -> pages.Row:
    cells = [
        words,
        pages.Cell(score.text, value=score.value, tone=tone),
        score.interval or "–",
    ]
    if change is None:
        return pages.Row([*cells, "", "", ""])
    gap, before = change.change, change.before.text
    if change.after.text != score.text:
        before += f", then {change.after.text}"  # on those rows that both steps have
    told = pages.Cell(pages.signed(gap.value, gap.places), value=gap.value)
    return pages.Row([*cells, before, told, gap.interval or "–"])


def _floor(found: Result) -> pages.Section:
    assert found.floor is not None
    top = found.floor.top
    heading = claims.Value(
        pages.say(FLOORS[top.way], column=pages.code(top.column)),
        top.score,
        "reach" if top.way == "clusters" else "reaches",
    )
    rows = [
        [
            pages.say(FLOORS[one.way], column=pages.code(one.column)),
            pages.Cell(one.score.text, value=one.score.value, tone="strong"),
            "by definition"
            if one.score.low == one.score.high
            else one.score.interval or "–",
        ]
        for one in found.floor.ways
    ]
    if not any(one.way == "constant" for one in found.floor.ways):
        answer = [_CONSTANT, _chance(found), "by definition"]
        rows.append(pages.Row(answer, "bottom"))
    p_value = found.floor.p_value
    blocks: list[Any] = [
        pages.Table.of(
            "floor",
            "Ways to answer without learning",
            ["Way", found.measure, "95 % interval"],
            rows,
            conditions=""
            if p_value is None
            else f"{pages.p_value(p_value)} for the furthest of all ways and columns, "
            f"{found.floor.shuffles} shuffles. Without dropped columns.",
        )
    ]
    if found.clusters is not None:
        # The curve is enough here; caveat eapp shows its numbers, too.
        curve = eapp_page.sections(found.clusters)[0].blocks[:1]
        blocks.append(pages.Details("Clusters in detail (EAPP)", curve))
    return pages.Section(
        "floor",
        "The floor",
        heading,
        lead="A model is worth what it adds to this.",
        blocks=blocks,
    )


def _models(found: Result, made: Sequence[claims.Claim]) -> pages.Section:
    if not found.models:
        return pages.Section(
            "models",
            "The models",
            "No model gave a value",
            blocks=[pages.Notice("Give it more time with --minutes.")],
        )
    orders = [one for one in made if isinstance(one, claims.Tie | claims.Comparison)]
    first = found.models[0]
    bar = floor_estimate(found), floor_name(found)
    name = pages.name(first.title)
    held = claims.AgainstFloor(name, first.score, *bar, sign=found.sign)
    heading: Any = orders[0] if orders else held
    further = [n for n in FURTHER if any(n in one.further for one in found.models)]
    rows = [
        [
            one.title,
            pages.Cell(one.score.text, value=one.score.value, tone="strong"),
            one.score.interval or "–",
            pages.Cell(_behind(one.behind), tone="muted"),
            *(pages.fixed(one.further.get(name), 3) for name in further),
        ]
        for one in found.models
    ]
    constant = [pages.fixed(found.constant.get(name), 3) for name in further]
    floors = [(pages.prose(_CONSTANT), _chance(found), "", "", *constant)]
    if bar[0].text != _chance(found):
        # A column, clusters and the nearest row were asked for the first measure only.
        asked = ["–"] * len(further)
        floors.append((bar[1], bar[0].text, bar[0].interval, "", *asked))
    rows += [pages.Row(one, "bottom") for one in floors]
    settings = (
        f"{found.early} All else is default." if found.early else "Default settings."
    )
    table = pages.Table.of(
        "models",
        f"{found.measure} of every model, all remedies applied",
        [
            "Model",
            pages.Column(found.measure, term="term-auc" if found.sign > 0 else ""),
            pages.Column("95 % interval", term="term-interval"),
            "Behind the first",
            *(pages.Column(FURTHER[name]) for name in further),
        ],
        rows,
        conditions=f"{settings} Behind: paired over folds, corrected for "
        "shared rows and all comparisons.",
        brief=True,
    )
    return pages.Section("models", "The models", heading, blocks=[table])


def _chance(found: Result) -> str:
    """Write what the constant answer has."""
    return pages.fixed(found.chance, 2) if found.chance == found.chance else "–"


def _behind(one: Estimate | None) -> str:
    if one is None:
        return ""
    tail = f" ({one.interval})" if one.interval else ""
    return f"{one.text}{tail}"


def _vanish(found: Result, made: Sequence[claims.Claim]) -> pages.Section:
    worst = found.vanished[0]
    told = [one for one in made if isinstance(one, claims.Loss)]
    heading: Any = told[0] if told else _loss(found, worst)
    again = [one for one in found.vanished if one.refitted is not None]
    dots = [
        figures.Dot(
            one.column, one.loss, "serious" if (one.loss.low or 0) > 0 else "faint"
        )
        for one in found.vanished
    ]
    frame = pd.DataFrame(
        [
            {
                "column": one.column,
                "before": one.before.value,
                "after": one.after.value,
                "loss": one.loss.value,
                "low": one.loss.low,
                "high": one.loss.high,
                "refitted": None if one.refitted is None else one.refitted.value,
            }
            for one in found.vanished
        ]
    )
    figure = figures.score_dots(
        dots,
        name="vanish",
        title=f"What {worst.model} loses without each column",
        label="; ".join(
            f"without {one.column} {one.loss.text}" for one in found.vanished
        ),
        unit=f"{found.measure} lost when the column vanishes",
        conditions="Filled in by the mean or most frequent value; 95 % intervals over "
        "all folds, corrected for shared rows.",
        downloads=[pages.Download.csv("vanish.csv", frame)],
    )
    refitted = [
        [
            pages.code(pages.shorten(one.column, 40)),
            one.before.text,
            pages.Cell(one.after.text, tone="strong"),
            "" if one.refitted is None else _behind(one.refitted),
        ]
        for one in again
    ]
    table = pages.Table.of(
        "refitted",
        "Filled in, and refitted without it",
        ["Column", "With it", "Filled in", "Refitted"],
        refitted,
        titled=True,
    )
    blocks: list[Any] = [figure, *([table] if refitted else [])]
    return pages.Section("vanish", "When columns vanish", heading, blocks=blocks)


def _loss(found: Result, one: Any) -> claims.Loss:
    """Say what a column costs; what the audit would not warn of does not matter."""
    return claims.Loss(
        one.model,
        pages.code(one.column),
        one.before,
        one.after,
        one.loss,
        one.refitted,
        VANISH_SHARE * max(0.0, found.earned(one.before.value)),
    )
