"""What every claim has: its place, its severity, its numbers, its words.

A sentence is made from a claim, never beside one. So the laws of honest sentences are
laws over claims: what has no interval does not lead, what has no test does not
compare, what was not finished is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

from caveat.pages._model import Severity, Words
from caveat.pages._prose import Prose, prose
from caveat.pages.claims._estimate import Estimate

Standing = Literal["above", "at", "below", "open"]
_ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Claim:
    """Something that a page says. Kinds of claims are its subclasses.

    Attributes
    ----------
    severity : {"serious", "careful", "note"} or None
        None if it is a finding; otherwise it is a caveat.
    kind : str
        The word by which rules and JSON know it: ``leak``, ``free``, ``vanish``.
    section : str
        Name of the section that it belongs to.
    columns, rows : tuple
        What it is about: names of columns, numbers of rows from 0.
    fix : Prose, Span or str
        What to do about it, one sentence.
    how : Prose, Span or str
        How it was measured.
    size : float
        How much of the result is at stake; orders caveats of one severity.
    name : str
        Its id on the page; a cell with the same `star` links to it.
    """

    _: KW_ONLY
    severity: Severity | None = None
    kind: str = ""
    section: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    fix: Words = ""
    how: Words = ""
    size: float = 0.0
    name: str = ""

    compares: ClassVar[bool] = False
    """Whether its words compare ("leads", "better"); they then need its test."""
    whole: ClassVar[bool] = False
    """Whether it fills a title by itself, with the worst finding told in it."""
    asked: ClassVar[bool] = False
    """Whether somebody asked for it: it comes first in the title."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The numbers that it rests on."""
        return ()

    @property
    def main(self) -> Estimate | None:
        """The number that it turns on."""
        return self.estimates[0] if self.estimates else None

    @property
    def decided(self) -> bool:
        """Whether the evidence carries it beyond its interval."""
        return True

    @property
    def may_lead(self) -> bool:
        """Whether it may stand in a title: every number of it has its interval."""
        return self.decided and all(one.may_lead for one in self.estimates)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Every number that its sentence may show."""
        return tuple(number for one in self.estimates for number in one.numbers)

    @property
    def words(self) -> Prose:
        """Its sentence, with intervals."""
        raise NotImplementedError

    @property
    def short(self) -> Prose:
        """Its sentence without intervals, for titles: the lede has them."""
        return self.words

    @property
    def headed(self) -> Prose:
        """Its short sentence with the interval of its number, for headings."""
        return self.short

    def placed(self, section: str) -> Self:
        """Return it as a claim of a section."""
        return replace(self, section=section)

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON values, in the shape that every look has."""
        main = self.main.to_dict() if self.main else dict.fromkeys(_ENDS)
        return {
            "kind": self.kind,
            "severity": self.severity,
            "text": str(self.words),
            "section": self.section,
            "columns": list(self.columns),
            "rows": list(self.rows),
            "number": main["value"],
            "low": main["low"],
            "high": main["high"],
            **self._change(),
            "fix": str(self.fix) or None,
        }

    def _change(self) -> dict[str, Any]:
        return {"before": None, "after": None}


def count_claims(claims: Iterable[Claim]) -> dict[str, int]:
    """Count caveats by severity and by kind, under the names that rules use."""
    counts = {"serious": 0, "careful": 0, "notes": 0}
    for claim in claims:
        if claim.severity is None:
            continue
        counts["notes" if claim.severity == "note" else claim.severity] += 1
        if claim.kind:
            counts[claim.kind] = counts.get(claim.kind, 0) + 1
    return counts


UNSURE = "Too little was measured to say how sure this is"
"""The heading of a claim whose number has no interval: the table below has it."""


def heading(words: Claim | Words) -> Prose:
    """Write a heading: a claim in a few words, without the full stop."""
    if not isinstance(words, Claim):
        return prose(words)
    one = words.main
    if one is not None and not one.interval and one.text in str(words.headed):
        return prose(UNSURE)
    *rest, last = words.headed.spans
    return Prose((*rest, replace(last, text=last.text.removesuffix("."))))
