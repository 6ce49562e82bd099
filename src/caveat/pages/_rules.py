"""Rules such as ``score<0.8`` or ``leak>0``: held, fired, or not to be answered."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from caveat.exceptions import InvalidInput, listing
from caveat.pages.claims import count_claims

if TYPE_CHECKING:
    from caveat.pages._look import Look

NUMBERS = (
    *("score", "low", "high", "floor", "free", "p_value", "worst_loss"),
    *("rows", "columns"),
)
COUNTS = ("serious", "careful", "notes")
KINDS = (
    *("leak", "pair-leak", "missing-leak", "row-order", "group", "duplicate"),
    *("near-duplicate", "label-error", "conflict", "time", "drift", "segment"),
    *("calibration", "free", "chance", "vanish", "tie", "outlier", "imbalance"),
    *("small", "capture", "unfinished"),
)
"""Kinds of caveats that a rule may count, whether or not a look has any."""
_COMPARE = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_RULE = re.compile(r"\s*([a-z][a-z_-]*)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class Outcome:
    """What became of a rule; `value` is None where it is not known."""

    rule: str
    value: float | None
    outcome: Literal["held", "fired", "unknown"]


def check_rules(rules: Iterable[str]) -> tuple[str, ...]:
    """Refuse what is no rule, before any work is done."""
    found = tuple(rules)
    for rule in found:
        _parts(rule)
    return found


def judge(rules: Sequence[str], look: Look) -> list[Outcome]:
    """Hold a look against rules.

    A rule whose number is not known is never held. Neither is a count that has not
    fired while the look is unfinished: what was not looked at may still fire it.
    """
    counts = count_claims(look.claims)
    found = []
    for rule in rules:
        name, sign, bound = _parts(rule)
        counted = name not in NUMBERS
        value = counts.get(name, 0) if counted else look.facts.get(name)
        fired = value is not None and _COMPARE[sign](value, bound)
        open_ = value is None or (counted and not look.complete)
        state: Literal["held", "fired", "unknown"] = "held"
        if fired:
            state = "fired"
        elif open_:
            state = "unknown"
        found.append(Outcome(rule, value, state))
    return found


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """Return 1 if a rule fired, 3 if none did but one could not be answered, else 0."""
    states = {one.outcome for one in outcomes}
    return 1 if "fired" in states else 3 if "unknown" in states else 0


def _parts(rule: str) -> tuple[str, str, float]:
    hit = _RULE.fullmatch(rule)
    if hit is None:
        raise InvalidInput(
            f"--fail-on: {rule!r} is not a rule; write NAME OP NUMBER, such as "
            "'score<0.8' or 'leak>0'"
        )
    name = hit[1] if hit[1] in KINDS else hit[1].replace("-", "_")
    if name not in (*NUMBERS, *COUNTS, *KINDS):
        known = listing([*NUMBERS, *COUNTS, *KINDS])
        raise InvalidInput(f"--fail-on: nothing is called {name!r}; known are {known}")
    return name, hit[2], float(hit[3])
