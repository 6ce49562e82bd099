"""Candidate labels: how ambiguous, how noisy, and what can be learnt from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from caveat import pages as kit
from caveat.audit._figure_weaker import Mark, learner_dots
from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import SetModel, Sets
from caveat.audit._remark import number
from caveat.candidates import UNSURE
from caveat.pages import percent

NAME, EYEBROW = "sets", "Weaker labels: candidates"
_CRITERIA = {
    "covering-rate": "Covering rate",
    "approximated-accuracy": "Approximated accuracy",
}


def sets_section(reading: Reading) -> kit.Section:
    """Say what candidates support, chosen and trained without one true label."""
    found = reading.sets
    if found is None:
        return kit.Section(
            NAME,
            EYEBROW,
            "What the candidates teach is not known",
            lead="Every row names some labels, of which one should be true.",
            blocks=[kit.Notice("There was no time for it, or it failed; see caveats.")],
        )
    blocks: list[kit.Block] = [_facts(reading, found)]
    if found.best is not None:
        blocks = [_figure(reading, found), _table(reading, found), *blocks]
    else:
        blocks.append(kit.Notice("No algorithm ended in time, or all of them failed."))
    if len(found.confusions):
        blocks.append(_confusions(found))
    return kit.Section(
        NAME,
        EYEBROW,
        _heading(reading, found),
        lead=kit.say(
            "A row has {size} candidates of {classes} classes on average. Algorithm "
            "and training time were chosen by held-out sets, without a true label.",
            size=f"{float(found.facts['mean-size']):.1f}",
            classes=kit.word(int(found.facts["classes"])),
        ),
        blocks=blocks,
    )


def _heading(reading: Reading, found: Sets) -> kit.Prose:
    best = found.best
    if best is None:
        return kit.say(
            "A row has {size} candidate labels of {classes}; nothing was learnt from "
            "them",
            size=f"{float(found.facts['mean-size']):.1f}",
            classes=kit.word(int(found.facts["classes"])),
        )
    full = reading.best.further.get("accuracy") if reading.best is not None else None
    if not math.isnan(best.accuracy) and full is not None:
        return kit.say(
            "Known only as candidates, the labels still support {value} of {full} "
            "accuracy",
            value=number(best.accuracy),
            full=number(full),
        )
    return kit.say(
        "The answers of {model} are candidates of {covered} of unseen rows, a guess "
        "of {guess}",
        model=best.title,
        covered=percent(best.covered),
        guess=percent(float(found.facts["guess"])),
    )


def _figure(reading: Reading, found: Sets) -> kit.Figure:
    models = list(found.models.values())
    best = models[0]
    title = kit.say(
        "{model} is chosen: its answers are candidates of {covered} of unseen rows",
        model=best.title,
        covered=percent(best.covered),
    )
    none = math.nan
    return learner_dots(
        "set-algorithms",
        title,
        [(one.title, (one.covered, none, none)) for one in models],
        unit="share of unseen rows",
        free=Mark(float(found.facts["guess"]), "random guess", "free"),
        line=None,
        conditions=f"{kit.plural(best.folds, 'fold')}, "
        f"{kit.count(found.judged)} rows. In the order of the "
        f"{_CRITERIA[str(found.facts['criterion'])].lower()} on held-out sets: "
        f"{str(found.facts['reason']).replace('%', f'{kit.NBSP}%')}.",
        frame=_frame(models),
    )


def _frame(models: Sequence[SetModel]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "algorithm": one.name,
                "criterion": one.criterion,
                "covered": one.covered,
                "unsure": one.unsure,
                "right": one.right,
                "accuracy": one.accuracy,
                "auc": one.auc,
                "steps": one.steps,
                "folds": one.folds,
            }
            for one in models
        ]
    )


def _table(reading: Reading, found: Sets) -> kit.Table:
    with_truth = any(not math.isnan(one.right) for one in found.models.values())
    chosen_by = str(found.facts["criterion"])
    columns = [
        kit.Column("Algorithm", "name"),
        kit.Column(
            _CRITERIA[chosen_by], best="max", sorted=True, term=f"term-{chosen_by}"
        ),
        kit.Column("Unsure", best="min", term="term-unsure"),
    ]
    if with_truth:
        columns += [
            kit.Column("Suggestions right", best="max", term="term-unsure"),
            kit.Column("Accuracy", best="max", term="term-accuracy"),
            kit.Column("AUC", best="max", term="term-auc"),
        ]
    columns.append(kit.Column("Steps"))
    rows = []
    for one in found.models.values():
        cells = [
            kit.Cell(one.title),
            kit.Cell(kit.fixed(one.criterion, 3), value=one.criterion, tone="strong"),
            kit.Cell(percent(one.unsure), value=one.unsure),
        ]
        if with_truth:
            cells += [
                kit.Cell(percent(one.right), value=one.right),
                kit.Cell(kit.fixed(one.accuracy, 3), value=one.accuracy),
                kit.Cell(kit.fixed(one.auc, 3), value=one.auc),
            ]
        rows.append(kit.Row([*cells, kit.Cell(kit.count(one.steps), value=one.steps)]))
    full = reading.best
    if with_truth and full is not None:
        cells = [kit.Cell(f"{full.title}, every label"), kit.Cell(), kit.Cell()]
        cells += [kit.Cell(), kit.Cell(kit.fixed(full.further.get("accuracy"), 3))]
        cells += [kit.Cell(kit.fixed(full.value, 3)), kit.Cell()]
        rows.append(kit.Row(cells, place="bottom"))
    return kit.Table(
        "set-scores",
        "Algorithms, the chosen one first",
        columns,
        rows,
        conditions=f"Unsure: suggestions below {percent(UNSURE)}. "
        + (
            "What the truth says chose nothing."
            if with_truth
            else "No true label was used, so nobody checked the suggestions."
        ),
    )


def _facts(reading: Reading, found: Sets) -> kit.Facts:
    facts = found.facts
    sizes = found.sizes
    pairs: list[tuple[str, Any]] = [
        (
            "Candidates",
            kit.say(
                "in {column}, labels parted by {sign}",
                column=kit.code(kit.shorten(str(reading.scenario["candidates"]), 30)),
                sign=kit.code("|"),
            ),
        ),
        (
            "Sizes",
            f"{percent(float(facts['single']))} of the rows have one candidate, "
            f"{percent(float(facts['full']))} all; the largest set has "
            f"{int(sizes['size'].max()) if len(sizes) else 0}",
        ),
    ]
    if facts.get("noise") is not None:
        pairs.append(
            (
                "Noise",
                f"the true label is no candidate in {percent(float(facts['noise']))} "
                "of the rows",
            )
        )
        pairs.append(("Ambiguity", f"{float(facts['ambiguity']):.2f} at most"))
    else:
        pairs.append(
            (
                "Noise",
                kit.say(
                    "not known; {option} names the true label",
                    option=kit.code("--target"),
                ),
            )
        )
    if found.best is not None:
        unsure = round(found.best.unsure * found.judged)
        pairs.append(
            (
                "Suggestions",
                f"one each for {kit.count(found.judged)} unseen rows, "
                f"{kit.count(unsure) if unsure else 'none'} of them unsure",
            )
        )
    return kit.Facts(pairs)


def _confusions(found: Sets) -> kit.Table:
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(str(row["true"]), 30))),
                kit.Cell(kit.code(kit.shorten(str(row["other"]), 30))),
                kit.Cell(percent(float(row["share"])), value=float(row["share"])),
            ]
        )
        for row in found.confusions.head(5).to_dict("records")
    ]
    return kit.Table(
        "confusions",
        "Labels that come together most often",
        [
            kit.Column("True label", "name"),
            kit.Column("Also a candidate", "text"),
            kit.Column("How often", best="max", sorted=True, term="term-ambiguity"),
        ],
        rows,
        titled=True,
    )
