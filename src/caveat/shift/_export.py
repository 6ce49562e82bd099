"""Shifted test sets as files, for programs of other people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat._files import replacing
from caveat.exceptions import DataError
from caveat.shift.evaluation._tables import Tables, check_tables
from caveat.shift.evaluation._targets import check_target
from caveat.shift.imputers._imputers import check_imputer
from caveat.shift.scenarios._planning import check_seed, plan_steps
from caveat.shift.scenarios._scenarios import Step
from caveat.shift.scenarios._subsets import Fixed


def export_shifted(
    folder: str | Path,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    scenario: Any = "random",
    imputer: Any = "mean",
    importance: Any = "pearson",
    degrees: Any = None,
    max_subsets: int = 10_000,
    random_state: Any = None,
    target: str = "target",
    task: str | None = None,
) -> pd.DataFrame:
    """Write the training rows and every shifted test set as CSV files.

    ``train.csv``, ``test_0.csv`` (all columns), then one file per number of missing
    columns; per column with ``single``, per stage with `Stages`. Where a size has
    several subsets their rows are stacked; `__subset` and `__row` tell them apart.

    Parameters
    ----------
    folder : path
        Is made if it is not there; files of the same names are replaced.
    X_train, y_train, X_test, y_test
        As for `shift_curve`.
    scenario, imputer, importance, degrees, max_subsets, random_state, task
        As for `shift_curve`.
    target : str, default="target"
        Name of the target's column, the last one.

    Returns
    -------
    DataFrame : `file`, `k`, `label` (column or stage), `subsets`, `rows`.

    Warnings
    --------
    All subsets of all sizes are many rows: ten columns of 200 test rows make 204,800.

    Examples
    --------
    >>> import tempfile
    >>> X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 1.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_shifted(folder, X, [0, 1, 1], X, [0, 1, 1])[["file", "rows"]]
             file  rows
    0   train.csv     3
    1  test_0.csv     3
    2  test_1.csv     6
    3  test_2.csv     3
    """
    tables = check_tables(X_train, X_test)
    check_target(y_train, y_test, len(tables.train), len(tables.test), task=task)
    while target in tables.columns:
        target += "_"
    seed = check_seed(random_state)
    imputed = check_imputer(imputer).fit(tables.train, random_state=seed)
    planned = plan_steps(
        scenario,
        tables.train,
        y_train,
        n_test=len(tables.test),
        importance=importance,
        degrees=degrees,
        max_subsets=max_subsets,
        seed=seed,
        task=task,
    )
    closed = Step(0, Fixed(np.zeros((1, len(tables.columns)), dtype=bool)))
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
        labels = np.asarray(y_test)
        train = tables.train.assign(**{target: np.asarray(y_train)})
        written = [_write(home / "train.csv", [train], None)]
        for number, step in enumerate([closed, *planned.steps]):
            # A column or a stage has its place in the order; a size names itself.
            place = step.k if step.label is None else number
            parts = _parts(step, tables, imputed, labels, target)
            written.append(_write(home / f"test_{place}.csv", parts, step))
    except OSError as error:
        raise DataError(
            f"{home} cannot be written ({error.strerror}); choose another folder"
        ) from error
    return pd.DataFrame(written)


def _parts(
    step: Step, tables: Tables, imputer: Any, labels: np.ndarray, target: str
) -> Any:
    """Yield the imputed test rows of every mask of a step."""
    several = len(step.masks) > 1
    test = tables.test if step.arrival is None else step.arrival(tables.test)
    names = np.array(tables.columns, dtype=object)
    for start in range(0, len(step.masks), 256):
        for place, mask in enumerate(step.masks.take(start, start + 256)):
            rows = (
                imputer.impute(test, list(names[mask])) if mask.any() else test.copy()
            )
            rows[target] = labels
            if several:
                rows.insert(0, "__row", np.arange(len(rows)))
                rows.insert(0, "__subset", start + place)
            yield rows if step.rows is None else rows.iloc[step.rows]


def _write(path: Path, parts: Any, step: Step | None) -> dict[str, Any]:
    """Write parts below each other; nobody ever sees half a file."""
    rows = subsets = 0
    with replacing(path) as stream:
        for number, part in enumerate(parts):
            part.to_csv(stream, index=False, header=number == 0, lineterminator="\n")
            rows += len(part)
            subsets += 1
    return {
        "file": path.name,
        "k": 0 if step is None else step.k,
        "label": None if step is None else step.label,
        "subsets": subsets,
        "rows": rows,
    }
