"""The small classics that come with scikit-learn, with the names of their classes."""

from __future__ import annotations

import pandas as pd
from sklearn import datasets as bundled

from caveat.datasets._dataset import Dataset
from caveat.datasets.readers._idx import pixel_names


def load_bundled(name: str) -> Dataset:
    """Load iris, wine or breast_cancer; needs no network.

    Classes carry their names (``malignant``), not the numbers that stand for them.
    """
    bunch = getattr(bundled, f"load_{name}")(as_frame=True)
    names = [str(label) for label in bunch.target_names]
    labels = pd.Series([names[code] for code in bunch.target], name="class")
    task = "binary" if len(names) == 2 else "multiclass"
    return Dataset(name=name, X=bunch.data, y=labels, task=task)


def load_diabetes() -> Dataset:
    """Load diabetes as it was measured, not scaled."""
    bunch = bundled.load_diabetes(as_frame=True, scaled=False)
    return Dataset(
        name="diabetes",
        X=bunch.data,
        y=bunch.target.rename("diabetes"),
        task="regression",
    )


def load_digits() -> Dataset:
    """Load digits as tables of pixels, one row per image."""
    bunch = bundled.load_digits()
    pixels = pd.DataFrame(
        bunch.data.astype("uint8"), columns=pixel_names(8, 8), copy=False
    )
    return Dataset(
        name="digits",
        X=pixels,
        y=pd.Series(bunch.target, name="digit"),
        task="multiclass",
        image_shape=(8, 8),
    )
