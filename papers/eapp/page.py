"""Write the page on EAPP, `eapp.md`, from the tables that were measured.

python -m papers.eapp.page
"""

from __future__ import annotations

from papers import write_pages
from papers.eapp.page_learned import representation_part, study_part
from papers.eapp.page_pictures import drawn, longer_part, pictures_part
from papers.eapp.page_probe import probe_part
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


def curve_part() -> list[str]:
    """MNIST, digit 8 against 1 and 7."""
    frame = read("curve")
    rows: list[list[object]] = [[CONSTANT, CHANCE, CHANCE, "", ""]]
    rows += [
        [
            row.k,
            row.honest,
            row.paper,
            band(row.null_low, row.null_high),
            band(row.paper_null_low, row.paper_null_high),
        ]
        for row in frame.itertuples()
    ]
    first = frame.iloc[0]
    falls = int((frame["paper"].diff() < 0).sum())
    return [
        "## MNIST: 8 against 1 and 7",
        words(
            """The 3,137 test images as they are (28 x 28), PCA with 64 components,
            k-means, 10 folds, 200 shuffles, seed 0; 1/p₀ = 3.2207. The paper uses a
            network of its own and shows a figure without numbers, so we compare with
            its words."""
        ),
        table(["k", "honest", "paper's", "shuffled", "paper's, shuffled"], rows),
        words(
            f"""At 1/p₀: honest {first["value"]:.3f}, paper's selection
            {first["value_paper"]:.3f}. "Shuffled" is the 95 % band of 200 shuffles."""
        ),
        claims(
            [
                (
                    '"very high EAPP values already from" the first k',
                    f"{first['paper']:.3f} at k = {first['k']:.0f}",
                ),
                ('"reaches almost 1"', f"{frame['paper'].max():.3f} at most"),
                (
                    "no guarantee that the curve increases",
                    f"it falls at {falls} of {len(frame) - 1} steps",
                ),
            ]
        ),
    ]


def clusterer_part() -> list[str]:
    """All clusterers on the same components."""
    frame = read("clusterers")
    means = frame.groupby("setting")["paper"].mean()
    hits = int(frame.loc[frame["setting"] == "dbscan", "paper"].notna().sum())
    alike = means[["kmeans", "ward", "spectral", "gmm"]]
    return [
        "## Clusterers",
        words(
            """The same 64 components, honest selection in the upper table and the
            paper's in the lower. "–": the clusterer has no such k in every fold."""
        ),
        by_k(frame, "honest"),
        by_k(frame, "paper"),
        claims(
            [
                (
                    'agglomerative and spectral are "similar" to k-means',
                    "k-means, ward, spectral and gmm: means over k from "
                    + band(alike.min(), alike.max()),
                ),
                (
                    'DBSCAN "cannot be properly used"',
                    f"a value for {hits} of {frame['k'].nunique()} k, none at 1/p₀; "
                    f"{means['dbscan']:.3f} where there is one",
                ),
            ]
        ),
        words(
            f"""Linkage matters: "average" ({means["average"]:.3f} over all k) and
            "complete" ({means["complete"]:.3f}) split off outliers first and need more
            clusters than "ward" ({means["ward"]:.3f}). Growing k-means by splitting
            the largest cluster gives {means["kmeans, incremental"]:.3f}, from scratch
            {means["kmeans"]:.3f}; without principal components it is
            {means["kmeans, no PCA"]:.3f}."""
        ),
    ]


def labeling_part() -> list[str]:
    """Exhaustive search against sample contribution."""
    frame = read("labelings")
    wide = frame.pivot(index="k", columns="setting", values="paper")
    lost = {name: wide["exact"] - wide[name] for name in ("contribution", "greedy")}
    noisy = wide["exact, noisy"] - wide["contribution, noisy"]
    return [
        "## Exhaustive naming against sample contribution",
        by_k(frame, "paper"),
        words(
            f"""The paper calls the results of its linear method "almost the same".
            Against the exact search it loses {lost["contribution"].mean():.4f}
            on average and {lost["contribution"].max():.4f} at most, greedy
            {lost["greedy"].mean():.4f} and {lost["greedy"].max():.4f}. Closer to chance
            it loses more: with 35 % of the labels flipped ("noisy") {noisy.mean():.4f}
            and {noisy.max():.4f}."""
        ),
    ]


def latent_part() -> list[str]:
    """How many components."""
    frame = read("latent")
    wide = frame.pivot(index="k", columns="setting", values="paper")
    near = wide[["32", "64", "128"]]
    apart = (near.max(axis=1) - near.min(axis=1)).max()
    two = (near.max(axis=1) - wide["2"]).abs().max()
    return [
        "## Number of components",
        by_k(frame, "paper"),
        words(
            f"""The paper finds 32, 64 and 128 alike, on ImageNet. Here they differ by
            {apart:.3f} at most; 2 components, the default for narrow tables, differ
            from them by up to {two:.3f}."""
        ),
    ]


def score_part() -> list[str]:
    """Three readings of the score."""
    return [
        "## Three readings of the score",
        words(
            """The paper scores a point by a probability that depends on the distances
            to the nearest positive and negative centroid, without a formula. Whatever
            increases with d₋/d₊ has the same AUC (`ratio`, the default); a difference
            of the distances (`diff`) or of their squares (`sqdiff`) orders points
            differently."""
        ),
        by_k(read("scores"), "paper"),
    ]


def noise_part() -> list[str]:
    """Measure the optimism of the paper's selection."""
    frame = read("noise")
    kept = frame[frame["k"].isin([2, 4, 8])]
    means = kept.groupby(["n", "k"])[["paper", "honest"]].mean().unstack("k")
    rows: list[list[object]] = [[CONSTANT, *[CHANCE] * 6]]
    rows += [
        [f"{n:,}", *means.loc[n, "paper"], *means.loc[n, "honest"]] for n in means.index
    ]
    header = ["rows", "paper's, k=2", "k=4", "k=8", "honest, k=2", "k=4", "k=8"]
    return [
        "## What the paper's selection makes of noise",
        words(
            f"""Ten columns of noise, balanced labels that know nothing, PCA with 2
            components, 10 folds; mean over {frame["draw"].nunique()} draws. The truth
            is 0.5 everywhere."""
        ),
        table(header, rows),
        words(
            f"""The paper chooses the best of 2^k - 2 ways to name the clusters on the
            very fold it reports. A maximum over more names, on fewer rows, is higher:
            {means.loc[100, ("paper", 8)]:.2f} for 100 rows and 8 clusters. With names
            chosen on the training rows the same clusters give
            {means.loc[100, ("honest", 8)]:.2f}. The null curve that the paper draws
            beside its own tells this; its values alone do not."""
        ),
    ]


def fold_part() -> list[str]:
    """Fifty folds on a small table."""
    frame = read("folds")
    rows: list[list[object]] = [[CONSTANT, *[CHANCE] * 4]]
    rows += [
        [row.setting, row.paper, row.paper_null_mean, row.honest, row.null_mean]
        for row in frame[frame["k"] == 3].itertuples()
    ]
    header = ["k = 3", "paper's", "its shuffles, mean", "honest", "shuffles, mean"]
    return [
        "## Fifty folds",
        words(
            """The paper takes 50 folds for its table of 27 variables, to train on as
            many rows as possible. On 178 wines (class 0 against the rest) a fold then
            has three or four rows, and the best name fits them whatever the labels
            are:"""
        ),
        table(header, rows),
    ]


def files() -> dict[str, str]:
    """Give the page and its figures."""
    parts = [
        "# EAPP: what the paper says, and what we find",
        words(
            """Written by `page.py` from the tables beside it, which `run.py`, `why.py`
            and `pictures.py` measured; all stand in
            [`papers/eapp`](../../papers/eapp). V. Ortiz Castelló et al. (2022), IEEE
            Access 10,
            https://doi.org/10.1109/ACCESS.2022.3221936. No code of the paper is public,
            and its figures carry no numbers. Every value is an AUC; tables begin with
            that of a constant answer, which is one half."""
        ),
        *curve_part(),
        *clusterer_part(),
        *labeling_part(),
        *latent_part(),
        *score_part(),
        *noise_part(),
        *fold_part(),
        *probe_part(),
        *representation_part(),
        *study_part(),
        *longer_part(),
        *pictures_part(),
    ]
    return {"eapp.md": "\n\n".join(parts) + "\n", **drawn()}


if __name__ == "__main__":
    write_pages(files())
