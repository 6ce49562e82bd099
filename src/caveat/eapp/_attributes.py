"""From curves to the attributes that a fitted EAPP has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.eapp._verdict import class_table, curve_table, macro, read_classes
from caveat.eapp.folds._curves import Curves
from caveat.eapp.folds._fold import Plan
from caveat.eapp.target._target import Target

if TYPE_CHECKING:
    from caveat.eapp._eapp import EAPP


def fill_in(model: EAPP, plan: Plan, target: Target, curves: Curves) -> None:
    """Turn curves into attributes of a model."""
    tasks, ks = target.tasks, plan.ks
    model._honest = plan.honest
    model._tasks = tasks
    by_class = {
        "honest": read_classes(tasks, ks, curves.honest, model.band),
        "paper": read_classes(tasks, ks, curves.paper, model.band),
    }
    model._readings = {name: macro(found) for name, found in by_class.items()}
    headline = model._headline
    model.classes_ = target.classes
    model.measure_ = "AUC" if target.numbers is None else "concordance"
    model.curve_ = curve_table(plan, curves, model.band)
    model.value_ = model._readings["honest"].value
    model.value_paper_ = model._readings["paper"].value
    model.p_value_ = headline.p_value
    model.skill_ = headline.skill
    model.verdict_ = headline.verdict(model.alpha)
    model.null_at_k_star_ = headline.null_summary()
    model.paper_null_at_k_star_ = model._readings["paper"].null_summary()
    model.k_star_ = min(task.k_star for task in tasks)
    model.below_min_k_ = np.array(ks) < model.k_star_
    headlines = by_class["honest" if plan.honest else "paper"]
    model.per_class_ = class_table(tasks, headlines, by_class, model.alpha)
    shares = np.array([task.n_positive for task in tasks], float)
    values = np.array([reading.value for reading in headlines])
    model.value_weighted_ = float(values @ shares / shares.sum())
    only = 0 if target.binary else slice(None)  # two classes need no axis for them
    model.fold_values_ = {
        "honest": curves.honest_folds[only],
        "paper": curves.paper_folds[only],
    }
    model.null_ = {
        "honest": curves.honest[only, :-1],
        "paper": curves.paper[only, :-1],
    }
    model.labelings_ = {
        "honest": [_masks(ks, fold.masks, target) for fold in curves.folds],
        "paper": [_masks(ks, fold.paper_masks, target) for fold in curves.folds],
    }
    model.clusters_ = [
        {k: found.centroids for k, found in fold.clusters.items()}
        for fold in curves.folds
    ]
    train = [t.at_k_star(row, ks) for t, row in zip(tasks, curves.train, strict=True)]
    model.train_value_ = float(np.mean(train))


def _masks(ks: list[int], masks: list[list[int]], target: Target) -> dict[int, Any]:
    """Name the masks by k, leaving out k without a value."""
    found = {k: own for k, own in zip(ks, masks, strict=True) if own}
    return {k: own[0] for k, own in found.items()} if target.binary else found
