"""A fitted model from wherever it is: our files, native ones, ONNX, a module."""

from __future__ import annotations

import os
import re
import zipfile
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from caveat.exceptions import DataError, InvalidInput, hint
from caveat.models.files._foreign import (
    OnnxModel,
    catboost_model,
    damaged,
    library,
    lightgbm_model,
    xgboost_model,
)
from caveat.models.files._saved import ABOUT, read_own

_ADDRESS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_PICKLES = (".joblib", ".pkl", ".pickle")


def load(spec: str | os.PathLike[str], *, trust: bool = False) -> Any:
    """Load a fitted model.

    Parameters
    ----------
    spec : path or "module:object"
        A file that `save` wrote; a native file of LightGBM (text), XGBoost (JSON,
        UBJSON) or CatBoost (cbm); ONNX; skops; joblib or pickle; or the address of a
        fitted model, of a function that makes one, or of a function of a table that
        gives its answers.
    trust : bool, default=False
        Pickles, and modules, run code of whoever wrote them: only with this.

    Returns
    -------
    fitted model
        With `predict`, and `predict_proba` if it classifies; or that function.

    Warnings
    --------
    A model in a native file or in ONNX knows its labels as numbers 0, 1, ... unless the
    file names them, and takes the columns that its file names.

    Examples
    --------
    >>> load("statistics:mean")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: 'statistics:mean' would run the code of a module;
    if you trust it, pass trust=True (--trust or, for a module, --allow-import)
    """
    text = os.fspath(spec)
    path = Path(text)
    if not path.exists() and _ADDRESS.fullmatch(text):
        _demand_trust(trust, text, "would run the code of a module")
        return _imported(text)
    if not path.is_file():
        raise DataError(
            f"there is no model at {text!r}; pass the path of a file, or module:object"
        )
    suffix = path.suffix.lower()
    if suffix in _PICKLES:
        _demand_trust(trust, text, "is a pickle, which may run any code")
        return _unpickled(path)
    if suffix == ".skops":
        return _from_skops(path, trust)
    if suffix == ".onnx":
        return OnnxModel(path)
    return _by_content(path)


def _demand_trust(trust: bool, text: str, why: str) -> None:
    if not trust:
        raise InvalidInput(
            f"{text!r} {why}; if you trust it, pass trust=True (--trust or, for a "
            "module, --allow-import)"
        )


def _by_content(path: Path) -> Any:
    with path.open("rb") as file:
        head = file.read(4096)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if ABOUT in archive.namelist():
                return read_own(path)
    elif head.startswith(b"tree\n"):
        return lightgbm_model(path)
    elif head.startswith(b"CBM1"):
        return catboost_model(path)
    elif b"learner" in head and head[:1] == b"{":
        return xgboost_model(path)
    raise DataError(
        f"{str(path)!r} is not a model that caveat can read; it reads its own files, "
        "LightGBM's text, XGBoost's JSON or UBJSON, CatBoost's cbm, ONNX, skops and, "
        "with trust=True (--trust), joblib"
    )


def _imported(address: str) -> Any:
    module, _, name = address.partition(":")
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise InvalidInput(
            f"{address!r} cannot be imported ({error}); check the module's name, and "
            "that its folder is on the path"
        ) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidInput(
                f"{module!r} has nothing called {part!r}; {hint(part, dir(found))}"
            )
        found = getattr(found, part)
    if hasattr(found, "predict") and not isinstance(found, type):
        return found
    if not callable(found) or isinstance(found, type):
        raise InvalidInput(
            f"{address!r} is a {type(found).__name__}, which cannot predict; name a "
            "fitted model, or a function that returns one"
        )
    if _takes_rows(found):
        return found
    try:
        made = found()
    except Exception as error:
        raise InvalidInput(
            f"{address!r} failed ({type(error).__name__}: {error}); name a fitted "
            "model, or a function that returns one"
        ) from error
    if not hasattr(made, "predict"):
        raise InvalidInput(
            f"{address!r} returned a {type(made).__name__}, which cannot predict; let "
            "it return a fitted model"
        )
    return made


def _takes_rows(function: Any) -> bool:
    """Whether a function cannot be called without an argument: a table, then."""
    try:
        known = signature(function).parameters.values()
    except (TypeError, ValueError):  # some compiled functions tell nothing
        return False
    return any(
        one.default is one.empty
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        for one in known
    )


def _unpickled(path: Path) -> Any:
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:
        raise DataError(
            f"{str(path)!r} cannot be read ({type(error).__name__}: {error}); save it "
            "again with the libraries that are installed here"
        ) from error


def _from_skops(path: Path, trust: bool) -> Any:
    skops = library("skops.io", path)
    try:
        strange = skops.get_untrusted_types(file=path)
    except Exception as error:
        raise damaged(path, error) from error
    if strange:
        why = f"holds types that skops does not know ({', '.join(strange)})"
        _demand_trust(trust, str(path), why)
    try:
        found = skops.load(path, trusted=strange)
    except Exception as error:
        raise damaged(path, error) from error
    if not hasattr(found, "predict") or isinstance(found, type):
        raise DataError(
            f"{str(path)!r} holds a {type(found).__name__}, which cannot predict; save "
            "a fitted model"
        )
    return found
