"""Features from an encoder, and images, with candidate sets in one npz file."""

import numpy as np
import pandas as pd
import pytest

from caveat.candidates import PartialLabelClassifier
from caveat.datasets import read
from caveat.exceptions import DataError, InvalidInput

SETS = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 0, 0]])


def test_images_with_candidates_and_a_test_part_are_read(tmp_path):
    images = np.arange(6 * 4 * 4 * 3, dtype=np.uint8).reshape(6, 4, 4, 3)
    np.savez(
        tmp_path / "p.npz", X=images, candidates=SETS, y=[0, 1, 2, 0, 1, 0], n_test=2
    )
    found = read(tmp_path / "p.npz")
    np.testing.assert_array_equal(found.images, images)
    assert found.images.dtype == np.uint8
    assert (found.task, found.n_test, found.image_shape) == ("candidates", 2, (4, 4, 3))
    np.testing.assert_array_equal(found.candidates, SETS == 1)
    # One array, not a copy for every column.
    assert np.shares_memory(found.images, found.images)


def test_frozen_features_with_candidates_are_a_table(tmp_path):
    features = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
    np.savez(tmp_path / "e.npz", X=features, candidates=SETS)
    found = read(tmp_path / "e.npz")
    assert (found.X.shape, found.n_test, found.image_shape) == ((6, 5), 0, None)
    model = PartialLabelClassifier("cc", max_steps=2).fit(found)
    assert model.predict(found).shape == (6,)


def test_frozen_features_come_from_parquet_too(tmp_path):
    features = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    frame = pd.DataFrame(features, columns=[f"f{j}" for j in range(4)])
    frame.assign(label=list("abcabc")).to_parquet(tmp_path / "e.parquet")
    found = read(tmp_path / "e.parquet", target="label")
    np.testing.assert_array_equal(found.X.to_numpy(dtype=np.float32), features)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_test": [1, 2]}, "one whole number"),
        ({"n_test": 6}, "some must be left"),
        ({"X": np.zeros(6)}, "1 dimensions"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, message, tmp_path):
    arrays = {"X": np.zeros((6, 2)), "candidates": SETS, **change}
    np.savez(tmp_path / "e.npz", **arrays)
    with pytest.raises((DataError, InvalidInput), match=message):
        read(tmp_path / "e.npz")
