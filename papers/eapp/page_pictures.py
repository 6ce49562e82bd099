"""The part of the page on EAPP that tells of pictures of two classes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from caveat.pages import Canvas, Chapter, Figure, Page, Section, contents
from caveat.pages.claims import Estimate
from caveat.pages.figures import Curve, curves
from papers.eapp.pictures import CLUSTERS, PAIRS, SHOWN
from papers.eapp.words import CHANCE, CONSTANT, band, read, table, words

#: Points of a scatter plot; more would only be a larger file.
DRAWN = 200
TITLES = {name: name.replace("-", " and ") for name in PAIRS}


def drawn() -> dict[str, str]:
    """Draw the figures of this part; give their files by name."""
    there = [brightened(read("pictures-probe")), places(read("pictures-latent"))]
    section = Section("figures", "", "", blocks=there)
    files = contents(Page([Chapter("", "", "", sections=[section])]), png=False)
    return {
        f"eapp-{one.name}.svg": files[f"figures/{one.name}.svg"].decode("utf-8")
        for one in there
    }


def brightened(probe: pd.DataFrame) -> Figure:
    """Draw the value over the brightness of one class."""
    lines = [
        Curve(
            f"shuffled, {name.split('-')[0]}" if shuffled else name.replace("-", ", "),
            list(own["s"]),
            [Estimate(value, "AUC") for value in own["eapp"]],
            dashed=bool(shuffled),
        )
        for (name, shuffled), own in probe.groupby(["pair", "shuffled"], sort=False)
    ]
    return curves(
        lines,
        name="brightness",
        title="One class brightened",
        label="EAPP over the shift: "
        + "; ".join(
            f"{line.name} {line.values[0].value:.2f} to {line.values[-1].value:.2f}"
            for line in lines
        ),
        unit="EAPP",
        varied="shift, in deviations of the pictures' mean brightness",
        limits=(0.0, 1.0),
        conditions="400 pictures of 32 x 32 each, 64 principal components, k-means, 5 "
        "folds, one draw; no band",
    )


def places(found: pd.DataFrame) -> Figure:
    """Draw the first two latent directions, coloured by cluster, a panel for each k."""

    def draw(canvas: Canvas) -> None:
        count = len(CLUSTERS)
        wide = (canvas.width - 0.3) / count
        for number, k in enumerate(CLUSTERS):
            axes: Any = canvas.axes(
                0.2 + number * wide, 0.2, wide - 0.2, canvas.height - 0.6
            )
            for (cluster, label), own in found.groupby([f"k{k}", "label"]):
                colour = canvas.colour(f"c{int(cluster) + 1}")
                face = colour if label else "none"
                axes.scatter(
                    own["first"],
                    own["second"],
                    s=9,
                    marker="o",
                    linewidths=0.8,
                    edgecolors=colour,
                    facecolors=face,
                )
            axes.set_xticks([])
            axes.set_yticks([])
            canvas.text(
                0.2 + number * wide, canvas.height - 0.25, f"k = {k}", token="muted"
            )

    found = found.head(DRAWN)
    first, second = SHOWN.split("-")
    return Figure(
        "directions",
        f"First two latent directions: {first} (open), {second} (filled)",
        f"Pictures of {first} and {second} by their first two principal components, "
        f"coloured by the cluster among {', '.join(map(str, CLUSTERS))}",
        draw,
        size=(7.0, 2.8),
        phone_size=(3.6, 1.8),
        conditions=f"{DRAWN} of 400 pictures of 32 x 32; clusters of 64 components",
    )


def pictures_part() -> list[str]:
    """Tell of pairs of classes of CIFAR-10."""
    frame, probe = read("pictures"), read("pictures-probe")
    frame["pair"] = frame["pair"].str.removesuffix(".npz")
    keys = ["representation", "latent", "clusterer"]
    wide = frame.pivot_table(index=keys, columns="pair", values="auc")
    bars = frame.groupby("pair")["null_high"].agg(["min", "max"])
    rows: list[list[object]] = [[CONSTANT, "", "", *[CHANCE] * len(PAIRS)]]
    rows += [
        [*map(str, key), *(wide.loc[key].get(name, float("nan")) for name in PAIRS)]
        for key in wide.index
    ]
    told = "; ".join(
        f"{TITLES[name]} {band(*bars.loc[name])}"
        for name in PAIRS
        if name in bars.index
    )
    real, shuffled = (probe[probe["shuffled"] == flag] for flag in (False, True))
    seen = [
        f"{TITLES[name]} from {own.loc[own['detected'], 's'].min():g}"
        if own["detected"].any()
        else f"{TITLES[name]} not up to {own['s'].max():g}"
        for name, own in shuffled.groupby("pair", sort=False)
    ]
    ends = [
        f"{TITLES[name]} from {own['eapp'].iloc[0]:.2f} to {own['eapp'].iloc[-1]:.2f}"
        for name, own in real.groupby("pair", sort=False)
    ]
    return [
        "## Pictures: pairs of classes of CIFAR-10",
        words(
            f"""The study `papers/eapp/pictures.yaml`: {len(frame)} trials, one split,
            the first 200 pictures of each class at 32 x 32 pixels, the honest value at
            1/p₀ = 2 on the held-out rows. Pairs were chosen before any run. Networks
            had 10 epochs, `kmeans_ae` 3 rounds for each k, all up to k = 4. "–": not
            run yet, or no such k. The upper ends of the bands of shuffled labels:
            {told}."""
        ),
        table(
            ["", "latent", "clusterer", *(TITLES[name] for name in PAIRS)],
            rows,
        ),
        words(
            """Left out: 128 pixels, further splits, networks with other clusterers or
            with 32 and 128 latent features. One split says nothing about small
            differences."""
        ),
        "![EAPP when one class is brightened](eapp-brightness.svg)",
        words(
            f"""One class brightened by up to three deviations of the pictures' mean
            brightness: {"; ".join(ends)}. With shuffled labels, which know nothing,
            the shift is seen (above the band): {"; ".join(seen)}."""
        ),
        "![First two latent directions, by k](eapp-directions.svg)",
    ]


def longer_part() -> list[str]:
    """Say why networks lost on a small table."""
    found = read("longer")
    mean = found.groupby("setting", sort=False)["value"].agg(["mean", "min", "max"])
    rows: list[list[object]] = [[CONSTANT, CHANCE, ""]]
    rows += [
        [n, row["mean"], band(row["min"], row["max"])] for n, row in mean.iterrows()
    ]
    return [
        "## Why networks lost on small tables",
        words(
            """178 wines, class 0 against the rest, two latent features, k-means, 3
            folds, value at 1/p₀; mean and range over 5 draws of folds and first
            weights."""
        ),
        table(["", "value", "range"], rows),
        words(
            """They had not been trained. An epoch of a hundred rows is one batch, 50
            epochs are 50 updates, and the loss of a batch goes up and down by more than
            it falls, so that five epochs without a better loss came after 36: the
            autoencoder still left 0.88 of the variance, where two principal components
            leave 0.45. With at least a thousand updates and patience for a hundred it
            leaves 0.31. This is the default for tables now. The study of tables above
            was run before."""
        ),
    ]
