"""Boards that people expect beside the leaderboard, each a table with its file.

Ranks per data set or world, wins against each other, strengths on the Elo scale,
improvability, effect sizes and the probability that a difference matters. They show;
the verdict is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from caveat.board._scores import FEWEST, Context
from caveat.board._study import CellFacts
from caveat.board._verdict import FEWEST_TESTED
from caveat.pages import (
    Cell,
    Column,
    Details,
    Notice,
    Table,
    capital,
    code,
    count,
    ends,
    fixed,
    name,
    percent,
    plural,
    say,
    shorten,
    word,
)
from caveat.statistics import (
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bradley_terry,
    cliffs_delta,
    common_language,
    improvability,
    share_interval,
    win_tie_loss,
)

_MOST_LEARNERS = 20
_ROPE = 0.01
_MOST_COLUMNS = 40
_MOST_BLOCKS = 60


def further_boards(context: Context) -> list[Details]:
    """Build all of them, folded; none with fewer than two learners that have values."""
    units, over = unit_table(context)
    if units.shape[1] < 2 or len(units) < 2:
        return []
    shown = [
        _wins(context, units, over),
        _strengths(context, units, over),
        _improvable(context, units, over),
        *_effects(context, units, over),
    ]
    return [Details(table.caption, [replace(table, titled=False)]) for table in shown]


def unit_table(context: Context) -> tuple[pd.DataFrame, str]:
    """Means of the units that learners share, and what those are.

    Blocks where there are several; the repeats of the only one otherwise.
    """
    scores = context.scores
    ours = [one for one in scores.order if one in scores.intervals][:_MOST_LEARNERS]
    if len(scores.blocks) > 1:
        noun = context.study.noun
        return scores.means[ours], noun.many
    return scores.by_repeat[ours].reset_index(drop=True), "repeats"


def _table(
    context: Context,
    file: str,
    title: str,
    frame: pd.DataFrame,
    columns: Sequence[Any],
    rows: Sequence[Sequence[Any]],
    conditions: str,
) -> Table:
    csv = context.csv(file, frame)
    latex = context.latex(file, frame, 3)
    return Table.of(
        f"{context.prefix}{file}",
        title,
        columns,
        rows,
        conditions=conditions,
        downloads=[csv, latex],
        titled=True,
    )


def _wins(context: Context, units: pd.DataFrame, over: str) -> Table:
    """Every learner against every other: wins, ties, losses, share with interval."""
    direction, independent = context.measure.direction, _independent(context, units)
    found = win_tie_loss(units, direction=direction)
    games = found["wins"] + found["ties"] + found["losses"]
    points = found["wins"] + found["ties"] / 2
    ends = [
        share_interval(p / n if n else 0.0, n) if independent else (np.nan, np.nan)
        for p, n in zip(points, games, strict=True)
    ]
    frame = found.assign(
        share=points / games, low=[e[0] for e in ends], high=[e[1] for e in ends]
    )
    order, names = list(units.columns), context.names
    cells = {(row.a, row.b): row for row in frame.itertuples()}
    rows = [
        [
            name(names[a]),
            *(_against(cells[a, b], over) if a != b else "" for b in order),
        ]
        for a in order
    ]
    columns = ["Row against column", *(name(names[one]) for one in order)]
    return _table(
        context,
        "wins",
        f"Wins, ties and losses over {plural(len(units), 'unit').split()[0]} {over}",
        frame,
        columns,
        rows,
        "A win by a hair counts as one by a mile. "
        + (
            "In brackets: 95\u00a0% interval of the share of wins in percent (Wilson), "
            "ties as halves."
            if independent
            else f"Counted, not tested: {_no_interval(over)}."
        ),
    )


def _independent(context: Context, units: pd.DataFrame) -> bool:
    """Whether units are data sets, enough of them for an interval over them.

    Worlds of one data set and repeats share rows: as coins they would be too sure.
    """
    study = context.study
    return len(units) >= FEWEST and len(study.blocks) == len(study.datasets) > 1


def _no_interval(over: str) -> str:
    """Say why there is no interval over the units."""
    if over == "data sets":
        return f"fewer than {word(FEWEST)} data sets give no interval"
    return f"{over} share rows, so that there is no interval"


def _against(row: object, over: str) -> Cell:
    wins, ties, losses = (int(getattr(row, k)) for k in ("wins", "ties", "losses"))
    share, low, high = (float(getattr(row, k)) for k in ("share", "low", "high"))
    shown, how = f"{wins}/{ties}/{losses}", f"{percent(share)} of {over}"
    if np.isfinite(low):
        how = f"{percent(share)} ({percent(low)} to {percent(high)}) of {over}"
        shown += f" ({100 * low:.0f} to {100 * high:.0f})"
    return Cell(shown, value=share, how=how)


def _strengths(context: Context, units: pd.DataFrame, over: str) -> Table:
    found = bradley_terry(units, direction=context.measure.direction, n_resamples=200)
    frame, rows = _by_learner(context, units, found, "elo", 0)
    strength = Column("Strength", best="max", sorted=True)
    return _table(
        context,
        "elo",
        "Strength on the Elo scale (Bradley-Terry)",
        frame,
        ["Learner", strength, "95\u00a0% interval"],
        rows,
        f"From wins over {over}, and half a win each way that every pair gets in "
        "advance; mean 1000, 400 more win ten times of eleven. Depends on who takes "
        f"part. {_ends_over(context, units, over, 'bootstrap')}",
    )


def _by_learner(
    context: Context, units: pd.DataFrame, found: pd.DataFrame, column: str, places: int
) -> tuple[pd.DataFrame, list[list[Cell]]]:
    """Give learners with a number and its interval, as a frame and as rows to show."""
    if not _independent(context, units):
        # Units that share rows give no interval.
        found = found.assign(low=np.nan, high=np.nan)
    frame = found.rename_axis("learner").reset_index()
    numbers = zip(
        frame["learner"], frame[column], frame["low"], frame["high"], strict=True
    )
    rows = [
        [
            name(context.names[str(learner)]),
            Cell.number(value, places),
            ends(low, high, places),
        ]
        for learner, value, low, high in numbers
    ]
    return frame, rows


def _ends_over(context: Context, units: pd.DataFrame, over: str, method: str) -> str:
    if _independent(context, units):
        return f"Interval: {method} over {over}."
    return f"{capital(_no_interval(over))}."


def _improvable(context: Context, units: pd.DataFrame, over: str) -> Table:
    floors = _floors(context, units)
    direction = context.measure.direction
    found = improvability(units, floors=floors, direction=direction)
    frame, rows = _by_learner(context, units, found, "mean", 2)
    way = Column("Improvability", best="min", sorted=True)
    last = "lowest" if context.measure.sign > 0 else "highest"
    start, one = f"the {last} mean", f"1: the {last} mean there"
    if floors is not None:
        start = "the floor"
        one = f"1: at the floor, {context.floor.name}; more: worse than it"
    used = int(frame["n"].max())
    rest = f", {count(used)} of {count(len(units))}: no floor is passed on the others"
    rest = rest if used < len(units) else ""
    return _table(
        context,
        "improvability",
        f"Improvability: the way from {start} to the first that is left open",
        frame,
        ["Learner", way, "95\u00a0% interval"],
        rows,
        f"0: first everywhere; {one}. Mean over {over}{rest}. "
        f"{_ends_over(context, units, over, 't')}",
    )


def _floors(context: Context, units: pd.DataFrame) -> np.ndarray | None:
    """Give the page's floor on every unit; None unless known for all."""
    floor, blocks = context.floor, context.study.blocks
    if len(blocks) > 1:
        known = np.array([floor.of([one]) for one in blocks["dataset"]])
    else:
        known = floor.on(context.scores.by_repeat.index).to_numpy(dtype=float)
    return None if np.isnan(known).any() or len(known) != len(units) else known


def _effects(context: Context, units: pd.DataFrame, over: str) -> Iterator[Table]:
    """Effect sizes of all pairs, and how probable it is that they matter."""
    sign, names = context.measure.sign, context.names
    ratio = context.study.test_share / (1 - context.study.test_share)
    data_sets = len(context.study.datasets)
    table = context.scores.by_repeat
    found = []
    for a, b in combinations(units.columns, 2):
        one, other = sign * units[a], sign * units[b]
        if data_sets >= FEWEST_TESTED:
            means = sign * table[[a, b]].groupby(level=0).mean()
            practical = bayesian_signed_rank_test(
                means[a], means[b], rope=_ROPE, n_samples=2000
            )
        else:
            pair = (sign * table[[a, b]]).groupby(level="repeat").mean()
            practical = bayesian_correlated_t_test(
                pair[a], pair[b], test_train_ratio=ratio, rope=_ROPE
            )
        found.append(
            {
                "a": a,
                "b": b,
                "difference": float((one - other).mean()),
                "cliffs_delta": cliffs_delta(one, other),
                "common_language": common_language(one, other),
                "p_better": practical.better,
                "p_same": practical.same,
                "p_worse": practical.worse,
            }
        )
    frame = pd.DataFrame(found)
    places = _places(frame["difference"])
    rows = [
        [
            say("{a} – {b}", a=name(names[row.a]), b=name(names[row.b])),
            Cell.number(row.difference, places),
            Cell.number(row.cliffs_delta, 2),
            *(
                Cell("" if p != p else _probability(p), value=None if p != p else p)
                for p in (row.p_better, row.p_same, row.p_worse)
            ),
        ]
        for row in frame.itertuples()
    ]
    columns = [
        "Pair",
        Column("Difference", best="max"),
        Column("Cliff's delta", best="max"),
        "Better",
        Column("Same", best="max"),
        "Worse",
    ]
    posterior = "Bayesian signed-rank test over data sets"
    if data_sets < FEWEST_TESTED:
        posterior = "Bayesian correlated t-test over repeats"
    yield _table(
        context,
        "effects",
        "Effect sizes, and how probable it is that they matter",
        frame,
        columns,
        rows,
        f"Difference of means over {over}. Better, same, worse: {posterior}; "
        f"differences up to {_ROPE} {context.unit} count as the same.",
    )


def _places(differences: pd.Series) -> int:
    """Decimals down a column in which no difference reads as none; six at most."""
    sizes = [abs(one) for one in differences if abs(one) > 1e-6]
    enough = [n for n in (3, 4, 5) if all(round(size, n) > 0 for size in sizes)]
    return enough[0] if enough else 6


def _probability(p: float) -> str:
    """Write a posterior probability in whole percent; it never is 0 or 1."""
    if p < 0.01:
        return "<\u00a01\u00a0%"
    if p > 0.99:
        return ">\u00a099\u00a0%"
    return f"{100 * p:.0f}\u00a0%"


def rank_matrix(context: Context) -> Table | Notice | None:
    """Build the matrix of ranks; a notice if it is too large, None without ranks."""
    scores = context.scores
    if scores.rank_table is None or len(scores.blocks) < 2:
        return None
    return _Matrix(context).block()


@dataclass(frozen=True)
class _Matrix:
    context: Context

    @cached_property
    def order(self) -> list[str]:
        table = self.context.scores.rank_table
        assert table is not None
        return list(table.ranks.index)

    @cached_property
    def places(self) -> dict[tuple[int, str], float]:
        """Rank by block and learner, where there is one."""
        table = self.context.scores.rank_table
        assert table is not None
        return {
            (int(block), str(learner)): float(rank)
            for learner, column in table.table.items()
            for block, rank in column.items()
            if np.isfinite(rank)
        }

    def block(self) -> Table | Notice:
        study, blocks = self.context.study, len(self.context.study.blocks)
        file = self.context.csv("ranks", self.frame())
        if len(self.order) > _MOST_COLUMNS or blocks > _MOST_BLOCKS:
            words = say(
                "Ranks per {one}: {learners} learners in {blocks} {many} do not fit on "
                "a page; they are in {file}.",
                one=study.noun.one,
                learners=count(len(self.order)),
                blocks=count(blocks),
                many=study.noun.many,
                file=code(file.name),
            )
            return Notice(words, files=[file])
        learners = [shorten(self.context.names[one], 24) for one in self.order]
        rows = [
            [
                name(str(study.blocks.at[block, "label"])),
                *(self._cell(int(block), one) for one in self.order),
            ]
            for block in study.blocks.index
        ]
        return Table.of(
            name=f"{self.context.prefix}ranks",
            caption=f"Ranks per {study.noun.one}",
            columns=[study.noun.one.capitalize(), *learners],
            rows=rows,
            legend=self._legend(),
            conditions=say(
                "By {unit}{over}; 1 is first, ties share. Ranks alone test nothing.",
                unit=name(self.context.unit),
                over=", mean over repeats" * (self.context.scores.cells.repeats > 1),
            ),
            downloads=[file],
            look="matrix",
            titled=True,
        )

    def frame(self) -> pd.DataFrame:
        """Tidy: one row per block and learner that was planned."""
        study = self.context.study
        pairs = zip(study.blocks["dataset"], study.blocks["world"], strict=True)
        rows = []
        for block, where in enumerate(pairs):
            for learner in (*study.learners, *study.references):
                facts = self.context.scores.cell(block, learner)
                if facts is not None:
                    rank = self.places.get((block, learner))
                    rows.append([*where, learner, *facts[:4], rank])
        counts = ["n", "planned", "incomplete"]
        columns = ["dataset", "world", "learner", "mean", *counts, "rank"]
        return pd.DataFrame(rows, columns=columns)

    def _cell(self, block: int, learner: str) -> Cell:
        facts = self.context.scores.cell(block, learner)
        if facts is None:
            return Cell("")
        if not facts.n and facts.open:
            return Cell("…", state="running", how="no result yet")
        if not facts.n:
            how = f"all {count(facts.planned)} searches failed"
            return Cell("×", state="failed", how=how)
        rank = self.places.get((block, learner))
        if rank is None:
            return Cell("–", state="missing", how="not all learners were run here")
        others = (self.places.get((block, one), np.inf) for one in self.order)
        place = 1 + sum(other < rank for other in others)
        return Cell(
            fixed(rank, 0 if rank.is_integer() else 1),
            value=rank,
            heat=place if place <= 3 else 0,
            state="partial" if facts.is_partial else "",
            how=self._how(facts),
        )

    def _how(self, facts: CellFacts) -> str:
        of = f"{facts.n} of {facts.planned}" if facts.n < facts.planned else facts.n
        text = f"{self.context.number(facts.mean)} {self.context.unit}"
        text = (
            f"mean {text} of {of} repeats" if facts.planned > 1 else f"{text}, one run"
        )
        if facts.incomplete:
            text += f", {facts.incomplete} of them chosen from part of a search"
        return text

    def _legend(self) -> list[tuple[str, str]]:
        cells = self.context.scores.cells
        legend = [("rank-1", "first"), ("rank-2", "second"), ("rank-3", "third")]
        given, silent = cells.n > 0, (cells.n == 0) & (cells.planned > 0)
        partial = (cells.n + cells.open < cells.planned) | (cells.incomplete > 0)
        if (given & partial).any():
            legend.append(("partial", "some trials failed or are missing"))
        if (silent & (cells.open == 0)).any():
            legend.append(("failed", "all failed, counted last"))
        if (silent & (cells.open > 0)).any():
            legend.append(("running", "no result yet"))
        return legend
