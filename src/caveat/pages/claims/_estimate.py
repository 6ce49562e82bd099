"""A number that may be shown, and how it is written."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from caveat.pages._numbers import capital, decimals, fixed
from caveat.pages._prose import NBSP, Prose, Span, prose, strong

if TYPE_CHECKING:
    from caveat.statistics import Interval


_MOST_PLACES = 4


@dataclass(frozen=True)
class Estimate:
    """A number that may be shown, and how well it is known.

    Attributes
    ----------
    value : float
    measure : str
        What it is a value of, as people say it: ``AUC``, ``accuracy``.
    low, high : float or None
        Its 95 % interval. None: no interval can be given, and it may not lead.
    basis : str
        What the interval rests on: ``10 folds, corrected``.
    n : int
        How many folds, repeats or rows that is.
    digits : int, optional
        Decimals that it has, whatever its interval supports: those of a table that it
        stands beside.

    Examples
    --------
    >>> known = Estimate(0.9134, "AUC", 0.905, 0.921, "10 folds, corrected", 10)
    >>> known.text, known.interval, known.may_lead
    ('0.913', '0.905 to 0.921', True)
    >>> Estimate(0.9134, "AUC").may_lead
    False
    >>> Estimate(24111.77, "RMSE", 21344.48, 26920.48, "5 splits", 5).text
    '24,112'
    """

    value: float
    measure: str = ""
    low: float | None = None
    high: float | None = None
    basis: str = ""
    n: int = 0
    digits: int | None = None

    @classmethod
    def of(cls, found: Interval, measure: str = "", basis: str = "") -> Self:
        """Take a mean with its interval; `basis` names what it rests on."""
        known = math.isfinite(found.low) and math.isfinite(found.high)
        low, high = (found.low, found.high) if known else (None, None)
        return cls(found.mean, measure, low, high, basis, found.n)

    @property
    def has_interval(self) -> bool:
        """Whether both ends of an interval are known, and not one number.

        What resampled numbers that are all equal leave without width is no certainty.
        """
        low, high = self.low, self.high
        if low is None or high is None:
            return False
        return math.isfinite(high - low) and low < high

    @property
    def may_lead(self) -> bool:
        """Whether it may stand in a title: with an interval, from more than one run."""
        return math.isfinite(self.value) and self.has_interval and self.n > 1

    @property
    def is_decided(self) -> bool:
        """Whether the whole interval lies on one side of 0."""
        low, high = self.low, self.high
        return low is not None and high is not None and (low > 0 or high < 0)

    @property
    def turned(self) -> Self:
        """A difference the other way round."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return replace(self, value=-self.value, low=low, high=high)

    @property
    def places(self) -> int:
        """Decimals that the interval supports: two at least, fewer from 100 on.

        A value that is surely not 0 gets as many as it takes to see that, in its
        interval too where four do, and so does one that is not quite 1.
        """
        return self._supported if self.digits is None else self.digits

    @property
    def _supported(self) -> int:
        largest = max((abs(number) for number in self.numbers), default=0.0)
        # Of an amount of 24,112 nobody reads cents.
        least = 2 if largest < 100 else 1 if largest < 1000 else 0
        most = max(_MOST_PLACES, _visible(self.value))
        if not self.has_interval:
            known = range(least, _MOST_PLACES + 1)
            seen = [more for more in known if round(self.value, more) != 0]
            return (seen or [most if self.value else least])[0]
        assert self.low is not None
        assert self.high is not None
        places = max(least, decimals((self.high - self.low) / 2))
        whole = {1.0} if 0.9 < self.value < 1 else set()
        sure = self.is_decided
        whole |= {0.0} if sure else set()
        enough = range(places, most + 1)
        seen = [more for more in enough if round(self.value, more) not in whole]
        near = self.low if self.low > 0 else self.high
        clear = [more for more in seen if not sure or round(near, more) != 0]
        return (clear or seen or [places])[0]

    @property
    def text(self) -> str:
        """The value in the digits that its interval supports."""
        return fixed(self.value, self.places)

    @property
    def interval(self) -> str:
        """The ends of the interval in the same digits; '' if there is none."""
        if not self.has_interval:
            return ""
        return f"{fixed(self.low, self.places)} to {fixed(self.high, self.places)}"

    @property
    def numbers(self) -> tuple[float, ...]:
        """Every number that a sentence on it may show."""
        known = (self.value, self.low, self.high)
        return tuple(number for number in known if number is not None)

    def to_dict(self) -> dict[str, float | None]:
        """Write it as JSON values; what is not known is None."""
        ends = (self.low, self.high) if self.has_interval else (None, None)
        value = self.value if math.isfinite(self.value) else None
        return {"value": value, "low": ends[0], "high": ends[1]}


def _visible(value: float) -> int:
    """Decimals that show two digits of a value, nine at most."""
    if value == 0 or not math.isfinite(value):
        return 0
    return min(1 - math.floor(math.log10(abs(value))), 9)


def score_facts(one: Estimate | None) -> dict[str, float | None]:
    """Give the keys that the JSON of every look has for its score."""
    if one is None:
        return dict.fromkeys(("score", "low", "high"))
    return {"score": one.value, "low": one.low, "high": one.high}


def score(one: Estimate) -> Prose:
    """Write a value with its measure: 0.91 AUC."""
    number = prose(strong(one.text))
    return number + f"{NBSP}{one.measure}" if one.measure else number


def written(one: Estimate) -> Prose:
    """Write a value with measure and interval: 0.91 AUC (0.90 to 0.92)."""
    return score(one) + (f" ({one.interval})" if one.interval else "")


def started(words: Prose) -> Prose:
    """Begin a sentence with it; names that are typed keep their letters."""
    if not words.spans or words.spans[0].kind != "plain":
        return words
    first, *rest = words.spans
    return Prose((Span(capital(first.text)), *rest))
