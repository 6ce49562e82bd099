"""A fitted classifier in a file, without pickle: weights, encoder, classes."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from caveat.candidates._classifier import PartialLabelClassifier, label_array
from caveat.exceptions import CaveatError, DataError, InvalidInput
from caveat.tables import TableEncoder, encoder_from, plain_encoder, remember_columns
from caveat.training import load_tree, save_tree
from caveat.training.images import ImageEncoder

#: What putting forged parts together can raise.
_FORGED = (ValueError, LookupError, TypeError, RuntimeError, AttributeError)
_KIND = "caveat.candidates model 2"
#: Of an image in a file that can be trusted to be one.
LARGEST_SIDE = 4096


def save_model(model: PartialLabelClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a file that holds numbers and text only.

    Parameters
    ----------
    model : fitted PartialLabelClassifier
    path : path
        Replaced if it is there, all at once.

    Warnings
    --------
    Names of columns, levels of categorical columns and names of classes are in the
    file, as they were in the table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from caveat.candidates import load_model, save_model
    >>> X, sets = [[0.0], [0.2], [1.0], [3.0]], [{"a"}, {"a", "b"}, {"b"}, {"c"}]
    >>> model = PartialLabelClassifier(hidden=(8,), max_steps=100, random_state=0)
    >>> file = Path(tempfile.mkdtemp()) / "model.caveat"
    >>> save_model(model.fit(X, sets), file)
    >>> load_model(file).predict([[0.1], [2.9]]).tolist()
    ['a', 'c']
    """
    if not hasattr(model, "network_"):
        raise InvalidInput("the model is not fitted; fit it before it is saved")
    parameters = model.get_params()
    if not isinstance(parameters["random_state"], int | None):
        parameters["random_state"] = None
    for name in ("algorithm", "network"):
        # Code is not written down: whoever loads the model brings it.
        if callable(parameters[name]):
            parameters[name] = None
    save_tree(
        path,
        {
            "kind": _KIND,
            "parameters": parameters,
            "own code": {
                name: _spelt(getattr(model, name)) for name in ("algorithm", "network")
            },
            "classes": model.classes_.tolist(),
            "encoder": _plain(model.encoder_),
            "shape": list(model.item_shape_),
            "weights": {
                name: weight.detach().cpu()
                for name, weight in model.network_.state_dict().items()
            },
        },
    )


def _spelt(given: Any) -> str | None:
    if not callable(given):
        return None
    kind = given if hasattr(given, "__qualname__") else type(given)
    return f"{kind.__module__}:{kind.__qualname__}"


def _plain(encoder: Any) -> dict[str, Any]:
    """Give an encoder as numbers and text."""
    if isinstance(encoder, ImageEncoder):
        return {
            "image": {
                "shape": list(encoder.shape_),
                "gain": encoder.gain_,
                "mean": encoder.mean_.tolist(),
                "std": encoder.std_.tolist(),
            }
        }
    if not isinstance(encoder, TableEncoder):
        raise InvalidInput(
            f"the model was fitted with a {type(encoder).__name__} of yours; only a "
            "TableEncoder or an ImageEncoder can be written down"
        )
    return plain_encoder(encoder)


def load_model(
    path: str | os.PathLike[str], *, algorithm: Any = None, network: Any = None
) -> PartialLabelClassifier:
    """Read a classifier that `save_model` wrote; anything else is refused.

    Parameters
    ----------
    path : path
    algorithm : subclass of Algorithm, optional
        For a model with an algorithm of one's own: a file holds no code.
    network : callable, optional
        For a model with a network of one's own: the factory that made it.

    Returns
    -------
    PartialLabelClassifier
        Fitted: it predicts what the saved one did.
    """
    state: Any = load_tree(path)
    if not isinstance(state, dict) or state.get("kind") != _KIND:
        raise DataError(
            f"{str(path)!r} holds no model of candidate labels; pass a file that "
            "save_model wrote"
        )
    try:
        _bring(state, {"algorithm": algorithm, "network": network})
        return _restored(state)
    except MissingCode as error:
        raise InvalidInput(f"{str(path)!r} {error}") from None
    except (CaveatError, *_FORGED) as error:
        raise DataError(
            f"{str(path)!r} holds a model whose parts do not fit one another "
            f"({type(error).__name__}); pass a file as save_model wrote it"
        ) from error


class MissingCode(Exception):
    """A model needs code that its file does not hold."""


def _bring(state: dict[str, Any], code: dict[str, Any]) -> None:
    """Put the caller's own code in place of what could not be written down."""
    for name, given in code.items():
        spelt = state["own code"][name]
        if spelt is not None and given is None:
            raise MissingCode(
                f"was fitted with the {name} {spelt}, and a file holds no code; pass "
                f"load_model(..., {name}=...)"
            )
        if spelt is not None:
            state["parameters"][name] = given


def _restored(state: dict[str, Any]) -> PartialLabelClassifier:
    """Put a model together, and try it on a row: a digest does not make parts fit."""
    model = PartialLabelClassifier(**state["parameters"])
    model.encoder_ = _encoder_from(state["encoder"])
    remember_columns(model, model.encoder_)
    model.classes_ = label_array(tuple(state["classes"]))
    shape, classes = tuple(state["shape"]), len(model.classes_)
    if not model._is_image_model and len(shape) != 1:
        raise InvalidInput("the shape is no table's")
    if model.network is None and not model._is_image_model:
        sizes = [shape[0], *model.hidden, classes]
        wanted = sum(a * b + b for a, b in pairwise(sizes))
        if wanted != sum(weight.numel() for weight in state["weights"].values()):
            # Looked at first: a forged size could ask for all the memory there is.
            raise InvalidInput("the weights do not fit the layers")
    model.network_ = model._make_network(shape, classes, 0)
    model.network_.load_state_dict(state["weights"])
    model.network_.eval()
    model.predict(_one_item(model.encoder_))
    return model


def _encoder_from(state: dict[str, Any]) -> Any:
    if "image" not in state:
        return encoder_from(state)
    found = state["image"]
    encoder = ImageEncoder()
    encoder.shape_ = tuple(int(side) for side in found["shape"])
    if len(encoder.shape_) != 3 or max(encoder.shape_) > LARGEST_SIDE:
        raise InvalidInput("the shape is no image's")
    encoder.n_features_in_ = int(np.prod(encoder.shape_))
    encoder.gain_ = int(found["gain"])
    encoder.mean_ = np.array(found["mean"], dtype=np.float32)
    encoder.std_ = np.array(found["std"], dtype=np.float32)
    if not len(encoder.mean_) == len(encoder.std_) == encoder.shape_[2]:
        raise InvalidInput("the means do not fit the channels")
    return encoder


def _one_item(encoder: Any) -> Any:
    if isinstance(encoder, ImageEncoder):
        return np.zeros((1, *encoder.shape_), dtype=np.uint8)
    row = pd.DataFrame([[None] * len(encoder.columns_)])
    named = row.set_axis(encoder.columns_, axis=1)
    return named if encoder.by_name_ else row
