"""What a result about many labels says: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from caveat import pages
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel._claims import (
    TEST,
    against_popularity,
    all_claims,
    among,
    in_order,
    known_or_nan,
    within,
)
from caveat.multilabel.result import MAIN, Model, Result
from caveat.pages import claims, figures
from caveat.statistics import holm

ORDER = (
    *("average_precision", "macro_auc", "micro_auc", "instance_auc", "ranking_loss"),
    *("one_error", "coverage", "instance_f1", "micro_f1", "macro_f1", "hamming_loss"),
)
#: Which pairs a measure of order compares.
ORDERS = {"instance_auc": "labels within a row", "macro_auc": "rows within a label"}
_SERVED = {
    "both": "labels within a row and rows within a label",
    "label-wise": "labels within a row only",
    "instance-wise": "rows within a label only",
    "neither": "neither kind of pairs",
}
_LEAD = pages.prose(
    "Each measure compares something else, so a model can be good by one and poor by "
    "another. Italic rows look at no feature."
)
_TUNED = "tuned on the test rows"


def look(found: Result, about: pages.About, *, rules: Sequence[str] = ()) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : Result
    about : About
        The file or data set it was found on.
    rules : sequence of str
        Rules for ``--fail-on``.
    """
    first = found.chosen
    one = found.estimate(first, MAIN) if MAIN in first.draws else None
    free, flat = found.floors[0], found.floors[-1]
    return pages.Look(
        "multilabel",
        about.eyebrow("Many labels"),
        list(all_claims(found)),
        [*sections(found), pages.again_section(about, found.conditions)],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": MEASURES[MAIN].title,
            **claims.score_facts(one),
            "floor": flat.values.get(MAIN),
            "free": free.values.get(MAIN),
            "p_value": found.p_value(first, free, MAIN) if one else None,
        },
        extra=found.to_dict(),
        tables={"measures": found.to_frame()},
        checks=_checks(found),
        nothing_to_do=pages.say(
            "Nothing to do: report {who} with the measure that your use asks for, "
            "beside popularity.",
            who=pages.name(first.name),
        ),
        rules=rules,
    )


def _checks(found: Result) -> str:
    """Say what was looked at; scores alone have no training rows to look at."""
    looked = ["popularity", "ties"]
    if len(found.models) > 1:
        looked.append("other models")
    if found.n_train:
        looked.append("absent labels")
    if not found.chosen.thresholds.empty:
        looked.append("thresholds")
    listed = f"{', '.join(looked[:-1])} and {looked[-1]}"
    return pages.sentence(f"{listed} were looked at")


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: measures, margins, thresholds, labels."""
    return [
        pages.Section(
            "measures",
            "The measures",
            _beside_popularity(found),
            lead=pages.join([_LEAD, *(claim.words for claim in among(found))]),
            blocks=[_measure_table(found), _terms(found)],
            wide=True,
        ),
        _margins(found),
        _threshold_section(found),
        _labels(found),
    ]


def _beside_popularity(found: Result) -> claims.Claim | pages.Words:
    """Give the heading; no number without its interval."""
    claim = against_popularity(found)
    if claim.may_lead:
        return claim
    return (
        "Every measure beside what looks at no feature; how sure they are is not known"
    )


def _measure_table(found: Result) -> pages.Table:
    names = [name for name in ORDER if name in found.measures]
    heading: list[Any] = ["Model"]
    heading += [
        pages.Column(
            MEASURES[name].title,
            best="max" if MEASURES[name].larger_is_better else "min",
            term=name.replace("_", "-"),
        )
        for name in names
    ]
    behind = {name: found.behind(name) for name in names}
    several = len(found.models) > 1
    bold = f" Bold: not behind the first by a {TEST}{within(found)}." if several else ""

    def row(model: Model, place: Any = "") -> pages.Row:
        cells: list[Any] = [pages.name(model.name)]
        for name in names:
            told = behind[name].get(model.name)
            cells.append(_cell(found, model, name, strong=several and told is False))
        return pages.Row(cells, place)

    shown = in_order(found)
    return pages.Table.of(
        "values",
        f"All measures{'; bold: no other is ahead by the test' if several else ''}",
        heading,
        [row(model) for model in shown] + [row(m, "bottom") for m in found.floors],
        conditions=pages.say(
            "{conditions} Decisions: {cut}.{bold}",
            conditions=found.conditions,
            cut=found.cut or "none were given",
            bold=bold,
        ),
        look="board",
        titled=True,
        brief=True,
        downloads=[pages.Download.csv("measures.csv", found.to_frame())],
    )


def _cell(found: Result, model: Model, name: str, *, strong: bool) -> pages.Cell:
    value = model.values.get(name, math.nan)
    if not math.isfinite(value):
        return pages.Cell("–", state="missing", how="nothing to compare")
    one = found.estimate(model, name)
    return pages.Cell(
        _digits(value),
        value=value,
        tone="strong" if strong else "",
        how=f"95 % interval {one.interval}" if one.interval else "",
    )


def _terms(found: Result) -> pages.Terms:
    terms = [
        pages.Term(
            name.replace("_", "-"),
            MEASURES[name].title,
            MEASURES[name].summary,
            MEASURES[name].warnings.replace("`", ""),
        )
        for name in ORDER
        if name in found.measures
    ]
    return pages.Terms("What the measures compare, and when they mislead", terms)


def _margins(found: Result) -> pages.Section:
    served = len(_serving(found))
    heading = pages.say(
        "{who} puts in order: {what}",
        who=pages.name(found.chosen.name),
        what=_SERVED[found.chosen.verdict],
    )
    if len(found.models) > 1:
        heading = pages.prose(
            f"{_of_all(served, len(found.models))} labels within a row and rows within "
            "a label better than scores that look at no feature"
        )
    return pages.Section(
        "margins",
        "The margins",
        heading,
        lead="A measure that compares labels within a row is served by the label-wise "
        "margin, one that compares rows within a label by the instance-wise margin; "
        "micro-AUC needs both (Wu and Zhou, 2017). Against scores that look at no "
        f"feature: {TEST}, Holm's correction for all of them.",
        blocks=[_dots(found, name) for name in ORDERS if name in found.measures],
    )


def _of_all(some: int, all_: int) -> str:
    """Begin a sentence on some, none or all of the models that order something."""
    if some == all_:
        return (
            "Both models order" if all_ == 2 else f"All {pages.word(all_)} models order"
        )
    if not some:
        return f"None of {pages.word(all_)} models orders"
    verb = "orders" if some == 1 else "order"
    return f"{pages.capital(pages.word(some))} of {pages.word(all_)} models {verb}"


def _serving(found: Result) -> list[str]:
    """Name the models whose two orders both lie above what needs no feature."""
    pairs = []
    for model in found.models:
        for measure in ORDERS:
            free = found.floor(measure)
            if measure not in found.measures or free is None:
                return []
            gap = found.difference(model, free, measure).value
            p = found.p_value(model, free, measure)
            pairs.append((model.name, p if gap > 0 else 1.0))
    adjusted = holm([p for _, p in pairs])
    short = {
        name for (name, _), p in zip(pairs, adjusted, strict=True) if not p <= 0.05
    }
    return [model.name for model in found.models if model.name not in short]


def _dots(found: Result, measure: str) -> pages.Figure:
    """Draw every model's share of pairs in order, beside what needs no feature."""
    known = [
        m for m in found.models if math.isfinite(known_or_nan(m.values.get(measure)))
    ]
    shown = sorted(known, key=lambda m: -m.values[measure])
    free = found.floor(measure)
    floor = None if free is None else found.estimate(free, measure)
    pairs = ORDERS[measure]
    values = "; ".join(f"{m.name} {pages.fixed(m.values[measure], 2)}" for m in shown)
    without = "" if floor is None else f", {floor.text} without looking at a feature"
    title = f"Pairs of {pairs} in the right order{without}"
    return figures.score_dots(
        [figures.Dot(m.name, found.estimate(m, measure)) for m in shown],
        name=measure.replace("_", "-"),
        title=title,
        label=f"{title}. {values}.",
        unit=f"share of pairs of {pairs} in order",
        floor=floor,
        limits=(0, 1),
        conditions=f"Lines are 95 % intervals: {TEST}. Hatched: reached without "
        "looking at a feature.",
    )


def _threshold_section(found: Result) -> pages.Section:
    table = found.chosen.thresholds
    if table.empty:
        return pages.Section(
            "thresholds",
            "The thresholds",
            "Thresholds were not estimated: the scores came without training rows",
            blocks=[
                pages.Notice(
                    "Thresholds tuned on the rows they are judged on flatter every "
                    "F-measure; estimate them on training rows, with "
                    "caveat.multilabel.LabelThreshold or InstanceThreshold."
                )
            ],
        )
    columns = ["Threshold", *(MEASURES[name].title for name in table.columns)]
    rows = [
        pages.Row(
            [str(name), *map(pages.Cell.number, row)],
            "bottom" if name == _TUNED else "",
        )
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    rows += [
        pages.Row([f"{one.name}, no feature", *map(pages.fixed, told)], "bottom")
        for one in found.floors
        for told in [map(one.values.get, table.columns)]
    ]
    return pages.Section(
        "thresholds",
        "The thresholds",
        pages.say(
            "{n} ways to cut the scores of {who}, on the same test rows",
            n=pages.capital(pages.word(len(table) - 1)),
            who=pages.name(found.chosen.name),
        ),
        lead="A label is given if its score is above a threshold. Each row is one way "
        f"to find thresholds on held-out training scores; “{_TUNED}” looked at the "
        "test rows and is no result. The last rows look at no feature.",
        blocks=[
            pages.Table.of("cuts", "Decision measures by threshold", columns, rows)
        ],
    )


def _labels(found: Result) -> pages.Section:
    first = found.chosen
    known = first.labels.dropna(subset=["auc"]).sort_values("auc", kind="stable")
    columns: list[Any] = [
        "Label",
        pages.Column("Positives", best="max"),
        pages.Column("AUC", best="min", sorted=True),
    ]
    # A model with scores only has no such column: nothing was decided.
    decided = "f1" in known.columns
    if decided:
        columns += [pages.Column("F1", best="max"), "F1 of always yes"]
    rows = []
    for name, row in known.head(15).iterrows():
        cells = [
            pages.code(str(name)),
            pages.Cell(pages.count(int(row["positives"])), value=row["positives"]),
            pages.Cell.number(row["auc"], tone="strong"),
        ]
        if decided:
            share = row["positives"] / found.n_test
            always = pages.Cell.number(2 * share / (1 + share), tone="muted")
            cells += [pages.Cell.number(row["f1"]), always]
        rows.append(cells)
    csv = first.labels.to_csv().encode()
    return pages.Section(
        "labels",
        "The labels",
        pages.say(
            "{count} of {all} labels have both classes among the test rows",
            count=pages.count(len(known)),
            all=pages.count(found.n_labels),
        ),
        lead="From the lowest AUC up; a label with few positives is a small sample. "
        "All of them are in the CSV.",
        blocks=[
            pages.Table.of(
                "labels-table",
                pages.say("Labels of {who}", who=first.name),
                columns,
                rows,
                downloads=[pages.Download("labels.csv", "CSV", csv)],
            )
        ]
        if rows
        else [],
    )


def _line(found: Result) -> pages.Figure | None:
    first, free = found.chosen, found.floor(MAIN)
    if MAIN not in first.draws or free is None:
        return None
    if not math.isfinite(known_or_nan(first.values[MAIN])):
        return None
    one = found.estimate(first, MAIN)
    floor = found.estimate(free, MAIN)
    return figures.score_line(
        [figures.Mark(first.name, one)],
        label=str(against_popularity(found).words),
        floor=figures.Mark(free.name, floor, "free"),
        limits=(0, 1),
        conditions=f"Average precision, 95 % interval: {TEST}.",
    )


def _digits(value: float) -> str:
    return pages.fixed(value, 3 if abs(value) < 10 else 1)
