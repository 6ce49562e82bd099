"""A few labelled items beside the shares: to check, to choose, to combine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from caveat.bags._met_shares import met_shares
from caveat.bags.ecological._read import Grouped
from caveat.bags.learners._em import EMLogisticRegression
from caveat.statistics import paired_share_interval

Floats = NDArray[np.float64]
SHARES, LABELS, BOTH = "shares alone", "labels alone", "shares and labels"
_FOLDS = 5
_PENALTY = 1.0
_LEVEL = 0.05


def use_labels(
    items: Floats,
    grouped: Grouped,
    codes: NDArray,
    rows: NDArray,
    labels: NDArray,
    seed: int,
) -> tuple[pd.DataFrame, str, tuple[Floats, NDArray] | None]:
    """Compare three ways on labelled items that each has not seen, and choose.

    Parameters
    ----------
    items : ndarray
        All items, as learners see them.
    grouped : Grouped
    codes : ndarray
        Answers from shares alone.
    rows, labels : ndarray
        The labelled items and their classes.
    seed : int

    Returns
    -------
    table : DataFrame
        As `SharesResult.labelled`.
    used : str
        ``shares alone`` unless another way is better beyond its interval. The two
        other ways share the level.
    answers : (proba, codes) or None
        Answers of the way used, fitted to all labels; None if it is shares alone.
    """
    right = {SHARES: (codes[rows] == labels).astype(float)}
    folds = _folds(labels, seed)
    for way in (LABELS, BOTH):
        hits = np.full(len(rows), np.nan)
        for fold in range(folds.max() + 1):
            inside, outside = folds != fold, folds == fold
            model = _fit(way, items, grouped, rows[inside], labels[inside])
            if model is not None:
                decided = _answers(way, model, items, grouped).argmax(axis=1)
                hits[outside] = decided[rows[outside]] == labels[outside]
        right[way] = hits
    majority = grouped.shares.argmax(axis=1)[grouped.groups[rows]] == labels
    table = pd.DataFrame(
        [
            {
                "way": way,
                **_summary(hits),
                **_paired(hits, right[SHARES], "", _LEVEL / 2),
                "majority": float(majority.mean()),
                **_paired(hits, majority, "majority_", _LEVEL),
            }
            for way, hits in right.items()
        ]
    )
    better = table[(table["way"] != SHARES) & (table["low"] > 0)]
    if not len(better):
        return table, SHARES, None
    used = str(better.sort_values("right", ascending=False)["way"].iloc[0])
    model = _fit(used, items, grouped, rows, labels)
    proba = _answers(used, model, items, grouped)
    proba[rows] = np.eye(proba.shape[1])[labels]
    return table, used, (proba, proba.argmax(axis=1))


def _answers(way: str, model: Any, items: Floats, grouped: Grouped) -> Floats:
    """Probabilities for all items; who knows the shares meets them."""
    proba = np.zeros((len(items), len(grouped.classes)))
    proba[:, model.classes_.astype(int)] = model.predict_proba(items)
    if way != BOTH:
        return proba
    return met_shares(proba, grouped.groups, grouped.shares)


def _fit(
    way: str, items: Floats, grouped: Grouped, rows: NDArray, labels: NDArray
) -> Any:
    """Fit one way to some labels; None where it cannot be."""
    if way == LABELS:
        if len(np.unique(labels)) < 2:
            return None
        model = LogisticRegression(C=_PENALTY, max_iter=1000)
        return model.fit(items[rows], labels)
    bags, shares = with_labels(grouped, rows, labels)
    return EMLogisticRegression(C=_PENALTY).fit(items, bags=bags, proportions=shares)


def with_labels(
    grouped: Grouped, rows: NDArray, labels: NDArray
) -> tuple[NDArray, Floats]:
    """Put every labelled item into a bag of its own, and take it out of its group.

    The group's share is then that of its other items, as near as its margin and
    rounding allow: a count never goes below 0.
    """
    n_classes = len(grouped.classes)
    counts = grouped.shares * grouped.sizes[:, None]
    np.subtract.at(counts, (grouped.groups[rows], labels), 1.0)
    counts = np.maximum(counts, 0.0)
    totals = counts.sum(axis=1, keepdims=True)
    rest = np.where(totals > 0, counts / np.maximum(totals, 1e-12), grouped.shares)
    bags = grouped.groups.copy()
    bags[rows] = len(rest) + np.arange(len(rows))
    return bags, np.vstack([rest, np.eye(n_classes)[labels]])


def _folds(labels: NDArray, seed: int) -> NDArray:
    """Deal rows to folds at random so that every class is spread over them."""
    rng = np.random.RandomState(seed)
    count = min(_FOLDS, len(labels))
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[order] = np.arange(len(labels)) % count
    return folds


def _summary(hits: Floats) -> dict[str, Any]:
    """Share of right answers among rows that were answered."""
    there = ~np.isnan(hits)
    n = int(there.sum())
    return {"right": float(hits[there].mean()) if n else np.nan, "n": n}


def _paired(hits: Floats, other: Any, prefix: str, level: float) -> dict[str, float]:
    """Give what it has more than another on the same rows, with an interval.

    Tango's score interval, and it decides, too: a test of its own could contradict
    it. An interval that takes the number of rows on which the two differ as given
    would be too narrow, for that number is drawn like the rows.
    """
    there = ~np.isnan(hits)
    n = int(there.sum())
    keys = [prefix + name for name in ("more", "low", "high")]
    if n == 0:
        return dict.fromkeys(keys, np.nan)
    gaps = hits[there] - other[there]
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    found = paired_share_interval(won, lost, n, 1 - level)
    return dict(zip(keys, (found.mean, found.low, found.high), strict=True))
