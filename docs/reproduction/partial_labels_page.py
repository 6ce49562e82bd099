"""Write partial-labels.md from the tables beside this file.

    python docs/reproduction/partial_labels_page.py [LEDGER ...]

With ledgers, their rows are exported to partial-labels.csv first. Every number on the
page comes from the tables or from the print, so the page is never edited by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from caveat.partial.registry import LEARNERS
from caveat.report import criterion_agreement, select
from caveat.study import Ledger

HERE = Path(__file__).parent
ROWS = HERE / "partial-labels.csv"
DEFAULTS = HERE / "partial-labels-defaults.csv"
SPLITS, TRIALS = 5, 50

#: PLENCH, Table 7, Lost: mean and what it prints after it (a standard error), per rule.
PUBLISHED = {
    "proden": (71.33, 2.45, 70.09, 2.33, 71.33, 2.41, 71.33, 2.29),
    "cavl": (60.00, 3.30, 58.41, 2.99, 64.42, 2.80, 61.95, 2.40),
    "pop": (69.38, 1.96, 69.38, 1.96, 70.44, 2.45, 73.10, 2.16),
    "abs-mae": (68.50, 2.70, 67.43, 2.10, 68.85, 3.07, 69.03, 2.99),
    "abs-gce": (62.65, 2.64, 62.30, 2.04, 62.48, 2.66, 67.43, 2.68),
    "exp": (71.33, 1.27, 70.27, 2.32, 72.21, 1.59, 70.97, 1.26),
    "mcl-gce": (60.71, 2.41, 58.94, 2.62, 61.95, 1.99, 65.49, 2.14),
    "mcl-mse": (58.58, 2.26, 59.47, 2.71, 58.76, 2.52, 59.47, 3.06),
    "cc": (71.33, 2.60, 70.62, 2.92, 72.57, 2.80, 72.21, 2.42),
    "lws": (72.92, 3.59, 71.33, 3.75, 72.21, 2.41, 74.34, 2.68),
    "idgp": (69.73, 2.87, 70.97, 1.59, 75.04, 1.61, 71.68, 2.39),
    "pc": (66.37, 2.54, 63.01, 2.89, 66.37, 2.33, 67.96, 2.29),
    "forward": (71.68, 3.70, 71.50, 3.77, 73.27, 2.91, 72.74, 3.51),
    "nn": (26.73, 1.04, 17.52, 1.49, 22.48, 1.24, 26.37, 1.04),
    "ga": (18.94, 3.40, 13.63, 2.57, 6.73, 1.14, 20.00, 2.06),
    "scl-exp": (69.73, 2.50, 70.80, 2.66, 73.81, 1.95, 73.81, 1.85),
    "scl-nl": (71.68, 2.54, 70.80, 3.03, 74.69, 2.97, 72.74, 1.93),
    "l-w": (63.72, 2.36, 63.36, 1.19, 63.01, 2.81, 65.31, 2.33),
    "op-w": (73.10, 3.14, 62.30, 2.61, 76.28, 2.78, 76.99, 2.68),
    "valen": (66.02, 2.43, 65.31, 2.55, 64.42, 2.98, 66.19, 3.32),
}
RULES = {
    "CR": ("criterion.covering-rate", "best"),
    "AA (published form)": ("criterion.approximated-accuracy-legacy", "best"),
    "OA": ("oracle.accuracy", "last"),
    "OA & ES": ("oracle.accuracy", "best"),
}


def export(ledgers: list[str]) -> None:
    """Put the finished rows of ledgers into the table."""
    parts = []
    for ledger in ledgers:
        with Ledger(ledger) as book:
            rows = book.records().rows
        params = [
            item if isinstance(item, dict) else json.loads(item)
            for item in rows["params"]
        ]
        rows = rows.assign(variant=[item.get("variant", "paper") for item in params])
        parts.append(rows)
    kept = pd.concat(parts)[
        ["study", "learner", "variant", "repeat", "config", "checkpoint"]
        + [column for column, _ in RULES.values()]
        + ["criterion.approximated-accuracy", "test.accuracy"]
    ]
    kept = kept.loc[:, ~kept.columns.duplicated()]
    order = ["study", "learner", "variant", "repeat", "config", "checkpoint"]
    kept.sort_values(order).to_csv(ROWS, index=False, float_format="%.6g")


def chosen(rows: pd.DataFrame, column: str, checkpoint: str) -> pd.Series:
    """Test accuracy of the chosen row, in percent, by learner, variant and split."""
    if checkpoint == "last":
        last = rows.groupby(["learner", "variant", "repeat", "config"])["checkpoint"]
        rows = rows[rows["checkpoint"] == last.transform("max")]
    values = {}
    for key, group in rows.groupby(["learner", "variant", "repeat"]):
        picked = select(
            group.drop(columns=["study", "variant"]),
            column,
            measure="test.accuracy",
            direction="max",
        )
        values[key] = 100 * picked["value"].iloc[0]
    return pd.Series(values)


def selection(rows: pd.DataFrame, study: str) -> str:
    """Our numbers beside the published ones."""
    mine = rows[rows["study"] == study]
    if not len(mine):
        return "No trial of this study has finished yet.\n"
    found = {name: chosen(mine, *rule) for name, rule in RULES.items()}
    counts = mine.groupby(["learner", "variant"]).agg(
        splits=("repeat", "nunique"),
        trials=(
            "config",
            lambda c: len(set(zip(mine.loc[c.index, "repeat"], c, strict=True))),
        ),
    )
    header = ["algorithm", "variant", "splits", "trials"]
    for name in RULES:
        header += [f"{name}, ours", "published"]
    lines = [_line(header), _line(["---"] * len(header))]
    for learner in [name for name in LEARNERS if name in set(mine["learner"])]:
        for variant in sorted(set(mine.loc[mine["learner"] == learner, "variant"])):
            count = counts.loc[(learner, variant)]
            cells = [LEARNERS[learner].title, variant, count["splits"], count["trials"]]
            for number, series in enumerate(found.values()):
                values = series.loc[learner, variant].to_numpy()
                cells.append(_mean(values))
                known = PUBLISHED.get(learner)
                cells.append(
                    f"{known[2 * number]:.2f} ± {known[2 * number + 1]:.2f}"
                    if known
                    else ""
                )
            lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def within(rows: pd.DataFrame, study: str) -> str:
    """Say how many cells of complete algorithms agree with the published ones.

    A cell agrees if the two means differ by at most twice the root of the summed
    squares of their standard errors.
    """
    mine = rows[rows["study"] == study]
    trials = mine.groupby(["learner", "variant"])[["repeat", "config"]].apply(
        lambda group: len(group.drop_duplicates())
    )
    complete = [key for key, count in trials.items() if count >= TRIALS]
    cells = []
    for number, (name, rule) in enumerate(RULES.items()):
        found = chosen(mine, *rule)
        for learner, variant in complete:
            if learner not in PUBLISHED:
                continue
            values = found.loc[learner, variant].to_numpy()
            mean, error = PUBLISHED[learner][2 * number : 2 * number + 2]
            own = values.std() / np.sqrt(len(values))
            gap = abs(values.mean() - mean)
            cells.append((learner, variant, name, gap, 2 * np.hypot(own, error)))
    if not cells:
        return "No algorithm is complete yet, so no cell can be compared.\n"
    good = sum(gap <= most for *_, gap, most in cells)
    named = ", ".join(LEARNERS[learner].title for learner, _ in complete)
    text = (
        f"Complete ({SPLITS} splits, {TRIALS // SPLITS} configurations each): {named}. "
        f"{good} of their {len(cells)} cells ({100 * good / len(cells):.0f} %) lie "
        "within twice the standard error of the difference from the published ones.\n"
    )
    far = [
        f"- {LEARNERS[learner].title}, {name}: {gap:.2f} points apart, "
        f"{most:.2f} allowed."
        for learner, _, name, gap, most in cells
        if gap > most
    ]
    return text + ("\nThe others:\n\n" + "\n".join(far) + "\n" if far else "")


def agreement(rows: pd.DataFrame) -> str:
    """Rank correlation of criteria with test accuracy, over checkpoints."""
    lines = [_line(["criterion", "groups", "Spearman, mean", "lowest"])]
    lines.append(_line(["---"] * 4))
    for column in (
        "criterion.covering-rate",
        "criterion.approximated-accuracy",
        "oracle.accuracy",
    ):
        values = []
        for _, group in rows.groupby(["study", "learner", "variant", "repeat"]):
            plain = group.drop(columns=["study", "variant"])
            found = criterion_agreement(plain, column, "test.accuracy", direction="max")
            values += found["spearman"].dropna().tolist()
        mean = f"{np.mean(values):.2f}" if values else ""
        low = f"{np.min(values):.2f}" if values else ""
        lines.append(_line([column, len(values), mean, low]))
    return "\n".join(lines) + "\n"


def defaults() -> str:
    """Accuracies with default settings, per algorithm and variant."""
    table = pd.read_csv(DEFAULTS)
    lines = [_line(["algorithm", "variant", "splits", "accuracy, %", "each"])]
    lines.append(_line(["---"] * 5))
    order = {name: number for number, name in enumerate(LEARNERS)}
    groups = sorted(
        table.groupby(["algorithm", "variant"]),
        key=lambda item: (order[item[0][0]], item[0][1]),
    )
    for (name, variant), group in groups:
        values = 100 * group.sort_values("split")["accuracy"].to_numpy()
        each = ", ".join(f"{value:.1f}" for value in values)
        title = LEARNERS[name].title
        lines.append(_line([title, variant, len(values), f"{values.mean():.1f}", each]))
    return "\n".join(lines) + "\n"


def _mean(values: np.ndarray) -> str:
    if len(values) < 2:
        return f"{values.mean():.2f}"
    return f"{values.mean():.2f} ± {values.std() / np.sqrt(len(values)):.2f}"


def _line(cells: list) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Compose the page."""
    if len(sys.argv) > 1:
        export(sys.argv[1:])
    rows = pd.read_csv(ROWS)
    trials = rows.groupby(["study", "learner", "variant", "repeat", "config"]).ngroups
    page = f"""# Partial labels: the PLENCH tables, as far as they were run

Written by `partial_labels_page.py` from `partial-labels.csv` (rows of the studies) and
`partial-labels-defaults.csv`. Source of the published numbers: Wang et al., *Realistic
evaluation of deep partial-label learning algorithms*, ICLR 2025, Table 7.

**State: {trials} of 1,000 trials** of the study `lost-plench` (20 algorithms, 5 splits,
10 configurations each) are in the table. Rows with fewer than 5 splits or fewer than 50
trials are incomplete and not to be compared with the published columns, which chose
from 20 configurations on 5 splits. To go on where it stopped:

    caveat run lost-plench --ledger partial.db
    python docs/reproduction/partial_labels_page.py partial.db

What follows ± is the standard error over splits (deviation with divisor n over the
square root of n), as the benchmark's code prints it, although its tables call it a
standard deviation. One test row of Lost is 0.885 points.

## Default settings, 2,000 steps

Splits and scaling of the benchmark, one seed each; see `partial_labels_defaults.py`.

{defaults()}
## Selection as in the benchmark: Lost

Variants `plench` do as the benchmark's code does where it differs from the paper.

{selection(rows, "lost-plench")}
{within(rows, "lost-plench")}
## Does a criterion order the models as their accuracy does?

Over all checkpoints and configurations of a group (algorithm and split) that are there.

{agreement(rows)}"""
    (HERE / "partial-labels.md").write_text(page)


if __name__ == "__main__":
    main()
