"""Section *Honest selection*: what each rule gives up against the best row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.board.figures._regret import Regret, regret_figure
from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._context import Context
from caveat.pages import (
    Caveat,
    Figure,
    Notice,
    Section,
    Term,
    Terms,
    code,
    fixed,
    name,
    say,
    sentence,
    typed,
)
from caveat.statistics._intervals import Interval, mean_interval

_MOST_PANELS = 4


@dataclass(frozen=True)
class Regrets:
    """Mean regret of every rule, overall and per level of the factor."""

    context: Context

    @cached_property
    def _cells(self) -> dict[str, NDArray[np.float64]]:
        """Mean regret over repeats under each rule: blocks x learners."""
        scorer, measure = self.context.scorer, self.context.measure
        return {
            choice.name: scorer.scores(measure, choice).cells.regret
            for choice in self.context.study.choices
            if choice.name is not None
        }

    def interval(self, rule: str, level: str = "") -> Interval:
        """Mean over learners, blocks and repeats; the interval is over blocks.

        Within a single block it is over learners' means.
        """
        cells = self._cells[rule]
        if level:
            cells = cells[(self.context.study.blocks["level"] == level).to_numpy()]
        known = cells[np.isfinite(cells).any(axis=1)]
        units = np.nanmean(known, axis=1) if len(known) else np.empty(0)
        return mean_interval(units if len(units) > 1 else known.ravel())

    @cached_property
    def overall(self) -> dict[str, Interval]:
        """By rule, the smallest mean first; rules without a value are left out."""
        found = {rule: self.interval(rule) for rule in self._cells}
        known = {rule: one for rule, one in found.items() if one.n}
        return dict(sorted(known.items(), key=lambda item: item[1].mean))

    @property
    def oracles(self) -> list[str]:
        """Rules that read true labels."""
        choices = self.context.study.choices
        return [one.name for one in choices if one.oracle and one.name is not None]

    @cached_property
    def honest(self) -> dict[str, Interval]:
        """Rules that anybody could use."""
        return {r: one for r, one in self.overall.items() if r not in self.oracles}

    @cached_property
    def apart(self) -> list[str]:
        """Honest rules whose interval lies wholly above that of the best one."""
        if len(self.honest) < 2:
            return []
        best = next(iter(self.honest.values()))
        return [rule for rule, one in self.honest.items() if one.low > best.high]

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Levels that get a panel of their own."""
        levels = self.context.study.levels
        return levels if 1 < len(levels) <= _MOST_PANELS else ()

    @cached_property
    def by_level(self) -> dict[tuple[str, str], Interval]:
        """By rule and level."""
        return {
            (rule, level): self.interval(rule, level)
            for rule in self.overall
            for level in self.levels
        }

    def widest(self) -> tuple[str, str, str, float]:
        """Where honest rules differ most: level, worst and best rule, difference."""
        places = {"": self.honest}
        for level in self.levels:
            places[level] = {rule: self.by_level[rule, level] for rule in self.honest}
        found = ("", "", "", float("nan"))
        for level, rules in places.items():
            known = {rule: one.mean for rule, one in rules.items() if one.n}
            if len(known) < 2:
                continue
            worst, best = (
                max(known, key=known.__getitem__),
                min(known, key=known.__getitem__),
            )
            gap = known[worst] - known[best]
            if not gap <= found[3]:
                found = (level, worst, best, gap)
        return found

    def mean(self, rule: str, level: str) -> float:
        """Mean regret of a rule, overall for the empty level."""
        return (self.by_level[rule, level] if level else self.overall[rule]).mean


def selection_section(context: Context, regrets: Regrets) -> Section:
    """Say what tuning without true labels costs."""
    study = context.study
    places = regret_places(context)
    titles = {c.name: c.title for c in study.choices if c.name is not None}
    heading = sentences.selection_heading(
        {titles[r]: one.mean for r, one in regrets.honest.items()},
        {
            titles[r]: regrets.overall[r].mean
            for r in regrets.oracles
            if r in regrets.overall
        },
        context.unit,
        places,
    )
    blocks: list[Figure | Notice | Terms]
    if regrets.overall:
        blocks = [_figure(context, regrets), *_terms(context)]
    else:
        blocks = [
            Notice(
                say(
                    "Selection: not asked. A search ({search}) and {rules} in the "
                    "study file add it.",
                    search=code("search:"),
                    rules=code("selection:"),
                )
            )
        ]
    return Section(
        name="selection",
        eyebrow="Honest selection",
        heading=sentences.so_far(heading, study.is_running),
        blocks=blocks,
        caveats=_notes(context, regrets, titles),
    )


def regret_places(context: Context) -> int:
    """Decimals of regrets: differences are smaller than scores."""
    return max(context.places, 3) if context.places >= 2 else context.places


def _figure(context: Context, regrets: Regrets) -> Figure:
    study = context.study
    titles = {c.name: c.title for c in study.choices if c.name is not None}
    order = sorted(regrets.overall, key=lambda rule: rule in regrets.oracles)
    marks = []
    for rule in order:
        panels = [(level, regrets.by_level[rule, level]) for level in regrets.levels]
        for panel, one in panels or [("", regrets.overall[rule])]:
            shown = study.level_title(panel) if panel else ""
            marks.append(Regret(titles[rule], shown, one.mean, one.low, one.high))
    honest = [titles[rule] for rule in regrets.honest] or [titles[r] for r in order]
    places = regret_places(context)
    listed = ", ".join(
        f"{titles[rule]} {fixed(one.mean, places)}"
        for rule, one in regrets.overall.items()
    )
    frame = pd.DataFrame(
        [
            {
                "rule": rule,
                study.factor or "part": level or "all",
                "regret": one.mean,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "oracle": rule in regrets.oracles,
            }
            for (rule, level), one in {
                **{(rule, ""): one for rule, one in regrets.overall.items()},
                **regrets.by_level,
            }.items()
        ]
    )
    over = study.noun.many if len(study.blocks) > 1 else "learners"
    oracle = " Open: reads true labels." if regrets.oracles else ""
    return regret_figure(
        f"{context.prefix}regret",
        marks,
        worst=[titles[rule] for rule in regrets.apart],
        oracles=[titles[rule] for rule in regrets.oracles],
        unit=context.unit,
        title=sentences.so_far(
            sentences.regret_title(honest, [titles[r] for r in regrets.apart]),
            study.is_running,
        ),
        label=f"{context.unit} given up by each rule: {listed}.",
        conditions=say(
            "Regret: test {unit} of the best row against that of the chosen row, mean "
            "over learners and repeats, 95\u00a0% interval over {over}. Zero is the "
            "best row of each table, which nobody could know.{oracle}",
            unit=name(context.unit),
            over=over,
            oracle=oracle,
        ),
        downloads=[context.csv("regret", frame)],
    )


def _terms(context: Context) -> list[Terms]:
    terms = []
    for number, choice in enumerate(context.study.choices):
        facts = context.study.facts("rule", choice.name or "")
        if facts.get("summary") or facts.get("warnings"):
            terms.append(
                Term(
                    f"{context.prefix}rule-{number}",
                    choice.title,
                    typed(sentence(str(facts.get("summary") or ""))),
                    typed(str(facts.get("warnings") or "")),
                )
            )
    return [Terms("The rules", terms)] if terms else []


def _notes(context: Context, regrets: Regrets, titles: dict[str, str]) -> list[Caveat]:
    found = [caveats.rules_left_out(context.study.left_out)]
    level, worst, best, gap = regrets.widest()
    if np.isfinite(gap):
        places = regret_places(context)
        found.append(
            caveats.rules_differ(
                where=context.in_level(level),
                worst=titles[worst],
                high=fixed(regrets.mean(worst, level), places),
                best=titles[best],
                low=fixed(regrets.mean(best, level), places),
                unit=context.unit,
                apart=worst in regrets.apart,
                size=context.relative(gap),
            )
        )
    return [one for one in found if one is not None]
