"""A data set is whole when it is made, and nobody can change it afterwards."""

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import Dataset, load
from caveat.exceptions import InvalidInput


def table(**columns):
    return pd.DataFrame(columns or {"a": [1.0, 2.0], "b": ["x", "y"]})


def test_changes_to_what_it_hands_out_stay_outside():
    iris = load("iris")
    X, y = iris.X, iris.y
    X.iloc[0, 0] = -1
    X["new"] = 0
    y.iloc[0] = "nettle"
    assert iris.X.shape == (150, 4)
    assert iris.X.iloc[0, 0] == 5.1
    assert iris.y.iloc[0] == "setosa"


def test_the_table_it_was_made_of_can_change_without_changing_it():
    frame = table()
    made = Dataset(name="t", X=frame, y=pd.Series([0, 1]), task="binary")
    frame.loc[0, "a"] = 99.0
    assert made.X.loc[0, "a"] == 1.0


def test_fields_cannot_be_set():
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("iris").name = "other"


def test_kinds_cannot_be_set():
    with pytest.raises(TypeError):
        load("iris").kinds["sepal length (cm)"] = "categorical"


def test_candidates_are_locked():
    with pytest.raises(ValueError, match="read-only"):
        load("doubtful").candidates[0, 0] = True


def test_replace_gives_a_changed_copy():
    renamed = dataclasses.replace(load("iris"), name="flowers", notes=("a trap",))
    assert (renamed.name, renamed.notes, len(renamed)) == ("flowers", ("a trap",), 150)


def test_it_survives_a_trip_to_another_process():
    there_and_back = pickle.loads(pickle.dumps(load("doubtful")))
    pd.testing.assert_frame_equal(there_and_back.X, load("doubtful").X)
    assert there_and_back.kinds == load("doubtful").kinds


def test_rows_are_renumbered():
    frame = table().set_index(pd.Index(["p", "p"]))
    made = Dataset(name="t", X=frame, y=pd.Series([0, 1], index=[7, 7]), task="binary")
    assert made.X.index.tolist() == made.y.index.tolist() == [0, 1]


def test_images_have_the_shape_they_were_stored_in():
    digits = load("digits")
    assert digits.images.shape == (1797, 8, 8)
    np.testing.assert_array_equal(digits.images[5].ravel(), digits.X.iloc[5])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"task": "clustering"}, "task"),
        ({"task": "binary", "y": None}, "no y"),
        ({"y": pd.Series([0, 1, 1])}, "3 rows"),
        ({"y": pd.Series([0, None])}, "missing in 1 rows"),
        ({"X": [[1], [2]]}, "DataFrame"),
        ({"X": pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])}, "'a'"),
        ({"X": pd.DataFrame([[1, 2]] * 2, columns=[["a", "a"], ["b", "c"]])}, "header"),
        ({"X": pd.DataFrame([[1, 2]] * 2, columns=["a", 1])}, "several types"),
        ({"task": "multilabel"}, "needs Y"),
        ({"task": "multilabel", "Y": pd.DataFrame({"l": [0, 2]})}, "2"),
        ({"task": "candidates"}, "candidates"),
        ({"task": "candidates", "candidates": np.ones((3, 2), bool)}, r"\(3, 2\)"),
        ({"image_shape": (3, 3)}, "image_shape"),
        ({"groups": "c"}, "groups"),
        ({"kinds": {"a": "text"}}, "kind"),
    ],
)
def test_what_does_not_fit_together_is_refused(fields, words):
    whole = {"name": "t", "X": table(), "y": pd.Series([0, 1]), "task": "binary"}
    with pytest.raises(InvalidInput, match=words):
        Dataset(**{**whole, **fields})


def test_labels_of_mixed_types_are_ordered_by_their_text():
    y = pd.Series([2, "b", "a", 10], dtype=object)
    made = Dataset(name="t", X=table(a=[1, 2, 3, 4]), y=y, task="multiclass")
    assert made.classes == (10, 2, "a", "b")
