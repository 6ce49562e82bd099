"""Pickles are read for their data; nothing in them is ever called."""

import contextlib
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.datasets.readers._plain_pickle import read_plain_pickle
from caveat.datasets.sources._cifar import read_annotations
from caveat.exceptions import DataError

keys = st.integers() | st.text(max_size=5) | st.booleans()
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.thorough
@settings(derandomize=True, max_examples=100, deadline=None)
@given(plain, st.integers(0, 5))
def test_plain_data_comes_back_from_every_protocol(value, protocol):
    assert read_plain_pickle(pickle.dumps(value, protocol), "x") == value


def test_shared_and_large_parts_come_back():
    shared = [1, 2]
    value = {
        "a": [shared, shared],
        "b": list(range(3000)),
        "c": "x" * 300,
        "d": 1 << 500,
    }
    assert read_plain_pickle(pickle.dumps(value), "x") == value


class Canary:
    """Unpickling it would create a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_call_something_is_refused_and_calls_nothing(
    tmp_path, protocol
):
    marker = tmp_path / "marker"
    data = pickle.dumps({0: [[1], Canary(marker)]}, protocol)
    with pytest.raises(DataError, match="would import code"):
        read_plain_pickle(data, "x.pkl")
    assert not marker.exists()


@pytest.mark.parametrize(
    "value", [np.int64(3), np.arange(3), print, Path("x"), {1, 2} and slice(1), 1j]
)
def test_anything_but_plain_data_is_refused(value):
    with pytest.raises(DataError, match=r"x\.pkl, byte \d+"):
        read_plain_pickle(pickle.dumps(value), "x.pkl")


def test_any_bytes_are_read_or_refused(holds):
    holds(read_or_refused, st.binary(max_size=40))


def read_or_refused(data):
    with contextlib.suppress(DataError):
        read_plain_pickle(data, "x")


def test_every_cut_is_noticed():
    data = pickle.dumps({0: [[1, 2], [3]], 1: [["a"]]})
    for end in range(len(data)):
        with pytest.raises(DataError):
            read_plain_pickle(data[:end], "x")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1, 2], "item numbers"),
        ({1: [[0]]}, "item numbers"),
        ({0: [0]}, "item 0 is not a list of lists"),
        ({0: [[0]], 1: [[]]}, "item 1 has no annotation"),
        ({0: [[10]]}, "item 0 has a label outside 0..9"),
        ({0: [[True]]}, "item 0 has a label outside"),
        ({0: [["cat"]]}, "item 0 has a label outside"),
    ],
)
def test_annotations_must_be_lists_of_labels_per_annotator(value, words):
    with pytest.raises(DataError, match=words):
        read_annotations(pickle.dumps(value), "x.pkl")
