"""Where the pixels of an image come from: flips, crops, affine maps, cut-outs.

All on batches (n, c, h, w) of floats from 0 to 255; every image has its own numbers.
"""

from __future__ import annotations

import torch
from torch import Tensor


def flip(x: Tensor, chosen: Tensor) -> Tensor:
    """Mirror the chosen images left to right."""
    return torch.where(chosen[:, None, None, None], x.flip(3), x)


def padded_crop(x: Tensor, top: Tensor, left: Tensor, padding: int) -> Tensor:
    """Put a black frame around every image, and cut one of its size out.

    Parameters
    ----------
    x : tensor of shape (n, c, h, w)
    top, left : tensor of int64
        Corner of the cut, from 0 to twice the padding.
    padding : int
    """
    height, width = x.shape[2:]
    rows = top[:, None] + torch.arange(height, device=x.device) - padding
    columns = left[:, None] + torch.arange(width, device=x.device) - padding
    found = _taken(x, rows.clamp(0, height - 1), columns.clamp(0, width - 1))
    inside = _within(rows, height)[:, :, None] & _within(columns, width)[:, None, :]
    return found * inside[:, None]


def resized_crop(x: Tensor, box: Tensor) -> Tensor:
    """Cut a rectangle out of every image and enlarge it to the whole size.

    Linear interpolation between the centres of pixels; at the edge of the rectangle
    its last pixel counts.

    Parameters
    ----------
    x : tensor of shape (n, c, h, w)
    box : tensor of int64 and shape (n, 4)
        Top, left, height, width.
    """
    top, left, height, width = box.unbind(1)
    found = _stretched(x, top, height, 2)
    return _stretched(found, left, width, 3)


def _stretched(x: Tensor, start: Tensor, length: Tensor, dim: int) -> Tensor:
    """Interpolate along one dimension."""
    size = x.shape[dim]
    steps = torch.arange(size, device=x.device) + 0.5
    place = steps * (length[:, None] / size) - 0.5
    place = place.clamp(min=0.0).minimum(length[:, None] - 1.0)
    low = place.floor()
    share = place - low
    first = (start[:, None] + low).long()
    second = (start[:, None] + (low + 1).minimum(length[:, None] - 1.0)).long()
    shape = [len(x), 1, 1, 1]
    shape[dim] = size
    before, after = (
        x.gather(dim, spots.view(shape).expand(_like(x, dim, size)))
        for spots in (first, second)
    )
    return before + (after - before) * share.view(shape)


def _like(x: Tensor, dim: int, size: int) -> tuple[int, ...]:
    shape = list(x.shape)
    shape[dim] = size
    return tuple(shape)


def affine(x: Tensor, matrix: Tensor) -> Tensor:
    """Give every pixel the value at its place under a map; outside is black.

    Parameters
    ----------
    x : tensor of shape (n, c, h, w)
    matrix : tensor of shape (n, 6)
        a, b, c, d, e, f: a pixel with its centre at (u, v) shows what is at (a u + b v
        + c, d u + e v + f). The nearest pixel counts.
    """
    height, width = x.shape[2:]
    u = torch.arange(width, device=x.device, dtype=matrix.dtype)[None, None, :] + 0.5
    v = torch.arange(height, device=x.device, dtype=matrix.dtype)[None, :, None] + 0.5
    a, b, c, d, e, f = (part[:, None, None] for part in matrix.unbind(1))
    column = (a * u + b * v + c).floor().long()
    row = (d * u + e * v + f).floor().long()
    inside = _within(row, height) & _within(column, width)
    place = row.clamp(0, height - 1) * width + column.clamp(0, width - 1)
    flat = place.flatten(1)[:, None].expand(-1, x.shape[1], -1)
    return x.flatten(2).gather(2, flat).view_as(x) * inside[:, None]


def cut_out(x: Tensor, box: Tensor, fill: Tensor) -> Tensor:
    """Paint a rectangle of every image over.

    Parameters
    ----------
    x : tensor of shape (n, c, h, w)
    box : tensor of int64 and shape (n, 4)
        First row, first column, and those after the last.
    fill : tensor of shape (c,)
    """
    top, left, bottom, right = (part[:, None] for part in box.unbind(1))
    rows = torch.arange(x.shape[2], device=x.device)
    columns = torch.arange(x.shape[3], device=x.device)
    high = (rows >= top) & (rows < bottom)
    wide = (columns >= left) & (columns < right)
    hidden = high[:, None, :, None] & wide[:, None, None, :]
    return torch.where(hidden, fill[:, None, None], x)


def _taken(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Take rows and columns of every image."""
    height, width = x.shape[2:]
    found = x.gather(2, rows[:, None, :, None].expand(-1, x.shape[1], -1, width))
    return found.gather(3, columns[:, None, None, :].expand(-1, x.shape[1], height, -1))


def _within(places: Tensor, size: int) -> Tensor:
    return (places >= 0) & (places < size)
