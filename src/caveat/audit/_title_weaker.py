"""Title and lede of an audit that has no single target."""

from __future__ import annotations

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import MAIN
from caveat.audit._remark import number


def weaker_title(reading: Reading) -> kit.Prose:
    """Say what the weaker labels support, and what is free."""
    found = reading.targets
    if not reading.scenario["targets"]:
        return _sets_title(reading)
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
    found, sets = reading.targets, reading.sets
    if not reading.scenario["targets"] and sets is not None and sets.best is not None:
        return kit.say(
            "Nobody told it a true label: it learnt from {size} candidates a row, and "
            "held-out candidates chose it.",
            size=f"{float(sets.facts['mean-size']):.1f}",
        )
    if found is None or found.best is None:
        return kit.prose("What was found in the table stands below.")
    return kit.say(
        "Of the label pairs of a row it puts {labels} in order, popularity {free}. Of "
        "the row pairs of a label it puts {rows} in order, chance 0.50.",
        labels=number(found.best.labels[0]),
        free=number(found.popularity),
        rows=number(found.best.instances[0]),
    )


def _sets_title(reading: Reading) -> kit.Prose:
    found = reading.sets
    if found is None or found.best is None:
        return kit.prose("No model gave a value.")
    return kit.say(
        "{model} answers with a candidate in {covered} of unseen rows. A guess does in "
        "{guess}.",
        model=found.best.title,
        covered=kit.percent(found.best.covered),
        guess=kit.percent(float(found.facts["guess"])),
    )
