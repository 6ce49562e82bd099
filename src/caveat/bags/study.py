"""Label proportions as a topic of the study engine.

One trial: put the data set into bags, divide items into training and test, count the
training proportions, judge every configuration by every strategy without labels, fit
it to all training bags, and look at the test items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from caveat._registry import Entry
from caveat.bags._shares import share_table
from caveat.bags.registry import CRITERIA, LEARNERS, MEASURES, RULE, RULES
from caveat.bags.selection._search import STRATEGIES, Selection, search
from caveat.bags.worlds._bags import Bags
from caveat.bags.worlds._noisy_shares import told_shares
from caveat.bags.worlds._scenarios import expand_worlds, standard_world, world_bags
from caveat.measures import evaluate
from caveat.study import constant_facts, floor_facts, known_labels, untouched
from caveat.study.topic import Context, Outcome, Row, Split
from caveat.tables import TableEncoder

TASKS = ("binary", "multiclass")
_SETTINGS: Mapping[str, Any] = {
    "splits": 5,
    "validation-size": 0.5,
    "strategies": list(STRATEGIES),
    "aggregate": "mean",
}


class ProportionsTopic:
    """Items without labels, in bags whose class shares are known.

    `small` is a study for the common tests: networks are fitted anew for every
    strategy and split, so it has few of both.
    """

    name = "bags"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = (*STRATEGIES, "oracle")
    small: Mapping[str, Any] = {
        "datasets": ["iris"],
        "resampling": {"splits": 2, "strategies": [RULE]},
    }

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """Expand and check the scenario grid of a study file."""
        return expand_worlds(scenario, dataset_name)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Linear learners share most of their work; networks share nothing."""
        return 1 if entry.extra == "deep" else count

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why a learner cannot do a data set, or ''."""
        if dataset["task"] not in TASKS:
            return f"needs one class per item, the data are {dataset['task']}"
        return ""

    def run(self, context: Context) -> Outcome:
        """Do the work of one trial."""
        trial = _Trial(context)
        return trial.outcome()


class _Trial:
    """One trial, step by step."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.settings = _settings(context)
        dataset = context.dataset
        self.classes = np.asarray(dataset.classes)
        self.y = np.asarray(dataset.y)
        place = {label: code for code, label in enumerate(self.classes.tolist())}
        self.codes = np.array([place[label] for label in self.y.tolist()])
        self.bags = self._bags()
        self.split = self._split()
        self.encoder = self._encoder()

    def outcome(self) -> Outcome:
        """Search, then judge every configuration on the test items."""
        context = self.context
        frame = context.dataset.X
        train, test = self.split.train, self.split.test
        bags = self.bags.assignment[train]
        X_train = self.encoder.transform(frame.iloc[train])
        X_test = self.encoder.transform(frame.iloc[test])
        n_bags = len(self.bags.sizes)
        table = told_shares(
            context.world,
            share_table(bags, self.codes[train], len(self.classes), n_bags),
            np.bincount(bags, minlength=n_bags),
            context.seed("scenario"),
        )
        found = search(
            self._learner(),
            [params for _, params in context.configurations],
            X_train,
            bags,
            pd.DataFrame(table, columns=list(self.classes)),
            strategies=self.settings["strategies"],
            n_splits=self.settings["splits"],
            validation_size=self.settings["validation-size"],
            aggregate=self.settings["aggregate"],
            y=self.y[train],
            random_state=context.seed("search"),
            progress=context.progress,
        )
        assignment = np.ascontiguousarray(self.bags.assignment, dtype="<i8")
        outcome = Outcome(
            rows=[],
            digests={"bags": hashlib.sha256(assignment.tobytes()).hexdigest()},
            notes=[*self.bags.notes, *found.notes],
        )
        for place, (index, _) in enumerate(context.configurations):
            model = found.models[place]
            with untouched(context.entry.name, X_test):
                row = self._row(found, place, model, X_test, table)
            outcome.rows.append({"config": index, "checkpoint": None, **row})
            if model is not None:
                self._follow(model, index, outcome)
        return outcome

    def _row(
        self,
        found: Selection,
        place: int,
        model: Any,
        X_test: Any,
        table: NDArray[np.float64],
    ) -> Row:
        """One line of the selection table."""
        criteria = {
            f"criterion.{name}": None if pd.isna(value) else float(value)
            for name, value in found.table.iloc[place].items()
            if name != "oracle-error"
        }
        error = found.table.get("oracle-error")
        row: Row = {
            **criteria,
            "oracle.error": None if error is None else float(error.iloc[place]),
            "fact.bags": len(self.bags.sizes),
            "fact.training-items": len(self.split.train),
            "fact.test-items": len(self.split.test),
            "fact.proportion-std": float(np.nanstd(table, axis=0).max()),
            "fact.residual": float(self.bags.residual),
        }
        row |= self._floors(table)
        standard = standard_world(self.context.world, self.context.dataset.name)
        if standard is not None:
            row["fact.standard"] = standard.name
        if model is None:
            return row
        labels = known_labels(model.predict(X_test), self.classes.tolist())
        scores = self._judge(labels, model.predict_proba(X_test))
        return row | {f"test.{name}": value for name, value in scores.items()}

    def _judge(self, labels: Any, probabilities: Any) -> dict[str, float]:
        """Hold answers to the test items against their labels."""
        answers = {"decisions": labels, "scores": probabilities}
        truth, known = self.y[self.split.test], self.classes.tolist()
        return evaluate(MEASURES.values(), truth, answers, classes=known)

    def _floors(self, table: NDArray[np.float64]) -> Row:
        """Give what needs no learning: one answer for all, or for every bag."""
        train, test = self.split.train, self.split.test
        pooled = np.bincount(self.codes[train], minlength=len(self.classes))
        # A bag without training items has no share that anybody was told.
        shares = np.where(np.isfinite(table), table, pooled / pooled.sum())
        each = shares[self.bags.assignment[test]]
        majority = self._judge(self.classes[each.argmax(axis=1)], each)
        return floor_facts("group-majority", majority) | constant_facts(
            MEASURES.values(),
            self.y[train],
            self.y[test],
            classes=self.classes.tolist(),
        )

    def _follow(self, model: Any, index: int, outcome: Outcome) -> None:
        """Hand the fitted model on, as one that takes the table as it is."""
        frame, y = self.context.dataset.X, self.context.dataset.y
        train, test = self.split.train, self.split.test
        whole = Pipeline([("encoder", self.encoder), ("learner", model)])
        curves = self.context.follow(
            whole,
            frame.iloc[train],
            y.iloc[train],
            frame.iloc[test],
            y.iloc[test],
            index,
        )
        for name, rows in curves.items():
            outcome.curves.setdefault(name, []).extend(rows)

    def _bags(self) -> Bags:
        """Bags of all items."""
        frame = self.context.dataset.X
        items = None
        if self.context.world["variant"] in ("intermediate", "hard"):
            items = TableEncoder(
                dict(self.context.dataset.kinds), scale="minmax"
            ).fit_transform(frame)
        return world_bags(
            self.context.world,
            self.context.dataset.name,
            frame,
            items,
            self.codes,
            seed=self.context.seed("scenario"),
        )

    def _split(self) -> Split:
        """Items for training and test; items that are in no bag are left out."""
        split = self.context.split()
        kept = self.bags.assignment >= 0
        return Split(split.train[kept[split.train]], split.test)

    def _encoder(self) -> TableEncoder:
        """Scale to [-1, 1], by the range of the training rows."""
        frame = self.context.dataset.X
        encoder = TableEncoder(
            dict(self.context.dataset.kinds), scale="minmax", scale_range=(-1.0, 1.0)
        )
        return encoder.fit(frame.iloc[self.split.train])

    def _learner(self) -> Any:
        """Build the learner with the study's parameters."""
        return self.context.make({})


def _settings(context: Context) -> dict[str, Any]:
    """How criteria are computed: defaults, then what the study says."""
    return context.settings(_SETTINGS)


TOPIC = ProportionsTopic()
