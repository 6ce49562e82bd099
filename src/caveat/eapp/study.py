"""The baseline as a topic: what clustering reaches on the split of a trial."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from caveat._registry import Entry
from caveat.eapp.registry import CRITERIA, LEARNERS, MEASURES, RULES
from caveat.exceptions import InvalidInput
from caveat.study.topic import Context, Outcome, Row, single_world

TASKS = ("binary", "multiclass", "multilabel", "regression")

_HOLDS_OUT = "holds out its own rows"
# What a study file must not say about EAPP, and why.
SET_BY_STUDY = {
    "folds": _HOLDS_OUT,
    "selection": _HOLDS_OUT,
    "task": "reads it off the data set",
}


class BaselineTopic:
    """EAPP on one split: clusters named on the training rows, judged on the others."""

    name = "eapp"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = ("train-auc",)

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """There is one world: the data as they are."""
        return single_world(scenario, self.name)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """One at a time: clusterers differ a hundredfold in cost."""
        return 1

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why there is no baseline for a data set, or ''."""
        task = dataset["task"]
        if task in TASKS:
            return ""
        return f"needs classes, labels or numbers, the data are {task}"

    def run(self, context: Context) -> Outcome:
        """Compute the curve of every configuration on the trial's own split."""
        dataset = context.dataset
        X: Any = dataset.X
        if dataset.image_shape is not None:
            X = dataset.X.to_numpy().reshape(len(dataset.X), *dataset.image_shape)
        outcome = Outcome(rows=[])
        for index, params in context.configurations:
            model = self._model(context, params)
            target = dataset.Y if dataset.task == "multilabel" else dataset.y
            with warnings.catch_warnings():
                # The model keeps its warnings as notes, and they go into the record.
                warnings.simplefilter("ignore", UserWarning)
                model.fit(X, target, progress=context.progress)
            if np.isnan(model.value_):
                raise InvalidInput(
                    f"{dataset.name}: there is no value at 1/p0 "
                    f"({'; '.join(model.notes_)})"
                )
            outcome.rows.append({"config": index, "checkpoint": None, **row_of(model)})
            curve = outcome.curves.setdefault("eapp", [])
            curve += [
                {"config": index, **row} for row in model.curve_.to_dict("records")
            ]
            if len(model.per_class_) > 1:
                classes = outcome.curves.setdefault("eapp-classes", [])
                classes += [
                    {"config": index, **row, "label": str(row["label"])}
                    for row in model.per_class_.to_dict("records")
                ]
            outcome.notes.extend(model.notes_)
        return outcome

    def _model(self, context: Context, params: Mapping[str, Any]) -> Any:
        chosen = {**context.spec["learner"]["params"], **params}
        for name, whose in SET_BY_STUDY.items():
            if name in chosen:
                raise InvalidInput(
                    f"learner eapp: {name} is set by the study, which {whose}; leave "
                    "it out"
                )
        split = context.split()
        task = context.dataset.task
        return context.make(
            params,
            folds=[(split.train, split.test)],
            task=task if task in ("multilabel", "regression") else "classification",
        )


def row_of(model: Any) -> Row:
    """Write a fitted EAPP as a row of a selection table."""
    null = model.null_at_k_star_
    return {
        "criterion.train-auc": model.train_value_,
        f"test.{model.measure_.lower()}": model.value_,
        "fact.value_paper": model.value_paper_,
        "fact.p_value": model.p_value_,
        "fact.skill": model.skill_,
        "fact.verdict": model.verdict_,
        "fact.null_mean": null["mean"],
        "fact.null_low": null["low"],
        "fact.null_high": null["high"],
        "fact.k_star": model.k_star_,
        "fact.exact": bool(model.curve_["exact"].all()),
    }


TOPIC = BaselineTopic()
