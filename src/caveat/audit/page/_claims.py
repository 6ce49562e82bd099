"""The claims that only an audit makes: what survives, and what a scan found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from caveat import pages
from caveat.audit.scan import Finding
from caveat.pages import claims
from caveat.pages.claims import Estimate

_STANDING = {
    "above": "It is {past} the floor: {bar}, {floor}.",
    "at": "It cannot be told from the floor: {bar}, {floor}.",
    "below": "It does not reach the floor: {bar}, {floor}.",
    "open": "The floor is {bar}, {floor}; how sure that is was not measured.",
}
_SHORT = {
    "above": " {bar} needs no learning.",
    "at": " It cannot be told from the floor of {bar}.",
    "below": " It does not reach the floor of {bar}.",
    "open": "",
}


@dataclass(frozen=True)
class Survives(claims.AgainstFloor):
    """A score as it stands, and what is left of it after every remedy.

    Attributes
    ----------
    stands : Estimate
        The score before any remedy.
    mended : bool
        Whether a remedy changed it beyond its interval.
    steps : Words
        The remedies that count: "without code, with patient kept together".
    firm : bool
        Whether nothing serious was found beside it.
    """

    stands: Estimate | None = None
    mended: bool = False
    steps: pages.Words = ""
    firm: bool = True
    whole: ClassVar[bool] = True

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of all three."""
        own = () if self.stands is None else self.stands.numbers
        return (*super().numbers, *own)

    @property
    def short(self) -> pages.Prose:
        """0.97 AUC as it stands. 0.71 survives without code."""
        # What is no better than its floor does not "stand", mended or not.
        assert self.stands is not None
        if self.mended:
            words = pages.say(
                "{stands} as it stands. {left} survives{steps}.",
                stands=claims.score(self.stands),
                left=pages.strong(self.score.text),
                steps=pages.prose(" ") + self.steps if self.steps else "",
            )
        elif self.firm and self.standing not in ("at", "below"):
            words = pages.say("{score}, and it stands.", score=claims.score(self.score))
        else:
            words = pages.say("{score} as it stands.", score=claims.score(self.score))
        return words + _SHORT[self.standing].format(bar=self.floor.text)

    @property
    def words(self) -> pages.Prose:
        """What is left, with its interval, beside the floor."""
        lead = "What survives is {score}." if self.mended else "The score is {score}."
        bar = self.floor.text
        if self.floor.interval and self.floor.low != self.floor.high:
            bar += f" ({self.floor.interval})"
        words = pages.say(
            f"{lead} {_STANDING[self.standing]}",
            score=claims.written(self.score),
            bar=bar,
            floor=self.floor_name,
            past=claims.past(self.sign),
        )
        if self.difference is None or not self.difference.has_interval:
            return words
        return words + pages.say(
            " {basis}, the difference is {gap}.",
            basis=pages.capital(self.difference.basis),
            gap=claims.written(self.difference),
        )


@dataclass(frozen=True)
class Found(claims.Claim):
    """A finding of the scan, and what its remedy does to the score.

    Attributes
    ----------
    finding : Finding
    remedy : Remedy or None
        None where nothing was fitted that shows it.
    """

    finding: Finding
    remedy: claims.Remedy | None = None
    basis: str = ""
    n: int = 0

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The number of the finding, where it has an interval."""
        one = self.finding
        if one.number is None or one.low is None or one.high is None:
            return ()
        unit = _UNITS.get(one.measure, one.measure)
        known = Estimate(one.number, unit, one.low, one.high, self.basis, self.n)
        return (known,)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of finding and remedy."""
        one = self.finding
        own = [n for n in (one.number, one.low, one.high) if n is not None]
        more = self.remedy.numbers if self.remedy is not None else ()
        return (*own, *more, *(100 * number for number in own))

    @property
    def words(self) -> pages.Prose:
        """The scan's sentence, then what becomes of the score."""
        said = with_names(self.finding.sentence, self.finding.columns)
        return said if self.remedy is None else pages.join([said, self.remedy.words])

    @property
    def short(self) -> pages.Prose:
        """The scan's sentence."""
        return with_names(self.finding.sentence, self.finding.columns)

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON values; a number without an interval is kept."""
        return {**super().to_dict(), "number": self.finding.number}

    def _change(self) -> dict[str, Any]:
        if self.remedy is None:
            return super()._change()
        return self.remedy._change()


_UNITS = {"auc": "AUC", "r2": "R²", "share": "", "rows": ""}


def with_names(sentence: str, columns: tuple[str, ...]) -> pages.Prose:
    """Set the names of columns in a sentence as typed, whatever quotes they carry."""
    parts: list[Any] = [sentence]
    for name in sorted(columns, key=len, reverse=True):
        split: list[Any] = []
        for part in parts:
            if not isinstance(part, str):
                split.append(part)
                continue
            quoted = [q for q in (repr(name), f"'{name}'", f"`{name}`") if q in part]
            pieces = part.split(quoted[0]) if quoted else [part]
            for place, piece in enumerate(pieces):
                split += ([pages.code(name)] if place else []) + [piece]
        parts = split
    found = pages.prose("")
    for part in parts:
        found = found + part
    return found
