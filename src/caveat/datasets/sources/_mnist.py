"""MNIST, whole or its test part, and the task of the EAPP paper."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from caveat.datasets._dataset import Dataset
from caveat.datasets._parse import image_dataset
from caveat.datasets.readers._idx import read_idx


def load_mnist(files: Mapping[str, bytes], *, eights: bool = False) -> Dataset:
    """Load MNIST from its IDX files: training images first, where they are given.

    Parameters
    ----------
    files : mapping
        ``train-*`` and ``t10k-*``, or the latter alone.
    eights : bool
        Keep the digits 1, 7 and 8, and tell 8 from the other two.
    """
    parts = [
        part for part in ("train", "t10k") if f"{part}-images-idx3-ubyte.gz" in files
    ]
    pixels = np.concatenate(
        [_read(files, f"{part}-images-idx3-ubyte.gz") for part in parts]
    )
    digits = np.concatenate(
        [_read(files, f"{part}-labels-idx1-ubyte.gz") for part in parts]
    ).astype(np.int64)
    if not eights:
        return image_dataset(pixels, digits, "mnist", "MNIST")
    kept = np.isin(digits, (1, 7, 8))
    labels = np.where(digits[kept] == 8, "8", "1 or 7")
    return image_dataset(pixels[kept], labels, "mnist-8", "MNIST")


def _read(files: Mapping[str, bytes], name: str) -> np.ndarray:
    return read_idx(files[name], name)
