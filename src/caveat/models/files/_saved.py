"""A fitted model in a file, without pickle: JSON, arrays, and native files."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from caveat._files import write_whole
from caveat.exceptions import DataError, InvalidInput
from caveat.models._base import TabularModel
from caveat.models._targets import TargetScale
from caveat.models.files._pack import Pack
from caveat.models.registry import MODELS
from caveat.tables import encoder_from, plain_encoder, remember_columns
from caveat.training import from_json, to_json

ABOUT = "caveat-model.json"
_FORMAT = "caveat model 1"


def save(model: TabularModel, path: str | os.PathLike[str]) -> None:
    """Write a fitted model of caveat to a file that holds numbers and text only.

    A zip archive: ``caveat-model.json`` says what it is, arrays are ``.npy``, boosted
    trees are in their library's own format. Nothing in it is code.

    Parameters
    ----------
    model : fitted TabularModel
    path : path
        Replaced if it is there, all at once.

    Warnings
    --------
    Names of columns, levels of categories and labels are in the file, as they were in
    the table; so are the training rows of models that look them up (k-nn, TabR,
    ModernNCA, SAINT, TabPFN, TabICL).

    Examples
    --------
    >>> import os, tempfile
    >>> from caveat.models import load, make_model, save
    >>> path = os.path.join(tempfile.mkdtemp(), "ridge.caveat")
    >>> save(make_model("ridge", "regression").fit([[0.0], [2.0]], [1.0, 3.0]), path)
    >>> load(path).predict([[1.0]]).tolist()
    [2.0]
    """
    name = _name_of(model)
    check_is_fitted(model, "estimator_")
    pack = model._pack()
    about: dict[str, Any] = {
        "format": _FORMAT,
        "model": name,
        "params": _plain_params(model.get_params(deep=False)),
        "encoder": plain_encoder(model.encoder_),
        "learnt": _scalars(model),
        "target": asdict(model.target_scale_),
        "facts": pack.facts,
    }
    if hasattr(model, "classes_"):
        about["classes"] = _plain_labels(model.classes_)
    arrays = {**pack.arrays, "validation_rows": model.validation_rows_}
    _write(Path(path), about, arrays, pack.files)


def read_own(path: Path) -> TabularModel:
    """Read a model that `save` wrote."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = from_json(json.loads(archive.read(ABOUT)))
            arrays, files = _parts(archive)
        if about["format"] != _FORMAT:
            raise DataError(
                f"{str(path)!r} is a {about['format']!r}; this version reads "
                f"{_FORMAT!r} only"
            )
        return _made(about, arrays, files)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError) as error:
        raise DataError(
            f"{str(path)!r} holds no model that can be read ({error}); save it again"
        ) from error


def _made(
    about: dict[str, Any], arrays: dict[str, NDArray[Any]], files: dict[str, bytes]
) -> TabularModel:
    kind = MODELS[about["model"]].load()
    model = kind(**about["params"])
    model.encoder_ = encoder_from(about["encoder"])
    remember_columns(model, model.encoder_)
    if "classes" in about:
        labels = about["classes"]
        model.classes_ = np.array(labels["values"], dtype=np.dtype(labels["dtype"]))
    for name, value in about["learnt"].items():
        setattr(model, name, value)
    model.target_scale_ = TargetScale(**about["target"])
    model.validation_rows_ = arrays.pop("validation_rows")
    model._unpack(Pack(about["facts"], arrays, files))
    return model


def _name_of(model: Any) -> str:
    address = f"{type(model).__module__}:{type(model).__qualname__}"
    for entry in MODELS.values():
        if entry.target == address:
            return entry.name
    raise InvalidInput(
        f"a {type(model).__name__} is none of caveat's models; save it with its own "
        "library"
    )


def _plain_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the parameters that are values; generators and callables go."""
    plain = {}
    for name, value in params.items():
        if isinstance(value, os.PathLike):
            plain[name] = os.fspath(value)
        elif isinstance(value, np.generic):
            plain[name] = value.item()
        elif isinstance(value, Mapping):
            plain[name] = dict(value)
        elif callable(value) or isinstance(value, np.random.RandomState):
            plain[name] = None
        else:
            plain[name] = value
    return plain


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    values = classes.tolist()
    if not all(isinstance(value, str | int | float) for value in values):
        raise InvalidInput(
            f"labels of the type {type(values[0]).__name__} cannot be saved; turn them "
            "into text or numbers before fit"
        )
    return {"dtype": classes.dtype.str, "values": values}


def _scalars(model: TabularModel) -> dict[str, Any]:
    """Collect what was learnt and is a plain number, such as ``n_iter_``."""
    return {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, int | float | str)
    }


def _write(
    target: Path,
    about: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    files: dict[str, bytes],
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(ABOUT, json.dumps(to_json(about), allow_nan=False))
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            archive.writestr(f"arrays/{name}.npy", content.getvalue())
        for name, content_bytes in files.items():
            archive.writestr(f"files/{name}", content_bytes)
    write_whole(target, packed.getvalue())


def _parts(
    archive: zipfile.ZipFile,
) -> tuple[dict[str, NDArray[Any]], dict[str, bytes]]:
    arrays, files = {}, {}
    for name in archive.namelist():
        if name.startswith("arrays/"):
            content = io.BytesIO(archive.read(name))
            place = name.removeprefix("arrays/").removesuffix(".npy")
            arrays[place] = np.load(content, allow_pickle=False)
        elif name.startswith("files/"):
            files[name.removeprefix("files/")] = archive.read(name)
    return arrays, files
