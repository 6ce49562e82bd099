"""The laws of honest sentences, as checks over any Look.

Each takes a Look and raises AssertionError where the law is broken; every topic's
generated results go through all of them (`test_honest_sentences.py`), and so do pages
that are broken on purpose, one for every law.
"""

import math
import re

from caveat.pages import SEVERITIES, terminal_lines
from caveat.pages.claims import AgainstFloor, Comparison, Unfinished

COMPARING = re.compile(
    r"\b(best|leads?|ranks? first|gets? furthest|suits? best|keeps? most|wins?|"
    r"outperforms?|beats?|another leader|superior|significant(ly)?)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d,]*\.\d+|(?<![\w.])\d+(?= %)")
DIFFERENCES = ("difference", "loss", "change", "regret")
"""Fields of claims that hold a difference of two scores."""
RANGES = {"AUC": (0, 1), "accuracy": (0, 1), "concordance": (0, 1), "F1": (0, 1)}


def said(look):
    """Return all that leads: title, lede, headings, caveats, the action."""
    claims = [*look.leading, *look.ordered]
    return [str(claim.words) for claim in claims] + [look.title, str(look.lede)]


def floor_first(look):
    """No score leads that has not reached its floor, unless the title says so."""
    for claim in look.leading:
        if isinstance(claim, AgainstFloor) and claim.standing in ("at", "below"):
            words = str(claim.short)
            assert "cannot be told from" in words or "not reach" in words, words


def interval_or_silence(look):
    """What leads has an interval from more than one run, inside the measure's range."""
    for claim in look.leading:
        for one in claim.estimates:
            assert one.may_lead or isinstance(claim, Unfinished), claim
    for claim in look.claims:
        for one in claim.estimates:
            low, high = RANGES.get(one.measure, (-math.inf, math.inf))
            if any(one is getattr(claim, name, None) for name in DIFFERENCES):
                low, high = low - high, high - low
            if one.has_interval:
                assert low <= one.low <= one.high <= high, one


def comparisons_have_their_test(look):
    """A word that compares belongs to a claim whose test supports it."""
    backed = " ".join(
        f"{claim.words} {claim.short}"
        for claim in look.claims
        if isinstance(claim, Comparison) and claim.decided
    )
    for sentence in said(look):
        for hit in COMPARING.finditer(sentence):
            assert hit.group(0).lower() in backed.lower(), sentence


def numbers_are_claimed(look):
    """Every number in a sentence is a number of some claim, to its digits."""
    known = [number for claim in look.claims for number in claim.numbers]
    known += [abs(number) for number in known] + [100 * number for number in known]
    for claim in look.ordered:
        for text in NUMBER.findall(str(claim.words)):
            value = float(text.replace(",", "").replace("−", "-"))
            digits = len(text.partition(".")[2])
            near = 0.5 * 10**-digits + 1e-9
            assert any(abs(value - number) <= near for number in known), (text, claim)


def severity_has_evidence(look):
    """The order is by severity; a serious caveat with a number carries its interval."""
    order = [SEVERITIES.index(claim.severity) for claim in look.ordered]
    assert order == sorted(order)
    for claim in look.ordered:
        if claim.severity == "serious":
            for one in claim.estimates:
                assert one.has_interval, claim


def unfinished_is_told(look):
    """What was not done is counted, and a look that lacks something is not complete."""
    missing = [c for c in look.claims if isinstance(c, Unfinished)]
    assert look.complete == (not missing)
    assert len(look.unfinished) == len(missing)


def something_to_do(look):
    """The first screen ends with one action."""
    assert str(look.action).strip()


def said_once(look):
    """No caveat stands twice."""
    words = [str(claim.words) for claim in look.ordered]
    assert len(words) == len(set(words)), words


def shown_everywhere(look):
    """Terminal and JSON say what the page says."""
    terminal = " ".join(line.plain for line in terminal_lines(look))
    for claim in look.ordered:
        assert str(claim.words).replace("\u00a0", " ") in terminal
    assert look.title in look.to_json().replace("\\u00a0", "\u00a0")


LAWS = (
    floor_first,
    interval_or_silence,
    comparisons_have_their_test,
    numbers_are_claimed,
    severity_has_evidence,
    unfinished_is_told,
    something_to_do,
    said_once,
    shown_everywhere,
)
