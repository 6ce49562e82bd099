"""ARFF: dense and sparse, quotes, gaps; and which attributes are labels."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.datasets import read
from caveat.datasets.readers._arff import read_arff
from caveat.datasets.readers._mulan import (
    label_positions,
    label_table,
    read_mulan_labels,
)
from caveat.exceptions import CaveatError, DataError, InvalidInput, UnknownName


def arff(attributes, rows, relation="r"):
    declared = "\n".join(f"@attribute {attribute}" for attribute in attributes)
    return f"@relation {relation}\n{declared}\n@data\n" + "\n".join(rows) + "\n"


def frame(text):
    return read_arff(text.encode(), "own.arff").frame()


def test_keywords_comments_and_blank_lines_are_as_free_as_weka_has_them():
    text = (
        "% a comment\n@RELATION r\n\n@Attribute a REAL\n@ATTRIBUTE\tb {p, q}\n@DATA\n"
    )
    table = frame(text + "% more\n1.5,p\n\n2,q\n")
    assert table.to_dict("list") == {"a": [1.5, 2.0], "b": ["p", "q"]}


@pytest.mark.parametrize(
    "name", ["-", "/", "0;", "1-1/2", "{a}", "a,b", "@data", "'it'"]
)
def test_strange_names_are_whole_names(name):
    bare = name.strip("'")
    assert list(frame(arff([f"{name} numeric"], ["1"])).columns) == [bare]


def test_quoted_names_and_levels_may_hold_anything():
    text = arff(
        [r"'a \'b\' c' {'x, y', \"it's\", z}".replace('\\"', '"')], ["'x, y'", "z"]
    )
    table = frame(text)
    assert table.to_dict("list") == {"a 'b' c": ["x, y", "z"]}


def test_question_marks_are_gaps_unless_quoted():
    table = frame(arff(["a numeric", "b {x,'?'}"], ["?,x", "1,'?'", "2,?"]))
    assert table["a"].isna().tolist() == [True, False, False]
    assert table["b"].isna().tolist() == [False, False, True]


def test_a_sparse_row_leaves_out_zeros_and_first_levels():
    attributes = ["a numeric", "b {0,1}", "c {1,0}", "d {red,green}"]
    table = frame(arff(attributes, ["{0 2.5, 3 green}", "{}", "{1 1,2 0}"]))
    assert table["a"].tolist() == [2.5, 0.0, 0.0]
    assert table["b"].tolist() == [0, 0, 1]
    assert table["c"].tolist() == [1, 1, 0]  # the first declared level is 1
    assert table["d"].tolist() == ["green", "red", "red"]


def test_dense_and_sparse_rows_may_take_turns():
    table = frame(arff(["a numeric", "b numeric"], ["1,2", "{1 5}"]))
    assert table.to_numpy().tolist() == [[1, 2], [0, 5]]


def test_types_follow_the_declaration():
    attributes = ["i integer", "t {true,FALSE}", "z {0,1}", "s string"]
    table = frame(arff(attributes, ["1,true,0,'some text'", "2,FALSE,1,more"]))
    assert [str(table[c].dtype) for c in "itz"] == ["int64", "bool", "int8"]
    assert table["s"].tolist() == ["some text", "more"]


def test_gaps_among_truth_values_and_whole_numbers():
    table = frame(
        arff(["i integer", "t {true,false}", "z {0,1}"], ["?,?,?", "1,true,1"])
    )
    assert table.isna().to_numpy().tolist() == [[True] * 3, [False] * 3]


def test_packed_files_are_unpacked():
    packed = gzip.compress(arff(["a numeric"], ["1"]).encode())
    assert len(read_arff(packed, "own.arff.gz").frame()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (arff(["a {x,y}"], ["z"]), r"line 4: attribute 'a' has the value 'z'"),
        (arff(["a numeric"], ["x"]), r"line 4: attribute 'a' .* not a number"),
        (arff(["a numeric"], ["1,2"]), r"line 4: found 2 values, expected 1"),
        (arff(["a numeric"], ["{0 1"]), "line 4: .* not closed"),
        (arff(["a numeric"], ["{5 1}"]), "line 4: attribute number 5"),
        (arff(["a numeric", "b numeric"], ["{1 1,0 2}"]), "ascending"),
        (arff(["a numeric"], ["{0}"]), "expected 'index value'"),
        (arff(["a string"], ["'open"]), "never closed"),
        (arff(["a date"], ["x"]), "attribute 'a' is of type date"),
        (arff(["a relational"], ["x"]), "attribute 'a' is of type relational"),
        (arff(["a label"], ["1"]), "type 'label'"),
        (arff(["a {x"], ["x"]), "have no end"),
        (arff(["a numeric"], []), "no rows"),
        ("@relation r\n@attribute a numeric\n1\n", "line 3: expected @relation"),
        ("@relation r\n@attribute a numeric\n", "no @data line"),
        ("@relation r\n@data\n1\n", "no attribute is declared"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_attribute(text, words):
    with pytest.raises(DataError, match=words):
        frame(text)


def test_dates_can_be_left_out(tmp_path):
    (tmp_path / "own.arff").write_text(
        arff(["d date 'yyyy'", "a numeric", "t {x,y}"], ["2020,1,x", "2021,2,y"])
    )
    dataset = read(tmp_path / "own.arff", target="t", drop=["d"])
    assert list(dataset.X.columns) == ["a"]


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        ("'MEDC: -C -45'", -45),
        ("'bibsonomy_bibtex -C -159'", -159),
        ("'Enron: -C 53 -split 0.5'", 53),
        ("'x: -C 2 -I 0-weka.filters -C 9'", 2),
        ("plain", None),
        ("'A-C 3'", None),
    ],
)
def test_meka_states_its_labels_in_the_relation(relation, count):
    table = read_arff(arff(["a numeric"], ["1"], relation).encode(), "x")
    assert table.header.meka_labels == count


def table_of(*names):
    return read_arff(arff([f"{n} {{0,1}}" for n in names], ["1,0,1"]).encode(), "x")


@pytest.mark.parametrize(
    ("labels", "places"),
    [(1, [0]), (-2, [1, 2]), (["c", "a"], [2, 0]), (None, None)],
)
def test_labels_by_count_or_by_name(labels, places):
    assert label_positions(table_of("a", "b", "c"), "x", labels) == places


@pytest.mark.parametrize(
    ("labels", "error"), [(3, DataError), (0, DataError), (["d"], UnknownName)]
)
def test_labels_that_are_not_there_are_refused(labels, error):
    with pytest.raises(error):
        label_positions(table_of("a", "b", "c"), "x", labels)


def test_doubled_attributes_need_labels_by_count():
    table = table_of("a", "a", "c")
    with pytest.raises(DataError, match="'a' is declared more than once"):
        label_positions(table, "x", ["c"])
    assert label_positions(table, "x", -1) == [2]
    assert list(table.frame([0, 1]).columns) == ["a", "a #2"]


def test_labels_are_zero_or_one_or_words_for_it():
    text = arff(["a {FALSE,TRUE}", "b numeric"], ["TRUE,0", "FALSE,1"])
    labels = label_table(read_arff(text.encode(), "x"), [0, 1], "x")
    assert labels.to_numpy().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("cell", ["?", "2"])
def test_labels_that_are_neither_are_refused(cell):
    text = arff(["a numeric"], ["0", cell])
    with pytest.raises(DataError, match="label 'a' is neither 0 nor 1 in row 2"):
        label_table(read_arff(text.encode(), "x"), [0], "x")


def test_mulan_lists_labels_with_namespace_and_hierarchy():
    text = (
        b'<?xml version="1.0"?>\r\n<labels xmlns="http://mulan.sourceforge.net/labels">'
        b'<label name="a"><label name="b &amp; c"/></label></labels>'
    )
    assert read_mulan_labels(text, "x.xml") == ["a", "b & c"]


@pytest.mark.parametrize(
    "text",
    [
        b"<labels>",
        b"<labels/>",
        b"<labels><label/></labels>",
        b'<labels><label name="a"/><label name="a"/></labels>',
        b'<!DOCTYPE x [<!ENTITY a "b">]><labels><label name="&a;"/></labels>',
        b"\xff\xfe",
    ],
)
def test_lists_of_labels_that_cannot_be_trusted_are_refused(text):
    with pytest.raises(DataError, match=r"x\.xml"):
        read_mulan_labels(text, "x.xml")


def test_the_list_beside_the_file_is_found(tmp_path):
    (tmp_path / "own.arff").write_text(arff(["x real", "l {0,1}"], ["1,0", "2,1"]))
    (tmp_path / "own.xml").write_text('<labels><label name="l"/></labels>')
    dataset = read(tmp_path / "own.arff")
    assert (dataset.task, dataset.classes) == ("multilabel", ("l",))


def test_an_explicit_target_makes_it_a_plain_task(tmp_path):
    (tmp_path / "own.arff").write_text(
        arff(["x real", "l {0,1}"], ["1,0", "2,1"], "'m: -C -1'")
    )
    assert read(tmp_path / "own.arff", target="l").task == "binary"
    assert read(tmp_path / "own.arff").task == "multilabel"


@pytest.mark.thorough
@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    st.lists(
        st.lists(
            st.none() | st.floats(allow_nan=False, width=32), min_size=3, max_size=3
        ),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_numbers_come_back_from_dense_and_from_sparse_rows(rows, sparse):
    cells = [["?" if value is None else repr(value) for value in row] for row in rows]
    dense = [",".join(row) for row in cells]
    braces = [
        "{" + ",".join(f"{j} {c}" for j, c in enumerate(row)) + "}" for row in cells
    ]
    text = arff([f"a{j} numeric" for j in range(3)], braces if sparse else dense)
    expected = pd.DataFrame(rows, dtype=float).to_numpy()
    np.testing.assert_array_equal(frame(text).to_numpy(), expected)


def test_any_text_is_read_or_refused(holds):
    whole = st.text(alphabet="@atribue {}',\"?\\01x\n%relation data", max_size=80)
    rows = st.text(alphabet="{}',\"?\\01x\n% ", min_size=1, max_size=40)
    attributes = ["a numeric", "b {0,x}", "c string"]
    good_header = rows.map(lambda text: arff(attributes, [text]))
    holds(a_table_or_a_sentence, whole | good_header)


def a_table_or_a_sentence(text):
    try:
        found = frame(text)
    except (CaveatError, InvalidInput):
        return
    assert len(found)
