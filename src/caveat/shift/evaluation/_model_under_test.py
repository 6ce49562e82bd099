"""A fitted model, training and test rows, and an imputer: ready to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput
from caveat.measures import Measure
from caveat.models.registry import MODELS
from caveat.shift.evaluation._evaluators import Evaluator, is_told, make_evaluator
from caveat.shift.evaluation._metric import check_measures
from caveat.shift.evaluation._predictions import Answerer, Answers
from caveat.shift.evaluation._tables import check_tables
from caveat.shift.evaluation._targets import check_target
from caveat.shift.imputers._imputers import Imputer, check_imputer
from caveat.shift.scenarios._scenarios import Step
from caveat.shift.scenarios._subsets import Masks
from caveat.shift.trees._evaluator import TreeEvaluator, tree_evaluator


class Bench:
    """Where a model is measured under masks.

    Parameters are those of `shift_curve`, checked here.

    Attributes
    ----------
    tables : Tables
    target : Target
    imputer : Imputer
        Fitted on the training rows.
    answerer : Answerer
    evaluator : Evaluator
    masked : int
        How many masked test tables have been measured.
    """

    def __init__(
        self,
        model: Any,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        *,
        imputer: Any = "mean",
        task: str | None = None,
        missing: str = "error",
        row_wise: bool | None = None,
        fast: bool = True,
        block_size: int = 200_000,
        seed: int = 0,
    ) -> None:
        if isinstance(block_size, bool) or block_size < 1:
            raise InvalidInput(f"block_size is {block_size!r}; use 1 or more rows")
        self.tables = check_tables(X_train, X_test, model, missing=missing)
        self.target = check_target(
            y_train, y_test, len(self.tables.train), len(self.tables.test), model, task
        )
        self.imputer: Imputer = check_imputer(imputer)
        self.imputer.fit(self.tables.train, random_state=seed)
        self._test = self.tables.test
        self.answerer = Answerer(model, self.target, named=self.tables.named)
        self.row_wise = is_row_wise(model) if row_wise is None else row_wise
        self._fast = fast
        self._block_size = block_size
        self.masked = 0
        self.evaluator = self._evaluator(self._test)

    def _evaluator(self, table: pd.DataFrame) -> Evaluator:
        if self._fast and self.row_wise and not self.told:
            quick = tree_evaluator(
                self.answerer, table, self.imputer, block_size=self._block_size
            )
            if quick is not None:
                return quick
        return make_evaluator(
            self.answerer,
            table,
            self.imputer,
            block_size=self._block_size,
            row_wise=self.row_wise,
        )

    @property
    def fast(self) -> bool:
        """Whether trees are walked through directly."""
        return isinstance(self.evaluator, TreeEvaluator)

    @property
    def told(self) -> bool:
        """Whether the model is told what is gone, and the imputer has no part in it."""
        return is_told(self.answerer.model)

    @property
    def names(self) -> list[str]:
        """Names of the columns that can vanish."""
        return [self.tables.columns[place] for place in self.tables.present]

    def answers(self, masks: Masks) -> Answers:
        """Answer all test rows under masks of the columns that can vanish."""
        self.masked += len(masks)
        return self.evaluator.answers(self.full(masks))

    def full(self, masks: Masks) -> Masks:
        """Extend masks to all training columns; what never arrives is always gone."""
        if not self.tables.absent:
            return masks
        everywhere = np.ones((len(masks), len(self.tables.columns)), dtype=bool)
        everywhere[:, self.tables.present] = masks
        return everywhere

    def at(self, step: Step) -> Bench:
        """Return the bench for a step whose test table arrives in another form."""
        if step.arrival is None:
            return self
        table = step.arrival(self._test)
        other = object.__new__(Bench)
        other.__dict__.update(self.__dict__)
        other._test = table.reindex(columns=self.tables.columns)
        other.evaluator = other._evaluator(other._test)
        return other

    @property
    def test(self) -> pd.DataFrame:
        """The test table as it arrives."""
        return self._test

    def measures(self, metric: Any) -> list[Measure]:
        """Check measures against what the model's answers can serve."""
        if not self.answerer.kind:  # a function shows what it returns when asked
            self.answers(self.nothing_gone[None])
        return check_measures(metric, self.target, self.answerer.kind)

    @property
    def nothing_gone(self) -> Masks:
        """The mask of the closed environment."""
        return np.zeros(len(self.tables.present), dtype=bool)

    def scores(
        self,
        masks: Masks,
        measures: Sequence[Measure],
        rows: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Measure masks: (masks, measures), on all test rows or some."""
        parts = []
        for start in range(0, len(masks), self.evaluator.per_block):
            answers = self.answers(masks[start : start + self.evaluator.per_block])
            truth = self.target.values
            if rows is not None:
                answers, truth = answers[:, rows], truth[rows]
            parts.append(
                np.column_stack([measure.block(truth, answers) for measure in measures])
            )
        return np.concatenate(parts)


def is_row_wise(model: Any) -> bool:
    """Whether a row's answer depends on that row alone; unknown models are so."""
    address = f"{type(model).__module__}:{type(model).__qualname__}"
    for entry in MODELS.values():
        if entry.target == address:
            return bool(entry.facts.get("row_wise", True))
    return True
