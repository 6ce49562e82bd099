"""A quick look: what several fitted models lose, to which columns, and what helps."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift._curve import shift_curve
from caveat.shift._metric import default_measure
from caveat.shift._planning import check_seed
from caveat.shift._result import ShiftCurve
from caveat.shift._scenarios import Single, Stages
from caveat.shift._targets import find_task
from caveat.shift._upper import upper_bound
from caveat.shift.registry import MEASURES

USUAL_IMPUTERS = ("mean", "median", "gaussian", "native")
_MOST_COLUMNS = 200
_MOST_DEGREES = 24
_MOST_SUBSETS = 2000
#: Subsets times columns: what one number of missing columns may cost.
_MOST_CELLS = 200_000


@dataclass(frozen=True)
class ShiftLook:
    """What `shift_look` found.

    Attributes
    ----------
    measure : str
    larger_is_better : bool
    floor : float
        What the best constant answer reaches on the test rows.
    models : DataFrame
        Per model, the most robust first: `closed` (all columns), `worst_column` and
        `worst` (its value when that one vanishes), `half` (half of the columns gone),
        `area` (mean over degrees), `retained` (area over closed), `useless_from` (so
        many missing columns make it no better than the floor, if any number does).
    columns : DataFrame
        Per column, a column per model: the value when it vanishes; the one that costs
        the first model most comes first.
    imputers : DataFrame
        Per imputer, a column per model: the area.
    curves, singles : dict of str to ShiftCurve
        Per model: any k columns, and one at a time, with the first imputer.
    missing : DataFrame or None
        For columns about to be lost, per model and imputer: `closed`, `imputed`, and
        `refitted`, a model fitted without them.
    notes : list of str
    """

    measure: str
    larger_is_better: bool
    floor: float
    models: pd.DataFrame
    columns: pd.DataFrame
    imputers: pd.DataFrame
    curves: dict[str, ShiftCurve]
    singles: dict[str, ShiftCurve]
    missing: pd.DataFrame | None
    notes: list[str]


def shift_look(
    models: Mapping[str, Any],
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    missing: Sequence[str] = (),
    imputers: Sequence[Any] = USUAL_IMPUTERS,
    metric: str | None = None,
    task: str | None = None,
    tolerance: float = 0.01,
    max_subsets: int | None = None,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ShiftLook:
    """Ask which columns carry the models, how they decay, and which imputation helps.

    Parameters
    ----------
    models : mapping of str to fitted model
        All fitted to the same training rows.
    X_train, y_train, X_test, y_test
        As for `shift_curve`.
    missing : sequence of str, optional
        Columns that are about to be lost: what will it cost?
    imputers : sequence, default=("mean", "median", "gaussian", "native")
        The first is the one of all curves. What a model cannot take is left out.
    metric : str, optional
        AUC for labels and RMSE for numbers if not given.
    task : {"classification", "regression"}, optional
    tolerance : float, default=0.01
        For measures between 0 and 1; a share of the intact value for errors.
    max_subsets : int, optional
        Of one number of columns, if the tolerance is not reached before. 2,000 if not
        given, and fewer, but 100 at least, for tables of more than 100 columns.
    random_state : int, default=0
    progress : callable, optional
        ``progress(done, total)``, in curves.

    Returns
    -------
    ShiftLook

    Warnings
    --------
    One split of one table: differences between models that are small against the
    number of test rows are chance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    >>> look = shift_look({"logistic": model}, X[::2], y[::2], X[1::2], y[1::2],
    ...                   imputers=["mean"], metric="accuracy")
    >>> look.columns.index[0], look.models.loc["logistic", "worst_column"]
    ('petal length (cm)', 'petal length (cm)')
    """
    if not models:
        raise InvalidInput("models is empty; pass at least one fitted model")
    if not imputers:
        raise InvalidInput("imputers is empty; name at least one")
    if not 0 < tolerance < np.inf:
        raise InvalidInput(f"tolerance is {tolerance!r}; use a number above 0")
    missing = tuple(dict.fromkeys(missing))
    imputers = _once(imputers)
    parts = (X_train, y_train, X_test, y_test)
    _check_columns(missing, X_train)
    first = next(iter(models.values()))
    found_task = find_task(np.asarray(y_train), first, task)
    name = metric or (
        "auc" if found_task != "regression" else default_measure(found_task)
    )
    total = len(models) * (1 + len(imputers) * (2 if missing else 1))
    counter = _Counter(total, progress)
    settings: dict[str, Any] = {
        "metric": name,
        "task": found_task,
        "random_state": check_seed(random_state),
    }
    notes: list[str] = []
    singles: dict[str, ShiftCurve] = {}
    curves: dict[str, ShiftCurve] = {}
    areas: dict[tuple[str, str], float] = {}
    n_columns = np.shape(X_train)[1]
    if n_columns > _MOST_COLUMNS:
        notes.append(
            f"only the {_MOST_COLUMNS} columns that correlate most with the target "
            f"were taken away one at a time, of {n_columns:,}"
        )
    if max_subsets is None:
        max_subsets = min(_MOST_SUBSETS, max(100, _MOST_CELLS // max(n_columns, 1)))
    degrees = _degrees(n_columns)
    for label, model in models.items():
        singles[label] = shift_curve(
            model,
            *parts,
            scenario=Single(most=_MOST_COLUMNS),
            imputer=imputers[0],
            **settings,
        )
        counter.step()
        for imputer in imputers:
            curve = _decay(
                model,
                parts,
                imputer,
                singles[label],
                tolerance,
                {"max_subsets": max_subsets, "degrees": degrees, **settings},
            )
            counter.step()
            if isinstance(curve, str):
                notes.append(f"{label}, {_name(imputer)}: {curve}")
                continue
            areas[label, _name(imputer)] = curve.area()
            curves.setdefault(label, curve)
    _check_defined(singles)
    lost = _lost(models, parts, missing, imputers, settings, counter, notes)
    any_curve = next(iter(singles.values()))
    better = any_curve.larger_is_better[any_curve.measures[0]]
    notes += [note for curve in singles.values() for note in curve.notes]
    measure = any_curve.measures[0]
    known = measure in MEASURES
    floor = MEASURES[measure].floor(y_train, y_test) if known else float("nan")
    summary = _models(singles, curves, better, floor)
    by_imputer = pd.Series(areas).unstack(0)
    return ShiftLook(
        measure=any_curve.measures[0],
        larger_is_better=better,
        floor=floor,
        models=summary,
        columns=_columns(singles, summary.index, better),
        imputers=by_imputer.reindex(
            index=[_name(each) for each in imputers if _name(each) in by_imputer.index],
            columns=summary.index,
        ),
        curves=curves,
        singles=singles,
        missing=lost,
        notes=list(dict.fromkeys(notes)),
    )


class _Counter:
    def __init__(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        self.total, self.progress, self.done = total, progress, 0

    def step(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _degrees(n_columns: int) -> list[int]:
    """Every number of columns, or two dozen of them if there are many."""
    if n_columns <= _MOST_DEGREES:
        return list(range(1, n_columns + 1))
    spaced = np.linspace(1, n_columns, _MOST_DEGREES).round().astype(int)
    return sorted({*spaced.tolist(), -(-n_columns // 2)})


def _once(imputers: Sequence[Any]) -> list[Any]:
    """Leave out an imputer whose name was there before."""
    return list({_name(each): each for each in reversed(imputers)}.values())[::-1]


def _check_defined(singles: Mapping[str, ShiftCurve]) -> None:
    """Refuse test rows on which the measure says nothing of any model."""
    if any(np.isfinite(curve.of()["value"].iloc[0]) for curve in singles.values()):
        return
    name = next(iter(singles.values())).measures[0]
    raise InvalidInput(
        f"{name!r} is not defined on these test rows for any model; AUC needs rows of "
        "two classes: use more test rows, or metric='accuracy'"
    )


def _check_columns(missing: Sequence[str], X: Any) -> None:
    known = list(X.columns) if isinstance(X, pd.DataFrame) else []
    for name in missing:
        if name not in known:
            raise UnknownName.among("column", name, map(str, known))


def _name(imputer: Any) -> str:
    return imputer if isinstance(imputer, str) else type(imputer).__name__.lower()


def _decay(
    model: Any,
    parts: tuple[Any, ...],
    imputer: Any,
    single: ShiftCurve,
    tolerance: float,
    settings: Mapping[str, Any],
) -> ShiftCurve | str:
    """Measure the random scenario; or say why the model cannot take the imputer."""
    closed = float(single.of()["value"].iloc[0])
    share = single.larger_is_better[single.measures[0]]
    scale = 1.0 if share or not closed > 0 else closed
    try:
        with warnings.catch_warnings():
            # Fewer subsets than the cap are no surprise here.
            warnings.simplefilter("ignore", UserWarning)
            return shift_curve(
                model,
                *parts,
                scenario="random",
                imputer=imputer,
                tolerance=tolerance * scale,
                **settings,
            )
    except InvalidInput as error:
        if imputer == "native":
            return "left out, the model takes no missing cells"
        return f"left out, {error}"


def _lost(
    models: Mapping[str, Any],
    parts: tuple[Any, ...],
    missing: Sequence[str],
    imputers: Sequence[Any],
    settings: Mapping[str, Any],
    counter: _Counter,
    notes: list[str],
) -> pd.DataFrame | None:
    """Price the loss of some columns: imputed, and fitted again without them."""
    if not missing:
        return None
    stage = Stages({"missing": list(missing)})
    rows = []
    for label, model in models.items():
        refitted = float("nan")
        try:
            bound = upper_bound(model, *parts, scenarios=[stage], **settings)
            refitted = float(bound["upper"].iloc[0])
        except InvalidInput as error:
            notes.append(f"{label}: not fitted again ({error})")
        for imputer in imputers:
            counter.step()
            try:
                curve = shift_curve(
                    model, *parts, scenario=stage, imputer=imputer, **settings
                )
            except InvalidInput:
                continue
            values = curve.of()["value"]
            rows.append(
                {
                    "model": label,
                    "imputer": _name(imputer),
                    "closed": values.iloc[0],
                    "imputed": values.iloc[1],
                    "refitted": refitted,
                }
            )
    return pd.DataFrame(rows)


def _models(
    singles: Mapping[str, ShiftCurve],
    curves: Mapping[str, ShiftCurve],
    better: bool,
    floor: float,
) -> pd.DataFrame:
    rows = {}
    for label, single in singles.items():
        alone = single.of()
        gone = alone.iloc[1:].sort_values("value", ascending=better, kind="stable")
        row: dict[str, Any] = {
            "closed": alone["value"].iloc[0],
            "worst_column": gone["column"].iloc[0],
            "worst": gone["value"].iloc[0],
        }
        if label in curves:
            decay = curves[label].of().set_index("k")["value"]
            n_columns = len(curves[label].columns)
            beaten = decay <= floor if better else decay >= floor
            row |= {
                "half": decay.get(-(-n_columns // 2), np.nan),
                "area": curves[label].area(),
                "retained": curves[label].area(relative=True),
                "useless_from": beaten[beaten].index.min() if beaten.any() else np.nan,
            }
        rows[label] = row
    table = pd.DataFrame(rows).T.infer_objects()
    table.index.name = "model"
    return table.sort_values("area", ascending=not better, kind="stable")


def _columns(
    singles: Mapping[str, ShiftCurve], order: pd.Index, better: bool
) -> pd.DataFrame:
    values = {
        label: singles[label].of().iloc[1:].set_index("column")["value"]
        for label in order
    }
    table = pd.DataFrame(values)
    table.index.name = "column"
    return table.sort_values(order[0], ascending=better, kind="stable")
