"""Teach a network what models say that were fitted without the lost columns.

For many sets of columns a logistic regression is fitted that never had them. Rows that
lose such a set get its probabilities instead of their label: each stands in the table
once for every class, weighed by the probability. Such rows weigh as much as those that
training for loss takes columns from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from caveat.models import make_model

TEACHER = "logistic-regression"
# How many sets of columns have a teacher, and how many of them every row meets.
MOST_SETS = 200
MEETINGS = 3


def distilled(
    name: str, task: str, table: tuple[pd.DataFrame, pd.Series], rate: float, seed: int
) -> Any:
    """Fit a network to labels and, where columns are gone, to its teachers."""
    X, y = table
    rng = np.random.default_rng(seed)
    sets = lost_sets(X.shape[1], rng)
    met = rng.integers(len(sets), size=(MEETINGS, len(X)))
    rows, labels, weights, places = [X], [y.to_numpy()], [np.ones(len(X))], []
    places.append(np.arange(len(X)))
    for number, gone in enumerate(sets):
        asked = np.flatnonzero((met == number).any(axis=0))
        if not len(asked):
            continue
        kept = X.columns[~gone]
        teacher = make_model(TEACHER, task, random_state=seed).fit(X[kept], y)
        proba = teacher.predict_proba(X[kept].iloc[asked])
        lost = X.iloc[asked].copy()
        lost[X.columns[gone]] = np.nan
        for place, label in enumerate(teacher.classes_):
            rows.append(lost)
            labels.append(np.full(len(asked), label))
            weights.append(proba[:, place])
            places.append(asked)
    share = rate / (1 - rate) * len(X) / sum(map(np.sum, weights[1:]))
    weights[1:] = [share * each for each in weights[1:]]
    # Columns are already gone; the smallest rate lets the model be told of it.
    model = make_model(name, task, random_state=seed, mask_rate=1e-6)
    return model.fit(
        pd.concat(rows, ignore_index=True),
        np.concatenate(labels),
        sample_weight=np.concatenate(weights),
        groups=np.concatenate(places),
    )


def lost_sets(columns: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Draw sets of lost columns, of every size alike; not none, and not all."""
    sizes = rng.integers(1, columns, size=20 * MOST_SETS)
    order = rng.random((len(sizes), columns)).argsort(axis=1).argsort(axis=1)
    drawn = np.unique(order < sizes[:, None], axis=0)
    return rng.permutation(drawn)[:MOST_SETS]
