"""Tables from OpenML, through scikit-learn, kept as one Parquet file."""

from __future__ import annotations

import io
import threading
import warnings
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pandas as pd
from sklearn.datasets import fetch_openml

from caveat.datasets._read import read
from caveat.exceptions import DataError

DEADLINE = 1800.0


def openml_snapshot(number: int, *, deadline: float = DEADLINE) -> bytes:
    """Fetch a data set of OpenML and pack features and target into a Parquet file.

    Parameters
    ----------
    number : int
        Its id on OpenML.
    deadline : float
        Seconds after which to give up; scikit-learn has no limit of its own.

    Returns
    -------
    bytes
        Columns in their order, the default target last.
    """
    bunch = _within(deadline, lambda: _fetched(number))
    target = bunch.target
    if isinstance(target, pd.DataFrame) or target is None:
        raise DataError(f"OpenML {number} does not have exactly one target")
    return _packed(bunch.data, target)


def snapshot_of_file(path: Path, target: str) -> bytes:
    """Pack a file that holds the same table, in any format that `read` knows.

    Parameters
    ----------
    path : Path
    target : str
        The target column.
    """
    dataset = read(path, target=target)
    if dataset.y is None:
        raise DataError(f"{path} has no single target {target!r}")
    return _packed(dataset.X, dataset.y)


def _packed(X: pd.DataFrame, y: pd.Series) -> bytes:
    frame = X.assign(**{str(y.name): y})
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            text = column.astype(object).map(str)
            frame[name] = text.where(column.notna(), None).astype("str")
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _fetched(number: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # versions of a data set, inactive ones
        # Its own cache is not verified on use; ours is.
        return fetch_openml(data_id=number, as_frame=True, cache=False, parser="auto")


def _within(seconds: float, work: Any) -> Any:
    """Run work that knows no deadline; a straggler is left behind as a daemon."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = work()
        except Exception as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise DataError(f"OpenML took longer than {seconds:g} s")
    error = outcome.get("error")
    if isinstance(error, URLError):
        raise DataError(f"no connection to OpenML: {error.reason}") from error
    if error is not None:
        raise DataError(f"OpenML cannot be read: {error}") from error
    return outcome["value"]
