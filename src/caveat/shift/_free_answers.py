"""What needs no learning, on the rows of a look: constant answers and clusters."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from caveat.eapp import EAPP
from caveat.eapp import Result as Clusters
from caveat.eapp.registry import MEASURES as CLUSTER_MEASURES
from caveat.eapp.result import CLUSTERS, pooled
from caveat.exceptions import CaveatError
from caveat.pages.claims import Estimate
from caveat.shift._look_rows import Rows
from caveat.shift.evaluation._targets import check_target
from caveat.shift.prices._folds import Fold
from caveat.shift.prices._prices import ALL, Book

Ends = tuple[float, float | None, float | None]

_FEWEST_SPLITS = 3
"""Two splits that happen to agree say nothing about the spread of clusters."""


def constant_answers(measure: Any, rows: Rows) -> list[float]:
    """Give what the better constant answer reaches on every split; NaN if unknown."""
    if measure is None:
        return [float("nan")] * len(rows.folds)
    each = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for fold in rows.folds:
            train, test = fold.y_train, fold.y_test
            if rows.positive is not None:
                train, test = (y.eq(rows.positive).astype(int) for y in (train, test))
            each.append(measure.floor(train, test))
            if rows.positive is not None and measure.needs == "decisions":
                # F1 is larger for the rarer class, always answered, than for the other.
                always = measure(test, np.ones(len(test), int), classes=[0, 1])
                best = max if measure.larger_is_better else min
                each[-1] = best(each[-1], always)
    return each


def cluster_answers(
    book: Book, rows: Rows, deployed: str, seed: int
) -> tuple[Ends | None, Ends | None, list[str]]:
    """Give what clusters reach on the splits of the models; or say why they do not.

    Returns
    -------
    clusters, over, notes
        Each a value with its interval; `over`: how much better the deployed model is,
        paired.
    """
    free = Book(book.measure, book.resampling)
    key, found = (CLUSTERS, ALL, ""), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            for split, fold in enumerate(rows.folds):
                model = _clustered(fold, rows.task, seed)
                found.append(Clusters.of(model))
                kind = "regression" if rows.task == "regression" else "classification"
                target = check_target(fold.y_train, fold.y_test, *fold.sizes, task=kind)
                answers = _in_order(model, target.classes)
                truth, told = target.towards(rows.positive, answers[None])
                free.add(split, [key], told, truth)
        except CaveatError as error:
            return None, None, [f"what clusters reach is not known: {error}"]
    score = free.score(key)
    one = score.estimate(book.measure.name)
    if book.measure.name in CLUSTER_MEASURES:
        # By AUC it is EAPP itself, which scores rows by distances. Other rows would
        # change it about as they change the AUC of the same clusters' answers.
        eapp = pooled(found)
        one, values = eapp.estimate, np.array(eapp.folds)
        moved = score.draws + (values - score.values)
        score = replace(score, values=values, draws=moved)
        if len(found) < _FEWEST_SPLITS:
            one = replace(one, low=None, high=None)
    if not np.isfinite(one.value):
        named = book.measure.name
        return None, None, [f"what clusters reach by {named} is not defined here"]
    more = book.score((deployed, ALL, "")) - score
    more = more if book.measure.larger_is_better else -more
    return _ends(one), _ends(more.estimate(book.measure.name)), []


def _ends(one: Estimate) -> Ends:
    return one.value, one.low, one.high


def _clustered(fold: Fold, task: str, seed: int) -> EAPP:
    """Make clusters of the training rows of one split, to be judged on its others."""
    X = pd.concat([fold.X_train, fold.X_test], ignore_index=True)
    y = pd.concat([fold.y_train, fold.y_test], ignore_index=True)
    places = np.arange(len(X))
    split = np.split(places, [len(fold.X_train)])
    how: dict[str, Any] = {"folds": [split], "shuffles": 0, "random_state": seed}
    if task == "regression":
        return EAPP(k_max=2, task="regression", **how).fit(X, y)
    # The value is that at 1 over the share of the rarest class: no more clusters.
    most = min(10, int(1 / y.value_counts(normalize=True).min()) + 1)
    return EAPP(k_max=most, **how).fit(X, y)


def _in_order(model: EAPP, classes: Any) -> Any:
    """Give the answers of the only fold, classes in the order of the target."""
    [answers] = model.answers()
    if classes is None:
        return answers
    return answers[:, pd.Index(model.classes_).get_indexer(classes)]
