"""Items in groups, shares per group, some labels: read, joined and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.bags._shares import SUM_TOLERANCE
from caveat.datasets import Dataset, file_name, given, positive_class, read
from caveat.exceptions import DataError, InvalidInput, UnknownName, listing

Floats = NDArray[np.float64]
_SHOWN = 5
_MARGIN = "margin"


@dataclass(frozen=True)
class Grouped:
    """Items and the shares of their groups, joined.

    Attributes
    ----------
    frame : DataFrame
        The items, without the grouping column.
    kinds : dict
    groups : ndarray of shape (n_items,)
        Rows of `shares`.
    names : list of str
        What the groups are called.
    classes : tuple of str
        The positive class comes last, if one was named.
    shares : ndarray of shape (n_groups, n_classes)
    margins : ndarray of the same shape, or None
    left_out : dict
        Columns that are no features, with the reason.
    """

    frame: pd.DataFrame
    kinds: dict[str, str]
    groups: NDArray
    names: list[str]
    classes: tuple[str, ...]
    shares: Floats
    margins: Floats | None
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def sizes(self) -> NDArray:
        """Items of every group."""
        return np.bincount(self.groups, minlength=len(self.shares))


def read_grouped(
    items: Any,
    by: str,
    shares: Any,
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    counts: bool = False,
    positive: str | None = None,
) -> Grouped:
    """Read items and shares, and join them by the names of the groups."""
    dataset, ids = _items(items, by, drop, keep)
    where = file_name(shares, "--shares")
    table, names = _share_table(shares, by, where)
    numbers = _joined(ids, names, by, where)
    sizes = np.bincount(numbers, minlength=len(names))
    if sizes.max() < 2:
        raise InvalidInput(
            f"--by: every group of {by!r} has one item; groups of several items are "
            "needed to hold some of them out"
        )
    classes, values, margins = _columns(table, positive, sizes, counts, where)
    if counts:
        values, margins = _from_counts(values, margins, sizes, names, where)
    _check(values, names, classes, where)
    order = list(range(len(classes)))
    if positive is None and len(classes) == 2:
        held = np.rint(sizes @ values).astype(np.int64)
        positive = str(positive_class(pd.Series(np.repeat(classes, held))))
    if positive is not None:
        order.append(order.pop(classes.index(positive)))
    return Grouped(
        frame=dataset.X.reset_index(drop=True),
        kinds=dict(dataset.kinds),
        groups=numbers,
        names=names,
        classes=tuple(classes[k] for k in order),
        shares=values[:, order],
        margins=None if margins is None else margins[:, order],
        left_out=dict(dataset.left_out),
    )


def read_labels(labelled: Any, grouped: Grouped) -> tuple[NDArray, NDArray]:
    """Read the labels of some items: rows and class numbers.

    A label that is no class counts as the negative class where shares are about one
    class only.
    """
    where = file_name(labelled, "--labelled")
    table = _frame(labelled, "row", where)
    for column in ("row", "label"):
        if column not in table:
            raise InvalidInput(
                f"{where}: found the columns {listing(table.columns)}; expected row "
                "and label"
            )
    rows = pd.to_numeric(table["row"], errors="coerce")
    bad = rows.isna() | (rows % 1 != 0) | (rows < 0) | (rows >= len(grouped.groups))
    if bad.any():
        value = table["row"].iloc[int(bad.to_numpy().argmax())]
        raise InvalidInput(
            f"{where}: row {str(value)!r} is not among the items 0 to "
            f"{len(grouped.groups) - 1}"
        )
    if rows.duplicated().any():
        twice = int(rows[rows.duplicated()].iloc[0])
        raise InvalidInput(f"{where}: row {twice} is labelled twice; keep one")
    known = {name: code for code, name in enumerate(grouped.classes)}
    if table["label"].isna().any():
        row = int(rows[table["label"].isna()].iloc[0])
        raise InvalidInput(f"{where}: row {row} has no label; leave it out")
    words = [_key(label) for label in table["label"]]
    negative = grouped.classes[0] == f"not {grouped.classes[-1]}"
    codes = [known.get(word, 0 if negative else -1) for word in words]
    if min(codes, default=0) < 0:
        word = words[codes.index(-1)]
        raise UnknownName.among("class", word, grouped.classes)
    if len(codes) < 2:
        raise InvalidInput(f"{where}: found {len(codes)} labels; expected two or more")
    return rows.to_numpy().astype(np.int64), np.array(codes)


def _items(
    items: Any, by: str, drop: Sequence[str], keep: Sequence[str]
) -> tuple[Dataset, list[str]]:
    """Read items as every look does; the grouping column is read as names."""
    if isinstance(items, Dataset):
        if by not in items.X:
            raise UnknownName.among("column", by, map(str, items.X.columns))
        ids = items.X[by]
        frame = items.X.drop(columns=[by, *drop])
        kinds = {name: kind for name, kind in items.kinds.items() if name in frame}
        dataset = replace(items, X=frame, kinds=kinds)
    else:
        if isinstance(items, pd.DataFrame) and by in items:
            _no_gaps(items[by], by)
        options = {"drop": drop, "keep": keep, "task": "multiclass"}
        dataset = _told(
            lambda: given(items, target=by, **options), by, file_name(items, "items")
        )
        ids = dataset.y
    _no_gaps(ids, by)
    if dataset.X.shape[1] == 0:
        raise InvalidInput(
            f"--by: {by!r} is the only column; there is nothing to learn"
        )
    return dataset, [_key(one) for one in ids]


def _no_gaps(ids: pd.Series, by: str) -> None:
    gaps = (ids.isna() | (ids.astype(str).str.strip() == "")).to_numpy()
    if gaps.any():
        raise InvalidInput(
            f"--by: {by!r} is empty in {int(gaps.sum()):,} items (row "
            f"{int(gaps.argmax())} first); every item needs a group"
        )


def _told(reading: Callable[[], Dataset], by: str, where: str) -> Dataset:
    """Read a table in which `by` names groups; a mistake speaks of groups."""
    try:
        return reading()
    except UnknownName as error:
        raise UnknownName(f"{where}: {error}") from error
    except (DataError, InvalidInput) as error:
        if "has the single value" in str(error):
            raise InvalidInput(
                f"{where}: {by!r} names one group; shares of two and more groups are "
                "needed to learn from their differences"
            ) from error
        if "a target and at least one feature" in str(error):
            raise InvalidInput(
                f"--by: {by!r} is the only column; there is nothing to learn"
            ) from error
        if f"target {by!r}" in str(error):
            text = str(error).replace(f"target {by!r}", f"group column {by!r}")
            raise InvalidInput(text) from error
        raise


def _frame(data: Any, by: str, where: str) -> pd.DataFrame:
    """Read a small table with a column of names."""
    if isinstance(data, pd.DataFrame):
        return data
    try:
        dataset = read(data, target=by, task="multiclass")
    except (DataError, InvalidInput) as error:
        if "has the single value" in str(error):
            raise InvalidInput(
                f"{where}: {by!r} has a single value; two rows or more are needed"
            ) from error
        raise
    return dataset.X.assign(**{by: dataset.y})


def _share_table(shares: Any, by: str, where: str) -> tuple[pd.DataFrame, list[str]]:
    if isinstance(shares, pd.DataFrame):
        if by not in shares:
            unknown = UnknownName.among("column", by, map(str, shares.columns))
            raise UnknownName(f"{where}: {unknown}")
        _no_gaps(shares[by], by)
        table, ids = shares.drop(columns=by), shares[by]
        if len(table) < 2:
            raise InvalidInput(
                f"{where}: {by!r} names one group; shares of two and more groups are "
                "needed to learn from their differences"
            )
    else:
        dataset = _told(lambda: read(shares, target=by, task="multiclass"), by, where)
        table, ids = dataset.X, dataset.y
    names = [_key(one) for one in ids]
    twice = pd.Series(names)[pd.Series(names).duplicated()]
    if len(twice):
        raise InvalidInput(
            f"{where}: group {twice.iloc[0]!r} has more than one row; keep one"
        )
    # In one order, whatever that of the file: answers must not hang on it.
    order = sorted(range(len(names)), key=names.__getitem__)
    sorted_names = [names[k] for k in order]
    return table.iloc[order].set_axis(sorted_names, axis=0), sorted_names


def _joined(ids: list[str], names: list[str], by: str, where: str) -> NDArray:
    place = {name: number for number, name in enumerate(names)}
    numbers = np.array([place.get(one, -1) for one in ids])
    if (numbers < 0).any():
        strange = list(dict.fromkeys(one for one in ids if one not in place))
        raise InvalidInput(
            f"{where}: {int((numbers < 0).sum()):,} items are in group "
            f"{listing(strange, _SHOWN)}, which has no shares"
        )
    empty = [name for name in names if name not in set(ids)]
    if empty:
        raise InvalidInput(
            f"{where}: group {listing(empty, _SHOWN)} has no items; leave its row out"
        )
    if len(names) < 2:
        raise InvalidInput(
            f"--by: {by!r} names one group; shares of two and more groups are needed"
        )
    return numbers


def _columns(
    table: pd.DataFrame,
    positive: str | None,
    sizes: NDArray,
    counts: bool,
    where: str,
) -> tuple[list[str], Floats, Floats | None]:
    """Part the table into classes, shares and margins."""
    own = [str(name) for name in table.columns]
    table = table.set_axis(own, axis=1)
    margins = [name for name in own if name == _MARGIN or name.endswith(f"_{_MARGIN}")]
    classes = [name for name in own if name not in margins]
    if not classes:
        raise InvalidInput(
            f"{where}: found no column with shares; expected one per class, or share"
        )
    if len(classes) == 1:
        if positive is None:
            raise InvalidInput(
                f"{where}: found one column, {classes[0]!r}; say with --positive which "
                "class it is about, or give a column per class"
            )
        one = _numbers(table, classes[0], where)
        half = None
        for name in margins:
            half = np.column_stack([_numbers(table, name, where)] * 2)
        # Items that are not counted are of the other class; too many are told later.
        whole = np.maximum(sizes, one) if counts else 1.0
        shares = np.column_stack([whole - one, one])
        return [f"not {positive}", positive], shares, _positive_margins(half, where)
    if positive is not None and positive not in classes:
        raise UnknownName.among("class", positive, classes)
    values = np.column_stack([_numbers(table, name, where) for name in classes])
    return (
        classes,
        values,
        _positive_margins(_margins(table, classes, margins, where), where),
    )


def _margins(
    table: pd.DataFrame, classes: list[str], margins: list[str], where: str
) -> Floats | None:
    if not margins:
        return None
    if margins == [_MARGIN]:
        return np.column_stack([_numbers(table, _MARGIN, where)] * len(classes))
    strange = [name for name in margins if name[: -len(_MARGIN) - 1] not in classes]
    if strange:
        raise InvalidInput(
            f"{where}: {strange[0]!r} is a margin of no class; the classes are "
            f"{listing(classes)}"
        )
    given = {
        place: _numbers(table, f"{name}_{_MARGIN}", where)
        for place, name in enumerate(classes)
        if f"{name}_{_MARGIN}" in margins
    }
    # Shares sum to 1: what one class has more, others have less. A class without a
    # margin of its own can be off by as much as the others are together.
    found = np.column_stack([sum(given.values())] * len(classes))
    for place, half in given.items():
        found[:, place] = half
    if len(classes) == 2:
        # Two shares that sum to 1 are uncertain together.
        found[:] = found.max(axis=1, keepdims=True)
    return found


def _positive_margins(margins: Floats | None, where: str) -> Floats | None:
    if margins is not None and (margins < 0).any():
        raise InvalidInput(
            f"{where}: found a margin of {margins.min():g}; a half width is not "
            "negative"
        )
    return margins


def _numbers(table: pd.DataFrame, name: str, where: str) -> Floats:
    """Read a column as numbers; rows of the table are named by their group."""
    numbers = pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(bad.argmax())
        value, group = table[name].iloc[row], str(table.index[row])
        if pd.isna(value):
            raise InvalidInput(
                f"{where}: column {name!r} has no number for group {group!r} (an empty "
                "cell, or a word for none such as n/a); give it, or leave the group "
                "and its items out"
            )
        raise InvalidInput(
            f"{where}: column {name!r} holds {str(value)!r} for group {group!r}, which "
            "is not a number"
        )
    return numbers


def _from_counts(
    counts: Floats,
    margins: Floats | None,
    sizes: NDArray,
    names: list[str],
    where: str,
) -> tuple[Floats, Floats | None]:
    """Turn counts into shares; together they must be the items of the group."""
    bad = (counts < 0) | (counts % 1 != 0)
    if bad.any():
        group, column = _first(bad)
        raise InvalidInput(
            f"{where}: group {names[group]!r} has a count of {counts[group, column]:g};"
            " expected a whole number from 0"
        )
    totals = counts.sum(axis=1)
    off = np.flatnonzero(totals != sizes)
    if len(off):
        group = int(off[0])
        word = "exceed" if totals[group] > sizes[group] else "fall short of"
        raise InvalidInput(
            f"{where}: the counts of group {names[group]!r} sum to {totals[group]:g} "
            f"and {word} its {sizes[group]} items"
        )
    half = None if margins is None else margins / sizes[:, None]
    return counts / sizes[:, None], half


def _check(values: Floats, names: list[str], classes: list[str], where: str) -> None:
    outside = (values < -SUM_TOLERANCE) | (values > 1 + SUM_TOLERANCE)
    if outside.any():
        group, column = _first(outside)
        raise InvalidInput(
            f"{where}: group {names[group]!r} has a share of {values[group, column]:g} "
            f"of {classes[column]!r}; expected between 0 and 1 (--counts takes whole "
            "numbers of items)"
        )
    totals = values.sum(axis=1)
    off = np.flatnonzero(np.abs(totals - 1) > SUM_TOLERANCE)
    if len(off):
        raise InvalidInput(
            f"{where}: the shares of group {names[off[0]]!r} sum to "
            f"{totals[off[0]]:.6g}; expected 1"
        )


def _first(bad: NDArray) -> tuple[int, int]:
    """Find the first bad row, and its last bad class: of one share, the one given."""
    row = int(bad.any(axis=1).argmax())
    return row, int(np.flatnonzero(bad[row])[-1])


def _key(value: Any) -> str:
    """Name a group alike in both files: 3, 3.0 and '3 ' are one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()
