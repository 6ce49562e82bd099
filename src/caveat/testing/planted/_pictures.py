"""Pictures of two classes, and ways in which one class was taken unlike the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SIDE = 32
CLASSES = ("discs", "bars")


def write_pictures(
    folder: Path, rng: np.random.Generator, many: int, bias: str, strength: float
) -> None:
    """Write a folder per class: discs and bars on noise.

    Parameters
    ----------
    folder : Path
    rng : Generator
    many : int
        Pictures per class.
    bias : {"", "brightness", "border", "compression", "width"}
        What the second class has and the first has not.
    strength : float
        From 0 to 1.
    """
    for number, label in enumerate(CLASSES):
        place = folder / label
        place.mkdir(parents=True)
        for one in range(many):
            pixels = _drawn(rng, number)
            width, quality = _SIDE, 90
            if number == 1 and bias == "brightness":
                pixels = pixels + 90 * strength
            if number == 1 and bias == "border":
                pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:] = (
                    255 * strength + (1 - strength) * part
                    for part in (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:])
                )
            if bias == "compression":
                quality = 90 - int(70 * strength * number)
            if bias == "width":
                width = _SIDE + int(16 * strength * number)
            picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
            if width != _SIDE:
                picture = picture.resize((width, _SIDE))
            name = f"{rng.integers(10**9):09d}-{one}.jpg"
            picture.save(place / name, quality=quality)


def _drawn(rng: np.random.Generator, label: int) -> NDArray[np.float64]:
    x, y = np.meshgrid(np.arange(_SIDE), np.arange(_SIDE))
    a, b = rng.uniform(10, 22, 2)
    size = rng.uniform(4, 7)
    if label == 0:
        shape = (x - a) ** 2 + (y - b) ** 2 < size**2
    else:
        # As large as a disc on average, so that brightness tells nothing.
        shape = (np.abs(x - a) < 0.45 * size) & (np.abs(y - b) < 1.75 * size)
    ground = rng.uniform(60, 120)
    return np.asarray(ground + 60 * shape + rng.normal(0, 12, (_SIDE, _SIDE)))
