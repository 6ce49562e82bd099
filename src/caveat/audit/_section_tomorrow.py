"""Tomorrow: what breaks the models when columns vanish."""

from __future__ import annotations

from collections.abc import Sequence

from caveat import pages as kit
from caveat.audit._figure_tomorrow import column_dots, decay_panels, policy_dots
from caveat.audit._margin import caveats_of
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, loss


def tomorrow_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Say what breaks the models when columns vanish."""
    caveats = caveats_of("tomorrow", remarks)
    best = reading.best
    if best is None or not reading.shifted:
        return kit.Section(
            "tomorrow",
            "Tomorrow",
            "What happens when columns vanish is not known",
            lead="A fitted model meets rows whose columns are gone.",
            blocks=[
                kit.Notice("There was no time for it; give it more with --minutes.")
            ],
            caveats=caveats,
        )
    one = reading.shifted.get(best.name) or next(iter(reading.shifted.values()))
    lost = reading.sign * (one.closed - one.worst)
    earned = reading.earned(one.closed)
    share = lost / earned if earned > 0 else 0.0
    if not reading.has_skill:
        heading = "There is nothing to lose: no model does better than chance"
    elif share >= 0.9:
        heading = "One column carries the model; lose it and the advantage is gone"
    elif share >= 0.5:
        heading = "One column carries the model; lose it and most of the gain is gone"
    elif share >= 0.15:
        heading = (
            f"One lost column costs up to {loss(lost)} {reading.unit}; "
            "no other matters as much"
        )
    else:
        heading = (
            f"No single column is missed much: {loss(max(lost, 0.0))} "
            f"{reading.unit} at worst"
        )
    return kit.Section(
        "tomorrow",
        "Tomorrow",
        heading,
        lead="A fitted model meets rows from which columns have vanished. It is not "
        "fitted again, what is gone is filled in.",
        blocks=[
            decay_panels(reading),
            column_dots(reading),
            policy_dots(reading, one),
        ],
        caveats=caveats,
        wide=True,
    )
