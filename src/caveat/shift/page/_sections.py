"""The sections of the page: what was asked, each column, the decay, the models."""

from __future__ import annotations

import math

import pandas as pd

from caveat import pages
from caveat.measures import get as get_measure
from caveat.pages import claims, figures
from caveat.pages.claims import Estimate
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.page._claims import (
    CONSTANT,
    against_floor,
    called,
    cell,
    filled_in,
    floor_cell,
    in_order,
    known,
    of_clusters,
    own_columns,
    positive,
    price,
    sign_cell,
    unpriced,
)
from caveat.shift.result import Result

_MOST_ROWS = 25
_ADVICE = {
    "fill": "keep the model and fill in",
    "keep": "keep the model",
    "refit": "fit it again without the columns",
    "change": "another model does surely better without them",
    "open": "undecided at this size",
}


def missing_section(found: Result) -> pages.Section:
    first = found.asked[found.asked["model"] == found.deployed].iloc[0].to_dict()
    shown = found.losses[
        found.losses["chosen"].astype(bool) | (found.losses["model"] == found.deployed)
    ]
    filled = _filled(shown)
    ways = found.losses.groupby(["outage", "model"])["imputer"].transform("size")
    several = ways[shown.index] > 1
    columns = [
        pages.Column("Lost" if (shown["kind"] == "vanish").all() else "Outage", "name"),
        pages.Column("Model", "text"),
        pages.Column("Filled in by" if filled.all() else "Met by", "text"),
        pages.Column("All columns"),
        pages.Column("Filled in" if filled.all() else "After the loss"),
        pages.Column("Loss", best="max"),
        pages.Column("95 %"),
        pages.Column("Refitted"),
        pages.Column("Advice", "text"),
    ]
    rows = []
    for row, choice in zip(shown.to_dict("records"), several, strict=True):
        loss = found.estimate(row, "loss")
        again = found.estimate(row, "refitted") if known(row["refitted"]) else None
        how = "being " * (row["imputer"] == TOLD) + str(row["imputer"])
        # Where there is one way only, nothing was chosen.
        how += " (chosen)" if row["chosen"] and choice else ""
        how += " (oracle)" if row["oracle"] and not row["chosen"] else ""
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["outage"]).removeprefix("without ")),
                    pages.Cell(str(row["model"])),
                    pages.Cell(how, tone="" if row["chosen"] else "muted"),
                    cell(row["all"], loss.places),
                    cell(row["after"], loss.places),
                    cell(row["loss"], loss.places, "strong"),
                    pages.Cell(loss.interval),
                    cell(row["refitted"], again.places if again else 2),
                    pages.Cell(str(row["advice"]) if row["chosen"] else ""),
                ]
            )
        )
    constant = [pages.Cell(CONSTANT), pages.Cell(), pages.Cell()]
    constant += [floor_cell(found)] * 2
    constant += [pages.Cell(), pages.Cell(), floor_cell(found), pages.Cell()]
    rows.append(pages.Row(constant, "bottom"))
    table = pages.Table(
        "missing",
        pages.say("{measure} before and after the loss", measure=found.title),
        columns,
        rows,
        conditions=f"{found.conditions} {_advice_in_words(shown)}",
        brief=True,
        downloads=[pages.Download.csv("losses.csv", found.losses)],
    )
    return pages.Section(
        "missing",
        "About to be lost",
        price(found, first),
        lead=_how_they_were_met(shown, several.any()),
        blocks=[table],
        wide=True,
    )


def _filled(shown: pd.DataFrame) -> pd.Series:
    """Mark losses whose columns were filled in."""
    return (shown["kind"] == "vanish") & (shown["imputer"] != TOLD)


def _how_they_were_met(shown: pd.DataFrame, several: bool) -> str:
    """Explain the ways to meet a loss, those that occur."""
    words = []
    if (shown["imputer"] == TOLD).any():
        words.append(
            "Being told: the fitted model is told which columns are gone, and no "
            "imputer fills them in."
        )
    if _filled(shown).any():
        words.append("Filled in: the fitted model, other values in the lost columns.")
    if (shown["kind"] != "vanish").any():
        words.append("As it arrives: the fitted model, and nothing is mended.")
    words.append("Refitted: a fresh model that never had them.")
    if several:
        words.append(
            "Chosen: the filling that changes the model's answers least, without "
            "labels."
        )
    return " ".join(words)


def _advice_in_words(shown: pd.DataFrame) -> str:
    """Explain the words of the last column, those that occur."""
    given = set(shown.loc[shown["chosen"].astype(bool), "advice"])
    words = [f"“{name}”: {text}" for name, text in _ADVICE.items() if name in given]
    return f"Advice {'; '.join(words)}."


def columns_section(found: Result) -> pages.Section:
    mine = own_columns(found)
    shown = mine.head(_MOST_ROWS).to_dict("records")
    rows = [figures.Dot(str(row["column"]), found.estimate(row, "loss"),
                        "serious" if positive(row["sure_low"]) else "faint")
            for row in shown]  # fmt: skip
    sure = int(sum(positive(row["sure_low"]) for row in mine.to_dict("records")))
    words = pages.say(
        "{sure} of {all} columns {are} seen to cost {model} something by vanishing, "
        "corrected for looking at all of them",
        sure=pages.strong(str(sure) if sure else "None"),
        are="is" if sure < 2 else "are",
        all=str(len(mine)),
        model=called(found.deployed),
    )
    figure = figures.score_dots(
        rows,
        name="columns",
        title=words,
        label=str(words) + ".",
        unit=f"{found.title} lost when the column vanishes",
        zero=0.0,
        conditions=f"{found.conditions} {filled_in(found)} Coloured: "
        f"above 0 also when corrected for {len(mine)} columns.{unpriced(found)}",
        downloads=[pages.Download.csv("columns.csv", found.columns)],
    )
    return pages.Section(
        "columns", "What carries it", words, blocks=[figure, _column_table(found)]
    )


def _column_table(found: Result) -> pages.Table:
    """List the dearest columns for a terminal, too."""
    rows = []
    for row in own_columns(found).head(_MOST_ROWS).to_dict("records"):
        loss = found.estimate(row, "loss")
        rows.append(
            pages.Row(
                [
                    pages.Cell(pages.code(str(row["column"]))),
                    cell(row["after"], loss.places),
                    cell(row["loss"], loss.places, "strong"),
                    pages.Cell(loss.interval),
                    sign_cell(row["sure_low"], loss.places),
                ]
            )
        )
    constant = [pages.Cell(CONSTANT), floor_cell(found)]
    rows.append(pages.Row([*constant, *[pages.Cell()] * 3], "bottom"))
    return pages.Table(
        "columns",
        pages.say("What each column is worth to {model}", model=found.deployed),
        [
            pages.Column("When it vanishes", "name"),
            pages.Column(found.title),
            pages.Column("Loss", best="max", sorted=True),
            pages.Column("95 %"),
            pages.Column("Surely at least", below="corrected for all columns"),
        ],
        rows,
        brief=True,
    )


def decay_section(found: Result) -> pages.Section:
    lines = []
    for name in found.models["model"]:
        mine = found.decay[found.decay["model"] == name].to_dict("records")
        values = [found.estimate(row) for row in mine]
        lines.append(
            figures.Curve(str(name), [float(row["k"]) for row in mine], values)
        )
    count = int(found.decay["k"].max())
    mine = found.decay[found.decay["model"] == found.deployed]
    last = mine.iloc[-1].to_dict()
    half = mine.iloc[len(mine) // 2].to_dict()
    middle = found.estimate(half)
    words = pages.say(
        "With {k} of {all} columns gone, {model} is left with {value}",
        k=str(int(half["k"])),
        all=str(count),
        model=called(found.deployed),
        value=claims.written(middle),
    )
    if not middle.has_interval:
        who = called(found.deployed)
        words = pages.say("What {model} keeps as columns vanish", model=who)
    floor = Estimate(found.floor, found.title)
    over = "rows and splits" if found.splits > 1 else "rows"
    figure = figures.decay(
        lines,
        columns=count,
        name="decay",
        title=words,
        label=f"{words}; with all gone {found.estimate(last).text}.",
        unit=found.title,
        floor=figures.Mark("constant", floor) if math.isfinite(found.floor) else None,
        limits=get_measure(found.measure).range,
        conditions=f"{found.conditions} Mean over up to 8 subsets of each size. Band: "
        f"95 % interval over {over}.",
        downloads=[pages.Download.csv("decay.csv", found.decay)],
    )
    return pages.Section("decay", "How they decay", words, blocks=[figure])


def models_section(found: Result) -> pages.Section:
    sign = 1 if found.larger_is_better else -1
    rows = []
    chosen = len(found.models) > 1 and not found.given
    first = " (given)" if found.given else " (chosen)" * chosen
    for row in in_order(found).to_dict("records"):
        one = found.estimate(row)
        mark = first if row["model"] == found.deployed else ""
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["model"]) + mark),
                    cell(one.value, one.places, "strong"),
                    pages.Cell(one.interval),
                ]
            )
        )
    rows.append(
        pages.Row([pages.Cell(CONSTANT), floor_cell(found), pages.Cell()], "bottom")
    )
    if (free := of_clusters(found)) is not None:
        one, name = free
        ends = [cell(one.value, one.places), pages.Cell(one.interval)]
        rows.append(pages.Row([pages.Cell(name), *ends], "bottom"))
    table = pages.Table(
        "models",
        pages.say("{measure} with all columns", measure=found.title),
        [
            pages.Column("Model", "name"),
            pages.Column(found.title, best="max" if sign > 0 else "min", sorted=True),
            pages.Column("95 %"),
        ],
        rows,
        brief=True,
        conditions=found.conditions,
        downloads=[pages.Download.csv("models.csv", found.models)],
    )
    lead = "Chosen on held-out training rows." if chosen else ""
    return pages.Section(
        "models", "All columns", against_floor(found), lead=lead, blocks=[table]
    )
