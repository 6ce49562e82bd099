"""What can be told of pictures without looking at what they show."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from caveat.datasets._files import existing
from caveat.datasets.readers._images import FORMATS, pictures_of
from caveat.exceptions import DataError

_SIDE = 64
_HASH_SIDE = 16
_NUMBER = re.compile(r"(\d{1,15})\D*$")


def picture_facts(folder: str | Path) -> pd.DataFrame:
    """Describe every picture of a folder that holds a folder per class.

    Parameters
    ----------
    folder : path

    Returns
    -------
    DataFrame
        One row per picture, in the order of classes and names: ``class``, ``file``;
        ``width``, ``height``, ``mode``, ``format``, ``bytes per pixel``,
        ``brightness``, ``contrast``, ``border brightness``, ``border contrast``,
        ``colour``, ``number in name``; ``digest`` (of the pixels) and ``outline``
        (256 signs of brightness going up or down, which survive resizing and
        compression).

    Warnings
    --------
    Classes may differ in brightness or size for good reasons. Whether they should,
    only you know.
    """
    place = existing(folder)
    if not place.is_dir():
        raise DataError(
            f"{place} is not a folder; pass one that holds a folder per class"
        )
    rows = [_facts(path, label) for path, label in pictures_of(place)]
    return pd.DataFrame(rows)


def _facts(path: Path, label: str) -> dict[str, Any]:
    try:
        with Image.open(path, formats=FORMATS) as picture:
            mode, form = picture.mode, str(picture.format)
            width, height = picture.size
            whole = picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(f"{path} cannot be read as a picture: {error}") from error
    small = np.asarray(
        whole.resize((_SIDE, _SIDE), Image.Resampling.BILINEAR), dtype=np.float64
    )
    grey = small.mean(axis=2)
    inside = np.zeros(grey.shape, dtype=bool)
    inside[3:-3, 3:-3] = True
    edge = grey[~inside]
    number = _NUMBER.search(path.stem)
    return {
        "class": label,
        "file": path.name,
        "width": width,
        "height": height,
        "mode": mode,
        "format": form,
        "bytes per pixel": path.stat().st_size / (width * height),
        "brightness": grey.mean(),
        "contrast": grey.std(),
        "border brightness": edge.mean(),
        "border contrast": edge.std(),
        "colour": float(small.std(axis=2).mean()),
        "number in name": float(number.group(1)) if number else np.nan,
        "digest": hashlib.sha256(np.asarray(whole).tobytes()).hexdigest(),
        "outline": _outline(whole).tobytes(),
    }


def _outline(picture: Any) -> NDArray[np.uint8]:
    """Pack whether brightness goes up from each of 16 x 16 places to the next."""
    size = (_HASH_SIDE + 1, _HASH_SIDE)
    grey = np.asarray(
        picture.convert("L").resize(size, Image.Resampling.BOX), dtype=np.int16
    )
    return np.packbits(grey[:, 1:] > grey[:, :-1])
