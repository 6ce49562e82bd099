"""Write docs/reproduction/multilabel.md and its figures from the tables here.

    python -m papers.multilabel.page

Every number on the page comes from the tables (see run.py) or from the
print, so the page is never edited by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel import (
    check_theorem_4,
    effectiveness,
    micro_auc,
)
from papers import write_pages
from papers.multilabel.cells import NAMES, TITLES, markdown, number, spread
from papers.multilabel.experiments import FREE
from papers.multilabel.figures import plot_average_ranks, plot_relative_performance
from papers.multilabel.page_free import best_free, free_part
from papers.multilabel.published import (
    DOUBTFUL,
    PAPER_METHODS,
    published_benchmark,
    published_synthetic,
)
from papers.multilabel.ranks import average_ranks

HERE = Path(__file__).parent
VARIANTS = ("limo-inst", "limo-label", "limo")
SPLITS = {"cal500": "the authors' ten", "medical": "our own ten random"}


def files() -> dict[str, str]:
    """Give the page and its figures."""
    runs = pd.read_csv(HERE / "benchmark.csv")
    synthetic = pd.read_csv(HERE / "synthetic.csv")
    everything = chosen(runs)
    table = everything[~everything["method"].isin(FREE)]
    free = best_free(everything, ["dataset"])
    parts = [
        *(free_part(everything, name) for name in NAMES),
        *(benchmark(table, free, name) for name in NAMES),
        thresholds(runs, free["mean"]),
        sampling(runs, free["mean"]),
        passes(runs, free["mean"]),
        ranks(table),
        synthetic_part(synthetic),
        theory(table, synthetic),
        theorems(),
    ]
    words = (HERE / "words.md").read_text(encoding="utf-8")
    return {
        "multilabel.md": words.replace("<!-- results -->\n", "\n".join(parts)),
        "multilabel-ranks.svg": drawn(plot_average_ranks(titled(table))),
        "multilabel-synthetic.svg": drawn(
            plot_relative_performance(titled(longest(synthetic)))
        ),
    }


def chosen(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the rule of every cell that stands for the print."""
    is_score = runs["measure"].map(lambda name: MEASURES[name].needs == "scores")
    ties = np.where(runs["method"] == "gfm", "index", "half")
    is_limo = runs["method"].isin(VARIANTS)
    decided = np.where(is_limo, "code", "own")
    rule = np.where(is_score, ties, decided)
    return runs[(runs["rule"] == rule) & as_printed(runs)]


def as_printed(runs: pd.DataFrame) -> pd.Series:
    """Tell the rows of Algorithm 1 as printed, ten passes."""
    return (runs["sampling"] == "paper") & (runs["passes"] == 10)


def summary(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Average over splits."""
    return table.groupby(keys)["value"].agg(["mean", "std", "count"])


def benchmark(table: pd.DataFrame, free: pd.DataFrame, dataset: str) -> str:
    """Table B.3 of one data set."""
    ours = summary(table[table["dataset"] == dataset], ["method", "measure"])
    print_ = published_benchmark().set_index(["dataset", "method", "measure"])
    print_ = print_.loc[dataset]
    rows, missed = [], []
    for measure, row in MEASURES.items():
        cells = [row.title + (" ↑" if row.larger_is_better else " ↓")]
        cells.append(spread(*free.loc[(dataset, measure), ["mean", "std"]], measure))
        for method in PAPER_METHODS:
            mine, theirs = ours.loc[(method, measure)], print_.loc[(method, measure)]
            away = abs(mine["mean"] - theirs["mean"]) > tolerance(
                dataset, measure, float(mine["std"]), float(theirs["std"])
            )
            if away:
                missed.append((method, measure))
            both = [spread(one["mean"], one["std"], measure) for one in (mine, theirs)]
            cells.append("{} ({})".format(*both) + (" *" if away else ""))
        rows.append(cells)
    count = len(PAPER_METHODS) * len(MEASURES)
    text = (
        f"## Table B.3, {NAMES[dataset]}\n\n"
        f"Splits: {SPLITS[dataset]} permutations. "
        f"{count - len(missed)} of {count} cells are "
        f"reproduced. {power(ours, print_, dataset)}\n\n"
    )
    text += markdown(["measure", "free", *(TITLES[m] for m in PAPER_METHODS)], rows)
    text += "\n**Not reproduced**\n\n"
    text += "".join(explain(dataset, method, m) for method, m in grouped(missed))
    doubts = [
        f"- {TITLES[method]}, {MEASURES[measure].title}: {why}.\n"
        for (name, method, measure), why in DOUBTFUL.items()
        if name == dataset
    ]
    return text + ("\nDamaged print:\n\n" + "".join(doubts) if doubts else "")


def power(ours: pd.DataFrame, printed: pd.DataFrame, dataset: str) -> str:
    """Say how often the printed cell of another method would have been met as well."""
    met = [
        abs(ours.loc[(one, measure), "mean"] - printed.loc[(other, measure), "mean"])
        <= tolerance(
            dataset,
            measure,
            float(ours.loc[(one, measure), "std"]),
            float(printed.loc[(other, measure), "std"]),
        )
        for measure in MEASURES
        for one in PAPER_METHODS
        for other in PAPER_METHODS
        if one != other
    ]
    share = 100 * sum(met) / len(met)
    return (
        "How much that says: by the same rule our cell of one method meets the printed "
        f"cell of *another* in {share:.0f} % of {len(met)} pairs."
    )


def tolerance(dataset: str, measure: str, ours: float, theirs: float) -> float:
    """Say how far two means may be apart: little on equal splits."""
    if dataset == "cal500":
        return 1.0 if measure == "coverage" else 0.003
    slack = 0.01 if measure == "coverage" else 0.001
    return 2 * float(np.sqrt((ours**2 + theirs**2) / 10)) + slack


def grouped(missed: list[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Collect the missed measures of every method."""
    by_method: dict[str, list[str]] = {}
    for method, measure in missed:
        by_method.setdefault(method, []).append(measure)
    return [
        (method, by_method[method]) for method in PAPER_METHODS if method in by_method
    ]


WHY = {
    ("cal500", "limo-inst"): "Its decision measures depend on a threshold rule that "
    "the paper does not name; macro-F1 is out of reach of every threshold from "
    "training scores (next section). Ten passes leave it unsettled; thirty come nearer "
    "to the print (below).",
    ("cal500", "limo-label"): "The print fits a threshold per instance (next section).",
    ("cal500", "limo"): "macro-F1 is reached only by thresholds tuned on the test part "
    "(next section). The printed one-error fits the sampling of the published code.",
    ("cal500", "ml-knn"): "Its scores have many ties, and the order of neighbours at "
    "equal distance is open as well.",
    (
        "medical",
        "br",
    ): "The print has an excellent Hamming loss and F-measures beside an "
    "average precision of .416. A rule that ranks labels never seen in training on top "
    "would do that (ours ranks them last); this is a guess, not an explanation.",
    ("medical", "limo-inst"): "Decision measures: thresholds, see the next section. "
    "The score cells are those of thirty passes (below).",
    ("medical", "limo-label"): "Decision measures: thresholds, see the next section.",
    ("medical", "limo"): "Decision measures: thresholds, see the next section.",
    ("medical", "ml-knn"): "Other splits, and ties by position in the print.",
    ("medical", "gfm"): "Other splits; its scores are decisions, whose ties decide.",
}


def explain(dataset: str, method: str, measures: list[str]) -> str:
    """Give one line on the cells of a method that are not reproduced."""
    titles = ", ".join(MEASURES[name].title for name in measures)
    why = WHY.get((dataset, method), "")
    return f"- {TITLES[method]}: {titles}. {why}\n"


def thresholds(runs: pd.DataFrame, free: pd.Series) -> str:
    """LIMO's decision measures under every threshold."""
    rules = ["code", "global", "per-label", "per-instance", "oracle"]
    printed = published_benchmark().set_index(["dataset", "method", "measure"])["mean"]
    part = runs[runs["method"].isin(VARIANTS) & as_printed(runs)]
    means = summary(part, ["dataset", "method", "measure", "rule"])["mean"]
    rows = []
    for dataset in NAMES:
        for method in VARIANTS:
            for measure in ("hamming_loss", "macro_f1", "instance_f1", "micro_f1"):
                found = means.loc[(dataset, method, measure)]
                rows.append(
                    [
                        NAMES[dataset],
                        TITLES[method],
                        MEASURES[measure].title,
                        number(free[dataset, measure], measure),
                        *(number(found[rule], measure) for rule in rules),
                        number(printed[dataset, method, measure], measure),
                    ]
                )
    gaps = {
        (dataset, method): (
            means[dataset, method, "macro_f1", "per-label"],
            means[dataset, method, "macro_f1", "oracle"],
            printed[dataset, method, "macro_f1"],
        )
        for dataset in NAMES
        for method in ("limo", "limo-inst")
    }
    lines = [
        f"- {NAMES[dataset]}, {TITLES[method]}: {number(honest, 'macro_f1')} from "
        f"training scores, {number(tuned, 'macro_f1')} tuned on the test part, "
        f"{number(theirs, 'macro_f1')} in print.\n"
        for (dataset, method), (honest, tuned, theirs) in gaps.items()
    ]
    return (
        "## Where LIMO's thresholds come from\n\n"
        "The paper says that thresholds are estimated on training data, and not which "
        "kind was used where. `global`, `per-label` and `per-instance` are fitted to "
        "training scores for the measure of the row; `code` is the published code's "
        "choice; `oracle` fits one threshold per label to the *test* part and is no "
        "result.\n\n"
        + markdown(["data", "method", "measure", "free", *rules, "print"], rows)
        + "\nThe printed macro-F1 of LIMO and LIMO-inst is reached by no threshold "
        "estimated on training scores, and nearly or fully by thresholds tuned on "
        "the test part:\n\n"
        + "".join(lines)
        + "\nThat is consistent with tuning on test data, and no proof of it.\n"
    )


def sampling(runs: pd.DataFrame, free: pd.Series) -> str:
    """Algorithm 1 as printed against the published code's draws."""
    part = runs[runs["method"].isin(VARIANTS) & (runs["rule"] == "half")]
    part = part[part["passes"] == 10]
    means = summary(part, ["dataset", "method", "measure", "sampling"])["mean"]
    both = means.unstack("sampling")
    both["gap"] = both["code"] - both["paper"]
    rows = [
        [
            NAMES[dataset],
            TITLES[method],
            MEASURES[measure].title,
            number(free[dataset, measure], measure),
            number(row["paper"], measure),
            number(row["code"], measure),
        ]
        for (dataset, method, measure), row in both.iterrows()
        if abs(row["gap"]) > (0.3 if measure == "coverage" else 0.008)
    ]
    header = ["data", "method", "measure", "free", "as printed", "as in the code"]
    return (
        "## Drawing pairs as printed, or as in the published code\n\n"
        "Algorithm 1 draws all pairs alike, the published code draws instances alike. "
        "The score cells that differ by more than 0.008 (coverage 0.3):\n\n"
        + markdown(header, rows)
    )


def passes(runs: pd.DataFrame, free: pd.Series) -> str:
    """Ten passes, as the published code has it, against thirty."""
    printed = published_benchmark().set_index(["dataset", "method", "measure"])["mean"]
    part = runs[runs["method"].isin(VARIANTS) & (runs["rule"] == "half")]
    keys = ["dataset", "method", "measure", "sampling", "passes"]
    means = summary(part, keys)["mean"].unstack(["sampling", "passes"])
    columns = [("paper", 10), ("paper", 30), ("code", 10), ("code", 30)]
    rows = []
    for (dataset, method, measure), row in means.iterrows():
        limit = 0.3 if measure == "coverage" else 0.003
        if abs(row[("paper", 30)] - row[("paper", 10)]) > limit:
            rows.append(
                [
                    NAMES[dataset],
                    TITLES[method],
                    MEASURES[measure].title,
                    number(free[dataset, measure], measure),
                    *(number(row[column], measure) for column in columns),
                    number(printed[dataset, method, measure], measure),
                ]
            )
    return (
        "## How long LIMO runs\n\n"
        "The paper does not say; the published code makes ten passes. The score cells "
        "that thirty passes move by more than 0.003 (coverage 0.3), with pairs drawn "
        "as printed and as in the code:\n\n"
        + markdown(
            [
                "data",
                "method",
                "measure",
                "free",
                "printed, 10",
                "printed, 30",
                "code, 10",
                "code, 30",
                "print",
            ],
            rows,
        )
        + "\nOn medical the rows of LIMO and LIMO-inst print what thirty passes give, "
        "the row of LIMO-label what ten give: no one length fits all three, and with "
        "equal lengths the variants are closer to one another than in the print. On "
        "CAL500 LIMO-inst lies between the two lengths.\n"
    )


def ranks(table: pd.DataFrame) -> str:
    """Average ranks over the two data sets (Figure 4)."""
    ours = average_ranks(table)
    print_ = published_benchmark().rename(columns={"mean": "value"})
    theirs = average_ranks(print_)
    rows = [
        [
            MEASURES[measure].title,
            *(
                f"{ours.loc[measure, method]:.1f} ({theirs.loc[measure, method]:.1f})"
                for method in PAPER_METHODS
            ),
        ]
        for measure in MEASURES
    ]
    same = float((ours[list(PAPER_METHODS)].corrwith(theirs, axis=1)).mean())
    return (
        "## Average ranks (Figure 4, over the two data sets)\n\n"
        "Ours, then from the print. Mean correlation over the measures: "
        f"{same:.2f}.\n\n"
        + markdown(["rank by", *(TITLES[m] for m in PAPER_METHODS)], rows)
        + "\n![Average rank of six methods on eleven measures](multilabel-ranks.svg)\n"
    )


def synthetic_part(runs: pd.DataFrame) -> str:
    """Tables B.1 and B.2."""
    printed = published_synthetic()
    means = summary(runs, ["iterations", "method", "measure", "rule"])["mean"]
    free = best_free(runs, [])["mean"]
    rows = []
    for measure in MEASURES:
        part = printed[(printed["measure"] == measure) & (printed["threshold"] == "")]
        if part.empty:
            continue
        cells = [MEASURES[measure].title, f"{free[measure]:.3f}"]
        for method, theirs in zip(part["method"], part["mean"], strict=True):
            short = means[2000, method, measure, "half"]
            long = means[20000, method, measure, "half"]
            cells.append(f"{short:.3f} / {long:.3f} ({theirs:.3f})")
        rows.append(cells)
    decided = []
    for row in printed[printed["threshold"] != ""].itertuples():
        ours = [means[n, row.method, row.measure, row.threshold] for n in (2000, 20000)]
        decided.append(
            [MEASURES[row.measure].title, f"{TITLES[row.method]}-{row.threshold}",
             f"{free[row.measure]:.3f}", f"{ours[0]:.3f}", f"{ours[1]:.3f}",
             f"{row.mean:.3f}"]
        )  # fmt: skip
    worst = rms(means, printed)
    return (
        "## Tables B.1 and B.2, synthetic data\n\n"
        "The figure that defines the regions is lost; `make_sectors` is the nearest of "
        "several hundred assignments, so this is a loose target. Ten draws of 2,000 "
        "points, half of them for training, λ = 100, with an intercept. Cells: 2,000 / "
        "20,000 iterations (print). Root mean square distance over the 21 cells, "
        f"coverage weighted 0.3: {worst[2000]:.4f} and {worst[20000]:.4f}.\n\n"
        + markdown(["measure", "free", *(TITLES[m] for m in VARIANTS)], rows)
        + "\n![Relative performance, three variants](multilabel-synthetic.svg)\n\n"
        "Table B.2 as far as it is legible; the rest cannot be compared. t is one "
        "threshold per label (its own F-measure), t(x) one per instance (its own "
        "F-measure, support vector regression).\n\n"
        + markdown(["measure", "variant", "free", "2,000", "20,000", "print"], decided)
        + "\nMacro-F1 with t agrees with the print to 0.01. With t(x) ours is higher "
        "than the print throughout: either the regions or the regression differ.\n"
    )


def rms(means: pd.Series, printed: pd.DataFrame) -> dict[int, float]:
    """Distance from Table B.1 for both lengths of training."""
    found = {}
    for count in (2000, 20000):
        squares = [
            ((0.3 if row.measure == "coverage" else 1.0)
             * (means[count, row.method, row.measure, "half"] - row.mean)) ** 2
            for row in printed[printed["threshold"] == ""].itertuples()
        ]  # fmt: skip
        found[count] = float(np.sqrt(np.mean(squares)))
    return found


def theory(table: pd.DataFrame, synthetic: pd.DataFrame) -> str:
    """Which cells of Table 2 hold empirically."""
    keys = ["repeat", "method", "measure"]
    cases = {NAMES[d]: table[table["dataset"] == d] for d in NAMES}
    long = synthetic[synthetic["iterations"] == 20000]
    natural = {"macro_f1": "t"}
    is_score = long["rule"] == "half"
    wanted = long["measure"].map(lambda name: natural.get(name, "t(x)"))
    cases["synthetic"] = long[is_score | (long["rule"] == wanted)]
    rows = []
    for measure, row in MEASURES.items():
        better, worse = claim(row.served_by)
        if better == "":
            continue
        losers = " and ".join(TITLES[name] for name in worse)
        cells = [row.title, f"{TITLES[better]} better than {losers}"]
        for part in cases.values():
            values = part.set_index(keys)["value"]
            cells.append(wins(values, measure, better, worse, row.larger_is_better))
        rows.append(cells)
    return (
        "## Which cells of Table 2 hold empirically\n\n"
        "Table 2 speaks of predictors without a single error. As a claim about trained "
        "models: the variant that optimises the margin which serves a measure beats "
        "the variant that does not. Cells count the splits (of ten) in which it does; "
        "for micro-AUC LIMO has to beat both variants. Hamming loss is served by "
        "either margin, so it makes no claim. Decision measures use the published "
        "code's thresholds on the benchmarks, t for macro-F1 and t(x) for the others "
        "on the synthetic data.\n\n"
        + markdown(["measure", "claim", *cases], rows)
        + "\nThe label-wise claims hold where labels differ much in frequency "
        "(CAL500), and not on medical, where nearly every instance has one label "
        "and LIMO-inst ranks labels within an instance *better* than LIMO-label, in "
        "the print as well as here. One-error on the synthetic data is 0 for all "
        "variants in most draws.\n"
    )


def claim(served_by: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Translate a row of Table 2: who should beat whom."""
    served = set(served_by)
    if served == {"double"}:
        return "limo", ("limo-inst", "limo-label")
    if "label-wise" in served and "instance-wise" in served:
        return "", ()
    if "label-wise" in served:
        return "limo-label", ("limo-inst",)
    return "limo-inst", ("limo-label",)


def wins(
    values: pd.Series, measure: str, better: str, worse: tuple[str, ...], up: bool
) -> str:
    """Count the splits in which the claim holds."""
    sign = 1 if up else -1
    repeats = sorted({key[0] for key in values.index})
    won = [
        all(
            sign * values[repeat, better, measure]
            > sign * values[repeat, other, measure]
            for other in worse
        )
        for repeat in repeats
    ]
    return f"{sum(won)} of {len(won)}"


def theorems() -> str:
    """Examine Theorem 4's printed equality and what Theorem 3 assumes."""
    Y = np.array([[1] + [0] * 11, [1] * 10 + [0] * 2])
    checks = check_theorem_4(Y, 5 * Y - np.arange(12.0), thresholds=[4.5, 4.5])
    printed = next(one for one in checks if one.printed)
    aucs = []
    for m in (10, 1000):
        truth, scores = np.zeros((2 * m, 4), dtype=int), np.full((2 * m, 4), -1.0)
        row = np.arange(m)
        scores[:m, :2], scores[m:, 2:] = 5.0, 0.5
        truth[row, row % 2], scores[row, row % 2] = 1, 10.0
        truth[m + row, 2 + row % 2], scores[m + row, 2 + row % 2] = 1, 1.0
        assert effectiveness(truth, scores)["double_effective"]
        aucs.append(f"{micro_auc(truth, scores):.4f} with {2 * m:,} rows")
    return (
        "## Theorems 3 and 4\n\n"
        "**Theorem 4's equality micro-F1 = instance-F1 is false.** Micro-F1 is a mean "
        "of the rows' F-measures *weighted* by how many labels they have and get. Two "
        "rows of twelve labels are a counterexample, label-wise effective: instance-F1 "
        f"(and the printed bound) is {printed.rhs:.4f}, micro-F1 {printed.lhs:.4f}. "
        "What holds, with P relevant entries and a total threshold error E ≤ P: "
        "micro-F1 ≥ 2(P−E)/(2P−E).\n\n"
        "**Theorem 3 needs the scores of all positives to come from one "
        "distribution.** A double effective predictor whose positives lie on two "
        f"levels has a micro-AUC of {' and of '.join(aucs)}: it never tends to 1.\n\n"
        "Both are worked out in [the guide](../multilabel.md#findings).\n"
    )


def titled(table: pd.DataFrame) -> pd.DataFrame:
    """Name the methods as readers know them."""
    return table.assign(method=table["method"].map(TITLES))


def longest(runs: pd.DataFrame) -> pd.DataFrame:
    """Take the runs of 20,000 iterations, decided at one half."""
    return runs[(runs["rule"] == "half") & (runs["iterations"] == 20000)]


def drawn(figure: Figure) -> str:
    """Give a figure that is the same on every run."""
    text = StringIO()
    with mpl.rc_context({"svg.hashsalt": "caveat", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


if __name__ == "__main__":
    write_pages(files())
