"""The answers of one fitted model under many masks.

Three ways, same numbers: any model with cell by cell imputation (identical rows are
asked once), any model with imputation that looks at the row, and tree ensembles (see
`_tree_path`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.shift.evaluation._predictions import Answerer, Answers
from caveat.shift.imputers._imputers import CellImputer, Imputer, RowImputer
from caveat.shift.scenarios._subsets import Masks

TOLD = "told which columns are gone"
"""How a model with `predict_masked` meets a loss: no imputer has a part in it."""
_CELLS = 20_000_000
"""At most about so many cells of imputed tables at a time, however wide they are."""


class Evaluator(Protocol):
    """Gives a model's answers to all test rows under every mask of a block.

    Attributes
    ----------
    per_block : int
        How many masks to pass at a time, so that memory stays in bounds.
    """

    per_block: int

    @property
    def asked(self) -> int:
        """How many rows the model has been asked so far."""
        ...

    def answers(self, masks: Masks) -> Answers:
        """Answer (masks, rows, classes), or (masks, rows) for a regression."""
        ...


def make_evaluator(
    answerer: Answerer,
    table: pd.DataFrame,
    imputer: Imputer,
    *,
    block_size: int,
    row_wise: bool,
) -> Evaluator:
    """Choose the way that suits imputer and model."""
    if is_told(answerer.model):
        return MaskEvaluator(answerer.model, table, block_size)
    if isinstance(imputer, CellImputer):
        fills = imputer.fills(len(table))
        each = [
            CellEvaluator(answerer, table, fill, block_size, row_wise=row_wise)
            for fill in fills
        ]
        return each[0] if len(each) == 1 else MeanEvaluator(each)
    assert isinstance(imputer, RowImputer)
    return RowEvaluator(answerer, table, imputer, block_size, row_wise=row_wise)


def is_told(model: Any) -> bool:
    """Whether a model is told which columns are gone, in place of an imputer."""
    return hasattr(model, "predict_masked")


class MaskEvaluator:
    """A model that is told which columns are gone; what it makes of that is its own.

    Parameters
    ----------
    model : fitted model with ``predict_masked(X, gone)``
    table : DataFrame
        The test rows.
    block_size : int
        At most so many rows are asked at a time.
    """

    def __init__(self, model: Any, table: pd.DataFrame, block_size: int) -> None:
        self.model = model
        self.table = table
        self.per_block = max(1, block_size // len(table))
        self.asked = 0

    def answers(self, masks: Masks) -> Answers:
        """Answer every row under every mask."""
        n_rows = len(self.table)
        rows = self.table.iloc[np.tile(np.arange(n_rows), len(masks))]
        gone = np.repeat(masks, n_rows, axis=0)
        answers = np.asarray(self.model.predict_masked(rows, gone), dtype=np.float64)
        self.asked += len(answers)
        return answers.reshape(len(masks), n_rows, *answers.shape[1:])


class MeanEvaluator:
    """The mean answer of several evaluators."""

    def __init__(self, evaluators: Sequence[Evaluator]) -> None:
        self.evaluators = evaluators
        self.per_block = evaluators[0].per_block

    @property
    def asked(self) -> int:
        """How many rows the model has been asked so far."""
        return sum(evaluator.asked for evaluator in self.evaluators)

    def answers(self, masks: Masks) -> Answers:
        """Average the answers of all evaluators."""
        total = self.evaluators[0].answers(masks)
        for evaluator in self.evaluators[1:]:
            total = total + evaluator.answers(masks)
        return total / len(self.evaluators)


class CellEvaluator:
    """Any model, when a cell's value does not depend on what else is missing.

    Parameters
    ----------
    answerer : Answerer
    table : DataFrame
        The test rows.
    fill : DataFrame
        What each cell becomes; one row for all, or one for each.
    block_size : int
        At most so many rows are asked at a time.
    row_wise : bool, default=True
        Whether a row's answer depends on that row alone. Then identical rows are
        asked once; else the table of each mask is asked whole.
    """

    def __init__(
        self,
        answerer: Answerer,
        table: pd.DataFrame,
        fill: pd.DataFrame,
        block_size: int,
        *,
        row_wise: bool = True,
    ) -> None:
        self.answerer = answerer
        self.columns = list(table.columns)
        self.n_rows = len(table)
        self.row_wise = row_wise
        rows = min(block_size, max(1, _CELLS // len(self.columns)))
        self.per_block = max(1, rows // self.n_rows) if row_wise else 1
        self.asked = 0
        self._at_a_time = rows if row_wise else self.n_rows
        # Test values and fills of a column in one pool; a masked row picks from it.
        self._pools = [_pool(table[name], fill[name]) for name in self.columns]
        self._fill_rows = np.arange(self.n_rows) if len(fill) > 1 else np.zeros(1, int)
        self._codes = self._own_codes()
        self._keys = self._random_keys()

    def answers(self, masks: Masks) -> Answers:
        """Answer every row under every mask."""
        everything = np.arange(len(masks) * self.n_rows)
        first, same = (
            self._distinct(masks) if self.row_wise else (everything, everything)
        )
        found = [
            self.answerer(self.imputed(masks, first[start : start + self._at_a_time]))
            for start in range(0, len(first), self._at_a_time)
        ]
        self.asked += len(first)
        answers = np.concatenate(found)[same]
        return answers.reshape(len(masks), self.n_rows, *answers.shape[1:])

    def imputed(self, masks: Masks, cells: NDArray[np.intp]) -> pd.DataFrame:
        """Build rows; number m · n + i is test row i under mask m."""
        which, row = np.divmod(cells, self.n_rows)
        fill = self.n_rows + self._fill_rows[row if len(self._fill_rows) > 1 else 0]
        made = {}
        for place, (name, pool) in enumerate(
            zip(self.columns, self._pools, strict=True)
        ):
            made[name] = pool.take(np.where(masks[which, place], fill, row))
        return pd.DataFrame(made)

    def _own_codes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give each value of a column a number, in the test rows and in the fills."""
        codes = np.empty((len(self._pools[0]), len(self._pools)), dtype=np.int64)
        for place, pool in enumerate(self._pools):
            codes[:, place] = pd.factorize(pool)[0] + 1  # 0 is missing
        return codes[: self.n_rows], codes[self.n_rows :]

    def _random_keys(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Hash each row as a sum over its cells, and what a mask adds to the sum."""
        rng = np.random.default_rng(0)
        own, fill = self._codes
        most = max(own.max(), fill.max()) + 1
        table = rng.integers(2**64, size=(len(self._pools), most), dtype=np.uint64)
        places = np.arange(len(self._pools))
        own_keys = table[places, own]
        # Unsigned numbers wrap around, and so does the sum: no bit is lost.
        return own_keys.sum(axis=1, dtype=np.uint64), table[places, fill] - own_keys

    def _distinct(self, masks: Masks) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Find the first of all identical rows, and for each row which it is."""
        start, change = self._keys
        keys = start + masks.astype(np.uint64) @ change.T
        same, unique = pd.factorize(keys.ravel())
        first = np.empty(len(unique), dtype=np.intp)
        first[same[::-1]] = np.arange(len(same) - 1, -1, -1)
        if not self._really_same(masks, first[same]):
            everything = np.arange(keys.size)
            return everything, everything
        return first, same

    def _really_same(self, masks: Masks, twin: NDArray[np.intp]) -> bool:
        """Compare every row with its supposed twin; hashes might collide."""
        own, fill = self._codes
        for place in range(masks.shape[1]):
            cells = np.where(masks[:, [place]], fill[:, place], own[:, place]).ravel()
            if not np.array_equal(cells, cells[twin]):
                return False
        return True


def _pool(values: pd.Series, fill: pd.Series) -> Any:
    """Join a column's test values and fills to one array of a common type."""
    plain = all(isinstance(each.dtype, np.dtype) for each in (values, fill))
    if plain and values.dtype.kind in "iuf" and fill.dtype.kind in "iuf":
        return np.concatenate([values.to_numpy(), fill.to_numpy()])
    if isinstance(values.dtype, pd.CategoricalDtype):
        known = values.dtype.categories
        new = pd.unique(fill.dropna()).tolist()
        levels = [*known, *(level for level in new if level not in known)]
        dtype = pd.CategoricalDtype(levels, ordered=values.dtype.ordered)
        values, fill = values.astype(dtype), fill.astype(object).astype(dtype)
    elif values.isna().all() and values.dtype != fill.dtype:
        values = pd.Series([None] * len(values), dtype=object).astype(
            object if fill.dtype.kind in "biu" else fill.dtype
        )
    return pd.concat([values, fill], ignore_index=True).array


class RowEvaluator:
    """Any model, when imputation looks at the remaining columns of the row."""

    def __init__(
        self,
        answerer: Answerer,
        table: pd.DataFrame,
        imputer: RowImputer,
        block_size: int,
        *,
        row_wise: bool = True,
    ) -> None:
        self.answerer = answerer
        self.table = table
        rows = min(block_size, max(1, _CELLS // table.shape[1]))
        self.per_block = max(1, rows // len(table)) if row_wise else 1
        self.asked = 0
        self.row_wise = row_wise
        self._constant = imputer.constant
        self._replace = imputer.bind(table)
        self._own = [table[name].to_numpy() for name in table.columns]

    def answers(self, masks: Masks) -> Answers:
        """Answer every row under every mask."""
        n_rows = len(self.table)
        answers = self.answerer(self._stacked(masks))
        self.asked += len(answers)
        answers = answers.reshape(len(masks), n_rows, *answers.shape[1:])
        # With nothing left all rows are alike; asked side by side their answers may
        # differ in the last bit, so the first one counts for all.
        if self.row_wise and self._constant:
            emptied = masks.all(axis=1)
            answers[emptied] = answers[emptied][:, :1]
        return answers

    def _stacked(self, masks: Masks) -> pd.DataFrame:
        replaced = [self._replace(mask) for mask in masks]
        made = {}
        for place, name in enumerate(self.table.columns):
            column = [values.get(place, self._own[place]) for values in replaced]
            made[name] = np.concatenate(column)
        return pd.DataFrame(made)
