"""Fitting a grid to parts of the items: our learners together, any other one by one."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from caveat.bags._shares import check_shares
from caveat.bags.learners._base import (
    BagClassifier,
    Output,
    checked_problem,
    fit_checked,
)
from caveat.bags.selection._scorer import class_codes
from caveat.exceptions import CaveatError, InvalidInput

# What a configuration may fail with; anything else is a mistake of ours.
FIT_ERRORS = (CaveatError, ValueError, ArithmeticError, np.linalg.LinAlgError)
Rows = NDArray | None


class Fitter(Protocol):
    """Items in bags, and how models are fitted to some of them."""

    bags: NDArray
    shares: NDArray[np.float64]
    classes: NDArray

    def fit(self, models: Sequence[Any], rows: Rows, notes: list[str]) -> list[Any]:
        """Fit models to some rows, or all; None where one failed."""

    def outputs(self, fitted: Sequence[Any], rows: NDArray) -> list[Output | None]:
        """Class numbers and probabilities of some rows, model by model."""


def make_fitter(learner: Any, X: Any, bags: Any, proportions: Any) -> Fitter:
    """Choose how a learner is fitted; refuse what cannot learn from bags."""
    if isinstance(learner, BagClassifier):
        return Together(learner, X, bags, proportions)
    if not takes_bags(learner):
        raise InvalidInput(
            f"learner: found {learner!r}; expected one whose fit takes bags and "
            "proportions, or a pipeline that ends in one"
        )
    return OneByOne(X, bags, proportions)


def takes_bags(learner: Any) -> bool:
    """Whether its `fit` takes bags and proportions by name."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    if not hasattr(last, "fit") or isinstance(learner, type):
        return False
    return {"bags", "proportions"} <= set(inspect.signature(last.fit).parameters)


class Together:
    """Learners of caveat: what configurations have in common is done once."""

    def __init__(self, learner: Any, X: Any, bags: Any, proportions: Any) -> None:
        self._like = clone(learner)
        self.problem, self.classes = checked_problem(
            self._like, X, None, bags, proportions
        )
        self.bags, self.shares = self.problem.bags, self.problem.shares

    def fit(self, models: Sequence[Any], rows: Rows, notes: list[str]) -> list[Any]:
        """Fit together; if that fails, one by one: only the bad ones are lost."""
        part = self.problem if rows is None else self.problem.take(rows)
        with Quiet(notes):
            try:
                fit_checked(models, part, self.classes, self._like)
                return list(models)
            except FIT_ERRORS:
                return one_by_one(
                    models,
                    lambda model: fit_checked([model], part, self.classes, self._like),
                    notes,
                )

    def outputs(self, fitted: Sequence[Any], rows: NDArray) -> list[Output | None]:
        """Predict all models in one go."""
        good = [model for model in fitted if model is not None]
        part = self.problem.take(rows)
        found = iter(good[0]._outputs_many(good, part) if good else [])
        return [None if model is None else next(found) for model in fitted]


class OneByOne:
    """Any estimator: every configuration is fitted by itself, on items as given."""

    def __init__(self, X: Any, bags: Any, proportions: Any) -> None:
        self.X = X if hasattr(X, "shape") else np.asarray(X)
        self.bags, self.shares, self.classes = check_shares(
            X, self.X.shape[0], bags, proportions
        )

    def fit(self, models: Sequence[Any], rows: Rows, notes: list[str]) -> list[Any]:
        """Fit every model by itself."""
        chosen = np.arange(len(self.bags)) if rows is None else rows
        X, bags = self._items(chosen), self.bags[chosen]
        with Quiet(notes):
            return one_by_one(
                models, lambda model: fit_to_bags(model, X, bags, self.shares), notes
            )

    def outputs(self, fitted: Sequence[Any], rows: NDArray) -> list[Output | None]:
        """Predict model by model."""
        X = self._items(rows)
        return [None if model is None else self._output(model, X) for model in fitted]

    def _items(self, rows: NDArray) -> Any:
        return self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]

    def _output(self, model: Any, X: Any) -> Output:
        numbers = np.arange(len(self.classes))
        codes = class_codes(np.asarray(model.predict(X)), model, numbers)
        if hasattr(model, "predict_proba"):
            return codes, np.asarray(model.predict_proba(X), dtype=np.float64)
        return codes, np.eye(len(numbers))[codes]


def fit_to_bags(model: Any, X: Any, bags: Any, proportions: Any) -> Any:
    """Fit an estimator, or the last step of a pipeline, to bags."""
    given = {"bags": bags, "proportions": proportions}
    if isinstance(model, Pipeline) and not get_config()["enable_metadata_routing"]:
        last = model.steps[-1][0]
        given = {f"{last}__{name}": value for name, value in given.items()}
    return model.fit(X, **given)


def one_by_one(models: Sequence[Any], fit: Any, notes: list[str]) -> list[Any]:
    """Fit every model by itself; None and a note where one fails."""
    fitted: list[Any] = []
    for model in models:
        try:
            fit(model)
            fitted.append(model)
        except FIT_ERRORS as error:
            note = f"{model!r} failed: {error}"
            if note not in notes:
                notes.append(note)
            fitted.append(None)
    return fitted


class Quiet(warnings.catch_warnings):
    """Collect warnings as notes: said once, not once per split."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(record=True)
        self._notes = notes

    def __enter__(self) -> Any:
        self._caught = super().__enter__()
        warnings.simplefilter("always")
        return self._caught

    def __exit__(self, *details: Any) -> None:
        super().__exit__(*details)
        for warning in self._caught or []:
            note = str(warning.message)
            if note not in self._notes:
                self._notes.append(note)
