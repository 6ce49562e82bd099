"""Images as numbers for a network: bytes until a view is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caveat.exceptions import InvalidInput

Bytes = NDArray[np.uint8]


class ImageEncoder:
    """Check images, put their channels first, and remember how to normalise them.

    Images stay bytes: a network gets numbers when a view of a batch is made. Images
    that use a part of the range only, such as the 0 to 16 of scikit-learn's digits,
    are stretched over all of it.

    Parameters
    ----------
    mean, std : sequence of float, optional
        By channel, of values between 0 and 1; those of the images where not given.

    Attributes
    ----------
    shape_ : (height, width, channels)
    gain_ : int
        What values are multiplied with.
    mean_, std_ : array of float32

    Examples
    --------
    >>> images = np.zeros((5, 4, 4, 3), dtype=np.uint8)
    >>> ImageEncoder().fit(images).transform(images).shape
    (5, 3, 4, 4)
    """

    def __init__(self, mean: Any = None, std: Any = None) -> None:
        self.mean = mean
        self.std = std

    def fit(self, X: Any) -> ImageEncoder:
        """Learn shape, range, mean and deviation from images (n, h, w[, c])."""
        images = as_images(X)
        self.shape_ = tuple(int(side) for side in images.shape[1:])
        self.n_features_in_ = int(np.prod(self.shape_))
        self.gain_ = 255 // max(int(images.max(initial=0)), 1)
        scale = 255.0 / self.gain_
        axes = (0, 1, 2)
        # Summed in integers, so that no copy in double precision is made.
        count = images.size / images.shape[-1]
        mean = images.sum(axis=axes, dtype=np.int64) / count
        squares = np.square(images, dtype=np.int64).sum(axis=axes) / count
        std = np.sqrt(np.maximum(squares - mean**2, 0.0))
        own = mean / scale if self.mean is None else self.mean
        spread = std / scale if self.std is None else self.std
        self.mean_ = np.asarray(own, dtype=np.float32)
        self.std_ = np.maximum(np.asarray(spread, dtype=np.float32), 1e-3)
        return self

    def transform(self, X: Any) -> Bytes:
        """Give images as bytes of the shape (n, c, h, w)."""
        images = as_images(X)
        if images.shape[1:] != self.shape_:
            raise InvalidInput(
                f"images have the shape {images.shape[1:]}, but those in training had "
                f"{self.shape_}; pass images of that shape"
            )
        moved = np.ascontiguousarray(images.transpose(0, 3, 1, 2))
        if self.gain_ == 1:
            return moved
        # An image brighter than all in training is as bright as can be.
        return np.minimum(moved.astype(np.int64) * self.gain_, 255).astype(np.uint8)

    def normalise(self, x: Tensor) -> Tensor:
        """Turn values from 0 to 255 into what the network gets."""
        mean = torch.as_tensor(self.mean_, device=x.device)[:, None, None]
        std = torch.as_tensor(self.std_, device=x.device)[:, None, None]
        return x.to(torch.float32).div_(255.0).sub_(mean).div_(std)


def as_images(X: Any) -> Bytes:
    """Check images: an array (n, h, w) or (n, h, w, c) of whole numbers 0 to 255."""
    images = np.asarray(X)
    if images.ndim == 3:
        images = images[..., None]
    if images.ndim != 4 or images.shape[-1] > 16:
        raise InvalidInput(
            f"images have the shape {np.shape(X)}; pass (n, h, w) or (n, h, w, c), "
            "channels last"
        )
    if not len(images):
        raise InvalidInput("there are 0 images; pass at least one")
    if images.dtype == np.uint8:
        return images
    if not np.issubdtype(images.dtype, np.number):
        raise InvalidInput(f"images are of {images.dtype}; pass whole numbers 0 to 255")
    whole = images.astype(np.uint8)
    if not np.array_equal(whole, images):
        raise InvalidInput(
            "images hold values that are no whole numbers from 0 to 255; pass bytes, "
            "such as np.round(255 * images).astype('uint8') for values up to 1"
        )
    return whole
