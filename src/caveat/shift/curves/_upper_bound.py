"""What a model could do that never had the vanished columns: the upper bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from caveat.exceptions import InvalidInput, listing
from caveat.models import Bonds, fit_model
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._predictions import Answerer, Answers
from caveat.shift.scenarios._planning import check_seed, plan_steps
from caveat.shift.scenarios._scenarios import Step
from caveat.shift.scenarios._subsets import Masks
from caveat.tables import column_constants, replace_columns

_SUBSETS = 20
"""Random subsets of one size, each of which costs a fit."""
_MAKE = "pass make=, a function from the names of the remaining columns to a new model"


def upper_bound(
    model: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    scenarios: Sequence[Any] = ("least", "most", "random"),
    imputer: Any = "mean",
    importance: Any = "pearson",
    degrees: Any = None,
    max_subsets: int = _SUBSETS,
    metric: Any = None,
    random_state: Any = None,
    task: str | None = None,
    make: Callable[[list[str]], Any] | None = None,
    bonds: Bonds | None = None,
) -> pd.DataFrame:
    """Compare the imputed model with one fitted afresh without the vanished columns.

    For every mask a copy of the model with the same settings is fitted to the
    training rows without these columns, and measured on the test rows without them.
    When every column is gone, it is the constant answer: class shares, or the mean.

    Parameters
    ----------
    model : fitted scikit-learn model
        Cloned for every mask; or any model, together with `make`.
    X_train, y_train, X_test, y_test
        As for `shift_curve`.
    scenarios : sequence, default=("least", "most", "random")
        Whose masks to try; a mask of several is fitted once.
    imputer, importance, degrees, metric, random_state, task
        As for `shift_curve`.
    max_subsets : int, default=20
        At most so many random subsets of one size.
    make : callable, optional
        Gets the names of the columns that are left and returns an unfitted model;
        needed where the model cannot be cloned. Without it a model that does not do
        without the columns, as it names them itself, learns with one value in all
        their cells, which tells it as little.
    bonds : Bonds, optional
        What binds the training rows: a model of caveat's that holds some out to stop
        early respects it.

    Returns
    -------
    DataFrame
        One row per scenario, mask and measure: `scenario`, `k`, `degree`, `mask`,
        `measure`, `imputed`, `upper`, and `loss`, how much of the damage is due to the
        shift: what refitting would gain.

    Warnings
    --------
    Not a bound in the strict sense: a model fitted without a column can be worse by
    chance, so that `loss` is negative. It costs a fit per mask.

    References
    ----------
    .. [1] Z.-J. Cheng et al. (2025). TabFSBench, Figure 2. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    >>> found = upper_bound(model, X[::2], y[::2], X[1::2], y[1::2],
    ...                     scenarios=["most"], degrees=[2])
    >>> found[["k", "imputed", "upper", "loss"]].round(2)
       k  imputed  upper  loss
    0  2     0.33   0.83  0.49
    """
    seed = check_seed(random_state)
    bench = Bench(
        model, X_train, y_train, X_test, y_test, imputer=imputer, task=task, seed=seed
    )
    measures = bench.measures(metric)
    refit = Refit(bench, y_train, make, bonds, hold=make is None)
    n_columns = len(bench.names)
    rows: list[dict[str, Any]] = []
    for each in scenarios:
        planned = plan_steps(
            each,
            bench.tables.train[bench.names],
            y_train,
            n_test=len(bench.test),
            importance=importance,
            degrees=degrees,
            max_subsets=max_subsets,
            seed=seed,
            model=model,
            task=bench.target.task,
            usual=_SUBSETS,
        )
        masks = _masks(planned.steps, n_columns)
        imputed = bench.scores(masks, measures) if len(masks) else masks
        for mask, values in zip(masks, imputed, strict=True):
            answers = refit(mask)
            for measure, value in zip(measures, values, strict=True):
                upper = float(measure.block(bench.target.values, answers[None])[0])
                gain = upper - value if measure.larger_is_better else value - upper
                rows.append(
                    {
                        "scenario": planned.name,
                        "k": int(mask.sum()),
                        "degree": mask.sum() / n_columns,
                        "mask": "".join("1" if gone else "0" for gone in mask),
                        "measure": measure.name,
                        "imputed": value,
                        "upper": upper,
                        "loss": gain,
                    }
                )
    return pd.DataFrame(rows)


def _masks(steps: Sequence[Step], n_columns: int) -> Masks:
    """List the masks of all steps in which columns vanish."""
    masks = [step.masks.take(0, len(step.masks)) for step in steps if not step.arrival]
    return np.concatenate([*masks, np.zeros((0, n_columns), dtype=bool)])


def fresh(model: Any, way_out: str) -> Any:
    """Copy a model unfitted, or say why that cannot be done and what can."""
    if getattr(model, "settings_unknown", False):
        raise InvalidInput(
            "the model's file does not hold the settings that it was learnt with; "
            f"{way_out}"
        )
    try:
        return clone(model)
    except TypeError as error:
        raise InvalidInput(
            "the model is no scikit-learn estimator, so it cannot be fitted again; "
            f"{way_out}"
        ) from error


class _NotFitted(Exception):
    """A fit that failed, and why."""


class Refit:
    """Fits the model without some columns; each mask once.

    Parameters
    ----------
    bench : Bench
    y_train : array-like
    make : callable or None
        From the names of the columns that are left to an unfitted model.
    bonds : Bonds or None
    way_out : str
        What to do where it cannot be fitted.
    hold : bool
        Whether a model that names the columns itself may learn with one value in all
        their cells.

    Attributes
    ----------
    held : bool
        Whether one did.
    """

    def __init__(
        self,
        bench: Bench,
        y_train: Any,
        make: Callable[[list[str]], Any] | None,
        bonds: Bonds | None = None,
        way_out: str = _MAKE,
        *,
        hold: bool = False,
    ) -> None:
        self.bench = bench
        self.way_out = way_out
        self.labels = np.asarray(y_train)
        self.make = make
        self.bonds = bonds
        self.hold, self.held = hold, False
        self._known: dict[bytes, Answers] = {}

    def __call__(self, mask: Masks) -> Answers:
        """Answer the test rows by a model that never had these columns."""
        key = mask.tobytes()
        if key not in self._known:
            self._known[key] = self._constant() if mask.all() else self._fitted(mask)
        return self._known[key]

    def _constant(self) -> Answers:
        target = self.bench.target
        n_rows = len(target.values)
        if target.classes is None:
            return np.full(n_rows, target.train.mean())
        counts = np.bincount(
            target.train[target.train >= 0], minlength=target.n_classes
        )
        return np.tile(counts / counts.sum(), (n_rows, 1))

    def _fitted(self, mask: Masks) -> Answers:
        train, test = self.bench.tables.train, self.bench.test
        gone = [name for name, lost in zip(self.bench.names, mask, strict=True) if lost]
        left = [name for name in self.bench.names if name not in gone]
        try:
            return self._learnt(train[left], test[left])
        except _NotFitted as error:
            if self.hold:
                values = column_constants(train[gone])
                both = (replace_columns(table, values) for table in (train, test))
                try:
                    answers = self._learnt(*both)
                except _NotFitted:
                    pass  # the first reason says more
                else:
                    self.held = True
                    return answers
            raise InvalidInput(
                f"the model cannot be fitted without {listing(gone)} ({error}); "
                f"{self.way_out}"
            ) from error

    def _learnt(self, train: pd.DataFrame, test: pd.DataFrame) -> Answers:
        """Answer one table by a fresh model that learns from the other."""
        named = self.bench.answerer.named
        model = self._unfitted(list(train.columns))
        try:
            table: Any = train if named else train.to_numpy()
            model = fit_model(model, table, self.labels, self.bonds)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise _NotFitted(f"{type(error).__name__}: {reason}") from error
        answerer = Answerer(model, self.bench.target, named=named)
        return self._in_order(answerer(test), model)

    def _unfitted(self, names: list[str]) -> Any:
        if self.make is not None:
            return self.make(names)
        return fresh(self.bench.answerer.model, self.way_out)

    def _in_order(self, answers: Answers, model: Any) -> NDArray[np.float64]:
        known = getattr(model, "classes_", None)
        classes = self.bench.target.classes
        same = known is None or classes is None or np.array_equal(known, classes)
        if not same:
            raise InvalidInput(
                "the model made by make= has other classes than the fitted one; build "
                "it for the same labels"
            )
        return answers
