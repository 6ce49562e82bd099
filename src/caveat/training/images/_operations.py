"""The fourteen operations of the strong view, each for a batch of images.

Images are floats (n, c, h, w) with whole values from 0 to 255, and stay so: what lies
between is cut off, as image programs do. Each image has a level of its own, from 0 to
1, that an operation turns into its magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from caveat.training.images._geometry import affine

Operation = Callable[[Tensor, Tensor], Tensor]

#: Weights of red, green and blue in grey, in 65536ths.
GREY = (19595, 38470, 7471)


def identity(x: Tensor, level: Tensor) -> Tensor:
    """Leave images as they are."""
    return x


def autocontrast(x: Tensor, level: Tensor) -> Tensor:
    """Stretch every channel over the whole range."""
    low = x.amin(dim=(2, 3), keepdim=True)
    high = x.amax(dim=(2, 3), keepdim=True)
    scale = 255.0 / (high - low).clamp(min=1.0)
    # A thousandth keeps what should be a whole number from falling below it.
    found = ((x - low) * scale + 1e-3).floor().clamp(0, 255)
    return torch.where(high > low, found, x)


def brightness(x: Tensor, level: Tensor) -> Tensor:
    """Mix with black."""
    return _blend(torch.zeros_like(x), x, level)


def colour(x: Tensor, level: Tensor) -> Tensor:
    """Mix with grey."""
    return _blend(grey(x).expand_as(x), x, level)


def contrast(x: Tensor, level: Tensor) -> Tensor:
    """Mix with the mean grey of the image."""
    mean = (grey(x).mean(dim=(1, 2, 3)) + 0.5).floor()
    return _blend(mean[:, None, None, None].expand_as(x), x, level)


def equalise(x: Tensor, level: Tensor) -> Tensor:
    """Make all values of a channel equally frequent, as far as they allow it."""
    count, channels = x.shape[:2]
    flat = x.long().view(count * channels, -1)
    histogram = torch.zeros(len(flat), 256, dtype=torch.int64, device=x.device)
    histogram.scatter_add_(1, flat, torch.ones_like(flat))
    # The pixels of the largest value are left out of the step.
    last = histogram.gather(1, flat.amax(dim=1, keepdim=True))
    step = (flat.shape[1] - last) // 255
    before = histogram.cumsum(dim=1) - histogram
    table = ((step // 2 + before) // step.clamp(min=1)).clamp(0, 255)
    kept = torch.arange(256, device=x.device).expand_as(table)
    table = torch.where(step > 0, table, kept)
    return table.gather(1, flat).view_as(x).to(x.dtype)


def posterize(x: Tensor, level: Tensor) -> Tensor:
    """Keep the upper 4 to 8 bits of every value."""
    dropped = 8 - (4 + 4 * level).floor()
    unit = torch.pow(2.0, dropped)[:, None, None, None]
    return (x / unit).floor() * unit


def rotate(x: Tensor, level: Tensor) -> Tensor:
    """Turn by up to 30 degrees, either way."""
    angle = (60.0 * level - 30.0) * (math.pi / 180.0)
    cos, sin = angle.cos(), angle.sin()
    v, u = (side / 2 for side in x.shape[2:])
    matrix = torch.stack(
        [cos, sin, u - cos * u - sin * v, -sin, cos, v + sin * u - cos * v], dim=1
    )
    return affine(x, matrix)


def sharpness(x: Tensor, level: Tensor) -> Tensor:
    """Mix with a smoothed image, whose border is left alone."""
    kernel = torch.ones(3, 3, device=x.device)
    kernel[1, 1] = 5.0
    weights = kernel.expand(x.shape[1], 1, 3, 3)
    sums = F.conv2d(x, weights, groups=x.shape[1])
    smooth = x.clone()
    smooth[:, :, 1:-1, 1:-1] = (sums / 13.0 + 0.5).floor()
    return _blend(smooth, x, level)


def shear_x(x: Tensor, level: Tensor) -> Tensor:
    """Slant sideways, by up to 0.3."""
    return affine(x, _matrix(level, b=0.6 * level - 0.3))


def shear_y(x: Tensor, level: Tensor) -> Tensor:
    """Slant up or down, by up to 0.3."""
    return affine(x, _matrix(level, d=0.6 * level - 0.3))


def solarize(x: Tensor, level: Tensor) -> Tensor:
    """Invert values from a threshold on."""
    threshold = (256.0 * level).floor()[:, None, None, None]
    return torch.where(x >= threshold, 255.0 - x, x)


def translate_x(x: Tensor, level: Tensor) -> Tensor:
    """Move sideways, by up to 0.3 of the width."""
    return affine(x, _matrix(level, c=(0.6 * level - 0.3) * x.shape[3]))


def translate_y(x: Tensor, level: Tensor) -> Tensor:
    """Move up or down, by up to 0.3 of the height."""
    return affine(x, _matrix(level, f=(0.6 * level - 0.3) * x.shape[2]))


OPERATIONS: tuple[Operation, ...] = (
    autocontrast,
    brightness,
    colour,
    contrast,
    equalise,
    identity,
    posterize,
    rotate,
    sharpness,
    shear_x,
    shear_y,
    solarize,
    translate_x,
    translate_y,
)


def grey(x: Tensor) -> Tensor:
    """Give one grey channel; images of one channel are grey already."""
    if x.shape[1] != 3:
        return x.mean(dim=1, keepdim=True).floor()
    red, green, blue = x.long().unbind(1)
    total = GREY[0] * red + GREY[1] * green + GREY[2] * blue
    return ((total + 32768) >> 16).to(x.dtype)[:, None]


def apply_drawn(x: Tensor, chosen: Tensor, levels: Tensor) -> Tensor:
    """Apply to every image the operation that was drawn for it.

    Parameters
    ----------
    x : tensor of shape (n, c, h, w)
    chosen : tensor of int64
        Number of the operation in `OPERATIONS`.
    levels : tensor
        From 0 to 1.
    """
    found = x.clone()
    for number, operation in enumerate(OPERATIONS):
        rows = (chosen == number).nonzero()[:, 0]
        if len(rows) and operation is not identity:
            found[rows] = operation(x[rows], levels[rows])
    return found


def _blend(other: Tensor, x: Tensor, level: Tensor) -> Tensor:
    """Mix with 0.05 to 0.95 of the image, the rest of the other."""
    share = (0.05 + 0.9 * level)[:, None, None, None]
    return (other + (x - other) * share).floor().clamp(0, 255)


def _matrix(level: Tensor, **changed: Tensor) -> Tensor:
    """Give maps that change one entry of the identity."""
    one, zero = torch.ones_like(level), torch.zeros_like(level)
    parts = {"a": one, "b": zero, "c": zero, "d": zero, "e": one, "f": zero}
    return torch.stack(list({**parts, **changed}.values()), dim=1)
