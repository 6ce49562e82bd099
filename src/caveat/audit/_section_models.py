"""The models: who clears the bar, and which differences are real."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from caveat import pages as kit
from caveat.audit._drawing import score_places
from caveat.audit._figure_scores import model_dots
from caveat.audit._margin import caveats_of
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number


def models_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Who clears the bar, and which differences are real."""
    caveats = caveats_of("models", remarks, {_star(remarks)})
    if reading.best is None:
        caveats = caveats_of("models", remarks)
        return kit.Section(
            "models",
            "The models",
            "No model gave a value",
            lead="Every fit failed or the time was over before the first one ended.",
            blocks=[kit.Notice("Give it more time with --minutes, or fewer columns.")],
            caveats=caveats,
        )
    return kit.Section(
        "models",
        "The models",
        _models_heading(reading),
        lead=(
            "Each model learns on all folds but one and is judged on that one. "
            "Settings are the defaults, nothing was tuned."
        ),
        blocks=[
            model_dots(reading),
            _model_table(reading, remarks),
            *_split_table(reading),
        ],
        caveats=caveats,
    )


def _star(remarks: Sequence[Remark]) -> str:
    """Name the caveat that the best score has to be read with."""
    worst = [
        f"caveat-{place}"
        for place, remark in enumerate(remarks, start=1)
        if remark.severity == "serious" and remark.section == "models"
    ]
    return worst[0] if worst else ""


def _models_heading(reading: Reading) -> str:
    free = reading.free
    scores = list(reading.scores.values())
    if not reading.has_skill:
        return "No model does better than chance"
    bar = "a constant answer"
    clear = sum(reading.earned(one.value) > 0 for one in scores)
    if free is not None and not math.isnan(free.value):
        bar = "the free part"
        clear = sum(one.upper > free.value for one in scores)
    if clear == len(scores):
        first = f"Every model clears {bar}" if clear > 1 else f"It clears {bar}"
    elif clear == 0:
        first = f"No model clears {bar}"
    else:
        first = f"{kit.capital(kit.word(clear))} of {kit.word(len(scores))} clear {bar}"
    ties = [one for one in reading.differences if not one.is_real]
    if not reading.differences:
        return first
    if not ties:
        return f"{first}; the best is ahead of all others"
    if len(ties) == 1:
        return f"{first}; the two best cannot be told apart"
    return f"{first}; the best {kit.word(len(ties) + 1)} cannot be told apart"


def _model_table(reading: Reading, remarks: Sequence[Remark]) -> kit.Table:
    names = {"accuracy": "Accuracy", "r2": "R²"}
    further = [
        name
        for name in names
        if any(name in one.further for one in reading.scores.values())
    ]
    free = reading.free
    with_room = free is not None and not math.isnan(free.value) and free.value < 1
    best_way: Any = "min" if reading.regression else "max"
    columns = [
        kit.Column("Model", "name"),
        kit.Column(
            reading.unit, best=best_way, sorted=True, term=f"term-{reading.measure}"
        ),
        kit.Column("95 % interval", term="term-interval"),
    ]
    if with_room:
        columns.append(kit.Column("Headroom used", best="max", term="term-headroom"))
    columns += [kit.Column(names[name], term=f"term-{name}") for name in further]
    columns.append(kit.Column("Ties with the best", "text"))
    ties = {one.other for one in reading.differences if not one.is_real}
    star = _star(remarks)
    places = score_places(reading)
    rows = []
    for place, one in enumerate(reading.scores.values()):
        cells = [
            kit.Cell(one.title),
            kit.Cell(
                kit.fixed(one.value, places),
                value=one.value,
                tone="strong",
                star=star if place == 0 else "",
            ),
            kit.Cell(
                f"{kit.fixed(one.low, places)} to {kit.fixed(one.high, places)}"
                if not math.isnan(one.low)
                else "–"
            ),
        ]
        if with_room and free is not None:
            room = (one.upper - free.value) / (1 - free.value)
            cells.append(kit.Cell(kit.fixed(room, 2), value=room))
        for name in further:
            value = one.further.get(name, math.nan)
            cells.append(kit.Cell(kit.fixed(value, 3 if abs(value) < 10 else 1)))
        tie = "best" if place == 0 else "yes" if one.name in ties else "no"
        cells.append(kit.Cell(tie, tone="muted"))
        rows.append(kit.Row(cells))
    blank = kit.Cell()
    if reading.constant is not None:
        value = reading.constant.value
        cells = [
            kit.Cell("constant answer"),
            kit.Cell(kit.fixed(value, places)),
        ]
        cells += [blank] * (len(columns) - 2)
        rows.append(kit.Row(cells, place="bottom"))
    return kit.Table(
        "models",
        kit.say("{unit} of every model over folds", unit=reading.unit),
        columns,
        rows,
        conditions="Headroom: share of what the free part leaves open. Ties: corrected "
        "resampled t-test against the best, level 0.05."
        if with_room
        else "Ties: corrected resampled t-test against the best, level 0.05.",
    )


def _split_table(reading: Reading) -> list[kit.Table]:
    if not reading.others or reading.best is None:
        return []
    rows = []
    for split in reading.others:
        for name, score in reading.scores.items():
            other = split.scores.get(name)
            if other is None:
                continue
            words = "whole groups of" if split.by == "groups" else "later rows by"
            rows.append(
                kit.Row(
                    [
                        kit.Cell(score.title),
                        kit.Cell(
                            kit.say(
                                "{words} {column}",
                                words=words,
                                column=kit.code(kit.shorten(split.column, 30)),
                            )
                        ),
                        kit.Cell(number(score.value), value=score.value),
                        kit.Cell(number(other.value), value=other.value, tone="strong"),
                    ]
                )
            )
    return [
        kit.Table(
            "splits",
            "The same models where rows are split in another way",
            [
                kit.Column("Model", "name"),
                kit.Column("Folds of", "text"),
                kit.Column("Random"),
                kit.Column("So", best="min" if reading.regression else "max"),
            ],
            rows,
            titled=True,
        )
    ]
