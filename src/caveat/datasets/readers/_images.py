"""A folder of pictures, a folder per class inside it."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caveat.datasets._files import entries_of
from caveat.exceptions import DataError, listing

# Formats that are decoded by Pillow itself, without calling other programs.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "PPM", "WEBP")
_ENDINGS = frozenset(
    f".{ending}"
    for ending in (
        "png",
        "jpg",
        "jpeg",
        "bmp",
        "gif",
        "tif",
        "tiff",
        "ppm",
        "pgm",
        "webp",
    )
)
_MOST_BYTES = 8 * 2**30


@dataclass(frozen=True)
class Pictures:
    """Pictures of one size, (items, height, width) or (..., 3), and their classes."""

    pixels: NDArray[np.uint8]
    labels: list[str]
    notes: tuple[str, ...]


class PicturesDiffer(DataError):
    """Pictures of one table have several sizes; `smallest` is their shortest side."""

    def __init__(self, message: str, *, smallest: int) -> None:
        super().__init__(message)
        self.smallest = smallest


def read_image_folder(folder: Path, *, image_size: int | None = None) -> Pictures:
    """Read a folder that holds a folder of pictures for every class.

    Parameters
    ----------
    folder : Path
    image_size : int, optional
        Cut every picture to its largest central square and resize it (bilinear,
        smoothed when it shrinks). Without it, all pictures must have the same size.

    Returns
    -------
    Pictures
        Grey if every picture is grey, else red, green, blue.
    """
    if image_size is not None and image_size < 1:
        raise DataError(f"image_size is {image_size}; it must be at least 1")
    found = pictures_of(folder)
    notes: list[str] = []
    arrays = [_pixels(path, image_size, notes) for path, _ in found]
    coloured = any(array.ndim == 3 for array in arrays)
    if coloured and not all(array.ndim == 3 for array in arrays):
        notes.append(
            "some pictures are grey, others coloured: all are read as coloured"
        )
        arrays = [
            array if array.ndim == 3 else np.repeat(array[..., None], 3, axis=2)
            for array in arrays
        ]
    sizes = {
        array.shape[:2]: path for array, (path, _) in zip(arrays, found, strict=True)
    }
    if len(sizes) > 1:
        (first, one), (second, two) = list(sizes.items())[:2]
        raise PicturesDiffer(
            f"pictures differ in size: {one.name} is {first[0]} x {first[1]}, "
            f"{two.name} is {second[0]} x {second[1]}; pass image_size= to cut and "
            "resize them",
            smallest=min(min(size) for size in sizes),
        )
    if sum(array.nbytes for array in arrays) > _MOST_BYTES:
        raise DataError(f"{folder} holds too many pixels; pass a smaller image_size=")
    labels = [label for _, label in found]
    return Pictures(np.stack(arrays), labels, tuple(dict.fromkeys(notes)))


def pictures_of(folder: Path) -> list[tuple[Path, str]]:
    """List every picture with its class, the name of its folder."""
    classes = [
        entry
        for entry in entries_of(folder)
        if entry.is_dir() and not entry.name.startswith(".")
    ]
    if not classes:
        raise DataError(
            f"{folder} holds no folders; put the pictures of each class into a folder "
            "of the class's name"
        )
    found = [(path, entry.name) for entry in classes for path in _pictures(entry)]
    empty = sorted({entry.name for entry in classes} - {label for _, label in found})
    if empty:
        raise DataError(f"{folder}: no pictures in {listing(empty)}")
    return found


def _pictures(folder: Path) -> list[Path]:
    return [
        path
        for path in entries_of(folder, deep=True)
        if path.is_file()
        and path.suffix.lower() in _ENDINGS
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def _pixels(path: Path, size: int | None, notes: list[str]) -> NDArray[np.uint8]:
    try:
        with warnings.catch_warnings():
            # Pillow warns before it refuses pictures that are made to eat memory.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as picture:
                plain = _plain(picture, notes)
                return np.asarray(plain if size is None else _square(plain, size))
    except (
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise DataError(f"{path} cannot be read as a picture: {error}") from error


def _plain(picture: Any, notes: list[str]) -> Any:
    if picture.mode in ("L", "RGB"):
        return picture.copy()
    if picture.mode in ("1", "LA", "I;16", "I", "F"):
        if picture.mode in ("I;16", "I", "F"):
            raise ValueError(f"more than 8 bits a pixel ({picture.mode}); convert it")
        return picture.convert("L")
    if "A" in picture.getbands():
        notes.append("transparency was left out")
    return picture.convert("RGB")


def _square(picture: Any, size: int) -> Any:
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    cut = picture.crop((left, top, left + side, top + side))
    if side == size:
        return cut
    return cut.resize((size, size), Image.Resampling.BILINEAR)


def packed_folder(folder: Path, image_size: int | None) -> bytes:
    """Read a folder of pictures and pack pixels and class names into an npz file."""
    found = read_image_folder(folder, image_size=image_size)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=found.pixels, y=np.array(found.labels, dtype=str))
    return buffer.getvalue()
