"""From a person's items to a Look, in one call: what `caveat bags` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from caveat.bags import page
from caveat.bags._examine import QUICK_LEARNERS, examine_bags
from caveat.datasets import Dataset, file_name, given, positive_class
from caveat.exceptions import InvalidInput, UnknownName
from caveat.pages import About, Look, check_rules

Progress = Callable[[int, int], None]


def look(
    items: str | Path | pd.DataFrame | Dataset,
    by: str,
    target: str | None = None,
    *,
    shares: str | Path | pd.DataFrame | None = None,
    labelled: str | Path | pd.DataFrame | None = None,
    counts: bool = False,
    positive: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    learners: Sequence[str] = QUICK_LEARNERS,
    repeats: int = 5,
    smallest: int = 10,
    keep_by: bool = False,
    max_items: int = 10_000,
    rules: Sequence[str] = (),
    random_state: int = 0,
    command: str = "",
    progress: Progress | None = None,
) -> Look:
    """Look at what the shares of groups tell about their items.

    With a `target` its labels are hidden, so that it can be told how far shares alone
    would get. With `shares` there are no labels: items are classified from the shares.

    Parameters
    ----------
    items : path, DataFrame or Dataset
    by : str
        The column that makes groups.
    target : str, optional
        The column with the labels. Not together with `shares`.
    shares : path or DataFrame, optional
        A row per group: the column `by`, and a column per class, or one column
        ``share`` with `positive`; ``margin`` or ``<class>_margin`` is the half width
        of a 95 % interval.
    labelled : path or DataFrame, optional
        Labels of some items: columns ``row`` (from 0) and ``label``.
    counts : bool, default=False
        `shares` holds whole numbers of items.
    positive : str, optional
        The class that ``share`` or F1 is about.
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns that stay features, though they only date or name their rows.
    learners : sequence of str
        Names from the registry.
    repeats : int, default=5
        With a target: divisions into training and test rows.
    smallest : int, default=10
        With a target: groups with fewer rows are left out.
    keep_by : bool, default=False
        Let learners see the grouping column.
    max_items : int, default=10000
        Learn from a random sample if there are more.
    rules : sequence of str
        Such as ``score<0.6``; see `Look.outcomes`.
    random_state : int
    command : str
        The command line that does the same.
    progress : callable, optional
        Gets ``(done, total)``.

    Returns
    -------
    Look

    Examples
    --------
    >>> import pandas as pd
    >>> town = ["a"] * 30 + ["b"] * 30
    >>> items = pd.DataFrame({"x": range(60), "z": [1, 2, 3] * 20, "town": town})
    >>> known = pd.DataFrame({"town": ["a", "b"], "no": [0.9, 0.2], "yes": [0.1, 0.8]})
    >>> found = look(items, by="town", shares=known, learners=["em-lr"])
    >>> found.facts["rows"], sorted(found.tables)[0]
    (60, 'criteria')
    """
    wanted = check_rules(rules)
    if (target is None) == (shares is None):
        which = "both" if target is not None else "neither"
        raise InvalidInput(
            f"--target and --shares: found {which}; give the column with the labels, "
            "or the file with the shares"
        )
    options: dict[str, Any] = {
        "positive": positive,
        "learners": learners,
        "keep_by": keep_by,
        "max_items": _most(max_items),
        "random_state": random_state,
        "progress": progress or (lambda done, total: None),
    }
    if shares is not None:
        from caveat.bags.ecological import look_at_shares

        return look_at_shares(
            items,
            by,
            shares,
            labelled=labelled,
            counts=counts,
            drop=drop,
            keep=keep,
            rules=wanted,
            command=command,
            **options,
        )
    if labelled is not None or counts:
        name = "--counts" if counts else "--labelled"
        raise InvalidInput(f"{name}: it goes with --shares; --target has all labels")
    dataset = _labelled_data(items, str(target), by, drop, keep)
    options["positive"] = positive_class(dataset.y, positive)
    found = examine_bags(
        dataset.X,
        dataset.y,
        by,
        kinds=dataset.kinds,
        repeats=repeats,
        smallest=smallest,
        **options,
    )
    file = file_name(items, dataset.name)
    about = About.of(dataset, file=file, command=command, positive=positive)
    if not keep_by:
        about = replace(about, columns=about.columns - 1)
    return page.look(found, about, rules=wanted)


def _most(max_items: int) -> int:
    if max_items < 50:
        raise InvalidInput(f"--rows: found {max_items}; expected at least 50")
    return max_items


def _labelled_data(
    items: Any, target: str, by: str, drop: Sequence[str], keep: Sequence[str]
) -> Dataset:
    if by == target:
        raise InvalidInput(
            f"--by: {by!r} is the target itself; group by another column"
        )
    dataset = given(items, target=target, drop=drop, keep=[by, *keep])
    if dataset.task == "regression":
        raise InvalidInput(
            f"--target: {target!r} holds {dataset.y.nunique():,} distinct numbers; "
            "shares are about classes: choose another column"
        )
    if dataset.task not in ("binary", "multiclass"):
        raise InvalidInput(
            f"{dataset.name}: the file holds {dataset.task} data; shares need a class "
            "per row"
        )
    if by not in dataset.X.columns:
        raise UnknownName.among("column", by, map(str, dataset.X.columns))
    return dataset
