"""Selection by every rule, made once, and scores of any measure under it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.board.page._cells import Cells, Layout
from caveat.board.page._scores import Scores
from caveat.board.page._study import Choice, Measure, Study
from caveat.statistics._rules import Rule, resolve_rule
from caveat.statistics._selection import choose


class Scorer:
    """Chooses once per rule, then scores any measure under it.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        table = study.table
        groups = table.groups
        ours = ~groups["baseline"].fillna(False).astype(bool).to_numpy()
        self._ours = ours
        everyone = (*study.learners, *study.references)
        self._layout = Layout(
            learners=everyone,
            blocks=len(study.blocks),
            block=block_numbers(study, groups[ours]),
            learner=pd.Index(everyone).get_indexer(
                pd.Index(groups["learner"][ours].astype(str))
            ),
            complete=groups["complete"].to_numpy(dtype=bool)[ours],
            open=groups["missing"].to_numpy()[ours] > 0,
        )
        rows = np.bincount(table.code[table.code >= 0], minlength=len(groups))
        self._single = rows <= 1
        columns = list(table.rows.columns)
        # By a measure itself: the best row there is, which regret is held against.
        rules: dict[str | None, Rule] = {
            one.column: Rule(one.column, one.column, "best", one.direction, oracle=True)
            for one in study.measures
        }
        for choice in study.choices:
            if choice.name is not None:
                rules[choice.name] = resolve_rule(
                    choice.name, glossary=table.glossary, columns=columns
                )
        self._pick = {name: choose(table, rule)[0] for name, rule in rules.items()}
        self._values = {
            # Position -1, no row, takes the last value.
            one.column: np.append(table.numbers(one.column), np.nan)
            for one in study.measures
        }
        self._scores: dict[tuple[str, str | None], Scores] = {}

    def _chosen(self, measure: Measure, choice: Choice) -> NDArray[np.float64]:
        values = self._values[measure.column]
        if choice.name is None:
            # Without a rule there is nothing to choose by; only single rows count.
            return np.where(self._single, values[self._pick[measure.column]], np.nan)
        found = values[self._pick[choice.name]]
        return np.where(np.isfinite(found), found, np.nan)

    def scores(self, measure: Measure, choice: Choice) -> Scores:
        """Score every learner by one measure, chosen by one rule."""
        key = measure.name, choice.name
        if key not in self._scores:
            best = self._values[measure.column][self._pick[measure.column]]
            value = self._chosen(measure, choice)
            # Adding 0 turns -0.0 into 0.0.
            regret = measure.sign * (best - value) + 0.0
            cells = Cells.of(self._layout, value[self._ours], regret[self._ours])
            self._scores[key] = Scores(self.study, measure, choice, cells)
        return self._scores[key]

    def free(self, measure: Measure) -> dict[str, float]:
        """Mean of the baseline on each data set, which it reaches without a label."""
        best = self._values[measure.column][self._pick[measure.column]][~self._ours]
        datasets = self.study.table.groups["dataset"][~self._ours].astype(str)
        found: dict[str, list[float]] = {}
        for dataset, value in zip(datasets, best, strict=True):
            if np.isfinite(value):
                found.setdefault(dataset, []).append(float(value))
        return {
            dataset: float(np.mean(found[dataset]))
            for dataset in self.study.datasets
            if dataset in found
        }


def block_numbers(study: Study, frame: pd.DataFrame) -> NDArray[np.intp]:
    """Return the number of each row's block."""
    index = pd.MultiIndex.from_frame(study.blocks[["dataset", "world"]])
    pairs = frame[["dataset", "world"]].astype(object).fillna("").astype(str)
    return index.get_indexer(pd.MultiIndex.from_frame(pairs))
