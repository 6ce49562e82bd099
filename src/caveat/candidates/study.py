"""Partial labels as a topic of the study engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat._registry import Entry
from caveat.candidates._candidates import CandidateSets
from caveat.candidates._plench import (
    plench_approximated_accuracy,
    plench_draw,
    plench_split,
)
from caveat.candidates._statistics import label_codes
from caveat.candidates._worlds import candidate_worlds, make_candidates, takes_images
from caveat.candidates.criteria import (
    approximated_accuracy,
    covering_rate,
    oracle_accuracy,
)
from caveat.candidates.registry import CRITERIA, LEARNERS, MEASURES, RULES
from caveat.exceptions import InvalidInput
from caveat.study import floor_facts, random_configurations, untouched
from caveat.study.topic import Context, Outcome, Row, Split
from caveat.training import Diverged

TASKS = ("candidates", "multiclass", "binary")
VALIDATION = 0.1
#: What trains needs torch; planning and listing do not.
FITS = Entry(name="candidates", target="caveat.candidates._fits:fit", extra="deep")
#: Configurations of a search that one trial takes at most.
TOGETHER = 10


@dataclass(frozen=True)
class Problem:
    """What one trial learns from, chooses by and is judged on."""

    X: pd.DataFrame | NDArray[np.uint8]
    codes: NDArray[np.intp]
    sets: CandidateSets
    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]

    def items(self, rows: NDArray[np.intp]) -> Any:
        """Give some of the items."""
        return self.X.iloc[rows] if isinstance(self.X, pd.DataFrame) else self.X[rows]

    def constant_accuracy(self) -> float:
        """Share of test items that have the most frequent candidate of training.

        Every item has one vote, shared by its candidates.
        """
        sets = self.sets[self.train].matrix
        votes = (sets / sets.sum(axis=1, keepdims=True)).sum(axis=0)
        return float(np.mean(self.codes[self.test] == votes.argmax()))

    def scores(self, held: NDArray, tested: NDArray) -> Row:
        """Criteria, oracle and measure from logits of both parts."""
        candidates = self.sets[self.validation].matrix
        return {
            "criterion.covering-rate": covering_rate(held, candidates),
            "criterion.approximated-accuracy": approximated_accuracy(
                held, candidates, log=True
            ),
            "criterion.approximated-accuracy-legacy": plench_approximated_accuracy(
                held, candidates
            ),
            "oracle.accuracy": oracle_accuracy(held, self.codes[self.validation]),
            "test.accuracy": oracle_accuracy(tested, self.codes[self.test]),
        }


class PartialTopic:
    """A set of candidate labels for every item, in training and for choosing.

    `small` is a study for the common tests.
    """

    name = "candidates"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat", "plench")
    default_rules = (
        "covering-rate",
        "approximated-accuracy",
        "oracle",
        "oracle-early-stopping",
    )
    small: Mapping[str, Any] = {
        "datasets": ["iris"],
        "scenario": {"candidates": "flip", "rate": 0.3},
        "search": {"steps": 150, "checkpoint-every": 75},
    }

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """Expand the grid: given candidates, or ways to draw them."""
        return candidate_worlds(scenario)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Take up to ten that can train together, else one: a core for each."""
        stacks = entry.facts.get("stacks")
        if stacks is None:
            kind = entry.load()
            stacks = _is_own(kind) and kind.stacks
        return min(count, TOGETHER) if stacks else 1

    def draw(
        self, entry: Entry, index: int, repeat: int, protocol: str
    ) -> dict[str, Any]:
        """Give configuration number `index` of a random search; 0 are the defaults."""
        if protocol == "plench":
            return plench_draw(entry, index, repeat)
        return random_configurations(entry.name, entry.space, index + 1)[index]

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why a learner cannot do a data set, or ''."""
        if dataset["task"] not in TASKS:
            return f"needs candidate labels or classes, the data are {dataset['task']}"
        return ""

    def run(self, context: Context) -> Outcome:
        """Train every configuration and look at it at every checkpoint."""
        problem = make_problem(context)
        outcome = Outcome(rows=[], digests=_digests(problem))
        outcome.notes.extend(problem.sets[problem.train].remarks())
        facts = {
            "fact.training-rows": len(problem.train),
            "fact.validation-rows": len(problem.validation),
            "fact.test-rows": len(problem.test),
            **floor_facts("constant", {"accuracy": problem.constant_accuracy()}),
        }
        fitted = self._fitted(context, problem)
        spoilt = [model for _, model, _ in fitted if isinstance(model, Diverged)]
        if len(spoilt) == len(fitted):
            raise spoilt[0]
        for index, model, rows in fitted:
            if isinstance(model, Diverged):
                outcome.notes.append(f"configuration {index} diverged: {model}")
                continue
            outcome.rows.extend({"config": index, **row, **facts} for row in rows)
            for name, curve in _follow(context, problem, model, index).items():
                outcome.curves.setdefault(name, []).extend(curve)
        return outcome

    def _fitted(
        self, context: Context, problem: Problem
    ) -> list[tuple[int, Any, list[Row]]]:
        """Give every configuration's number, its model or why it has none, its rows."""
        kind = context.entry.load()
        if _is_own(kind):
            return FITS.load()(context, problem, kind)
        return [
            (index, *_fit_foreign(context, problem, params))
            for index, params in context.configurations
        ]


def _is_own(kind: Any) -> bool:
    """Whether it is one of our algorithms; their base class would import torch."""
    return isinstance(kind, type) and hasattr(kind, "stacks")


def make_problem(context: Context) -> Problem:
    """Divide the data as the protocol says, and put candidates to them."""
    dataset = context.dataset
    if dataset.y is None:
        raise InvalidInput(
            f"{dataset.name} has no true labels, so nothing can be scored; for a file "
            "of your own use 'caveat candidates'"
        )
    classes = tuple(dataset.classes)
    codes = label_codes(dataset.y, classes)
    X = dataset.X
    if context.protocol == "plench":
        found = plench_split(len(X), context.repeat, dataset.n_test)
        train, validation, test = found.train, found.validation, found.test
    else:
        train, validation, test = _caveat_split(context)
    known = np.concatenate([train, validation])
    given = None if dataset.candidates is None else dataset.candidates[known]
    drawn = make_candidates(
        context.world,
        given,
        codes[known],
        X.iloc[known],
        classes,
        context.seed("scenario"),
    )
    # Test rows get sets so that rows can be numbered alike; nobody reads those.
    matrix = np.zeros((len(X), len(classes)), dtype=bool)
    matrix[np.arange(len(X)), codes] = True
    matrix[known] = drawn.matrix
    sets = CandidateSets(matrix, classes)
    items = dataset.images if takes_images(context) else X
    return Problem(items, codes, sets, train, validation, test)


def _caveat_split(context: Context) -> tuple[NDArray, NDArray, NDArray]:
    """Give the engine's split, and a part of its training rows to choose by."""
    known = np.arange(len(context.dataset) - context.dataset.n_test)
    test = np.arange(len(known), len(context.dataset))
    if not context.dataset.n_test:
        split: Split = context.split()
        known, test = split.train, split.test
    share = context.settings({"validation": VALIDATION})["validation"]
    if not isinstance(share, int | float) or not 0 < share < 1:
        raise InvalidInput(
            f"resampling: validation is {share!r}; pass a share between 0 and 1"
        )
    count = max(1, round(share * len(known)))
    if count >= len(known):
        raise InvalidInput(
            f"resampling: {len(known)} training rows are too few to hold out {count}"
        )
    seed = context.seed("split", part="validation")
    order = np.random.default_rng(seed).permutation(known)
    return np.sort(order[count:]), np.sort(order[:count]), test


def _fit_foreign(
    context: Context, problem: Problem, params: Mapping[str, Any]
) -> tuple[Any, list[Row]]:
    """Fit a class of the user's with fit(X, candidates) and predict_proba."""
    model = context.make(params)
    sets = problem.sets[problem.train]
    model.fit(problem.items(problem.train), sets.matrix)
    logs = []
    for rows in (problem.validation, problem.test):
        items = problem.items(rows)
        with untouched(context.entry.name, items):
            proba = np.asarray(model.predict_proba(items), dtype=np.float64)
        if proba.shape != (len(rows), len(sets.classes)) or not (proba >= 0).all():
            raise InvalidInput(
                f"the learner gave probabilities of the shape {proba.shape} or below "
                f"0; it owes {len(sets.classes)} shares for each of {len(rows)} rows"
            )
        with np.errstate(divide="ignore"):
            logs.append(np.log(proba))
    return model, [{"checkpoint": None, **problem.scores(*logs)}]


def _follow(
    context: Context, problem: Problem, model: Any, index: int
) -> dict[str, list[Row]]:
    """Run what follows a fit; it is part of the evaluation, so it gets true labels."""
    if not context.spec["then"]:
        return {}
    if not isinstance(problem.X, pd.DataFrame):
        raise InvalidInput("then: columns vanish from tables; images have none")
    labels = np.asarray(context.dataset.y)
    train, test = problem.train, problem.test
    return context.follow(
        model,
        problem.items(train),
        labels[train],
        problem.items(test),
        labels[test],
        index,
    )


def _digests(problem: Problem) -> dict[str, str]:
    known = np.concatenate([problem.train, problem.validation])
    split = Split(train=known, test=problem.test)
    return {
        "rows": split.digest,
        "candidates": Split(
            train=np.packbits(problem.sets.matrix[known]), test=np.arange(0)
        ).digest,
    }


TOPIC = PartialTopic()
