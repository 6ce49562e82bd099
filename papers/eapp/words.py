"""What the parts of the page on EAPP are written with."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
CONSTANT, CHANCE = "a constant answer", 0.5
"""What is free before any cluster: the AUC of one answer for all rows."""


def read(name: str) -> pd.DataFrame:
    """Read one measured table."""
    return pd.read_csv(HERE / f"{name}.csv", dtype={"setting": str})


def words(text: str) -> str:
    """Set a paragraph."""
    return textwrap.fill(" ".join(text.split()), 118, break_on_hyphens=False)


def table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Write a table: the first column left, numbers right."""
    lines = [list(map(str, header)), ["---", *["---:"] * (len(header) - 1)]]
    lines += [[_cell(value) for value in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def claims(pairs: Sequence[tuple[str, str]]) -> str:
    """Put what the paper says beside what we find."""
    lines = ["| the paper says | we find |", "|---|---|"]
    return "\n".join(lines + [f"| {said} | {found} |" for said, found in pairs])


def by_k(frame: pd.DataFrame, column: str) -> str:
    """Write a row per setting, a column per k, and the value at 1/p0 at the end."""
    wide = frame.pivot(index="setting", columns="k", values=column)
    wide = wide.reindex(frame["setting"].unique())
    last = "value_paper" if column == "paper" else "value"
    values = frame.drop_duplicates("setting").set_index("setting")[last]
    rows: list[list[object]] = [[CONSTANT, *[CHANCE] * (wide.shape[1] + 1)]]
    rows += [[name, *wide.loc[name], values[name]] for name in wide.index]
    return table(["", *(f"k={k}" for k in wide.columns), "1/p₀"], rows)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "–" if value != value else f"{value:.3f}"
    return str(value)


def band(low: float, high: float) -> str:
    """Write a range."""
    return f"{low:.3f} to {high:.3f}"
