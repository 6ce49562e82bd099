"""The leaderboard: a table per measure and selection rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from caveat.board._floors import (
    Floor,
    constant_answer,
    constant_learners,
    find_floor,
    mean_free,
    recorded,
)
from caveat.board._scores import Context, Counts, Scores, score
from caveat.board._study import Choice, Measure
from caveat.eapp.result import CLUSTERS
from caveat.pages import (
    Cell,
    Column,
    Prose,
    Row,
    Strip,
    Switch,
    Table,
    capital,
    count,
    fixed,
    name,
    plural,
    say,
    significant,
)
from caveat.pages.figures import interval_range

_MOST_ROWS = 1500  # over all views of a page: more would weigh megabytes
_MOST_BEST_SETS = 2000  # blocks over all views: each takes a test per learner
_NOT_COMPARABLE = "not comparable with its neighbours"


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
        Columns whose first cell has a caveat; the empty level is the overall mean.
    """
    tables = []
    for number, (measure, choice) in enumerate(shown_views(context), start=1):
        first = number == 1
        scores = context.scores if first else score(context.scorer, measure, choice)
        sets = number * len(scores.blocks) <= _MOST_BEST_SETS
        view = _View(context, scores, seconds, stars if first else {}, sets)
        file = "leaderboard" if first else f"leaderboard-{number}"
        tables.append(((measure.title, choice.title), view.table(file)))
    controls = ("Measure", "Chosen by")
    return Switch(f"{context.prefix}board", "learner", controls, tables)


def shown_views(context: Context) -> list[tuple[Measure, Choice]]:
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


@dataclass(frozen=True)
class _View:
    """Turns scores into a table: key columns first, so that phones show them."""

    context: Context
    scores: Scores
    seconds: pd.Series
    stars: Mapping[str, str]
    with_sets: bool

    @cached_property
    def places(self) -> int:
        return self.scores.places

    @cached_property
    def free(self) -> dict[str, float]:
        if self.scores.measure == self.context.measure:
            return self.context.free
        return self.context.scorer.free(self.scores.measure)

    @cached_property
    def levels(self) -> tuple[str, ...]:
        return ("", *self.context.study.levels)

    @cached_property
    def ranks(self) -> dict[str, float]:
        table = self.scores.rank_table
        return (
            {} if table is None else {str(k): float(v) for k, v in table.ranks.items()}
        )

    @cached_property
    def sets(self) -> dict[str, int] | None:
        """In how many blocks no test tells a learner from the first; None untested."""
        return (self.scores.best_set_counts or None) if self.with_sets else None

    @cached_property
    def floor(self) -> Floor:
        """What is reached without learning, by this view's measure."""
        if self.scores.measure == self.context.measure:
            return self.context.floor
        clusters = self.context.scorer.clusters(self.scores.measure)
        known = Floor(self.free_of(), CLUSTERS, clusters)
        return find_floor(self.context.study, self.scores, known)

    def free_of(self, level: str = "") -> float:
        return mean_free(self.context.study, self.free, level)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        known = self.scores.intervals
        anchors = [self.free_of()] if np.isfinite(self.free_of()) else []
        anchors += [known[one].mean for one in self.scores.order[:1] if one in known]
        ends = [(one.low, one.mean, one.high) for one in known.values()]
        return interval_range(ends, anchors, 0.04)

    def place(self, value: float | None) -> float | None:
        """Where a value lies on the strip: 0 to 1, or beyond if it is off the scale."""
        if value is None or not np.isfinite(value):
            return None
        low, high = self._ends
        return (value - low) / (high - low)

    def table(self, file: str) -> Table:
        """Assemble the table with its files."""
        measure, choice, study = (
            self.scores.measure,
            self.scores.choice,
            self.context.study,
        )
        chosen = f"chosen by {choice.title}" if choice.is_made else ""
        repeats = plural(self.scores.cells.repeats, "repeat")
        each = f"{repeats} each" if len(self.scores.blocks) > 1 else ""
        frame = self.frame()
        rows = [Row(self._cells(one, "reference"), "top") for one in study.references]
        rows += [Row(self._cells(one, "dot")) for one in self.scores.order]
        rows += self._floors()
        csv = self.context.csv(file, frame)
        bare = frame.drop(columns=["over", "measure", "rule"])
        return Table(
            name=f"{self.context.prefix}{file}",
            caption=say(
                "{unit} of every learner{by}",
                unit=name(measure.title),
                by=f", {chosen}" if chosen else "",
            ),
            columns=self._columns(),
            rows=rows,
            how="; ".join(filter(None, [each, chosen])),
            unit=measure.title,
            legend=self._legend(),
            conditions=self._conditions(),
            downloads=[csv, self.context.latex(file, bare, self.places)],
            look="board",
        )

    def frame(self) -> pd.DataFrame:
        """Give the table as it is downloaded: learners, references, then floors."""
        study = self.context.study
        rows = [self._row(one) for one in (*self.scores.order, *study.references)]
        rows += [
            {"learner": what, "mean": value, "kind": "floor"}
            for what, value in self._floor_values("").items()
            if np.isfinite(value)
        ]
        return pd.DataFrame(rows).assign(
            over=self.scores.over,
            measure=self.scores.measure.name,
            rule=self.scores.choice.name or "",
        )

    def _row(self, learner: str) -> dict[str, Any]:
        found, counted = self.scores.intervals.get(learner), self.scores.count(learner)
        reference = learner in self.context.study.references
        row: dict[str, Any] = {
            "learner": learner,
            "kind": "reference" if reference else "learner",
            "mean": found.mean if found else None,
            "low": found.low if found else None,
            "high": found.high if found else None,
            "average_rank": self.ranks.get(learner),
            "blocks": counted.given,
            "blocks_planned": counted.planned,
        }
        for level in self.context.study.levels:
            means = self.scores.level_means[level]
            row[f"mean {self.context.study.factor}={level}"] = means.get(learner)
        if self.sets is not None:
            row["best_set"] = self.sets.get(learner)
        if self.scores.choice.is_made:
            row["regret"] = self.scores.regrets.get(learner)
        row["seconds"] = self.seconds.get(learner)
        return row

    def _columns(self) -> list[Column]:
        measure, study = self.scores.measure, self.context.study
        best: Literal["max", "min"] = "max" if measure.direction == "max" else "min"
        term = f"{self.context.prefix}measure-{study.measures.index(measure)}"
        columns = [
            Column("Learner", "name", best="min"),
            Column(name(measure.title), best=best, sorted=True, term=term),
            Column("95\u00a0%\u00a0interval", "strip"),
        ]
        columns += [
            Column(name(study.level_title(level)), best=best) for level in study.levels
        ]
        if self.ranks:
            several = len(self.scores.blocks) > 1
            columns.append(Column("Average rank" if several else "Rank", best="min"))
        if self.sets is not None:
            tested = len(self.scores.best_sets)
            of = f", of {count(tested)}" if len(self.scores.blocks) > 1 else ""
            columns.append(Column(f"Not told from the first{of}", best="max"))
        if self.scores.choice.is_made:
            columns.append(Column("Regret", best="min"))
        return [*columns, Column("Seconds", best="min")]

    def _cells(self, learner: str, marker: Literal["dot", "reference"]) -> list[Cell]:
        names, study = self.context.names, self.context.study
        term = f"{self.context.prefix}learner-{list(names).index(learner)}"
        warned = bool(study.facts("learner", learner).get("warnings"))
        cells = [
            Cell(name(names[learner]), term=term, star=term if warned else ""),
            self._mean(learner, ""),
            Cell(strip=self._strip(learner, marker)),
            *(self._mean(learner, level) for level in study.levels),
        ]
        if self.ranks:
            cells.append(_number(self.ranks.get(learner), 2))
        if self.sets is not None:
            sets = self.sets.get(learner)
            tone = "" if sets else "muted"
            known = Cell(count(sets or 0), value=float(sets or 0), tone=tone)
            cells.append(Cell("") if sets is None else known)
        if self.scores.choice.is_made:
            digits = max(self.places, 3) if self.places >= 2 else self.places
            cells.append(_number(self.scores.regrets.get(learner), digits))
        time = self.seconds.get(learner)
        return [*cells, Cell(significant(time), value=time)]

    def _mean(self, learner: str, level: str) -> Cell:
        """Mean of a learner, overall or in one level, with what it leaves out."""
        counted, noun = self.scores.count(learner, level), self.context.study.noun
        if not counted.planned:
            return Cell("")
        if not counted.given and counted.open:
            return Cell("…", state="running", how="no result yet")
        if not counted.given:
            how = f"all {count(counted.planned)} {noun(counted.planned)} failed"
            return Cell("×", state="failed", how=how)
        mean = self.scores.level_means[level][learner]
        partial = counted.given < counted.planned
        first = self.stars and self._heat(learner, level) == 1
        part = f"{count(counted.given)}/{count(counted.planned)}"
        return Cell(
            fixed(mean, self.places),
            value=mean,
            heat=0 if partial else self._heat(learner, level),
            before=part if partial else "",
            state="partial" if partial else "",
            star=self.stars.get(level, "") if first else "",
            how=self._how(learner, level, counted),
            caveat=_NOT_COMPARABLE if partial else "",
            tone="" if level else "strong",
        )

    def _heat(self, learner: str, level: str) -> int:
        """First, second or third of those with all values; equal means share."""
        sign, means = self.scores.measure.sign, self.scores.level_means[level]
        whole = {
            one: sign * means[one]
            for one in self.context.study.learners
            if one in means and not self._misses(one, level)
        }
        if learner not in whole or len(whole) < 2:
            return 0
        place = 1 + sum(other > whole[learner] for other in whole.values())
        return place if place <= 3 else 0

    def _misses(self, learner: str, level: str) -> bool:
        counted = self.scores.count(learner, level)
        return counted.given < counted.planned

    def _how(self, learner: str, level: str, counted: Counts) -> str:
        given, planned = count(counted.given), count(counted.planned)
        of = f"{given} of {planned}" if given != planned else planned
        text = f"mean of {of} {self.context.study.noun(counted.planned)}"
        if len(self.scores.blocks) < 2:
            repeats = self.scores.cells.repeats
            text = f"mean of {count(repeats)} repeats" if repeats > 1 else "one run"
        found = self.scores.intervals.get(learner)
        if not level and found is not None and np.isfinite(found.low):
            low, high = fixed(found.low, self.places), fixed(found.high, self.places)
            text += f", 95\u00a0% interval {low} to {high} (over {self.scores.over})"
        return text

    def _strip(self, learner: str, marker: Literal["dot", "reference"]) -> Strip:
        found = self.scores.intervals.get(learner)
        return Strip(
            value=self.place(found.mean) if found else None,
            low=self.place(found.low) if found else None,
            high=self.place(found.high) if found else None,
            free=self.place(self.free_of()),
            reference=self._reference(),
            marker=marker,
        )

    def _reference(self) -> float | None:
        study, known = self.context.study, self.scores.intervals
        means = [known[one].mean for one in study.references if one in known]
        return self.place(means[0]) if means else None

    def _floor_values(self, level: str) -> dict[str, float]:
        """Give what is reached without learning, overall or in a level, by name."""
        found = {"Clusters (EAPP)": self.free_of(level)}
        study = self.context.study
        datasets = study.datasets_of(level)
        if not constant_learners(study):
            constant = constant_answer(study, self.scores)
            found["Constant answer"] = constant.of(datasets)
        for floor in recorded(study, self.scores):
            found[capital(floor.name)] = floor.of(datasets)
        if self.floor.is_mixed:
            found[capital(self.floor.name)] = self.floor.of(datasets)
        return found

    def _floors(self) -> list[Row]:
        """Give a row for every floor; one that is not known says so."""
        by_level = {level: self._floor_values(level) for level in self.levels}
        rows = []
        blank = len(self._columns()) - 3 - len(self.context.study.levels)
        for what, value in by_level[""].items():
            place = self.place(value)
            known = place is not None
            missing = Cell("–", state="missing", how="not known by this measure")
            strip = Strip(place, free=place, reference=self._reference(), marker="free")
            cells = [
                Cell(what),
                _number(value, self.places) if known else missing,
                Cell(strip=strip) if known else Cell(""),
                *(
                    _number(by_level[level].get(what, np.nan), self.places)
                    for level in self.context.study.levels
                ),
                *[Cell("")] * blank,
            ]
            rows.append(Row(cells, "bottom"))
        return rows

    def _legend(self) -> list[tuple[str, str]]:
        study, legend = self.context.study, list[tuple[str, str]]()
        if len(self.scores.intervals) > 1:
            legend += [("rank-1", "first"), ("rank-2", "second")]
            legend.append(("rank-3", "third in the column"))
        if any(self._misses(one, "") for one in study.learners):
            legend.append(("count", f"{study.noun.many} that gave a value"))
        if np.isfinite(self.free_of()):
            legend.append(("free", "what clusters reach"))
        if study.references:
            legend.append(("reference", "every label"))
        return legend

    def _conditions(self) -> Prose:
        scores = self.scores
        larger = "Larger" if scores.measure.direction == "max" else "Smaller"
        chosen = ""
        if scores.choice.is_made:
            never = "never sees the test part"
            sees = "reads true labels" if scores.choice.oracle else never
            chosen = f"; tuned by {scores.choice.title}, which {sees}"
        corrected = ", corrected for shared rows" if scores.over == "repeats" else ""
        ends = f"Intervals over {scores.over}, inside the measure's range{corrected}."
        if np.isfinite(self.free_of()):
            # Both go up and down with the split, so their difference is surer.
            ends += " The floor is held against a learner in pairs, split by split."
        return say(
            "{where}; {repeats}{chosen}. {larger} is better. {ends}",
            where=self.context.where,
            repeats=plural(scores.cells.repeats, "repeat"),
            chosen=chosen,
            larger=larger,
            ends="One run each, so no intervals." if scores.alone else ends,
        )


def _number(value: float | None, places: int) -> Cell:
    if value is None or not np.isfinite(value):
        return Cell("")
    return Cell(fixed(value, places), value=float(value))
