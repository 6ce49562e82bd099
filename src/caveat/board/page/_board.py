"""The leaderboard: one table per measure and selection rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from caveat.board.page._context import Context
from caveat.board.page._scores import Counts
from caveat.board.page._standings import Standings
from caveat.board.page._study import Choice, Measure
from caveat.pages import (
    Cell,
    Column,
    Prose,
    Row,
    Strip,
    Switch,
    Table,
    count,
    fixed,
    name,
    plural,
    say,
    significant,
)

_MOST_ROWS = 1500  # over all views of a page: more would weigh megabytes
_MOST_BEST_SETS = 4000  # blocks over all views: each takes a test per learner
NOT_COMPARABLE = "not comparable with its neighbours"


def leaderboard(
    context: Context, seconds: pd.Series, stars: Mapping[str, str]
) -> Switch:
    """Build every view of the leaderboard, the main one first.

    Parameters
    ----------
    context : Context
    seconds : Series
        Time of a search by learner.
    stars : mapping of level to caveat
        Columns whose best cell has a caveat; the empty level is the overall mean.
    """
    tables = []
    for number, (measure, choice) in enumerate(_views(context), start=1):
        first = number == 1
        scores = context.scores if first else context.scorer.scores(measure, choice)
        with_sets = number * len(scores.blocks) <= _MOST_BEST_SETS
        standings = Standings(context, scores, seconds, with_sets)
        file = "leaderboard" if first else f"leaderboard-{number}"
        table = _View(standings, stars if first else {}).table(file)
        tables.append(((measure.title, choice.title), table))
    controls = ("Measure", "Chosen by")
    return Switch(f"{context.prefix}board", "learner", controls, tables)


def view_count(context: Context) -> tuple[int, int]:
    """How many views are shown, and how many there could be."""
    study = context.study
    return len(_views(context)), len(study.measures) * len(study.choices)


def _views(context: Context) -> list[tuple[Measure, Choice]]:
    """All pairs of measure and rule that a page can hold, nearest to the main first."""
    study = context.study
    pairs = [
        (m, c, measure, choice)
        for m, measure in enumerate(study.measures)
        for c, choice in enumerate(study.choices)
    ]
    # The whole first row and first column of the grid, then the rest.
    pairs.sort(key=lambda pair: (bool(pair[0] and pair[1]), pair[0], pair[1]))
    most = max(1, _MOST_ROWS // (len(study.learners) + 2))
    return [(measure, choice) for *_, measure, choice in pairs[:most]]


class _View:
    """Turns standings into a table."""

    def __init__(self, standings: Standings, stars: Mapping[str, str]) -> None:
        self.standings, self.stars = standings, stars
        self.study, self.scores = standings.study, standings.scores
        self.context, self.places = standings.context, standings.places
        self.regret_places = max(self.places, 3) if self.places >= 2 else self.places

    def table(self, file: str) -> Table:
        """Assemble the table with its files."""
        measure, choice = self.scores.measure, self.scores.choice
        chosen = f"chosen by {choice.title}" if choice.is_made else ""
        repeats = plural(self.standings.repeats, "repeat")
        each = f"{repeats} each" if len(self.scores.blocks) > 1 else ""
        frame = self.standings.frame()
        return Table(
            name=f"{self.context.prefix}{file}",
            caption=say(
                "{unit} of every learner{by}",
                unit=name(measure.title),
                by=f", {chosen}" if chosen else "",
            ),
            columns=self._columns(),
            rows=self._rows(),
            how="; ".join(filter(None, [each, chosen])),
            unit=measure.title,
            legend=self._legend(),
            conditions=board_conditions(self.standings),
            downloads=[
                self.context.csv(file, frame),
                self.context.latex(
                    file, frame.drop(columns=["over", "measure", "rule"]), self.places
                ),
            ],
            look="board",
        )

    def _columns(self) -> list[Column]:
        measure, blocks = self.scores.measure, len(self.scores.blocks)
        best: Literal["max", "min"] = "max" if measure.direction == "max" else "min"
        ranked = self.standings.ranks is not None
        over = plural(self.standings.repeats, "repeat")
        if blocks > 1:
            over = plural(blocks, self.study.noun.one, self.study.noun.many)
        number = self.study.measures.index(measure)
        columns = [Column("Learner", "name", best="min")]
        if ranked:
            columns.append(Column("Average rank", best="min", sorted=True))
        columns.append(Column(f"Mean over {over}, 95\u00a0%\u00a0interval", "strip"))
        term = f"{self.context.prefix}measure-{number}"
        columns.append(
            Column(name(measure.title), best=best, sorted=not ranked, term=term)
        )
        columns += [
            Column(name(self.study.level_title(level)), best=best)
            for level in self.study.levels
        ]
        if self.standings.sets is not None:
            of = f", of {count(blocks)}" if blocks > 1 else ""
            columns.append(Column(f"Best set{of}", best="max"))
        if self.scores.choice.is_made:
            columns.append(Column("Regret", best="min"))
        return [*columns, Column("Seconds", best="min")]

    def _rows(self) -> list[Row]:
        rows = [
            Row(self._cells(one, "reference"), "top") for one in self.study.references
        ]
        rows += [Row(self._cells(one, "dot")) for one in self.standings.order]
        if np.isfinite(self.standings.free_of()):
            rows.append(Row(self._free_cells(), "bottom"))
        return rows

    def _cells(self, learner: str, marker: Literal["dot", "reference"]) -> list[Cell]:
        names, standings = self.context.names, self.standings
        term = f"{self.context.prefix}learner-{list(names).index(learner)}"
        warned = bool(self.study.facts("learner", learner).get("warnings"))
        cells = [Cell(name(names[learner]), term=term, star=term if warned else "")]
        if standings.ranks is not None:
            rank = standings.ranks.get(learner)
            cells.append(_number(rank, standings.rank_places))
        cells.append(Cell(strip=self._strip(learner, marker)))
        cells += [self._mean(learner, level) for level in ("", *self.study.levels)]
        if standings.sets is not None:
            sets = standings.sets.get(learner)
            tone = "" if sets else "muted"
            cells.append(
                Cell("")
                if sets is None
                else Cell(count(sets), value=float(sets), tone=tone)
            )
        if self.scores.choice.is_made:
            regret = self.scores.regrets.get(learner)
            cells.append(_number(regret, self.regret_places))
        time = standings.seconds.get(learner)
        return [*cells, Cell(significant(time), value=time)]

    def _mean(self, learner: str, level: str) -> Cell:
        """Mean of a learner, overall or in one level, with what it leaves out."""
        counted = self.scores.count(learner, level)
        noun = self.study.noun
        if not counted.planned:
            return Cell("")
        if not counted.given and counted.open:
            return Cell("…", state="running", how="no result yet")
        if not counted.given:
            how = f"all {count(counted.planned)} {noun(counted.planned)} failed"
            return Cell("×", state="failed", how=how)
        mean = self.standings.means[level][learner]
        partial = counted.given < counted.planned
        best = self.stars and learner == self.standings.best(level)
        return Cell(
            fixed(mean, self.places),
            value=mean,
            heat=self.standings.heat.get((level, learner), 0),
            before=f"{count(counted.given)}/{count(counted.planned)}"
            if partial
            else "",
            state="partial" if partial else "",
            star=self.stars.get(level, "") if best else "",
            how=self._how(learner, level, counted),
            caveat=NOT_COMPARABLE if partial else "",
            tone="" if level else "strong",
        )

    def _how(self, learner: str, level: str, counted: Counts) -> str:
        given, planned = count(counted.given), count(counted.planned)
        of = f"{given} of {planned}" if given != planned else planned
        text = f"mean of {of} {self.study.noun(counted.planned)}"
        if len(self.scores.blocks) < 2:
            text = f"mean of {plural(self.standings.repeats, 'repeat')}"
        found = self.scores.intervals.get(learner)
        if not level and found is not None and np.isfinite(found.low):
            low, high = fixed(found.low, self.places), fixed(found.high, self.places)
            text += f", 95\u00a0% interval {low} to {high} (t over {self.scores.over})"
        return text

    def _strip(self, learner: str, marker: Literal["dot", "reference"]) -> Strip:
        found = self.scores.intervals.get(learner)
        place = self.standings.place
        return Strip(
            value=place(found.mean) if found else None,
            low=place(found.low) if found else None,
            high=place(found.high) if found else None,
            free=place(self.standings.free_of()),
            reference=self._reference(),
            marker=marker,
        )

    def _reference(self) -> float | None:
        known = [o for o in self.study.references if o in self.scores.intervals]
        if not known:
            return None
        return self.standings.place(self.scores.intervals[known[0]].mean)

    def _free_cells(self) -> list[Cell]:
        standings = self.standings
        place = standings.place(standings.free_of())
        strip = Strip(place, free=place, reference=self._reference(), marker="free")
        cells = [Cell("EAPP, no labels")]
        if standings.ranks is not None:
            cells.append(Cell(""))
        cells.append(Cell(strip=strip))
        for level in ("", *self.study.levels):
            cells.append(_number(standings.free_of(level), self.places))
        if standings.sets is not None:
            cells.append(Cell(""))
        if self.scores.choice.is_made:
            cells.append(Cell(""))
        seconds = self.study.baseline["seconds"].dropna()
        time = float(seconds.median()) if len(seconds) else None
        return [*cells, Cell(significant(time), value=time)]

    def _legend(self) -> list[tuple[str, str]]:
        legend: list[tuple[str, str]] = []
        if self.standings.heat:
            legend += [("rank-1", "first"), ("rank-2", "second")]
            legend.append(("rank-3", "third in the column"))
        if any(self.standings.misses(one) for one in self.study.learners):
            legend.append(("count", f"{self.study.noun.many} that gave a value"))
        free = self.standings.free_of()
        if np.isfinite(free):
            legend.append(("free", f"free part, EAPP {fixed(free, self.places)}"))
        if self.study.references:
            legend.append(("reference", "every label"))
        return legend


def board_conditions(standings: Standings) -> Prose:
    """Under which conditions a leaderboard holds."""
    study, scores = standings.study, standings.scores
    larger = "Larger" if scores.measure.direction == "max" else "Smaller"
    chosen = ""
    if scores.choice.is_made:
        sees = (
            "reads true labels" if scores.choice.oracle else "never sees the test part"
        )
        chosen = f"; each learner tuned by {scores.choice.title}, which {sees}"
    each = f" per {study.noun.one}" if len(study.blocks) > 1 else ""
    return say(
        "{data}; {repeats}{each}{chosen}. {larger} is better. Intervals: t over "
        "{over}.",
        data=_data(standings),
        repeats=plural(standings.repeats, "repeat"),
        each=each,
        chosen=chosen,
        larger=larger,
        over=scores.over,
    )


def _data(standings: Standings) -> str:
    study = standings.study
    if len(study.datasets) > 1:
        return f"{count(len(study.datasets))} data sets"
    rows = study.facts("dataset", study.datasets[0]).get("rows")
    items = f", {count(int(rows))} items" if isinstance(rows, int) else ""
    return f"{study.datasets[0]}{items}"


def _number(value: float | None, places: int) -> Cell:
    if value is None or not np.isfinite(value):
        return Cell("")
    return Cell(fixed(value, places), value=float(value))
