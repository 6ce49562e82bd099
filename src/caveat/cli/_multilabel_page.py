"""The page of `caveat multilabel`: measures, margins, thresholds, labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caveat import pages as kit
from caveat.cli._again import again_section
from caveat.cli._multilabel_remarks import best_by_measure
from caveat.cli._multilabel_sections import (
    all_judged,
    best_first,
    fixed,
    label_section,
    margin_section,
    threshold_section,
)
from caveat.cli._remark import Remark, caveats_of
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.measures import LabelMeasure

if TYPE_CHECKING:
    from caveat.datasets import Dataset
    from caveat.multilabel import Comparison
    from caveat.multilabel._compare import Judged

_ORDER = ("average_precision", "macro_auc", "micro_auc", "instance_auc", "ranking_loss",
          "one_error", "coverage", "instance_f1", "micro_f1", "macro_f1",
          "hamming_loss")  # fmt: skip


def write_page(
    found: Comparison,
    dataset: Dataset,
    remarks: Sequence[Remark],
    conditions: str,
    command: str,
    file: str,
    out: str,
) -> Path:
    """Write the page and its files; return the page's path."""
    leader = _leader(found)
    sections = [
        _data_section(found, dataset),
        _measure_section(found, conditions, remarks),
        margin_section(found, leader, conditions, remarks),
        threshold_section(found, leader, remarks),
        label_section(found, leader),
        again_section(conditions, command),
    ]
    chapter = kit.Chapter(
        "",
        kit.say("Many labels in {file}", file=kit.code(Path(file).name)),
        _title(found, leader),
        found.models[leader].profile.sentence,
        sections=sections,
        checks="Ties, label popularity, absent labels and thresholds were looked at.",
    )
    return kit.write(kit.Page([chapter]), out)


def _leader(found: Comparison) -> str:
    """Name the model that the page looks at closely: best by average precision."""
    leaders = best_by_measure(found)
    return leaders.get("average_precision", next(iter(found.models)))


def _title(found: Comparison, leader: str) -> kit.Words:
    result = found.models[leader].result
    precision = result.get("average_precision", float("nan"))
    score = "" if precision != precision else f"{precision:.2f}"
    leaders = set(best_by_measure(found).values())
    if len(found.models) == 1:
        text = "{who} has an average precision of {score}. {second}"
    else:
        text = "{who} leads with an average precision of {score}. {second}"
    second = {
        "both": "It orders labels and instances.",
        "label-wise": "It orders labels, not instances.",
        "instance-wise": "It orders instances, not labels.",
        "neither": "It orders neither labels nor instances.",
    }[found.models[leader].profile.verdict]
    if len(leaders) > 1:
        second = f"{kit.capital(kit.word(len(leaders)))} models lead somewhere."
    return kit.say(text, who=kit.name(leader), score=score, second=second)


def _data_section(found: Comparison, dataset: Dataset) -> kit.Section:
    Y = dataset.Y.to_numpy()
    rows, width = dataset.X.shape
    per_row, per_label = Y.sum(axis=1), Y.sum(axis=0)
    facts: list[tuple[str, kit.Words]] = [
        ("Labels per row", f"{per_row.mean():.2f}, from {per_row.min()} to "
                           f"{per_row.max()}"),
        ("Share of ones", kit.share(float(Y.mean()))),
        ("Distinct label sets", kit.count(len(np.unique(Y, axis=0)))),
        ("Labels with fewer than 5 rows", kit.count(int((per_label < 5).sum()))),
    ]  # fmt: skip
    facts += [("Noted", text) for text in dataset.notes]
    return kit.Section(
        "data",
        "The data",
        f"{kit.count(rows)} rows, {kit.count(width)} columns, "
        f"{kit.count(found.n_labels)} labels, {per_row.mean():.1f} per row",
        blocks=[kit.Facts(facts)],
    )


def _measure_section(
    found: Comparison, conditions: str, remarks: Sequence[Remark]
) -> kit.Section:
    leaders = best_by_measure(found)
    count = len(set(leaders.values()))
    heading = (
        f"{kit.capital(kit.word(count))} of {kit.word(len(found.models))} models lead "
        f"on at least one of {kit.word(len(leaders))} measures"
        if count > 1
        else f"One model has the best value of all {kit.word(len(leaders))} measures"
    )
    if len(found.models) == 1:
        heading = f"{kit.capital(kit.word(len(leaders)))} measures of one model"
    return kit.Section(
        "measures",
        "The measures",
        heading,
        lead="Each measure compares something else, so a model can be good by one and "
        "poor by another. Coverage is best at the mean number of labels minus one.",
        blocks=[_measure_table(found, conditions), _terms(found)],
        caveats=caveats_of(remarks),
        wide=True,
    )


def _measure_table(found: Comparison, conditions: str) -> kit.Table:
    names = [
        name for name in _ORDER if any(name in j.result for j in all_judged(found))
    ]
    columns = [kit.Column("Model", "name")] + [
        kit.Column(
            MEASURES[name].title,
            best="max" if MEASURES[name].larger_is_better else "min",
            sorted=name == "average_precision",
            term=name.replace("_", "-"),
        )
        for name in names
    ]
    ranks = {name: _ranks(found, MEASURES[name]) for name in names}
    rows = []
    for model in best_first(found):
        judged = found.models[model]
        cells = [kit.Cell(kit.name(model))]
        for name in names:
            value = judged.result.get(name, float("nan"))
            cells.append(_value_cell(judged, name, value, ranks[name].get(model, 0)))
        rows.append(kit.Row(cells))
    best = next(iter(all_judged(found))).result.best
    rows.append(
        kit.Row(
            [kit.Cell("best possible")]
            + [kit.Cell(fixed(best[name]), value=best[name]) for name in names],
            place="bottom",
        )
    )
    frame = found.to_frame()
    return kit.Table(
        "values",
        "All measures of all models",
        columns,
        rows,
        conditions=conditions,
        look="board",
        downloads=[kit.Download.csv("measures.csv", frame)],
    )


def _value_cell(judged: Judged, name: str, value: float, heat: int) -> kit.Cell:
    if value != value:
        return kit.Cell("–", state="missing", how="nothing to compare")
    low, high = (float(judged.intervals[end][name]) for end in ("low", "high"))
    return kit.Cell(
        fixed(value),
        value=value,
        heat=heat,
        how=f"95 % interval {fixed(low)} to {fixed(high)}",
    )


def _ranks(found: Comparison, measure: LabelMeasure) -> dict[str, int]:
    """Give the three best models of a measure their places; equal values share."""
    values = {
        name: judged.result[measure.key]
        for name, judged in found.models.items()
        if np.isfinite(judged.result.get(measure.key, np.nan))
    }
    ordered = sorted(set(values.values()), reverse=measure.larger_is_better)[:3]
    return {
        name: ordered.index(value) + 1
        for name, value in values.items()
        if value in ordered
    }


def _terms(found: Comparison) -> kit.Terms:
    terms = []
    for name in _ORDER:
        if any(name in judged.result for judged in all_judged(found)):
            terms.append(
                kit.Term(
                    name.replace("_", "-"),
                    MEASURES[name].title,
                    MEASURES[name].summary,
                    MEASURES[name].warnings.replace("`", ""),
                )
            )
    return kit.Terms("What the measures compare, and when they mislead", terms)
