"""Tables for other programs: CSV and LaTeX, with hostile names made harmless."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat._files import write_whole
from caveat._text import terminal_text
from caveat.exceptions import InvalidInput
from caveat.statistics import check_count

# What makes a spreadsheet read text as a formula, also in full width.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]|^\s|\s$')
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # After the end of a row these would be read as its options.
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        # Else a quotation mark, a dash or an accent by ligature or encoding.
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def to_csv(
    frame: pd.DataFrame,
    path: str | Path | None = None,
    *,
    excel_safe: bool = False,
    index: bool = False,
) -> str:
    r"""Write a table as CSV, the same bytes for the same table.

    Floats have the fewest digits that read back as the same float, line ends are
    ``\n``, the file is UTF-8; None and NaN are empty cells; a dict or list is JSON
    with sorted keys.

    Parameters
    ----------
    frame : DataFrame
    path : str or Path, optional
        Where to write; without it nothing is written.
    excel_safe : bool, default=False
        Put an apostrophe before text, also column names, that a spreadsheet would
        take for a formula. Numbers stay numbers.
    index : bool, default=False
        Write the index as the first column or columns.

    Returns
    -------
    str, the text of the file.

    Warnings
    --------
    The apostrophe changes the text: leave `excel_safe` out for files that programs
    read back. Without it, do not open a stranger's table in a spreadsheet.

    Examples
    --------
    >>> table = pd.DataFrame({"name": ["=1+1", "a,b"], "f1": [0.1, 1 / 3]})
    >>> print(to_csv(table, excel_safe=True), end="")
    name,f1
    '=1+1,0.1
    "a,b",0.3333333333333333
    """
    whole = frame.reset_index() if index else frame
    names = [_csv_text(_label(name), excel_safe) for name in whole.columns]
    columns = [
        [_csv_cell(value, excel_safe) for value in _cells(whole.iloc[:, i])]
        for i in range(whole.shape[1])
    ]
    lines = [",".join(names), *(",".join(row) for row in zip(*columns, strict=True))]
    text = "\n".join(lines) + "\n"
    return _written(text, path)


def to_latex(
    frame: pd.DataFrame,
    path: str | Path | None = None,
    *,
    digits: int = 3,
    index: bool = False,
    bold: pd.DataFrame | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    r"""Write a table for LaTeX, with the rules of the booktabs package.

    All characters that LaTeX would act upon are escaped; control characters and
    bidirectional overrides are shown as escapes. A document needs
    ``\usepackage{booktabs}`` and ``\usepackage[T1]{fontenc}``.

    Parameters
    ----------
    frame : DataFrame
    path : str or Path, optional
        Where to write; without it nothing is written.
    digits : int, default=3
        Digits after the point of floats. Missing values are a dash.
    index : bool, default=False
        Write the index as the first column or columns.
    bold : DataFrame of bool, optional
        Which cells to set in bold, of the shape of `frame`.
    caption, label : str, optional
        With either, the table floats. A label has letters, digits and ``:._-`` only.

    Returns
    -------
    str, the text of the file.

    Warnings
    --------
    Rounding hides how close two numbers are; the CSV file has all digits.

    Examples
    --------
    >>> print(to_latex(pd.DataFrame({"data_set": ["50% off"], "f1": [0.5]})), end="")
    \begin{tabular}{lr}
    \toprule
    data\_set & f1 \\
    \midrule
    50\% off & 0.500 \\
    \bottomrule
    \end{tabular}
    """
    places = check_count("digits", digits, 0)
    if label is not None and not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
        raise InvalidInput(
            f"label is {label!r}; use letters, digits, colon, dot, underscore, hyphen"
        )
    if bold is not None and bold.shape != frame.shape:
        raise InvalidInput(
            f"bold has shape {bold.shape}, the table {frame.shape}; pass one bool for "
            "each cell"
        )
    strong = np.zeros(frame.shape, dtype=bool) if bold is None else bold.to_numpy(bool)
    whole = frame.reset_index() if index else frame
    extra = whole.shape[1] - frame.shape[1]
    strong = np.pad(strong, ((0, 0), (extra, 0)))
    kinds = "".join(
        "r" if pd.api.types.is_numeric_dtype(dtype) else "l" for dtype in whole.dtypes
    )
    lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines.append(_latex_row([latex_text(_label(name)) for name in whole.columns]))
    lines.append(r"\midrule")
    for cells, marks in zip(
        whole.itertuples(index=False, name=None), strong, strict=True
    ):
        texts = [_latex_cell(cell, places) for cell in cells]
        lines.append(
            _latex_row(
                rf"\textbf{{{text}}}" if mark else text
                for text, mark in zip(texts, marks, strict=True)
            )
        )
    lines += [r"\bottomrule", r"\end{tabular}"]
    if caption is not None or label is not None:
        top = [r"\begin{table}", r"\centering"]
        if caption is not None:
            top.append(rf"\caption{{{latex_text(caption)}}}")
        if label is not None:
            top.append(rf"\label{{{label}}}")
        lines = [*top, *lines, r"\end{table}"]
    return _written("\n".join(lines) + "\n", path)


def latex_text(text: object) -> str:
    r"""Escape a text so that LaTeX prints it and does nothing else.

    Examples
    --------
    >>> print(latex_text(r"50% of \input{x}"), latex_text("a\x07_b"))
    50\% of \textbackslash{}input\{x\} a\textbackslash{}x07\_b
    """
    return terminal_text(text).translate(_LATEX)


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(value: Any, digits: int) -> str:
    if _is_missing(value):
        return "--"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return latex_text(_plain(value))
    if isinstance(value, Integral):
        text = str(int(value))
    elif math.isinf(float(value)):
        text = r"$\infty$" if float(value) > 0 else r"-$\infty$"
    else:
        text = f"{float(value):.{digits}f}"
    return f"$-${text[1:]}" if text.startswith("-") else text


def _cells(column: pd.Series) -> Iterable[Any]:
    # A column gives its float32 out as float, with digits that nobody wrote.
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column


def _csv_cell(value: Any, excel_safe: bool) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, (bool, np.bool_, Real)):
        return str(value)
    return _csv_text(_plain(value), excel_safe)


def _csv_text(text: str, excel_safe: bool) -> str:
    if excel_safe and text.startswith(_FORMULA):
        text = "'" + text
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _plain(value: Any) -> str:
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return str(value)


def _label(name: Hashable) -> str:
    """Name of a column; the parts of a compound one are joined."""
    return " / ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _is_missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _written(text: str, path: str | Path | None) -> str:
    # A lone surrogate has no UTF-8; shown as an escape it cannot stop the file.
    data = text.encode("utf-8", errors="backslashreplace")
    if path is not None:
        write_whole(path, data)
    return data.decode("utf-8")
