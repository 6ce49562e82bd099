"""What was not seen, what was not done, and under which conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from caveat.pages._model import Words
from caveat.pages._numbers import count, fixed, sentence
from caveat.pages._prose import Prose, prose, say, strong
from caveat.pages.claims._claim import Claim
from caveat.pages.claims._estimate import Estimate, score, started, written

_NUMBERS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True)
class Condition(Claim):
    """A plain fact: a count, a setting, what was left out. It compares nothing.

    `sentence` is written by the topic; `counts` are the numbers in it. `estimate` is
    the number that it turns on, where there is one.
    """

    sentence: Words = ""
    counts: tuple[float, ...] = ()
    estimate: Estimate | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The number that it turns on."""
        return () if self.estimate is None else (self.estimate,)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in its sentence."""
        own = () if self.estimate is None else self.estimate.numbers
        return (*self.counts, *own)

    @property
    def words(self) -> Prose:
        """The sentence as the topic wrote it."""
        return prose(self.sentence)


def remarks(notes: Iterable[str], **more: Any) -> Iterator[Condition]:
    """Say what was noted on the way, each in a sentence of its own."""
    for note in notes:
        told = [text.replace(",", "") for text in _NUMBERS.findall(note)]
        counts, words = tuple(map(float, told)), sentence(note)
        yield Condition(**{"severity": "note", **more}, sentence=words, counts=counts)


@dataclass(frozen=True)
class Absence(Claim):
    """Nothing was seen, and how large it would have had to be.

    Attributes
    ----------
    of : Prose, Span or str
        What was looked for.
    estimate : Estimate
        What was measured.
    smallest_seen : float or None
        The smallest effect that would have been seen at this size.
    """

    of: Words
    estimate: Estimate
    smallest_seen: float | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """What was measured."""
        return (self.estimate,)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The measured value and the smallest effect."""
        more = () if self.smallest_seen is None else (self.smallest_seen,)
        return (*self.estimate.numbers, *more)

    @property
    def words(self) -> Prose:
        """Say that nothing was seen, and what would have been."""
        words = self._say(written(self.estimate))
        if self.smallest_seen is not None:
            size = fixed(self.smallest_seen, 2)
            words += f"; an effect of {size} would have been seen"
        return started(words + ".")

    @property
    def short(self) -> Prose:
        """Say that nothing was seen."""
        return started(self._say(score(self.estimate)) + ".")

    @property
    def headed(self) -> Prose:
        """Say that nothing was seen, with the interval."""
        return started(self._say(written(self.estimate)) + ".")

    def _say(self, number: Prose) -> Prose:
        return say("no sign of {what} at this size: {n}", what=self.of, n=number)


@dataclass(frozen=True)
class Unfinished(Claim):
    """What was planned and not done; counted beside what it could change.

    `leads`: whether it could change everything, as in a study that still runs; it is
    then the title, and what else was found stands below it as "so far".
    """

    what: Words
    done: int
    planned: int
    leads: bool = False

    @property
    def numbers(self) -> tuple[float, ...]:
        """Both counts, and what is missing."""
        return (self.done, self.planned, self.planned - self.done)

    @property
    def words(self) -> Prose:
        """Say how much is missing, or how far it has come."""
        if self.leads:
            done, all_ = count(self.done), count(self.planned)
            template = "{done} of {planned} {what} so far."
            return say(template, done=done, planned=all_, what=self.what)
        missing = strong(count(self.planned - self.done))
        parts = {"what": self.what, "missing": missing, "planned": count(self.planned)}
        return say("{missing} of {planned} {what} are not done.", **parts)
