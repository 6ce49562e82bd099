"""A model's answers to a table: one call, whatever kind of model it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from caveat.exceptions import InvalidInput, listing
from caveat.shift.evaluation._targets import Target
from caveat.study import untouched

Answers = NDArray[np.float64]


class Answerer:
    """Ask a fitted model, or any function, and get numbers of one known shape.

    One call per table: probabilities give the label too. Models without them are
    asked for their decision function (two classes), else for labels.

    Parameters
    ----------
    model : fitted estimator or callable
        A callable gets the table and returns class probabilities (rows, classes),
        the probability of the larger of two labels, labels, or numbers.
    target : Target
        Says which classes there are.
    named : bool
        Whether the model gets frames; else arrays.

    Attributes
    ----------
    kind : {"probabilities", "scores", "labels", "numbers"}
        What the answers are; for a callable known after the first call.
    """

    def __init__(self, model: Any, target: Target, *, named: bool = True) -> None:
        self.model = model
        self.target = target
        self.named = named
        self.kind, self._ask = self._way(model)
        self._trusted = False

    def __call__(self, table: pd.DataFrame) -> Answers:
        """Answer every row: (rows, classes), or (rows,) for a regression."""
        given: Any = table if self.named else table.to_numpy()
        try:
            if self._trusted:
                found = self._ask(given)
            else:
                # Whoever writes into its tables does so at the first.
                with untouched("the model", given):
                    found = self._ask(given)
                self._trusted = True
        except InvalidInput:
            raise
        except NotFittedError as error:
            raise InvalidInput(
                f"the model ({type(self.model).__name__}) is not fitted; fit it on the "
                "training rows first"
            ) from error
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise InvalidInput(
                f"the model failed on test rows as they arrive ({type(error).__name__}"
                f": {reason}); choose an imputer, or rows, whose values it accepts"
            ) from error
        return self._checked(found, len(table))

    def _way(self, model: Any) -> tuple[str, Callable[[Any], Any]]:
        regression = self.target.task == "regression"
        if not regression and hasattr(model, "predict_proba"):
            return "probabilities", model.predict_proba
        two = self.target.n_classes == 2
        if not regression and two and hasattr(model, "decision_function"):
            return "scores", model.decision_function
        if hasattr(model, "predict"):
            return "numbers" if regression else "labels", model.predict
        if callable(model):
            return "numbers" if regression else "", model
        raise InvalidInput(
            f"model is a {type(model).__name__}, which cannot predict; pass a fitted "
            "scikit-learn model or a function of a table"
        )

    def _checked(self, found: Any, n_rows: int) -> Answers:
        if isinstance(found, list) and found and np.ndim(found[0]) == 2:
            raise InvalidInput(
                f"the model gives {len(found)} tables of probabilities; pass a model "
                "of one target"
            )
        answers = np.asarray(found)
        if answers.ndim == 0 or len(answers) != n_rows:
            raise InvalidInput(
                f"the model gave an answer of the shape {answers.shape} for {n_rows} "
                "rows; it must answer every row"
            )
        if not self.kind:
            self.kind = self._kind_of(answers)
        if self.kind == "labels":
            return self._one_hot(answers)
        numbers = self._finite(answers)
        if self.kind == "numbers":
            return numbers.reshape(n_rows, -1)[:, 0] if numbers.ndim > 1 else numbers
        if numbers.ndim == 1 or numbers.shape[1] == 1:
            second = numbers.ravel()
            first = -second if self.kind == "scores" else 1.0 - second
            numbers = np.column_stack([first, second])
        return self._probabilities(numbers)

    def _kind_of(self, answers: NDArray[Any]) -> str:
        """Tell what a user's function returns by its first answers."""
        classes = self.target.classes
        assert classes is not None
        if answers.ndim == 2 and answers.shape[1] > 1:
            return "probabilities"
        flat = answers.ravel()
        if list(classes) == [0, 1] and _are_shares(flat):
            return "probabilities"  # of class 1; hard labels 0 and 1 are a special case
        if pd.Index(classes).get_indexer(flat).min(initial=0) >= 0:
            return "labels"
        if len(classes) == 2 and _are_shares(flat):
            return "probabilities"
        raise InvalidInput(
            f"the model's first answers are neither probabilities nor labels among "
            f"{listing(classes)}; return an array of the shape (rows, {len(classes)})"
        )

    def _one_hot(self, labels: NDArray[Any]) -> Answers:
        classes = np.asarray(self.target.classes)
        codes = pd.Index(classes).get_indexer(pd.Index(labels.ravel()))
        if codes.min() < 0:
            wrong = labels.ravel()[int(np.argmin(codes))]
            raise InvalidInput(
                f"the model answered {wrong!r}, which is not a class; the classes are "
                f"{listing(classes)}"
            )
        return np.eye(self.target.n_classes)[codes]

    def _finite(self, answers: NDArray[Any]) -> Answers:
        try:
            numbers = answers.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"the model answered {answers.ravel()[0]!r}, which is not a number"
            ) from error
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            raise InvalidInput(
                f"the model answered {numbers[wrong][0]} in {int(wrong.sum())} places; "
                "its answers must be finite"
            )
        return numbers

    def _probabilities(self, numbers: Answers) -> Answers:
        n_classes = self.target.n_classes
        if numbers.ndim != 2 or numbers.shape[1] != n_classes:
            raise InvalidInput(
                f"the model gave probabilities of the shape {numbers.shape}, expected "
                f"{n_classes} columns, one per class"
            )
        if self.kind == "probabilities":
            sums = numbers.sum(axis=1)
            if numbers.min() < -1e-6 or np.abs(sums - 1).max() > 1e-3:
                raise InvalidInput(
                    "the model's probabilities of a row are negative or do not sum to "
                    f"1 (found {sums[np.abs(sums - 1).argmax()]:.6g})"
                )
        return numbers


def _are_shares(values: NDArray[Any]) -> bool:
    numeric = np.issubdtype(values.dtype, np.number)
    return bool(numeric and values.min() >= 0 and values.max() <= 1)
