"""A folder of pictures as one file, so that one digest can vouch for all of it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from caveat.datasets.readers._images import read_image_folder


def packed_folder(folder: Path, image_size: int | None) -> bytes:
    """Read a folder of pictures and pack pixels and class names into an npz file."""
    found = read_image_folder(folder, image_size=image_size)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=found.pixels, y=np.array(found.labels, dtype=str))
    return buffer.getvalue()
