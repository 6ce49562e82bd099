"""MATLAB files: numbers, text and sparse matrices, in the orientation published."""

import io

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from caveat.datasets import read
from caveat.datasets.readers._mat import read_mat, read_partial_labels
from caveat.exceptions import DataError

X = np.arange(8.0).reshape(4, 2)
CANDIDATES = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]])
TRUTH = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])


def mat(**variables):
    out = io.BytesIO()
    savemat(out, variables, do_compression=variables.pop("packed", False))
    return out.getvalue()


def whole(**changes):
    return mat(
        **{"data": X, "target": TRUTH.T, "partial_target": CANDIDATES.T, **changes}
    )


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
