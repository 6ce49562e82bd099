"""Views of images for the training loop: plain, weak, strong and distill."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor

from caveat.training._views import View
from caveat.training.images._encoder import ImageEncoder
from caveat.training.images._geometry import (
    cut_out,
    flip,
    padded_crop,
    resized_crop,
)
from caveat.training.images._operations import OPERATIONS, apply_drawn

#: Operations in a row of the strong view, the smallest area of a crop, its sides.
ROUNDS, SMALLEST, RATIOS, ATTEMPTS = 3, 0.2, (3 / 4, 4 / 3), 10
GREY = (125.0, 123.0, 114.0)


def image_views(encoder: ImageEncoder, *, flips: bool = True) -> dict[str, View]:
    """Make the views that an objective can ask for.

    Each takes bytes (n, c, h, w) and a generator, and gives normalised floats.

    - plain: the image.
    - weak: mirrored or not, and a cut of its size out of a black frame an eighth of
      its side wide.
    - strong: a rectangle of a fifth to all of the area, enlarged; mirrored or not;
      three of fourteen operations; a grey square of up to half the side.
    - distill: a rectangle as before; mirrored or not; a black square of half the side.

    Parameters
    ----------
    encoder : fitted ImageEncoder
    flips : bool, default=True
        Whether a mirrored image shows the same thing; not so for letters and digits.

    Returns
    -------
    dict of str to callable

    Examples
    --------
    >>> import numpy as np
    >>> images = np.random.default_rng(0).integers(0, 256, (4, 8, 8, 3), np.uint8)
    >>> encoder = ImageEncoder().fit(images)
    >>> x = torch.as_tensor(encoder.transform(images))
    >>> views = image_views(encoder)
    >>> views["strong"](x, torch.Generator().manual_seed(0)).shape
    torch.Size([4, 3, 8, 8])
    """

    def plain(x: Tensor, generator: Generator) -> Tensor:
        return encoder.normalise(x)

    def weak(x: Tensor, generator: Generator) -> Tensor:
        moved = _mirrored(x, generator, flips)
        padding = max(1, x.shape[3] // 8)
        top, left = (
            torch.randint(2 * padding + 1, (len(x),), **_by(x, generator))
            for _ in range(2)
        )
        return encoder.normalise(padded_crop(moved, top, left, padding))

    def strong(x: Tensor, generator: Generator) -> Tensor:
        found = resized_crop(x.to(torch.float32), _boxes(x, generator)).round()
        found = _mirrored(found, generator, flips)
        for _ in range(ROUNDS):
            chosen = torch.randint(len(OPERATIONS), (len(x),), **_by(x, generator))
            levels = torch.rand(len(x), **_by(x, generator))
            found = apply_drawn(found, chosen, levels)
        fill = torch.tensor(GREY, device=x.device)
        fill = fill if x.shape[1] == 3 else fill.mean().floor().expand(x.shape[1])
        return encoder.normalise(cut_out(found, _squares(x, generator), fill))

    def distill(x: Tensor, generator: Generator) -> Tensor:
        found = resized_crop(x.to(torch.float32), _boxes(x, generator))
        found = _mirrored(found, generator, flips)
        black = torch.zeros(x.shape[1], device=x.device)
        return encoder.normalise(cut_out(found, _holes(x, generator), black))

    return {"plain": plain, "weak": weak, "strong": strong, "distill": distill}


def _by(x: Tensor, generator: Generator) -> dict[str, Any]:
    return {"generator": generator, "device": x.device}


def _mirrored(x: Tensor, generator: Generator, flips: bool) -> Tensor:
    if not flips:
        return x
    return flip(x, torch.rand(len(x), **_by(x, generator)) < 0.5)


def _boxes(x: Tensor, generator: Generator) -> Tensor:
    """Draw rectangles: the first of ten that fits; the whole image if none does."""
    count, (height, width) = len(x), x.shape[2:]
    shape = (ATTEMPTS, count)
    area = (
        height
        * width
        * (SMALLEST + (1 - SMALLEST) * torch.rand(shape, **_by(x, generator)))
    )
    low, high = (torch.tensor(ratio).log().item() for ratio in RATIOS)
    ratio = (low + (high - low) * torch.rand(shape, **_by(x, generator))).exp()
    wide, tall = (area * ratio).sqrt().round(), (area / ratio).sqrt().round()
    fits = (wide >= 1) & (tall >= 1) & (wide <= width) & (tall <= height)
    first = fits.int().argmax(dim=0)
    any_fits = fits.any(dim=0)
    own = torch.arange(count, device=x.device)
    w = torch.where(any_fits, wide[first, own], float(width))
    h = torch.where(any_fits, tall[first, own], float(height))
    top = (torch.rand(count, **_by(x, generator)) * (height - h + 1)).floor()
    left = (torch.rand(count, **_by(x, generator)) * (width - w + 1)).floor()
    return torch.stack([top, left, h, w], dim=1).long()


def _squares(x: Tensor, generator: Generator) -> Tensor:
    """Draw the grey squares, as the benchmark's code places them.

    Its left and upper edges are moved inside before the side is added, so a square is
    cut at the right and below only; and it is one pixel larger than its side.
    """
    height, width = x.shape[2:]
    side = 0.5 * torch.rand(len(x), **_by(x, generator)) * width
    edges = []
    for size in (height, width):
        centre = torch.rand(len(x), **_by(x, generator)) * size
        first = (centre - side / 2).clamp(min=0).floor()
        last = (first + side).clamp(max=size).floor() + 1
        edges.append((first, last))
    (top, bottom), (left, right) = edges
    return torch.stack([top, left, bottom, right], dim=1).long()


def _holes(x: Tensor, generator: Generator) -> Tensor:
    """Draw black squares of half the side around any pixel, cut at the edges."""
    edges = []
    for size in x.shape[2:]:
        centre = torch.randint(size, (len(x),), **_by(x, generator))
        edges.append((centre - size // 4, centre + size // 4))
    (top, bottom), (left, right) = edges
    return torch.stack([top, left, bottom, right], dim=1)
