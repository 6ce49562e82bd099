"""Models in the formats of other libraries, behind `predict` and `predict_proba`."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat._extras import explain
from caveat.exceptions import DataError, InvalidInput
from caveat.models.files._sound_trees import Unsound, check_lightgbm, check_xgboost

Floats = NDArray[np.float64]


def library(name: str, path: Path) -> Any:
    """Import what a file needs, or say in one sentence what installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        missing = explain(error, repr(str(path)))
        if missing is None:
            raise
        raise missing from error


def damaged(path: Path, error: Exception) -> DataError:
    """Say in one line what is wrong with a file: the library's first words."""
    first = next((line for line in str(error).splitlines() if line.strip()), "")
    return DataError(f"{str(path)!r} is damaged ({first.strip()[:160]}); save it again")


class Booster:
    """A LightGBM model as it is in its text: numbers, or probabilities of 0, 1, ...

    Parameters
    ----------
    booster : lightgbm.Booster
    """

    def __init__(self, booster: Any) -> None:
        self.booster = booster
        settings = booster.dump_model(num_iteration=1)
        objective = str(settings.get("objective", "regression")).split()[0]
        self.classifies = objective in ("binary", "multiclass", "multiclassova")
        self.feature_names_in_ = np.array(booster.feature_name(), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        if self.classifies:
            self.classes_ = np.arange(max(2, int(settings["num_class"])))

    def __getattr__(self, name: str) -> Any:
        if name == "predict_proba" and self.__dict__.get("classifies"):
            return self._proba
        raise AttributeError(name)

    def _raw(self, X: Any) -> Floats:
        told = chosen(X, self.feature_names_in_.tolist())
        return np.asarray(self.booster.predict(told, num_threads=1), dtype=np.float64)

    def _proba(self, X: Any) -> Floats:
        found = self._raw(X)
        return np.column_stack([1 - found, found]) if found.ndim == 1 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """Give labels 0, 1, ... or numbers."""
        return self._proba(X).argmax(1) if self.classifies else self._raw(X)


def chosen(X: Any, names: list[str]) -> Any:
    """Take the columns that a model names, if a frame has them."""
    if not isinstance(X, pd.DataFrame):
        return X
    absent = [name for name in names if name not in X.columns]
    if not absent:
        return X[names]
    if len(absent) == len(names) == X.shape[1]:
        return X.to_numpy()
    raise InvalidInput(
        f"the table has no column {absent[0]!r}, which the model was trained with"
    )


def lightgbm_model(path: Path) -> Booster:
    """Read LightGBM's text."""
    lightgbm = library("lightgbm", path)
    try:
        # As it is, byte by byte: LightGBM counts them.
        check_lightgbm(path.read_bytes().decode("utf-8"))
        return Booster(lightgbm.Booster(model_file=str(path)))
    except (Unsound, UnicodeDecodeError, lightgbm.basic.LightGBMError) as error:
        raise damaged(path, error) from error


def xgboost_model(path: Path) -> Any:
    """Read XGBoost's JSON or UBJSON."""
    xgboost = library("xgboost", path)
    booster = xgboost.Booster()
    text = path.read_bytes()
    try:
        if text[1:].lstrip().startswith(b'"'):  # JSON; UBJSON is checked when read
            check_xgboost(json.loads(text))
        booster.load_model(bytearray(text))
        check_xgboost(json.loads(bytes(booster.save_raw("json"))))
    except (Unsound, ValueError, xgboost.core.XGBoostError) as error:
        raise damaged(path, error) from error
    objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
    classify = objective.startswith(("binary:", "multi:"))
    model = xgboost.XGBClassifier() if classify else xgboost.XGBRegressor()
    model.load_model(bytearray(booster.save_raw("ubj")))
    # XGBoost writes trees, not how they were learnt: a fresh fit would be another's.
    model.settings_unknown = True
    return model


def catboost_model(path: Path) -> Any:
    """Read CatBoost's cbm."""
    catboost = library("catboost", path)
    try:
        model = catboost.CatBoost().load_model(str(path))
    except catboost.CatBoostError as error:
        raise damaged(path, error) from error
    loss = str(model.get_all_params().get("loss_function", "RMSE"))
    classify = loss.startswith(("Logloss", "MultiClass", "CrossEntropy"))
    kind = catboost.CatBoostClassifier if classify else catboost.CatBoostRegressor
    return kind().load_model(str(path))


class OnnxModel:
    """A model in ONNX: one input of numbers, or one per column.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: Path) -> None:
        runtime = library("onnxruntime", path)
        try:
            self.session = runtime.InferenceSession(
                str(path), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise damaged(path, error) from error
        self.outputs = [output.name for output in self.session.get_outputs()]

    def _ask(self, X: Any) -> list[Any]:
        inputs = self.session.get_inputs()
        if len(inputs) == 1:
            told = {inputs[0].name: np.asarray(X, dtype=np.float32)}
        else:
            told = {one.name: _column(X[one.name], one.type) for one in inputs}
        return self.session.run(None, told)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the first answer: labels or numbers."""
        return np.asarray(self._ask(X)[0]).ravel()

    def __getattr__(self, name: str) -> Any:
        if name == "predict_proba" and len(self.__dict__.get("outputs", ())) > 1:
            return self._proba
        raise AttributeError(name)

    def _proba(self, X: Any) -> Floats:
        found = self._ask(X)[1]
        if isinstance(found, list):  # a dictionary per row
            found = [list(row.values()) for row in found]
        return np.asarray(found, dtype=np.float64)


def _column(values: pd.Series, kind: str) -> NDArray[Any]:
    types = {"tensor(string)": str, "tensor(int64)": np.int64}
    wanted = types.get(kind, np.float64 if "double" in kind else np.float32)
    return values.to_numpy().astype(wanted)[:, None]
