"""The fast way for tree ensembles behind an encoder that works column by column."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import CaveatError
from caveat.shift.evaluation._evaluators import CellEvaluator, Evaluator, MeanEvaluator
from caveat.shift.evaluation._predictions import Answerer, Answers
from caveat.shift.imputers._imputers import CellImputer, Imputer
from caveat.shift.scenarios._subsets import Masks
from caveat.shift.trees._forest import Forest
from caveat.shift.trees._readers import read_trees

log = logging.getLogger(__name__)

_AS_IT_IS = (0.0, 1.0)

# Each of their outputs depends on one column of the input alone.
_COLUMN_WISE = {
    "Binarizer",
    "KBinsDiscretizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SimpleImputer",
    "SplineTransformer",
    "StandardScaler",
    "TableEncoder",
    "TargetEncoder",
    "VarianceThreshold",
}


def tree_evaluator(
    answerer: Answerer, table: pd.DataFrame, imputer: Imputer, *, block_size: int
) -> Evaluator | None:
    """Make a fast evaluator, or return None where there is none for the model.

    Its answers are compared with the model's own before it is used.
    """
    if not isinstance(imputer, CellImputer) or answerer.kind not in (
        "probabilities",
        "numbers",
    ):
        return None
    steps, estimator, scale = _taken_apart(answerer.model)
    if estimator is None or not all(map(_is_column_wise, steps)):
        return None
    forest = read_trees(estimator)
    if forest is None:
        return None
    try:
        each = [
            TreeEvaluator(answerer, steps, forest, scale, table, fill, block_size)
            for fill in imputer.fills(len(table))
        ]
    except (CaveatError, TypeError, ValueError) as error:
        log.debug("no fast path: the encoder refused the table (%s)", error)
        return None
    if not all(evaluator.is_right() for evaluator in each):
        log.debug("no fast path: its answers are not those of the model")
        return None
    return each[0] if len(each) == 1 else MeanEvaluator(each)


def _taken_apart(model: Any) -> tuple[list[Any], Any, tuple[float, float]]:
    """Split a model into its encoding steps and what learnt from their output.

    And say the mean and the spread by which that one's numbers become the model's.
    """
    steps = getattr(model, "steps", None)
    if steps is not None and hasattr(model, "named_steps"):
        before = [step for _, step in steps[:-1] if step not in (None, "passthrough")]
        more, estimator, scale = _taken_apart(steps[-1][1])
        return [*before, *more], estimator, scale
    if hasattr(model, "encoder_") and hasattr(model, "estimator_"):
        learnt = getattr(model, "target_scale_", None)
        scale = (learnt.mean, learnt.spread) if learnt else _AS_IT_IS
        return [model.encoder_], model.estimator_, scale
    return [], model, _AS_IT_IS


def _is_column_wise(step: Any) -> bool:
    parts = getattr(step, "transformers_", None)
    if parts is not None:
        return all(_is_column_wise(part) for _, part, _ in parts)
    if hasattr(step, "named_steps"):
        return all(_is_column_wise(part) for _, part in step.steps)
    if isinstance(step, str) or step is None:
        return step in (None, "drop", "passthrough")
    # What a ColumnTransformer passes through, it passes through the identity.
    identity = type(step).__name__ == "FunctionTransformer" and step.func is None
    return identity or type(step).__name__ in _COLUMN_WISE


class TreeEvaluator:
    """All masks of a tree ensemble by one walk per row and tree.

    Parameters
    ----------
    answerer : Answerer
        Asks the model itself, for comparison.
    steps : list of transformers
        What encodes the table, column by column.
    forest : Forest
    scale : pair of float
        Mean and spread of the numbers that the trees learnt; 0 and 1 for classes.
    table, fill : DataFrame
        The test rows, and what each cell becomes.
    block_size : int
        About how many masked rows to answer at a time.
    """

    def __init__(
        self,
        answerer: Answerer,
        steps: list[Any],
        forest: Forest,
        scale: tuple[float, float],
        table: pd.DataFrame,
        fill: pd.DataFrame,
        block_size: int,
    ) -> None:
        self.answerer = answerer
        self.steps = steps
        self.forest = forest
        self.mean, self.spread = scale
        self.n_rows = len(table)
        self.per_block = _per_block(block_size, self.n_rows)
        self.asked = 0
        # It builds the imputed tables, and answers them the slow way.
        self.slow = CellEvaluator(answerer, table, fill, block_size)
        n_columns = table.shape[1]
        self._rows = self._encoded(np.zeros((1, n_columns), dtype=bool))
        emptied = self._encoded(np.ones((1, n_columns), dtype=bool))
        self._fills = emptied[:1] if len(fill) == 1 else emptied
        self._owner = self._owners(n_columns, emptied)

    def _owners(
        self, n_columns: int, emptied: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Find the raw column that each encoded column follows.

        As in a guessing game: take away all columns whose number (from 1) has a
        certain bit. What changes then belongs to a column with that bit, so a few
        questions spell the number out.
        """
        numbers = np.arange(1, n_columns + 1)
        owner = np.zeros(self._rows.shape[1], dtype=np.int64)
        for bit in range(n_columns.bit_length()):
            asked = (numbers >> bit) & 1 == 1
            owner += _changed(self._rows, self._encoded(asked[None])) << bit
        return np.where(_changed(self._rows, emptied), owner - 1, -1)

    def _encoded(self, masks: Masks) -> NDArray[np.float64]:
        """Encode the imputed tables of all masks, one below the other."""
        cells = np.arange(len(masks) * self.n_rows)
        encoded: Any = self.slow.imputed(masks, cells)
        if not self.answerer.named:
            encoded = encoded.to_numpy()
        for step in self.steps:
            encoded = step.transform(encoded)
        if hasattr(encoded, "toarray"):
            encoded = encoded.toarray()
        return np.asarray(encoded, dtype=np.float64)

    def answers(self, masks: Masks) -> Answers:
        """Answer every row under every mask."""
        sums = self.forest.sums(self._rows, self._fills, self._owner, masks)
        answers = self.forest.finish(sums)
        self.asked += len(masks) * self.n_rows
        if answers.ndim == 2:
            return answers * self.spread + self.mean
        if hasattr(self.answerer.model, "encoder_"):
            # As caveat's own models do: in single precision rows miss 1 by a little.
            answers = answers / answers.sum(axis=2, keepdims=True)
        return answers

    def is_right(self) -> bool:
        """Compare with the model: nothing gone, everything gone, and some between."""
        n_columns = len(self.slow.columns)
        rng = np.random.default_rng(0)
        masks = np.vstack(
            [
                np.zeros((1, n_columns), bool),
                np.ones((1, n_columns), bool),
                rng.random((6, n_columns)) < np.linspace(0.1, 0.9, 6)[:, None],
            ]
        )
        own = self.slow.answers(masks)
        near = self.forest.tolerance * self.spread
        return bool(np.allclose(self.answers(masks), own, 0, near))


def _changed(
    before: NDArray[np.float64], after: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Mark the columns that differ in any row; missing is equal to missing."""
    both_missing = np.isnan(before) & np.isnan(after)
    return ((before != after) & ~both_missing).any(axis=0).astype(np.int64)


def _per_block(block_size: int, n_rows: int) -> int:
    """Fill words of 64 masks, unless the table is so long that memory would suffer."""
    whole = -(-max(1, block_size // n_rows) // 64) * 64
    return whole if whole * n_rows <= 16 * block_size else max(1, block_size // n_rows)
