"""Scores fold by fold, read off the ledger: who has what, and what a remedy changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from caveat.audit._folds import make_fold
from caveat.audit._ladder import Step
from caveat.audit._models import measures_of
from caveat.audit._table import Table, without
from caveat.audit.result import FURTHER, Change, Model, Rung
from caveat.audit.scan._single_question import auc_variance
from caveat.audit.study import unpack
from caveat.measures import get
from caveat.models import is_constant
from caveat.pages.claims import Estimate
from caveat.statistics import bounded_interval

if TYPE_CHECKING:
    from caveat.study import Records

CONSTANT = "dummy"
"""The learner that gives one answer for all rows."""
Key = tuple[int, int]
"""Round and fold."""


@dataclass(frozen=True)
class Scores:
    """Everything that was measured at one step.

    Attributes
    ----------
    values : dict of learner to dict of (round, fold) to float
    further : dict of learner to dict of measure to dict of (round, fold) to float
    answers : dict of learner to dict of round to array
        What a learner said of every row that it judged; NaN elsewhere.
    test_share : float
        Share of the rows in a fold.
    """

    step: Step
    values: dict[str, dict[Key, float]] = field(default_factory=dict)
    further: dict[str, dict[str, dict[Key, float]]] = field(default_factory=dict)
    answers: dict[str, dict[int, NDArray[np.float64]]] = field(default_factory=dict)
    test_share: float = 0.2

    @property
    def models(self) -> list[str]:
        """Learners that are fitted."""
        return [name for name in self.values if not is_constant(name)]

    def chosen(self, sign: int, names: Sequence[str]) -> dict[Key, tuple[str, float]]:
        """Choose, fold by fold, the model that does best on the other folds.

        The labels of a fold have no part in the choice. With a single fold there are
        no others, and the first model stands for all.
        """
        found = {}
        keys = {key for name in names for key in self.values.get(name, {})}
        for round_, fold in sorted(keys):
            able = [n for n in names if (round_, fold) in self.values.get(n, {})]
            others = {
                name: [
                    value
                    for (r, f), value in self.values[name].items()
                    if r == round_ and f != fold
                ]
                for name in able
            }
            known = [name for name in able if others[name]]
            means = {name: sign * float(np.mean(others[name])) for name in known}
            best = max(known, key=means.__getitem__) if known else able[0]
            found[round_, fold] = (best, self.values[best][round_, fold])
        return found


class Reader:
    """Reads scores off a ledger, and makes estimates of them.

    Parameters
    ----------
    table : Table
    scenario : mapping
    titles : mapping of learner to title
    """

    def __init__(
        self, table: Table, scenario: Mapping[str, Any], titles: Mapping[str, str]
    ) -> None:
        self.table = table
        self.scenario = scenario
        self.titles = titles
        judge = get("auc" if table.classes else "rmse")
        self.measure, self.unit, self.limits = judge.name, judge.title, judge.range
        self.sign = 1 if judge.larger_is_better else -1
        judged = table.upper[table.held] if table.held.any() else table.upper
        self.smaller = int(np.bincount(judged).min()) if len(judged) else 0

    def estimate(
        self, values: Iterable[float], test_share: float, *, confidence: float = 0.95
    ) -> Estimate:
        """Give the mean over folds with its interval, inside the measure's range."""
        return self._made(list(values), self.limits, self.unit, test_share, confidence)

    def difference(
        self, values: Iterable[float], test_share: float, *, confidence: float = 0.95
    ) -> Estimate:
        """Give the mean of paired differences with its interval."""
        low, high = self.limits
        limits = (low - high, high - low)
        return self._made(list(values), limits, "", test_share, confidence)

    def _made(
        self,
        values: list[float],
        limits: tuple[float, float],
        unit: str,
        test_share: float,
        confidence: float,
    ) -> Estimate:
        # A separate test file is cut into parts that share no training rows anew.
        share = 0.0 if self.table.held.any() else test_share
        found = bounded_interval(
            values,
            range=limits,
            test_share=share,
            rows=max(1, self.smaller),
            confidence=confidence,
        )
        ends = (found.low, found.high)
        known = found.n > 1 and all(math.isfinite(end) for end in ends)
        low, high = ends if known else (None, None)
        basis = f"{found.n} folds, corrected for shared training rows"
        return Estimate(found.mean, unit, low, high, basis, found.n)

    def scores(
        self, rows: pd.DataFrame, answers: Mapping[str, str], step: Step
    ) -> Scores:
        """Collect what the trials of one step found."""
        column = f"test.{self.measure}"
        mine = rows[rows["scenario.step"] == step.remedy] if len(rows) else rows
        found = Scores(step)
        if not len(mine) or column not in mine:
            return found
        world = {**self.scenario, **step.to_dict()}
        table = without(self.table, list(step.drop))
        shares = []
        for row in mine.to_dict("records"):
            value = row[column]
            if value is None or value != value:
                continue
            name, round_, fold = (
                row["learner"],
                _int(row["scenario.round"]),
                row["repeat"],
            )
            found.values.setdefault(name, {})[round_, int(fold)] = float(value)
            shares.append(_share(row))
            for key, other in row.items():
                if (
                    str(key).startswith("test.")
                    and other is not None
                    and other == other
                ):
                    kept = found.further.setdefault(name, {})
                    kept.setdefault(str(key)[5:], {})[round_, int(fold)] = float(other)
            if row["key"] in answers:
                _, test = make_fold(table, {**world, "round": round_}, int(fold))
                said = unpack(answers[row["key"]], len(test))
                rounds = found.answers.setdefault(name, {})
                whole = rounds.setdefault(
                    round_, np.full((len(self.table.y), *said.shape[1:]), np.nan)
                )
                whole[test] = said
        return Scores(
            step,
            found.values,
            found.further,
            found.answers,
            float(np.mean(shares)) if shares else 0.2,
        )

    def with_given(
        self, scores: Scores, given: Mapping[str, NDArray[np.float64]]
    ) -> Scores:
        """Judge answers that were made elsewhere on the folds of a step."""
        values, further = dict(scores.values), dict(scores.further)
        rounds = sorted({key[0] for one in values.values() for key in one}) or [0]
        world = {**self.scenario, **scores.step.to_dict()}
        for name, answers in given.items():
            for round_ in rounds:
                for fold in range(int(self.scenario["folds"])):
                    _, test = make_fold(self.table, {**world, "round": round_}, fold)
                    found = measures_of(self.table, test, answers[test])
                    value = found[self.measure]
                    if value is None:
                        continue
                    values.setdefault(name, {})[round_, fold] = float(value)
                    kept = further.setdefault(name, {})
                    for key, other in found.items():
                        if other is not None:
                            kept.setdefault(key, {})[round_, fold] = float(other)
        return Scores(scores.step, values, further, scores.answers, scores.test_share)

    def rungs(self, ladder: Sequence[Scores]) -> tuple[Rung, ...]:
        """Make the ladder, as far as its steps have been measured."""
        found: list[Rung] = []
        above: Scores | None = None
        for step in ladder:
            names = step.models
            chosen = step.chosen(self.sign, names)
            if not chosen:
                break
            values = [value for _, value in chosen.values()]
            score = self.estimate(values, step.test_share)
            change = worst = None
            if above is not None:
                paired = {key: name for key, (name, _) in chosen.items()}
                before = above.chosen(self.sign, above.models)
                change = self._change(above, step, paired, before, "the chosen model")
                worst = self._worst(above, step)
            remedy, about = step.step.remedy, step.step.about
            found.append(Rung(remedy, about, score, change, worst))
            above = step
        return tuple(found)

    def over_floor(self, step: Scores, floor: Sequence[float]) -> Estimate | None:
        """Hold the chosen model against the floor on the folds of the first round."""
        chosen = step.chosen(self.sign, step.models)
        gaps = [
            self.sign * (chosen[0, fold][1] - value)
            for fold, value in enumerate(floor)
            if (0, fold) in chosen and math.isfinite(value)
        ]
        if len(gaps) < 2:
            return None
        found = self.difference(gaps, step.test_share)
        return replace(found, basis=f"{found.n} folds, paired")

    def _worst(self, above: Scores, step: Scores) -> Change | None:
        """Find the model that surely loses most; intervals pay for looking at all."""
        names = [name for name in step.models if name in above.values]
        found = []
        for name in names:
            paired = dict.fromkeys(step.values[name], name)
            before = {key: (name, value) for key, value in above.values[name].items()}
            title = self.titles.get(name, name)
            level = 1 - 0.05 / max(1, len(names))
            one = self._change(above, step, paired, before, title, confidence=level)
            if one is not None and one.change.has_interval:
                found.append(one)
        return max(found, key=lambda one: one.lost) if found else None

    def _change(
        self,
        above: Scores,
        step: Scores,
        paired: Mapping[Key, str],
        earlier: Mapping[Key, tuple[str, float]],
        title: str,
        *,
        confidence: float = 0.95,
    ) -> Change | None:
        """Pair two steps: fold by fold, or where folds differ on the same rows.

        So what a harder part of the rows costs both steps is no part of the change.
        `paired` and `earlier` name the model of each fold, below and above.
        """
        before, after, folds = [], [], []
        names = [name for name, _ in earlier.values()]
        usual = max(dict.fromkeys(names), key=names.count, default="")
        same = above.step.rows == step.step.rows or self.table.held.any()
        for (round_, fold), name in paired.items():
            if same:
                there = earlier.get((round_, fold), ("", None))[1]
            else:
                there = self._above(above, step, usual, round_, fold)
            if there is not None:
                before.append(there)
                after.append(step.values[name][round_, fold])
                folds.append((round_, fold))
        if not before:
            return None
        share = step.test_share
        gaps = [b - a for a, b in zip(before, after, strict=True)]
        found = self.difference(gaps, share, confidence=confidence)
        if step.step.time != above.step.time and self.table.classes:
            error = self._error_of_rows(step, folds, before, after)
            half = error * float(norm.ppf(0.5 + confidence / 2))
            low, high = max(-1.0, found.value - half), min(1.0, found.value + half)
            found = replace(found, low=low, high=high, basis="rows of all folds")
        return Change(
            title,
            self.estimate(before, share),
            self.estimate(after, share),
            found,
            self.sign,
        )

    def _error_of_rows(
        self,
        step: Scores,
        folds: Sequence[Key],
        before: Sequence[float],
        after: Sequence[float],
    ) -> float:
        """Give the standard error of a mean change of AUC by the rows that judge.

        Over time folds differ because the world does: their spread is what drift is,
        and must not excuse it. The two scores share their rows, so this errs on the
        careful side.
        """
        total = 0.0
        for (round_, fold), first, second in zip(folds, before, after, strict=True):
            world = {**self.scenario, **step.step.to_dict(), "round": round_}
            _, test = make_fold(self.table, world, fold)
            counts = np.bincount(self.table.upper[test])
            rare = max(1.0, float(counts[counts > 0].min()))
            sizes = (rare, max(1.0, len(test) - rare))
            total += auc_variance(first, *sizes) + auc_variance(second, *sizes)
        return math.sqrt(total) / len(folds)

    def _above(
        self, above: Scores, step: Scores, name: str, round_: int, fold: int
    ) -> float | None:
        """Score a model of the step above on the rows of this fold."""
        rounds = above.answers.get(name, {})
        said = rounds.get(round_, rounds.get(0))
        if said is None:
            return None
        world = {**self.scenario, **step.step.to_dict(), "round": round_}
        _, test = make_fold(self.table, world, fold)
        known = test[np.isfinite(said[test].reshape(len(test), -1)).all(axis=1)]
        if len(known) < max(10, 0.5 * len(test)):
            return None
        value = measures_of(self.table, known, said[known])[self.measure]
        return None if value is None else float(value)

    def models(self, last: Scores, given: Iterable[str]) -> tuple[Model, ...]:
        """Put models in the order of their scores, with what each is behind."""
        names = sorted(
            last.models,
            key=lambda n: -self.sign * float(np.mean(list(last.values[n].values()))),
        )
        made = set(given)
        level = 1 - 0.05 / max(1, len(names) - 1)
        found = []
        for place, name in enumerate(names):
            mine, first = last.values[name], last.values[names[0]]
            shared = [key for key in first if key in mine]
            gaps = [self.sign * (first[key] - mine[key]) for key in shared]
            behind = None
            if place and len(shared) > 1:
                behind = self.difference(gaps, last.test_share, confidence=level)
            found.append(
                Model(
                    name,
                    self.titles.get(name, name),
                    self.estimate(mine.values(), last.test_share),
                    behind,
                    self.further(last, name),
                    name in made,
                    self._over_constant(last, name),
                )
            )
        return tuple(found)

    def further(self, last: Scores, name: str) -> dict[str, float]:
        """Give the means of a learner by all measures but the first."""
        known = last.further.get(name, {}).items()
        means = {key: float(np.mean(list(values.values()))) for key, values in known}
        return {key: mean for key, mean in means.items() if key != self.measure}

    def _over_constant(self, last: Scores, name: str) -> dict[str, Estimate]:
        """Hold further measures against the constant answer, fold by fold."""
        found = {}
        for key in FURTHER:
            bar = last.further.get(CONSTANT, {}).get(key, {})
            mine = last.further.get(name, {}).get(key, {})
            gaps = [mine[at] - value for at, value in bar.items() if at in mine]
            if len(gaps) < 2:
                continue
            low, high = get(key).range
            limits = (low - high, high - low)
            one = self._made(gaps, limits, "", last.test_share, 0.95)
            found[key] = replace(one, basis=f"{one.n} folds, paired")
        return found


def _share(row: Mapping[Any, Any]) -> float:
    test, train = float(row["fact.test-rows"]), float(row["fact.training-rows"])
    return test / max(1.0, test + train)


def _int(value: Any) -> int:
    return int(float(value))


def packed_answers(records: Records) -> dict[str, str]:
    """Return the packed answers of every trial that has them."""
    curve = records.curves("answers")
    if not len(curve) or "packed" not in curve:
        return {}
    return dict(zip(curve["key"].astype(str), curve["packed"].astype(str), strict=True))
