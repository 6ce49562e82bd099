"""Write the page `docs/reproduction/shift-networks.md` from the CSV files here.

    python -m papers.shift.page_networks

Nothing is measured here: published numbers are in `published-*.csv`, ours in
`results-networks*.csv`, made by `networks.py`. A number is shown where all three splits
are there; its interval is Student's over the splits.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from caveat.models import MODELS
from papers import write_pages
from papers.shift.cells import CONSTANT, MAIN, grid, interval, number, read
from papers.shift.networks import (
    ABSENT,
    CHEAP,
    DEAREST,
    DEAREST_USUAL,
    IMPUTED,
    IMPUTERS,
    MASK_RATE,
    MOST_ROUNDS,
    MOST_SUBSETS,
    REFIT_SUBSETS,
    SHAPES,
)
from papers.shift.run import SEEDS, TABLES
from papers.shift.summaries import gap_table, rank_table

HERE = Path(__file__).parent
ROBUST = {"binary": "auc", "multiclass": "auc", "regression": "rmse"}
TITLES = {"accuracy": "accuracy", "auc": "AUC", "rmse": "RMSE"}
BINS = ("20%", "40%", "60%", "80%", "100%")
LINEAR = ("logistic-regression", "ridge")
RIVAL = "catboost"
FREE = "dummy"
PRINTED = {"ft-transformer": "FT-T", FREE: CONSTANT}
DIRECTION = {"accuracy": 1.0, "auc": 1.0, "rmse": -1.0}


def title(model: str) -> str:
    """Spell a model as the paper does."""
    return PRINTED.get(model, MODELS[model].title)


def verdict(values: Iterable[float]) -> str:
    """Say whether the interval of a gain holds 0."""
    mean, half = interval(values)
    return "open" if abs(mean) <= half else "better" if mean > 0 else "worse"


def is_network(model: str) -> bool:
    """Tell networks from all other models."""
    return bool(MODELS[model].facts["family"] == "network")


def shown(values: Iterable[float], places: int = 3) -> str:
    """Write a mean with the half width of its interval."""
    mean, half = interval(values)
    return f"{mean:+.{places}f} ± {number(half, places)}"


def whole(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Keep what has all splits."""
    splits = frame.groupby(keys, dropna=False)["seed"].transform("nunique")
    return frame[splits == len(SEEDS)]


def load() -> pd.DataFrame:
    """Read the results, with the task and the share of the columns that are gone."""
    rows = read("results-networks.csv")
    rows["task"] = rows["dataset"].map(lambda name: TABLES[name][1])
    columns = rows["dataset"].map(lambda name: SHAPES[name][1])
    rows["degree"] = rows["k"] / columns
    return rows.assign(scenario="random")


def plain(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep the curves of models trained as usual, filled in by means."""
    usual = (rows["mask_rate"] == 0) & (rows["imputation"] == "mean")
    found = rows[usual & (rows["kind"] == "curve")]
    return whole(found, ["dataset", "model"])


def constant(rows: pd.DataFrame, dataset: object, measure: str) -> pd.Series:
    """Give what the best constant answer reaches on each split; no column moves it."""
    mine = rows[(rows["dataset"] == dataset) & (rows["measure"] == measure)]
    mine = mine[(mine["model"] == FREE) & (mine["k"] == 0) & (mine["kind"] == "curve")]
    return mine.set_index("seed")["value"]


def floor_first(
    rows: pd.DataFrame, table: list[list[object]], scores: int, blanks: int
) -> list[list[object]]:
    """Put the constant answer before the rows of each table, under its scores.

    A row begins with the table, the model and the measure, or with the first two.
    """
    found: list[list[object]] = []
    seen: set[object] = set()
    for row in table:
        dataset = row[0]
        if dataset not in seen:
            seen.add(dataset)
            measure = ROBUST[TABLES[str(dataset)][1]]
            value = number(constant(rows, dataset, measure).mean())
            named = [TITLES[measure]] * (len(row) - 2 - scores - blanks)
            found.append([dataset, CONSTANT, *named, *[value] * scores, *[""] * blanks])
        found.append(row)
    return found


def extent_section(cells: pd.DataFrame) -> str:
    """Say what was run and what was not."""
    curves = cells[cells["kind"] == "curve"]
    table = []
    for dataset in SHAPES:
        here = curves[curves["dataset"] == dataset]
        families = here["model"].map(lambda name: MODELS[name].facts["family"])
        row: list[object] = [dataset]
        for network in (True, False):
            part = here[(families == "network") == network]
            done = part[part["state"] == "measured"]
            row.append(f"{len(done)} of {len(part)}")
        row.append(f"{here['seconds'].sum():.0f}")
        table.append(row)
    header = ["table", "cells of networks", "of other models", "CPU seconds"]
    total = cells["seconds"].sum()
    states = cells["state"].value_counts()
    closed = (
        f"{states.get('measured', 0)} of {len(cells)} cells were measured, in "
        f"{total:.0f} CPU seconds of one core; {states.get('too dear', 0)} were left "
        f"out before the start, because their estimate is above {DEAREST:.0f} s "
        f"({DEAREST_USUAL:.0f} s for models as they usually are); "
        f"{states.get('not reached', 0)} were not reached: the run was stopped by "
        "the clock. `networks.py` goes on where it stopped."
    )
    return f"{closed}\n\n{grid(header, table)}\n\n{_missing(cells)}"


def _missing(cells: pd.DataFrame) -> str:
    """List what is not there; a name alone means that all of its cells are missing."""
    lines = [f"- {title(name)}, all tables: {why}" for name, why in ABSENT.items()]
    gone = cells[(cells["state"] != "measured") & (cells["kind"] != "closed")]
    for (dataset, state), part in gone.groupby(["dataset", "state"], sort=False):
        names = []
        for model, few in part.groupby("model", sort=False):
            same = (cells["dataset"] == dataset) & (cells["model"] == model)
            all_of_it = cells[same & (cells["kind"] != "closed")]
            labels = dict.fromkeys(map(_label, few.itertuples()))
            short = "" if len(few) == len(all_of_it) else f" ({', '.join(labels)})"
            names.append(f"{title(str(model))}{short}")
        lines.append(f"- {dataset}, {state}: {', '.join(names)}")
    return (
        "Cells that are not there (a name alone: all cells of that model):\n\n"
        + "\n".join(lines)
    )


def _label(cell: Any) -> str:
    if cell.kind != "curve":
        return "refitted" if cell.kind == "refit" else str(cell.kind)
    if cell.mask_rate:
        return "trained for loss"
    return "usual" if cell.imputation == "mean" else str(cell.imputation)


def learnt_section(rows: pd.DataFrame) -> str:
    """Hold every model with all columns against the linear one, paired."""
    intact = rows[(rows["k"] == 0) & (rows["mask_rate"] == 0)]
    intact = intact[intact["kind"].isin(["curve", "closed"])]
    intact = intact[intact["imputation"] == "mean"]
    intact = intact[intact["task"].map(MAIN) == intact["measure"]]
    table, behind = [], []
    for dataset in SHAPES:
        here = whole(intact[intact["dataset"] == dataset], ["model"])
        wide = here.pivot_table(index="seed", columns="model", values="value")
        base = next((name for name in LINEAR if name in wide), None)
        networks = [name for name in wide if is_network(name)]
        if base is None or not networks:
            continue
        seconds = here.groupby("model")["fit_seconds"].mean()
        for model in [FREE, *networks]:
            if TABLES[dataset][1] == "regression":
                off, allowed = wide[model] / wide[base] - 1, 0.05
                ahead = -off
            else:
                ahead, allowed = wide[model] - wide[base], 0.03
            mean, half = interval(ahead)
            late = mean < -allowed and model != FREE
            if late:
                sure = "" if mean + half < 0 else ", whose interval holds 0"
                behind.append(f"{title(model)} on {dataset}{sure}")
            table.append(
                [
                    *(dataset, title(model), number(wide[model].mean())),
                    *(number(wide[base].mean()), shown(ahead)),
                    *("behind" if late else "", number(seconds[model], 1)),
                ]
            )
    header = ["table", "network", "network", "linear", "ahead by", "", "CPU s per fit"]
    header[2] = "accuracy or RMSE"
    verdict = (
        "With all columns none is more than 3 points of accuracy, or 5 % of the RMSE, "
        "behind the linear model."
        if not behind
        else "With all columns more than 3 points of accuracy, or 5 % of the RMSE, "
        f"behind the linear model: {'; '.join(behind)}."
    )
    return f"{verdict}\n\n{grid(header, table)}"


def leak_section(rows: pd.DataFrame) -> str:
    """Check that nothing is known when every column is gone."""
    last = rows[(rows["measure"] == "auc") & (rows["kind"] == "curve")]
    last = last[last["degree"] == 1]
    # A cell drawn from the training rows differs from row to row: that is noise.
    fixed = last[last["imputation"] != "random"]
    off = (fixed["value"] - 0.5).abs()
    return (
        f"With every column gone the AUC is 0.5 in {int((off == 0).sum())} of "
        f"{len(fixed)} cells; the largest difference is {off.max():.2g}."
    )


def gap_section(rows: pd.DataFrame) -> str:
    """Show Table 3 with intervals, beside print."""
    main = plain(rows)
    main = main[main["task"].map(MAIN) == main["measure"]]
    each = {seed: gap_table(part) for seed, part in main.groupby("seed")}
    printed = read("published-gaps.csv").pivot_table(
        index=["task", "model"], columns="bin", values="gap"
    )
    parts = []
    for task in MAIN:
        models = dict.fromkeys([FREE, *main[main["task"] == task]["model"]])
        table = []
        for model in models:
            used = main[(main["task"] == task) & (main["model"] == model)]
            row: list[object] = [title(model), ", ".join(used["dataset"].unique())]
            for name in BINS:
                ours = [
                    gaps.loc[task, model].get(name, np.nan) for gaps in each.values()
                ]
                theirs = np.nan
                if (task, title(model)) in printed.index:
                    theirs = printed.loc[task, title(model)].get(name, np.nan)
                row.append(f"{_found(ours)} / {number(theirs)}")
            table.append(row)
        header = ["model", "our tables", *BINS]
        parts.append(f"{task}, {TITLES[MAIN[task]]}:\n\n{grid(header, table)}")
    return "\n\n".join(parts)


def _found(values: list[float]) -> str:
    return "–" if np.isnan(values).any() else shown(values)


def rank_section(rows: pd.DataFrame) -> str:
    """Show Table 4 with its spread over splits, table by table, beside print."""
    main = plain(rows)
    main = main[main["task"].map(MAIN) == main["measure"]]
    printed = read("published-ranks.csv").pivot_table(
        index=["task", "model"], columns="bin", values="rank"
    )
    parts = []
    for dataset in SHAPES:
        here = main[main["dataset"] == dataset]
        if here["model"].nunique() < 6:
            continue
        task = TABLES[dataset][1]
        each = [rank_table(part).loc[task] for _, part in here.groupby("seed")]
        table = []
        places = sum(ranks["0%"] for ranks in each).sort_values(kind="stable")
        order = places.index.drop(FREE)
        for model in [FREE, *order]:
            row: list[object] = [title(model)]
            for name in ("0%", *BINS):
                ours = [ranks.loc[model].get(name, np.nan) for ranks in each]
                theirs = np.nan
                if (task, title(model)) in printed.index:
                    theirs = printed.loc[task, title(model)].get(name, np.nan)
                low, high = min(ours), max(ours)
                span = "–" if np.isnan(low) else f"{low:g} to {high:g}"
                row.append(f"{span} / {number(theirs, 0)}")
            table.append(row)
        header = [f"{dataset}, {len(order)} models", "0%", *BINS]
        parts.append(grid(header, table))
    return "\n\n".join(parts)


def rival_section(rows: pd.DataFrame) -> str:
    """Hold networks against the paper's best tree, ours and printed."""
    main = plain(rows)
    main = main[main["task"].map(MAIN) == main["measure"]]
    printed = read("published-random.csv")
    printed = printed[printed["measure"] != "auc"]
    table, outside = [], []
    for dataset, here in main.groupby("dataset", sort=False):
        if RIVAL not in set(here["model"]):
            continue
        sign = DIRECTION[MAIN[TABLES[str(dataset)][1]]]
        theirs = printed[printed["dataset"] == dataset].pivot_table(
            index="k", columns="model", values="value"
        )
        networks = filter(is_network, dict.fromkeys(here["model"]))
        for model in [FREE, *networks]:
            row: list[object] = [dataset, title(model)]
            for closed in (True, False):
                part = here[(here["k"] == 0) == closed]
                wide = part.pivot_table(index="seed", columns="model", values="value")
                ahead = sign * (wide[model] - wide[RIVAL])
                row.append(shown(ahead))
                known = title(model) in theirs
                gap = np.nan
                if known:
                    chosen = theirs[(theirs.index == 0) == closed]
                    gap = sign * (chosen[title(model)] - chosen[title(RIVAL)]).mean()
                    mean, half = interval(ahead)
                    if half > 0:
                        outside.append((closed, gap < mean - half, gap > mean + half))
                row.append("–" if np.isnan(gap) else f"{gap:+.3f}")
            table.append(row)
    header = ["table", "network", "all columns", "print", "columns gone", "print"]
    told = []
    for closed, what in ((True, "With all columns"), (False, "While they are gone")):
        found = [(low, high) for when, low, high in outside if when == closed]
        worse, better = (sum(one) for one in zip(*found, strict=True))
        told.append(
            f"{what}, print has the network further behind CatBoost than our "
            f"interval in {worse} of {len(found)} comparisons, and further ahead in "
            f"{better}."
        )
    return " ".join(told) + "\n\n" + grid(header, table)


def order_section(rows: pd.DataFrame) -> str:
    """Hold the order of the models against print's, and that of the splits."""
    main = plain(rows)
    main = main[main["task"].map(MAIN) == main["measure"]]
    printed = read("published-random.csv")
    table: list[list[object]] = []
    told: list[str] = []
    for dataset, here in main.groupby("dataset", sort=False):
        measure = MAIN[TABLES[str(dataset)][1]]
        same = (printed["dataset"] == dataset) & (printed["measure"] == measure)
        known = {title(name): name for name in dict.fromkeys(here["model"])}
        theirs = printed[same & printed["model"].isin(list(known))]
        theirs = theirs.assign(model=theirs["model"].map(known))
        networks = [name for name in theirs["model"].unique() if is_network(name)]
        if not networks or RIVAL not in set(theirs["model"]):
            continue
        for closed in (True, False):
            print_ = theirs[(theirs["k"] == 0) == closed].groupby("model")["value"]
            ours = here[(here["k"] == 0) == closed].pivot_table(
                index="seed", columns="model", values="value"
            )
            mine = DIRECTION[measure] * ours[print_.mean().index]
            paper = DIRECTION[measure] * print_.mean()
            met = [stats.kendalltau(paper, split).statistic for split in mine.values]
            own = [
                stats.kendalltau(one, other).statistic
                for one, other in combinations(mine.values, 2)
            ]
            ahead = int((paper[networks] > paper[RIVAL]).sum())
            found = [verdict(mine[name] - mine[RIVAL]) for name in networks]
            counts = [found.count(name) for name in ("better", "worse", "open")]
            when = "all there" if closed else "some gone"
            table.append(
                [
                    *(dataset, when, len(paper), shown(met, 2)),
                    *(f"{min(own):+.2f} to {max(own):+.2f}", len(networks), ahead),
                    "{} / {} / {}".format(*counts),
                ]
            )
            if closed:
                told.append(
                    f"{dataset}: print {ahead} of {len(networks)} ahead, ours "
                    "{} ahead, {} behind, {} open".format(*counts)
                )
    header = ["table", "columns", "models", "print with ours", "our splits", "networks"]
    header += ["ahead of CatBoost in print", "ours: ahead / behind / open"]
    verdicts = (
        "The ranking. Networks against CatBoost with all columns: "
        f"{'; '.join(told)}. What is open is not a draw: three splits do not decide it."
    )
    return f"{verdicts}\n\n{grid(header, table)}"


def decay(rows: pd.DataFrame) -> pd.DataFrame:
    """Average each curve over its degrees: AUC or RMSE while columns are gone."""
    some = rows[(rows["k"] > 0) & (rows["task"].map(ROBUST) == rows["measure"])]
    keys = ["kind", "dataset", "model", "mask_rate", "imputation", "seed"]
    return some.groupby(keys, sort=False)[["value", "refit", "trained"]].mean()


def lossy_section(rows: pd.DataFrame) -> str:
    """Pair training for loss with the usual training, over splits."""
    means = decay(rows[rows["kind"] == "curve"]).reset_index()
    filled = means[means["imputation"] == "mean"]
    keys = ["dataset", "model"]
    wide = filled.pivot_table(
        index=[*keys, "seed"], columns="mask_rate", values="value"
    ).dropna()
    table: list[list[object]] = []
    gains, halves, pooled = [], [], []
    for (dataset, model), part in wide.groupby(level=keys, sort=False):
        if len(part) < len(SEEDS):
            continue
        measure = ROBUST[TABLES[dataset][1]]
        gain = DIRECTION[measure] * (part[MASK_RATE] - part[0.0])
        if measure == "auc":
            pooled.append(gain.droplevel(keys).rename(model))
        gains.append((dataset, model, verdict(gain)))
        halves.append((measure, interval(gain)[1]))
        table.append(
            [
                *(dataset, title(model), TITLES[measure]),
                *(number(part[0.0].mean()), number(part[MASK_RATE].mean())),
                *(shown(gain), verdict(gain)),
            ]
        )
    header = ["table", "model", "measure", "trained as usual", "trained for loss"]
    header += ["gain over splits", "verdict"]
    shown_table = grid(header, floor_first(rows, table, scores=2, blanks=2))
    lines = [_count(gains), _together(pooled), shown_table, _power(halves)]
    return "\n\n".join(lines)


def _together(pooled: list[pd.Series]) -> str:
    """Average the gains of all pairs of a split: what all of them say together."""
    told = []
    for network in (True, False):
        own = [gain for gain in pooled if is_network(str(gain.name)) == network]
        if own:
            who = "networks" if network else "boosters"
            mean = shown(pd.concat(own, axis=1).mean(axis=1))
            told.append(f"{mean} for the {len(own)} pairs of {who}")
    return (
        "Training for loss: mean gain of AUC while columns are gone, "
        "over all pairs of a table and a model, interval over the three splits: "
        f"{', '.join(told)}. It speaks of these tables and models, not of others."
    )


def _count(gains: list[tuple[str, str, str]]) -> str:
    lines = []
    for network in (True, False):
        found = [outcome for _, model, outcome in gains if is_network(model) == network]
        who = "networks" if network else "boosters"
        lines.append(
            f"{who}: {found.count('better')} of {len(found)} pairs of a table and a "
            f"model better, {found.count('worse')} worse, {found.count('open')} open"
        )
    return "Of " + "; of ".join(lines) + "."


def _power(halves: list[tuple[str, float]]) -> str:
    found = pd.DataFrame(halves, columns=["measure", "half"])
    middle = found.groupby("measure")["half"].median()
    told = ", ".join(f"{number(x)} of {TITLES[name]}" for name, x in middle.items())
    return (
        "Power: three splits are few, and Student's quantile is 4.3. Half of these "
        f"intervals are wider than ± {told}: a gain below that stays open, whether it "
        "is there or not."
    )


def imputer_section(rows: pd.DataFrame) -> str:
    """Show Table 8: trees with each imputation, beside training for loss."""
    heart = rows[(rows["dataset"] == "heart") & (rows["kind"] == "curve")]
    heart = heart[(heart["measure"] == "accuracy") & heart["k"].between(1, 10)]
    heart = whole(heart, ["model", "mask_rate", "imputation"])
    printed = read("published-imputation.csv")
    theirs = printed.groupby(["model", "imputation"])["value"].mean()
    names = heart[(heart["imputation"] != "mean") | (heart["mask_rate"] > 0)]["model"]
    floor = number(constant(rows, "heart", "accuracy").mean())
    table = [[CONSTANT, "", floor, "", "", ""]]
    for model in dict.fromkeys(names):
        part = heart[heart["model"] == model]
        keys = ["mask_rate", "imputation", "seed"]
        means = part.groupby(keys, sort=False)["value"].mean()
        base = part[(part["mask_rate"] == 0) & (part["imputation"] == "mean")]
        if base.empty:
            continue
        base = base.groupby("seed")["value"].mean()
        lossy = part[part["mask_rate"] > 0].groupby("seed")["value"].mean()
        for (rate, how), values in means.groupby(level=keys[:2], sort=False):
            label = f"trained for loss, {rate:g}" if rate else how
            own = values.droplevel(keys[:2])
            ours = "–" if not rate and how == "mean" else shown(own - base)
            rest = "–" if rate or lossy.empty else shown(own - lossy)
            print_value = np.nan if rate else theirs.get((title(model), how), np.nan)
            table.append(
                [
                    *(title(model), label, number(values.mean()), ours, rest),
                    number(print_value),
                ]
            )
    header = ["model", "what is done", "accuracy, k = 1 to 10", "against the mean"]
    return grid([*header, "against training for loss", "print"], table)


def tree_section(rows: pd.DataFrame) -> str:
    """Pair networks, usual and trained for loss, with trees and their imputations."""
    means = decay(rows[rows["kind"] == "curve"])["value"]
    keys = ["dataset", "model", "mask_rate", "imputation"]
    means = whole(means.reset_index(), keys).set_index([*keys, "seed"])["value"]
    ways = [(0.0, how) for how in ("mean", *IMPUTERS)] + [(MASK_RATE, "mean")]
    table: list[list[object]] = []
    pooled: dict[str, list[pd.DataFrame]] = {}
    for dataset in SHAPES:
        measure = ROBUST[TABLES[dataset][1]]
        there = means[means.index.get_level_values("dataset") == dataset]
        curves = {key: part.droplevel(keys) for key, part in there.groupby(level=keys)}
        networks = [
            name
            for _, name, rate, _ in curves
            if is_network(name) and rate and (dataset, name, 0.0, "mean") in curves
        ]
        for tree in IMPUTED:
            for rate, how in ways:
                base = curves.get((dataset, tree, rate, how))
                if base is None or not networks:
                    continue
                gains = {
                    trained: pd.DataFrame(
                        {
                            name: DIRECTION[measure]
                            * (curves[dataset, name, trained, "mean"] - base)
                            for name in networks
                        }
                    )
                    for trained in (0.0, MASK_RATE)
                }
                usual, lossy = gains[0.0], gains[MASK_RATE]
                free = DIRECTION[measure] * (constant(rows, dataset, measure) - base)
                label = "trained for loss" if rate else how
                found = [verdict(lossy[name]) for name in networks]
                counts = [found.count(name) for name in ("better", "worse", "open")]
                table.append(
                    [
                        *(dataset, TITLES[measure], title(tree), label),
                        *(shown(free), len(networks)),
                        *(shown(usual.mean(axis=1)), shown(lossy.mean(axis=1))),
                        "{} / {} / {}".format(*counts),
                    ]
                )
                if measure == "auc" and tree == RIVAL:
                    pooled.setdefault(label, []).append(lossy)
    told = [
        f"{shown(pd.concat(found, axis=1).mean(axis=1))} ({label})"
        for label, found in pooled.items()
    ]
    pairs = [sum(one.shape[1] for one in found) for found in pooled.values()] or [0]
    size = f"{min(pairs)} to {max(pairs)}" if len(set(pairs)) > 1 else f"{pairs[0]}"
    verdicts = (
        "Networks trained for loss against CatBoost, by what is done to CatBoost: gain "
        f"of AUC while columns are gone, mean of {size} pairs of a table and a "
        f"network, interval over the three splits: {', '.join(told)}."
    )
    header = ["table", "measure", "tree", "what is done to it"]
    header += ["constant answer, ahead by", "networks"]
    header += ["as usual, ahead by", "trained for loss, ahead by"]
    return f"{verdicts}\n\n{grid([*header, 'better / worse / open'], table)}"


def refit_section(rows: pd.DataFrame) -> str:
    """Hold filling in and training for loss against fitting again, same subsets."""
    means = decay(rows[rows["kind"] == "refit"]).reset_index()
    table: list[list[object]] = []
    outcomes: dict[str, list[str]] = {
        "over filling in": [],
        "over training for loss": [],
    }
    for (dataset, model), part in means.groupby(["dataset", "model"], sort=False):
        if len(part) < len(SEEDS):
            continue
        measure = ROBUST[TABLES[dataset][1]]
        sign = DIRECTION[measure]
        ceiling = sign * (part["refit"] - part["value"])
        rest = sign * (part["refit"] - part["trained"])
        for found, gain in zip(outcomes.values(), (ceiling, rest), strict=True):
            found.append(verdict(gain))
        table.append(
            [
                *(dataset, title(model), TITLES[measure], number(part["value"].mean())),
                *(number(part["trained"].mean()), number(part["refit"].mean())),
                *(shown(ceiling), shown(rest)),
            ]
        )
    header = ["table", "model", "measure", "filled in", "trained for loss", "refitted"]
    header += ["refitting gains", "and over training for loss"]
    if not table:
        return "No model has been refitted on all splits yet."
    told = [
        f"{label} {found.count('better')} of {len(found)} pairs of a table and a model "
        f"better, {found.count('worse')} worse, {found.count('open')} open"
        for label, found in outcomes.items()
    ]
    table = floor_first(rows, table, scores=3, blanks=2)
    return f"Refitting: {'; '.join(told)}.\n\n{grid(header, table)}"


def distilled_section(rows: pd.DataFrame) -> str:
    """Pair networks taught by refitted models with those trained for loss."""
    some = rows[(rows["mask_rate"] > 0) & rows["kind"].isin(["curve", "distilled"])]
    wide = decay(some).reset_index()
    wide = wide.pivot_table(
        index=["dataset", "model", "seed"], columns="kind", values="value"
    ).dropna()
    table: list[list[object]] = []
    for (dataset, model), part in wide.groupby(level=[0, 1], sort=False):
        if "distilled" not in part or len(part) < len(SEEDS):
            continue
        gain = part["distilled"] - part["curve"]
        values = (number(part[kind].mean()) for kind in ("curve", "distilled"))
        table.append([dataset, title(str(model)), *values, shown(gain)])
    header = ["table", "network", "trained for loss", "distilled", "gain over splits"]
    if not table:
        return "Not measured on all splits yet."
    return grid(header, floor_first(rows, table, scores=2, blanks=1))


def intervention_section(rows: pd.DataFrame) -> str:
    """Show what changed settings do to the networks that had stayed behind."""
    table = []
    changed = read("results-interventions.csv")
    for dataset, here in changed.groupby("dataset", sort=False):
        task = TABLES[str(dataset)][1]
        base = here[here["model"] == "linear"].set_index("seed")["value"]
        own = here[here["model"] != "linear"]
        free = constant(rows, dataset, MAIN[task]).rename("value").reset_index()
        free = free.assign(model=FREE, setting="", best_epoch=np.nan)
        own = pd.concat([free, own], ignore_index=True)
        for (model, label), part in own.groupby(["model", "setting"], sort=False):
            values = part.set_index("seed")["value"]
            ahead = 1 - values / base if task == "regression" else values - base
            cells = (number(values.mean()), number(base.mean()), shown(ahead))
            best = number(part["best_epoch"].mean(), 0)
            table.append([dataset, title(str(model)), label, *cells, best])
    header = ["table", "network", "setting", "accuracy or RMSE", "linear", "ahead by"]
    return grid([*header, "best pass"], table)


def cost_section(cells: pd.DataFrame) -> str:
    """Hold the estimates against what was measured."""
    done = cells[(cells["state"] == "measured") & (cells["kind"] == "curve")]
    done = done[
        done["model"].map(lambda name: MODELS[name].facts["family"]) == "network"
    ]
    sums = done.groupby("model", sort=False)[["estimate", "seconds"]].sum()
    counts = done.groupby("model", sort=False).size()
    table = [
        [title(model), counts[model], *(number(one, 1) for one in row)]
        for model, row in sums.iterrows()
    ]
    return grid(["network", "cells", "CPU s estimated", "CPU s measured"], table)


def files() -> dict[str, str]:
    """Give the page."""
    rows, cells = load(), read("results-networks-cells.csv")
    words = (HERE / "words-networks.md").read_text(encoding="utf-8")
    behind, learnt = learnt_section(rows).split("\n\n", 1)
    ranking, orders = order_section(rows).split("\n\n", 1)
    beside, trees = tree_section(rows).split("\n\n", 1)
    again, refits = refit_section(rows).split("\n\n", 1)
    against, rivals = rival_section(rows).split("\n\n", 1)
    count, together, lossy = lossy_section(rows).split("\n\n", 2)
    short = [behind, leak_section(rows), ranking, against, f"{together} {count}"]
    short += [beside, again]
    parts = {
        "short": "\n".join(f"- {one}" for one in short),
        "extent": extent_section(cells),
        "learnt": learnt,
        "gaps": gap_section(rows),
        "ranks": rank_section(rows),
        "rivals": rivals,
        "imputers": imputer_section(rows),
        "lossy": lossy,
        "orders": orders,
        "trees": trees,
        "refits": refits,
        "limits": f"{CHEAP:.0f}",
        "distilled": distilled_section(rows),
        "interventions": intervention_section(rows),
        "costs": cost_section(cells),
        "subsets": str(REFIT_SUBSETS),
        "most": str(MOST_SUBSETS),
        "rounds": f"{MOST_ROUNDS:,}",
    }
    for name, text in parts.items():
        mark = f"<!-- {name} -->"
        if mark not in words:
            raise SystemExit(f"words-networks.md has no place for {name}")
        words = words.replace(mark, text)
    return {"shift-networks.md": words}


if __name__ == "__main__":
    write_pages(files())
