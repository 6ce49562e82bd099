"""A matrix with numbers in its cells: who is taken for whom, who ranks where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.pages._canvas import text_width
from caveat.pages._model import Figure
from caveat.pages._prose import shorten

if TYPE_CHECKING:
    from caveat.pages._canvas import Canvas

_TINTS = ("page", "rank-3", "rank-2", "rank-1")
_STEPS = (0.05, 0.25, 0.5)  # of its row: from here on a cell is darker


def matrix(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    texts: Sequence[Sequence[str]] | None = None,
    heat: str = "share",
    down: str = "",
    across: str = "",
    **words: Any,
) -> Figure:
    """Draw numbers in cells, tinted by their share of the row or their rank.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        NaN leaves a cell empty.
    rows, columns : sequence of str
    texts : sequence of sequence of str, optional
        What the cells say; the numbers themselves if not given.
    heat : {"share", "rank"}
        ``share``: darker from 5, 25 and 50 % of the row. ``rank``: the three
        largest of every column.
    down, across : str
        What rows and columns are.
    **words : Any
        ``name``, ``title``, ``label``, ``conditions``, ``downloads``: as of `Figure`.
    """
    table = np.asarray(values, dtype=float)
    tints = _by_rank(table) if heat == "rank" else _by_share(table)
    if texts is None:
        texts = [["" if x != x else f"{x:g}" for x in row] for row in table]

    def draw(canvas: Canvas) -> None:
        most = 10 if canvas.phone else 22
        left = max((text_width(shorten(row, most)) for row in rows), default=0.5) + 0.2
        axes = canvas.axes(left, 0.1, canvas.width - left - 0.1, canvas.height - 0.75)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        for (r, c), tint in np.ndenumerate(tints):
            colour, edge = canvas.colour(_TINTS[tint]), canvas.colour("rule")
            box: dict[str, Any] = {"color": colour, "linewidth": 0, "zorder": 1}
            axes.fill_between([c - 0.5, c + 0.5], r - 0.5, r + 0.5, **box)
            axes.plot([c - 0.5, c + 0.5], [r + 0.5] * 2, color=edge, linewidth=0.6)
            ink = canvas.colour("ink")
            axes.text(c, r, texts[r][c], ha="center", va="center", color=ink, size=8)
        each = (canvas.width - left - 0.1) / max(len(columns), 1)
        letters = max(3, int(each / 0.075))
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(columns)), [shorten(c, letters) for c in columns])
        axes.set_yticks(range(len(rows)), [shorten(row, most) for row in rows])
        axes.tick_params(length=0)
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        canvas.text(left, canvas.height - 0.15, across, token="muted")
        canvas.text(0.05, canvas.height - 0.5, down, token="muted")

    return Figure.of_rows(len(rows), draw, above=0.85, **words)


def _by_share(table: NDArray[np.float64]) -> NDArray[np.int_]:
    """Which tint a cell has: by its share of the row's sum."""
    sums = np.nansum(np.abs(table), axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.nan_to_num(np.abs(table) / sums)
    return np.searchsorted(_STEPS, shares, side="right")


def _by_rank(table: NDArray[np.float64]) -> NDArray[np.int_]:
    """Which tint a cell has: 3 for the largest of its column; ties share."""
    larger = np.array([(table > row).sum(axis=0) for row in table])
    ranks = np.clip(3 - larger, 0, 3)
    return np.where(np.isnan(table), 0, ranks)
