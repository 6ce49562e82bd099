"""What the published scoring of UniPredict measures: agreement with a leaked teacher.

    python -m papers.shift.leaked_teacher HEART.csv

The published program does not hold the answers to test rows against their labels, but
against those of a teacher (boosting, calibrated) that was fitted on the very test rows
and labels, without the columns that are gone. Here the same answers of a model that was
fitted on training rows only are scored both ways, for any k columns gone: what the
reference adds is the leak.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import train_test_split

from caveat.measures import get as get_measure
from caveat.models import make_model
from caveat.shift import Mean, Subsets
from papers.shift.cells import CONSTANT, HERE, free, grid, number, read

_SPLITS = (42, 43, 44)


def leaked_labels(X: pd.DataFrame, y: Any, seed: int = 0) -> NDArray[Any]:
    """Label test rows by a teacher that was fitted on them.

    Examples
    --------
    With nothing to go by it says the same of every row.

    >>> rows = pd.DataFrame({"a": [0.0] * 12})
    >>> leaked_labels(rows, [0, 1, 1] * 4).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    booster = make_model("hist-gradient-boosting", "binary", random_state=seed)
    teacher = CalibratedClassifierCV(booster, method="isotonic", cv=3)
    found: NDArray[Any] = teacher.fit(X, np.asarray(y)).predict(X)
    return found


def score_both_ways(
    model: Any,
    X: pd.DataFrame,
    X_test: pd.DataFrame,
    y_test: Any,
    *,
    degrees: Sequence[int],
    subsets: int = 3,
    seed: int = 0,
) -> pd.DataFrame:
    """Score filled rows against labels and against the leaked teacher.

    Returns
    -------
    DataFrame : `k`, `measure`, `labels`, `teacher` (NaN where it names one class only),
    `agrees` (share of the labels that the teacher repeats).
    """
    names = np.array(X.columns, dtype=object)
    fill = Mean().fit(X)
    truth = np.asarray(y_test)
    rows = []
    for k in degrees:
        masks = [np.zeros(len(names), dtype=bool)]
        if k:
            drawn = Subsets(len(names), k, most=subsets, seed=seed)
            masks = list(drawn.take(0, len(drawn)))
        for mask in masks:
            table = fill.impute(X_test, list(names[mask]))
            proba = model.predict_proba(table)
            reference = leaked_labels(table, truth, seed)
            for name in ("accuracy", "auc"):
                judge = get_measure(name)
                one_class = name == "auc" and len(set(reference.tolist())) < 2
                classes = model.classes_.tolist()
                told = np.nan
                if not one_class:
                    told = judge(reference, proba, classes=classes)
                rows.append(
                    {
                        "k": k,
                        "measure": name,
                        "labels": judge(truth, proba, classes=classes),
                        "teacher": told,
                        "agrees": float((reference == truth).mean()),
                    }
                )
    return pd.DataFrame(rows).groupby(["measure", "k"]).mean().reset_index()


def measure(path: str) -> pd.DataFrame:
    """Score logistic regression on three splits of heart."""
    table = pd.read_csv(path)
    X, y = table.drop(columns=table.columns[-1]), table[table.columns[-1]]
    parts = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for seed in _SPLITS:
            train, test, y_train, y_test = train_test_split(
                X, y, test_size=0.2, random_state=seed
            )
            model = make_model("logistic-regression", "binary").fit(train, y_train)
            degrees = [*range(0, X.shape[1], 2), X.shape[1]]
            found = score_both_ways(model, train, test, y_test, degrees=degrees)
            parts.append(found.assign(split=seed))
    return pd.concat(parts, ignore_index=True).round(4)


def leak_section() -> str:
    """Show both scores beside what was printed."""
    found = read("results-leak.csv")
    printed = read("published-random.csv").query(
        "dataset == 'heart' and model == 'UniPredict' and measure == 'auc'"
    )
    printed = printed.set_index("k")["value"]
    auc, accuracy = (number(free("heart", name)) for name in ("auc", "accuracy"))
    rows: list[list[object]] = [[CONSTANT, auc, "", auc, accuracy, "", ""]]
    for k, part in found[found["measure"] == "auc"].groupby("k"):
        exact = found[(found["measure"] == "accuracy") & (found["k"] == k)]
        rows.append(
            [
                k,
                _range(part["labels"]),
                _range(part["teacher"]),
                number(float(printed[k])),
                number(float(exact["labels"].mean())),
                number(float(exact["teacher"].mean())),
                number(float(exact["agrees"].mean())),
            ]
        )
    header = [
        "columns gone",
        "AUC by labels",
        "AUC by the teacher",
        "UniPredict, print",
    ]
    header += [
        "accuracy by labels",
        "by the teacher",
        "labels that the teacher repeats",
    ]
    return grid(header, rows)


def _range(values: pd.Series) -> str:
    """Write the mean and the ends over splits; nothing where no split has a value."""
    if values.isna().any():
        return "–"
    low, high = number(float(values.min())), number(float(values.max()))
    return f"{number(float(values.mean()))} ({low} to {high})"


if __name__ == "__main__":
    measure(sys.argv[1]).to_csv(HERE / "results-leak.csv", index=False)
