"""Separated files: read as they are meant, or refused with file, line and reason."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.datasets import read
from caveat.datasets.readers._csv import read_csv
from caveat.datasets.readers._records import _counted, _even_rows
from caveat.exceptions import CaveatError, DataError, UnknownName


def table(written, **options):
    data = written if isinstance(written, bytes) else written.encode()
    return read_csv(data, "own.csv", **options)


def test_a_first_row_that_is_too_long_is_refused_with_its_line():
    with pytest.raises(DataError, match=r"own.csv, line 2: found 3 fields, expected 2"):
        table("a,b\n1,2,3\n4,5\n")


def test_a_later_row_that_is_too_long_is_refused_with_its_line():
    with pytest.raises(DataError, match=r"line 4: found 4 fields, expected 2"):
        table("a,b\n1,2\n3,4\n5,6,7,8\n")


def test_a_row_that_is_too_short_is_refused_too():
    with pytest.raises(DataError, match=r"line 3: found 1 fields, expected 2"):
        table("a,b\n1,2\n3\n")


def test_all_rows_too_long_do_not_become_an_index():
    with pytest.raises(DataError, match=r"and 1 more such lines"):
        table("a,b\n1,2,3\n4,5,6\n")


@pytest.mark.parametrize("word", ["NA", "None", "null", "nan", "N/A", "?"])
def test_words_that_look_missing_stay_labels(word):
    frame, _ = table(f"a,t\n1,{word}\n2,x\n", labels=["t"])
    assert frame["t"].tolist() == [word, "x"]


def test_words_stay_labels_also_in_a_target_nobody_named(tmp_path):
    (tmp_path / "own.csv").write_text("a,t,b\n1,NA,2\n2,null,3\n")
    assert read(tmp_path / "own.csv", drop=["b"]).classes == ("NA", "null")


def test_an_empty_label_is_an_error_with_its_row(tmp_path):
    (tmp_path / "own.csv").write_text("a,t\n1,x\n2,\n3,y\n")
    with pytest.raises(DataError, match=r"own.csv: target 't' is missing in 1 row "):
        read(tmp_path / "own.csv", target="t")


def test_doubled_names_are_refused_by_name():
    with pytest.raises(DataError, match="'b' occurs more than once"):
        table("a,b,b\n1,2,3\n")


def test_a_byte_order_mark_is_no_part_of_the_first_name():
    frame, notes = table(b"\xef\xbb\xbfa,b\n1,2\n")
    assert (list(frame.columns), notes) == (["a", "b"], [])


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_line_ends_of_all_systems(end):
    frame, _ = table(f"a,b{end}1,x{end}2,y{end}")
    assert frame.to_numpy().tolist() == [[1, "x"], [2, "y"]]


@pytest.mark.parametrize(
    ("sign", "spelt"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar")]
)
def test_other_separators_are_found_and_named(sign, spelt):
    frame, notes = table(f"a{sign}b\n1{sign}2\n")
    assert frame.shape == (1, 2)
    assert spelt in notes[0]


def test_two_separators_that_fit_equally_well_are_refused():
    with pytest.raises(DataError, match="a comma or by a semicolon; say which"):
        table("a,b;c\n1,2;3\n")


def test_a_named_separator_settles_it():
    assert table("a,b;c\n1,2;3\n", separator=";")[0].shape == (1, 2)


def test_decimal_commas_are_read_and_noted():
    frame, notes = table("a;b\n1,5;x\n-2,25;y\n3;z\n")
    assert frame["a"].tolist() == [1.5, -2.25, 3.0]
    assert any("decimal comma" in note for note in notes)


@pytest.mark.parametrize("second", ["2,250", "900"])
@pytest.mark.parametrize("labels", [[], ["a"]])
def test_a_comma_that_could_part_thousands_is_refused(second, labels):
    with pytest.raises(DataError, match="decimal comma or a thousands separator"):
        table(f"a;b\n1,500;x\n{second};y\n", labels=labels)


@pytest.mark.parametrize(
    ("content", "numbers", "sign"),
    [
        ('a,b\n"31,597",x\n"1,250,000",y\n950,z\n', [31597, 1250000, 950], "comma"),
        ('a,b\n"1,597","1,250,000"\n950,7\n', [1597, 950], "comma"),
        ("a;b\n1,500;0,5\n900;1,25\n", [1.5, 900], "comma"),
        ("a;b\n1.234,56;x\n999,10;y\n", [1234.56, 999.1], "point"),
        ("a;b\n31.597;0,5\n950;1,25\n", [31597, 950], "point"),
        ("a;b\n0,123;x\n0,456;y\n", [0.123, 0.456], "comma"),
        ("a;b\n1.5;0,5\n950;1,25\n", [1.5, 950], "comma"),
    ],
)
@pytest.mark.parametrize("labels", [[], ["a"]])
def test_numbers_are_read_in_the_notation_of_their_file(content, numbers, sign, labels):
    frame, notes = table(content, labels=labels)
    assert frame["a"].tolist() == numbers
    assert any(f"the {sign} in " in note for note in notes)


def test_a_told_decimal_sign_settles_what_parts_thousands():
    frame, _ = table("a;b\n1,500;x\n900;y\n", decimal=".")
    assert frame["a"].tolist() == [1500.0, 900.0]


def test_days_are_not_called_numbers():
    assert table("a;b\n01.02.2020;x\n28.02.2021;y\n")[1] == [
        "fields are parted by a semicolon"
    ]


def test_digits_that_are_no_numbers_stay_text():
    frame, _ = table("a;b\n²;x\n1,5;y\n")
    assert frame["a"].tolist() == ["²", "1,5"]


def test_the_decimal_sign_can_be_told():
    frame, _ = table("a;b\n1,500;x\n2,250;y\n", decimal=",")
    assert frame["a"].tolist() == [1.5, 2.25]


def test_numbers_in_another_notation_stay_text_and_are_noted():
    frame, notes = table("a;b\n1'234,5;x\n2'345,6;y\n")
    assert frame["a"].tolist() == ["1'234,5", "2'345,6"]
    assert any("another notation" in note for note in notes)


def test_nul_bytes_are_refused_with_their_line():
    with pytest.raises(DataError, match="line 2: a NUL byte"):
        table(b"a,b\n1,\x00\n")


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture, not text"),
        (b"PK\x03\x04\x14\0", "an Excel workbook, not text; save it as CSV"),
        (b"PAR1\x15\x04", "a Parquet file, not text; call it .parquet"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_kind(start, words):
    with pytest.raises(DataError, match=words):
        table(start + b"\0\1\n" * 20)


def test_utf_16_with_a_mark_is_read_and_noted():
    frame, notes = table("a,b\n1,ä\n".encode("utf-16"))
    assert frame["b"].tolist() == ["ä"]
    assert "UTF-16" in notes[0]


def test_western_bytes_are_read_and_the_guess_is_named():
    frame, notes = table("a,b\n1,Köln\n".encode("latin-1"))
    assert frame["b"].tolist() == ["Köln"]
    assert "Windows-1252" in notes[0]


def test_bytes_that_windows_does_not_know_are_latin_1():
    assert "Latin-1" in table(b"a,b\n1,\x81\n")[1][0]


def test_the_encoding_can_be_told_and_is_checked():
    assert table("a,b\n1,é\n".encode("cp1250"), encoding="cp1250")[0]["b"][0] == "é"
    with pytest.raises(DataError, match="is not ascii: byte 6"):
        table("a,b\n1,é\n".encode(), encoding="ascii")
    with pytest.raises(DataError, match="no encoding called"):
        table("a,b\n1,2\n", encoding="martian")


@pytest.mark.parametrize("text", ["", "\n\n", "  \n"])
def test_an_empty_file_is_refused(text):
    with pytest.raises(DataError, match="is empty"):
        table(text)


def test_a_header_without_rows_is_refused():
    with pytest.raises(DataError, match="no rows"):
        table("a,b\n")


def test_quoted_line_ends_and_separators_belong_to_the_cell():
    frame, _ = table('a,b\n1,"x\ny, z"\n2,"say ""hi"""\n')
    assert frame["b"].tolist() == ["x\ny, z", 'say "hi"']


def test_lines_are_counted_through_quoted_line_ends():
    with pytest.raises(DataError, match="line 4: found 3"):
        table('a,b\n1,"x\ny"\n2,3,4\n')


def test_a_quote_that_never_closes_is_refused():
    with pytest.raises(DataError, match="quotation mark"):
        table('a,b\n1,"x\n2,y\n')


def test_a_quote_inside_a_plain_cell_is_just_a_sign():
    frame, _ = table('a,b\n1,5" pipe\n2,7" pipe\n')
    assert frame["b"].tolist() == ['5" pipe', '7" pipe']


def test_text_after_a_closing_quote_is_refused():
    with pytest.raises(DataError, match="line 2"):
        table('a,b\n1,"x"y\n')


def test_words_for_gaps_among_numbers_are_missing_and_noted():
    frame, notes = table("a,b\n1,x\nNA,y\n2.5,z\n?,w\n")
    np.testing.assert_array_equal(frame["a"], [1, np.nan, 2.5, np.nan])
    assert "'?', 'NA' read as missing" in notes[0]


def test_a_word_for_gaps_among_levels_needs_a_witness():
    alone, notes = table("a,b\n1,NA\n2,x\n")
    assert alone["b"].tolist() == ["NA", "x"]
    assert "kept as levels" in notes[0]
    witnessed, _ = table("a,b\n1,NA\nNA,x\n")
    assert witnessed["b"].isna().tolist() == [True, False]


def test_more_words_for_gaps_can_be_told():
    frame, _ = table("a,b\n1,none\n-999,x\n", missing=["-999"])
    assert frame["a"].isna().tolist() == [False, True]


def test_codes_keep_their_zeros_where_a_column_is_called_categorical(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("zip,a,t\n02139,1,x\n10115,2,y\n")
    plain = read(path, target="t")
    assert plain.kinds["zip"] == "numerical"
    assert "begin with 0" in plain.notes[0]
    kept = read(path, target="t", kinds={"zip": "categorical"})
    assert kept.X["zip"].tolist() == ["02139", "10115"]


@pytest.mark.parametrize(("cell", "codes"), [('"5,05"', False), ('"05"', True)])
def test_zeros_after_a_decimal_comma_are_no_codes(cell, codes):
    notes = table(f"a,b\n{cell},x\n{cell},y\n")[1]
    assert any("begin with 0" in note for note in notes) == codes


def test_labels_with_leading_zeros_stay_text():
    assert table("a,t\n1,01\n2,02\n", labels=["t"])[0]["t"].tolist() == ["01", "02"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [(["1", "2"], "i"), (["1.5", "2"], "f"), (["1e3", "2"], "f"), (["1", "inf"], "O")],
)
def test_labels_are_numbers_only_if_all_of_them_are(words, kind):
    frame, _ = table("a,t\n" + "".join(f"1,{word}\n" for word in words), labels=["t"])
    assert np.asarray(frame["t"]).dtype.kind == kind


def test_a_file_without_header_needs_names():
    with pytest.raises(DataError, match="numbers, not names"):
        table("1,2\n3,4\n")
    assert table("1,2\n3,4\n", columns=["a", "b"])[0]["b"].tolist() == [2, 4]


def test_a_nameless_index_is_left_out_and_noted():
    frame, notes = table(",a\n0,x\n1,y\n2,z\n")
    assert list(frame.columns) == ["a"]
    assert "counts the rows" in notes[0]


def test_a_trailing_separator_makes_no_column():
    frame, notes = table("a,b,\n1,2,\n3,4,\n")
    assert list(frame.columns) == ["a", "b"]
    assert "no value" in notes[0]


def test_a_wrong_separator_is_suspected_when_the_target_is_not_found():
    with pytest.raises(UnknownName, match="is the separator another"):
        table("a:b:t\n1:2:x\n", labels=["t"])


def test_blanks_around_names_do_not_hide_them():
    frame, _ = table("a, b , t\n1,2,x\n", labels=["t"])
    assert list(frame.columns) == ["a", "b", "t"]


def test_truth_values_with_gaps_stay_truth_values():
    frame, _ = table("a,b\nTrue,1\n,2\nFalse,3\n")
    assert frame["a"].dtype == "boolean"


@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (["$1,500", "-$20"], [1500.0, -20.0], "numbers in $, '$1,500' read as 1500"),
        (["1.500 €", "20 €"], [1500.0, 20.0], "numbers in €, '1.500 €' read as 1500"),
        (["EUR 5", "n/a"], [5.0, None], "'n/a' read as missing"),
        (["36 months", "60 months"], [36.0, 60.0], "'36 months' read as 36"),
        (["12.5%", "-7 %"], [12.5, -7.0], "numbers in %"),
        (["12,5 kg", "7 kg"], [12.5, 7.0], "'12,5' read as decimal comma"),
    ],
)
def test_a_unit_that_all_numbers_share_is_left_out(cells, numbers, said):
    frame, notes = table("a;b\n" + "".join(f"{cell};1\n" for cell in cells))
    expected = np.array(numbers, dtype=float)
    np.testing.assert_array_equal(frame["a"], expected)
    assert said in " ".join(notes)


@pytest.mark.parametrize(
    "cells",
    [
        ["A12", "A13"],
        ["0017X", "0018X"],
        ["3 cm", "4 in"],
        ["1:30", "2:45"],
        ["5 cm", "5"],
        ["0-5 years", "6-9 years"],
        ["1st", "2nd"],
        ["$5", "5 $"],
    ],
)
def test_codes_ranges_and_mixed_units_stay_text(cells):
    frame, _ = table("a;b\n" + "".join(f"{cell};1\n" for cell in cells))
    assert frame["a"].tolist() == cells


def test_a_target_of_amounts_is_one_of_numbers_and_few_labels_with_a_unit_are_classes():
    amounts, _ = table('a,y\n1,"$1,250"\n2,$80\n', labels=["y"])
    stars, _ = table("a,y\n1,3 stars\n2,5 stars\n", labels=["y"])
    assert amounts["y"].tolist() == [1250.0, 80.0]
    assert stars["y"].tolist() == ["3 stars", "5 stars"]


def test_numbers_too_long_for_64_bits_are_numbers():
    frame, _ = table("a,b\n123456789012345678901234567890,1\n2,2\n")
    assert frame["a"].tolist() == [1.2345678901234568e29, 2.0]


def test_floats_are_read_to_the_last_bit():
    values = np.random.default_rng(0).standard_normal(500) * 10.0 ** np.arange(
        -250, 250
    )
    frame, _ = table("a,b\n" + "".join(f"{value!r},1\n" for value in values.tolist()))
    np.testing.assert_array_equal(frame["a"], values)


cells = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r"), max_size=6
)


@pytest.mark.thorough
@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=4),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from([",", ";", "\t"]),
)
def test_what_python_writes_comes_back_as_text(rows, quoting, separator):
    out = io.StringIO()
    writer = csv.writer(out, quoting=quoting, delimiter=separator, lineterminator="\n")
    writer.writerow(["a", "b"])
    writer.writerows(rows)
    frame, _ = table(out.getvalue(), text=["a", "b"], separator=separator)
    expected = [[cell or None for cell in row] for row in rows]
    found = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    assert found == expected


@pytest.mark.thorough
@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.text(alphabet="a,\n ;", max_size=30).filter(lambda text: text.strip("\n")))
def test_counting_with_pyarrow_agrees_with_the_csv_module(text):
    data = text.encode()
    counts, _ = _counted(data, ",", "x")
    fields = int(counts[0])
    found = _even_rows(data, ",", fields)
    assert found == (len(counts) if (counts == fields).all() else None)


def test_any_bytes_are_read_or_refused(holds):
    likely = st.text(alphabet="a1.-,;\t\"' \r\nNé", max_size=60).map(str.encode)
    holds(a_table_or_a_sentence, likely | st.binary(max_size=40))


def a_table_or_a_sentence(data):
    try:
        frame, _ = table(data)
    except CaveatError:
        return
    assert isinstance(frame, pd.DataFrame)
    assert len(frame)
