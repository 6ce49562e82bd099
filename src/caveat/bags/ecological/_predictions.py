"""Answers for every item from shares alone: learner and settings by a bag criterion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.bags._examine import QUICK_GRIDS
from caveat.bags._met_shares import met_shares
from caveat.bags.ecological._read import Grouped
from caveat.bags.registry import LEARNERS, RULE
from caveat.bags.selection._search import search
from caveat.exceptions import CaveatError, MissingExtra
from caveat.tables import TableEncoder

Floats = NDArray[np.float64]
_MOST_LEVELS = 100


@dataclass(frozen=True)
class Answers:
    """What the chosen learner says of every item.

    Attributes
    ----------
    proba : ndarray of shape (n_items, n_classes)
        Shifted in every group so that its shares are met.
    blind : ndarray of shape (n_items,)
        What the learner decides by itself, which does not see the group.
    learner, params, criterion
        What was chosen, and the value that decided.
    criteria : DataFrame
        A row per learner with its best settings, smallest criterion first.
    items : ndarray
        The items as the learner saw them.
    notes : list of str
    """

    proba: Floats
    blind: NDArray
    learner: str
    params: dict[str, Any]
    criterion: float
    criteria: pd.DataFrame
    items: Floats
    notes: list[str]


def answer(
    grouped: Grouped,
    *,
    learners: Sequence[str],
    keep_by: bool,
    max_items: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> Answers:
    """Search all learners by one bag criterion, and answer with what it chooses."""
    frame = grouped.frame
    if keep_by:
        frame = frame.assign(**{"group": np.array(grouped.names)[grouped.groups]})
    encoder = TableEncoder(
        {k: v for k, v in grouped.kinds.items() if k in frame},
        scale="minmax",
        scale_range=(-1.0, 1.0),
        max_levels=_MOST_LEVELS,
    ).fit(frame)
    items = encoder.transform(frame)
    rng = np.random.RandomState(seed)
    notes: list[str] = []
    rows = np.arange(len(items))
    if len(items) > max_items:
        rows = np.sort(rng.choice(len(items), max_items, replace=False))
        notes.append(f"learnt from a random sample of {max_items:,} of {len(items):,}")
    shares = pd.DataFrame(grouped.shares, columns=list(grouped.classes))
    found: list[tuple[dict[str, Any], Any]] = []
    for place, name in enumerate(learners):
        entry = LEARNERS[name]
        if len(shares) > entry.facts.get("most_bags", inf):
            notes.append(f"{entry.title} was left out: too many groups to compare")
            continue
        try:
            learner = entry.make_for({}, random_state=seed)
            grid = QUICK_GRIDS.get(name, entry.grid)
            tried = search(
                learner,
                grid,
                items[rows],
                grouped.groups[rows],
                shares,
                strategies=[RULE],
                random_state=seed,
            )
            best = tried.best(RULE)
        except (MissingExtra, CaveatError) as error:
            notes.append(f"{entry.title}: {error}")
            continue
        row: dict[str, Any] = {
            "learner": name,
            "params": tried.configurations[best],
            "criterion": float(tried.table[RULE].iloc[best]),
        }
        found.append((row, tried.models[best]))
        notes += [f"{entry.title}: {note}" for note in tried.notes]
        progress(place + 1, len(learners))
    if not found:
        raise CaveatError("no learner could use these groups: " + "; ".join(notes))
    found.sort(key=lambda pair: pair[0]["criterion"])
    row, model = found[0]
    proba = model.predict_proba(items)
    place_of = {label: code for code, label in enumerate(model.classes_.tolist())}
    codes = np.array([place_of[label] for label in model.predict(items).tolist()])
    criteria = pd.DataFrame([pair[0] for pair in found])
    return Answers(
        met_shares(proba, grouped.groups, grouped.shares),
        codes,
        row["learner"],
        row["params"],
        row["criterion"],
        criteria,
        items,
        list(dict.fromkeys(notes)),
    )
