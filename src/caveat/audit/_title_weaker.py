"""Title and lede of an audit that has no single target."""

from __future__ import annotations

from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import MAIN
from caveat.audit._remark import number
from caveat.report import kit


def weaker_title(reading: Reading) -> kit.Prose:
    """Say what the weaker labels support, and what is free."""
    found = reading.targets
    if found is None or found.best is None:
        return kit.prose("No model gave a value.")
    best = found.best
    first = kit.say(
        "{model} has an average precision of {value}.",
        model=kit.capital(best.title),
        value=number(best.measures[MAIN][0]),
    )
    if found.free is None:
        return first
    return kit.join(
        [
            first,
            kit.say(
                "A list of the labels by popularity has {free}.",
                free=number(found.free.measures[MAIN][0]),
            ),
        ]
    )


def weaker_lede(reading: Reading) -> kit.Prose:
    """Say what that means, in one or two sentences."""
    found = reading.targets
    if found is None or found.best is None:
        return kit.prose("What was found in the table stands below.")
    return kit.say(
        "Of the label pairs of a row it puts {labels} in order, popularity {free}. Of "
        "the row pairs of a label it puts {rows} in order, chance 0.50.",
        labels=number(found.best.labels[0]),
        free=number(found.popularity),
        rows=number(found.best.instances[0]),
    )
