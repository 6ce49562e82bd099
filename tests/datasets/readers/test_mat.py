"""MATLAB files: numbers, text and sparse matrices, in the orientation published."""

import contextlib
import io

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import loadmat, savemat

from caveat.datasets import read
from caveat.datasets.readers._mat import read_mat, read_partial_labels
from caveat.exceptions import DataError

X = np.arange(8.0).reshape(4, 2)
CANDIDATES = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]])
TRUTH = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])


def mat(packed=False, **variables):
    out = io.BytesIO()
    savemat(out, variables, do_compression=packed)
    return out.getvalue()


def dense(matrix):
    return getattr(matrix, "toarray", lambda: matrix)()


def whole(**changes):
    return mat(
        **{"data": X, "target": TRUTH.T, "partial_target": CANDIDATES.T, **changes}
    )


WHOLE = whole(target=sparse.csc_array(TRUTH.T))


@pytest.mark.parametrize("store", [np.asarray, sparse.csc_matrix])
def test_labels_stand_transposed_dense_or_sparse(store):
    found = read_partial_labels(
        whole(target=store(TRUTH.T), partial_target=store(CANDIDATES.T)), "own.mat"
    )
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.candidates, CANDIDATES == 1)
    assert found.y.tolist() == [0, 1, 2, 2]


def test_whole_numbers_keep_their_type():
    found = read_partial_labels(whole(data=X.astype(np.uint8)), "own.mat")
    assert found.X.dtype == np.uint8


def test_items_first_only_if_told():
    data = mat(data=X, target=TRUTH, partial_target=CANDIDATES)
    with pytest.raises(DataError, match="transposed=False"):
        read_partial_labels(data, "own.mat")
    assert read_partial_labels(data, "own.mat", transposed=False).y.tolist() == [
        0,
        1,
        2,
        2,
    ]


def test_names_in_other_case_or_altogether_others():
    data = mat(Data=X, PARTIAL_TARGET=CANDIDATES.T)
    assert read_partial_labels(data, "own.mat").y is None
    other = mat(features=X, sets=CANDIDATES.T)
    names = {"data": "features", "candidates": "sets"}
    assert read_partial_labels(other, "own.mat", fields=names).X.shape == (4, 2)


def test_a_file_without_the_fields_lists_those_it_has():
    with pytest.raises(DataError, match=r"'partial_target'.*it has 'data \(4, 2\)'"):
        read_partial_labels(mat(data=X), "own.mat")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"partial_target": 2 * CANDIDATES.T}, "row 0, class 0 holds 2"),
        (
            {"partial_target": np.zeros((3, 4))},
            "rows '0', '1', '2', '3' have no candidate",
        ),
        ({"target": CANDIDATES.T}, "row 0 has 2 true labels"),
        ({"target": TRUTH.T[:2]}, "classes"),
        ({"data": X[:3]}, "3 rows"),
    ],
)
def test_labels_that_make_no_sense_are_refused(changes, words):
    with pytest.raises(DataError, match=words):
        read_partial_labels(whole(**changes), "own.mat")


@pytest.mark.parametrize(
    "value", [np.array([[1, "a"]], dtype=object), {"field": 1}, [{"a": 1}, {"a": 2}]]
)
def test_cells_and_structs_are_refused(value):
    with pytest.raises(DataError, match="only numbers, text and sparse"):
        read_mat(mat(data=value), "own.mat", variables=("data",))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6).reshape(2, 3).astype(np.int16),
        np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
        np.array([[1.5, np.nan, np.inf]], dtype=np.float32),
        np.array([[2**62, -5]], dtype=np.int64),
        np.array([[True, False]]),
        np.zeros((0, 3)),
        sparse.csc_array([[0.0, 1.5], [0, 0], [2, 0]]),
        sparse.csc_array((3, 2)),
    ],
    ids=str,
)
def test_every_kind_of_number_is_read_as_scipy_reads_it(value, packed):
    data = mat(v=value, packed=packed)
    ours, theirs = read_mat(data, "x")["v"], loadmat(io.BytesIO(data))["v"]
    np.testing.assert_array_equal(dense(ours), dense(theirs))
    assert ours.shape == theirs.shape


def test_text_is_read():
    assert read_mat(mat(v="größe"), "x")["v"].tolist() == ["größe"]


def test_complex_numbers_are_refused():
    with pytest.raises(DataError, match="complex"):
        read_mat(mat(v=np.array([[1 + 2j]])), "x")


def swapped(data):
    """Turn a file of one double matrix with even sizes into the other byte order."""
    body = np.frombuffer(data[128:], "<u4").astype(">u4").tobytes()
    return data[:124] + data[124:126][::-1] + b"MI" + body


def test_the_other_byte_order_is_read():
    whole_words = np.array([[1, 2]], dtype=np.int32)
    data = bytearray(mat(ab12=whole_words))
    other = bytearray(swapped(bytes(data)))
    name = other.index(b"21ba")  # text must not be swapped
    other[name : name + 4] = b"ab12"
    assert read_mat(bytes(other), "x")["ab12"].tolist() == [[1, 2]]


def test_no_change_of_bytes_does_more_than_be_refused(holds):
    change = st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
    holds(read_or_refused, st.lists(change, min_size=1, max_size=4))


def read_or_refused(changes):
    changed = bytearray(WHOLE)
    for place, value in changes:
        changed[place] = value
    with contextlib.suppress(DataError):
        read_partial_labels(bytes(changed), "own.mat")


def test_variables_nobody_asked_for_are_left_alone():
    found = read_partial_labels(whole(extra={"a": 1}), "own.mat")
    assert found.X.shape == (4, 2)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 500, b"just some text, not a MATLAB file" * 10]
)
def test_files_that_are_no_matlab_files_are_refused(data):
    with pytest.raises(DataError, match=r"own\.mat is not a whole MATLAB file"):
        read_mat(data, "own.mat")


def test_every_cut_is_noticed():
    data = whole(packed=True)
    for end in range(0, len(data) - 1, 7):
        with pytest.raises(DataError, match=r"own\.mat"):
            read_partial_labels(data[:end], "own.mat")


@pytest.mark.parametrize(
    "data",
    [b"MATLAB 7.3 MAT-file, Platform: GLNXA64", b"\x89HDF\r\n\x1a\n" + b"\0" * 99],
)
def test_version_7_3_says_what_to_do(data):
    with pytest.raises(DataError, match="save it again with -v7"):
        read_mat(data, "own.mat")


def test_noise_and_full_sets_are_noted(tmp_path):
    sets = np.array([[1, 1, 1], [1, 0, 1], [1, 0, 1], [0, 0, 1]])
    (tmp_path / "own.mat").write_bytes(whole(partial_target=sets.T))
    notes = " ".join(read(tmp_path / "own.mat").notes)
    assert "every class" in notes
    assert "25.00%" in notes
