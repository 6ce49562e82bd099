"""Write the page `docs/reproduction/shift.md` from the CSV files of this folder.

    python -m papers.shift.page

Nothing is measured here: published numbers are in `published-*.csv`, ours in
`results-*.csv`, made by `run.py`.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd

from papers import write_pages
from papers.shift.autofe import autofe_section
from papers.shift.cells import (
    CONSTANT,
    frame_grid,
    free,
    grid,
    main_rows,
    number,
    read,
    with_constant,
)
from papers.shift.leaked_teacher import leak_section
from papers.shift.observed import (
    HEART_TYPES,
    agreement_section,
    observation_section,
    recomputed_section,
    verdict_of_observations,
)
from papers.shift.readings import reading_section, reason_section
from papers.shift.summaries import (
    gap_table,
    imputation_table,
    rank_summary,
    rank_table,
    runtime_table,
    type_table,
)
from papers.shift.unknowns import TREES, Unknowns, central, triples, unknown_section

HERE = Path(__file__).parent
KS = (0, 1, 2, 4, 8, 11)
TITLES = {"accuracy": "accuracy", "auc": "AUC", "rmse": "RMSE"}


def check_section(curves: pd.DataFrame) -> str:
    """Hold our runs against the check values of the specification."""
    values = read("check-values.csv")
    values["model"] = values["model"].replace({"logistic": "linear", "ridge": "linear"})
    mean = curves[(curves["scenario"] == "random") & (curves["imputation"] == "mean")]
    rows = []
    for key, part in values.groupby(
        ["dataset", "measure", "model", "split"], sort=False
    ):
        dataset, measure, model, split = key
        ours = mean[(mean["dataset"] == dataset) & (mean["measure"] == measure)]
        ours = ours[ours["model"] == model]
        if split == "42":
            ours = ours[ours["seed"] == 42]
        found = ours.groupby("k")["value"].mean()
        expected = part.set_index("k")["value"]
        off = number((found - expected).abs().max(), 4)
        rows.append([dataset, TITLES[measure], model, split, off])
    note = (
        "Linear models: ours encode categories as indicators, the check values as "
        "integer codes; on tables of numbers (iris, concrete) they are the same model. "
        "`tests/shift/test_reproduction.py` meets all rows with integer codes, too."
    )
    header = ["table", "measure", "model", "splits", "largest difference over all k"]
    return f"{grid(header, rows)}\n\n{note}"


def random_section(curves: pd.DataFrame, unknowns: Unknowns) -> str:
    """Put the random scenario beside the published values."""
    published = read("published-random.csv")
    mean = curves[(curves["scenario"] == "random") & (curves["imputation"] == "mean")]
    parts = []
    for (dataset, measure), theirs in published.groupby(
        ["dataset", "measure"], sort=False
    ):
        ours = mean[(mean["dataset"] == dataset) & (mean["measure"] == measure)]
        counts = sorted(theirs["k"].unique())
        floor = number(free(dataset, measure))
        rows: list[list[object]] = [[CONSTANT, "free", *[floor] * len(counts)]]
        for model in ("LightGBM", "XGBoost", "CatBoost", "MLP"):
            row = theirs[theirs["model"] == model].set_index("k")["value"]
            by_k = ours[ours["model"] == model].groupby("k")["value"]
            value, spread = by_k.mean(), by_k.std()
            rows.append([model, "published", *(number(row[k]) for k in counts)])
            rows.append(["", "caveat", *(number(value[k]) for k in counts)])
            if measure == "auc":
                rows.append(["", "sd of seeds", *(number(spread[k]) for k in counts)])
                continue
            means = triples(unknowns.splits(dataset, model))
            rows.append(["", "95 % of splits", *ranges(central(means))])
            if model in TREES:
                limits = central(means, unknowns.settings(dataset, model))
                rows.append(["", "and settings", *ranges(limits)])
        parts.append(
            f"**{dataset}, {TITLES[measure]}**, by number of missing columns\n\n"
            + grid(["model", "", *counts], rows)
        )
    return "\n\n".join(parts)


def ranges(limits: pd.DataFrame) -> list[str]:
    """Write lower and upper limits, k by k."""
    places = 2 if limits.to_numpy().max() < 10 else 1
    return [f"{low:.{places}f}–{high:.{places}f}" for low, high in limits.T.to_numpy()]


def seed_section() -> str:
    """Show that the published seeds are others: a constant answer scores a share."""
    published = read("published-random.csv")
    rows = []
    for dataset, part in read("results-shares.csv").groupby("dataset", sort=False):
        by_seed = [list(each["share"]) for _, each in part.groupby("seed")]
        means = sorted({round(sum(c) / len(c), 3) for c in product(*by_seed)})
        end = published[(published["dataset"] == dataset)]
        end = end[(end["measure"] == "accuracy") & (end["k"] == end["k"].max())]
        trees = end[end["model"].isin(TREES)]
        printed = [f"{value:.3f}" for value in trees["value"]]
        met = [any(abs(v - m) < 0.0015 for m in means) for v in trees["value"]]
        attainable = ", ".join(f"{value:.3f}" for value in means)
        rows.append([dataset, attainable, ", ".join(printed), f"{sum(met)} of 3"])
    header = ["table", "means of three shares, seeds 42 to 44"]
    return grid([*header, "published trees, k = N", "attainable"], rows)


def single_section(curves: pd.DataFrame) -> str:
    """Put the single scenario beside the published values."""
    published = read("published-single.csv")
    ours = main_rows(curves)
    ours = ours[ours["scenario"] == "single"]
    parts = []
    for dataset, theirs in published.groupby("dataset", sort=False):
        mine = ours[ours["dataset"] == dataset].fillna({"column": ""})
        models = ("LightGBM", "XGBoost", "CatBoost", "MLP")
        table = theirs.fillna({"column": ""})
        floor = number(free(dataset, theirs["measure"].iloc[0]))
        rows: list[list[object]] = [[CONSTANT, *[floor] * len(models)]]
        for column in table["column"].unique():
            row: list[object] = [column or "(none)"]
            for model in models:
                one = table[(table["column"] == column) & (table["model"] == model)]
                two = mine[(mine["column"] == column) & (mine["model"] == model)]
                row.append(
                    f"{number(one['value'].mean())} / {number(two['value'].mean())}"
                )
            rows.append(row)
        measure = TITLES[theirs["measure"].iloc[0]]
        parts.append(
            f"**{dataset}, {measure}** when one column is gone, published / caveat\n\n"
            + grid(["column", *models], rows)
        )
    return "\n\n".join(parts)


def ours_section(curves: pd.DataFrame) -> str:
    """Show the tables for which nothing is published here."""
    mean = with_constant(main_rows(curves))
    mean = mean[mean["scenario"] == "random"]
    parts = []
    for dataset in ("penguins", "eyemovements"):
        mine = mean[mean["dataset"] == dataset]
        counts = sorted(mine["k"].unique())
        shown = counts if len(counts) < 13 else counts[::3]
        table = mine.pivot_table(index="model", columns="k", values="value", sort=False)
        rows = [
            [model, *(number(row[k]) for k in shown)] for model, row in table.iterrows()
        ]
        mine = mine[mine["model"] != CONSTANT]
        subsets = int(mine.groupby(["model", "seed"])["n_subsets"].sum().mean())
        parts.append(
            f"**{dataset}, accuracy**, by number of missing columns ({subsets:,} "
            "subsets for a curve)\n\n" + grid(["model", *shown], rows)
        )
    return "\n\n".join(parts)


def summary_section(curves: pd.DataFrame) -> str:
    """Show Tables 3 and 4 of our runs."""
    mean = with_constant(main_rows(curves))
    gaps = gap_table(mean)
    ranks = rank_table(mean)
    return "\n\n".join(
        [
            "Average gap (each table weighs alike):",
            frame_grid(gaps),
            "Average rank among eight models and a constant answer (inside each "
            "table):",
            frame_grid(ranks, 1),
            frame_grid(rank_summary(ranks).sort_values("average_rank"), 1),
        ]
    )


def imputer_section(curves: pd.DataFrame) -> str:
    """Show what each imputer does to each model on heart."""
    heart = curves[(curves["dataset"] == "heart") & (curves["scenario"] == "random")]
    table = imputation_table(with_constant(heart))
    means = table.loc[1:].mean().unstack("imputation")
    order = [name for name in ("mean", "random", "native", "median", "gaussian", "knn",
                               "iterative") if name in means.columns]  # fmt: skip
    shown = means[order]
    shown.index.name = "model"
    best = shown.drop(CONSTANT).idxmax(axis=1).value_counts()
    sentence = ", ".join(f"{name} for {count}" for name, count in best.items())
    published = read("published-imputation.csv")
    theirs = published.groupby(["model", "imputation"], sort=False)["value"].mean()
    theirs = theirs.unstack("imputation")[["mean", "random", "native"]]
    constant = pd.DataFrame(free("heart", "accuracy"), [CONSTANT], theirs.columns)
    theirs = pd.concat([constant.rename_axis("model"), theirs])
    return "\n\n".join(
        [
            "Mean accuracy over k = 1 to 11, ours:",
            frame_grid(shown),
            f"Highest mean: {sentence} of {len(shown) - 1} models; no test stands "
            "behind it.",
            "Published (Table 8, k = 1 to 10); the constant answer is ours:",
            frame_grid(theirs),
        ]
    )


def type_section(curves: pd.DataFrame) -> str:
    """Show Table 11 of our runs."""
    heart = curves[(curves["dataset"] == "heart") & (curves["imputation"] == "mean")]
    return frame_grid(type_table(with_constant(heart), HEART_TYPES))


def stage_section(curves: pd.DataFrame) -> str:
    """Show the stages of the heart clinic."""
    rows = curves[(curves["dataset"] == "heart") & (curves["scenario"] == "stages")]
    rows = with_constant(rows[rows["measure"] == "accuracy"])
    alone = rows.drop_duplicates(["model", "seed", "k", "stage"])
    alone = alone.assign(stage=alone["stage"].fillna("all columns"))
    later = alone["stage"].eq("no stress test") & alone["k"].eq(4)
    alone.loc[later, "stage"] = "neither"
    table = alone.pivot_table(
        index="model", columns="stage", values="value", sort=False
    )
    order = ["all columns", "no ECG", "no stress test", "neither"]
    return frame_grid(table[order])


def calibration_section(curves: pd.DataFrame) -> str:
    """Show calibration beside accuracy."""
    mean = curves[(curves["imputation"] == "mean") & (curves["scenario"] == "random")]
    heart = with_constant(mean[mean["dataset"] == "heart"])
    rows = []
    for model, part in heart.groupby("model", sort=False):
        table = part.pivot_table(index="k", columns="measure", values="value")
        pairs = [(table.loc[k, "accuracy"], table.loc[k, "ece"]) for k in KS]
        rows.append([model, *(f"{number(a)} / {number(e)}" for a, e in pairs)])
    shares = []
    for _, part in mean[mean["measure"].isin(["accuracy", "ece"])].groupby(
        ["dataset", "model"]
    ):
        table = part.pivot_table(index="k", columns="measure", values="value")
        first = table.iloc[1]
        intact = table.iloc[0]
        shares.append(
            (first["ece"] - intact["ece"]) / max(intact["ece"], 1e-9)
            > (intact["accuracy"] - first["accuracy"]) / intact["accuracy"]
        )
    sentence = (
        "With one column gone the calibration error grows, relative to its intact "
        f"value, more than accuracy falls in {sum(shares)} of {len(shares)} cases "
        "(tables x models)."
    )
    return (
        grid(
            ["heart: accuracy / ECE", *(f"k = {k}" for k in (0, 1, 2, 4, 8, 11))], rows
        )
        + f"\n\n{sentence}"
    )


def runtime_section() -> str:
    """Show what it cost."""
    runs = read("results-runtime.csv")
    return frame_grid(runtime_table(runs).sort_values("seconds_per_million_rows"), 2)


def files() -> dict[str, str]:
    """Give the page."""
    curves = read("results-curves.csv")
    curves["degree"] = curves["degree"].astype(float)
    words = (HERE / "words.md").read_text(encoding="utf-8")
    main = main_rows(curves)
    unknowns = Unknowns(main[main["scenario"] == "random"])
    parts = {
        "check": check_section(curves),
        "unknowns": unknown_section(unknowns),
        "seeds": seed_section(),
        "readings": reading_section(unknowns),
        "reasons": reason_section(unknowns),
        "random": random_section(curves, unknowns),
        "single": single_section(curves),
        "ours": ours_section(curves),
        "summary": summary_section(curves),
        "imputers": imputer_section(curves),
        "types": type_section(curves),
        "stages": stage_section(curves),
        "calibration": calibration_section(curves),
        "verdicts": verdict_of_observations(curves),
        "observations": observation_section(curves),
        "recomputed": recomputed_section(),
        "agreement": agreement_section(),
        "leak": leak_section(),
        "autofe": autofe_section(),
        "runtime": runtime_section(),
    }
    for name, text in parts.items():
        mark = f"<!-- {name} -->"
        if mark not in words:
            raise SystemExit(f"words.md has no place for {name}")
        words = words.replace(mark, text)
    return {"shift.md": words}


if __name__ == "__main__":
    write_pages(files())
