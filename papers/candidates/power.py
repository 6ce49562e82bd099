"""How much the agreement with the published table says.

The published table has means over five splits and their standard errors, and splits
differ by more than algorithms do. So means of *different* algorithms agree by that
rule, too. Whatever a split does to all algorithms alike can be taken out on both sides:
then the numbers of an algorithm are compared relative to the mean of all algorithms on
the same splits, with the standard error of that difference over our splits.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from papers.candidates.tables import PUBLISHED, RULES, Plan, chosen, count_trials


def agreements(rows: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Compare every complete algorithm with every published row, by both rules.

    Columns: rule, ours, theirs, same (whether it is the right row), plain, paired.
    """
    mine = rows[rows["study"] == plan.study]
    complete = [
        key for key, count in count_trials(mine).items() if count >= plan.trials
    ]
    found = []
    for name, (column, *rule) in RULES.items():
        picked = chosen(mine, *rule)
        values = np.array([picked.loc[key].to_numpy() for key in complete])
        names = [learner for learner, _ in complete]
        told = PUBLISHED.loc[[(plan.dataset, learner) for learner in names]]
        means, errors = (told[c].to_numpy() for c in (column, f"{column}_error"))
        root = np.sqrt(values.shape[1])
        own = values.std(axis=1) / root
        centred = values - values.mean(axis=0)
        exact = centred.std(axis=1) / root
        relative = means - means.mean()
        for i, j in product(range(len(names)), repeat=2):
            plain = abs(values[i].mean() - means[j]) <= 2 * np.hypot(own[i], errors[j])
            # The print has no errors of differences: theirs are taken to be like ours.
            gap = abs(centred[i].mean() - relative[j])
            paired = gap <= 2 * np.hypot(exact[i], exact[j])
            found.append((name, names[i], names[j], i == j, plain, paired))
    columns = ["rule", "ours", "theirs", "same", "plain", "paired"]
    return pd.DataFrame(found, columns=columns)


def power(rows: pd.DataFrame, plan: Plan) -> str:
    """Say how often the right row agrees, and how often a wrong one would."""
    found = agreements(rows, plan)
    if not len(found):
        return ""
    right, wrong = found[found["same"]], found[~found["same"]]
    lines = ["| rule | right rows that agree | wrong rows that would | of |"]
    lines.append("| --- | --- | --- | --- |")
    for column, name in (
        ("plain", "means within twice the error of their difference"),
        ("paired", "the same, relative to all algorithms on the same splits"),
    ):
        lines.append(
            f"| {name} | {right[column].mean():.0%} of {len(right)} | "
            f"{wrong[column].mean():.0%} | {len(wrong):,} |"
        )
    return (
        "How much that says: each of our rows against the published row of *another* "
        "algorithm.\n\n"
        + "\n".join(lines)
        + "\n\nAn agreement by the first rule proves little: most wrong algorithms "
        "would have passed it. By the second rule the print's own errors are unknown "
        "and are taken to be as large as ours; the benchmark publishes no results by "
        "split, so no closer comparison is possible with the print.\n"
    )
