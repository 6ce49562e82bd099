"""Drivers and probe on the page of `caveat eapp`."""

from __future__ import annotations

import pandas as pd

from caveat import pages as kit

# A loss that two decimals would call nothing.
_NOTHING = 0.005


def driver_section(columns: pd.DataFrame) -> kit.Section:
    """Say which column the free part rests on, or that it is none alone."""
    first = columns.iloc[0]
    best = columns.sort_values("alone", ascending=False).iloc[0]
    shown = columns.head(20)
    if best["column"] not in shown["column"].tolist():
        shown = pd.concat([shown, best.to_frame().T])
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(str(row.column))),
                kit.Cell(kit.signed(row.drop, 3), value=row.drop, tone="strong"),
                kit.Cell(kit.fixed(row.alone), value=row.alone),
            ]
        )
        for row in shown.itertuples()
    ]
    return kit.Section(
        "drivers",
        "What drives it",
        _driver_heading(first, best),
        lead=(
            "Lost: held-out values of one column change places; names and centroids "
            "stay. Alone: the free part of that column by itself."
        ),
        blocks=[
            kit.Table(
                "columns",
                "What each column carries, among the others and alone",
                [
                    kit.Column("Column", "name"),
                    kit.Column("Lost when shuffled", best="max", sorted=True),
                    kit.Column("Alone", best="max"),
                ],
                rows,
                downloads=[kit.Download.csv("drivers.csv", columns)],
            )
        ],
        caveats=[
            kit.Caveat(
                "note",
                "Two columns that say the same hide each other from shuffling.",
                "Two",
                how="The last column of the table looks at each alone.",
            )
        ],
    )


def _driver_heading(first: pd.Series, best: pd.Series) -> kit.Prose:
    if first["drop"] >= _NOTHING:
        return kit.say(
            "Shuffling {column} costs {drop} of the free part",
            column=kit.code(str(first["column"])),
            drop=f"{first['drop']:.2f}",
        )
    return kit.say(
        "No column carries it among the others; alone, {column} reaches {value}",
        column=kit.code(str(best["column"])),
        value=f"{best['alone']:.2f}",
    )


def probe_section(probed: pd.DataFrame) -> kit.Section:
    """Say from which planted shift on the free part rises."""
    threshold = probed.attrs["threshold"]
    unseen = f"A shift of {probed['s'].max():g} standard deviations stays unseen"
    rows = [
        kit.Row(
            [
                kit.Cell(f"{row.s:g}", value=row.s),
                kit.Cell(kit.fixed(row.eapp), value=row.eapp, tone="strong"),
                kit.Cell(kit.fixed(row.null_high), value=row.null_high),
                kit.Cell("yes" if row.detected else "no", tone="muted"),
            ]
        )
        for row in probed.itertuples()
    ]
    return kit.Section(
        "probe",
        "How coarse a bias must be",
        unseen
        if threshold != threshold
        else f"A shift of {threshold:g} standard deviations would be seen",
        lead=(
            "Labels are shuffled, so that they know nothing; then class 1 is shifted "
            "by so many standard deviations, and the free part computed again."
        ),
        blocks=[
            kit.Table(
                "shifts",
                "The free part after a planted shift",
                [
                    kit.Column("Shift, sd", "name"),
                    kit.Column("Value"),
                    kit.Column("Shuffled, 97.5 %"),
                    kit.Column("Seen", "text"),
                ],
                rows,
                downloads=[kit.Download.csv("probe.csv", probed)],
            )
        ],
    )
