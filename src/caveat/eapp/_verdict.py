"""Readings per class, put together, and put into words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.eapp._null_band import Reading, null_band
from caveat.eapp.folds._curves import Curves
from caveat.eapp.folds._fold import Plan
from caveat.eapp.target._target import Task

if TYPE_CHECKING:
    from caveat.eapp._eapp import EAPP


def curve_table(plan: Plan, curves: Curves, band: str) -> pd.DataFrame:
    """Put the curves side by side, a row for every k; means over classes."""
    columns: dict[str, Any] = {"k": plan.ks}
    bands: dict[str, Any] = {}
    for name, prefix in (("honest", ""), ("paper", "paper_")):
        over_classes = getattr(curves, name).mean(axis=0)
        columns[name] = over_classes[-1]
        null = over_classes[:-1]
        low, high = null_band(null, band)
        empty = np.full(len(plan.ks), np.nan)
        bands[f"{prefix}null_mean"] = null.mean(axis=0) if len(null) else empty
        bands[f"{prefix}null_low"] = low
        bands[f"{prefix}null_high"] = high
    exact = np.all([fold.exact for fold in curves.folds], axis=0)
    return pd.DataFrame({**columns, **bands, "exact": exact})


def read_classes(
    tasks: Sequence[Task], ks: list[int], curves: NDArray[np.float64], band: str
) -> list[Reading]:
    """Read every class's curves, shape (tasks, shuffles + 1, k), at its own 1/p₀."""
    readings = []
    for task, own in zip(tasks, curves, strict=True):
        values = task.at_k_star(own, ks)
        readings.append(Reading(float(values[-1]), values[:-1], band))
    return readings


def macro(readings: Sequence[Reading]) -> Reading:
    """Mean over classes, shuffle by shuffle, for all classes share the shuffles."""
    value = float(np.mean([reading.value for reading in readings]))
    null = np.mean([reading.null for reading in readings], axis=0)
    return Reading(value, null, readings[0].band)


def class_table(
    tasks: Sequence[Task],
    headlines: Sequence[Reading],
    by_class: Mapping[str, Sequence[Reading]],
    alpha: float,
) -> pd.DataFrame:
    """One row per class against the rest."""
    rows = []
    for number, (task, reading) in enumerate(zip(tasks, headlines, strict=True)):
        low, high = reading.limits
        rows.append(
            {
                "label": task.label,
                "share": task.n_positive / task.n,
                "k_star": task.k_star,
                "value": by_class["honest"][number].value,
                "value_paper": by_class["paper"][number].value,
                "null_mean": reading.null_mean,
                "null_low": low,
                "null_high": high,
                "p_value": reading.p_value,
                "skill": reading.skill,
                "verdict": reading.verdict(alpha),
            }
        )
    return pd.DataFrame(rows)


def place_in_words(model: EAPP) -> str:
    """Say where the value is read off."""
    count = len(model._tasks)
    if model._target.numbers is not None:
        return "k = 2, as concordance"
    if model._target.members is not None:
        return f"each label's 1/p0, mean of {count} labels"
    if count > 1 and not model._target.joint:
        return f"each class's 1/p0, mean of {count} classes"
    return f"1/p0 = {model.k_star_:.4g}"


def as_text(model: EAPP) -> str:
    """Say it in five lines."""
    null = model.null_at_k_star_
    where = place_in_words(model)
    lines = [
        f"EAPP {_number(model._headline.value)} at {where}",
        f"shuffled labels {_number(null['mean'])}, "
        f"95 % of them {_number(null['low'])} to {_number(null['high'])}, "
        f"p = {_number(model.p_value_)}",
        f"paper's selection {_number(model.value_paper_)}, "
        f"shuffled {_number(model.paper_null_at_k_star_['mean'])}",
        f"verdict: {model.verdict_}",
        model.verdict_text_,
    ]
    return "\n".join(lines)


def as_dict(model: EAPP) -> dict[str, Any]:
    """Collect the result as plain JSON values."""
    columns = model.curve_.to_dict(orient="list")
    params = {
        name: value if isinstance(value, str | int | float | None) else str(value)
        for name, value in model.get_params(deep=False).items()
        if name not in ("folds", "kinds", "random_state")
    }
    return _plain(
        {
            "value": model.value_,
            "value_paper": model.value_paper_,
            "value_weighted": model.value_weighted_,
            "k_star": model.k_star_,
            "p_value": model.p_value_,
            "skill": model.skill_,
            "verdict": model.verdict_,
            "text": model.verdict_text_,
            "null": model.null_at_k_star_,
            "measure": model.measure_,
            "curve": columns,
            "below_min_k": model.below_min_k_.tolist(),
            "per_class": model.per_class_.to_dict(orient="records"),
            "folds": len(model._splits),
            "params": params,
            "notes": model.notes_,
        }
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str | int | float | bool | None):
        return value
    return str(value)


def _number(value: float) -> str:
    return "not known" if math.isnan(value) else f"{value:.3f}"
