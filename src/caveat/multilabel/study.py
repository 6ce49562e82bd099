"""Many labels as a topic of the study engine."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat._registry import Entry
from caveat.exceptions import InvalidInput
from caveat.measures.multilabel import DegenerateWarning, TieWarning, evaluate
from caveat.multilabel._breakdown import per_label
from caveat.multilabel._compare import absent_labels
from caveat.multilabel._free import free_answers
from caveat.multilabel.criteria import cross_validation
from caveat.multilabel.learners._thresholded import learner_scores
from caveat.multilabel.registry import CRITERIA, LEARNERS, MEASURES, RULES
from caveat.multilabel.theory._margins import margins
from caveat.study import floor_facts, untouched
from caveat.study.topic import Context, Outcome, Row, single_world
from caveat.tables import TableEncoder

FOLDS = 3
MOST_LABEL_ROWS = 500
"""A table of single labels is kept for at most so many labels."""


class MultiLabelTopic:
    """Several labels per item, all known in training.

    `small` is a study for the common tests.
    """

    name = "multilabel"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = ("cross-validation", "oracle")
    small: Mapping[str, Any] = {"datasets": ["tags"], "resampling": {"folds": 2}}

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """There is one world: the data as they are."""
        return single_world(scenario, self.name)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Take a few at once: each costs as many fits as there are folds."""
        return min(count, 3)

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why a learner cannot do a data set, or ''."""
        if dataset["task"] != "multilabel":
            return f"needs a 0/1 column per label, the data are {dataset['task']}"
        return ""

    def run(self, context: Context) -> Outcome:
        """Fit every configuration and judge it by all eleven measures."""
        dataset = context.dataset
        split = context.split()
        encoder = TableEncoder(kinds=dict(dataset.kinds))
        X_train = encoder.fit_transform(dataset.X.iloc[split.train])
        X_test = encoder.transform(dataset.X.iloc[split.test])
        Y = dataset.Y.to_numpy(dtype=np.int64)
        outcome = Outcome(
            rows=[], notes=absent_labels(dataset.Y, split.train, split.test)
        )
        total = len(context.configurations)
        for done, (index, params) in enumerate(context.configurations):
            parts = (X_train, Y[split.train], X_test, Y[split.test])
            with untouched(context.entry.name, *parts):
                row, labels = self._row(context, params, *parts)
            outcome.rows.append({"config": index, "checkpoint": None, **row})
            outcome.curves.setdefault("labels", []).extend(
                {"config": index, **label} for label in labels
            )
            context.progress(done + 1, total)
        return outcome

    def _row(
        self,
        context: Context,
        params: Mapping[str, Any],
        X_train: NDArray[Any],
        Y_train: NDArray[np.int64],
        X_test: NDArray[Any],
        Y_test: NDArray[np.int64],
    ) -> tuple[Row, list[Row]]:
        def make() -> Any:
            return context.make(params)

        folds = _folds(context)
        held: Mapping[str, float] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TieWarning)
            warnings.simplefilter("ignore", DegenerateWarning)
            if folds:
                held = cross_validation(
                    make,
                    X_train,
                    Y_train,
                    folds=folds,
                    seed=context.seed("split", part="folds"),
                )
            model = make().fit(X_train, Y_train)
            scores = learner_scores(model, X_test)
            chosen = model.predict(X_test)
            found = evaluate(Y_test, scores, chosen)
        gaps = margins(Y_test, scores)
        row = {
            **{f"criterion.cv-{_hyphens(k)}": _number(v) for k, v in held.items()},
            "oracle.average-precision": _number(found["average_precision"]),
            **{f"test.{_hyphens(k)}": _number(v) for k, v in found.items()},
            "fact.rows-with-positive-margin": _number(gaps.share_rows_positive),
            "fact.labels-with-positive-margin": _number(gaps.share_labels_positive),
            "fact.tie-share": found.tie_share,
            "fact.valid-rows": found.n_valid_rows,
            "fact.valid-labels": found.n_valid_labels,
            "fact.best-coverage": _number(found.best["coverage"]),
            "fact.macro-f1-attainable": found.macro_f1_attainable,
            **_floors(Y_train, Y_test),
        }
        return row, _label_rows(context, Y_test, scores, chosen)


def _floors(Y_train: NDArray[np.int64], Y_test: NDArray[np.int64]) -> Row:
    """Judge what looks at no feature: popularity, every label, no label."""
    facts: Row = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (scores, chosen) in free_answers(Y_train, len(Y_test)).items():
            found = evaluate(Y_test, scores, chosen)
            values = {_hyphens(k): v for k, v in found.items()}
            facts |= floor_facts(name.replace(" ", "-"), values)
    return facts


def _folds(context: Context) -> int:
    folds = context.settings({"folds": FOLDS})["folds"]
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 0 or folds == 1:
        raise InvalidInput(
            f"resampling: folds is {folds!r}; use a whole number from 2, or 0 for no "
            "cross-validation"
        )
    return folds


def _label_rows(
    context: Context, Y: NDArray[np.int64], scores: Any, chosen: Any
) -> list[Row]:
    names = [str(name) for name in context.dataset.Y.columns]
    if len(names) > MOST_LABEL_ROWS:
        return []
    table = per_label(Y, scores, chosen)
    return [
        {"label": name, **{str(key): _number(value) for key, value in row.items()}}
        for name, row in zip(names, table.to_dict("records"), strict=True)
    ]


def _hyphens(name: str) -> str:
    return name.replace("_", "-")


def _number(value: Any) -> float | None:
    """Return a float that JSON can hold, None where a measure is not defined."""
    return float(value) if np.isfinite(value) else None


TOPIC = MultiLabelTopic()
