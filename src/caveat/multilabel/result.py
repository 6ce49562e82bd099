"""What was found about models of many labels: numbers that go into a record and back.

All models are judged on the same test rows, and every measure was computed on the same
resamples of them: differences are paired.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as t_distribution

from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.pages.claims import Estimate
from caveat.statistics import holm

MAIN = "average_precision"
"""The measure that titles are about: it needs no threshold."""
POPULARITY = "popularity"
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class Model:
    """One model, or one floor, on the test rows.

    Attributes
    ----------
    name : str
    draws : DataFrame
        A column per measure; the first row is the value on the rows as they are, the
        others are those on resampled rows, the same for every model. Decision measures
        use the cut that all models share.
    floor : bool
        Whether it looks at no feature.
    held_out : float
        Its average precision on held-out training rows; NaN where nothing was trained.
    own : Mapping of str to float
        The decision measures of its own decisions.
    verdict : {"both", "label-wise", "instance-wise", "neither"}
        Which margin it serves.
    promised : tuple of str
        Measures that theory promises to whoever serves that margin.
    labels, thresholds : DataFrame
        Its measures label by label; its decision measures by rules for the threshold.
    tie_share : float
        Share of pairs with equal scores.
    two_valued : bool
        Whether its scores are decisions in disguise.
    """

    name: str
    draws: pd.DataFrame
    floor: bool = False
    held_out: float = math.nan
    own: Mapping[str, float] = field(default_factory=dict)
    verdict: str = "neither"
    promised: tuple[str, ...] = ()
    labels: pd.DataFrame = field(default_factory=pd.DataFrame)
    thresholds: pd.DataFrame = field(default_factory=pd.DataFrame)
    tie_share: float = 0.0
    two_valued: bool = False

    @property
    def values(self) -> dict[str, float]:
        """Every measure on the test rows as they are."""
        return {str(k): float(v) for k, v in self.draws.iloc[0].items()}

    def estimate(self, measure: str, rows: int = 0) -> Estimate:
        """Return a value with its interval over resampled rows."""
        return from_draws(self.draws[measure], MEASURES[measure].title, rows)

    def to_record(self) -> dict[str, Any]:
        """Write it as JSON values."""
        return {
            "name": self.name,
            "draws": _columns(self.draws),
            "floor": self.floor,
            "held_out": None if math.isnan(self.held_out) else self.held_out,
            "own": dict(self.own),
            "verdict": self.verdict,
            "promised": list(self.promised),
            "labels": _columns(self.labels.reset_index()),
            "thresholds": _columns(self.thresholds.reset_index()),
            "tie_share": self.tie_share,
            "two_valued": self.two_valued,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_record` wrote."""
        held, frames = record["held_out"], {}
        for name, index in (("labels", "label"), ("thresholds", "threshold")):
            table = pd.DataFrame(record[name])
            frames[name] = table.set_index(index) if index in table else pd.DataFrame()
        return cls(
            **{
                **record,
                **frames,
                "draws": pd.DataFrame(record["draws"], dtype=float),
                "held_out": math.nan if held is None else held,
                "promised": tuple(record["promised"]),
            }
        )


@dataclass(frozen=True, eq=False)
class Result:
    """Several models of many labels on the same test rows.

    Attributes
    ----------
    models : tuple of Model
        In the order asked for.
    floors : tuple of Model
        What looks at no feature: popularity, every label, no label.
    n_train, n_test, n_labels : int
        No training rows for a person's own scores.
    failed : Mapping of str to str
        Models that gave nothing, and why.
    notes : tuple of str
    cut : str
        How scores become decisions, for every model alike.
    conditions : str
    tuned : Mapping
        What thresholds tuned on the test rows would add to the macro-F1 of the chosen
        model: ``honest``, ``tuned`` and ``draws`` of their difference; may be empty.
    """

    models: tuple[Model, ...]
    floors: tuple[Model, ...]
    n_train: int
    n_test: int
    n_labels: int
    failed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cut: str = ""
    conditions: str = ""
    tuned: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """The measures that some model has a value of, in their usual order."""
        there = {name for model in self.models for name in model.draws.columns}
        return [name for name in MEASURES if name in there]

    @cached_property
    def chosen(self) -> Model:
        """The model that held-out training rows choose; the first where there are none.

        No label of a test row is used.
        """
        held = [(-m.held_out, i) for i, m in enumerate(self.models) if m.held_out > 0]
        return self.models[min(held)[1]] if held else self.models[0]

    @property
    def oracle(self) -> Model:
        """The model with the largest average precision on the test rows."""
        return max(self.models, key=lambda m: _or(m.values.get(MAIN), -math.inf))

    def floor(self, measure: str) -> Model | None:
        """Return what gets furthest on a measure without looking at a feature."""
        sign = _sign(measure)
        known = [m for m in self.floors if np.isfinite(m.values.get(measure, math.nan))]
        return max(known, key=lambda m: sign * m.values[measure], default=None)

    def estimate(self, model: Model, measure: str) -> Estimate:
        """Return a model's value with its interval over test rows."""
        return model.estimate(measure, self.n_test)

    def difference(self, one: Model, other: Model, measure: str) -> Estimate:
        """Return by how much `one` is better, paired over the same resamples."""
        gap = _sign(measure) * (one.draws[measure] - other.draws[measure])
        return from_draws(gap, MEASURES[measure].title, self.n_test)

    def p_value(self, one: Model, other: Model, measure: str) -> float:
        """Test for no difference, two-sided, by the paired bootstrap.

        The difference over its standard error, which is the spread of the resampled
        differences, against Student's t: a share of few resamples could not become
        small enough to survive a correction for many comparisons.
        """
        gap = (one.draws[measure] - other.draws[measure]).to_numpy()
        rest = gap[1:][np.isfinite(gap[1:])]
        if not np.isfinite(gap[0]) or len(rest) < 2 or self.n_test < 2:
            return math.nan
        error = float(rest.std(ddof=1))
        if abs(gap[0]) < 1e-12 or error < 1e-12:
            return 1.0 if abs(gap[0]) < 1e-12 else 0.0
        return float(2 * t_distribution.sf(abs(gap[0]) / error, self.n_test - 1))

    def behind(self, measure: str) -> dict[str, bool]:
        """Say of every model whether it falls behind the first of a measure.

        Paired bootstrap over rows, Holm's correction over the models compared.
        """
        known = self._known(measure)
        if not known:
            return {}
        top = self.first(measure)
        others = [m for m in known if m is not top]
        adjusted = holm([self.p_value(top, m, measure) for m in others])
        found = {
            m.name: bool(p <= ALPHA) for m, p in zip(others, adjusted, strict=True)
        }
        return {top.name: False, **found}

    def first(self, measure: str) -> Model:
        """Return the model with the largest value of a measure that some model has."""
        sign = _sign(measure)
        return max(self._known(measure), key=lambda m: sign * m.values[measure])

    def _known(self, measure: str) -> list[Model]:
        return [m for m in self.models if np.isfinite(_or(m.values.get(measure)))]

    @cached_property
    def against_chosen(self) -> dict[str, float]:
        """P-values of every other model against the chosen one, Holm-corrected."""
        others = [m for m in self.models if m is not self.chosen and MAIN in m.draws]
        if MAIN not in self.chosen.draws or not others:
            return {}
        raw = [self.p_value(self.chosen, m, MAIN) for m in others]
        return {m.name: float(p) for m, p in zip(others, holm(raw), strict=True)}

    def to_frame(self) -> pd.DataFrame:
        """Return method, measure, value, low, high, floor of all, tidy."""
        rows = []
        for model in (*self.models, *self.floors):
            for measure in model.draws.columns:
                one = self.estimate(model, str(measure))
                row = {"method": model.name, "measure": str(measure)}
                ends = {"value": one.value, "low": one.low, "high": one.high}
                rows.append({**row, **ends, "floor": model.floor})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Give what the JSON of a look says beyond its common keys."""
        models = {}
        for model in (*self.models, *self.floors):
            there = {m: self.estimate(model, str(m)).to_dict() for m in model.draws}
            models[model.name] = {
                "measures": there,
                "floor": model.floor,
                "held_out": model.held_out,
                "own_decisions": dict(model.own),
                "serves": model.verdict,
                "tie_share": model.tie_share,
                "thresholds": model.thresholds.to_dict("index"),
            }
        return {
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_labels": self.n_labels,
            "chosen": self.chosen.name,
            "models": models,
            "failed": dict(self.failed),
        }

    def to_record(self) -> dict[str, Any]:
        """Write it as JSON values."""
        return {
            "models": [model.to_record() for model in self.models],
            "floors": [model.to_record() for model in self.floors],
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_labels": self.n_labels,
            "failed": dict(self.failed),
            "notes": list(self.notes),
            "cut": self.cut,
            "conditions": self.conditions,
            "tuned": {k: _plain(v) for k, v in self.tuned.items()},
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_record` wrote."""
        parts = {
            name: tuple(Model.from_record(one) for one in record[name])
            for name in ("models", "floors")
        }
        return cls(**{**record, **parts, "notes": tuple(record["notes"])})


def from_draws(draws: pd.Series, title: str, rows: int) -> Estimate:
    """Return the first value; percentiles of the others lie inside the range."""
    value, rest = float(draws.iloc[0]), draws.iloc[1:].to_numpy()
    rest = rest[np.isfinite(rest)]
    if len(rest) < 2 or not math.isfinite(value):
        return Estimate(value, title)
    low, high = (float(end) for end in np.quantile(rest, [0.025, 0.975]))
    basis = f"{rows:,} test rows, bootstrap"
    return Estimate(value, title, min(low, value), max(high, value), basis, rows)


def _sign(measure: str) -> int:
    return 1 if MEASURES[measure].larger_is_better else -1


def _or(value: float | None, other: float = math.nan) -> float:
    return other if value is None or not math.isfinite(value) else value


def _columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    return {str(name): _plain(table[name]) for name in table.columns}


def _plain(values: Any) -> Any:
    if isinstance(values, pd.Series | np.ndarray | Sequence) and not isinstance(
        values, str
    ):
        array: NDArray[Any] = np.asarray(values)
        return [None if v != v else v for v in array.tolist()]
    return values
