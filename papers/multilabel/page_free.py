"""The part of the page on many labels that tells what needs no feature."""

from __future__ import annotations

import pandas as pd

from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.pages import p_value
from caveat.statistics import corrected_resampled_t_test, holm
from papers.multilabel.cells import NAMES, markdown, number
from papers.multilabel.experiments import FREE
from papers.multilabel.published import published_benchmark


def best_free(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Give the best of what is free by each measure: mean, std and method.

    Parameters
    ----------
    table : DataFrame
        One rule for each measure: `method`, `measure`, `value`, and `keys`.
    keys : list of str
        What there is one best for, besides the measure.
    """
    free = table[table["method"].isin(FREE)]
    found = free.groupby([*keys, "measure", "method"], sort=False)["value"]
    means = found.agg(["mean", "std"]).reset_index()
    sign = means["measure"].map(
        lambda name: 1 if MEASURES[name].larger_is_better else -1
    )
    order = (sign * means["mean"]).sort_values(ascending=False, kind="stable").index
    best = means.loc[order].drop_duplicates([*keys, "measure"])
    return best.set_index([*keys, "measure"])


def free_part(table: pd.DataFrame, dataset: str) -> str:
    """Hold LIMO against the best of what looks at no feature, split by split."""
    values = table[table["dataset"] == dataset].pivot_table(
        index="repeat", columns=["measure", "method"], values="value"
    )
    best = best_free(table, ["dataset"]).loc[dataset, "method"]
    printed = published_benchmark().set_index(["dataset", "method", "measure"])["mean"]
    signs = {m: 1 if row.larger_is_better else -1 for m, row in MEASURES.items()}
    gains = {
        measure: corrected_resampled_t_test(
            *(sign * values[measure][one] for one in ("limo", best[measure])),
            test_train_ratio=3 / 7,
        )
        for measure, sign in signs.items()
    }
    p_values = dict(zip(gains, holm([g.p_value for g in gains.values()]), strict=True))
    rows, reached = [], []
    told: dict[bool, list[str]] = {True: [], False: []}
    for measure, row in MEASURES.items():
        free, ours = (values[measure][one].mean() for one in (best[measure], "limo"))
        gain, theirs = gains[measure], float(printed[dataset, "limo", measure])
        if p_values[measure] <= 0.05:
            told[gain.difference > 0].append(row.title)
        allowed = 1.0 if measure == "coverage" else 0.003
        if signs[measure] * (free - theirs) >= -allowed:
            reached.append(row.title)
        each = [values[measure][one].mean() for one in FREE]
        cells = [number(one, measure) for one in (*each, ours, theirs)]
        ends = f"{gain.difference:+.4f} ({gain.low:+.4f} to {gain.high:+.4f})"
        arrow = " ↑" if row.larger_is_better else " ↓"
        p = p_value(p_values[measure]).removeprefix("p = ").removeprefix("p ")
        rows.append([row.title + arrow, *cells, ends, p])
    header = ["measure", *FREE, "LIMO, ours", "LIMO, print"]
    header += ["LIMO is better by", "p, Holm"]
    return (
        f"## What needs no feature, {NAMES[dataset]}\n\n"
        "Popularity scores every label by its share in training, alike for all rows, "
        "and gives everybody the labels above one threshold from training rows. Two "
        "more answers are free: every label for everybody, and none for anybody. The "
        "best of the three by its mean is what LIMO is held against; it "
        f"reaches {len(reached)} of the {len(rows)} printed LIMO numbers, to 0.003 "
        f"(coverage: 1){': ' if reached else ''}{', '.join(reached)}. "
        f"{_verdict(told, len(rows))} Paired over ten "
        "splits, corrected resampled t, 95 % intervals; p-values by Holm's correction "
        f"for {len(rows)} measures.\n\n{markdown(header, rows)}\n"
    )


def _verdict(told: dict[bool, list[str]], count: int) -> str:
    """Say by how many measures LIMO is told from what is free, either way."""
    above, below = told[True], told[False]
    text = f"Ours is better on {len(above)} of {count} measures"
    text += f": {', '.join(above)}" if above else ""
    text += f"; worse on {len(below)}: {', '.join(below)}" if below else ""
    rest = count - len(above) - len(below)
    return text + ("; ten splits do not tell the others from it." if rest else ".")
