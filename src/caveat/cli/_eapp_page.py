"""The page of `caveat eapp`: the free part, its conditions, and how to do it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat import pages as kit
from caveat.cli._again import again_section
from caveat.cli._eapp_drivers import driver_section, probe_section
from caveat.cli._eapp_figures import number_line, where_read
from caveat.cli._eapp_free import class_section, free_section
from caveat.cli._eapp_input import class_share, target_name
from caveat.cli._eapp_remarks import conditions
from caveat.cli._remark import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caveat.datasets import Dataset
    from caveat.eapp import EAPP

_TITLES = {
    "trivially separable or biased": "Clusters already know the answer.",
    "partly trivial": "Clusters know part of the answer.",
    "weak": "Clusters know a little of the answer.",
    "chance": "Shuffled labels do as well.",
    "not tested": "Too few shuffled labels to tell it from chance.",
    "undefined": "There is no value at 1/p₀.",
}


@dataclass(frozen=True)
class Findings:
    """All that a page tells.

    Attributes
    ----------
    model : EAPP
        Fitted.
    dataset : Dataset
    remarks : sequence of Remark
    columns, probed : DataFrame or None
        Drivers, and the planted shifts.
    model_auc : float or None
        A model's AUC, to compare.
    """

    model: EAPP
    dataset: Dataset
    remarks: Sequence[Remark]
    columns: pd.DataFrame | None
    probed: pd.DataFrame | None
    model_auc: float | None


def write_page(found: Findings, command: str, file: str, out: str) -> Path:
    """Write the page and its files; return the page's path."""
    model, dataset, remarks = found.model, found.dataset, found.remarks
    columns, model_auc = found.columns, found.model_auc
    target = target_name(dataset)
    sections = [_data_section(model, dataset), free_section(model, remarks, model_auc)]
    if len(model.per_class_) > 1:
        sections.append(class_section(model))
    if columns is not None:
        sections.append(driver_section(columns))
    if found.probed is not None:
        sections.append(probe_section(found.probed))
    sections.append(again_section(conditions(model), command))
    chapter = kit.Chapter(
        "",
        kit.say(
            "EAPP of {file}, target {target}",
            file=kit.code(file),
            target=kit.code(target),
        ),
        kit.say(
            "{score} {verdict}", score=_score(model), verdict=_TITLES[model.verdict_]
        ),
        _lede(model),
        figure=number_line(model, model_auc),
        sections=sections,
        checks="The value at 1/p₀ was held against shuffled labels.",
    )
    return kit.write(kit.Page([chapter]), out)


def _score(model: EAPP) -> str:
    if model.value_ != model.value_:
        return "Clustering has no score here."
    if model.measure_ == "concordance":
        return f"The means of clusters score {model.value_:.2f}."
    return f"Clustering scores {model.value_:.2f} without seeing one label."


def _lede(model: EAPP) -> str:
    null = model.null_at_k_star_
    if null["low"] != null["low"]:
        return model.verdict_text_
    words = f"Shuffled labels give {null['low']:.2f} to {null['high']:.2f}. "
    if model.verdict_ == "trivially separable or biased":
        words += (
            "Either the task is easy, or something beside the matter gives the classes "
            "away. "
        )
    return words + "Whatever a model scores, this much of it is free."


def _data_section(model: EAPP, dataset: Dataset) -> kit.Section:
    rows, width = dataset.X.shape
    what = "pictures" if dataset.image_shape else "rows"
    unit = "pixels" if dataset.image_shape else "columns"
    kinds = list(dataset.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    facts: list[tuple[str, Any]] = [
        ("Read as", ", ".join(f"{kit.count(n)} {kind}" for kind, n in counts.items())),
        ("Read at", where_read(model)),
    ]
    facts += [("Noted", text) for text in dataset.notes]
    return kit.Section(
        "data",
        "The data",
        f"{kit.count(rows)} {what}, {kit.count(width)} {unit}, "
        f"{class_share(dataset, model)}",
        blocks=[kit.Facts(facts)],
    )
