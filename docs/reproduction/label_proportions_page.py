"""Write the page about the reproduction of the label-proportion study from its table.

    python docs/reproduction/label_proportions_page.py --reference FILE

FILE holds the published means and half-widths, one row per data set, algorithm and
strategy. The page is made from the tables beside this script and from nothing else.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from label_proportions_run import PARTS

HERE = Path(__file__).parent
TABLE = HERE / "label-proportions.csv"
VARIANTS = HERE / "label-proportions-variants.csv"
REASONS = HERE / "label-proportions-reasons.csv"
PAGE = HERE / "label-proportions.md"
LEARNERS = {"MM": "mm", "LMM": "lmm", "AMM": "amm", "EM/LR": "em-lr", "DLLP": "dllp"}
EXECUTIONS = 30
SETS = 20
INTRODUCTION = """
The study: G. Franco, G. Comarela, M. Crovella (2023), Evaluating LLP methods. Adult
in five bags, 20 data sets, released bags, published seeds, `legacy` settings of every
learner. This page is written by `label_proportions_page.py` from the tables beside it;
nothing in it is typed by hand.

EM/LR departs from them in one point: its fits are exact, not 100 steps of L-BFGS.

A cell is a data set, a learner and a strategy. It agrees when our mean F1 lies within
2 sd sqrt(1/n + 1/30) + 0.005 of the published mean, sd from the published half-width.
"""
SLACK = 0.005
# A lead that is more than noise, in F1.
CLEAR = 0.02


def published(file: Path) -> pd.DataFrame:
    """Means and standard deviations of the published runs, with our names."""
    table = pd.read_csv(file)
    strategy = table["selection_strategy"].str.replace("k-fold", "kfold")
    # The half-width is 1.96 sd / sqrt(n).
    sd = table["half_width_95"] * np.sqrt(table["n"]) / 1.96
    return pd.DataFrame(
        {
            "dataset": table["dataset"],
            "learner": table["algorithm"].map(LEARNERS),
            "strategy": strategy,
            "published": table["mean_f1"],
            "sd": sd,
        }
    )


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
            seen, times = done["dataset"].nunique(), done["execution"].nunique()
            lines.append(
                f"| {part.settings} | {learner} | {seen} of {sets} | {times} of "
                f"{part.executions} | {len(done)} | {len(done) / planned:.0%} |"
            )
    if missing:
        lines += ["", f"Not run: {', '.join(missing)}."]
    return lines


def agreement(cells: pd.DataFrame) -> list[str]:
    """How many cells agree, learner by learner."""
    lines = [
        "| learner | cells | executions | within tolerance | share | mean difference |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for learner, part in cells.groupby("learner", sort=False):
        least, most = part["count"].min(), part["count"].max()
        counts = f"{most}" if least == most else f"{least} to {most}"
        lines.append(
            f"| {learner} | {len(part)} | {counts} | {part['inside'].sum()} | "
            f"{part['inside'].mean():.1%} | {part['difference'].mean():+.3f} |"
        )
    lines.append(
        f"| all | {len(cells)} | | {cells['inside'].sum()} | "
        f"{cells['inside'].mean():.1%} | {cells['difference'].mean():+.3f} |"
    )
    return lines


def outside(cells: pd.DataFrame, reasons: pd.DataFrame) -> list[str]:
    """Every cell that does not agree, with its reason."""
    lines = [
        "| data set | learner | strategy | ours | n | published | tolerance | reason |",
        "|---|---|---|---:|---:|---:|---:|---|",
    ]
    keys = ["dataset", "learner", "strategy"]
    known = reasons.set_index(keys)["reason"].to_dict() if len(reasons) else {}
    for row in cells[~cells["inside"]].itertuples():
        name = row.dataset.removeprefix("adult-").split("-cluster")[0]
        lines.append(
            f"| {name} | {row.learner} | {row.strategy} | {row.mean:.3f} | "
            f"{row.count_} | {row.published:.3f} | {row.tolerance:.3f} | "
            f"{known.get((row.dataset, row.learner, row.strategy), '')} |"
        )
    return lines


def defaults(runs: pd.DataFrame, reference: pd.DataFrame) -> list[str]:
    """Mean F1 of our settings beside the published learners, variant by variant."""
    runs = runs.assign(variant=runs["dataset"].str.split("-").str[1])
    ours = runs.pivot_table(index="learner", columns="variant", values="f1")
    names = [
        name for name in ("naive", "simple", "intermediate", "hard") if name in ours
    ]
    old = reference[reference["dataset"].isin(runs["dataset"])]
    old = old.assign(variant=old["dataset"].str.split("-").str[1])
    table = old.pivot_table(index="learner", columns="variant", values="published")
    lines = [
        "| learner | " + " | ".join(names) + " |",
        "|---|" + "---:|" * len(names),
    ]
    for label, part in (("published", table), ("ours", ours)):
        for learner, row in part.sort_values("simple", ascending=False).iterrows():
            known = ("" if pd.isna(row[name]) else f"{row[name]:.3f}" for name in names)
            cells = " | ".join(known)
            lines.append(f"| {label}: {learner} | {cells} |")
    return lines


def regrets(runs: pd.DataFrame) -> list[str]:
    """Say what each strategy gives up against the best configuration."""
    regret = (runs["best_f1"] - runs["f1"]).groupby([runs["learner"], runs["strategy"]])
    table = regret.mean().unstack()
    lines = [
        "| learner | " + " | ".join(table.columns) + " |",
        "|---|" + "---:|" * len(table.columns),
    ]
    for learner, row in table.iterrows():
        lines.append(f"| {learner} | " + " | ".join(f"{v:.3f}" for v in row) + " |")
    return lines


def strategies_compared(cells: pd.DataFrame) -> list[str]:
    """Whole bags against parts of bags: published, repeated, variant by variant."""
    lines = [
        "| learner | variant | pairs | published: split-bag ahead | mean lead | "
        "repeated: split-bag ahead | mean lead |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    frame = cells.assign(
        variant=cells["dataset"].str.split("-").str[1],
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


def leads(frame: pd.DataFrame, column: str) -> pd.Series:
    """Mean lead of split-bag strategies over whole bags, by learner and variant."""
    kind = np.where(frame["strategy"].str.startswith("full"), "full", "split")
    variant = frame["dataset"].str.split("-").str[1]
    means = frame[column].groupby([frame["learner"], variant, kind]).mean().unstack()
    return (means["split"] - means["full"]).dropna()


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
    best = own.groupby(["dataset", "learner"])["f1"].mean().unstack().idxmax(axis=1)
    counts = ", ".join(f"{name} {n}" for name, n in best.value_counts().items())
    lines.append(
        f"- No learner is best everywhere: of {len(best)} data sets with our settings "
        f"the best are {counts}."
        if best.nunique() > 1
        else f"- {best.iloc[0]} is best on all {len(best)} data sets with our settings."
    )
    return lines


def in_common(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the data sets that every learner has done: like is compared with like."""
    done = runs.groupby("dataset")["learner"].transform("nunique")
    return runs[done == runs["learner"].nunique()]


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
        f"Of {' and '.join(names)}, the one with the higher mean is the "
        f"published one in {same:.0%} of {len(table)} data sets."
    ]


def variants(table: pd.DataFrame) -> list[str]:
    """Which variant the tests find in the released bags, on all rows."""
    right = (table["found"] == table["variant"]).sum()
    lines = [
        f"{len(table)} of the {SETS} released sets were tested on all rows; {right} "
        "are recognised.",
        "",
        "| data set | found | T1 | T2 | T3 | T4 | T5 | seconds |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in table.itertuples():
        name = row.dataset.removeprefix("adult-").split("-cluster")[0]
        tests = " | ".join(f"{getattr(row, f'T{k}'):.3f}" for k in range(1, 6))
        lines.append(f"| {name} | {row.found} | {tests} | {row.seconds:.0f} |")
    return lines


def page(reference_file: Path) -> str:
    """Put the whole page together."""
    runs = pd.read_csv(TABLE)
    reference = published(reference_file)
    reasons = pd.read_csv(REASONS) if REASONS.exists() else pd.DataFrame()
    legacy = runs[runs["settings"] == "legacy"]
    cells = compared(legacy, reference).rename(columns={"count": "count_"})
    shown = cells.rename(columns={"count_": "count"})
    whole = shown.groupby("learner")["dataset"].transform("nunique") == SETS
    complete = shown[whole]
    own = in_common(runs[runs["settings"] == "default"])
    hours = legacy.groupby(["dataset", "learner", "execution"])["seconds"].first().sum()
    parts = [
        "# Label proportions: what comes out again",
        "",
        *INTRODUCTION.strip().splitlines(),
        "",
        "## What was run",
        "",
        f"{len(legacy)} runs with published settings, {hours / 3600:.1f} processor "
        f"hours on one core, and {len(runs) - len(legacy)} with ours.",
        "",
        *progress(runs),
        "",
        "## Agreement",
        "",
        f"{cells['inside'].mean():.0%} of {len(cells)} cells agree; the aim is 90%.",
        "",
        *agreement(shown),
        "",
        "## Cells outside the tolerance",
        "",
        f"{(~cells['inside']).sum()} cells differ by more than chance allows.",
        "",
        *outside(cells, reasons),
        "",
        "## Do the conclusions come out again?",
        "",
        *conclusions(complete, own),
        "",
        *learners_compared(complete),
        "",
        "Mean F1 of the three split-bag strategies against full-bag folds:",
        "",
        *strategies_compared(complete),
        "",
        "## Regret of the strategies, legacy settings",
        "",
        *regrets(legacy),
        "",
    ]
    if len(own):
        parts += [
            "## Our settings and further learners",
            "",
            f"Mean F1 over strategies on the {own['dataset'].nunique()} data sets "
            "that all our learners have done; published: 30 executions, ours: "
            f"{own['execution'].nunique()}.",
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
    if VARIANTS.exists():
        parts += ["## Which variant is it?", "", *variants(pd.read_csv(VARIANTS)), ""]
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, required=True)
    options = parser.parse_args()
    PAGE.write_text(page(options.reference), encoding="utf-8")


if __name__ == "__main__":
    main()
