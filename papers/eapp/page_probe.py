"""The part of the page on EAPP that plants biases."""

from __future__ import annotations

import pandas as pd

from papers.eapp.words import CHANCE, CONSTANT, band, read, table, words

# One draw each, from the prototype of the method: shift -> value, as it was printed.
# It did not note the number of components for the digits, so both are shown.
PIXELS = {0.3: ".517", 0.5: ".677", 1: "1.0"}
MEANS = {0: ".513", 3: ".510"}
PROTOTYPE: dict[str, dict[float, str]] = {
    "10 of 10 columns": {0: ".48", 0.25: ".58", 0.5: ".82", 1: ".986"},
    "1 of 10 columns, 2 components": {3: ".52"},
    "1 of 10 columns, 10 components": {3: ".62"},
    "digits, pixels, 2 components": PIXELS,
    "digits, image means, 2 components": MEANS,
    "digits, pixels, 64 components": PIXELS,
    "digits, image means, 64 components": MEANS,
}


def probe_part() -> list[str]:
    """Biases of growing size, planted into labels that know nothing."""
    frame = read("probe")
    rows: list[list[object]] = [[CONSTANT, "", "", CHANCE, *[""] * 4]]
    compared = []
    for name, before in PROTOTYPE.items():
        for s, found in frame[frame["setting"] == name].groupby("s"):
            values, low, high = found["eapp"], *found["eapp"].quantile([0.025, 0.975])
            printed = before.get(s, "")
            within = ""
            if printed:
                # A printed value stands for all that round to it.
                half = 0.5 * 10.0 ** -len(printed.split(".")[1])
                inside = low - half <= float(printed) <= high + half
                within = "yes" if inside else "no"
                compared.append({"setting": name, "s": s, "within": inside})
            seen = f"{int(found['detected'].sum())}"
            ours = [len(values), values.mean(), band(low, high), seen]
            rows.append([name, f"{s:g}", *ours, printed, within])
    header = ["shifted", "by, sd", "draws", "mean", "95 % of draws", "seen"]
    means = frame.groupby(["setting", "s"])["eapp"].mean()
    return [
        "## Planted biases",
        words(_verdict(pd.DataFrame(compared))),
        words(
            """Labels are balanced and shuffled, so that they know nothing; then class 1
            is shifted by s standard deviations: of every column, of one column of ten
            (500 rows of noise), of all pixels or of the images' mean brightness (the
            1,797 digits of 8 x 8 pixels). "Seen" counts the draws above 97.5 % of their
            shuffles. "Before" is one draw of the method's prototype, on other noise:
            within, if the central 95 % of our draws contain it."""
        ),
        table([*header, "before", "within"], rows),
        words(
            f"""A shift of all columns is seen from half a standard deviation on. One
            column of ten is harder: at three standard deviations it gives
            {means["1 of 10 columns, 2 components", 3]:.2f} with two components, and
            whether it is seen depends on whether they contain it; with all ten it
            is {means["1 of 10 columns, 10 components", 3]:.2f}. Brightness is seen when
            it moves all pixels by about half of what they vary. Three times the spread
            of the images' mean brightness is about a quarter of that, and changes
            nothing. EAPP sees bias only along directions of large variance."""
        ),
    ]


def _verdict(compared: pd.DataFrame) -> str:
    """Count the prototype's values that lie within our draws."""
    digits = compared["setting"].str.startswith("digits")
    many = compared["setting"].str.contains("64 components")
    two, sixty_four = compared[~many], compared[many]
    outside = [
        f"{row.setting}, {row.s:g} sd"
        for row in compared[~compared["within"]].itertuples()
    ]
    rest = f" Outside: {'; '.join(outside)}." if outside else ""
    return f"""{two["within"].sum()} of the prototype's {len(two)} values lie within
        95 % of our draws, if its digits had two components. It did not note how many
        they had: of their {(digits & ~many).sum()} values
        {compared[digits & ~many]["within"].sum()} are within with two, and
        {sixty_four["within"].sum()} with 64. As images they have 64 by default; as rows
        of a table, with 61 pixels that vary, two.{rest}"""
