"""Files of tensors: exact, whole or absent, and never code."""

from __future__ import annotations

import math
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import DataError, InvalidInput
from caveat.training import load_tree, save_tree

_PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=5),
)
_TREES = st.recursive(
    _PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.integers(), st.text(max_size=3)), inner),
    ),
    max_leaves=8,
)


@given(tree=_TREES)
@settings(max_examples=40, deadline=None)
def test_plain_trees_come_back_as_they_were(tree, tmp_path_factory):
    path = tmp_path_factory.mktemp("tree") / "file"
    save_tree(path, tree)
    assert repr(load_tree(path)) == repr(tree)


@pytest.mark.parametrize(
    "kind",
    ["float64", "float32", "float16", "bfloat16", "int64", "int8", "uint8", "bool"],
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3)])
def test_tensors_come_back_to_the_last_bit(kind, shape, tmp_path):
    dtype = getattr(torch, kind)
    tensor = (torch.rand(shape) * 3).to(dtype)
    save_tree(tmp_path / "t", [tensor])
    (back,) = load_tree(tmp_path / "t")
    assert back.dtype == dtype
    assert back.shape == tensor.shape
    assert torch.equal(back, tensor)
    back.add_(back)  # it is writable and its own


def test_what_is_not_finite_is_kept(tmp_path):
    tree = {"a": math.inf, "b": torch.tensor([math.nan, -math.inf])}
    save_tree(tmp_path / "t", tree)
    back = load_tree(tmp_path / "t")
    assert back["a"] == math.inf
    assert torch.equal(back["b"], tree["b"]) is False  # NaN
    assert back["b"].isnan().tolist() == [True, False]


def test_slices_and_transposes_are_stored_by_value(tmp_path):
    table = torch.arange(12.0).reshape(3, 4)
    save_tree(tmp_path / "t", {"t": table.T, "s": table[::2, 1:]})
    back = load_tree(tmp_path / "t")
    assert torch.equal(back["t"], table.T)
    assert torch.equal(back["s"], table[::2, 1:])
    assert (tmp_path / "t").stat().st_size < 600


@pytest.mark.parametrize(
    "thing", [object(), {1, 2}, torch.zeros(2, dtype=torch.cfloat)]
)
def test_other_things_are_refused_and_the_old_file_stays(thing, tmp_path):
    save_tree(tmp_path / "t", 1)
    with pytest.raises(InvalidInput, match="cannot be stored"):
        save_tree(tmp_path / "t", [thing])
    assert load_tree(tmp_path / "t") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    save_tree(tmp_path / "t", "old")

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        save_tree(tmp_path / "t", "new")
    monkeypatch.undo()
    assert load_tree(tmp_path / "t") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_flipped_bytes_and_cuts_are_noticed(tmp_path):
    path = tmp_path / "t"
    save_tree(path, {"w": torch.arange(3.0), "n": 1})
    good = path.read_bytes()
    for place in range(0, len(good), 3):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(DataError):
            load_tree(path)
        path.write_bytes(good[:place])
        with pytest.raises(DataError):
            load_tree(path)


def test_a_pickle_is_never_opened(tmp_path):
    marker = tmp_path / "marker"

    class Canary:
        def __reduce__(self):
            return (marker.touch, ())

    path = tmp_path / "t"
    path.write_bytes(pickle.dumps(Canary()))
    with pytest.raises(DataError, match="no checkpoint of caveat"):
        load_tree(path)
    assert not marker.exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere.*cannot be read"):
        load_tree(tmp_path / "nowhere")
