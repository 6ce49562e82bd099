"""From the bytes of a file, whatever its format, to a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets._dataset import Dataset
from caveat.datasets._frame import from_frame
from caveat.datasets.readers._arff import read_arff
from caveat.datasets.readers._arrays import read_arrays
from caveat.datasets.readers._csv import read_csv
from caveat.datasets.readers._idx import pixel_names, read_idx
from caveat.datasets.readers._mat import read_partial_labels
from caveat.datasets.readers._mulan import (
    check_doubled,
    label_positions,
    label_table,
    read_mulan_labels,
)
from caveat.datasets.readers._packed import unpacked
from caveat.datasets.readers._parquet import read_parquet
from caveat.exceptions import DataError, InvalidInput


def parse(
    data: bytes,
    where: str,
    form: str,
    *,
    name: str,
    second: bytes | None = None,
    second_name: str = "",
    **options: Any,
) -> Dataset:
    """Make a data set of a file's bytes; `second` is its companion. See `read`."""
    given = {**_DEFAULTS, **options}
    try:
        if form == "csv":
            return _from_csv(data, where, name, given)
        if form == "parquet":
            return _from_table(read_parquet(data, where), name, given, [])
        if form == "arff":
            return _from_arff(data, where, name, given, second, second_name)
        if form == "mat":
            return _from_mat(data, where, name, given)
        if form == "idx":
            return _from_idx(data, where, name, second, second_name)
        return _from_arrays(data, where, name, given)
    except InvalidInput as error:
        raise DataError(f"{where}: {error}") from error


_DEFAULTS: dict[str, Any] = {
    "target": None,
    "targets": None,
    "kinds": None,
    "task": None,
    "drop": (),
    "groups": None,
    "order": None,
    "separator": None,
    "decimal": None,
    "encoding": None,
    "columns": None,
    "missing": (),
    "labels": None,
    "fields": None,
    "transposed": True,
    "image_size": None,
}


def _from_table(
    frame: pd.DataFrame, name: str, given: Mapping[str, Any], notes: Sequence[str]
) -> Dataset:
    return from_frame(
        frame,
        given["target"],
        targets=given["targets"],
        name=name,
        task=given["task"],
        kinds=given["kinds"],
        drop=given["drop"],
        groups=given["groups"],
        order=given["order"],
        notes=notes,
    )


def _from_csv(data: bytes, where: str, name: str, given: Mapping[str, Any]) -> Dataset:
    named = [given["target"], *(given["targets"] or ())]
    labels = [name for name in named if name is not None]
    codes = [c for c, kind in (given["kinds"] or {}).items() if kind == "categorical"]
    frame, notes = read_csv(
        unpacked(data, where),
        where,
        labels=labels or None,
        text=codes,
        drop=given["drop"],
        separator=given["separator"],
        decimal=given["decimal"],
        encoding=given["encoding"],
        columns=given["columns"],
        missing=given["missing"],
    )
    return _from_table(frame, name, given, notes)


def _from_arff(
    data: bytes,
    where: str,
    name: str,
    given: Mapping[str, Any],
    second: bytes | None,
    second_name: str,
) -> Dataset:
    table = read_arff(data, where, drop=given["drop"])
    labels = given["labels"]
    if second is not None:
        labels = read_mulan_labels(second, second_name)
    one_target = given["target"] is not None or given["targets"] is not None
    positions = None if one_target else label_positions(table, where, labels)
    if positions is None:
        check_doubled([a.name for a in table.header.attributes], where)
        kinds = {**table.kinds(), **(given["kinds"] or {})}
        options = {**given, "kinds": kinds, "drop": ()}
        return _from_table(table.frame(), name, options, table.notes)
    chosen = set(positions)
    features = [j for j in range(len(table.columns)) if j not in chosen]
    X = table.frame(features)
    kinds = {c: k for c, k in table.kinds().items() if c in X.columns}
    return Dataset(
        name=name,
        X=X,
        Y=label_table(table, positions, where),
        task="multilabel",
        kinds={**kinds, **(given["kinds"] or {})},
        groups=given["groups"],
        order=given["order"],
        notes=table.notes,
    )


def _from_mat(data: bytes, where: str, name: str, given: Mapping[str, Any]) -> Dataset:
    found = read_partial_labels(
        data, where, fields=given["fields"], transposed=given["transposed"]
    )
    notes = []
    full = int(found.candidates.all(axis=1).sum())
    if full:
        notes.append(f"{full} rows have every class as candidate: they say nothing")
    never = int((~found.candidates.any(axis=0)).sum())
    if never:
        notes.append(f"{never} classes are never a candidate")
    y = None
    if found.y is not None:
        y = pd.Series(found.y, name="label")
        wrong = float((~found.candidates[np.arange(len(y)), found.y]).mean())
        if wrong:
            notes.append(f"the true label is no candidate in {wrong:.2%} of the rows")
    names = [f"x{j + 1}" for j in range(found.X.shape[1])]
    return Dataset(
        name=name,
        X=pd.DataFrame(found.X, columns=names),
        y=y,
        candidates=found.candidates,
        task="candidates",
        notes=tuple(notes),
    )


def _from_idx(
    data: bytes, where: str, name: str, second: bytes | None, second_name: str
) -> Dataset:
    pixels = read_idx(data, where)
    if second is None:
        raise DataError(
            f"{where} holds no labels; pass labels=, the file that holds them"
        )
    return image_dataset(pixels, read_idx(second, second_name), name, where)


def image_dataset(
    pixels: np.ndarray, labels: Any, name: str, where: str, notes: Sequence[str] = ()
) -> Dataset:
    """Make a data set of images: (items, height, width) or (..., channels)."""
    if pixels.ndim not in (3, 4) or np.ndim(labels) != 1 or len(labels) != len(pixels):
        raise DataError(
            f"{where}: images of shape {pixels.shape} do not go with labels of shape "
            f"{np.shape(labels)}"
        )
    shape = pixels.shape[1:]
    letters = "" if len(shape) == 2 else {3: "rgb"}.get(shape[2], "")
    if len(shape) == 3 and not letters:
        letters = "".join(chr(ord("a") + j) for j in range(min(shape[2], 26)))
    flat = pd.DataFrame(
        pixels.reshape(len(pixels), -1),
        columns=pixel_names(shape[0], shape[1], letters),
    )
    y = pd.Series(labels, name="class")
    return Dataset(
        name=name,
        X=flat,
        y=y,
        task="binary" if y.nunique() <= 2 else "multiclass",
        image_shape=shape,
        notes=tuple(notes),
    )


def parse_folder(folder: Path, name: str, image_size: int | None) -> Dataset:
    """Make a data set of a folder of pictures; see `read`."""
    from caveat.datasets.readers._images import read_image_folder

    if not folder.is_dir():
        raise DataError(f"{folder} is a file; a folder of pictures was expected")
    found = read_image_folder(folder, image_size=image_size)
    return image_dataset(found.pixels, found.labels, name, str(folder), found.notes)


def _from_arrays(
    data: bytes, where: str, name: str, given: Mapping[str, Any]
) -> Dataset:
    arrays = read_arrays(data, where)
    if "X" not in arrays or not {"y", "Y", "candidates"} & set(arrays):
        raise DataError(
            f"{where} holds the arrays {sorted(arrays)}; X and one of y, Y, candidates "
            "are needed"
        )
    X, y = arrays["X"], arrays.get("y")
    if "candidates" in arrays:
        return _with_candidates(arrays, where, name, given)
    if X.ndim in (3, 4) and y is not None:
        return image_dataset(X, y, name, where)
    if X.ndim != 2:
        raise DataError(f"{where}: X has {X.ndim} dimensions; 2, 3 or 4 are expected")
    frame = _numbered(X)
    if "Y" in arrays:
        labels = arrays["Y"]
        tags = pd.DataFrame(
            labels, columns=[f"y{j + 1}" for j in range(labels.shape[1])]
        )
        return Dataset(
            name=name, X=frame, Y=tags, task="multilabel", kinds=given["kinds"]
        )
    if y is None or len(y) != len(frame) or y.ndim != 1:
        raise DataError(f"{where}: y does not have one label per row of X")
    return _from_table(frame.assign(target=y), name, {**given, "target": "target"}, [])


def _numbered(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j + 1}" for j in range(X.shape[1])])


def _with_candidates(
    arrays: Mapping[str, np.ndarray], where: str, name: str, given: Mapping[str, Any]
) -> Dataset:
    """Make a data set of features or images with candidate sets.

    ``n_test`` says how many of the last rows are a test part.
    """
    X, y = arrays["X"], arrays.get("y")
    n_test = arrays.get("n_test", np.zeros((), dtype=int))
    if n_test.size != 1 or not np.issubdtype(n_test.dtype, np.integer):
        raise DataError(f"{where}: n_test is {n_test!r}; one whole number is expected")
    rest: dict[str, Any] = {
        "name": name,
        "y": None if y is None else pd.Series(y, name="label"),
        "candidates": arrays["candidates"],
        "task": "candidates",
        "n_test": int(n_test.reshape(-1)[0]),
    }
    if X.ndim in (3, 4):
        # The labels are for a look only: image_dataset names the columns.
        flat = image_dataset(X, np.zeros(len(X), dtype=int), name, where)
        return Dataset(X=flat.X, image_shape=flat.image_shape, **rest)
    if X.ndim != 2:
        raise DataError(f"{where}: X has {X.ndim} dimensions; 2, 3 or 4 are expected")
    return Dataset(X=_numbered(X), kinds=given["kinds"], **rest)
