"""A fitted classifier in a file, without pickle: weights, encoder, classes."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import pandas as pd

from caveat.candidates._classifier import PartialLabelClassifier, label_array
from caveat.exceptions import CaveatError, DataError, InvalidInput
from caveat.tables import TableEncoder, encoder_from, plain_encoder
from caveat.training import load_tree, mlp, save_tree

#: What putting forged parts together can raise.
_FORGED = (ValueError, LookupError, TypeError, RuntimeError, AttributeError)
_KIND = "caveat.candidates model 1"


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
    if not isinstance(model.encoder_, TableEncoder):
        raise InvalidInput(
            f"the model was fitted with a {type(model.encoder_).__name__} of yours; "
            "only a TableEncoder can be written down"
        )
    parameters = model.get_params()
    if not isinstance(parameters["random_state"], int | None):
        parameters["random_state"] = None
    save_tree(
        path,
        {
            "kind": _KIND,
            "parameters": parameters,
            "classes": model.classes_.tolist(),
            "encoder": plain_encoder(model.encoder_),
            "inputs": int(model.network_[0].in_features),
            "weights": {
                name: weight.detach().cpu()
                for name, weight in model.network_.state_dict().items()
            },
        },
    )


def load_model(path: str | os.PathLike[str]) -> PartialLabelClassifier:
    """Read a classifier that `save_model` wrote; anything else is refused.

    Parameters
    ----------
    path : path

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
        return _restored(state)
    except (CaveatError, *_FORGED) as error:
        raise DataError(
            f"{str(path)!r} holds a model whose parts do not fit one another "
            f"({type(error).__name__}); pass a file as save_model wrote it"
        ) from error


def _restored(state: dict[str, Any]) -> PartialLabelClassifier:
    """Put a model together, and try it on a row: a digest does not make parts fit."""
    model = PartialLabelClassifier(**state["parameters"])
    model.encoder_ = encoder_from(state["encoder"])
    model._remember_columns()
    model.classes_ = label_array(tuple(state["classes"]))
    sizes = [state["inputs"], *model.hidden, len(model.classes_)]
    wanted = sum(a * b + b for a, b in pairwise(sizes))
    if wanted != sum(weight.numel() for weight in state["weights"].values()):
        # Looked at first: a forged size could ask for all the memory there is.
        raise InvalidInput("the weights do not fit the layers")
    model.network_ = mlp(state["inputs"], model.hidden, len(model.classes_), seed=0)
    model.network_.load_state_dict(state["weights"])
    row = pd.DataFrame([[None] * len(model.encoder_.columns_)])
    named = row.set_axis(model.encoder_.columns_, axis=1)
    model.predict(named if model.encoder_.by_name_ else row)
    return model
