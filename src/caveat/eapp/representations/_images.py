"""Images as rows of numbers: centre-cropped to a square, resized, between 0 and 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput

# Up to this side images stay as they are; larger ones become PAPER_SIDE x PAPER_SIDE.
SMALL_SIDE = 32
PAPER_SIDE = 128


def prepare_images(
    images: NDArray[np.generic], image_size: int | str = "auto"
) -> NDArray[np.float32]:
    """Crop, resize, scale and flatten images.

    Parameters
    ----------
    images : ndarray of shape (n, height, width) or (n, height, width, channels)
        Whole numbers, truth values or floats.
    image_size : int or "auto"
        Side of the result. "auto" leaves squares of up to 32 pixels as they are and
        makes all others 128 pixels wide, as the paper does.

    Returns
    -------
    ndarray of float32, shape (n, side * side * channels)

    Examples
    --------
    >>> prepare_images(np.arange(8, dtype=np.uint8).reshape(1, 2, 4) * 30).round(2)
    array([[0.12, 0.24, 0.59, 0.71]], dtype=float32)
    """
    stack = images[..., None] if images.ndim == 3 else images
    square = crop_square(stack)
    side = square.shape[1]
    wanted = _side(image_size, side)
    scaled = _unit_range(square)
    if wanted != side:
        scaled = _resize(scaled, wanted)
    return np.ascontiguousarray(scaled.reshape(len(scaled), -1), dtype=np.float32)


def check_images(images: NDArray[np.generic]) -> None:
    """Refuse what cannot be looked at."""
    if images.dtype.kind not in "biuf":
        raise InvalidInput(
            f"X: images of type {images.dtype}; pass whole numbers, floats or bools"
        )
    if 0 in images.shape:
        raise InvalidInput(f"X: images of shape {images.shape} hold no pixel")
    if images.dtype.kind == "f" and not np.isfinite(images).all():
        where = int(np.argwhere(~np.isfinite(images))[0][0])
        raise InvalidInput(
            f"X: image {where} holds a pixel that is not finite; fill or drop it"
        )


def check_image_size(image_size: int | str) -> None:
    """Refuse a side that is no whole number from 1."""
    if image_size == "auto":
        return
    if not isinstance(image_size, int | np.integer) or image_size < 1:
        raise InvalidInput(
            f"image_size: found {image_size!r}; pass 'auto' or a side in pixels"
        )


def crop_square(stack: NDArray[np.generic]) -> NDArray[np.generic]:
    """Cut the largest square out of the centre."""
    height, width = stack.shape[1:3]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return stack[:, top : top + side, left : left + side]


def resize_weights(size: int, wanted: int) -> NDArray[np.float64]:
    """Weights of the old pixels in every new one, along one axis.

    Bilinear, by a triangle around the new pixel's centre; when shrinking it is as wide
    as a new pixel and its neighbours, so that no old pixel is left out (antialias).
    """
    scale = size / wanted
    reach = max(scale, 1.0)
    centres = (np.arange(wanted) + 0.5) * scale
    away = np.abs(np.arange(size) + 0.5 - centres[:, None]) / reach
    weights = np.maximum(0.0, 1.0 - away)
    return weights / weights.sum(axis=1, keepdims=True)


def _side(image_size: int | str, side: int) -> int:
    if image_size == "auto":
        return side if side <= SMALL_SIDE else PAPER_SIDE
    return int(image_size)


def _unit_range(stack: NDArray[np.generic]) -> NDArray[np.generic]:
    """Scale to 0 .. 1: by the type's range, or by the floats' own if they leave it."""
    if stack.dtype.kind == "b":
        return stack.astype(np.float32)
    if stack.dtype.kind in "iu":
        limits = np.iinfo(stack.dtype)  # type: ignore[type-var]
        # Many libraries widen bytes to 64-bit numbers: then 255 is white, too.
        top = 255 if limits.max > 255 and stack.max() <= 255 else limits.max
        bottom = min(0, int(stack.min()))
        return (stack.astype(np.float32) - bottom) / np.float32(top - bottom)
    floats = stack.astype(np.float64)
    low, high = floats.min(), floats.max()
    if low >= 0.0 and high <= 1.0:
        return floats
    return (floats - low) / (high - low) if high > low else floats * 0.0


def _resize(stack: NDArray[np.generic], wanted: int) -> NDArray[np.float32]:
    weights = resize_weights(stack.shape[1], wanted).astype(np.float32)
    n, channels = len(stack), stack.shape[3]
    result = np.empty((n, wanted, wanted, channels), np.float32)
    for start in range(0, n, 256):
        part = stack[start : start + 256].astype(np.float32).transpose(0, 3, 1, 2)
        result[start : start + 256] = (weights @ part @ weights.T).transpose(0, 2, 3, 1)
    return result
