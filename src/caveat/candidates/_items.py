"""The items that a classifier gets: rows of a table, or images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.datasets import Dataset
from caveat.exceptions import InvalidInput
from caveat.tables import TableEncoder
from caveat.training.images import ImageEncoder


def items_of(X: Any) -> Any:
    """Give the images or the table of a data set; anything else as it is."""
    if not isinstance(X, Dataset):
        return X
    return X.X if X.image_shape is None else X.images


def are_images(X: Any) -> bool:
    """Tell whether items are images: an array of more than two dimensions."""
    if isinstance(X, list | tuple):
        try:
            return np.ndim(X) > 2  # type: ignore[arg-type]
        except ValueError:  # rows of different lengths
            return False
    return getattr(X, "ndim", 0) > 2


def fitted_encoder(X: Any) -> TableEncoder | ImageEncoder:
    """Fit what turns items into numbers: by their kind."""
    if are_images(X):
        return ImageEncoder().fit(X)
    return TableEncoder(dtype="float32").fit(X)


def encode(encoder: Any, X: Any) -> NDArray:
    """Turn items into what a network is trained on: floats, or bytes of images."""
    items = items_of(X)
    if isinstance(encoder, ImageEncoder):
        return encoder.transform(items)
    if are_images(items):
        raise InvalidInput(
            f"the items have the shape {np.shape(items)}, but the model learnt from a "
            "table; pass (n_items, n_columns)"
        )
    encoded = np.asarray(encoder.transform(items), dtype=np.float64)
    if not len(encoded):
        raise InvalidInput("the table has 0 rows; pass at least one")
    # The standardised number of an absurd cell must not overflow a float32.
    return np.clip(encoded, -1e15, 1e15).astype(np.float32)


class Normalised(nn.Module):
    """A network that is asked about bytes."""

    def __init__(self, encoder: ImageEncoder, network: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        """Normalise, then answer."""
        return self.network(self.encoder.normalise(x))
