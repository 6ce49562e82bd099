"""The figures of the benchmark's paper that our runs can draw, as SVG files.

Figure 1 (true labels of the validation rows: to choose by or to learn from), Figure 2
(what people's labels are like), Figure 3 (all algorithms, by rule) and Figure 4 (what a
step costs), and the long runs with its network, from the tables beside this file.
Measures nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

from caveat.candidates.registry import LEARNERS
from caveat.pages import Chapter, Figure, Page, Section, contents
from caveat.pages.claims import Estimate
from caveat.pages.figures import (
    Curve,
    Dot,
    Mark,
    Pair,
    curves,
    matrix,
    paired_dots,
    score_dots,
)
from papers.candidates.floors import ONE_LABEL, percent
from papers.candidates.images import interval
from papers.candidates.tables import LOST, RULES, chosen

HERE = Path(__file__).parent
#: Left out of Figure 3 in print, too: most of the axis would be theirs.
WEAK = ("nn", "ga")
SPLITS = "95 % interval of the mean over 5 splits, by Student's t"


def drawn(figures: Iterable[Figure]) -> dict[str, str]:
    """Draw figures; give their files by name."""
    there = list(figures)
    section = Section("figures", "", "", blocks=there)
    files = contents(Page([Chapter("", "", "", sections=[section])]), png=False)
    return {
        f"candidates-{one.name}.svg": files[f"figures/{one.name}.svg"].decode("utf-8")
        for one in there
    }


def all_figures(rows: pd.DataFrame) -> list[Figure]:
    """Describe every figure that there are numbers for."""
    return [
        validation(rows, pd.read_csv(HERE / "clean.csv")),
        *people(pd.read_csv(HERE / "people.csv")),
        *by_rule(rows),
        cost(pd.read_csv(HERE / "cost.csv")),
        *resnet(pd.read_csv(HERE / "images.csv")),
    ]


def mean_of(values: np.ndarray, measure: str) -> Estimate:
    """Give a mean over splits with its interval."""
    count, mean = len(values), float(values.mean())
    half = t.ppf(0.975, count - 1) * values.std(ddof=1) / np.sqrt(count)
    low, high = max(0.0, mean - half), min(1.0, mean + half)
    return Estimate(mean, measure, low, high, f"{count} splits", count)


def gaps(rows: pd.DataFrame, clean: pd.DataFrame) -> list[float]:
    """Accuracy by learning from true labels less that by choosing, run by run."""
    picked = chosen(rows[rows["study"] == LOST.study], *RULES["OA"][1:]) / 100
    return [
        one.accuracy - float(picked.loc[one.learner, one.variant, one.repeat])
        for one in clean.itertuples()
    ]


def validation(rows: pd.DataFrame, clean: pd.DataFrame) -> Figure:
    """Figure 1: chosen by true labels, or learnt from them."""
    picked = chosen(rows[rows["study"] == LOST.study], *RULES["OA"][1:]) / 100
    pairs, told = [], []
    for (name, variant), own in clean.groupby(["learner", "variant"], sort=False):
        learnt = own.set_index("repeat")["accuracy"].sort_index()
        before = picked.loc[name, variant].loc[learnt.index].to_numpy()
        after = learnt.to_numpy()
        gap = after - before
        half = t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap))
        change = Estimate(
            float(gap.mean()), "accuracy", gap.mean() - half, gap.mean() + half
        )
        title = LEARNERS[str(name)].title
        pairs.append(
            Pair(title, mean_of(before, "accuracy"), mean_of(after, "accuracy"), change)
        )
        told.append(f"{title} {before.mean():.3f} and {after.mean():.3f}")
    splits = clean["repeat"].nunique()
    return paired_dots(
        pairs,
        name="validation",
        title="100 true labels: to choose by (open), or to learn from (filled)",
        label="Accuracy on Lost, chosen and learnt: " + "; ".join(told),
        unit="accuracy",
        limits=(0.0, 1.0),
        conditions=f"Lost, {splits} splits; open: the best of 10 configurations by "
        "the true labels of the validation rows; filled: default settings, those rows "
        "in the training. Bars: 95 %, Student's t; at the right, the paired difference",
    )


def people(found: pd.DataFrame) -> list[Figure]:
    """Figure 2: shares of the labels, noise by annotators, and who is called what."""
    facts = dict(list(found.groupby("fact")))
    labels, noise, flips = facts["label"], facts["noise"], facts["flip"]
    shares = [
        Dot(row, Estimate(value, "share"))
        for row, value in zip(labels["row"], labels["value"], strict=True)
    ]
    wide = flips.pivot(index="row", columns="column", values="value")
    order = list(labels["row"])
    table = wide.loc[order, order].to_numpy()
    text = [[f"{100 * x:.0f}" if x >= 0.005 else "" for x in row] for row in table]
    of = "4,068 pictures of CIFAR-10, three people each"
    return [
        score_dots(
            shares,
            name="people-labels",
            title="Labels that people gave, by class",
            label="Shares: "
            + ", ".join(f"{dot.name} {dot.estimate.value:.3f}" for dot in shares),
            unit="share of all labels",
            limits=(0.0, 1.0),
            conditions=of,
        ),
        curves(
            [
                Curve(
                    "truth missing",
                    [int(size) for size in noise["row"]],
                    [Estimate(value, "share") for value in noise["value"]],
                )
            ],
            name="people-noise",
            title="More people, fewer sets without the truth",
            label="Share of sets that miss the truth: "
            + ", ".join(
                f"{value:.3f} with {size}"
                for size, value in zip(noise["row"], noise["value"], strict=True)
            ),
            unit="share of sets",
            varied="people",
            limits=(0.0, 1.0),
            conditions=f"{of}; the union of their labels, mean over groups of people",
        ),
        matrix(
            table,
            order,
            order,
            name="people-flips",
            title="What else people call a picture",
            label="Percent of the sets of a class (rows) that hold a label (columns)",
            texts=text,
            down="true class",
            across="label in the set, % of sets",
            conditions=of,
        ),
    ]


def by_rule(rows: pd.DataFrame) -> list[Figure]:
    """Figure 3: every algorithm on Lost, by what its configuration is chosen by."""
    mine = rows[rows["study"] == LOST.study]
    figures = []
    for rule, (short, *look) in RULES.items():
        picked = chosen(mine, *look) / 100
        found = {
            name: mean_of(picked.loc[name].to_numpy(), "accuracy")
            for name in picked.index.get_level_values(0).unique()
            if name not in WEAK
        }
        best = sorted(found, key=lambda name: -found[name].value)
        figures.append(
            score_dots(
                [Dot(LEARNERS[name].title, found[name]) for name in best],
                name=f"lost-{short.replace('_', '-')}",
                title=f"Lost: configurations chosen by {rule}",
                label="Accuracy: "
                + ", ".join(
                    f"{LEARNERS[name].title} {found[name].value:.3f}" for name in best
                ),
                unit="accuracy",
                limits=(0.0, 1.0),
                conditions=f"10 configurations, 10,000 steps; {SPLITS}; without NN, GA",
            )
        )
    return figures


def cost(found: pd.DataFrame) -> Figure:
    """Figure 4: what a step takes."""
    ordered = found.sort_values("milliseconds")
    names = [LEARNERS[name].title for name in ordered["learner"]]
    dots = [
        Dot(name, Estimate(spent, "ms"))
        for name, spent in zip(names, ordered["milliseconds"], strict=True)
    ]
    return score_dots(
        dots,
        name="cost",
        title="What a step takes",
        label="Milliseconds: "
        + ", ".join(f"{dot.name} {dot.estimate.value:.1f}" for dot in dots),
        unit="CPU milliseconds a step",
        conditions="small network, 64 pictures of 8 x 8, one thread, views included; "
        "tenth percentile of 40 steps; VALEN has a dense layer instead",
    )


def resnet(found: pd.DataFrame) -> list[Figure]:
    """Draw the long runs with ResNet-32, step by step, if there are any."""
    rows = found[found["study"] == "pictures-resnet"].sort_values("checkpoint")
    if not len(rows):
        return []
    tested = int(rows["fact.test-rows"].iloc[0])
    lines, told = [], []
    for name, own in rows.groupby("learner", sort=False):
        title = LEARNERS[str(name)].title
        values = list(own["test.accuracy"])
        ends = [np.array(interval(value, tested)) / 100 for value in values]
        band = [
            Estimate(value, "accuracy", low, high)
            for value, (low, high) in zip(values, ends, strict=True)
        ]
        lines.append(Curve(title, list(own["checkpoint"]), band))
        told.append(f"{title} {values[0]:.3f} to {values[-1]:.3f}")
    free = float(percent("pictures").mean()) / 100
    return [
        curves(
            lines,
            name="resnet",
            title="ResNet-32 on pictures with people's labels",
            label="Test accuracy, first and last checkpoint: " + "; ".join(told),
            unit="accuracy",
            varied="steps",
            floor=Mark(ONE_LABEL, Estimate(free, "accuracy")),
            limits=(0.0, 1.0),
            conditions=f"one run each, {tested:,} test pictures; band: Wilson's 95 % "
            "interval of the test rows",
        )
    ]
