"""Feature shift as a topic of the study engine, and as what follows another topic."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from caveat._registry import Entry
from caveat.exceptions import InvalidInput
from caveat.models import Bonds, fit_model
from caveat.shift._costs import expected_seconds, too_large
from caveat.shift._settings import check_worlds, measures_of, scenario_of
from caveat.shift.criteria import errors, validation
from caveat.shift.curves._curve import shift_curve
from caveat.shift.curves._curve_table import ShiftCurve
from caveat.shift.curves._upper_bound import upper_bound
from caveat.shift.evaluation._evaluators import is_told
from caveat.shift.evaluation._targets import find_task
from caveat.shift.registry import (
    CRITERIA,
    LEARNERS,
    MEASURES,
    RULES,
    SCENARIOS,
    STUDY_MEASURES,
)
from caveat.study import constant_facts, floor_facts, untouched
from caveat.study.topic import Context, Outcome, Row, Split, one_answer

_LARGEST = 2**53


class ShiftTopic:
    """A model is fitted once, and then loses columns in every way the world asks for.

    ``protocol: tabfsbench`` splits as the published program does: four fifths of the
    rows by scikit-learn's ``train_test_split``, without stratification.
    """

    name = "shift"
    learners = LEARNERS
    measures = STUDY_MEASURES
    criteria = CRITERIA
    rules = RULES
    scenarios = SCENARIOS
    protocols = ("caveat", "tabfsbench")
    default_rules = ("validation", "oracle")

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """Expand the scenario grid; scenarios and imputers stay together."""
        return check_worlds(scenario)

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Take one configuration at a time: its curves are the work."""
        return 1

    def skip(self, dataset: Mapping[str, Any], entry: Entry) -> str:
        """Say why a learner cannot do a data set, or ''."""
        return one_answer(dataset, entry) or too_large(dataset, entry)

    def expected_seconds(
        self, spec: Mapping[str, Any], dataset: Mapping[str, Any], entry: Entry
    ) -> float | None:
        """Guess what a trial takes, from rows and columns; None where nothing says."""
        fits = len(spec["configurations"])
        if spec["resampling"].get("validation", 0.2):
            fits *= 2
        return expected_seconds(entry, dataset, spec["world"], fits)

    def run(self, context: Context) -> Outcome:
        """Fit every configuration and record its curves."""
        dataset = context.dataset
        split = _split(context)
        assert dataset.y is not None
        parts = (dataset.X.iloc[split.train], dataset.y.iloc[split.train])
        tests = (dataset.X.iloc[split.test], dataset.y.iloc[split.test])
        outcome = Outcome(rows=[], curves={"shift": []})
        outcome.digests["split"] = split.digest
        bonds = context.bonds().of(split.train)
        for index, params in context.configurations:
            with untouched(context.entry.name, *parts, *tests):
                row = self._row(context, index, params, parts, tests, bonds, outcome)
            outcome.rows.append(row)
        return outcome

    def _row(
        self,
        context: Context,
        index: int,
        params: Mapping[str, Any],
        parts: tuple[pd.DataFrame, pd.Series],
        tests: tuple[pd.DataFrame, pd.Series],
        bonds: Bonds,
        outcome: Outcome,
    ) -> Row:
        world, task = context.world, context.dataset.task

        def make() -> Any:
            return context.make(params)

        held = validation(
            make,
            *parts,
            task=task,
            share=_validation_share(context),
            imputer=world["imputer"][0],
            seed=context.seed("split", part="validation"),
            bonds=bonds,
        )
        model = fit_model(make(), *parts, bonds)
        measures = measures_of(world, task)
        seed = context.seed("scenario")
        curves = _curves(
            world, model, parts, tests, measures, task, seed, context.progress
        )
        for curve in curves:
            outcome.curves["shift"] += [
                {"config": index, "task": task, **row} for row in _rows(curve)
            ]
            new = [note for note in curve.notes if note not in outcome.notes]
            outcome.notes.extend(new)
        if world["upper"]:
            outcome.curves.setdefault("upper", []).extend(
                {"config": index, **row}
                for row in _upper(
                    world, model, parts, tests, measures, task, seed, bonds
                )
            )
        for name, rows in context.follow(model, *parts, *tests, index).items():
            outcome.curves.setdefault(name, []).extend(rows)
        main = next((each for each in curves if _is_whole(each.scenario)), None)
        return {
            "config": index,
            "checkpoint": None,
            "criterion.validation-error": held["error"],
            "criterion.validation-area-error": held["area-error"],
            **_summary(curves[0], main),
            "fact.columns": parts[0].shape[1],
            "fact.training-rows": len(parts[0]),
            "fact.test-rows": len(tests[0]),
            "fact.masked-rows": sum(curve.rows_masked for curve in curves),
            "fact.asked-rows": sum(curve.rows_asked for curve in curves),
            **_floors(measures, parts[1], tests[1], context.dataset.classes),
        }


def _split(context: Context) -> Split:
    if context.protocol == "caveat":
        return context.split()
    rows = np.arange(len(context.dataset.X))
    train, test = train_test_split(
        rows, test_size=0.2, random_state=context.seed("split")
    )
    return Split(train=train, test=test)


def _validation_share(context: Context) -> float:
    share = context.settings({"validation": 0.2})["validation"]
    if (
        isinstance(share, bool)
        or not isinstance(share, int | float)
        or not 0 <= share < 1
    ):
        raise InvalidInput(
            f"resampling: validation is {share!r}; use a share of the training rows, "
            "or 0 for none"
        )
    return float(share)


@contextmanager
def _one_cap_for_all() -> Iterator[None]:
    """Let a table be smaller than the cap of its study: that is written for all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="there are no more than .* subsets")
        yield


def _curves(
    world: Mapping[str, Any],
    model: Any,
    parts: tuple[Any, Any],
    tests: tuple[Any, Any],
    measures: list[str],
    task: str,
    seed: int,
    progress: Any = None,
) -> list[ShiftCurve]:
    """Measure every scenario with every imputer; the first of both comes first."""
    found = []
    # A model that is told what is gone answers the same whatever the imputer.
    imputers = world["imputer"][:1] if is_told(model) else world["imputer"]
    for scenario in world["scenario"]:
        for imputer in imputers:
            with _one_cap_for_all():
                curve = shift_curve(
                    model,
                    *parts,
                    *tests,
                    scenario=scenario_of(scenario, world),
                    imputer=imputer,
                    importance=world["importance"],
                    degrees=world["degrees"],
                    max_subsets=world["max_subsets"],
                    tolerance=None
                    if world["aggregate"] == "pooled"
                    else world["tolerance"],
                    metric=measures,
                    random_state=seed,
                    task=task,
                    aggregate=world["aggregate"],
                    progress=progress,
                )
            found.append(curve)
    return found


def _rows(curve: ShiftCurve) -> list[Row]:
    """Turn a curve into rows of plain values."""
    table = curve.tidy()
    table["n_possible"] = [
        count if count <= _LARGEST else float(count) for count in table["n_possible"]
    ]
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in table.astype(object).to_dict("records")
    ]


def _is_whole(scenario: str) -> bool:
    return bool(SCENARIOS[scenario].facts.get("whole"))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value


def _upper(
    world: Mapping[str, Any],
    model: Any,
    parts: tuple[Any, Any],
    tests: tuple[Any, Any],
    measures: list[str],
    task: str,
    seed: int,
    bonds: Bonds,
) -> list[Row]:
    able = [name for name in world["scenario"] if _is_whole(name)]
    with _one_cap_for_all():
        found = upper_bound(
            model,
            *parts,
            *tests,
            scenarios=able or ["random"],
            imputer=world["imputer"][0],
            importance=world["importance"],
            degrees=world["degrees"],
            max_subsets=world["upper"],
            metric=measures,
            random_state=seed,
            task=task,
            bonds=bonds,
        )
    records = found.to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in records]


def _floors(
    names: list[str], y_train: pd.Series, y_test: pd.Series, classes: tuple[Any, ...]
) -> Row:
    """Give the constant answer, which no lost column changes."""
    measures = [MEASURES[name] for name in names]
    whole = {f"{one.name}-area": one.floor(y_train, y_test) for one in measures}
    return {
        **constant_facts(measures, y_train, y_test, classes=classes),
        **floor_facts("constant", whole),
    }


def _summary(closed: ShiftCurve, main: ShiftCurve | None) -> Row:
    """Give the closed values, and what the first whole curve comes to."""
    row: Row = {}
    for measure in closed.measures:
        row[f"test.{measure}"] = float(closed.of(measure)["value"].iloc[0])
        if main is not None:
            row[f"test.{measure}-area"] = main.area(measure)
            kept = main.area(measure, relative=True)
            row[f"test.{measure}-retained"] = None if np.isnan(kept) else kept
    row["oracle.error"] = errors(closed)["error"]
    if main is not None:
        row["oracle.area-error"] = errors(main)["area-error"]
    return row


def follow(
    spec: Mapping[str, Any],
    model: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    seed: int,
) -> dict[str, list[Row]]:
    """Put a fitted model of any topic through feature shift.

    Parameters
    ----------
    spec : mapping
        What a study file says under ``then: {shift: ...}``.
    model : fitted classifier or regressor
    X_train, y_train, X_test, y_test
        Rows and true labels.
    seed : int

    Returns
    -------
    dict : ``shift`` to a list of rows.
    """
    worlds = check_worlds(spec)
    task = find_task(np.asarray(y_train), model)
    rows: list[Row] = []
    for world in worlds:
        curves = _curves(
            world,
            model,
            (_frame(X_train), y_train),
            (_frame(X_test), y_test),
            measures_of(world, task),
            task,
            seed,
        )
        for curve in curves:
            rows += _rows(curve)
    return {"shift": rows}


def _frame(X: Any) -> Any:
    return X if isinstance(X, pd.DataFrame) else np.asarray(X)


TOPIC = ShiftTopic()
