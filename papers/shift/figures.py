"""The paper's figures across data sets, from a ledger or any tidy frame.

    python -m papers.shift.figures LEDGER FOLDER

draws what the ledger's scenarios allow: Figure 3 (each column alone, beside its
correlation), 4 (loss against what vanished), 5 (all columns against fewer), 9 (most,
least and random) and 10 (the way of every data set from nothing gone to all). Accuracy
for classes, RMSE for numbers. Measures nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from caveat.exceptions import InvalidInput
from caveat.study import Ledger
from papers.shift.observations import closed_and_shifted, importance_and_loss
from papers.shift.points import larger_is_better, pick

_ACROSS = 4
_ORDERED = ("single", "most", "least")
_WAYS = {"most": "#1f5fa8", "random": "#b8860b", "least": "#2e7d32"}


def with_importance(
    frame: pd.DataFrame, importance: Mapping[str, pd.Series]
) -> pd.DataFrame:
    """Add what vanished, in total, to a frame of curves that does not say it.

    Parameters
    ----------
    frame : DataFrame
        Tidy results with `column` in the rows of ``single``.
    importance : mapping of str to Series
        Data set to the importance of its columns.
    """

    def total(row: Any) -> float:
        if row.scenario not in _ORDERED or row.k == 0:
            return 0.0 if row.k == 0 else np.nan
        sizes = importance[row.dataset].abs().sort_values()
        if row.scenario == "single":
            return float(sizes[row.column])
        gone = sizes.tail(int(row.k)) if row.scenario == "most" else sizes[: int(row.k)]
        return float(gone.sum())

    return frame.assign(importance=[total(row) for row in frame.itertuples()])


def draw_all(frame: pd.DataFrame) -> dict[str, Figure]:
    """Draw the figures that there are curves for.

    Parameters
    ----------
    frame : DataFrame
        Tidy results: `dataset`, `model` or `learner`, `scenario`, `measure`, `k`,
        `degree`, `value`, `importance`.

    Returns
    -------
    dict of str to matplotlib Figure : ``figure-3`` and so on.
    """
    rows = pick(frame, ["dataset", "scenario", "measure", "k", "degree", "value"])
    rows = rows[rows["measure"].isin(["accuracy", "rmse"])]
    if "model" not in rows.columns:
        rows = rows.rename(columns={"learner": "model"})
    if "imputation" in rows.columns and rows["imputation"].nunique() > 1:
        first = rows["imputation"].iloc[0]
        rows = rows[rows["imputation"] == first]
    there = set(rows["scenario"])
    plans: dict[str, tuple[set[str], Callable[[pd.DataFrame], Figure]]] = {
        "figure-3": ({"single"}, _single),
        "figure-4": ({"most", "least"}, _sums),
        "figure-5": ({"random"}, _closed),
        "figure-9": ({"most", "least", "random"}, _three_ways),
        "figure-10": ({"most", "least"}, _trajectories),
    }
    able = {name: draw for name, (needs, draw) in plans.items() if needs <= there}
    found = {name: draw(rows) for name, draw in able.items()}
    if not found:
        raise InvalidInput(
            f"the curves are of {', '.join(sorted(there))}; a figure needs single, or "
            "random, or most and least"
        )
    return found


def _mean(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Average over splits, then give mean and range over models."""
    each = rows.groupby([*by, "model"], sort=False)["value"].mean()
    return each.groupby(by, sort=False).agg(["mean", "min", "max"]).reset_index()


def _panels(
    rows: pd.DataFrame, title: str, draw: Callable[[Any, str, pd.DataFrame], None]
) -> Figure:
    """Draw a panel for every data set, on one figure."""
    names = list(rows["dataset"].unique())
    down = -(-len(names) // _ACROSS)
    figure = Figure(figsize=(3.1 * min(_ACROSS, len(names)), 2.5 * down + 0.5))
    grid = figure.subplots(down, min(_ACROSS, len(names)), squeeze=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    for panel in grid.flat[len(names) :]:
        panel.set_axis_off()
    for panel, name in zip(grid.flat, names, strict=False):
        mine = rows[rows["dataset"] == name]
        panel.set_title(f"{name}, {mine['measure'].iloc[0]}", fontsize=9, loc="left")
        panel.tick_params(labelsize=7)
        draw(panel, str(name), mine)
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    return figure


def _single(frame: pd.DataFrame) -> Figure:
    """Figure 3: each column alone, the least correlated first."""
    rows = frame[(frame["scenario"] == "single") & (frame["k"] == 1)]
    title = "Each column gone alone: mean over models (line, range) and |correlation|"

    def draw(panel: Any, name: str, mine: pd.DataFrame) -> None:
        size = mine.groupby("column")["importance"].mean().sort_values()
        told = _mean(mine, ["column"]).set_index("column").loc[size.index]
        at = np.arange(len(size))
        panel.plot(at, told["mean"], color="#1f5fa8", marker="o", markersize=2.5)
        panel.fill_between(at, told["min"], told["max"], color="#1f5fa8", alpha=0.15)
        other = panel.twinx()
        other.bar(at, size.to_numpy(), color="#999999", alpha=0.35)
        other.set_ylim(0, 1)
        other.tick_params(labelsize=7)
        few = at if len(at) <= 12 else []
        panel.set_xticks(few, [str(size.index[n])[:10] for n in few], rotation=60)

    return _panels(rows, title, draw)


def _sums(frame: pd.DataFrame) -> Figure:
    """Figure 4: the loss against the sum of the correlations of what is gone."""
    points, found = _observed(frame)
    figure = Figure(figsize=(5.2, 3.8))
    axes = figure.subplots()
    for name, mine in points.groupby("dataset", sort=False):
        axes.scatter(mine["x"], mine["z"], s=8, label=name)
    axes.set_xlabel("sum of |correlation| of the columns that are gone")
    axes.set_ylabel("relative loss, mean over models")
    axes.legend(fontsize=6, ncols=2)
    axes.set_title(
        f"r = {found.pooled:.2f} over all points ({found.low:.2f} to {found.high:.2f}, "
        f"data sets resampled)\nmean over data sets {found.mean:.2f}",
        fontsize=9,
        loc="left",
    )
    figure.tight_layout()
    return figure


def _observed(frame: pd.DataFrame) -> tuple[pd.DataFrame, Any]:
    """Correlate loss and importance; each column's is read from the sums of most."""
    most = frame[frame["scenario"] == "most"]
    sizes = {}
    for name, mine in most.groupby("dataset", sort=False):
        steps = range(int(mine["k"].max()) + 1)
        total = mine.groupby("k")["importance"].mean().reindex(steps)
        # Steps of a large table may be left out; then what is known is spread evenly.
        each = np.diff(total.interpolate().fillna(0.0).to_numpy())
        sizes[str(name)] = pd.Series(each)
    found = importance_and_loss(frame, sizes)
    return found.points, found


def _closed(frame: pd.DataFrame) -> Figure:
    """Figure 5: a dot per model, all columns against the mean over fewer."""
    rows = frame[frame["scenario"] == "random"]
    told = closed_and_shifted(rows)
    title = "A dot per model: with all columns (across), mean over all degrees (up)"

    def draw(panel: Any, name: str, mine: pd.DataFrame) -> None:
        closed = mine[mine["k"] == 0].groupby("model")["value"].mean()
        fewer = mine[mine["k"] > 0].groupby("model")["value"].mean()[closed.index]
        panel.scatter(closed, fewer, s=12, color="#1f5fa8")
        ends = [min(closed.min(), fewer.min()), max(closed.max(), fewer.max())]
        panel.plot(ends, ends, color="#999999", linewidth=0.8, linestyle="--")
        one = told.loc[name]
        panel.set_xlabel(
            f"r = {one['pearson']:.2f} ({one['low']:.2f} to {one['high']:.2f}), "
            f"{int(one['models'])} models",
            fontsize=7,
        )

    return _panels(rows, title, draw)


def _three_ways(frame: pd.DataFrame) -> Figure:
    """Figure 9: the most, the least important first, and any."""
    rows = frame[frame["scenario"].isin(_WAYS)]
    title = "Mean over models (range shaded): most important first, random, least first"

    def draw(panel: Any, name: str, mine: pd.DataFrame) -> None:
        for way, colour in _WAYS.items():
            told = _mean(mine[mine["scenario"] == way], ["k", "degree"])
            told = told.sort_values("k")
            panel.plot(told["degree"], told["mean"], color=colour, label=way)
            panel.fill_between(
                told["degree"], told["min"], told["max"], color=colour, alpha=0.08
            )
        panel.set_xlabel("share of the columns that are gone", fontsize=7)

    figure = _panels(rows, title, draw)
    figure.axes[0].legend(fontsize=6)
    return figure


def _trajectories(frame: pd.DataFrame) -> Figure:
    """Figure 10: the score against the sum of what is gone, step by step."""
    rows = frame[frame["scenario"].isin(["most", "least"])]
    title = "Mean over models against the sum of |correlation| of what is gone"

    def draw(panel: Any, name: str, mine: pd.DataFrame) -> None:
        up = larger_is_better(str(mine["measure"].iloc[0]))
        for way in ("most", "least"):
            part = mine[mine["scenario"] == way]
            told = _mean(part, ["k"]).sort_values("k").set_index("k")
            size = part.groupby("k")["importance"].mean()[told.index]
            panel.plot(size, told["mean"], color=_WAYS[way], marker="o", markersize=2,
                       label=f"{way} first")  # fmt: skip
        panel.set_xlabel("sum gone" + ("" if up else "; lower is better"), fontsize=7)

    figure = _panels(rows, title, draw)
    figure.axes[0].legend(fontsize=6)
    return figure


def save(figures: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Write SVG files; the same curves write the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context({"svg.hashsalt": "caveat", "svg.fonttype": "none"}):
        for name, figure in figures.items():
            written.append(folder / f"{name}.svg")
            figure.savefig(written[-1], metadata={"Date": None})
    return written


def main(ledger: str, folder: str) -> None:
    """Draw the figures of a ledger."""
    frame = Ledger(ledger).records().curves("shift")
    for path in save(draw_all(frame), Path(folder)):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
