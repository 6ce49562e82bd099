"""The three observations, and what the paper derives from its own tables."""

from __future__ import annotations

import pandas as pd

from papers.shift.cells import frame_grid, grid, main_rows, number, read
from papers.shift.observations import closed_and_shifted, decay, importance_and_loss
from papers.shift.summaries import rank_summary, type_table

KINDS = (("classification", ("binary", "multiclass")), ("regression", ("regression",)))
SCENARIO_GROUPS = (("most and least", ("most", "least")), ("single", ("single",)))
HEART_TYPES = {
    **dict.fromkeys(["ChestPainType", "RestingECG", "ST_Slope"], "categorical"),
    **dict.fromkeys(["Sex", "ExerciseAngina"], "boolean"),
    **dict.fromkeys(
        ["Age", "RestingBP", "Cholesterol", "FastingBS", "MaxHR", "Oldpeak"],
        "numerical",
    ),
}


def verdict_of_observations(curves: pd.DataFrame) -> str:
    """Say in a sentence each which observations hold here."""
    mean = main_rows(curves)
    importance = importances()
    lines = []
    for word, tasks in KINDS:
        found = decay(mean[mean["task"].isin(tasks)])
        sure = int((found["low"] > 0).sum())
        lines.append(
            f"Observation 1, models lose ({word}): the interval is above 0 in "
            f"{sure} of {len(found)} ranges of missing columns; with 80 to 100 % gone "
            f"the loss is {found['loss'].iloc[-1]:.0%}, and "
            f"{found['share'].iloc[-1]:.0%} of curves lose."
        )
    for name, scenarios in SCENARIO_GROUPS:
        found = importance_and_loss(mean, importance, scenarios=scenarios)
        held = "holds" if found.low > 0 else "is not sure"
        lines.append(
            f"Observation 2, loss follows importance ({name}): {held}, r = "
            f"{found.pooled:.2f} ({found.low:.2f} to {found.high:.2f})."
        )
    ours = closed_and_shifted(mean)
    theirs = closed_and_shifted(published_curves())
    for word, found in (("ours", ours), ("published", theirs)):
        sure = found.index[found["low"] > 0]
        lines.append(
            f"Observation 3, good models are robust ({word}): the interval is above 0 "
            f"on {len(sure)} of {len(found)} tables ({', '.join(sure) or 'none'}); "
            f"r from {found['pearson'].min():.2f} to {found['pearson'].max():.2f}."
        )
    return "\n".join(f"- {line}" for line in lines)


def published_curves() -> pd.DataFrame:
    """Read the published random scenario, the paper's measure of each task."""
    published = read("published-random.csv").assign(scenario="random")
    most = published.groupby("dataset")["k"].transform("max")
    published = published.assign(degree=published["k"] / most)
    return published[published["measure"].isin(["accuracy", "rmse"])]


def importances() -> dict[str, pd.Series]:
    """Read the importance of the columns of every table."""
    return {
        str(name): part.set_index("column")["importance"]
        for name, part in read("results-importance.csv").groupby("dataset")
    }


def recomputed_section() -> str:
    """Recompute what the paper derives from its own tables."""
    ranks = read("published-ranks.csv")
    table = ranks.pivot(index=["task", "model"], columns="bin", values="rank")
    summary = rank_summary(table).sort_values("average_rank")
    single = read("published-single.csv").assign(scenario="single")
    types = type_table(single[single["dataset"] == "heart"], HEART_TYPES).round(3)
    printed = read("published-types.csv").set_index("model").loc[types.index]
    off = (types[printed.columns] - printed).abs().max(axis=None)
    imputed = read("published-imputation.csv")
    mean = imputed[(imputed["model"] == "CatBoost") & (imputed["imputation"] == "mean")]
    curve = published_curves()
    curve = curve[(curve["dataset"] == "heart") & (curve["model"] == "CatBoost")]
    eight = mean.set_index("k")["value"]
    same = (eight - curve.set_index("k")["value"].loc[1:10]).abs().max()
    found = closed_and_shifted(published_curves())["pearson"]
    rows = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    return "\n\n".join(
        [
            "Average rank and top 3, from the published ranks:",
            frame_grid(summary, 1),
            f"Table 11 from the single scenario: {types.size} cells, largest "
            f"difference {off:.3f}. The CatBoost/mean column of Table 8 from the "
            f"random scenario: {len(eight)} cells, largest difference {same:.3f}; so "
            'its "100%" is 10 of 11 columns.',
            f"Observation 3, Pearson's r over models: {rows}.",
        ]
    )


def observation_section(curves: pd.DataFrame) -> str:
    """Re-test the three observations, with intervals."""
    mean = main_rows(curves)
    importance = importances()
    parts = ["### 1. Do most models lose when columns vanish?"]
    for word, tasks in KINDS:
        found = decay(mean[mean["task"].isin(tasks)])
        rows = [
            [
                name,
                f"{row['loss']:.0%}",
                f"{row['low']:.0%} to {row['high']:.0%}",
                f"{row['share']:.0%}",
            ]
            for name, row in found.iterrows()
        ]
        parts.append(
            f"{word.capitalize()}, mean relative loss over tables and models:\n\n"
            + grid(
                ["missing", "loss", "95 % over tables", "share of curves that lose"],
                rows,
            )
        )
    upper = read("results-upper.csv")
    sign = upper.groupby(["task", "model", "scenario"])["loss"].agg(["mean", "sem"])
    rows = [
        [task, model, scenario, number(row["mean"]), number(1.96 * row["sem"])]
        for (task, model, scenario), row in sign.iterrows()
    ]
    parts.append(
        "What refitting without the columns would have gained (accuracy, or RMSE in "
        "units of the target):\n\n"
        + grid(["task", "model", "masks", "gain", "± 95 % over masks"], rows)
    )
    parts.append("### 2. Does the loss follow the importance of what vanished?")
    rows = []
    for name, scenarios in SCENARIO_GROUPS:
        found = importance_and_loss(mean, importance, scenarios=scenarios)
        each = ", ".join(
            f"{key} {value:.2f}" for key, value in found.by_dataset.items()
        )
        between = f"{found.low:.2f} to {found.high:.2f}"
        rows.append(
            [name, number(found.pooled, 2), between, number(found.mean, 2), each]
        )
    parts.append(
        grid(["scenario", "pooled r", "95 % over tables", "mean r", "by table"], rows)
    )
    parts.append("### 3. Are good models also robust?")
    parts.append("Ours, eight models:")
    parts.append(frame_grid(closed_and_shifted(mean), 2))
    parts.append("Recomputed from the published values, all models of the paper:")
    parts.append(frame_grid(closed_and_shifted(published_curves()), 2))
    return "\n\n".join(parts)


def agreement_section() -> str:
    """Show how well ways to measure importance agree."""
    found = read("results-agreement.csv").set_index("method")
    return frame_grid(found, 2)
