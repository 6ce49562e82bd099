"""From items and shares to a Look: `caveat bags ITEMS --by COL --shares CSV`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat.bags.ecological import page
from caveat.bags.ecological._bounds import accuracy_bounds
from caveat.bags.ecological._effects import column_effects
from caveat.bags.ecological._labelled import SHARES, use_labels
from caveat.bags.ecological._predictions import Answers, answer
from caveat.bags.ecological._read import Grouped, read_grouped, read_labels
from caveat.bags.ecological.result import SharesResult
from caveat.bags.registry import RULE
from caveat.datasets import file_name
from caveat.pages import About, Look


def look_at_shares(
    items: Any,
    by: str,
    shares: Any,
    *,
    labelled: Any = None,
    counts: bool = False,
    positive: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    learners: Sequence[str],
    keep_by: bool = False,
    max_items: int = 10_000,
    rules: Sequence[str] = (),
    random_state: int = 0,
    command: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Look:
    """Classify items from the shares of their groups, and say how sure that is.

    Parameters as in `caveat.bags.look`.
    """
    begin = time.monotonic()
    grouped = read_grouped(
        items, by, shares, drop=drop, keep=keep, counts=counts, positive=positive
    )
    known = None if labelled is None else read_labels(labelled, grouped)
    found = answer(
        grouped,
        learners=learners,
        keep_by=keep_by,
        max_items=max_items,
        seed=random_state,
        progress=progress,
    )
    result, proba, codes = examine_shares(
        grouped, found, known, by=by, seed=random_state
    )
    predictions = _predictions(grouped, by, proba, codes)
    about = About(
        file=file_name(items, "items"),
        target="",
        task="binary" if len(grouped.classes) == 2 else "multiclass",
        rows=len(grouped.frame),
        columns=grouped.frame.shape[1],
        classes=f"shares of {len(grouped.names):,} groups",
        command=command,
        left_out=grouped.left_out,
        positive=grouped.classes[-1] if len(grouped.classes) == 2 else "",
    )
    seconds = time.monotonic() - begin
    return page.look(result, about, predictions, rules=rules, seconds=seconds)


def examine_shares(
    grouped: Grouped,
    found: Answers,
    known: tuple[Any, Any] | None = None,
    *,
    by: str = "group",
    seed: int = 0,
) -> tuple[SharesResult, Any, Any]:
    """Say what is known of the answers: bounds, effects, sensitivity, labels."""
    proba, used, table = found.proba, SHARES, pd.DataFrame()
    codes = proba.argmax(axis=1)
    changed = float((codes != found.blind).mean())
    if known is not None:
        table, used, better = use_labels(found.items, grouped, codes, *known, seed=seed)
        proba, codes = better or (proba, codes)
    sizes = grouped.sizes / grouped.sizes.sum()
    overall = sizes @ grouped.shares
    majority = grouped.shares.argmax(axis=1)[grouped.groups]
    (low, high), floor, one = (
        accuracy_bounds(
            answers, grouped.groups, grouped.shares, margins=grouped.margins
        )
        for answers in (codes, majority, np.full(len(codes), overall.argmax()))
    )
    result = SharesResult(
        by=by,
        classes=grouped.classes,
        rows=len(codes),
        n_groups=len(grouped.names),
        learner=found.learner,
        params=found.params,
        rule=RULE,
        criterion=found.criterion,
        low=low,
        high=high,
        constant=float(overall.max()),
        constant_low=one[0],
        constant_high=one[1],
        majority=float(sizes @ grouped.shares.max(axis=1)),
        majority_low=floor[0],
        majority_high=floor[1],
        changed=changed,
        spread=float(grouped.shares.std(axis=0).max()),
        uncertain=grouped.margins is not None,
        groups=_group_table(grouped, codes),
        criteria=found.criteria,
        effects=_effects(grouped, found.items, proba),
        labelled=table,
        used=used,
        notes=tuple(found.notes),
    )
    return result, proba, codes


def _group_table(grouped: Grouped, codes: Any) -> pd.DataFrame:
    table = pd.DataFrame({"group": grouped.names, "rows": grouped.sizes})
    for place, name in enumerate(grouped.classes):
        table[name] = grouped.shares[:, place]
        hits = np.bincount(grouped.groups, codes == place, minlength=len(grouped.names))
        table[f"{name}, answered"] = hits / grouped.sizes
    return table


def _effects(grouped: Grouped, items: Any, proba: Any) -> pd.DataFrame:
    """Bound effects on the last class of two, or on every class."""
    classes = list(enumerate(grouped.classes))
    frames = [
        column_effects(
            grouped.frame,
            grouped.groups,
            grouped.shares[:, place],
            proba[:, place],
            items=items,
            label=name,
            kinds=grouped.kinds,
            margins=None if grouped.margins is None else grouped.margins[:, place],
        )
        for place, name in (classes[1:] if len(classes) == 2 else classes)
    ]
    return pd.concat(frames, ignore_index=True)


def _predictions(grouped: Grouped, by: str, proba: Any, codes: Any) -> pd.DataFrame:
    names = np.array(grouped.names, dtype=object)
    classes = np.array(grouped.classes, dtype=object)
    own = {"row", "label", *(f"p_{name}" for name in grouped.classes)}
    # Two columns of one name could not be told apart by who reads the file.
    group = f"group {by}" if by in own else by
    table = pd.DataFrame({"row": np.arange(len(codes)), group: names[grouped.groups]})
    table["label"] = classes[codes]
    for place, name in enumerate(grouped.classes):
        table[f"p_{name}"] = proba[:, place]
    return table
