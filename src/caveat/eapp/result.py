"""What EAPP found: plain numbers that go into a record and come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from caveat.eapp.registry import CLUSTERERS, MEASURES, REPRESENTATIONS
from caveat.pages.claims import SHUFFLES, Estimate
from caveat.pages.recorded import Recorded
from caveat.statistics import bounded_interval

if TYPE_CHECKING:
    from caveat.eapp._eapp import EAPP

Frame: TypeAlias = pd.DataFrame | None
CLUSTERS = "clusters that labels only had to name"
MEANS = "the means of clusters"
"""What is free, as pages call it: of classes, and of numbers."""
_OF_NUMBERS = {one.title for one in MEASURES.values() if "regression" in one.tasks}


@dataclass(frozen=True)
class Result(Recorded):
    """The value at 1/p₀, the curve, and all that an interval or a test needs.

    Attributes
    ----------
    measure : {"AUC", "concordance"}
    folds : tuple of float
        The honest value at 1/p₀, a number per fold or repeat.
    test_share : float
        Share of the rows in one fold.
    smaller : int
        Rows of the smaller class.
    value_paper, k_star, p_value, skill, alpha : float
    verdict : str
    shuffles : int
    null, paper_null : (mean, low, high)
        What shuffled labels give, named on training rows or as published.
    curve, classes : DataFrame
        `EAPP.curve_` and `EAPP.per_class_`.
    honest : bool
        Whether clusters are named on training rows.
    conditions : str
    notes : tuple of str
    drivers, probe : DataFrame or None
    seconds : float
    """

    _topic, _first = "eapp", "curve"

    measure: str
    folds: tuple[float, ...]
    test_share: float
    smaller: int
    value_paper: float
    k_star: float
    p_value: float
    skill: float
    alpha: float
    verdict: str
    shuffles: int
    null: tuple[float, float, float]
    paper_null: tuple[float, float, float]
    curve: pd.DataFrame
    classes: pd.DataFrame
    honest: bool = True
    conditions: str = ""
    notes: tuple[str, ...] = ()
    drivers: Frame = None
    probe: Frame = None
    seconds: float = 0.0

    @classmethod
    def of(cls, model: EAPP, *, drivers: Frame = None, probe: Frame = None) -> Result:
        """Read it off a fitted EAPP."""
        counts = [
            min(task.n_positive, task.n - task.n_positive) for task in model._tasks
        ]
        name = "honest" if model._honest else "paper"
        values = np.atleast_3d(model.fold_values_[name].T).T
        folds = np.mean(
            [
                t.at_k_star(v, model._ks)
                for t, v in zip(model._tasks, values, strict=True)
            ],
            axis=0,
        )
        held_out = np.mean([len(test) for _, test in model._splits])
        null, published = model.null_at_k_star_, model.paper_null_at_k_star_
        return cls(
            measure=model.measure_,
            folds=tuple(float(value) for value in folds),
            test_share=float(held_out / len(model._target.codes)),
            smaller=int(min(counts)),
            value_paper=model.value_paper_,
            k_star=model.k_star_,
            p_value=model.p_value_,
            skill=model.skill_,
            alpha=model.alpha,
            verdict=model.verdict_,
            shuffles=model.shuffles,
            null=(null["mean"], null["low"], null["high"]),
            paper_null=(published["mean"], published["low"], published["high"]),
            curve=model.curve_,
            classes=model.per_class_,
            honest=model._honest,
            conditions=conditions(model),
            notes=tuple(model.notes_),
            drivers=drivers,
            probe=probe,
            seconds=model.seconds_,
        )

    @property
    def of_numbers(self) -> bool:
        """Whether the target is a number, which clusters answer by their means."""
        return self.measure in _OF_NUMBERS

    @property
    def value(self) -> float:
        """The value at 1/p₀: the mean over the folds."""
        return float(np.mean(self.folds))

    @property
    def estimate(self) -> Estimate:
        """The value with its interval over the folds."""
        found = bounded_interval(
            self.folds, test_share=self.test_share, rows=self.smaller
        )
        basis = f"{found.n} folds, corrected for shared training rows"
        return Estimate.of(found, self.measure, basis)

    @property
    def floor(self) -> Estimate:
        """What shuffled labels give; its ends are their central 95 %."""
        mean, low, high = self.null
        if np.isnan(low):
            return Estimate(mean, self.measure)
        return Estimate(mean, self.measure, low, high, SHUFFLES, self.shuffles)

    def to_frame(self) -> pd.DataFrame:
        """Return the curve, a row for every number of clusters."""
        return self.curve


def pooled(results: Sequence[Result]) -> Result:
    """Put results of several splits of one data set together, split by split."""
    first = results[0]
    folds = tuple(value for one in results for value in one.folds)
    nulls = np.array(first.null)
    if first.shuffles:
        nulls = np.nanmean([one.null for one in results], axis=0)
    numbers = first.curve.select_dtypes("number").columns
    curve = first.curve.copy()
    curve[numbers] = np.mean([one.curve[numbers] for one in results], axis=0)
    return replace(
        first,
        folds=folds,
        null=tuple(nulls),
        curve=curve,
        # Splits share rows: twice the median is a p-value whatever their dependence.
        p_value=min(1.0, 2 * float(np.median([one.p_value for one in results]))),
        seconds=sum(one.seconds for one in results),
    )


def conditions(model: EAPP) -> str:
    """Say under which conditions the number holds."""
    named = str(model.representation)
    parts = [
        REPRESENTATIONS[named].title if named in REPRESENTATIONS else named,
        CLUSTERERS[model.clusterer].title,
        f"{len(model._splits)} folds",
        f"{model.shuffles} shuffles",
        f"seed {model.random_state}",
    ]
    return ", ".join(parts) + "."
