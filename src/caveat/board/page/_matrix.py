"""The matrix of ranks: every learner in every world, by the main measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from caveat.board.page._blocks import bare_name
from caveat.board.page._cells import CellFacts
from caveat.board.page._context import Context
from caveat.board.page._sentences import matrix_title, so_far
from caveat.pages import (
    Cell,
    Column,
    Notice,
    Row,
    Table,
    code,
    count,
    fixed,
    name,
    say,
    shorten,
)

_MOST_COLUMNS = 40
_MOST_ROWS = 60
_SHORT = 7  # characters that fit above a narrow column


def rank_matrix(context: Context) -> Table | Notice | None:
    """Build the matrix; a notice if it is too large, None if there are no ranks."""
    scores = context.scores
    if scores.rank_table is None or len(scores.blocks) < 2:
        return None
    return _Matrix(context).block()


@dataclass(frozen=True)
class _Matrix:
    context: Context

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """Rank of each learner in each block: blocks x learners."""
        table = self.context.scores.rank_table
        assert table is not None
        return table.table.reindex(self.context.study.blocks.index)

    @cached_property
    def order(self) -> list[str]:
        table = self.context.scores.rank_table
        assert table is not None
        return list(table.ranks.index)

    @cached_property
    def parts(self) -> list[str]:
        """Columns of the blocks that tell neighbours apart."""
        blocks = self.context.study.blocks
        parts = [c for c in blocks.columns if c.startswith("scenario.")]
        if blocks["dataset"].nunique() > 1:
            parts = ["dataset", *parts]
        grouped = f"scenario.{self.context.study.factor}"
        if self.context.study.factor == "data set":
            grouped = "dataset"
        return [part for part in parts if part != grouped] or ["label"]

    @cached_property
    def titles(self) -> list[list[str]]:
        """What each block is called, part by part."""
        blocks = self.context.study.blocks
        return [[str(row[p]) for p in self.parts] for _, row in blocks.iterrows()]

    def block(self) -> Table | Notice:
        learners, blocks = len(self.order), len(self.ranks)
        narrow = all(len(part) <= _SHORT for title in self.titles for part in title)
        if narrow and blocks <= _MOST_COLUMNS:
            return self._wide()
        if learners <= _MOST_COLUMNS and blocks <= _MOST_ROWS:
            return self._tall()
        file = self.context.csv("ranks", self.frame())
        return Notice(
            say(
                "Ranks per {one}: {learners} learners in {blocks} {many} do not fit on "
                "a page; they are in {file}.",
                one=self.context.study.noun.one,
                learners=count(learners),
                blocks=count(blocks),
                many=self.context.study.noun.many,
                file=code(file.name),
            ),
            files=[file],
        )

    def _wide(self) -> Table:
        """Learners in rows, as long as names of worlds are short."""
        study = self.context.study
        first, *rest = self.parts
        columns = [
            Column(name(_heading(first)), "name", below=" ".join(map(_heading, rest)))
        ]
        for title in self.titles:
            columns.append(Column(title[0], below=" ".join(title[1:])))
        rows = [
            Row(
                [
                    Cell(name(self.context.names[one])),
                    *(self._cell(block, one) for block in self.ranks.index),
                ]
            )
            for one in self.order
        ]
        levels = study.blocks["level"]
        groups = [
            (study.level_title(level), int((levels == level).sum()))
            for level in study.levels
        ]
        return self._table(columns, rows, groups)

    def _tall(self) -> Table:
        """Worlds in rows, where their names would not fit above columns."""
        study = self.context.study
        columns = [Column(study.noun.one.capitalize(), "name")]
        columns += [Column(shorten(self.context.names[one], 24)) for one in self.order]
        rows = [
            Row(
                [
                    Cell(name(str(study.blocks.at[block, "label"]))),
                    *(self._cell(block, one) for one in self.order),
                ]
            )
            for block in self.ranks.index
        ]
        return self._table(columns, rows, [])

    def _table(
        self, columns: list[Column], rows: list[Row], groups: list[tuple[str, int]]
    ) -> Table:
        study, scores = self.context.study, self.context.scores
        chosen = f", chosen by {scores.choice.title}" if scores.choice.is_made else ""
        return Table(
            name=f"{self.context.prefix}ranks",
            caption=so_far(
                matrix_title(self._firsts(), len(self.ranks), study.noun.many),
                study.is_running,
            ),
            columns=columns,
            rows=rows,
            groups=groups,
            legend=self._legend(),
            conditions=say(
                "Rank of each learner in each {one} by mean {unit} over "
                "repeats{chosen}; 1 is best, ties share.",
                one=study.noun.one,
                unit=name(self.context.unit),
                chosen=chosen,
            ),
            downloads=[self.context.csv("ranks", self.frame())],
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
        return Cell(
            fixed(rank, 0 if rank.is_integer() else 1),
            value=rank,
            heat=self._heat(block, rank),
            state="partial" if facts.is_partial else "",
            how=self._how(facts),
        )

    @cached_property
    def places(self) -> dict[tuple[int, str], float]:
        """Rank by block and learner, where there is one."""
        return {
            (block, learner): rank
            for block, ranks in zip(self.ranks.index, self._rows_of_ranks, strict=True)
            for learner, rank in zip(self.ranks.columns, ranks, strict=True)
            if np.isfinite(rank)
        }

    @property
    def _rows_of_ranks(self) -> list[list[float]]:
        return self.ranks.to_numpy(dtype=float).tolist()

    def _heat(self, block: int, rank: float) -> int:
        """First, second or third; those who tie share the better place."""
        others = (self.places.get((block, one), np.inf) for one in self.order)
        place = 1 + sum(other < rank for other in others)
        return place if place <= 3 else 0

    def _how(self, facts: CellFacts) -> str:
        mean = self.context.number(facts.mean)
        of = (
            f"{facts.n} of {facts.planned}"
            if facts.n < facts.planned
            else facts.planned
        )
        text = f"mean {mean} {self.context.unit} of {of} repeats"
        if facts.incomplete:
            text += f", {facts.incomplete} of them chosen from part of a search"
        return text

    def _firsts(self) -> dict[str, dict[str, int]]:
        """Count first places, shared ones too, by level and learner."""
        levels = dict(self.context.study.blocks["level"])
        found = {
            level: dict.fromkeys(self.titles_of_learners.values(), 0)
            for level in (self.context.study.levels or ("",))
        }
        for (block, learner), rank in self.places.items():
            if self._heat(block, rank) == 1:
                found[levels[block]][self.titles_of_learners[learner]] += 1
        study = self.context.study
        return {study.level_title(level): counts for level, counts in found.items()}

    @property
    def titles_of_learners(self) -> dict[str, str]:
        """Learners, best first, as pages spell them."""
        return {one: self.context.names[one] for one in self.order}

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


def _heading(column: str) -> str:
    """Name of a part of a world above the learners."""
    return " " if column == "label" else bare_name(column)
