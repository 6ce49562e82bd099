"""One against another: by a test, by a rule, or beside print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from caveat.pages._model import Words
from caveat.pages._numbers import count, percent, word
from caveat.pages._prose import Prose, names, prose, say, strong
from caveat.pages.claims._claim import Claim, Standing
from caveat.pages.claims._estimate import Estimate, score, started, written
from caveat.pages.claims._limits import Condition

_SMALLEST = 5e-5
"""A smaller difference is none that a sentence could show, whatever its interval."""


@dataclass(frozen=True)
class Comparison(Claim):
    """One against another by a paired test; "leads" only if the interval excludes 0.

    Attributes
    ----------
    left, right : Prose, Span or str
    difference : Estimate
        Positive if `left` is better.
    test : str
        Which test, on what: "corrected resampled t, 10 folds".
    corrected_for : int
        How many comparisons it was corrected for.
    """

    left: Words
    right: Words
    difference: Estimate
    test: str
    corrected_for: int = 1
    compares: ClassVar[bool] = True

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The difference."""
        return (self.difference,)

    @property
    def standing(self) -> Standing:
        """Whether the difference lies above or below 0 with its whole interval."""
        if not self.difference.has_interval:
            return "open"
        assert self.difference.low is not None
        assert self.difference.high is not None
        if abs(self.difference.value) <= _SMALLEST:
            return "at"
        if self.difference.low > 0:
            return "above"
        return "below" if self.difference.high < 0 else "at"

    @property
    def decided(self) -> bool:
        """Whether one of the two is better."""
        return self.standing in ("above", "below")

    @property
    def words(self) -> Prose:
        """Say who leads, or that no one does, with the difference and its test."""
        evidence = self.test
        if self.corrected_for > 1:
            evidence += f", corrected for {count(self.corrected_for)} comparisons"
        parts = {**self._parts(), "by": written(self._gap()), "test": evidence}
        if self.decided:
            return started(say("{one} leads {other} by {by}; {test}.", **parts))
        return started(
            say("{one} and {other} cannot be told apart: {by}; {test}.", **parts)
        )

    @property
    def short(self) -> Prose:
        """Say it without interval and test."""
        return self._briefly(score(self._gap()))

    @property
    def headed(self) -> Prose:
        """Say it without the test."""
        return self._briefly(written(self._gap()))

    def _briefly(self, gap: Prose) -> Prose:
        parts = {**self._parts(), "by": gap}
        if self.decided:
            return started(say("{one} leads {other} by {by}.", **parts))
        return started(say("{one} and {other} cannot be told apart.", **parts))

    def _parts(self) -> dict[str, Words]:
        """Whoever is ahead comes first."""
        turned = self.standing == "below"
        first, second = (self.right, self.left) if turned else (self.left, self.right)
        return {"one": first, "other": second}

    def _gap(self) -> Estimate:
        """Turn the difference to the side of whoever is ahead."""
        turned = self.standing == "below"
        return self.difference.turned if turned else self.difference


@dataclass(frozen=True)
class Tie(Claim):
    """Members that no test tells apart, in the order of the table.

    `measure` is what the test is on: another may tell them apart. `noun` is what they
    are, in the plural: more than three are counted in titles.
    """

    members: tuple[str, ...]
    test: str
    measure: str = ""
    shown: int = 4
    noun: str = ""

    @property
    def numbers(self) -> tuple[float, ...]:
        """How many they are."""
        return (len(self.members),)

    @property
    def words(self) -> Prose:
        """Say that no test tells them apart, by what, and which test that was."""
        by = f" by {self.measure}" if self.measure else ""
        return started(
            say("{who}{by}; {test}.", who=self._who(), by=by, test=self.test)
        )

    @property
    def short(self) -> Prose:
        """Say it without the test; of many by their number, if it is known of what."""
        if self.noun and len(self.members) > 3:
            many = f"{word(len(self.members))} {self.noun}"
            return started(prose(f"{many} cannot be told apart."))
        return started(self._who() + ".")

    def _who(self) -> Prose:
        who = names(list(self.members), most=self.shown)
        return say("{who} cannot be told apart", who=who)


@dataclass(frozen=True)
class Standings(Condition):
    """Who comes first where, as tests count it, where no one difference says it all."""


@dataclass(frozen=True)
class Chosen(Claim):
    """What a rule chose that needs no test labels, and what that gave up.

    `regret` is what the oracle's choice has more, where that is known.
    """

    chosen: Words
    rule: Words
    regret: Estimate | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The regret, where it is known."""
        return (self.regret,) if self.regret else ()

    @property
    def words(self) -> Prose:
        """Say what was chosen, and what that gave up where it is known."""
        words = self._say()
        if self.regret is not None:
            more = written(self.regret)
            words += say("; a choice by test labels would have {more} more", more=more)
        return started(words + ".")

    @property
    def short(self) -> Prose:
        """Say what was chosen."""
        return started(self._say() + ".")

    def _say(self) -> Prose:
        return say("{rule} chooses {who}", rule=self.rule, who=self.chosen)


@dataclass(frozen=True)
class Agreement(Claim):
    """Published numbers beside ours; never without how often a wrong one would agree.

    Attributes
    ----------
    what : Prose, Span or str
    agreeing, compared : int
    power : float
        Share of wrong methods that the same rule would have called different.
    """

    what: Words
    agreeing: int
    compared: int
    power: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """Both counts and the power."""
        return (self.agreeing, self.compared, self.power, 100 * self.power)

    @property
    def words(self) -> Prose:
        """Say how much agrees, and what the same rule would have found wrong."""
        template = (
            "{what}: {hits} of {all} agree; the same rule would have told {power} of "
            "wrong methods apart."
        )
        hits, power = strong(count(self.agreeing)), percent(self.power)
        whole = count(self.compared)
        parts = {"what": self.what, "hits": hits, "all": whole, "power": power}
        return started(say(template, **parts))
