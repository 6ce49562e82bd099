"""Supervised learning as a topic of the study engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from caveat._registry import Entry
from caveat.exceptions import CaveatError, InvalidInput
from caveat.models import Bonds, fit_model
from caveat.study import constant_facts, untouched
from caveat.study.topic import Context, Outcome, Row, one_answer, single_world
from caveat.supervised._evaluate import evaluate
from caveat.supervised._folds import Fold, training_folds
from caveat.supervised.criteria import cross_validation, loss
from caveat.supervised.registry import CRITERIA, LEARNERS, MEASURES, RULES

FOLDS = 5


@dataclass(frozen=True)
class Problem:
    """What one trial learns from, chooses by and is judged on."""

    train: tuple[pd.DataFrame, pd.Series]
    test: tuple[pd.DataFrame, pd.Series]
    folds: list[Fold]
    bonds: Bonds


class SupervisedTopic:
    """One label or number per item, all of them known in training.

    `small` is a study for the common tests: what every learner is tried on.
    """

    name = "supervised"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = ("cross-validation", "oracle")
    small: Mapping[str, Any] = {
        "datasets": ["iris", "diabetes"],
        "resampling": {"folds": 2},
    }

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """There is one world: the data as they are."""
        return single_world(scenario, self.name)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Take a handful at once: each costs as many fits as there are folds."""
        return min(count, 4)

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why a learner cannot do a data set, or ''."""
        return one_answer(dataset, entry)

    def run(self, context: Context) -> Outcome:
        """Cross-validate every configuration, fit it again, and judge it."""
        problem = self._problem(context)
        outcome = Outcome(rows=[])
        total = len(context.configurations)
        for done, (index, params) in enumerate(context.configurations):
            with untouched(context.entry.name, *problem.train, *problem.test):
                row = self._row(context, problem, index, params, outcome)
            outcome.rows.append({"config": index, "checkpoint": None, **row})
            context.progress(done + 1, total)
        return outcome

    def _problem(self, context: Context) -> Problem:
        split, dataset = context.split(), context.dataset
        X, y = dataset.X, dataset.y
        train = (X.iloc[split.train], y.iloc[split.train])
        test = (X.iloc[split.test], y.iloc[split.test])
        bonds = context.bonds().of(split.train)
        return Problem(train, test, self._folds(context, *train), bonds)

    def _row(
        self,
        context: Context,
        problem: Problem,
        index: int,
        params: Mapping[str, Any],
        outcome: Outcome,
    ) -> Row:
        dataset, train, test = context.dataset, problem.train, problem.test
        judged = {"task": dataset.task, "classes": dataset.classes or None}
        bonds = problem.bonds

        def make() -> Any:
            return context.make(params)

        held: dict[str, float | None] = {}
        try:
            held = cross_validation(
                make, *train, folds=problem.folds, bonds=bonds, **judged
            )
        except CaveatError as error:
            # A class of one row is in no training fold of its own: nothing to choose
            # by, but the model on all rows may well be there.
            outcome.notes.append(f"configuration {index}, cross-validation: {error}")
        model = fit_model(make(), *train, bonds)
        scores = evaluate(model, *test, **judged)
        for name, rows in context.follow(model, *train, *test, index).items():
            outcome.curves.setdefault(name, []).extend(rows)
        return {
            "criterion.cv-loss": held.get("loss"),
            **{f"criterion.cv-{name}": held.get(name) for name in scores},
            "oracle.loss": loss(scores),
            **{f"test.{name}": score for name, score in scores.items()},
            **constant_facts(
                [MEASURES[name] for name in scores],
                train[1],
                test[1],
                classes=dataset.classes,
            ),
            "fact.folds": len(problem.folds),
            "fact.training-rows": len(train[0]),
            "fact.test-rows": len(test[0]),
        }

    def _folds(self, context: Context, X: pd.DataFrame, y: pd.Series) -> list[Fold]:
        folds = context.settings({"folds": FOLDS})["folds"]
        if not isinstance(folds, int) or isinstance(folds, bool) or folds < 0:
            raise InvalidInput(
                f"resampling: folds is {folds!r}; use a whole number from 2, or 0 for "
                "no cross-validation"
            )
        if folds == 0:
            return []
        how = context.spec["split"]
        # Seeded like the split, so that all learners of a repeat meet the same folds.
        return training_folds(
            y,
            folds=folds,
            stratify=bool(how.get("stratify")) and context.dataset.task != "regression",
            groups=X[how["groups"]] if how.get("groups") else None,
            order=X[how["order"]] if how.get("order") else None,
            seed=context.seed("split", part="folds"),
        )


TOPIC = SupervisedTopic()
