"""The part of the page on EAPP that tells of networks, and of the study."""

from __future__ import annotations

import pandas as pd

from papers.eapp.page_why import why_part
from papers.eapp.words import (
    CHANCE,
    CONSTANT,
    band,
    by_k,
    claims,
    read,
    table,
    words,
)


def representation_part() -> list[str]:
    """Networks against principal components."""
    digits = read("digits")
    first = digits[digits["k"] == 3].set_index("setting")
    late = digits[digits["k"] > 4]
    wide = late.pivot(index="k", columns="setting", values="honest")
    three = wide[["pca", "kmeans_ae", "cae"]]
    apart = (three.max(axis=1) - three.min(axis=1)).max()
    behind = three.min(axis=1) - wide["vae"]
    return [
        "## Learned representations",
        words(
            """Digit 8 against 1 and 7, 64 latent features, k-means (`kmeans_ae` brings
            its own), honest selection, 2 folds, so that it takes minutes: first the 535
            small digits (8 x 8, on a canvas of 32 x 32)."""
        ),
        by_k(digits, "honest"),
        words(
            f"""At the first k the paper's way (`kmeans_ae`) has
            {first["honest"]["kmeans_ae"]:.3f} on the small digits, principal components
            {first["honest"]["pca"]:.3f} and the plain autoencoder
            {first["honest"]["cae"]:.3f}; the prototype of the method saw 0.823 against
            0.770. At k = 4 the order is the other way round, as growing k-means may
            give another fourth cluster than k-means from scratch. From the fifth on
            they agree within {apart:.3f}; the paper, too, finds principal components
            about as good as its network. The variational autoencoder, which it finds
            worse, has {first["honest"]["vae"]:.3f} at the first k and is
            {behind.min():.3f} to {behind.max():.3f} behind the others from the fifth
            on. `kmeans_ae` took
            {first["seconds"]["kmeans_ae"] / 60:.0f} minutes on a core shared with other
            work, principal components {first["seconds"]["pca"]:.0f} seconds."""
        ),
        *draws_part(),
    ]


def draws_part() -> list[str]:
    """Compare at the first k, over draws of images, folds and first weights."""
    measured = read("networks")
    frame = measured[measured["k"] == 3]
    wide = frame.pivot(index=["data", "draw"], columns="setting", values="honest")
    rows: list[list[object]] = []
    for data in frame["data"].unique():
        part = wide.loc[data]
        rows.append([data, CONSTANT, "", CHANCE, "", "", ""])
        for setting in ("pca", "kmeans_ae", "cae", "vae"):
            values = part.get(setting, pd.Series(dtype=float)).dropna()
            if not len(values):
                continue
            same = part.loc[values.index, "pca"]
            paired = "" if setting == "pca" else f"{(values - same).mean():+.3f}"
            wins = int((values >= same - 0.0005).sum())
            rows.append(
                [
                    data,
                    setting,
                    len(values),
                    values.mean(),
                    band(values.min(), values.max()),
                    paired,
                    "" if setting == "pca" else f"{wins} of {len(values)}",
                ]
            )
    return [
        words(
            """The same at k = 3, over draws of images, folds and first weights, which
            all representations share. The last columns hold each network against
            principal components on the very same folds."""
        ),
        table(
            ["images", "", "draws", "mean", "range", "to pca", "as good"],
            rows,
        ),
        words(draws_words(measured)),
        *why_part(),
    ]


def draws_words(measured: pd.DataFrame) -> str:
    """Say what the draws show."""
    wide = measured.pivot(
        index=["data", "draw", "k"], columns="setting", values="honest"
    )
    few, all_images = wide.loc["MNIST, 400"], wide.loc["MNIST, 3,137"]
    pairs = few.dropna(subset=["kmeans_ae"])
    gap = (pairs["kmeans_ae"] - pairs["pca"]).unstack("k")
    pca = few.xs(3, level="k")["pca"]
    folds = measured[
        (measured["setting"] == "kmeans_ae") & measured["data"].str.startswith("MNIST")
    ]
    at_three = folds.loc[folds["k"] == 3, ["fold 0", "fold 1"]].to_numpy().ravel()
    at_four = folds.loc[folds["k"] == 4, ["fold 0", "fold 1"]].to_numpy().ravel()
    whole = all_images.loc[0]
    return f"""On MNIST the network does not reach principal components at k = 3, and
        more images do not help: with 400 images it is
        {-gap[3].mean():.3f} behind on average ({gap[3].min():+.3f} to
        {gap[3].max():+.3f}; principal components themselves move from
        {pca.min():.3f} to {pca.max():.3f} between draws), with all 3,137 it has
        {whole["kmeans_ae"][3]:.3f} against {whole["pca"][3]:.3f}. Its folds differ:
        {(at_three > 0.98).sum()} of {len(at_three)} pass 0.98, the lowest has
        {at_three.min():.3f}. One cluster more, and the gap is small:
        {gap[4].mean():+.3f} with 400 images and
        {whole["kmeans_ae"][4] - whole["pca"][4]:+.3f} with all, the lowest fold
        {at_four.min():.3f}."""


def study_part() -> list[str]:
    """Sum up the registered study: representations, latent sizes, clusterers."""
    frame = read("study")
    frame["latent"] = frame["latent"].map(lambda size: f"{size:g}").replace("nan", "–")
    keys = ["representation", "latent", "clusterer"]
    cells = frame.groupby([*keys, "dataset"])["auc"].agg(["mean", "min", "max"])
    rows: list[list[object]] = [[CONSTANT, "", "", CHANCE, "", CHANCE, ""]]
    for key in frame.drop_duplicates(keys)[keys].itertuples(index=False):
        cell = [
            text
            for name in ("breast_cancer", "wine")
            for text in (
                float(cells.loc[(*key, name), "mean"]),
                band(*cells.loc[(*key, name), ["min", "max"]]),
            )
        ]
        rows.append([key[0], key[1], key[2], *cell])
    means = frame.groupby(["dataset", "representation"])["auc"].mean().unstack()
    sizes = frame[frame["latent"] != "–"].groupby("latent")["auc"].mean()
    clusterers = frame[frame["clusterer"] != "its own"].groupby("clusterer")["auc"]
    spread = clusterers.mean()
    best = ", ".join(
        f"{name} {means[name]['breast_cancer']:.3f} and {means[name]['wine']:.3f}"
        for name in ("pca", "none", "kmeans_ae", "cae", "vae")
    )
    return [
        "## Representations, latent sizes and clusterers on tables",
        words(
            f"""The study `eapp-representations`, which `caveat run` knows by that name:
            {len(frame)} trials, {frame["repeat"].nunique()} splits of each table, the
            honest value at 1/p₀ on the held-out rows, {frame["seconds"].sum() / 60:.0f}
            minutes on one shared core. Mean and range over the splits."""
        ),
        table(
            ["", "latent", "clusterer", "breast cancer", "range", "wine", "range"],
            rows,
        ),
        claims(
            [
                (
                    "principal components and the k-means autoencoder are best, the "
                    "variational one is not",
                    f"means on breast cancer and wine: {best}",
                ),
                (
                    "the latent size does not matter much",
                    ", ".join(f"{n}: {sizes[n]:.3f}" for n in sizes.index),
                ),
                (
                    "clusterers are similar",
                    f"means from {band(spread.min(), spread.max())}",
                ),
            ]
        ),
    ]
