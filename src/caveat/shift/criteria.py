"""How a configuration is judged without a look at the test part."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from caveat.models import Bonds, fit_model
from caveat.shift.curves._curve import shift_curve
from caveat.shift.curves._curve_table import ShiftCurve
from caveat.shift.evaluation._metric import default_measure

_SUBSETS = 64
"""Subsets of one size on the validation rows: enough to tell configurations apart."""


def validation(
    make: Callable[[], Any],
    X: pd.DataFrame,
    y: pd.Series,
    *,
    task: str,
    share: float = 0.2,
    imputer: Any = "mean",
    seed: int = 0,
    bonds: Bonds | None = None,
) -> dict[str, float | None]:
    """Fit to a part of the training rows and measure on the rest, columns vanishing.

    Parameters
    ----------
    make : callable
        Makes the unfitted model.
    X, y : DataFrame and Series
        Training rows.
    task : {"binary", "multiclass", "regression"}
    share : float, default=0.2
        How much of the rows is held out; classes keep their shares where they can.
        With 0 nothing is held out, and nothing is known.
    imputer : str or Imputer, default="mean"
    seed : int, default=0
    bonds : Bonds, optional
        What binds the training rows: held out are whole groups, or the latest rows.

    Returns
    -------
    dict : ``error`` (share of errors, or RMSE, with all columns) and ``area-error``
    (its mean over degrees); None where unknown.

    Warnings
    --------
    With few held-out rows the best of many configurations is the luckiest.
    """
    if not share or len(X) < 5:
        return {"error": None, "area-error": None}
    fit, held = hold_out(y, share, seed, stratify=task != "regression", bonds=bonds)
    if not len(held):
        return {"error": None, "area-error": None}
    told = bonds and bonds.of(fit)
    model = fit_model(make(), X.iloc[fit], y.iloc[fit], told)
    with warnings.catch_warnings():
        # That there are fewer subsets than this is no surprise here.
        warnings.simplefilter("ignore", UserWarning)
        curve = shift_curve(
            model,
            X.iloc[fit],
            y.iloc[fit],
            X.iloc[held],
            y.iloc[held],
            scenario="random",
            imputer=imputer,
            max_subsets=_SUBSETS,
            metric=default_measure(task),
            random_state=seed,
        )
    return errors(curve)


def hold_out(
    y: pd.Series,
    share: float,
    seed: int,
    *,
    stratify: bool,
    bonds: Bonds | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows into a fit and a held-out part; classes keep shares if they can.

    With `bonds` whole groups or the latest rows are held out; none if there are too few
    of them.
    """
    rows = np.arange(len(y))
    if bonds:
        out = bonds.hold_out(y, share, classify=stratify, seed=seed)
        return np.setdiff1d(rows, out), out
    counts = y.value_counts()
    held = max(1, round(share * len(y)))
    possible = stratify and counts.min() >= 2 and held >= len(counts)
    fit, out = train_test_split(
        rows,
        test_size=share,
        random_state=seed,
        stratify=y if possible else None,
    )
    return fit, out


def errors(curve: ShiftCurve) -> dict[str, float | None]:
    """Turn a curve into two numbers of which smaller is better.

    Warnings
    --------
    Of test rows they are an oracle: whoever chooses by them reports an upper reference,
    not what a user will get.
    """
    rows = curve.of()
    sign: Mapping[bool, Callable[[float], float]] = {
        True: lambda value: 1.0 - value,
        False: lambda value: value,
    }
    turned = sign[curve.larger_is_better[curve.measures[0]]]
    return {
        "error": turned(float(rows["value"].iloc[0])),
        "area-error": turned(curve.area()),
    }
