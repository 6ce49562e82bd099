"""From the ledger to the numbers of the page: nothing is computed from the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from caveat.audit._reading_parts import Difference, Free, Score, Shifted, Split
from caveat.audit._reading_weaker import (
    ManyTargets,
    Sets,
    Shares,
    read_sets,
    read_shares,
    read_targets,
)
from caveat.statistics import corrected_resampled_t_test

if TYPE_CHECKING:
    from caveat.study import Records


@dataclass(frozen=True)
class Reading:
    """All numbers of an audit, as far as there are any.

    Attributes
    ----------
    facts : dict
        File, target, task, rows of the whole file.
    table : dict
        Rows, columns, copies; empty if the table was not examined.
    columns, classes : DataFrame
    free : Free or None
    scores : dict of str to Score
        Best first, without the constant answer.
    constant : Score or None
    shifted : dict of str to Shifted
    others : list of Split
    within : DataFrame
        ``column, learner, value, overall``.
    targets, shares, sets : ManyTargets, Shares and Sets, or None
        Weaker labels, as far as they were asked for.
    states : dict of str to int
        How many trials ended how.
    failures : list of (str, str, str)
        Part, learner, state of trials without a value.
    spec : dict
        The study file.
    """

    facts: Mapping[str, Any]
    spec: Mapping[str, Any]
    table: Mapping[str, Any]
    columns: pd.DataFrame
    classes: pd.DataFrame
    free: Free | None
    scores: dict[str, Score]
    constant: Score | None
    shifted: dict[str, Shifted]
    others: list[Split]
    within: pd.DataFrame
    states: dict[str, int]
    failures: list[tuple[str, str, str]]
    open_parts: dict[str, int]
    ratio: float
    versions: str = ""
    digest: str = ""
    differences: list[Difference] = field(default_factory=list)
    targets: ManyTargets | None = None
    shares: Shares | None = None
    sets: Sets | None = None

    @property
    def scenario(self) -> Mapping[str, Any]:
        """What the study file says of the table."""
        return self.spec["scenario"]

    @property
    def single(self) -> bool:
        """Whether the audit is about one target."""
        return bool(self.scenario["single"])

    @property
    def asked(self) -> list[str]:
        """The parts on weaker labels that were asked for."""
        wanted = ("targets", "bags", "candidates")
        return [part for part in wanted if self.scenario[part]]

    @property
    def regression(self) -> bool:
        """Whether the target holds numbers."""
        return self.facts["task"] == "regression"

    @property
    def measure(self) -> str:
        """Name of the main measure."""
        return "rmse" if self.regression else "auc"

    @property
    def unit(self) -> str:
        """Title of the main measure."""
        return "RMSE" if self.regression else "AUC"

    @property
    def sign(self) -> float:
        """1 if larger is better, else -1."""
        return -1.0 if self.regression else 1.0

    @cached_property
    def best(self) -> Score | None:
        """Best model over folds."""
        return next(iter(self.scores.values()), None)

    @property
    def chance(self) -> float:
        """What an answer that looks at no column scores."""
        if not self.regression:
            return 0.5
        return self.constant.value if self.constant is not None else float("nan")

    def earned(self, value: float) -> float:
        """How far a score is above chance."""
        return self.sign * (value - self.chance)

    @property
    def headroom(self) -> float:
        """Share of what the free part leaves open that the best model earns."""
        if self.best is None or self.free is None or np.isnan(self.free.value):
            return float("nan")
        room = 1.0 - self.free.value
        return (self.best.upper - self.free.value) / room if room > 0 else float("nan")

    @property
    def has_skill(self) -> bool:
        """Whether the best model is better than chance, beyond its interval."""
        if self.best is None:
            return False
        edge = self.best.high if self.regression else self.best.low
        few = self.best.folds < _FEWEST_FOLDS and not self.regression
        if np.isnan(edge) or few:
            # An interval over a few folds holds almost anything; rows still count.
            edge = self.best.value
        return self.earned(edge) > 0 and self.earned(self.best.value) > self.luck

    @property
    def luck(self) -> float:
        """How far above one half chance alone may take an AUC; 0 for numbers.

        Three standard errors of the rank sum over all rows that judge. Two would not
        do: labels
        that were shuffled once go with some column by chance, and every fold learns
        that.
        """
        if self.regression or not len(self.classes):
            return 0.0
        sizes = self.classes["rows"].to_numpy(dtype=float)
        if self.scenario["test"]:
            # The rows of the test file judge, in about the same shares.
            sizes = sizes * float(self.table.get("test-rows", 0)) / sizes.sum()
        rest = sizes.sum() - sizes
        known = (sizes > 0) & (rest > 0)
        spread = np.sqrt((sizes.sum() + 1) / (12 * sizes[known] * rest[known]))
        return 3.0 * float(spread.mean()) if len(spread) else 0.0


_FURTHER = (
    *("decay", "policies", "labels", "thresholds", "shares", "sizes", "confusions"),
)
_FEWEST_FOLDS = 5
_EXPECTED = (
    *("scenario.part", "scenario.round", "scenario.by", "scenario.column"),
    *("fact.test-rows", "fact.training-rows"),
)


def read_audit(
    records: Records, facts: Mapping[str, Any], spec: Mapping[str, Any]
) -> Reading:
    """Collect what the trials of an audit found.

    Parameters
    ----------
    records : Records
        Of the audit's study.
    facts : mapping
        ``file``, ``target``, ``task``, ``whole-rows``.
    spec : mapping
        The study file.
    """
    trials = records.trials
    rows = records.rows.drop(columns=["world"]).merge(
        trials[
            [
                "key",
                *[c for c in map(str, trials.columns) if c.startswith("scenario.")],
                "seconds",
            ]
        ],
        on="key",
    )
    rows["learner"] = rows["learner"].astype(str)
    for name in _EXPECTED:
        if name not in rows:
            rows[name] = None
    titles = {
        name: str(known.get("title", name))
        for (kind, name), known in records.glossary.items()
        if kind == "learner"
    }
    measure = "rmse" if facts["task"] == "regression" else "auc"
    part = rows["scenario.part"]
    scored = rows[part == "score"]
    held = bool(spec["scenario"]["test"])
    scores = _scores(scored, measure, titles, overlap=not held)
    constant = scores.pop("dummy", None)
    ratio = 0.25
    if len(scored):
        judged = float(scored["fact.test-rows"].astype(float).mean())
        ratio = judged / float(scored["fact.training-rows"].astype(float).mean())
    if spec["scenario"]["test"]:
        ratio = 0.0  # parts of a test file share no training rows that change
    curves = {
        name: _with_part(records, trials, name)
        for name in ("columns", "classes", "eapp", "drivers", "within", "single")
    } | {name: _with_part(records, trials, name) for name in _FURTHER}
    ended = trials[trials["state"] == "done"]
    bad = trials[~trials["state"].isin(["done", "pending", "running"])]
    left = trials[trials["state"].isin(["pending", "running"])]
    parts = left["scenario.part"] if "scenario.part" in left else pd.Series(dtype=str)
    versions = ended["versions"].dropna()
    return Reading(
        facts=facts,
        spec=spec,
        table=_table_facts(rows[part == "columns"]),
        columns=curves["columns"],
        classes=curves["classes"],
        free=_free(rows[part == "free"], curves, records),
        scores=scores,
        constant=constant,
        shifted=_shifted(rows[part == "tomorrow"], curves, measure, titles, scores),
        others=_others(rows[part == "also"], measure, titles),
        within=_within(curves["within"], scored, measure),
        states={str(k): int(v) for k, v in trials["state"].value_counts().items()},
        failures=sorted(
            (str(row["scenario.part"]), str(row["learner"]), str(row["state"]))
            for row in bad.to_dict("records")
        ),
        open_parts={str(k): int(v) for k, v in parts.value_counts().items()},
        ratio=ratio,
        versions=str(versions.iloc[0]) if len(versions) else "",
        differences=_differences(scores, ratio, -1.0 if measure == "rmse" else 1.0),
        targets=read_targets(rows[part == "targets"], curves, titles, _interval),
        shares=read_shares(rows[part == "bags"], curves, titles, _interval),
        sets=read_sets(rows[part == "candidates"], curves, titles, _interval),
    )


def _with_part(records: Records, trials: pd.DataFrame, name: str) -> pd.DataFrame:
    found = records.curves(name).drop(columns=["world"], errors="ignore")
    if "learner" in found:
        found["learner"] = found["learner"].astype(str)
    return found


def _scores(
    rows: pd.DataFrame, measure: str, titles: Any, *, overlap: bool = True
) -> dict[str, Score]:
    found: list[Score] = []
    column = f"test.{measure}"
    if not len(rows) or column not in rows:
        return {}
    upper = "test.upper-half-auc" if measure == "rmse" else column
    others = [
        name
        for name in map(str, rows.columns)
        if name.startswith("test.") and name != column and rows[name].notna().any()
    ]
    for name, mine in rows.groupby("learner"):
        known = mine[mine[column].notna()]
        if not len(known):
            continue
        values = {
            (int(row["scenario.round"]), int(row["repeat"])): float(row[column])
            for row in known.to_dict("records")
        }
        ratio = float(known["fact.test-rows"].mean()) / max(
            1.0, float(known["fact.training-rows"].mean())
        )
        low, high = _interval(list(values.values()), ratio * overlap, measure)
        found.append(
            Score(
                name=str(name),
                title=titles.get(str(name), str(name)),
                value=float(known[column].mean()),
                low=low,
                high=high,
                folds=len(values),
                upper=float(known[upper].mean()) if upper in known else float("nan"),
                seconds=float(known["seconds"].median()),
                further={
                    each.removeprefix("test."): float(known[each].mean())
                    for each in others
                    if known[each].notna().any()
                },
                values=values,
            )
        )
    sign = 1.0 if measure == "rmse" else -1.0
    found.sort(key=lambda one: sign * one.value)
    return {one.name: one for one in found}


def _interval(values: list[float], ratio: float, measure: str) -> tuple[float, float]:
    """95 % interval of a mean over folds, corrected for their overlap."""
    if len(values) < 2:
        return float("nan"), float("nan")
    test = corrected_resampled_t_test(
        values, np.zeros(len(values)), test_train_ratio=max(ratio, 1e-6)
    )
    low, high = test.low, test.high
    return (max(low, 0.0), min(high, 1.0)) if measure == "auc" else (max(low, 0), high)


def _differences(
    scores: Mapping[str, Score], ratio: float, sign: float
) -> list[Difference]:
    names = list(scores)
    found = []
    for other in names[1:]:
        best, second = scores[names[0]].values, scores[other].values
        shared = [key for key in best if key in second]
        if len(shared) < 2:
            continue
        test = corrected_resampled_t_test(
            [sign * best[key] for key in shared],
            [sign * second[key] for key in shared],
            test_train_ratio=max(ratio, 1e-6),
        )
        found.append(
            Difference(other, test.difference, test.low, test.high, test.p_value)
        )
    return found


def _table_facts(rows: pd.DataFrame) -> dict[str, Any]:
    if not len(rows):
        return {}
    row = rows.iloc[0]
    return {
        name.removeprefix("fact."): row[name]
        for name in map(str, rows.columns)
        if name.startswith("fact.") and row[name] is not None and row[name] == row[name]
    }


def _free(rows: pd.DataFrame, curves: Any, records: Records) -> Free | None:
    if not len(rows):
        return None
    row = rows.iloc[0]

    def number(name: str) -> float:
        value = row.get(name)
        return float("nan") if value is None else float(value)

    return Free(
        value=number("test.auc"),
        paper=number("fact.value_paper"),
        low=number("fact.null_low"),
        high=number("fact.null_high"),
        p=number("fact.p_value"),
        skill=number("fact.skill"),
        verdict=str(row["fact.verdict"]),
        k_star=number("fact.k_star"),
        merged="merged" in records.notes().get(row["key"], []),
        rows=int(number("fact.rows")),
        curve=curves["eapp"].sort_values("k")
        if len(curves["eapp"])
        else pd.DataFrame(),
        drivers=curves["drivers"],
    )


def _shifted(
    rows: pd.DataFrame,
    curves: Any,
    measure: str,
    titles: Any,
    scores: Mapping[str, Score],
) -> dict[str, Shifted]:
    found = {}
    order = [name for name in scores if name in set(rows["learner"])]
    for name in order:
        row = rows[rows["learner"] == name].iloc[0]
        mine = {
            each: curves[each][curves[each]["learner"] == name]
            for each in ("single", "decay", "policies")
        }
        found[name] = Shifted(
            name=name,
            title=titles.get(name, name),
            closed=float(row[f"test.{measure}"]),
            most_used=str(row["fact.most-used"]),
            single=mine["single"].set_index("column")["value"].astype(float),
            decay=mine["decay"],
            policies=mine["policies"].set_index("policy")["value"].astype(float),
            test_rows=int(row["fact.test-rows"]),
            columns=int(row["fact.columns"]),
        )
    return found


def _others(rows: pd.DataFrame, measure: str, titles: Any) -> list[Split]:
    found = []
    for (by, column), mine in rows.groupby(["scenario.by", "scenario.column"]):
        scores = _scores(mine, measure, titles)
        if scores:
            found.append(Split(str(by), str(column), scores))
    return found


def _within(curve: pd.DataFrame, scored: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Mean over folds of what is left within the levels of each column."""
    names = ["column", "learner", "value", "overall"]
    if not len(curve):
        return pd.DataFrame(columns=names)
    upper = "test.upper-half-auc" if measure == "rmse" else f"test.{measure}"
    overall = scored.set_index("key")[upper].astype(float)
    curve = curve.assign(overall=curve["key"].map(overall))
    means = curve.groupby(["column", "learner"])[["value", "overall"]].mean()
    return means.reset_index()[names]
