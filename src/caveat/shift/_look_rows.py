"""The rows of a look at feature shift: read, divided, and what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets import (
    Dataset,
    columns_left_out,
    file_name,
    given,
    load,
    positive_class,
)
from caveat.exceptions import InvalidInput
from caveat.models import Bonds
from caveat.pages import About, plural
from caveat.pages import names as listed_names
from caveat.shift._look_settings import Settings
from caveat.shift.prices._folds import Fold, make_folds
from caveat.shift.prices._outages import Outage, found_blocks


@dataclass(frozen=True)
class Rows:
    """The rows of a look, divided, and what they are about."""

    folds: list[Fold]
    units: Any
    task: str
    about: About
    notes: list[str]
    positive: Any


def read_rows(
    data: Any,
    target: str | None,
    train: Any,
    test: Any,
    how: Settings,
    needed: Sequence[str],
) -> Rows:
    """Read what the user gave, and divide it unless that was done already."""
    if (train is None) != (test is None):
        raise InvalidInput("--train and --test go together; give both, or neither")
    if train is not None:
        rows = _given_rows(train, test, target, how, needed)
        if data is not None:
            name = file_name(data, "the table")
            rows.notes.append(f"--train and --test give the rows; {name} was not used")
        return rows
    if data is None:
        raise InvalidInput("no rows were given; pass a file, or --train and --test")
    dataset = _dataset(data, target, how, needed)
    # What an outage is told by need not be a feature: a date, a name of a site.
    known = columns_left_out(dataset.X, dataset.kinds, keep=how.keep)
    aside = [name for name in needed if name in known]
    folds, units, notes = make_folds(
        dataset,
        repeats=how.repeats,
        test_size=how.test_size,
        groups=how.groups,
        order=how.order,
        max_rows=how.max_rows,
        aside=aside,
        seed=how.random_state,
    )
    file = file_name(data, dataset.name)
    about = About.of(dataset, file=file, positive=how.positive)
    positive = _positive(dataset, how)
    notes = [*notes, *dataset.notes]
    return Rows(folds, units, dataset.task, about, notes, positive)


def _dataset(
    data: Any, target: str | None, how: Settings, needed: Sequence[str] = ()
) -> Dataset:
    """Read a file, or find a data set by its name."""
    roles = [name for name in (how.groups, how.order) if name is not None]
    keep = [*how.keep, *roles, *needed]
    known = isinstance(data, str) and not Path(data).exists() and "." not in data
    source = load(data) if known else data
    dataset = given(source, target=target, drop=list(how.drop), keep=keep)
    if dataset.task not in ("binary", "multiclass", "regression"):
        raise InvalidInput(
            f"{dataset.name} holds {dataset.task} data; feature shift needs one label "
            "or number per row"
        )
    return dataset


def _given_rows(
    train: Any, test: Any, target: str | None, how: Settings, needed: Sequence[str]
) -> Rows:
    """Take the user's own division of the rows; what --train has are the features."""
    one = _dataset(train, target, how, needed)
    other = _dataset(test, target, how, [*needed, *one.X.columns])
    known = list(one.X.columns)
    aside = columns_left_out(one.X, one.kinds, keep=how.keep)
    left_out = {how.groups, how.order, *(name for name in needed if name in aside)}
    names = [name for name in known if name not in left_out]
    assert one.y is not None
    assert other.y is not None
    rows = np.arange(len(other.X))
    side = other.X.drop(columns=names)
    bonds = _given_bonds(one.X, how)
    fold = Fold(one.X[names], one.y, other.X[names], other.y, rows, side, bonds)
    units = rows if how.groups is None else pd.factorize(other.X[how.groups])[0]
    file = file_name(test, other.name)
    about = About.of(other, file=file, positive=how.positive)
    notes = [*one.notes, *_unknown_labels(one, other)]
    return Rows([fold], units, one.task, about, notes, _positive(other, how))


def _unknown_labels(train: Dataset, test: Dataset) -> list[str]:
    """Name labels of test rows that no training row has; no model can answer them."""
    if train.task == "regression":
        return []
    assert train.y is not None
    assert test.y is not None
    new = test.y[~test.y.isin(train.y)]
    if new.empty:
        return []
    labels = listed_names(sorted({str(label) for label in new}))
    return [
        f"{plural(len(new), 'test row')} {'has' if len(new) == 1 else 'have'} a label "
        f"that no training row has: {labels}"
    ]


def _given_bonds(train: pd.DataFrame, how: Settings) -> Bonds:
    """Say what binds training rows of the user's, as far as their file tells."""
    groups, time = (
        train[name] if name in train.columns else None
        for name in (how.groups, how.order)
    )
    if groups is not None:
        # As for the test rows: those without a group are one.
        groups = pd.factorize(groups)[0]
    if time is not None and time.dtype == object:
        time = time.astype(str)
    if time is not None and time.isna().any():
        time = None
    return Bonds(groups, time)


def _positive(dataset: Dataset, how: Settings) -> Any:
    """Choose the class that F1 is about; None unless there are two."""
    assert dataset.y is not None
    if dataset.task == "binary":
        return positive_class(dataset.y, how.positive)
    if how.positive is not None:
        raise InvalidInput(
            f"--positive {how.positive} is for two classes; {dataset.name} has "
            f"{dataset.task} data"
        )
    return None


def losses_of(missing: Sequence[Any]) -> list[Outage]:
    """Read ``["a", "b"]`` as one loss, and ``[["a", "b"], ["c"]]`` as two."""
    if isinstance(missing, str):
        raise InvalidInput(
            f"missing is the text {missing!r}; pass a list of column names"
        )
    single = bool(missing) and all(isinstance(one, str) for one in missing)
    groups = [missing] if single else list(missing)
    return [Outage(tuple(dict.fromkeys(group))) for group in groups]


def blocks_of(rows: Rows, how: Settings) -> tuple[list[Outage], str]:
    """Make an outage of each group of columns that were missing together."""
    found = found_blocks(rows.folds[0].X_train)
    hit = how.blocks if isinstance(how.blocks, Mapping) else {}
    listed = "; ".join(", ".join(block) for block in found)
    told = f"columns that were missing together in the file: {listed or 'none'}"
    return [Outage(tuple(block), **hit) for block in found], told
