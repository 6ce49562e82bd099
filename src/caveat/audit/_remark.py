"""A caveat on weaker labels before it is on the page, and how numbers are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from caveat import pages as kit
from caveat.pages import claims


@dataclass(frozen=True)
class Remark:
    """A caveat before it is on the page.

    Attributes
    ----------
    kind : str
    section : {"targets", "shares", "sets"}
    severity : {"serious", "careful", "note"}
    sentence, how : Prose
    number : str
        What the sentence is about, as it is written there.
    size : float
        How much is at stake, 0 to 1.
    column : str
        The column it is about, if any.
    """

    kind: str
    section: str
    severity: str
    sentence: kit.Prose
    number: str
    how: kit.Prose | str = ""
    size: float = 0.0
    column: str = ""

    def claim(self) -> claims.Claim:
        """Return it as a claim of a Look."""
        return claims.Condition(
            sentence=self.sentence,
            severity=self.severity,  # type: ignore[arg-type]
            kind=self.kind,
            section=self.section,
            how=self.how,
            size=self.size,
            columns=(self.column,) if self.column else (),
        )


def number(value: float) -> str:
    """Write a score as prose does: two decimals, or three digits if it is large."""
    if math.isnan(value):
        return "–"
    if abs(value) >= 10:
        return kit.significant(value, 3)
    return kit.fixed(value, 2)
