"""From a table to a data set: the target, the task, the kinds."""

import pandas as pd
import pytest

from caveat.datasets import from_frame
from caveat.exceptions import CaveatError, InvalidInput, UnknownName


def made(values, **options):
    frame = pd.DataFrame({"x": range(len(values)), "t": values})
    return from_frame(frame, "t", **options)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 5, "binary"),
        (["a", "b", "c"] * 5, "multiclass"),
        ([True, False] * 5, "binary"),
        ([0, 1] * 5, "binary"),
        ([1.0, 2.0] * 5, "binary"),
        ([1, 2, 3] * 5, "multiclass"),
        ([0.5, 1.5] * 5, "regression"),
        (list(range(50)), "regression"),
    ],
)
def test_the_task_follows_from_the_target(values, task):
    assert made(values).task == task


def test_a_guess_that_could_be_wrong_is_noted():
    assert "regression" in made([1, 2, 3] * 5).notes[0]


def test_labels_that_look_like_one_are_noted():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "y": ["no", "yes", "no ", "Yes"]})
    assert [note for note in from_frame(table, "y").notes if "blanks" in note] == [
        "target 'y': 'no', 'no ' differ in blanks or capitals only, and are classes of "
        "their own",
        "target 'y': 'yes', 'Yes' differ in blanks or capitals only, and are classes "
        "of their own",
    ]
    assert from_frame(table.assign(y=["a", "b", "c", "a"]), "y").notes == ()


def test_the_task_can_be_told():
    assert made([1, 2, 3] * 5, task="regression").task == "regression"


def test_without_a_target_the_last_column_is_it_and_that_is_noted():
    found = from_frame(pd.DataFrame({"a": [1, 2], "b": ["p", "q"]}))
    assert found.classes == ("p", "q")
    assert "'b'" in found.notes[0]


def test_several_targets_are_many_labels():
    frame = pd.DataFrame({"x": [1, 2], "l": [0, 1], "m": ["True", "false"]})
    found = from_frame(frame, targets=["l", "m"])
    assert found.Y.to_numpy().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("values", "options", "error", "words"),
    [
        (["a", None], {}, InvalidInput, "missing in 1 row "),
        (["a", "a"], {}, InvalidInput, "single value"),
        (["a", "b", "c"], {"task": "binary"}, InvalidInput, "3 values"),
        (["1", "b"], {"task": "regression"}, InvalidInput, "'b'"),
        ([1.0, float("inf")], {"task": "regression"}, InvalidInput, "infinite"),
        ([0, 1], {"task": "ranking"}, InvalidInput, "ranking"),
        ([0, 1], {"drop": ["y"]}, UnknownName, "'y'"),
        ([0, 1], {"kinds": {"y": "numerical"}}, UnknownName, "'y'"),
        ([0, 1], {"drop": ["x"]}, InvalidInput, "feature"),
        ([], {}, InvalidInput, "no rows"),
    ],
)
def test_a_target_that_cannot_be_used_is_refused(values, options, error, words):
    with pytest.raises(error, match=words):
        made(values, **options)


def test_an_unknown_target_names_the_nearest_column():
    with pytest.raises(UnknownName, match="did you mean 'income'"):
        from_frame(pd.DataFrame({"income": [1], "b": [2]}), "incom")


def test_labels_other_than_0_and_1_are_refused_with_row_and_value():
    frame = pd.DataFrame({"x": [1, 2], "l": [0, 5]})
    with pytest.raises(CaveatError, match=r"'l' holds .*5.* in row 1"):
        from_frame(frame, targets=["l"])


def test_labels_of_minus_one_and_one_are_no_and_yes():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "l": [-1, 1, 1], "m": [1, 1, 1]})
    found = from_frame(frame, targets=["l", "m"])
    assert found.Y.to_numpy().tolist() == [[0, 1], [1, 1], [1, 1]]


def test_labels_in_words_are_read():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "l": ["yes", "No", "yes"]})
    assert from_frame(frame, targets=["l"]).Y["l"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(("odd", "shown"), [(-1, "'-1'"), (3, "'3'"), (0.5, "'0.5'")])
def test_a_label_that_is_neither_is_named_as_it_stands(odd, shown):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "l": [0, 1, odd]})
    with pytest.raises(InvalidInput, match=f"holds {shown} in row 2"):
        from_frame(frame, targets=["l"])


def test_a_label_that_is_named_twice_is_refused():
    frame = pd.DataFrame({"x": [1, 2], "a": [0, 1], "b": [1, 0]})
    with pytest.raises(InvalidInput, match="targets names 'a' twice"):
        from_frame(frame, targets=["a", "b", "a"])
