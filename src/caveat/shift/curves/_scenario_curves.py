"""The published front end: one scenario, all degrees or one, as a tidy table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.shift._export import export_shifted
from caveat.shift.curves._curve import shift_curve
from caveat.shift.evaluation._metric import usual_measures
from caveat.shift.prices._folds import Contender, Fold

_MOST_SUBSETS = 1_000


def parse_degree(text: str | None) -> Any:
    """Read ``all``, a number of columns, or a share with a decimal point.

    Examples
    --------
    >>> parse_degree("all"), parse_degree("3"), parse_degree("0.5")
    (None, [3], [0.5])
    """
    if text is None or text == "all":
        return None
    try:
        return [float(text) if "." in text else int(text)]
    except ValueError:
        raise InvalidInput(
            f"--degree: found {text!r}; use all, a number of columns, or a share such "
            "as 0.5"
        ) from None


def scenario_curves(
    folds: Sequence[Fold],
    contenders: Sequence[Contender],
    scenario: str,
    degree: str | None,
    *,
    imputer: Any,
    metric: Any,
    task: str,
    dataset: str,
    seed: int,
) -> pd.DataFrame:
    """Measure one scenario with every model on every split.

    Returns
    -------
    DataFrame : `dataset`, `model`, `split`, `scenario`, `imputation`, `k`, `degree`,
    `measure`, `value`, `sd`, `se`, `n_subsets`, `n_possible`, `gap`, `mask`,
    `fit_seconds`, `predict_seconds`; `column` with ``single``.
    """
    degrees = parse_degree(degree)
    kind = "regression" if task == "regression" else "classification"
    found = []
    for split, fold in enumerate(folds):
        for one in contenders:
            started = time.perf_counter()
            model = one.fit(fold)
            fitted = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                curve = shift_curve(
                    model,
                    *fold.parts,
                    scenario=scenario,
                    imputer=imputer,
                    degrees=degrees,
                    max_subsets=_MOST_SUBSETS,
                    metric=metric or usual_measures(task),
                    task=kind,
                    random_state=seed,
                )
            table = curve.tidy(dataset=dataset, model=one.name, split=split)
            table["fit_seconds"] = fitted - started
            table["predict_seconds"] = time.perf_counter() - fitted
            found.append(table)
    return pd.concat(found, ignore_index=True)


def export_scenario(
    folder: str,
    fold: Fold,
    scenario: str | None,
    degree: str | None,
    *,
    imputer: Any,
    target: str,
    task: str,
    seed: int,
) -> pd.DataFrame:
    """Write the training part and the shifted test sets of the first split."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return export_shifted(
            folder,
            *fold.parts,
            scenario=scenario or "random",
            imputer=imputer,
            degrees=parse_degree(degree),
            max_subsets=100,
            target=target,
            task=task,
            random_state=seed,
        )
