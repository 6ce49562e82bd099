"""A caveat before it is on the page, and how numbers are written in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from caveat import pages as kit
from caveat.audit._reading import Reading

# Kinds of caveats in the order of how much the headline would mislead without them.
_RANKS = {
    kind: 10.0 * (40 - place)
    for place, kind in enumerate(
        [
            *("turned", "no-skill", "leak", "split", "within", "below-free"),
            *("free", "vanish"),
            *("popular", "hidden", "noise", "same"),
            *("test-copies", "gap", "tie", "copies", "contradictions", "rare"),
            *("peeked", "regret", "variant", "spread", "unsure"),
            *("screened", "failed", "cut", "sampled", "policy", "small", "weights"),
            *("disagree", "others", "left-out", "unchecked"),
        ]
    )
}


@dataclass(frozen=True)
class Remark:
    """A caveat before it is on the page.

    Attributes
    ----------
    kind : str
    section : {"data", "free", "models", "tomorrow", "targets", "shares", "sets"}
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

    @property
    def rank(self) -> float:
        """Place among remarks of one severity; larger comes first."""
        return _RANKS[self.kind] + min(max(self.size, 0.0), 1.0)


def number(value: float) -> str:
    """Write a score as prose does: two decimals, or three digits if it is large."""
    if math.isnan(value):
        return "–"
    if abs(value) >= 10:
        return kit.significant(value, 3)
    return kit.fixed(value, 2)


def loss(value: float) -> str:
    """Write a loss; a small one keeps a digit that says something."""
    if abs(value) < 0.01:
        return kit.fixed(value, 3)
    return number(value)


def verb(reading: Reading) -> str:
    """Say which way a score goes when it gets worse."""
    return "rises" if reading.regression else "falls"


def home(reading: Reading) -> str:
    """Name the section that remarks on the whole run stand in."""
    if reading.single:
        return "models"
    return SECTIONS[reading.asked[0]]


SECTIONS = {"targets": "targets", "bags": "shares", "candidates": "sets"}
"""The section of every part on weaker labels."""
