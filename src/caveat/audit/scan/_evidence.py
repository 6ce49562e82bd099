"""The table as every part of the scan sees it, and what each question scored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caveat.audit.scan._additive import Additive
from caveat.audit.scan._column import Column
from caveat.audit.scan._questions import ABOUT_CELLS, Question
from caveat.audit.scan._single_question import Score
from caveat.audit.scan._target import Target

_MODEL_CELLS = 1_000_000
_MODEL_COLUMNS = 120


@dataclass(frozen=True, eq=False)
class Evidence:
    """What has been asked and answered of one table.

    Attributes
    ----------
    columns : tuple of Column
    target : Target
    fold : array of int
    questions, scores : tuple of Question and of Score, side by side
    looks : int
        How many questions were asked; p-values are paid for by it.
    row_numbers : array of int
        Where the rows stand in the whole table.
    groups, time : str or None
        Columns that the user gave these roles.
    seed : int
    """

    columns: tuple[Column, ...]
    target: Target
    fold: NDArray[np.intp]
    questions: tuple[Question, ...]
    scores: tuple[Score, ...]
    row_numbers: NDArray[np.intp]
    groups: str | None = None
    time: str | None = None
    seed: int = 0
    rest: dict[frozenset[str], float] = field(default_factory=dict)

    @property
    def looks(self) -> int:
        """How many questions were asked."""
        return max(1, len(self.questions))

    @cached_property
    def smaller(self) -> Evidence:
        """The same on as many rows as models and pairs need; scores stay."""
        rows = len(self.target)
        most = int(np.clip(_MODEL_CELLS // max(1, len(self.columns)), 1_000, 10_000))
        if rows <= most:
            return self
        rng = np.random.default_rng([self.seed, 10])
        return self.only(np.sort(rng.choice(rows, most, replace=False)))

    def only(self, chosen: NDArray[np.intp]) -> Evidence:
        """Keep some rows; scores stay."""
        return replace(
            self,
            columns=tuple(one.rows(chosen) for one in self.columns),
            target=self.target.rows(chosen),
            fold=self.fold[chosen],
            row_numbers=self.row_numbers[chosen],
            rest={},
        )

    @cached_property
    def model(self) -> Additive:
        """The quick model on all columns but dates."""
        small = self.smaller
        return Additive(small.telling, small.target, small.fold)

    @property
    def is_wide(self) -> bool:
        """Whether models are made of some columns only."""
        return len(self.columns) > _MODEL_COLUMNS

    @cached_property
    def telling(self) -> list[Column]:
        """The columns that models are made of: of many, those that tell most alone."""
        usable = [one for one in self.columns if one.kind not in ("date", "empty")]
        if not self.is_wide:
            return usable
        alone = {
            question.column: score.value for question, score in self.answers("value")
        }
        usable.sort(key=lambda one: -alone.get(one.name, 0.0))
        return usable[:_MODEL_COLUMNS]

    def without(self, *names: str) -> float:
        """Return what all other columns tell together."""
        key = frozenset(names)
        if key not in self.rest:
            self.rest[key] = self.model.score(without=key)
        return self.rest[key]

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        return next(one for one in self.columns if one.name == name)

    def answers(self, about: str) -> list[tuple[Question, Score]]:
        """Questions of one sort with their scores, best first."""
        found = [
            (question, score)
            for question, score in zip(self.questions, self.scores, strict=True)
            if question.about == about and np.isfinite(score.value)
        ]
        return sorted(found, key=lambda pair: -pair[1].value)

    @property
    def tells(self) -> bool:
        """Whether the cells of any one column tell something of the target."""
        return any(
            self.is_told(score)
            for about in ABOUT_CELLS
            for _, score in self.answers(about)
        )

    def answer(self, name: str, about: str) -> Score | None:
        """Return the score of one column's question of one sort."""
        return next(
            (score for asked, score in self.answers(about) if asked.column == name),
            None,
        )

    def is_told(self, score: Score) -> bool:
        """Whether a score is beyond chance, paid for all questions."""
        return score.p_value * self.looks < 0.01
