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
from scipy import stats

from papers import write_pages
from papers.bags.choices import TABLE as CHOICES
from papers.bags.choices import choices
from papers.bags.choices import summary as chosen
from papers.bags.claims import (
    CLEAR,
    VARIANTS,
    Source,
    claims_table,
    firsts,
    leads,
    survivors,
    variant_of,
)
from papers.bags.floors import ALWAYS
from papers.bags.floors import TABLE as FLOORS
from papers.bags.leaders import FEWEST, LEVEL, leaders, paired_gaps, side_by_side
from papers.bags.leaders import PAIRS as PUBLISHED_PAIRS
from papers.bags.paired import TABLE as PAIRED
from papers.bags.paired import summary
from papers.bags.run import ONE_PER_VARIANT, PARTS
from papers.bags.small import STEPS, plan, whole_worlds
from papers.bags.small import TABLE as SMALL_BAGS
from papers.bags.small import summary as small_bags
from papers.bags.traced import LEAST, ROWS, TRIED, counted, searched
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
Worlds that the paper does not have (`small.py`, {done} of {planned} planned fits):
random bags of {sizes} items, of MNIST (5,000 test digits, odd against even,
14 x 14 pixels), of a part of CIFAR-10 (5,085 pictures, animal against vehicle, grey as
in the paper, 16 x 16 pixels) and of 10,000 rows of Adult; shares that are exact, off by
a normal error, or private; and CIFAR-10 in five bags of each variant. Three quarters to
learn from, accuracy on the rest. Settings are the learners' own, none was chosen,
networks make {steps} steps of about 512 items. Bags of more than half as many come
alone: MixBag has nothing to mix there, and is DLLP. Learners of one seed share
division, bags and first weights; the last columns are paired differences from DLLP with
t-intervals from three seeds, not corrected for their number. A world is shown when all
its learners have all seeds.
"""
TRACED_WORDS = """
The {rows} executions of every learner that differ most, and {least} where fewer differ,
traced by a fixed rule (`traced.py`, `choices.py`). The published setting is fitted
here, alone. Where that does not give the published F1, or we chose that setting and
found another, it is fitted again: with the columns in another order, which changes
nothing but rounding; EM/LR with the same first labels and fits that are cut short as
published, by the solver of scikit-learn 1.2 (that of today stops earlier); DLLP with
other first weights, for the published ones had no seed; and, where the setting is the
same, beside the rest of its grid, as in a search. `again` is the range of the fits
alone; beside it, how many come within .02. A cause is named where the published F1
comes out within .001 or lies in the range (and ours, too, where the setting is the
same); a wide range would hold many numbers, so it shows that the F1 is no property of
the setting, and no more. MM and LMM were fitted again 20 times at first; it became 40
when two rows of LMM had stayed open.
"""
CHOICE_WORDS = """
Where another setting was chosen the search is done again ({searches} times), with the
columns as they are and in other orders; EM/LR with fits cut short and with exact ones;
DLLP with other first weights; {alone} of the two settings alone, for a search takes
minutes. A cause is named where the published setting is ahead of ours (a smaller
criterion, or the same and earlier in the grid) in one of them: ours was ahead in our
execution, which differs by rounding alone (EM/LR: by exact fits, too). It need not be
chosen then: a grid has further settings. Power: `others ahead somewhere` are the
settings that were neither published nor ours and would have passed the same test. Where
they are many, rounding decides among many, and that it was this one is not explained.
"""
SLACK = 0.005
SHARED_STRATEGY = "split-bag-shuffle"


def published() -> pd.DataFrame:
    """Means and standard deviations of the published runs."""
    table = pd.read_csv(PUBLISHED).rename(columns={"mean_f1": "published"})
    # The half-width is 1.96 sd / sqrt(n).
    sd = table["half_width_95"] * np.sqrt(table["n"]) / 1.96
    return table[["dataset", "learner", "strategy", "published", "n"]].assign(sd=sd)


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
        # Parts overlap: each counts what belongs to it.
        inside = (runs["settings"] == part.settings) & (
            runs["execution"] < part.executions
        )
        if part.datasets:
            inside &= runs["dataset"].isin(part.datasets)
        for learner in part.learners:
            done = runs[inside & (runs["learner"] == learner)]
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
    lines = [
        "| learner | executions | " + " | ".join(VARIANTS) + " |",
        "|---|---:|" + "---:|" * 4,
    ]
    for label, frame, column in (
        ("free", free, "f1"),
        ("published", reference[same_cells], "published"),
        ("ours", runs, "f1"),
    ):
        by_set = frame.groupby(["learner", "dataset"], sort=False)[column].mean()
        variant = variant_of(by_set.index.to_frame()["dataset"])
        names = by_set.index.get_level_values("learner")
        table = by_set.groupby([names, variant.to_numpy()]).mean().unstack()
        table = table.reindex(columns=list(VARIANTS))
        for learner, row in table.sort_values("simple", ascending=False).iterrows():
            part = frame[frame["learner"] == learner]
            halves = [
                _half_width(part[variant_of(part["dataset"]) == v]) for v in VARIANTS
            ]
            shown = (
                "" if pd.isna(value) else f"{value:.3f}{half}"
                for value, half in zip(row, halves, strict=True)
            )
            count = _executions(part)
            lines.append(f"| {label}: {learner} | {count} | {' | '.join(shown)} |")
    return lines


def _executions(part: pd.DataFrame) -> str:
    """How many executions a learner has on a data set."""
    if "execution" in part:
        return _span(part.groupby("dataset")["execution"].nunique())
    return f"{part['n'].max()}" if "n" in part else ""


def _half_width(part: pd.DataFrame) -> str:
    """Half of a 95 % interval of the mean over data sets, by their executions."""
    if "execution" not in part or part.empty:
        return ""
    per = part.groupby(["dataset", "execution"])["f1"].mean().groupby(level="dataset")
    found = per.agg(["var", "count"])
    least = int(found["count"].min())
    if least < FEWEST:
        return ""
    error = np.sqrt((found["var"] / found["count"]).sum()) / len(found)
    return f" ± {stats.t.isf(LEVEL / 2, least - 1) * error:.3f}"


def regrets(runs: pd.DataFrame) -> list[str]:
    """Say what each strategy gives up against the best configuration."""
    keys = [runs["learner"], runs["strategy"], runs["dataset"]]
    by_set = (runs["best_f1"] - runs["f1"]).groupby(keys).mean()
    table = by_set.groupby(level=["learner", "strategy"]).mean().unstack()
    gap = (runs["best_f1"] - always(runs["dataset"])).groupby(keys[::2]).mean()
    table["always yes instead"] = gap.groupby(level="learner").mean()
    lines = [
        "| learner | executions | " + " | ".join(table.columns) + " |",
        "|---|---:|" + "---:|" * len(table.columns),
    ]
    for learner, row in table.iterrows():
        shown = ("" if pd.isna(value) else f"{value:.3f}" for value in row)
        count = _executions(runs[runs["learner"] == learner])
        lines.append(f"| {learner} | {count} | {' | '.join(shown)} |")
    return lines


def above_free(sources: dict[str, Source]) -> str:
    """Count the data sets on which no learner has a higher mean than "always yes"."""
    told = []
    for name, one in sources.items():
        table = one.frame.pivot_table(
            index="dataset", columns="learner", values=one.column
        )
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


def executions_of(runs: pd.DataFrame) -> pd.Series:
    """Count, learner by learner, the executions that were done on all data sets."""
    sets = runs.groupby(["learner", "execution"])["dataset"].nunique()
    return (sets == SETS).groupby(level="learner").sum()


def enough(runs: pd.DataFrame) -> dict[str, Source]:
    """Of the learners those with executions enough, where some have too few."""
    counts = executions_of(runs)
    some = runs[runs["learner"].isin(counts[counts >= FEWEST].index)]
    if some["learner"].nunique() in (0, 1, len(counts)):
        return {}
    return {f"ours, {_names(some)}": Source(some, "f1", paired_gaps(some))}


def tested(runs: pd.DataFrame, label: str) -> tuple[str, pd.DataFrame] | None:
    """Who leads among learners with executions enough to say so, under a title."""
    counts = executions_of(runs)
    many = counts[counts >= FEWEST].index
    if len(many) < 2:
        return None
    gaps = paired_gaps(runs[runs["learner"].isin(many)])
    names = ", ".join(f"{name} ({counts[name]})" for name in many)
    shared = _span(gaps["executions"])
    return f"{label}, {names}; pairs share {shared} executions", leaders(gaps)


def further_leaders(runs: pd.DataFrame) -> list[str]:
    """Who leads with our settings among learners with executions enough to say so."""
    counts = executions_of(runs)
    few = [f"{name} ({n})" for name, n in counts.items() if n < FEWEST]
    left_out = [
        "",
        f"Not in this comparison, for they have fewer than {FEWEST} executions on all "
        f"{SETS} sets: {', '.join(few)}. Where they stand is undecided.",
    ] * bool(few)
    found = tested(runs, "ours")
    if found is None:
        many = counts[counts >= FEWEST].index
        who = f"only {many[0]}" if len(many) else "none"
        return [
            f"Who leads with our settings is undecided on all {SETS} sets: of "
            f"{_names(runs)}, {who} has {FEWEST} executions on all of them.",
            *left_out,
        ]
    return [*side_by_side(dict([found])), *left_out]


def one_per_variant(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep one data set per variant and one strategy, all executions that there are."""
    inside = runs["dataset"].isin(ONE_PER_VARIANT)
    return runs[inside & (runs["strategy"] == SHARED_STRATEGY)]


def survival(legacy: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    """Say what exact minima do to the choice of a strategy, on the same executions."""
    keys = ["dataset", "execution", "strategy"]
    both = legacy[legacy["learner"] == "mm"].merge(
        own[own["learner"] == "mm"], on=keys, suffixes=("_theirs", "_ours")
    )
    lost = [
        (both[f"best_f1_{whose}"] - both[f"f1_{whose}"])
        .groupby(both["strategy"])
        .mean()
        for whose in ("theirs", "ours")
    ]
    return [
        f"MM on these data sets, {both['execution'].nunique()} executions: the "
        f"strategies give up {lost[0].min():.3f} to {lost[0].max():.3f} F1 with the "
        f"published optimiser, {lost[1].min():.3f} to {lost[1].max():.3f} with exact "
        "minima.",
    ]


def learners_compared(repeated: Source, gaps: pd.DataFrame) -> list[str]:
    """Say which of the repeated learners is ahead, data set by data set."""
    names = sorted(repeated.gaps["learner"].unique())
    inside = gaps["learner"].isin(names) & gaps["other"].isin(names)
    theirs, again = firsts(gaps[inside]), firsts(repeated.gaps)
    same = (theirs.reindex(again.index) == again).mean()
    return [
        f"Of {', '.join(names)}, the one that is ahead of the others, on the "
        f"executions that two share, is the published one on {same:.0%} of "
        f"{len(again)} data sets; no test stands behind that."
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
    published_gaps = pd.read_csv(PUBLISHED_PAIRS)
    reasons = pd.read_csv(REASONS) if REASONS.exists() else pd.DataFrame()
    legacy = runs[runs["settings"] == "legacy"]
    ours = runs[runs["settings"] == "default"]
    cells = compared(legacy, reference)
    repeated, own = complete(cells), complete(ours)
    repeated_runs = complete(legacy)
    hours = legacy.groupby(["dataset", "learner", "execution"])["seconds"].first().sum()
    # Who was in the field there: what further learners change is another question.
    shared = own[own["learner"].isin(set(reference["learner"]))]
    sources = {
        "published": Source(reference, "published", published_gaps),
        "repeated": Source(repeated_runs, "f1", paired_gaps(repeated_runs)),
        "ours": Source(shared, "f1", paired_gaps(shared)),
    }
    further = {"ours and further": Source(own, "f1", paired_gaps(own))}
    further |= enough(own)
    fields = {"published, 5 learners": leaders(published_gaps)}
    fields |= dict(filter(None, [tested(repeated_runs, "repeated")]))
    trace = pd.read_csv(TRACED)
    found = choices(pd.read_csv(CHOICES))
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
        *TRACED_WORDS.format(rows=ROWS, least=LEAST).strip().splitlines(),
        "",
        counted(trace, found),
        "",
        *traced(trace, found, always),
        "",
        *_choice_words(),
        "",
        *chosen(searched(trace, found)),
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
        "*Replication.* A claim is judged by one rule from three sets of executions: "
        f"the published ones ({EXECUTIONS}), the repeated learners "
        f"({_counts(repeated_runs)}), and the same learners with our settings "
        f"({_counts(shared)}). In brackets: executions on all data sets; only learners "
        f"with all {SETS} count. Two learners are compared on the executions that both "
        "have. `First` is ahead of most others by such means; a claim holds or falls "
        "only where 95 % intervals, at a level shared among the others, say so; else "
        "it is undecided, as is everything with fewer than "
        f"{FEWEST} shared executions.",
        "",
        above_free(sources),
        "",
        *claims_table(sources | enough(shared)),
        "",
        "Who leads, set by set, from executions that divide the items alike: the lead "
        "over the next with its 95 % interval, and a name only where the first is "
        "above each of the others (shared level). Less than three shared executions "
        f"decide nothing. Every set is judged by itself: of {SETS}, one may be decided "
        "by chance.",
        "",
        *side_by_side(fields),
        "",
        *further_leaders(shared),
        "",
        "*Extension.* The same rules with further learners in the field "
        f"({_counts(own)}), which answers another question than the paper's:",
        "",
        *claims_table(further),
        "",
        *further_leaders(own),
        "",
        *conclusions(repeated, own),
        "",
        *learners_compared(sources["repeated"], published_gaps),
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
        f"Mean F1 over strategies and all {SETS} data sets. Learners have as many "
        "executions as are there, so two rows need not be of the same divisions: the "
        f"tables above compare pairs. From {FEWEST} executions on, ± is half of a 95 % "
        "interval by executions, for these data sets.",
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
    parts += [
        "## Every learner on one data set per variant",
        "",
        f"Settings chosen by {SHARED_STRATEGY}; all executions that there are, with "
        f"their intervals from {FEWEST} on.",
        "",
        *defaults(few, reference),
        "",
    ]
    if SMALL_BAGS.exists():
        table = pd.read_csv(SMALL_BAGS, keep_default_na=False)
        parts += [
            "## Small bags, noisy shares and pictures",
            "",
            *_small_words(table),
            "",
            *small_bags(table),
            "",
        ]
    if TESTED.exists():
        parts += ["## Which variant is it?", "", *variants(pd.read_csv(TESTED)), ""]
    return {"bags.md": "\n".join(parts)}


def _choice_words() -> list[str]:
    searches = ", ".join(f"{name}: {one.searches}" for name, one in TRIED.items())
    alone = " and ".join(name for name, one in TRIED.items() if not one.is_whole)
    words = CHOICE_WORDS.format(searches=searches, alone=alone)
    return words.strip().splitlines()


def _small_words(table: pd.DataFrame) -> list[str]:
    """Say which worlds of small bags there are, from the table."""
    exact = [one.split() for one in whole_worlds(table)["world"].unique()]
    sizes = sorted({int(one[2]) for one in exact if one[:2] == ["bags", "of"]
                    and len(one) == 3})  # fmt: skip
    listed = f"{', '.join(map(str, sizes[:-1]))} and {sizes[-1]}"
    words = SMALL_WORDS.format(
        steps=STEPS, sizes=listed, done=len(table), planned=len(list(plan()))
    )
    return words.strip().splitlines()


def _span(counts: pd.Series) -> str:
    """Give the smallest and the largest, or the one number that they are."""
    least, most = counts.min(), counts.max()
    return f"{most}" if least == most else f"{least} to {most}"


def _counts(frame: pd.DataFrame) -> str:
    counts = executions_of(frame)
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _names(frame: pd.DataFrame) -> str:
    return ", ".join(sorted(frame["learner"].unique()))


if __name__ == "__main__":
    write_pages(files())
