"""Section *Leaderboard*: who is best by what, and what that does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._board import leaderboard, view_count
from caveat.board.page._context import Context
from caveat.board.page._matrix import rank_matrix
from caveat.board.page._standings import Standings
from caveat.pages import (
    Block,
    Caveat,
    Paragraph,
    Prose,
    Section,
    Term,
    Terms,
    code,
    count,
    join,
    say,
    sentence,
    typed,
)

#: Measures whose value for a guess is 0.5, so that a rise above chance has a size.
_CHANCE_IS_HALF = ("auc", "roc_auc", "macro_auc", "micro_auc", "instance_auc")


@dataclass(frozen=True)
class BoardSection:
    """The leaderboard's section, piece by piece."""

    context: Context
    seconds: pd.Series

    def section(self) -> Section:
        """Assemble the section."""
        context = self.context
        stars = {level: one.name for level, one in self.below.items()}
        blocks: list[Block] = [leaderboard(context, self.seconds, stars)]
        shown, possible = view_count(context)
        if shown < possible:
            words = say(
                "{shown} of {possible} pairs of measure and selection rule are on this "
                "page; {measure} and {rule} bring any of them to the front.",
                shown=count(shown),
                possible=count(possible),
                measure=code("--measure"),
                rule=code("--rule"),
            )
            blocks.append(Paragraph(words))
        matrix = rank_matrix(context)
        if matrix is not None:
            blocks.append(matrix)
        blocks.append(self._terms())
        return Section(
            name="leaderboard",
            eyebrow="Leaderboard",
            heading=sentences.so_far(self._heading(), context.study.is_running),
            blocks=blocks,
            caveats=self._notes(),
            wide=True,
        )

    @property
    def best(self) -> str:
        """Who has the best mean."""
        return self.context.scores.order[0]

    def _heading(self) -> Prose:
        context, scores = self.context, self.context.scores
        mean = scores.intervals[self.best].mean
        ranks = scores.rank_table
        by_rank = context.names[ranks.ranks.index[0]] if ranks is not None else ""
        references = [
            scores.intervals[one].mean
            for one in context.study.references
            if one in scores.intervals
        ]
        free = context.free_of()
        return sentences.leaderboard_heading(
            by_rank=by_rank,
            by_mean=context.names[self.best],
            value=context.number(mean),
            unit=context.unit,
            to_reference=context.gap(mean - references[0]) if references else "",
            short=bool(references) and context.better(references[0], mean),
            to_free=context.gap(mean - free) if np.isfinite(free) else "",
            above=context.better(mean, free),
        )

    @cached_property
    def below(self) -> dict[str, Caveat]:
        """Levels in which no learner reaches the free part; empty for all of it."""
        found = {}
        context, study = self.context, self.context.study
        scores, total = context.scores, len(context.study.blocks)
        grid = Standings(context, scores, self.seconds, with_sets=False).means
        for number, (level, column) in enumerate(grid.items()):
            means = {one: column[one] for one in study.learners if one in column}
            blocks = (
                study.blocks[study.blocks["level"] == level] if level else study.blocks
            )
            free = context.free_of(level)
            if not means or not np.isfinite(free):
                continue
            best = max(means, key=lambda one: context.measure.sign * means[one])
            part = (
                f"{count(len(blocks))} of {count(total)} {study.noun(total)}."
                if level
                else ""
            )
            caveat = caveats.below_free_part(
                where=context.in_level(level),
                best=context.names[best],
                value=context.number(means[best]),
                free=context.number(free),
                reaches=context.better(means[best], free),
                part=part,
                size=context.relative(free - means[best]),
                star=f"{context.prefix}below-{number}",
            )
            if caveat is not None:
                found[level] = caveat
            # What holds on the whole need not be said of each part.
            if caveat is not None and not level:
                break
        return found

    def _notes(self) -> list[Caveat]:
        context, scores, study = self.context, self.context.scores, self.context.study
        choice = scores.choice
        silent = [
            context.names[one]
            for one in study.learners
            if one not in scores.intervals and not self._waits(one)
        ]
        free = context.free_of()
        found = [
            *self.below.values(),
            caveats.chosen_by_oracle(choice.title, choice.oracle),
            caveats.no_rule(*self._unchosen()),
            caveats.gave_nothing(silent, study.noun.many, len(study.blocks)),
            self._mostly_free(free),
            caveats.measures_disagree(self._leaders()),
            caveats.guessed_direction(
                [one.title for one in study.measures if one.guessed]
            ),
            caveats.one_repeat(scores.cells.repeats),
            caveats.copied_repeats(study.table.copies),
            caveats.no_free_part(
                asked=len(study.baseline) > 0,
                known=len(context.free),
                datasets=len(study.datasets),
                unit=context.unit,
            ),
        ]
        return [one for one in found if one is not None]

    def _waits(self, learner: str) -> bool:
        return self.context.scores.count(learner).open > 0

    def _unchosen(self) -> tuple[int, int]:
        """Count searches with several rows and no rule to choose by, and those rows."""
        table = self.context.study.table
        if self.context.scores.choice.name is not None or not len(table.code):
            return 0, 0
        rows = np.bincount(table.code[table.code >= 0], minlength=len(table.groups))
        several = rows > 1
        return int(several.sum()), int(rows[several].sum())

    def _mostly_free(self, free: float) -> Caveat | None:
        context = self.context
        best = context.scores.intervals[self.best].mean
        known = context.measure.name in _CHANCE_IS_HALF and best > 0.5 and free > 0.5
        return caveats.mostly_free(
            # Below the free part there is a graver caveat.
            share=(free - 0.5) / (best - 0.5) if known and free < best else 0.0,
            free=context.number(free),
            best=context.number(best),
            unit=context.unit,
        )

    def _leaders(self) -> dict[str, str]:
        """Best mean under every measure, chosen by the main rule."""
        context = self.context
        found = {}
        for measure in context.study.measures:
            scores = context.scorer.scores(measure, context.study.choices[0])
            if scores.intervals and scores.order[0] in scores.intervals:
                found[measure.title] = context.names[scores.order[0]]
        return found

    def _terms(self) -> Terms:
        """Say what measures and learners are, and when they mislead."""
        context, study = self.context, self.context.study
        terms = [
            _term(
                f"{context.prefix}measure-{number}",
                one.title,
                study.facts("measure", one.name),
            )
            for number, one in enumerate(study.measures)
        ]
        terms += [
            _term(
                f"{context.prefix}learner-{number}", title, study.facts("learner", one)
            )
            for number, (one, title) in enumerate(context.names.items())
        ]
        return Terms("What the names stand for, and when they mislead", terms)


def _term(identity: str, title: str, facts: Mapping[str, Any]) -> Term:
    summary, paper = facts.get("summary") or "", facts.get("paper") or ""
    parts = [sentence(str(part)) for part in (summary, paper) if part]
    warnings = typed(str(facts.get("warnings") or ""))
    return Term(identity, title, join(map(typed, parts)), warnings)
