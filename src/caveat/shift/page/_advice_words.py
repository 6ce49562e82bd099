"""What to do about an outage, in words: only what the intervals carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caveat import pages
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.imputers._imputers import leaves_missing
from caveat.shift.page._claims import called, unchanged

_ADVICE = {
    "fill": "Keep {model} and fill in by {imputer}",
    "refit": "Fit {model} again without {what}",
    "change": "Change the model: {better} does surely better without {what}",
    "open": "Undecided at this size: measure {model} on more rows before you choose "
    "between {choices}",
}
_LEFT_MISSING = {"fill": "Keep {model} and leave {what} missing"}
_UNCHANGED = {
    "fill": "Keep {model} as it is: what replaces {what} makes no difference to it",
}
_NOTHING_LEFT = dict.fromkeys(
    ("fill", "open"),
    "Nothing makes up for this: without {what} no column is left that {model} reads",
)
_ARRIVES = {
    **dict.fromkeys(
        ("fill", "keep"), "Nothing to do for {model} beyond watching {what}"
    ),
    "change": "Change the model: {better} does surely better with {outage}",
}
_TOLD = {"keep": "Keep {model} and tell it which columns are gone"}


def advice_words(row: Mapping[str, Any], read: Sequence[str] = ()) -> pages.Prose:
    """Say what to do, as far as the intervals carry.

    Parameters
    ----------
    row : mapping
        Of an outage and a model.
    read : sequence of str
        All columns that the model reads, where they are known.
    """
    what = pages.names(list(row["columns"]), most=4)
    model = called(row["model"])
    parts: dict[str, pages.Words] = {
        "model": model,
        "what": what,
        "outage": str(row["outage"]),
        "imputer": str(row["imputer"]),
    }
    if row["advice"] == "change":
        parts["better"] = called(row["better"])
    stay: pages.Words = "filling in"
    templates = _ADVICE
    if row["kind"] != "vanish":
        templates, stay = {**_ADVICE, **_ARRIVES}, "keeping it"
    elif read and set(read) <= set(row["columns"]):
        templates = {**_ADVICE, **_NOTHING_LEFT}
    elif leaves_missing(row["imputer"]):
        templates = {**_ADVICE, **_LEFT_MISSING}
        stay = pages.say("leaving {what} missing", what=what)
    elif row["imputer"] == TOLD:
        templates, stay = {**_ADVICE, **_TOLD}, "telling it which columns are gone"
    elif unchanged(row):
        templates = {**_ADVICE, **_UNCHANGED}
    if row["advice"] == "refit" and row["by"] != row["model"]:
        return pages.say(
            "Fit a model without {what}: {by}, fitted here in place of {model}, does "
            "surely better",
            by=called(row["by"]),
            **parts,
        )
    parts["choices"] = _choices(row, stay, what)
    return pages.say(templates[str(row["advice"])], **parts)


def _choices(
    row: Mapping[str, Any], stay: pages.Words, what: pages.Words
) -> pages.Words:
    """List what the intervals leave open: to stay, to fit again, another model."""
    again = "fitting again"
    if row["kind"] != "vanish" or row["by"] != row["model"]:
        again = pages.say("a model without {what}", what=what)
    found: list[pages.Words] = [stay]
    rivals = list(row["rivals"])
    if row["again"] or not rivals:
        found.append(again)
    if rivals:
        who = pages.join([called(one) for one in rivals], " or ")
        found.append(pages.say("{who} in its place", who=who))
    return pages.join(found[:-1], ", ") + " and " + pages.prose(found[-1])
