"""Selection tables by group: who belongs together, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput
from caveat.statistics.selection._rules import Glossary, RecordsLike
from caveat.statistics.selection._status import Plan, plan_of, status_of

IDENTITY = [
    *["group", "study", "topic", "dataset", "world", "learner", "settings"],
    *["protocol", "baseline", "repeat"],
]
STATUS = ["complete", "missing", "failed"]


@dataclass(frozen=True)
class SelectionTable:
    """Records, made ready for many selections.

    `select`, `regret` and `criterion_agreement` take records as they are; who calls
    them often on a large ledger makes this once and passes it instead.

    Attributes
    ----------
    groups : DataFrame
        One row per group, sorted by what it is: its identity, ``configurations``
        (how many the search has), ``present``, ``missing`` and ``failed`` ones,
        ``complete``, and ``reason`` if it is not.
    rows : DataFrame
        The selection tables, as they came.
    code : array of shape (n_rows,)
        Position in `groups` of each row's group; -1 for rows of trials that are not
        done, which take no part.
    glossary : mapping of (kind, name) to facts
    studies : mapping of str to mapping
        The specs of the studies, as far as the records have them.
    copies : int
        How many searches were left out because an earlier repeat has the same split.

    Examples
    --------
    >>> rows = pd.DataFrame({"learner": ["a", "a", "b"], "config": [0, 1, 0],
    ...                      "criterion.x": [0.5, 0.7, 0.6]})
    >>> SelectionTable.of(rows).groups[["learner", "present", "complete"]]
      learner  present  complete
    0       a        2      True
    1       b        1      True
    """

    groups: pd.DataFrame
    rows: pd.DataFrame
    code: NDArray[np.intp]
    glossary: Glossary
    studies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    copies: int = 0

    @property
    def learnt(self) -> NDArray[np.bool_]:
        """Whether each group is of a learner, and no baseline."""
        return ~self.groups["baseline"].fillna(False).to_numpy(dtype=bool)

    @classmethod
    def of(cls, records: RecordsLike | pd.DataFrame | SelectionTable) -> SelectionTable:
        """Group records, or a plain frame of rows.

        A plain frame needs columns ``config`` and, where there are any,
        ``checkpoint``; a group is one value of ``group`` or, without that column,
        one combination of study, topic, data set, world, learner, its settings,
        protocol and repeat. It is taken to be whole unless a column ``group_size`` says
        otherwise.
        """
        if isinstance(records, SelectionTable):
            return records
        if isinstance(records, pd.DataFrame):
            return _from_frame(records)
        if not all(hasattr(records, name) for name in ("trials", "rows", "glossary")):
            raise InvalidInput(
                f"records are a {type(records).__name__}; pass what "
                "Ledger(url).records() gives, or a DataFrame of rows"
            )
        return _from_records(records)

    def numbers(self, column: str) -> NDArray[np.float64]:
        """Values of a column as floats; NaN where there are none, or no column."""
        if column not in self.rows.columns:
            return np.full(len(self.rows), np.nan)
        values = self.rows[column]
        try:
            if values.dtype == object:
                values = pd.to_numeric(values)
            return values.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"column {column!r} holds something that is not a number ({error}); "
                "select by a column of numbers"
            ) from None

    @cached_property
    def config_order(self) -> NDArray[np.intp]:
        """Rank of each row's configuration among all: equal ones share it."""
        if "config" not in self.rows.columns:
            # Without numbers every row of a group is a configuration of its own.
            return np.arange(len(self.rows))
        config = self.rows["config"]
        return pd.factorize(config, sort=True, use_na_sentinel=False)[0]

    @cached_property
    def checkpoint_order(self) -> NDArray[np.float64]:
        """Number of each row's checkpoint; none comes before the first."""
        return np.nan_to_num(self.numbers("checkpoint"), nan=-np.inf)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Number of each row's (group, configuration), and each pair's group."""
        width = int(self.config_order.max(initial=0)) + 1
        combined = self.code.astype(np.int64) * width + self.config_order
        combined[self.code < 0] = -1
        unique, inverse = np.unique(combined, return_inverse=True)
        return inverse, np.where(unique < 0, -1, unique // width)

    @cached_property
    def is_last(self) -> NDArray[np.bool_]:
        """Whether a row is the last checkpoint of its configuration."""
        pair, owner = self.pairs
        last = np.full(len(owner), -np.inf)
        np.maximum.at(last, pair, self.checkpoint_order)
        return self.checkpoint_order == last[pair]

    def configurations_with(self, usable: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Per group, how many configurations have a usable row."""
        pair, owner = self.pairs
        has = np.zeros(len(owner), dtype=bool)
        has[pair[usable & (self.code >= 0)]] = True
        return np.bincount(owner[has], minlength=len(self.groups))


def _from_frame(rows: pd.DataFrame) -> SelectionTable:
    if "group" in rows.columns:
        labels = rows["group"]
    else:
        parts = [name for name in IDENTITY if name in rows.columns]
        labels = pd.Series("all", index=rows.index)
        if parts:
            number = rows.groupby(parts, dropna=False, observed=True).ngroup()
            labels = number.astype(str)
    code, names = pd.factorize(labels, use_na_sentinel=False)
    first = _first_of_each(code, len(names))
    groups = _identity(rows.iloc[first], names)
    sizes = rows.iloc[first].reindex(columns=["group_size"])
    planned = plan_of(sizes, np.arange(len(names)), len(names))
    return _finish(groups, rows, code, {}, planned)


def _from_records(records: RecordsLike) -> SelectionTable:
    trials, rows = records.trials, records.rows
    copies = copied_searches(records)
    if len(copies):
        trials = trials[~trials["group"].isin(copies)]
        rows = rows[~rows["group"].isin(copies)].reset_index(drop=True)
    for frame, what in ((trials, "trials"), (rows, "rows")):
        if "group" not in frame.columns and len(frame):
            raise InvalidInput(f"the {what} have no column 'group'; pass records")
    if "params" in trials.columns:
        # Of a trial these are the learner's fixed parameters: a study may hold the
        # same learner twice, and the two must not be taken for one.
        trials = trials.assign(settings=trials["params"])
    of_trial, names = _factorize(trials)
    of_row, row_names = _factorize(rows)
    # Rows whose trial is not listed form groups too: nothing is dropped.
    place = names.get_indexer(row_names)
    orphans = row_names[place < 0]
    place[place < 0] = len(names) + np.arange(len(orphans))
    code = place[of_row]
    groups = _identity(trials.iloc[_first_of_each(of_trial, len(names))], names)
    if len(orphans):
        first = _first_of_each(code, len(names) + len(orphans))[len(names) :]
        more = _identity(rows.iloc[first], orphans)
        groups = pd.concat([groups, more], ignore_index=True)
    if "key" in rows.columns and "key" in trials.columns:
        unfinished = trials.loc[(trials["state"] != "done").to_numpy(), "key"]
        code = np.where(rows["key"].isin(unfinished), -1, code)
    planned = plan_of(trials, of_trial, len(groups))
    table = _finish(groups, rows, code, records.glossary, planned)
    studies = getattr(records, "studies", {})
    return replace(table, studies=studies, copies=len(copies))


def copied_searches(records: RecordsLike) -> pd.Index:
    """Find the groups whose split an earlier repeat of the same search has already.

    A second look at the same rows is no second draw: counted as one, it would make
    every interval too narrow.
    """
    trials = records.trials
    digests = records.digests() if hasattr(records, "digests") else pd.DataFrame()
    if "split" not in digests or "repeat" not in trials or not len(trials):
        return pd.Index([], dtype=object)
    known = [name for name in IDENTITY[1:-1] if name in trials.columns]
    # A trial's own params are part of what it is, see `settings` below.
    known += ["params"] if "params" in trials.columns else []
    found = trials[["key", "group", "repeat", *known]].merge(
        digests[["key", "split"]].dropna(), on="key"
    )
    searches = found.sort_values("repeat", kind="stable").drop_duplicates("group")
    again = searches[[*known, "split"]].astype(str).duplicated()
    return pd.Index(searches.loc[again, "group"], dtype=object)


def _factorize(frame: pd.DataFrame) -> tuple[NDArray[np.intp], pd.Index]:
    if not len(frame):
        return np.empty(0, dtype=np.intp), pd.Index([], dtype=object)
    code, names = pd.factorize(frame["group"], use_na_sentinel=False)
    return code, pd.Index(names, dtype=object)


def _finish(
    groups: pd.DataFrame,
    rows: pd.DataFrame,
    code: NDArray[np.intp],
    glossary: Glossary,
    planned: Plan,
) -> SelectionTable:
    """Count what is there and what is not, and put the groups in order."""
    present = SelectionTable(groups, rows, code, glossary).configurations_with(
        code >= 0
    )
    groups = groups.assign(**status_of(planned, present))
    order = (
        groups.assign(at=np.arange(len(groups)))
        .sort_values([*IDENTITY[1:], "group"], kind="stable", key=_sortable)["at"]
        .to_numpy()
    )
    to_sorted = np.empty(len(groups) + 1, dtype=np.intp)
    to_sorted[order] = np.arange(len(groups))
    to_sorted[-1] = -1  # rows without a group stay so
    ordered = groups.iloc[order].reset_index(drop=True)
    return SelectionTable(ordered, rows, to_sorted[code], glossary)


def _identity(source: pd.DataFrame, names: Any) -> pd.DataFrame:
    """Name the groups by the columns that tell searches apart; None if unknown."""
    columns: dict[str, Any] = {"group": np.asarray(names, dtype=object)}
    for name in IDENTITY[1:]:
        if name in source.columns:
            values = source[name]
            # Categories cost nothing in two million rows, but hinder here.
            if isinstance(values.dtype, pd.CategoricalDtype):
                values = values.astype(values.cat.categories.dtype)
            columns[name] = values.to_numpy()
        else:
            columns[name] = np.full(len(source), False if name == "baseline" else None)
    return pd.DataFrame(columns)


def _first_of_each(code: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    first = np.zeros(n, dtype=np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]
    return first


def _sortable(values: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(values.dtype):
        return values
    return values.astype(str)
