import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import InvalidInput
from caveat.pages import to_csv, to_latex
from caveat.pages._export import latex_text

HOSTILE = json.loads((Path(__file__).parents[1] / "hostile.json").read_text())
few = settings(max_examples=40, deadline=None)


def table_of(name, *cells):
    """A table with hostile names; pandas' own text columns refuse surrogates."""
    columns = pd.Index([name, "n"], dtype=object)
    return pd.DataFrame(list(cells), columns=columns, dtype=object)


def read_back(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_csv_gives_every_hostile_name_back(name):
    text = to_csv(table_of(name, [name, 1], ["b", 2]))
    shown = name.encode("utf-8", "backslashreplace").decode()
    assert read_back(text) == [[shown, "n"], [shown, "1"], ["b", "2"]]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_cell_of_an_excel_safe_file_is_a_formula(name):
    text = to_csv(table_of(name, [name, -1.5]), excel_safe=True)
    (head, _), (cell, number) = read_back(text)
    assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", head)
    assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", cell)
    assert cell.endswith(name.encode("utf-8", "backslashreplace").decode())
    assert number == "-1.5"


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_latex_shows_every_hostile_name_and_obeys_none(name):
    text = latex_text(name)
    assert text.isprintable()
    # Take away what we put there ourselves; nothing active may be left.
    ours = r"\\text[a-z]+\{\}|\\[{}$&#_%]|\{[\[\]*]\}"
    assert not re.search(r"[\\{}$&#_%~^\[\]*]", re.sub(ours, "", text))


def test_each_special_character_of_latex_is_escaped():
    assert latex_text(r"\{}$&#_%~^") == (
        r"\textbackslash{}\{\}\$\&\#\_\%\textasciitilde{}\textasciicircum{}"
    )
    assert latex_text("a\x1b\u202eb") == r"a\textbackslash{}x1b\textbackslash{}u202eb"


@few
@given(st.lists(st.floats(width=64), min_size=1, max_size=6))
def test_floats_read_back_as_they_were_in_the_fewest_digits(values):
    text = to_csv(pd.DataFrame({"x": values}))
    cells = [row[0] if row else "" for row in read_back(text)[1:]]
    expected = ["" if value != value else repr(value) for value in values]
    assert cells == expected


@few
@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_text_reads_back(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object), "n": 1})
    assert [row[0] for row in read_back(to_csv(frame))[1:]] == values


def test_cells_of_every_kind_have_one_spelling():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int64"),
            "f": np.array([0.1, np.inf], dtype=np.float32),
            "b": [True, False],
            "o": [{"b": 1, "a": "é"}, None],
        }
    )
    assert to_csv(frame) == (
        'i,f,b,o\n1,0.1,True,"{""a"": ""é"", ""b"": 1}"\n,inf,False,\n'
    )


def test_the_file_has_the_bytes_of_the_text(tmp_path):
    path = tmp_path / "table.csv"
    frame = table_of("ñ", ["a\r\nb", "\ud800"])
    text = to_csv(frame, path)
    assert path.read_bytes() == text.encode("utf-8")
    assert to_csv(frame, path) == text


def test_the_index_and_compound_names_are_written_on_request():
    frame = pd.DataFrame(
        [[1, 2]], columns=pd.MultiIndex.from_product([["f1"], ["a", "b"]])
    )
    frame.index = pd.Index(["iris"], name="data")
    assert to_csv(frame) == "f1 / a,f1 / b\n1,2\n"
    assert to_csv(frame.droplevel(0, axis=1), index=True) == "data,a,b\niris,1,2\n"


def test_a_table_without_rows_or_columns_is_still_a_file():
    assert to_csv(pd.DataFrame({"a": []})) == "a\n"
    assert to_csv(pd.DataFrame()) == "\n"
    assert r"\midrule" in to_latex(pd.DataFrame({"a": []}))


def test_latex_numbers_dashes_and_bold():
    frame = pd.DataFrame({"n": ["x", "y"], "f": [-0.12345, None], "k": [-3, 4]})
    bold = pd.DataFrame([[False, True, False], [False, False, True]])
    lines = to_latex(frame, digits=2, bold=bold).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[4] == r"x & \textbf{$-$0.12} & $-$3 \\"
    assert lines[5] == r"y & -- & \textbf{4} \\"
    assert r"$\infty$ & $-$$\infty$" in to_latex(
        pd.DataFrame({"a": [np.inf], "b": [-np.inf]})
    )


def test_a_name_in_brackets_is_no_option_of_the_line_before():
    text = to_latex(pd.DataFrame({"n": ["a", "[10cm]", "*"]}))
    assert "{[}10cm{]}" in text
    assert re.search(r"\\\\\n\s*[\[*]", text) is None


def test_caption_and_label_make_it_float(tmp_path):
    path = tmp_path / "table.tex"
    text = to_latex(
        pd.DataFrame({"a": [1]}, index=["r"]), path, index=True,
        caption="50% better", label="tab:one",
    )  # fmt: skip
    assert text.startswith("\\begin{table}\n\\centering\n\\caption{50\\% better}\n")
    assert "\\label{tab:one}" in text
    assert "r & 1" in text
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: to_latex(frame, label="a b"),
        lambda frame: to_latex(frame, label=r"x}\input{y"),
        lambda frame: to_latex(frame, digits=-1),
        lambda frame: to_latex(frame, bold=pd.DataFrame([[True, False]])),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="; "):
        call(pd.DataFrame({"a": [1.0]}))
