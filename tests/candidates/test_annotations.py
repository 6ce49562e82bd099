import numpy as np
import pytest

from caveat.candidates import (
    Annotations,
    aggregate_annotations,
    annotator_curve,
    first_annotations,
    vaguest_annotation,
    vote_annotations,
)
from caveat.exceptions import DataError, InvalidInput, UnknownName

# Item 0: three people. Item 1: one. Item 2: two, of whom the first said nothing.
GIVEN = [[[0], [0, 2], [1, 2]], [[3]], [[], [1, 3]]]


def test_aggregation_is_the_union():
    wanted = [[1, 1, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1]]
    np.testing.assert_array_equal(aggregate_annotations(GIVEN, 4), wanted)


def test_the_vaguest_set_is_the_first_of_the_longest():
    wanted = [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1]]
    np.testing.assert_array_equal(vaguest_annotation(GIVEN, 4), wanted)


def test_a_vote_keeps_what_several_gave_and_never_nothing():
    wanted = [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1]]
    np.testing.assert_array_equal(vote_annotations(GIVEN, 4, min_count=2), wanted)


def test_the_first_annotators_make_a_smaller_union():
    wanted = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 1]]
    np.testing.assert_array_equal(first_annotations(GIVEN, 4, count=1), wanted)
    all_of_them = first_annotations(GIVEN, 4, count=9)
    np.testing.assert_array_equal(all_of_them, aggregate_annotations(GIVEN, 4))


def test_a_person_who_repeats_a_label_votes_once():
    twice = Annotations.from_lists([[[1, 1], [0]]], 2)
    np.testing.assert_array_equal(twice.counts(), [[1, 1]])


def test_combining_by_name_is_the_same_as_by_function():
    seen = Annotations.from_lists(GIVEN, 4)
    np.testing.assert_array_equal(seen.combine("vaguest"), seen.vaguest())
    np.testing.assert_array_equal(seen.combine("majority"), seen.majority())
    with pytest.raises(UnknownName, match="did you mean 'vote'"):
        seen.combine("votes")


def test_aggregation_equals_a_loop_over_random_annotations():
    rng = np.random.default_rng(0)
    given = [
        [
            rng.integers(0, 6, rng.integers(1, 4)).tolist()
            for _ in range(rng.integers(1, 5))
        ]
        for _ in range(200)
    ]
    seen = Annotations.from_lists(given, 6)
    counts = np.zeros((200, 6), dtype=int)
    vaguest = np.zeros((200, 6), dtype=bool)
    for row, people in enumerate(given):
        for person in people:
            counts[row, list(set(person))] += 1
        vaguest[row, max(people, key=len)] = True
    np.testing.assert_array_equal(seen.counts(), counts)
    np.testing.assert_array_equal(seen.vaguest(), vaguest)


def test_the_curve_tells_what_further_annotators_add():
    curve = annotator_curve(Annotations.from_lists(GIVEN, 4), [2, 3, 3])
    assert curve["noise"].tolist() == pytest.approx([1 / 3, 0, 0])
    assert curve["mean_size"].is_monotonic_increasing


def test_annotations_survive_a_file(tmp_path):
    seen = Annotations.from_lists(GIVEN, 4)
    seen.save(tmp_path / "a.npz")
    again = Annotations.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(again.counts(), seen.counts())
    (tmp_path / "b.npz").write_bytes(b"nothing")
    with pytest.raises(DataError, match="holds no annotations"):
        Annotations.load(tmp_path / "b.npz")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[[0]], []], "item 1 has no annotator"),
        ([[[0]], [[], []]], "no annotator gave item 1"),
        ([[[0], [4]]], "item 0, annotator 1 gave 4"),
        ([[[0], [1.5]]], "item 0, annotator 1 gave 1.5"),
        ([[[0], "cat"]], "item 0, annotator 1: got text"),
        ([[[0], 3]], "item 0, annotator 1 has 3"),
        ([], "no items"),
    ],
)
def test_bad_annotations_are_named_by_item_and_annotator(given, message):
    with pytest.raises(InvalidInput, match=message):
        Annotations.from_lists(given, 4)
