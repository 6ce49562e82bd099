"""Answers that somebody made elsewhere: columns of a file, or fitted models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit._models import answers_of
from caveat.audit._settings import Settings
from caveat.audit._table import Table
from caveat.datasets import read_frame
from caveat.exceptions import CaveatError, InvalidInput, UnknownName

Answers = dict[str, NDArray[np.float64]]


def check_predictions(settings: Settings, table: Table) -> None:
    """Refuse scores and models that cannot be meant, before any trial."""
    given_answers(settings, table)


def given_answers(settings: Settings, table: Table) -> Answers:
    """Return what each score column and each model file says, row by row."""
    found: Answers = {}
    if settings.predictions is not None:
        found |= _scores(str(settings.predictions), table)
    for path in settings.model_files:
        found[_free_name(Path(path).name, found)] = _answered(path, settings, table)
    return found


def _answered(path: str, settings: Settings, table: Table) -> NDArray[np.float64]:
    """Let a fitted model answer for every row of the table, as it is."""
    from caveat.models import load

    if path.lower().endswith((".joblib", ".pkl", ".pickle")) and not settings.trust:
        raise InvalidInput(
            f"--model {path} is a pickle, which may run any code when it is opened; "
            "add --trust if you know who wrote it"
        )
    model = load(path, trust=settings.trust)
    wanted = getattr(model, "feature_names_in_", None)
    columns = table.whole.columns if wanted is None else [str(one) for one in wanted]
    for name in columns:
        if name not in table.whole.columns:
            raise UnknownName.among("column", name, map(str, table.whole.columns))
    X = table.whole[list(columns)] if wanted is not None else table.X
    try:
        return _known_classes(model, X, table)
    except CaveatError:
        raise
    except Exception as error:
        raise InvalidInput(
            f"--model {path}: the model cannot answer for this table ({error}); give "
            "it the columns that it learnt from"
        ) from error


def _known_classes(model: Any, X: pd.DataFrame, table: Table) -> NDArray[np.float64]:
    """Put a model's classes in the order of the table's."""
    if not table.classes:
        return np.asarray(model.predict(X), dtype=float).ravel()
    if not hasattr(model, "predict_proba"):
        said = [str(one) for one in np.asarray(model.predict(X)).ravel()]
        return np.array(
            [[one == name for name in table.classes] for one in said], float
        )
    labels = [str(one) for one in getattr(model, "classes_", [])]
    proba = np.asarray(model.predict_proba(X), dtype=float)
    if set(labels) == set(table.classes):
        return proba[:, [labels.index(name) for name in table.classes]]
    if proba.shape[1] == len(table.classes):
        # Native files know classes as 0, 1, ...: in sorted order, as encoders number.
        order = np.argsort(np.argsort(table.classes))
        return proba[:, order]
    return answers_of(model, X, table)


def _scores(path: str, table: Table) -> Answers:
    frame = read_predictions(path)
    name = Path(path).name
    numbers = [str(one) for one in frame.select_dtypes("number").columns]
    shared = [str(one) for one in frame.columns if one in table.whole.columns]
    keys = [one for one in shared if frame[one].is_unique]
    scores = [one for one in numbers if one not in shared]
    if not scores:
        raise InvalidInput(
            f"--predictions: {name} has no column of numbers that the table lacks; one "
            "at least is needed, the score"
        )
    if shared and not keys:
        raise InvalidInput(
            f"--predictions: column {shared[0]!r} does not tell the rows of {name} "
            "apart; add one that does"
        )
    place = _places(frame, keys[0] if keys else None, table)
    return {
        score: _as_answers(frame[score].to_numpy(dtype=float)[place], table)
        for score in scores
    }


def _places(frame: pd.DataFrame, key: str | None, table: Table) -> NDArray[np.intp]:
    """Find the row of the file that belongs to each row of the table."""
    if key is None:
        rows = len(table.y) if table.held.any() else table.count
        if len(frame) != rows:
            raise InvalidInput(
                f"--predictions has {len(frame):,} rows, the table {rows:,}; add a "
                "column that both have, and that tells rows apart"
            )
        if table.held.any() or table.origin is None:
            return np.arange(rows)
        return table.origin
    places = pd.Series(np.arange(len(frame)), index=frame[key].astype(str))
    found = places.reindex(table.whole[key].astype(str))
    if found.isna().any():
        raise InvalidInput(
            f"--predictions: {int(found.isna().sum()):,} rows of the table have no "
            "score; give one for each"
        )
    return found.to_numpy(dtype=np.intp)


def _as_answers(score: NDArray[np.float64], table: Table) -> NDArray[np.float64]:
    if not np.isfinite(score).all():
        raise InvalidInput(
            f"--predictions: {int((~np.isfinite(score)).sum()):,} rows of the table "
            "have no finite score; give one for each"
        )
    if not table.classes:
        return score
    if len(table.classes) != 2:
        raise InvalidInput(
            f"--predictions holds one score per row, the target {len(table.classes)} "
            "classes; name one of them with --positive"
        )
    low, high = float(score.min()), float(score.max())
    if low < 0 or high > 1:
        # Scores that are no probabilities keep their order, which is all AUC reads.
        score = (score - low) / (high - low or 1.0)
    return np.column_stack([1 - score, score])


def read_predictions(path: str) -> pd.DataFrame:
    """Read a CSV or Parquet file of scores."""
    return read_frame(path)


def _free_name(name: str, taken: Answers) -> str:
    return name if name not in taken else f"{name} ({len(taken)})"
