"""Weaker labels, read off the ledger: several targets, shares of groups, candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from caveat.audit._reading_weaker import (
    ManyTargets,
    Sets,
    Shares,
    read_sets,
    read_shares,
    read_targets,
)
from caveat.audit.result import Model, Result
from caveat.statistics import bounded_interval

if TYPE_CHECKING:
    from caveat.study import Records

_CURVES = ("labels", "thresholds", "shares", "sizes", "confusions")


@dataclass(frozen=True)
class Best:
    """The first model with every label, to be held against weaker ones."""

    name: str
    title: str
    value: float
    upper: float
    further: Mapping[str, float]

    @classmethod
    def of(cls, model: Model) -> Best:
        """Read it off an audit's result."""
        value = model.score.value
        return cls(model.name, model.title, value, value, model.further)


@dataclass(frozen=True)
class Free:
    """What clusters reach, and how often shuffled labels reach as much."""

    value: float
    p: float


@dataclass(frozen=True)
class Reading:
    """The parts on weaker labels, as far as they were asked for and done."""

    scenario: Mapping[str, Any]
    facts: Mapping[str, Any]
    classes: pd.DataFrame
    best: Best | None = None
    free: Free | None = None
    has_skill: bool = False
    targets: ManyTargets | None = None
    shares: Shares | None = None
    sets: Sets | None = None
    states: Mapping[str, int] = field(default_factory=dict)

    @property
    def asked(self) -> list[str]:
        """The parts that were asked for."""
        wanted = ("targets", "bags", "candidates")
        return [part for part in wanted if self.scenario[part]]


def read_weaker(
    records: Records,
    rows: pd.DataFrame,
    scenario: Mapping[str, Any],
    facts: Mapping[str, Any],
    found: Result | None,
) -> Reading:
    """Collect what the trials on weaker labels found."""
    titles = {
        name: str(known.get("title", name))
        for (kind, name), known in records.glossary.items()
        if kind == "learner"
    }
    curves = {}
    for name in _CURVES:
        curve = records.curves(name).drop(columns=["world"], errors="ignore")
        if "learner" in curve:
            curve["learner"] = curve["learner"].astype(str)
        curves[name] = curve
    part = rows["scenario.part"] if len(rows) else pd.Series(dtype=str)
    best = None if found is None or not found.models else Best.of(found.models[0])
    states = records.trials["state"].value_counts()
    return Reading(
        scenario=scenario,
        facts=facts,
        classes=pd.DataFrame() if found is None else found.classes,
        best=best,
        free=_free(found),
        has_skill=found is not None and found.has_skill,
        targets=read_targets(rows[part == "targets"], curves, titles, _interval),
        shares=read_shares(rows[part == "bags"], curves, titles, _interval),
        sets=read_sets(rows[part == "candidates"], curves, titles, _interval),
        states={str(k): int(v) for k, v in states.items()},
    )


def _interval(values: list[float], ratio: float, measure: str) -> tuple[float, float]:
    """95 % interval of a mean over folds, corrected for their overlap."""
    if len(values) < 2:
        return float("nan"), float("nan")
    limits = (0.0, 1.0) if measure == "auc" else (0.0, math.inf)
    if measure != "auc" and np.min(values) <= 0:
        limits = (-math.inf, math.inf)
    found = bounded_interval(values, range=limits, test_share=ratio / (1 + ratio))
    return found.low, found.high


def _free(found: Result | None) -> Free | None:
    if found is None or found.clusters is None:
        return None
    return Free(found.clusters.value, found.clusters.p_value)
