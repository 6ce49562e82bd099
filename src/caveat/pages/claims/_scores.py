"""A score by itself, and beside its floor."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from caveat.pages._model import Words
from caveat.pages._prose import Prose, say
from caveat.pages.claims._claim import Claim, Standing
from caveat.pages.claims._estimate import Estimate, score, started, written

SHUFFLES = "shuffles"
"""Basis of a floor that is a band: the central 95 % of what shuffled labels give."""
_AGAINST = {
    "above": "{who} {reach} {score}, {past} the {bar} of {floor}.",
    "at": "{who} {reach} {score}; that cannot be told from the {bar} of {floor}.",
    "below": "{who} {reach} {score} and {stay} {short_of} the {bar} of {floor}.",
    "open": "{who} {have} {score}, beside the {bar} of {floor}; how sure that is was "
    "not measured.",
}
_AGAINST_SHORT = {
    "above": "{who} {reach} {score}, {past} {floor}: {bar}.",
    "at": "{who} cannot be told from {floor}: {score} and {bar}.",
    "below": "{who} {do} not reach {floor}: {score} and {bar}.",
    "open": "{who} {have} {score}.",
}
_ONE = {"reach": "reaches", "stay": "stays", "have": "has", "do": "does"}


def past(sign: int) -> str:
    """Name the good side of a floor; an error above it would be a bad one.

    Examples
    --------
    >>> past(1), past(-1)
    ('above', 'better than')
    """
    return "above" if sign > 0 else "better than"


@dataclass(frozen=True)
class Value(Claim):
    """`subject` reaches a value."""

    subject: Words
    estimate: Estimate
    verb: str = "reaches"

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The value."""
        return (self.estimate,)

    @property
    def words(self) -> Prose:
        """LightGBM reaches 0.91 AUC (0.90 to 0.92)."""
        return self._say(written(self.estimate))

    @property
    def short(self) -> Prose:
        """LightGBM reaches 0.91 AUC."""
        return self._say(score(self.estimate))

    headed = words

    def _say(self, number: Prose) -> Prose:
        parts = {"who": self.subject, "verb": self.verb, "score": number}
        return started(say("{who} {verb} {score}.", **parts))


@dataclass(frozen=True)
class AgainstFloor(Claim):
    """A score beside what is reached without learning; the interval decides.

    Attributes
    ----------
    subject : Prose, Span or str
        Whose score it is.
    score, floor : Estimate
    floor_name : Prose, Span or str
        What the floor is: "the constant answer", "shuffled labels".
    sign : {1, -1}
        1 if larger is better.
    p_value, alpha : float, optional
        Where a test of its own decides in place of the interval: shuffled labels
        give a p-value, not a value to compare with.
    difference : Estimate, optional
        Score less floor on the same splits, positive if better: its interval decides
        in place of the score's own.
    many : bool
        Whether the subject is a plural.
    """

    subject: Words
    score: Estimate
    floor: Estimate
    floor_name: Words
    sign: int = 1
    p_value: float | None = None
    alpha: float = 0.05
    difference: Estimate | None = None
    many: bool = False
    compares: ClassVar[bool] = True

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The score and its paired difference; a floor alone is a line."""
        return (self.score, *((self.difference,) if self.difference else ()))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of score, floor and difference."""
        return (*super().numbers, *self.floor.numbers)

    @property
    def standing(self) -> Standing:
        """Whether the test, or the whole interval, puts it above or below the floor."""
        if self.difference is not None:
            return self._paired(self.difference)
        if self.p_value is not None:
            return "above" if self.p_value <= self.alpha else "at"
        if not self.score.has_interval or not math.isfinite(self.floor.value):
            return "open"
        assert self.score.low is not None
        assert self.score.high is not None
        floor = (self.floor.value,)
        if self.floor.has_interval:
            floor = (self.floor.low, self.floor.high)  # type: ignore[assignment]
        ends = sorted((self.sign * self.score.low, self.sign * self.score.high))
        bar = sorted(self.sign * end for end in floor)
        if ends[0] > bar[-1]:
            return "above"
        return "below" if ends[1] < bar[0] else "at"

    def _paired(self, gap: Estimate) -> Standing:
        if gap.low is None or gap.high is None:
            return "open"
        if gap.low > 0:
            return "above"
        return "below" if gap.high < 0 else "at"

    @property
    def decided(self) -> bool:
        """Whether an interval decides it at all."""
        return self.standing != "open"

    @property
    def words(self) -> Prose:
        """Say where the score lies beside the floor, with its interval."""
        template = _AGAINST[self.standing]
        if self.difference is not None and self.difference.has_interval:
            template = f"{template[:-1]}; {{basis}}: a difference of {{gap}}."
        return self._say(template, written(self.score))

    @property
    def short(self) -> Prose:
        """Say it without the interval."""
        return self._say(_AGAINST_SHORT[self.standing], score(self.score))

    @property
    def headed(self) -> Prose:
        """Say it in short, with the interval."""
        return self._say(_AGAINST_SHORT[self.standing], written(self.score))

    def _say(self, template: str, number: Prose) -> Prose:
        # A floor that is one number has the digits of the score beside it.
        digits = max(self.score.places, self.floor.places)
        bar = replace(self.floor, digits=digits).text
        if self.floor.interval:
            # Shuffled labels give no score, but a band.
            is_band = self.floor.basis == SHUFFLES
            ends = self.floor.interval
            bar = ends if is_band else f"{self.floor.text} ({ends})"
        verbs = {word: word if self.many else one for word, one in _ONE.items()}
        parts = {"score": number, "floor": self.floor_name, "bar": bar}
        parts["past"] = past(self.sign)
        parts["short_of"] = "below" if self.sign > 0 else "worse than"
        if self.difference is not None:
            basis = self.difference.basis
            parts |= {"gap": written(self.difference), "basis": basis}
        return started(say(template, who=self.subject, **verbs, **parts))
