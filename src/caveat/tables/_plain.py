"""A fitted encoder as plain values, and back: for files that hold no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.tables._categorical import CategoricalColumn
from caveat.tables._encoder import TableEncoder
from caveat.tables._numerical import NumericalPart

_LEARNT = ("by_name_", "columns_", "kinds_", "numerical_", "categorical_")
_ARRAYS = ("_indicated", "_gap_shares", "_kept_numbers")
_PLACES = ("_indicated", "_kept_numbers")


def plain_encoder(encoder: TableEncoder) -> dict[str, Any]:
    """Turn a fitted encoder into lists, dicts, numbers and text.

    Parameters
    ----------
    encoder : fitted TableEncoder

    Returns
    -------
    dict

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 40, None], "job": ["full", None, "part"]})
    >>> again = encoder_from(plain_encoder(TableEncoder().fit(table)))
    >>> again.transform(table).shape
    (3, 4)
    """
    learnt: dict[str, Any] = {name: getattr(encoder, name) for name in _LEARNT}
    learnt |= {name: getattr(encoder, name).tolist() for name in _ARRAYS}
    learnt["numbers"] = _plain(encoder._part)
    learnt["codes"] = None if encoder._code_part is None else _plain(encoder._code_part)
    learnt["levels"] = [_plain(part) for part in encoder._parts]
    parameters = {name: _value(value) for name, value in encoder.get_params().items()}
    return {"parameters": parameters, "learnt": learnt}


def encoder_from(state: Mapping[str, Any]) -> TableEncoder:
    """Make the encoder again that `plain_encoder` wrote down.

    Parameters
    ----------
    state : mapping

    Returns
    -------
    TableEncoder
    """
    learnt = state["learnt"]
    encoder = TableEncoder(**state["parameters"])
    for name in _LEARNT:
        setattr(encoder, name, learnt[name])
    for name in _ARRAYS:
        kind = np.intp if name in _PLACES else np.float64
        setattr(encoder, name, np.array(learnt[name], dtype=kind))
    encoder._part = _numbers(learnt["numbers"])
    encoder._code_part = None if learnt["codes"] is None else _numbers(learnt["codes"])
    encoder._parts = [
        CategoricalColumn(
            **{**part, "shares": np.array(part["shares"], dtype=np.float64)}
        )
        for part in learnt["levels"]
    ]
    encoder.levels_ = {part.name: list(part.levels) for part in encoder._parts}
    encoder.sizes_ = [part.size for part in encoder._parts]
    encoder.n_features_in_ = len(encoder.columns_)
    if encoder.by_name_:
        encoder.feature_names_in_ = np.array(encoder.columns_, dtype=object)
    return encoder


def _numbers(state: Mapping[str, Any]) -> NumericalPart:
    def floats(name: str) -> NDArray[np.float64]:
        return np.array(state[name], dtype=np.float64)

    constant = np.array(state["constant"], dtype=np.bool_)
    return NumericalPart(floats("fill"), floats("centre"), floats("spread"), constant)


def _plain(part: Any) -> dict[str, Any]:
    return {one.name: _value(getattr(part, one.name)) for one in fields(part)}


def _value(value: Any) -> Any:
    """Give a value without NumPy; levels are numbers or text already."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {_value(key): _value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_value(item) for item in value)
    return value
