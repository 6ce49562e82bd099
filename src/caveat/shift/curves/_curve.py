"""The curve: what a fitted model is worth while columns vanish."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput, listing
from caveat.measures import Measure
from caveat.shift.curves._averages import Measured, averages, measured, pooled
from caveat.shift.curves._curve_table import ShiftCurve
from caveat.shift.curves._gaps import performance_gap
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._targets import Target
from caveat.shift.scenarios._planning import CAP, check_seed, name_of, plan_steps
from caveat.shift.scenarios._scenarios import Step
from caveat.shift.scenarios._subsets import Fixed


def shift_curve(
    model: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    scenario: Any = "random",
    imputer: Any = "mean",
    importance: Any = "pearson",
    degrees: Any = None,
    max_subsets: int = CAP,
    tolerance: float | None = None,
    metric: Any = None,
    random_state: Any = None,
    task: str | None = None,
    aggregate: str = "mean",
    missing: str = "error",
    row_wise: bool | None = None,
    fast: bool = True,
    block_size: int = 200_000,
    progress: Callable[[int, int], None] | None = None,
) -> ShiftCurve:
    """Measure a fitted model on test rows from which columns have vanished.

    The model is fitted already and stays as it is. Columns that are gone are
    replaced by what the imputer learnt from the training rows, all others stay
    untouched.

    Parameters
    ----------
    model : fitted model or callable
        Anything with `predict_proba` or `predict`, such as a scikit-learn pipeline;
        or a function of a table that returns probabilities, labels or numbers.
    X_train, y_train : DataFrame and array-like
        What it was fitted on. Imputers and importance learn from these rows only.
    X_test, y_test : DataFrame and array-like
        Rows it has not seen. Columns are aligned by name; new ones are left out.
    scenario : str or Scenario, default="random"
        ``single``, ``most``, ``least``, ``random``, ``increment``, or an object such
        as ``Stages({...})``.
    imputer : str or Imputer, default="mean"
        A name from ``caveat.shift.registry.IMPUTERS``, or an object such as
        ``Zero(raw=True)``. A model with ``predict_masked(X, gone)`` is told which
        columns are gone instead, and no imputer is used.
    importance : str, Series or dict, default="pearson"
        Orders the columns for ``single``, ``most`` and ``least``: a method of
        `feature_importance`, or numbers of your own.
    degrees : None, "all", number, or sequence of numbers
        How many columns vanish: whole numbers are columns, numbers with a decimal
        point are shares of them. None means all, from one column to every column.
    max_subsets : int, default=10000
        At most so many distinct subsets of one size; if fewer are possible, all are
        taken.
    tolerance : float, optional
        Stop a size as soon as the half width of its 95 % interval is below this.
    metric : str, callable, or list of them, optional
        Names from ``caveat.shift.registry.MEASURES``, or functions of true and
        predicted values. Accuracy for labels and RMSE for numbers if not given.
    random_state : int, Generator, RandomState or None
        Seeds subsets and random imputation.
    task : {"classification", "regression"}, optional
        If it cannot be seen from model and target.
    aggregate : {"mean", "pooled"}, default="mean"
        The mean of the measure over subsets; or the measure of the rows of all subsets
        together, as in the study's own program.
    missing : {"error", "impute"}, default="error"
        What to do when the test table lacks training columns: refuse, or impute them
        under every mask and let the others vanish.
    row_wise : bool, optional
        Whether a row's answer depends on that row alone, so that rows may be stacked
        and identical ones asked once. Known for caveat's models, else assumed.
    fast : bool, default=True
        Whether known tree ensembles are walked through directly, see Notes.
    block_size : int, default=200000
        About how many rows are asked at a time.
    progress : callable, optional
        ``progress(done, total)``, in subsets.

    Returns
    -------
    ShiftCurve
        `.table` has one row for every number of missing columns (for every column
        with ``single``, every stage with ``Stages``) and measure; `.plot()` draws it.

    Warnings
    --------
    Imputed test rows stand for rows that were never measured: the curve tells what
    this model would do, not what one fitted without the columns could; compare with
    `upper_bound`. Its uncertainty is that of the choice of subsets, not of the test
    rows nor of the fit.

    Notes
    -----
    Decision trees and forests of scikit-learn, LightGBM and XGBoost, alone, behind an
    encoder that works column by column, or as models of caveat, are read once and
    walked through for 64 masks at a time. The answers are compared with the model's
    own before they are used. All other models are asked for every distinct masked row.

    References
    ----------
    .. [1] Z.-J. Cheng et al. (2025). TabFSBench: tabular benchmark for feature shifts
       in open environments. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import train_test_split
    >>> from caveat.shift import shift_curve
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    >>> model = LogisticRegression(max_iter=500).fit(X, y)
    >>> curve = shift_curve(model, X, y, X_test, y_test)
    >>> curve.table[["k", "value", "n_subsets"]].round(2)
       k  value  n_subsets
    0  0   0.97          1
    1  1   0.82          4
    2  2   0.67          6
    3  3   0.54          4
    4  4   0.42          1
    """
    _check_settings(tolerance, aggregate)
    seed = check_seed(random_state)
    bench = Bench(
        model,
        X_train,
        y_train,
        X_test,
        y_test,
        imputer=imputer,
        task=task,
        missing=missing,
        row_wise=row_wise,
        fast=fast,
        block_size=block_size,
        seed=seed,
    )
    measures = bench.measures(metric)
    planned = plan_steps(
        scenario,
        bench.tables.train[bench.names],
        np.asarray(y_train),
        n_test=len(bench.test),
        importance=importance,
        degrees=degrees,
        max_subsets=max_subsets,
        seed=seed,
        model=model,
        task=bench.target.task,
        may_stop=tolerance is not None,
    )
    steps = [Step(0, Fixed(bench.nothing_gone[None])), *planned.steps]
    found = _measure(bench, steps, measures, aggregate, tolerance, progress)
    return ShiftCurve(
        table=_table(steps, found, measures, len(bench.names), planned.scenario.label),
        scenario=planned.name,
        imputer=TOLD if bench.told else name_of(imputer),
        columns=planned.columns,
        importance=planned.importance,
        larger_is_better={
            measure.name: measure.larger_is_better for measure in measures
        },
        masks=[_bits(step) for step in steps],
        seed=seed,
        fast=bench.fast,
        rows_masked=bench.masked * len(bench.test),
        rows_asked=bench.evaluator.asked,
        notes=[*_surprises(bench), *_notes(bench, measures), *_leaks(bench, steps)],
    )


def _check_settings(tolerance: Any, aggregate: str) -> None:
    if tolerance is not None and not (
        isinstance(tolerance, int | float | np.number) and tolerance > 0
    ):
        raise InvalidInput(f"tolerance is {tolerance!r}; use a number above 0, or None")
    if aggregate not in ("mean", "pooled"):
        raise InvalidInput(f"aggregate is {aggregate!r}; use 'mean' or 'pooled'")
    if aggregate == "pooled" and tolerance is not None:
        raise InvalidInput(
            "tolerance is about the mean over subsets; leave it out with "
            "aggregate='pooled'"
        )


def _measure(
    bench: Bench,
    steps: Sequence[Step],
    measures: Sequence[Measure],
    aggregate: str,
    tolerance: float | None,
    progress: Callable[[int, int], None] | None,
) -> list[Measured]:
    if aggregate == "pooled":
        return [pooled(bench, step, measures) for step in steps]
    plain = [step for step in steps if step.rows is None and step.arrival is None]
    found = iter(
        averages(
            plain,
            lambda masks: bench.scores(masks, measures),
            tolerance=tolerance,
            per_block=bench.evaluator.per_block,
            progress=progress or (lambda done, total: None),
        )
    )
    return [
        next(found)
        if step.rows is None and step.arrival is None
        else _apart(bench, step, measures)
        for step in steps
    ]


def _apart(bench: Bench, step: Step, measures: Sequence[Measure]) -> Measured:
    """Measure a step with rows, or a test table, of its own."""
    there = bench.at(step)
    masks = step.masks.take(0, len(step.masks))
    return measured(there.scores(masks, measures, step.rows), step.masks.possible)


def _table(
    steps: Sequence[Step],
    found: Sequence[Measured],
    measures: Sequence[Measure],
    n_columns: int,
    label: str | None,
) -> pd.DataFrame:
    """Make a row for every step and measure; the first step is closed."""
    rows = []
    for step, each in zip(steps, found, strict=True):
        for place, measure in enumerate(measures):
            row = {
                "k": step.k,
                "degree": step.k / n_columns,
                "measure": measure.name,
                "value": each.value[place],
                "sd": each.sd[place],
                "se": each.se[place],
                "n_subsets": each.n_subsets,
                "n_possible": step.masks.possible,
                "gap": np.nan,
            }
            rows.append({**row, label: step.label} if label else row)
    table = pd.DataFrame(rows)
    for place, measure in enumerate(measures):
        mine = table["measure"] == measure.name
        closed = float(found[0].value[place])
        table.loc[mine, "gap"] = performance_gap(table.loc[mine, "value"], closed)
    return table


def _bits(step: Step) -> str:
    """Spell the mask of a step as bits, if it has one only."""
    if len(step.masks) != 1:
        return ""
    return "".join("1" if gone else "0" for gone in step.masks.take(0, 1)[0])


def _surprises(bench: Bench) -> list[str]:
    """Warn of test rows that are hardly those that were meant."""
    tables, target = bench.tables, bench.target
    found = []
    if tables.extra:
        found.append(
            f"The test table has {listing(tables.extra)}, which the model does not "
            "know; left out."
        )
    if target.classes is not None and len(np.unique(target.values)) == 1:
        only = target.values[0]
        label = "unknown to the model" if only < 0 else repr(str(target.classes[only]))
        found.append(
            f"All {len(target.values)} test rows are of one class, {label}: no measure "
            "can tell whether the model parts the classes."
        )
    for sentence in found:
        warnings.warn(sentence, stacklevel=3)
    return found


def _notes(bench: Bench, measures: Sequence[Measure]) -> list[str]:
    """Say what was left out, imputed throughout, or unknown to the model."""
    tables, target = bench.tables, bench.target
    notes = []
    if tables.absent:
        notes.append(
            f"The test table lacks {listing(tables.absent)}; imputed under every mask."
        )
    for name, count in tables.unseen.items():
        notes.append(
            f"{count} test rows have categories of {name!r} that training has not."
        )
    if target.classes is not None:
        strangers = int((target.values < 0).sum())
        if strangers:
            notes.append(
                f"{strangers} test rows are of classes that the model does not know; "
                "they count as wrong."
            )
        for measure in measures:
            if measure.leaves_out:
                notes += _left_out(measure, target)
    return notes


def _left_out(measure: Measure, target: Target) -> list[str]:
    assert target.classes is not None
    counts = np.bincount(target.values[target.values >= 0], minlength=target.n_classes)
    empty = [
        str(label)
        for label, count in zip(target.classes, counts, strict=True)
        if count in (0, len(target.values))
    ]
    if not empty:
        return []
    return [
        f"{measure.title} leaves out {listing(empty)}: no test row is of that class, "
        "or all are."
    ]


def _leaks(bench: Bench, steps: Sequence[Step]) -> list[str]:
    """With every column gone all rows are alike, and so must be the answers."""
    n_columns = len(bench.names)
    emptied = any(step.k == n_columns and step.arrival is None for step in steps)
    if not (emptied and bench.imputer.constant):
        return []
    answers = bench.answers(np.ones((1, n_columns), dtype=bool))[0]
    if np.allclose(answers, answers[0], rtol=1e-9, atol=1e-12):
        return []
    sentence = (
        "With every column gone the model still tells rows apart: something reaches it "
        "round the mask."
    )
    warnings.warn(sentence, stacklevel=3)
    return [sentence]
