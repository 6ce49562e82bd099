"""Write the page about the reproduction of the label-proportion study from its table.

    python -m papers.bags.page

The page is made from the tables beside this script and from nothing else. That of the
published means and half-widths has one row per data set, learner and strategy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from papers import write_pages
from papers.bags.claims import (
    CLEAR,
    VARIANTS,
    claims_table,
    leads,
    survivors,
    variant_of,
)
from papers.bags.floors import ALWAYS
from papers.bags.floors import TABLE as FLOORS
from papers.bags.leaders import FEWEST, leaders, side_by_side
from papers.bags.leaders import TABLE as PUBLISHED_LEADERS
from papers.bags.paired import TABLE as PAIRED
from papers.bags.paired import summary
from papers.bags.run import ONE_PER_VARIANT, PARTS
from papers.bags.small import STEPS
from papers.bags.small import TABLE as SMALL_BAGS
from papers.bags.small import summary as small_bags
from papers.bags.traced import REFITS, ROWS
from papers.bags.traced import TABLE as TRACED
from papers.bags.traced import summary as traced

HERE = Path(__file__).parent
TABLE = HERE / "runs.csv"
PUBLISHED = HERE / "published.csv"
TESTED = HERE / "variants.csv"
REASONS = HERE / "reasons.csv"
PUBLISHED_TESTS = HERE / "published_tests.csv"
EXECUTIONS = 30
SETS = 20
INTRODUCTION = """
The study: G. Franco, G. Comarela, M. Crovella (2023), Evaluating LLP methods. Adult
in five bags, 20 data sets, released bags, published seeds, published settings of every
learner. This page is written by `page.py` in [`papers/bags`](../../papers/bags) from
the tables beside it; nothing in it is typed by hand.

EM/LR departs from them in one point: its fits are exact, not 100 steps of L-BFGS.

Every table of F1 has what is free first: "always yes", and "yes" in the bags that are
mostly "yes" (`floors.py`; test rows of the 30 published divisions). No column is read.

A cell is a data set, a learner and a strategy. It agrees when our mean F1 lies within
2 sd sqrt(1/n + 1/30) + 0.005 of the published mean, sd from the published half-width.
"""
SMALL_WORDS = """
Worlds that the paper does not have (`small.py`): random bags of 8 to 512 items, of
MNIST (5,000 test digits, odd against even, 14 x 14 pixels), of a part of CIFAR-10
(5,085 pictures, animal against vehicle, grey as in the paper, 16 x 16 pixels) and of
10,000 rows of Adult; shares that are exact, off by a normal error, or private; and
CIFAR-10 in five bags of each variant. Three quarters to learn from, accuracy on the
rest. Settings are the learners' own, none was chosen, networks make {steps} steps.
Learners of one seed share division, bags and first weights; the last columns are paired
differences from DLLP with t-intervals from three seeds, not corrected for their number.
A world is shown when all its learners have all seeds.
"""
TRACED_WORDS = """
The {rows} executions of every learner that differ most, traced by a fixed rule
(`traced.py`): the published setting is fitted here; where that does not give the
published F1, {refits} more fits, with the columns in another order, or other first
labels where a learner begins at random, give the range under `again`. A cause is named
where the published F1 comes out within .001, or lies in that range; a wide range would
hold many numbers, so it shows that the F1 is no property of the setting, and no more.
"""
SLACK = 0.005
SHARED_STRATEGY = "split-bag-shuffle"


def published() -> pd.DataFrame:
    """Means and standard deviations of the published runs."""
    table = pd.read_csv(PUBLISHED).rename(columns={"mean_f1": "published"})
    # The half-width is 1.96 sd / sqrt(n).
    sd = table["half_width_95"] * np.sqrt(table["n"]) / 1.96
    return table[["dataset", "learner", "strategy", "published"]].assign(sd=sd)


def floors() -> pd.Series:
    """F1 of what is free, by answer and data set."""
    return pd.read_csv(FLOORS).set_index(["answer", "dataset"])["f1"]


def always(datasets: pd.Series) -> pd.Series:
    """F1 of "always yes" on the data set of each row."""
    return datasets.map(floors()[ALWAYS])


def compared(runs: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Our mean beside the published one, with the tolerance of the comparison."""
    keys = ["dataset", "learner", "strategy"]
    ours = runs.groupby(keys)["f1"].agg(["mean", "count"]).reset_index()
    cells = ours.merge(reference, on=keys, how="left", validate="one_to_one")
    cells["difference"] = cells["mean"] - cells["published"]
    cells["tolerance"] = (
        2 * cells["sd"] * np.sqrt(1 / cells["count"] + 1 / EXECUTIONS) + SLACK
    )
    cells["inside"] = cells["difference"].abs() <= cells["tolerance"]
    return cells


def progress(runs: pd.DataFrame) -> list[str]:
    """How much of every part of the plan has been run."""
    lines = [
        "| settings | learner | data sets run | executions | runs | of the plan |",
        "|---|---|---:|---:|---:|---:|",
    ]
    missing = []
    for part in PARTS.values():
        sets = len(part.datasets) or SETS
        planned = sets * part.executions * len(part.strategies)
        for learner in part.learners:
            done = runs[
                (runs["settings"] == part.settings) & (runs["learner"] == learner)
            ]
            if done.empty:
                missing.append(f"{learner} ({part.settings})")
                continue
            counts = done.groupby("dataset")["execution"].nunique()
            lines.append(
                f"| {part.settings} | {learner} | {len(counts)} of {sets} | "
                f"{_span(counts)} of {part.executions} | {len(done)} | "
                f"{len(done) / planned:.0%} |"
            )
    if missing:
        lines += ["", f"Not run: {', '.join(missing)}."]
    return lines


def agreement(cells: pd.DataFrame, reference: pd.DataFrame) -> list[str]:
    """How many cells agree, learner by learner, and how many wrong methods would."""
    lines = [
        "| learner | cells | executions | within tolerance | share | mean difference | "
        "F1 = 0 within | always yes within | another learner within |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    far = (cells["published"] - always(cells["dataset"])).abs()
    cells = cells.assign(
        zero=cells["published"] <= cells["tolerance"],
        free=far <= cells["tolerance"],
        other=[_others_within(row, reference) for row in cells.itertuples()],
    )
    for learner, part in cells.groupby("learner", sort=False):
        lines.append(
            f"| {learner} | {len(part)} | {_span(part['count'])} | "
            f"{part['inside'].sum()} | "
            f"{part['inside'].mean():.1%} | {part['difference'].mean():+.3f} | "
            f"{part['zero'].mean():.1%} | {part['free'].mean():.1%} | "
            f"{part['other'].mean():.1%} |"
        )
    lines.append(
        f"| all | {len(cells)} | | {cells['inside'].sum()} | "
        f"{cells['inside'].mean():.1%} | {cells['difference'].mean():+.3f} | "
        f"{cells['zero'].mean():.1%} | {cells['free'].mean():.1%} | "
        f"{cells['other'].mean():.1%} |"
    )
    return lines


def _others_within(row: Any, reference: pd.DataFrame) -> float:
    """Share of the other learners whose published mean would pass for this cell's."""
    same = (reference["dataset"] == row.dataset) & (
        reference["strategy"] == row.strategy
    )
    others = reference[same & (reference["learner"] != row.learner)]["published"]
    return float(((others - row.published).abs() <= row.tolerance).mean())


def outside(cells: pd.DataFrame, reasons: pd.DataFrame) -> list[str]:
    """Every cell that does not agree, with its reason."""
    lines = [
        "| data set | learner | strategy | always yes | ours | n | published | "
        "tolerance | reason |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    keys = ["dataset", "learner", "strategy"]
    known = reasons.set_index(keys)["reason"].to_dict() if len(reasons) else {}
    apart = cells[~cells["inside"]]
    for row in apart.assign(free=always(apart["dataset"])).itertuples():
        name = row.dataset.removeprefix("adult-").split("-cluster")[0]
        key = (row.dataset, row.learner, row.strategy)
        lines.append(
            f"| {name} | {row.learner} | {row.strategy} | {row.free:.3f} | "
            f"{row.mean:.3f} | "
            f"{row.count} | {row.published:.3f} | {row.tolerance:.3f} | "
            f"{known.get(key, 'not looked into yet')} |"
        )
    return lines


def defaults(runs: pd.DataFrame, reference: pd.DataFrame) -> list[str]:
    """Mean F1 of our settings beside the published learners, variant by variant."""
    same_cells = reference["dataset"].isin(runs["dataset"]) & reference[
        "strategy"
    ].isin(runs["strategy"])
    free = floors().rename_axis(["learner", "dataset"]).reset_index(name="f1")
    free = free[free["dataset"].isin(runs["dataset"])]
    lines = ["| learner | " + " | ".join(VARIANTS) + " |", "|---|" + "---:|" * 4]
    for label, frame, column in (
        ("free", free, "f1"),
        ("published", reference[same_cells], "published"),
        ("ours", runs, "f1"),
    ):
        variant = variant_of(frame["dataset"])
        table = frame[column].groupby([frame["learner"], variant]).mean().unstack()
        table = table.reindex(columns=list(VARIANTS))
        for learner, row in table.sort_values("simple", ascending=False).iterrows():
            shown = ("" if pd.isna(value) else f"{value:.3f}" for value in row)
            lines.append(f"| {label}: {learner} | {' | '.join(shown)} |")
    return lines


def regrets(runs: pd.DataFrame) -> list[str]:
    """Say what each strategy gives up against the best configuration."""
    regret = (runs["best_f1"] - runs["f1"]).groupby([runs["learner"], runs["strategy"]])
    table = regret.mean().unstack()
    gap = (runs["best_f1"] - always(runs["dataset"])).groupby(runs["learner"]).mean()
    table["always yes instead"] = gap
    lines = [
        "| learner | " + " | ".join(table.columns) + " |",
        "|---|" + "---:|" * len(table.columns),
    ]
    for learner, row in table.iterrows():
        shown = ("" if pd.isna(value) else f"{value:.3f}" for value in row)
        lines.append(f"| {learner} | {' | '.join(shown)} |")
    return lines


def above_free(sources: dict[str, Any]) -> str:
    """Count the data sets on which no learner has a higher mean than "always yes"."""
    told = []
    for name, (frame, column) in sources.items():
        table = frame.pivot_table(index="dataset", columns="learner", values=column)
        none = table.max(axis=1) <= floors()[ALWAYS].reindex(table.index)
        told.append(f"{name} on {none.sum()} of {len(table)}")
    return (
        'Before any of these: no learner has a higher mean F1 than "always yes", '
        + ", ".join(told)
        + " data sets."
    )


def strategies_compared(cells: pd.DataFrame) -> list[str]:
    """Whole bags against parts of bags: published, repeated, variant by variant."""
    lines = [
        "| learner | variant | pairs | published: split-bag ahead | mean lead | "
        "repeated: split-bag ahead | mean lead |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    frame = cells.assign(
        variant=variant_of(cells["dataset"]),
        kind=np.where(cells["strategy"].str.startswith("full"), "full", "split"),
    )
    for (learner, variant), part in frame.groupby(["learner", "variant"], sort=False):
        means = part.pivot_table(
            index="dataset", columns="kind", values=["published", "mean"]
        )
        shown = []
        for column in ("published", "mean"):
            lead = means[column]["split"] - means[column]["full"]
            shown.append(f"{(lead > 0).mean():.0%} | {lead.mean():+.3f}")
        lines.append(f"| {learner} | {variant} | {len(means)} | {' | '.join(shown)} |")
    return lines


def conclusions(cells: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    """Say which published conclusions survive, each from its numbers."""
    old, again = leads(cells, "published"), leads(cells, "mean")
    same = int((np.sign(old) == np.sign(again)).sum())
    clear = old[old.abs() > CLEAR]
    kept = int((np.sign(again[clear.index]) == np.sign(clear)).sum())
    lines = [
        f"- Split-bag or full-bag folds: the published sign comes out again for {same} "
        f"of {len(old)} pairs of learner and variant, and for {kept} of the "
        f"{len(clear)} whose published lead exceeds {CLEAR} F1.",
    ]
    if own.empty:
        return lines
    new = leads(own, "f1")
    large = int((new.abs() > CLEAR).sum())
    lines.append(
        f"- With our settings the lead exceeds {CLEAR} F1 for {large} of {len(new)} "
        f"pairs; the mean lead is {new.mean():+.3f}, published {old.mean():+.3f}."
    )
    return lines


def complete(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the learners that have done all data sets: like is compared with like."""
    done = runs.groupby("learner")["dataset"].transform("nunique")
    return runs[done == SETS]


def in_common(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the executions that every learner has done on every data set."""
    cells = runs.groupby("execution")[["dataset", "learner"]].apply(
        lambda part: len(part.drop_duplicates())
    )
    full = cells[cells == SETS * runs["learner"].nunique()].index
    return runs[runs["execution"].isin(full)]


def executions_of(runs: pd.DataFrame) -> pd.Series:
    """Count, learner by learner, the executions that were done on all data sets."""
    sets = runs.groupby(["learner", "execution"])["dataset"].nunique()
    return (sets == SETS).groupby(level="learner").sum()


def further_leaders(runs: pd.DataFrame) -> list[str]:
    """Who leads with our settings among learners with executions enough to say so."""
    counts = executions_of(runs)
    many = counts[counts >= FEWEST].index
    few = ", ".join(
        f"{name} ({counts[name]})" for name in counts.index.difference(many)
    )
    left_out = [
        "",
        f"Not in this comparison, for they have fewer than {FEWEST} executions on all "
        f"{SETS} sets: {few}. Where they stand is undecided.",
    ] * bool(few)
    if len(many) < 2:
        who = f"only {many[0]}" if len(many) else "none"
        return [
            f"Who leads with our settings is undecided on all {SETS} sets: of "
            f"{_names(runs)}, {who} has {FEWEST} executions on all of them.",
            *left_out,
        ]
    field = in_common(runs[runs["learner"].isin(many)])
    title = f"ours, {_names(field)}, {field['execution'].nunique()} executions"
    return [*side_by_side({title: leaders(field)}), *left_out]


def one_per_variant(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep one data set per variant and one strategy, and who has done all of them."""
    some = runs[
        runs["dataset"].isin(ONE_PER_VARIANT) & (runs["strategy"] == SHARED_STRATEGY)
    ]
    done = some.groupby("learner")["dataset"].transform("nunique")
    return some[(done == len(ONE_PER_VARIANT)) & (some["execution"] == 0)]


def survival(legacy: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    """Say what exact minima do to the choice of a strategy, on the same data sets."""
    lost = []
    for frame in (legacy[legacy["dataset"].isin(own["dataset"])], own):
        part = frame[frame["learner"] == "mm"]
        lost.append((part["best_f1"] - part["f1"]).groupby(part["strategy"]).mean())
    return [
        "MM on these data sets: the strategies give up "
        f"{lost[0].min():.3f} to {lost[0].max():.3f} F1 with the published optimiser, "
        f"{lost[1].min():.3f} to {lost[1].max():.3f} with exact minima.",
    ]


def learners_compared(cells: pd.DataFrame) -> list[str]:
    """Say which of the repeated learners is ahead, data set by data set."""
    table = cells.pivot_table(
        index="dataset", columns="learner", values=["published", "mean"]
    ).dropna()
    names = list(table["mean"].columns)
    ahead = [table[column].idxmax(axis=1) for column in ("published", "mean")]
    same = (ahead[0] == ahead[1]).mean()
    return [
        f"Of {', '.join(names)}, the one with the highest mean is the "
        f"published one in {same:.0%} of {len(table)} data sets."
    ]


def variants(table: pd.DataFrame) -> list[str]:
    """Which variant the tests find in the released bags, beside the published ones."""
    right = (table["found"] == table["variant"]).sum()
    lines = [
        f"{len(table)} of the {SETS} released sets were tested on all rows; {right} "
        "are recognised. The published p-values stand in the second line of a set.",
        "",
        "| data set | p-values | T1 | T2 | T3 | T4 | T5 | seconds |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    ours = table.set_index("dataset")
    for row in pd.read_csv(PUBLISHED_TESTS).itertuples():
        name = row.dataset.removeprefix("adult-").split("-cluster")[0]
        if row.dataset in ours.index:
            mine = ours.loc[row.dataset]
            tests = " | ".join(f"{mine[f'T{k}']:.3f}" for k in range(1, 6))
            lines.append(f"| {name} | ours: {mine['found']} | {tests} | "
                         f"{mine['seconds']:.0f} |")  # fmt: skip
        tests = " | ".join(f"{getattr(row, f'T{k}'):.3f}" for k in range(1, 6))
        lines.append(f"| {name} | published: {row.variant} | {tests} | |")
    return lines


def files() -> dict[str, str]:
    """Give the page."""
    runs = pd.read_csv(TABLE)
    reference = published()
    reasons = pd.read_csv(REASONS) if REASONS.exists() else pd.DataFrame()
    legacy = runs[runs["settings"] == "legacy"]
    ours = runs[runs["settings"] == "default"]
    cells = compared(legacy, reference)
    repeated, own = complete(cells), in_common(complete(ours))
    hours = legacy.groupby(["dataset", "learner", "execution"])["seconds"].first().sum()
    # Who was in the field there: what further learners change is another question.
    known = set(reference["learner"])
    shared = own[own["learner"].isin(known)]
    shared_runs = complete(ours[ours["learner"].isin(known)])
    sources = {
        "published": (reference, "published"),
        "repeated": (repeated, "mean"),
        "ours": (shared, "f1"),
    }
    parts = [
        "# Label proportions: what comes out again",
        "",
        *INTRODUCTION.strip().splitlines(),
        "",
        "## What was run",
        "",
        f"{len(legacy)} runs with published settings, {hours / 3600:.1f} processor "
        f"hours on one core, and {len(ours)} with ours.",
        "",
        *progress(runs),
        "",
        "## Execution by execution",
        "",
        "Execution k of ours and of theirs share the data set, the division and the "
        "splits: each pair could be equal. A difference is one of the setting that was "
        "chosen, or of where a descent that is cut short ends (below, each cell with "
        "its cause). The last two columns are the power of `within .02`: how often one "
        "that finds nothing, F1 = 0, or that always answers yes, would be there, too.",
        "",
        *summary(pd.read_csv(PAIRED), always),
        "",
        *TRACED_WORDS.format(rows=ROWS, refits=REFITS).strip().splitlines(),
        "",
        *traced(pd.read_csv(TRACED), always),
        "",
        "## Cells",
        "",
        f"{cells['inside'].mean():.0%} of {len(cells)} cells lie within the tolerance. "
        "With so few executions that says little: the last three columns give "
        "how many of the same cells F1 = 0, always yes, or the published mean of "
        "another learner would have met.",
        "",
        *agreement(cells, reference),
        "",
        "## Cells outside the tolerance",
        "",
        f"{(~cells['inside']).sum()} cells differ by more than chance allows.",
        "",
        *outside(cells, reasons),
        "",
        "## Which published conclusions survive?",
        "",
        *survivors(sources["published"], sources["ours"]),
        "",
        "*Replication.* A claim is judged by one rule from three tables of means: the "
        f"published ones, the repeated learners ({_names(repeated)}), and the same "
        f"learners with our settings ({_names(shared)}). Only learners with all {SETS} "
        "data sets count. `best` is the highest mean, of one to five executions; no "
        "test stands behind it.",
        "",
        above_free(sources),
        "",
        *claims_table(sources),
        "",
        "Who leads, set by set, from executions that divide the items alike: the lead "
        "over the next with its 95 % interval, and a name only where the first is "
        "above each of the others (shared level). Less than three shared executions "
        f"decide nothing. Every set is judged by itself: of {SETS}, one may be decided "
        "by chance.",
        "",
        *side_by_side(
            {
                "published, 5 learners": pd.read_csv(PUBLISHED_LEADERS),
                "repeated, mm and lmm": leaders(
                    legacy[legacy["learner"].isin(["mm", "lmm"])]
                ),
            }
        ),
        "",
        *further_leaders(shared_runs),
        "",
        "*Extension.* The same rules with further learners in the field "
        f"({_names(own)}), which answers another question than the paper's:",
        "",
        *claims_table({"ours and further": (own, "f1")}),
        "",
        *further_leaders(complete(ours)),
        "",
        *conclusions(repeated, own),
        "",
        *learners_compared(repeated),
        "",
        "Mean F1 of the three split-bag strategies against full-bag folds:",
        "",
        *strategies_compared(repeated),
        "",
        "## Regret of the strategies, published settings",
        "",
        *regrets(legacy),
        "",
        "## Our settings and further learners",
        "",
        f"Mean F1 over strategies and all {SETS} data sets; published: 30 executions, "
        f"ours: {own['execution'].nunique()}.",
        "",
        *defaults(own, reference),
        "",
        "Regret of the strategies with our settings:",
        "",
        *regrets(own),
        "",
        *survival(legacy, own),
        "",
    ]
    few = one_per_variant(ours)
    if set(few["learner"]) - set(own["learner"]):
        parts += [
            "## Every learner on one data set per variant",
            "",
            f"One execution, settings chosen by {SHARED_STRATEGY}.",
            "",
            *defaults(few, reference),
            "",
        ]
    if SMALL_BAGS.exists():
        parts += [
            "## Small bags, noisy shares and pictures",
            "",
            *SMALL_WORDS.format(steps=STEPS).strip().splitlines(),
            "",
            *small_bags(pd.read_csv(SMALL_BAGS, keep_default_na=False)),
            "",
        ]
    if TESTED.exists():
        parts += ["## Which variant is it?", "", *variants(pd.read_csv(TESTED)), ""]
    return {"bags.md": "\n".join(parts)}


def _span(counts: pd.Series) -> str:
    """Give the smallest and the largest, or the one number that they are."""
    least, most = counts.min(), counts.max()
    return f"{most}" if least == most else f"{least} to {most}"


def _names(frame: pd.DataFrame) -> str:
    return ", ".join(sorted(frame["learner"].unique()))


if __name__ == "__main__":
    write_pages(files())
