"""From what a person passes as X to rows of numbers, fitted on training rows only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types
from scipy import sparse

from caveat.eapp.representations._images import (
    check_image_size,
    check_images,
    prepare_images,
)
from caveat.exceptions import InvalidInput, listing
from caveat.tables import TableEncoder, as_table, detect_kinds

Floats = NDArray[np.float64]
KINDS = ("auto", "table", "images")
SCALINGS = ("robust", "standard")
# Quartiles of so many rows are as good as those of all.
_MOST_FENCED = 100_000


class Encoder(Protocol):
    """Encodes rows by what the training rows were like."""

    def encode(self, rows: NDArray[np.int64], X: Any = None) -> Floats:
        """Encode some rows of the data, or of a changed copy of it."""
        ...


class Table:
    """A table: numbers standardised, levels as blocks of indicators, gaps filled.

    Levels of one training row or under 1 % of them, and those past the 49 most
    frequent, are merged. One categorical column has total variance 1, like one
    numerical column; a gap in at least 1 % of the training rows gets an indicator of
    its own.
    """

    images = False

    def __init__(
        self, X: ArrayLike, kinds: Mapping[str, str] | None, scaling: str = "robust"
    ) -> None:
        self.frame = as_table(X).reset_index(drop=True)
        known = {str(name): kind for name, kind in (kinds or {}).items()}
        self.kinds = detect_kinds(self.frame, known)
        self.scaling = scaling

    def __len__(self) -> int:
        return len(self.frame)

    def fit(self, train: NDArray[np.int64]) -> FittedTable:
        """Learn the encoding from training rows."""
        encoder = TableEncoder(
            kinds=self.kinds,
            categories="onehot",
            scale="standard",
            impute="median",
            missing_level="own",
            indicator=0.01,
            # A word that occurs once parts no group from another, however few the rows.
            rare=max(0.01, 1.5 / len(train)),
            max_levels=49,
            block_scale=True,
            drop_constant=True,
        )
        rows = self.frame.iloc[train]
        fences = far_fences(rows) if self.scaling == "robust" else {}
        return FittedTable(self.frame, encoder.fit(fenced(rows, fences)), fences)


def far_fences(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Find where a number lies far out: three times the quartiles' distance beyond.

    A few cells far out would otherwise set the unit of their column, and k-means would
    give them a cluster of their own. A column that is mostly one value has no fences.

    Parameters
    ----------
    frame : DataFrame
        Training rows.

    References
    ----------
    .. [1] J. W. Tukey (1977). Exploratory data analysis. Addison-Wesley.
    """
    found = {}
    for name in frame.columns:
        column = frame[name]
        if not types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(
            column.dtype
        ):
            continue
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)[:_MOST_FENCED]
        values = values[np.isfinite(values)]
        if len(values) < 8:
            continue
        first, third = np.quantile(values, (0.25, 0.75))
        reach = 3 * (third - first)
        if reach > 0:
            found[name] = (float(first - reach), float(third + reach))
    return found


def fenced(
    frame: pd.DataFrame, fences: Mapping[str, tuple[float, float]]
) -> pd.DataFrame:
    """Bring numbers beyond the fences back to them."""
    changed = {}
    for name, (low, high) in fences.items():
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        with np.errstate(invalid="ignore"):
            beyond = bool(((values < low) | (values > high)).any())
        if beyond:
            # Infinite cells stay: they are refused, not mended.
            kept = np.isinf(values)
            changed[name] = np.where(kept, values, np.clip(values, low, high))
    return frame.assign(**changed) if changed else frame


class FittedTable:
    """An encoder, the table it was fitted on, and how far its numbers may reach."""

    def __init__(
        self,
        frame: pd.DataFrame,
        encoder: TableEncoder,
        fences: Mapping[str, tuple[float, float]],
    ) -> None:
        self.frame = frame
        self.encoder = encoder
        self.fences = fences

    def encode(self, rows: NDArray[np.int64], X: pd.DataFrame | None = None) -> Floats:
        """Encode some rows of the table, or all rows of another table."""
        frame = self.frame.iloc[rows] if X is None else X
        return self.encoder.transform(fenced(frame, self.fences))


class Images:
    """Images: nothing is learnt, so they are prepared once."""

    images = True

    def __init__(self, X: NDArray[np.generic], image_size: int | str) -> None:
        check_images(X)
        self.pixels = prepare_images(X, image_size)
        channels = 1 if X.ndim == 3 else X.shape[3]
        side = round((self.pixels.shape[1] / channels) ** 0.5)
        self.shape = (side, side, channels)

    def __len__(self) -> int:
        return len(self.pixels)

    def fit(self, train: NDArray[np.int64]) -> Images:
        """Nothing to learn."""
        return self

    def encode(
        self, rows: NDArray[np.int64], X: NDArray[np.float32] | None = None
    ) -> Floats:
        """Give the pixels of some images, or of other images."""
        return (self.pixels[rows] if X is None else X).astype(np.float64)


def read_input(
    X: Any,
    kind: str,
    image_size: int | str,
    kinds: Mapping[str, str] | None,
    scaling: str = "robust",
) -> Table | Images:
    """Take X as a table or as images, and check it."""
    if kind not in KINDS:
        raise InvalidInput(f"kind: found {kind!r}; pass 'auto', 'table' or 'images'")
    check_image_size(image_size)
    if isinstance(X, pd.DataFrame) or sparse.issparse(X):
        if kind == "images":
            raise InvalidInput(
                f"kind: 'images' needs an array of 3 or 4 dimensions, X is a "
                f"{type(X).__name__}; reshape its values to (n, height, width)"
            )
        return Table(X, kinds, scaling)
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    images = array.ndim in (3, 4) if kind == "auto" else kind == "images"
    if images and array.ndim not in (3, 4):
        raise InvalidInput(
            f"X: shape {array.shape} for kind='images'; pass (n, height, width) or "
            "(n, height, width, channels)"
        )
    if not images and array.ndim != 2:
        raise InvalidInput(
            f"X: shape {array.shape}; pass a table (n, columns) or images "
            "(n, height, width[, channels])"
        )
    if images:
        return Images(array, image_size)
    if 0 in array.shape:
        raise InvalidInput(
            f"X: {array.shape[0]} rows and {array.shape[1]} columns; "
            "pass at least one of each"
        )
    if array.dtype.kind == "c":
        raise InvalidInput(
            "X: complex numbers; pass their real and imaginary parts as columns"
        )
    return Table(array, kinds, scaling)


def doubts(data: Table | Images, fitted: Any) -> list[str]:
    """Say what a reader of the result should know about the columns.

    Parameters
    ----------
    data : Table or Images
    fitted : FittedTable or Images
        The encoding of the first fold.
    """
    if isinstance(data, Images):
        return []
    sentences = []
    for name, kind in data.kinds.items():
        if kind == "categorical":
            sentences += _nearly_numbers(str(name), data.frame[name])
    names = fitted.encoder.get_feature_names_out()
    used = {*fitted.encoder.levels_, *names}
    used |= {str(name).removesuffix(" is missing") for name in names}
    sizes = dict(zip(fitted.encoder.levels_, fitted.encoder.sizes_, strict=True))
    idle = [name for name in data.frame if name not in used or sizes.get(name, 1) == 0]
    if idle:
        sentences.append(
            f"X: {listing(idle)} left out: the same in all rows, or a different word "
            "in almost every one"
        )
    return sentences


def _nearly_numbers(name: str, column: pd.Series) -> list[str]:
    """Doubt a column of words that are numbers but for a few."""
    words = column.dropna()
    if len(words) == 0 or not pd.api.types.is_string_dtype(words.astype(object)):
        return []
    strange = pd.to_numeric(words, errors="coerce").isna()
    if not 0 < strange.mean() < 0.1:
        return []
    first = words[strange].iloc[0]
    return [
        f"X: column {name!r} is taken as words, for {int(strange.sum())} of "
        f"{len(words):,} values are not numbers ({str(first)!r} first)"
    ]
