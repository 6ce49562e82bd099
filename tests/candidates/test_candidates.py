import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from caveat.candidates import CandidateSets, as_candidates, candidate_statistics
from caveat.exceptions import InvalidInput

MATRIX = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]], dtype=bool)


@pytest.mark.parametrize(
    "given",
    [
        MATRIX,
        MATRIX.astype(int),
        MATRIX.astype(float),
        MATRIX.tolist(),
        sparse.csr_matrix(MATRIX.astype(int)),
        sparse.csc_array(MATRIX.astype(int)),
        pd.DataFrame(MATRIX, columns=[0, 1, 2]),
        [{0, 1}, {1}, {0, 2}],
        [[0, 1], [1], [2, 0]],
        [(0, 1), frozenset({1}), [0, 2]],
        CandidateSets(MATRIX),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_of_the_same_sets_is_the_same_matrix(given):
    found = as_candidates(given)
    np.testing.assert_array_equal(found.matrix, MATRIX)
    assert found.classes == (0, 1, 2)


def test_one_label_per_item_is_the_clean_limit():
    found = as_candidates(np.array(["b", "a", "b"]))
    assert found.classes == ("a", "b")
    np.testing.assert_array_equal(found.sizes, [1, 1, 1])


def test_columns_of_a_frame_are_the_classes():
    frame = pd.DataFrame({"cat": [1, 0], "dog": [1, 1], "fox": [0, 1]})
    assert as_candidates(frame).labels(0) == ["cat", "dog"]


def test_complementary_labels_are_what_is_left_out():
    sets = CandidateSets.from_complementary([0, {1, 2}], classes=[0, 1, 2])
    np.testing.assert_array_equal(sets.matrix, [[0, 1, 1], [1, 0, 0]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 0], [0, 0], [1, 1], [0, 0]], "rows 1, 3 have no candidate"),
        ([[1, 0], [2, 1]], "entry 2 in row 1, column 0"),
        ([[1, 0], [0.5, 1]], "entry 0.5 in row 1"),
        ([[1, 0], [-1, 1]], "entry -1 in row 1"),
        ([[1, 0], [np.nan, 1]], "entry nan in row 1"),
        (np.ones((2, 0)), "0 class"),
        ([{"cat"}, "dog"], r"row 1: got text; write {'dog'}"),
        ("cat", "got text 'cat'"),
        ([{0, 1}, 5], "row 1 holds 5"),
        (np.ones((2, 2, 2)), "shape"),
        ([1, 1, 1], "one class"),
        ([0.0, np.nan], "row 1 is missing"),
    ],
)
def test_bad_candidates_are_refused_in_one_sentence(given, message):
    with pytest.raises(InvalidInput, match=message):
        as_candidates(given)


def test_an_unknown_class_is_named_with_its_row():
    with pytest.raises(InvalidInput, match=r"row 1 holds 'ox'.*'cat', 'dog'"):
        CandidateSets.from_sets([{"cat"}, {"ox"}], classes=["cat", "dog"])


def test_a_transposed_matrix_is_recognised():
    with pytest.raises(InvalidInput, match="transposed"):
        as_candidates(MATRIX[:2], n_items=3)


def test_full_sets_singletons_and_unused_classes_are_remarked():
    with pytest.warns(UserWarning, match="1 of 2 items have all 3 classes"):
        as_candidates([[1, 1, 1], [1, 0, 0]])
    with pytest.warns(UserWarning, match="ordinary supervised"):
        as_candidates([[1, 0], [0, 1]])
    with pytest.warns(UserWarning, match="1 of 3 classes are candidates of no item"):
        as_candidates([[1, 1, 0], [1, 0, 0]])


def test_a_container_cannot_be_changed_and_can_be_sliced():
    sets = CandidateSets(MATRIX, ("x", "y", "z"))
    with pytest.raises(ValueError, match="read-only"):
        sets.matrix[0, 0] = False
    assert sets[[2, 0]].labels(0) == ["x", "z"]
    assert "3 items" in repr(sets)


def test_the_source_of_a_container_stays_free():
    source = MATRIX.copy()
    CandidateSets(source)
    source[0, 0] = False


def test_statistics_are_what_one_counts_by_hand():
    found = candidate_statistics(MATRIX, [0, 1, 1])
    assert found.mean_size == pytest.approx(5 / 3)
    assert found.histogram == {1: 1, 2: 2}
    assert found.singletons == pytest.approx(1 / 3)
    assert found.noise_rate == pytest.approx(1 / 3)
    np.testing.assert_allclose(found.flipping[:2], [[1, 1, 0], [0.5, 0.5, 0.5]])
    assert np.isnan(found.flipping[2]).all()
    assert found.ambiguity == 1.0
    assert found.never_true == (2,)


def test_a_true_label_that_is_no_class_is_refused():
    with pytest.raises(InvalidInput, match="7 is not a class"):
        candidate_statistics(MATRIX, [0, 1, 7])
