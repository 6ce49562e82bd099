"""How coarse must a bias be for EAPP to see it? Plant one, and look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from caveat.eapp._eapp import EAPP
from caveat.eapp.representations._images import check_images
from caveat.eapp.target._read import read_target
from caveat.exceptions import InvalidInput, UnknownName
from caveat.tables import as_table, column_numbers, detect_kinds

UNITS = ("auto", "image_mean", "pixel", "column")


def bias_probe(
    X: ArrayLike | pd.DataFrame,
    y: ArrayLike,
    *,
    s: Sequence[float] = (0, 0.25, 0.5, 1, 2, 3),
    unit: str = "auto",
    columns: Iterable[str] | None = None,
    random_state: Any = None,
    randomize_labels: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **eapp: Any,
) -> pd.DataFrame:
    """Shift class 1 by growing steps and see when EAPP rises above chance.

    Parameters
    ----------
    X : table or images
        As for `EAPP`.
    y : array-like of shape (n,)
        Labels of two classes.
    s : sequence of float
        Sizes of the shift, in units.
    unit : {"auto", "image_mean", "pixel", "column"}, default="auto"
        Of images: standard deviation of the images' mean brightness ("auto"), or of
        all pixels. Of tables: each column's own standard deviation.
    columns : iterable of str, optional
        Which columns of a table are shifted; all numerical ones if not given.
    random_state : int, RandomState or None
        Of folds, clusterers and shuffles, the same for every s.
    randomize_labels : bool, default=False
        Shuffle y first: what the probe finds on a task without any true signal.
    progress : callable, optional
        Gets ``(done, total)`` after every fold and k of every s.
    **eapp
        Parameters of `EAPP`.

    Returns
    -------
    DataFrame
        Columns s, eapp, null_mean, null_high, p_value, detected. The smallest s whose
        value lies above the null band is in ``attrs["threshold"]`` (NaN if none does).
        With shuffled labels, one in forty lies there at s = 0 already, by chance.

    Warnings
    --------
    EAPP sees a shift only along directions of large variance: one shifted column of
    ten stays unseen at three standard deviations. Pair it with
    ``EAPP.drivers(method="single")``.

    References
    ----------
    .. [1] V. Ortiz Castelló et al. (2022). Extended a priori probability (EAPP).
       IEEE Access 10, figure 5.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 4)), np.repeat([0, 1], 100)
    >>> found = bias_probe(X, y, s=[0, 3], random_state=0, k_max=2, shuffles=20)
    >>> found["detected"].tolist(), found.attrs["threshold"]
    ([False, True], 3.0)
    """
    sizes = _sizes(s)
    if unit not in UNITS:
        raise UnknownName.among("unit", unit, UNITS)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    shift, rows = _shifter(X, unit, columns)
    labels = pd.Series(np.asarray(y))
    if randomize_labels:
        labels = labels.sample(frac=1, random_state=seed, ignore_index=True)
    target = read_target(labels, rows, eapp.get("pos_label"))
    if not target.binary:
        raise InvalidInput(
            f"y: found {len(target.classes)} classes; the probe shifts one of two, "
            "choose it by pos_label"
        )
    chosen = target.positive(target.tasks[0])
    found = []
    for number, size in enumerate(sizes):
        model = EAPP(**{**eapp, "random_state": seed})
        told = None if progress is None else _part(progress, number, len(sizes))
        model.fit(shift(size, chosen), labels, progress=told)
        value, high = model._headline.value, model.null_at_k_star_["high"]
        found.append(
            {
                "s": size,
                "eapp": value,
                "null_mean": model.null_at_k_star_["mean"],
                "null_high": high,
                "p_value": model.p_value_,
                "detected": bool(value > high),
            }
        )
    frame = pd.DataFrame(found)
    seen = frame.loc[frame["detected"], "s"]
    frame.attrs["threshold"] = float(seen.min()) if len(seen) else float("nan")
    return frame


def _part(
    progress: Callable[[int, int], None], number: int, parts: int
) -> Callable[[int, int], None]:
    """Tell of one part as a part of the whole."""
    return lambda done, total: progress(number * total + done, parts * total)


def _sizes(s: Sequence[float]) -> list[float]:
    sizes = np.asarray(s, float)
    if sizes.ndim != 1 or not len(sizes) or not np.isfinite(sizes).all():
        raise InvalidInput(f"s: found {s!r}; pass a list of numbers")
    return [float(size) for size in sizes]


def _shifter(X: Any, unit: str, columns: Iterable[str] | None) -> tuple[Any, int]:
    """Return a function that shifts some rows of X, and the number of rows."""
    array = None if isinstance(X, pd.DataFrame) else np.asarray(X)
    if array is not None and array.ndim in (3, 4):
        return _image_shifter(array, unit, columns), len(array)
    if unit in ("image_mean", "pixel"):
        raise InvalidInput(f"unit: {unit!r} is for images; use 'column' for a table")
    frame = as_table(X).reset_index(drop=True)
    return _table_shifter(frame, columns), len(frame)


def _image_shifter(images: NDArray, unit: str, columns: Iterable[str] | None) -> Any:
    if columns is not None:
        raise InvalidInput("columns: images have none; leave it out")
    if unit == "column":
        raise InvalidInput("unit: 'column' is for tables; use 'image_mean' or 'pixel'")
    check_images(images)
    pixels = images.astype(np.float64)
    means = pixels.reshape(len(pixels), -1).mean(axis=1)
    step = pixels.std() if unit == "pixel" else means.std()

    def shift(size: float, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        shifted = pixels.copy()
        shifted[rows] += size * step
        return shifted

    return shift


def _table_shifter(frame: pd.DataFrame, columns: Iterable[str] | None) -> Any:
    kinds = detect_kinds(frame)
    numerical = [name for name, kind in kinds.items() if kind == "numerical"]
    chosen = numerical if columns is None else [str(name) for name in columns]
    for name in chosen:
        if name not in frame.columns:
            raise UnknownName.among("column", name, frame.columns)
        if name not in numerical:
            raise InvalidInput(
                f"columns: {name!r} is {kinds[name]}; only numbers can be shifted"
            )
    if not chosen:
        raise InvalidInput("X: no numerical column to shift")
    numbers = {name: column_numbers(frame[name]) for name in chosen}

    def shift(size: float, rows: NDArray[np.bool_]) -> pd.DataFrame:
        shifted = {
            name: values + size * np.nanstd(values) * rows
            for name, values in numbers.items()
        }
        return frame.assign(**shifted)

    return shift
