"""Outages as they happen: which cells go wrong, in which rows, and how."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets import as_dates, column_kind, is_date
from caveat.exceptions import InvalidInput, UnknownName
from caveat.pages import names as listed_names
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._predictions import Answers
from caveat.shift.prices._folds import Fold
from caveat.shift.scenarios._subsets import mask_of

KINDS = ("vanish", "freeze", "drift", "unit", "swap")
_WORDS = {
    "vanish": "without {columns}",
    "freeze": "{columns} frozen",
    "drift": "{columns} drifting by {size} standard deviations",
    "unit": "{columns} in another unit (times {size})",
    "swap": "{columns} swapped",
}


@dataclass(frozen=True)
class Outage:
    """Columns that fail together.

    Attributes
    ----------
    columns : tuple of str
    kind : {"vanish", "freeze", "drift", "unit", "swap"}
        *vanish*: the cells are filled in. *freeze*: they keep the value of the first
        row of the outage. *drift*: they move away, by `size` standard deviations at
        the last row. *unit*: they are multiplied by `size`. *swap*: the two columns
        change places.
    share : float
        Share of the rows that it hits, drawn at random.
    where : (str, str) or None
        Only rows in which this column has this value.
    since : (str, str) or None
        Only rows from this value of this column on.
    size : float
        Of a drift, in standard deviations; of a change of unit, the factor.
    name : str
        What people call the columns: the source that fails.

    Examples
    --------
    >>> Outage(("heat", "load"), "swap").words
    'heat and load swapped'
    """

    columns: tuple[str, ...]
    kind: str = "vanish"
    share: float = 1.0
    where: tuple[str, str] | None = None
    since: tuple[str, str] | None = None
    size: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownName.among("kind of outage", self.kind, KINDS)
        if not self.columns:
            raise InvalidInput("an outage names no column; name one at least")
        if self.kind == "swap" and len(self.columns) != 2:
            raise InvalidInput(
                f"swap: found {', '.join(self.columns)}; name the two that change "
                "places"
            )
        if not 0 < self.share <= 1:
            raise InvalidInput(f"share is {self.share!r}; use a share above 0, up to 1")

    @property
    def words(self) -> str:
        """Say what fails, and in which rows."""
        columns = self.name or str(listed_names(list(self.columns), most=4))
        words = _WORDS[self.kind].replace("{columns}", columns)
        words = words.replace("{size}", f"{self.size:g}")
        if self.size == 1:
            words = words.replace("deviations", "deviation")
        if self.share < 1:
            words += f" in {100 * self.share:.3g} % of the rows"
        if self.where is not None:
            words += f" where {self.where[0]} is {self.where[1]}"
        if self.since is not None:
            words += f" from {self.since[0]} {self.since[1]} on"
        return words

    def hits(self, fold: Fold, seed: int) -> NDArray[np.bool_]:
        """Say which test rows it hits."""
        hit = np.ones(len(fold.X_test), dtype=bool)
        if self.where is not None:
            hit &= _equal(_known(fold, self.where[0]), self.where[1])
        if self.since is not None:
            hit &= _from(_known(fold, self.since[0]), self.since[1])
        if self.share < 1:
            rng = np.random.default_rng([seed, 3])
            hit &= rng.random(len(hit)) < self.share
        if not hit.any():
            raise InvalidInput(
                f"{self.words}: no test row is hit; check --where, --since and --share"
            )
        return hit

    def answers(
        self, bench: Bench, fold: Fold, intact: Answers, *, seed: int = 0
    ) -> Answers:
        """Answer all test rows, those that it hits as they arrive.

        Parameters
        ----------
        bench : Bench
            Knows the model and how cells are filled in.
        fold : Fold
        intact : array
            The answers with all columns.
        seed : int
        """
        hit = self.hits(fold, seed)
        if not self.read(bench):
            return intact
        if self.kind == "vanish":
            failed = bench.answers(self.mask(bench)[None])[0]
        else:
            whole = self.table(fold.X_test.reset_index(drop=True), hit, fold.X_train)
            failed = bench.answerer(whole[bench.tables.columns])
        chosen = hit if intact.ndim == 1 else hit[:, None]
        return np.where(chosen, failed, intact)

    def read(self, bench: Bench) -> list[str]:
        """List those of its columns that the model reads."""
        return [name for name in self.columns if name in bench.names]

    def mask(self, bench: Bench) -> NDArray[np.bool_]:
        """Mark them among all columns of the model."""
        places = [bench.names.index(name) for name in self.read(bench)]
        return mask_of(places, len(bench.names))

    def table(
        self, test: pd.DataFrame, hit: NDArray[np.bool_], train: pd.DataFrame
    ) -> pd.DataFrame:
        """Return the test rows as they arrive; not for columns that vanish."""
        arrived = test.copy()
        if self.kind == "swap":
            left, right = self.columns
            kinds = [column_kind(test[name]) for name in self.columns]
            if kinds[0] != kinds[1]:
                raise InvalidInput(
                    f"swap: {left!r} is {kinds[0]} and {right!r} {kinds[1]}, which a "
                    "model would refuse; name two columns of one kind"
                )
            for one, other in ((left, right), (right, left)):
                arrived[one] = _mixed(test[one], test[other], hit)
            return arrived
        for name in self.columns:
            if self.kind == "freeze":
                first = test[name].iloc[int(np.argmax(hit))]
                changed = pd.Series([first] * len(test), index=test.index)
            else:
                changed = self._moved(test[name], hit, train[name])
            arrived[name] = _mixed(test[name], changed, hit)
        return arrived

    def _moved(
        self, column: pd.Series, hit: NDArray[np.bool_], train: pd.Series
    ) -> pd.Series:
        if not pd.api.types.is_numeric_dtype(column.dtype) or (
            pd.api.types.is_bool_dtype(column.dtype)
        ):
            raise InvalidInput(
                f"{self.kind}: {column.name!r} holds no numbers; only numbers can "
                f"{'drift' if self.kind == 'drift' else 'change their unit'}"
            )
        if self.kind == "unit":
            return column * self.size
        grown = np.cumsum(hit) / max(1, int(hit.sum()))
        return column + self.size * float(train.std(ddof=0)) * grown


def _mixed(own: pd.Series, other: pd.Series, hit: NDArray[np.bool_]) -> pd.Series:
    """Take the other value in rows that are hit; whole numbers may become floats."""
    if own.dtype == other.dtype:
        return own.where(~hit, other.to_numpy())
    both = pd.api.types.is_numeric_dtype(own.dtype) and pd.api.types.is_numeric_dtype(
        other.dtype
    )
    kind = float if both else object
    return own.astype(kind).where(~hit, other.astype(kind).to_numpy())


def _known(fold: Fold, name: str) -> pd.Series:
    tables = [fold.X_test] if fold.side is None else [fold.X_test, fold.side]
    for table in tables:
        if name in table.columns:
            return table[name]
    known = [str(column) for table in tables for column in table.columns]
    raise UnknownName.among("column", name, known)


def _equal(column: pd.Series, text: str) -> NDArray[np.bool_]:
    """Mark rows with a value; 1 is 1.0 where a column holds numbers."""
    if pd.api.types.is_numeric_dtype(column.dtype) and not (
        pd.api.types.is_bool_dtype(column.dtype)
    ):
        try:
            return (column == float(text)).fillna(False).to_numpy(dtype=bool)
        except ValueError:
            return np.zeros(len(column), dtype=bool)
    return column.astype(str).to_numpy() == text


def _from(column: pd.Series, text: str) -> NDArray[np.bool_]:
    """Mark rows from a number or a date on."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        # Read together, 02.03.2024 is a day of March wherever 28.02.2024 is one.
        both = as_dates(pd.Series([*column, text], dtype=object))
        dates, start = both.iloc[:-1], both.iloc[-1]
        if pd.isna(start) or dates.isna().all():
            raise InvalidInput(
                f"--since: {column.name!r} and {text!r} are not both dates or numbers"
            )
        return (dates >= start).to_numpy()
    counted = is_date(column.dropna())
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if number >= column.min() or (number == number and not counted):
        return (column >= number).to_numpy()
    # Seconds since 1970 begin far above the 2025 that somebody types.
    start = pd.to_datetime(text, errors="coerce") if counted else pd.NaT
    if pd.isna(start):
        what = "moments counted as numbers" if counted else "numbers"
        raise InvalidInput(f"--since: {column.name!r} holds {what}, found {text!r}")
    return (as_dates(column) >= start).to_numpy()


def found_blocks(X: pd.DataFrame, *, least: int = 5) -> list[list[str]]:
    """Find columns that were missing together: sources that have failed before.

    Two columns belong together if a cell of one is missing almost exactly where a
    cell of the other is (nine in ten rows with one of them missing lack both).

    Parameters
    ----------
    X : DataFrame
    least : int, default=5
        Rows that lack a column, at least.

    Examples
    --------
    >>> gone = [None] * 6 + [1.0] * 10
    >>> table = pd.DataFrame({"a": gone, "b": gone, "c": range(16)})
    >>> found_blocks(table)
    [['a', 'b']]
    """
    missing = X.isna()
    able = [name for name in X.columns if least <= int(missing[name].sum()) < len(X)]
    blocks: list[list[str]] = []
    for name in able:
        for block in blocks:
            both = (missing[name] & missing[block[0]]).sum()
            either = (missing[name] | missing[block[0]]).sum()
            if both >= 0.9 * either:
                block.append(name)
                break
        else:
            blocks.append([name])
    return [block for block in blocks if len(block) > 1]


def check_outages(
    outages: Sequence[Outage],
    columns: Sequence[str],
    *,
    target: str = "",
    left_out: Mapping[str, str] | None = None,
) -> None:
    """Refuse outages of columns that are no features, and say what they are."""
    reasons = left_out or {}
    for outage in outages:
        for name in outage.columns:
            if name in columns:
                continue
            if name == target:
                raise InvalidInput(
                    f"{name!r} is the target, which no model reads; name a feature"
                )
            if name in reasons:
                raise InvalidInput(
                    f"{name!r} is no feature here ({reasons[name]}); make it one with "
                    f"--keep {name}"
                )
            raise UnknownName.among("column", name, map(str, columns))
