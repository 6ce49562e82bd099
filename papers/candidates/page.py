"""Write docs/reproduction/candidates.md from the tables beside this file.

    python -m papers.candidates.page [LEDGER ...]

With ledgers, their rows are exported to runs.csv first. Every number on the
page comes from the tables or from the print, so the page is never edited by hand.
"""

from __future__ import annotations

import sys
from math import comb

import numpy as np
import pandas as pd
from scipy.stats import t

from caveat.candidates.registry import LEARNERS
from caveat.statistics import criterion_agreement
from papers import write_pages
from papers.candidates import crowds, figures, images, theorem
from papers.candidates.floors import ONE_LABEL, percent
from papers.candidates.power import power
from papers.candidates.tables import (
    CORRECTED,
    DEFAULTS,
    ITALIAN,
    LOST,
    PUBLISHED,
    ROWS,
    RULES,
    TWENTY,
    Plan,
    chosen,
    count_trials,
    ends,
    export,
)

# Two forms of a criterion that differ by less choose the same on one split of Lost.
_NOTABLE = 0.02


def selection(rows: pd.DataFrame, plan: Plan) -> str:
    """Our numbers beside the published ones."""
    mine = rows[rows["study"] == plan.study]
    if not len(mine):
        return "No trial of this study has finished yet.\n"
    found = {name: chosen(mine, *rule[1:]) for name, rule in RULES.items()}
    header = ["algorithm", "variant", "splits", "trials"]
    for name in RULES:
        header += [f"{name}, ours", "published"]
    lines = [_line(header), _line(["---"] * len(header))]
    trials = count_trials(mine)
    free = _mean(percent(plan.dataset, plan.splits))
    lines.append(_line([ONE_LABEL, "free", plan.splits, "", *[free, ""] * len(RULES)]))
    for learner in [name for name in LEARNERS if name in set(mine["learner"])]:
        for variant in sorted(set(mine.loc[mine["learner"] == learner, "variant"])):
            some = mine[(mine["learner"] == learner) & (mine["variant"] == variant)]
            cells = [LEARNERS[learner].title, variant, some["repeat"].nunique()]
            cells.append(trials[learner, variant])
            for (column, *_), series in zip(
                RULES.values(), found.values(), strict=True
            ):
                cells.append(_mean(series.loc[learner, variant].to_numpy()))
                cells.append(_published(plan.dataset, learner, column))
            lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def within(rows: pd.DataFrame, plan: Plan) -> str:
    """Say how many cells of complete algorithms agree with the published ones.

    A cell agrees if the two means differ by at most twice the root of the summed
    squares of their standard errors.
    """
    mine = rows[rows["study"] == plan.study]
    if not len(mine):
        return ""
    complete = [
        key for key, count in count_trials(mine).items() if count >= plan.trials
    ]
    cells = []
    for name, (column, *rule) in RULES.items():
        found = chosen(mine, *rule)
        for learner, variant in complete:
            values = found.loc[learner, variant].to_numpy()
            mean, error = PUBLISHED.loc[
                (plan.dataset, learner), [column, f"{column}_error"]
            ]
            own = values.std() / np.sqrt(len(values))
            gap = abs(values.mean() - mean)
            cells.append((learner, name, gap, 2 * np.hypot(own, error)))
    if not cells:
        return "No algorithm is complete yet, so no cell can be compared.\n"
    good = sum(gap <= most for *_, gap, most in cells)
    named = ", ".join(LEARNERS[learner].title for learner, _ in complete)
    text = (
        f"Complete ({plan.splits} splits, {plan.configurations} configurations each): "
        f"{named}. {good} of their {len(cells)} cells "
        f"({100 * good / len(cells):.0f} %) lie within twice the standard error of the "
        "difference from the published ones.\n"
    )
    far = [
        f"- {LEARNERS[learner].title}, {name}: {gap:.2f} points apart, "
        f"{most:.2f} allowed."
        for learner, name, gap, most in cells
        if gap > most
    ]
    return text + ("\nThe others:\n\n" + "\n".join(far) + "\n" if far else "")


def level(rows: pd.DataFrame, plan: Plan) -> str:
    """Say how much lower or higher our means are over all algorithms."""
    mine = rows[rows["study"] == plan.study]
    told = []
    for name, (column, *rule) in RULES.items():
        found = chosen(mine, *rule).groupby(level=[0, 1]).mean()
        gaps = [
            value - PUBLISHED.loc[(plan.dataset, learner), column]
            for (learner, _), value in found.items()
        ]
        told.append(f"{np.mean(gaps):+.2f} ({name})")
    return f"Ours less published, mean over algorithms: {', '.join(told)} points."


def corrected(rows: pd.DataFrame) -> str:
    """Tell what changes when an algorithm is as its paper has it, in pairs of trials.

    Both variants draw the same configurations for the same splits, so their trials
    pair up.
    """
    keys = ["learner", "repeat", "config"]
    ours = ends(rows[rows["study"] == CORRECTED])
    theirs = ends(rows[(rows["study"] == LOST.study) & (rows["variant"] == "plench")])
    pairs = ours.merge(theirs, on=keys, suffixes=("", "_plench"))
    if not len(pairs):
        return "No trial of a corrected variant has a twin yet.\n"
    header = ["algorithm", "pairs", "plench", "paper", "difference", "better, equal"]
    lines = [_line(header), _line(["---"] * len(header))]
    free = f"{percent('lost').mean():.1f}"
    lines.append(_line([ONE_LABEL, "", free, free, "", ""]))
    for learner in [name for name in LEARNERS if name in set(pairs["learner"])]:
        some = pairs[pairs["learner"] == learner]
        gaps = 100 * (some["accuracy"] - some["accuracy_plench"]).to_numpy()
        lines.append(
            _line(
                [
                    LEARNERS[learner].title,
                    len(some),
                    f"{100 * some['accuracy_plench'].mean():.1f}",
                    f"{100 * some['accuracy'].mean():.1f}",
                    f"{gaps.mean():+.1f} ± {gaps.std() / np.sqrt(len(gaps)):.1f}",
                    f"{(gaps > 0).mean():.0%}, {(gaps == 0).mean():.0%}",
                ]
            )
        )
    return "\n".join(lines) + "\n"


def fewer(rows: pd.DataFrame, plan: Plan) -> list[str]:
    """Give the mean OA & ES of all algorithms if fewer configurations were drawn.

    Averaged over all ways to leave some out: of n configurations in the order of what
    the oracle says, the one at place r is the best of k with probability
    C(n - r, k - 1) / C(n, k).
    """
    mine = rows[rows["study"] == plan.study]
    top = mine.sort_values("oracle.accuracy", ascending=False, kind="stable")
    once = top.drop_duplicates(["learner", "variant", "repeat", "config"])
    n = plan.configurations
    searches = [
        100 * group["test.accuracy"].to_numpy()
        for _, group in once.groupby(["learner", "variant", "repeat"])
        if len(group) == n
    ]
    free = percent(plan.dataset, plan.splits).mean()
    lines = [_line([plan.dataset, "", ONE_LABEL, f"{free:.2f}"])]
    for k in [k for k in (1, 2, 5, 10) if k <= n]:
        weights = [comb(n - place, k - 1) / comb(n, k) for place in range(1, n + 1)]
        mean = np.mean([values @ weights for values in searches])
        lines.append(_line([plan.dataset, len(searches), k, f"{mean:.2f}"]))
    return lines


def twenty(rows: pd.DataFrame) -> str:
    """Compare searches of 20 with those of 10 on the same splits, and with the print.

    The splits are shared by both searches; the configurations were drawn anew.
    """
    more, less = (rows[rows["study"] == plan.study] for plan in (TWENTY, LOST))
    if not len(more):
        return "The searches with 20 configurations were not run yet."
    names = [name for name in LEARNERS if name in set(more["learner"])]
    header = ["rule", "10 configurations", "20", "20 less 10, 95 %", "published"]
    lines = [_line(header), _line(["---"] * len(header))]
    free = f"{percent('lost').mean():.2f}"
    lines.append(_line([ONE_LABEL, free, free, "", ""]))
    near: dict[str, list[str]] = {"10": [], "20": []}
    for rule, (column, *look) in RULES.items():
        ten, all_ = (
            chosen(some[some["learner"].isin(names)], *look).groupby(level=2).mean()
            for some in (less, more)
        )
        gaps = (all_ - ten).to_numpy()
        half = t.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps))
        print_ = np.mean([PUBLISHED.loc[("lost", name), column] for name in names])
        cells = [rule, f"{ten.mean():.2f}", f"{all_.mean():.2f}"]
        cells += [f"{gaps.mean():+.2f} ± {half:.2f}", f"{print_:.2f}"]
        lines.append(_line(cells))
        for count, mean in (("10", ten.mean()), ("20", all_.mean())):
            if abs(mean - print_) < 1:
                near[count].append(rule)
    titles = ", ".join(LEARNERS[name].title for name in names)
    reach = "; ".join(
        f"with {count} configurations {', '.join(there) or 'none'}"
        for count, there in near.items()
    )
    return (
        f"Searched with 20 configurations on the same splits ({titles}; mean over "
        "them; the interval is Student's, over the five splits):\n\n"
        + "\n".join(lines)
        + f"\n\nWithin a point of the published mean: {reach}.\n"
    )


def underflow(rows: pd.DataFrame) -> str:
    """Compare what the two forms of the approximated accuracy choose."""
    header = ["data", "algorithm", "largest gap", "chosen by the published form"]
    header += ["chosen on the logarithmic scale"]
    lines = [_line(header), _line(["---"] * len(header))]
    legacy, exact = (
        f"criterion.approximated-accuracy{tail}" for tail in ("-legacy", "")
    )
    for plan in (LOST, ITALIAN):
        mine = rows[rows["study"] == plan.study]
        forms = [chosen(mine, column, "best") for column in (legacy, exact)]
        gaps = (mine[legacy] - mine[exact]).groupby(mine["learner"]).max()
        free = _mean(percent(plan.dataset, plan.splits))
        lines.append(_line([plan.dataset, ONE_LABEL, "", free, free]))
        for learner in [name for name in LEARNERS if gaps.get(name, 0.0) > _NOTABLE]:
            cells = [plan.dataset, LEARNERS[learner].title, f"{gaps[learner]:.3f}"]
            cells += [_mean(form.loc[learner].to_numpy()) for form in forms]
            lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def outlier(rows: pd.DataFrame) -> str:
    """Tell of the one published cell on Italian that is not near any run of ours."""
    mine = rows[(rows["study"] == ITALIAN.study) & (rows["learner"] == "op-w")]
    if not len(mine):
        return ""
    published = PUBLISHED.loc[("italian", "op-w"), "aa"]
    least = 100 * ends(mine)["accuracy"].min()
    forms = [f"criterion.approximated-accuracy{tail}" for tail in ("-legacy", "")]
    gap = (mine[forms[0]] - mine[forms[1]]).max()
    return (
        f"On Italian, {published:.2f} % is published for OP-W by AA; the worst of our "
        f"{len(ends(mine))} runs ends at {least:.1f} %. A run that is chosen because "
        f"its criterion underflows looks like that; the largest gap between the two "
        f"forms among ours is {gap:.3f}."
    )


def _published(dataset: str, learner: str, column: str) -> str:
    if (dataset, learner) not in PUBLISHED.index:
        return ""
    row = PUBLISHED.loc[(dataset, learner)]
    return f"{row[column]:.2f} ± {row[f'{column}_error']:.2f}"


def state(rows: pd.DataFrame, plan: Plan) -> str:
    """Say how much of a study is there."""
    done = int(count_trials(rows[rows["study"] == plan.study]).sum())
    total = plan.algorithms * plan.trials
    return (
        f"- `{plan.study}`: **{done:,} of {total:,} trials** ({plan.algorithms} "
        f"algorithms, {plan.splits} splits, {plan.configurations} configurations each)."
    )


def agreement(rows: pd.DataFrame) -> str:
    """Rank correlation of criteria with test accuracy, over checkpoints."""
    named = rows.rename(columns={"variant": "settings"})
    lines = [_line(["criterion", "groups", "Spearman, mean", "lowest"])]
    lines.append(_line(["---"] * 4))
    for column in (
        "criterion.covering-rate",
        "criterion.approximated-accuracy",
        "oracle.accuracy",
    ):
        found = criterion_agreement(named, column, "test.accuracy", direction="max")
        values = found["spearman"].dropna().tolist()
        mean = f"{np.mean(values):.2f}" if values else ""
        low = f"{np.min(values):.2f}" if values else ""
        lines.append(_line([column, len(values), mean, low]))
    return "\n".join(lines) + "\n"


def defaults() -> str:
    """Accuracies with default settings, per algorithm and variant."""
    table = pd.read_csv(DEFAULTS)
    lines = [_line(["algorithm", "variant", "splits", "accuracy, %", "each"])]
    lines.append(_line(["---"] * 5))
    free = f"{percent('lost', 1).mean():.1f}"
    lines.append(_line([ONE_LABEL, "free", 1, free, free]))
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


def files() -> dict[str, str]:
    """Give the page and its figures."""
    rows = pd.read_csv(ROWS)
    cost = "\n".join([*fewer(rows, LOST), *fewer(rows, ITALIAN)])
    clean = pd.read_csv(figures.HERE / "clean.csv")
    learnt, gaps = figures.validation(rows, clean), figures.gaps(rows, clean)
    page = f"""# Candidate labels: the PLENCH tables, as far as they were run

Written by `page.py` in [`papers/candidates`](../../papers/candidates) from `runs.csv`
(rows of the studies) and the tables of defaults and of published numbers. Published:
Wang et al., *Realistic evaluation of deep partial-label learning algorithms*, ICLR
2025, Tables 7 and 14.

{state(rows, LOST)}
{state(rows, TWENTY)}
{state(rows, ITALIAN)}

Rows with fewer trials are incomplete and not to be compared with the published columns,
which chose from 20 configurations on 5 splits. To go on where it stopped:

    caveat run lost-plench --ledger candidates.db
    caveat run italian-plench --ledger candidates.db
    caveat run lost-corrected --ledger candidates.db
    caveat run papers/candidates/lost-twenty.yaml --ledger candidates.db
    python -m papers.candidates.page candidates.db

What follows ± is the standard error over splits (deviation with divisor n over the
square root of n), as the benchmark's code prints it, although its tables call it a
standard deviation. One test row of Lost is 0.885 points.

The first row of every table of accuracies is what is free: the one label that most
candidate sets of the training rows hold, answered for every test row (`floors.py`; of
digits the largest class). Of simulated crowds it is the vote.

## Lost: 5 splits, 10 configurations (published: 5 and 20)

Variants `plench` do as the benchmark's code does where it differs from the paper.

{selection(rows, LOST)}
{within(rows, LOST)}
{power(rows, LOST)}
The benchmark's Figure 3, by what a configuration is chosen by:

![Lost, chosen by the covering rate](candidates-lost-cr.svg)

![Lost, chosen by the approximated accuracy](candidates-lost-aa.svg)

![Lost, chosen by true labels](candidates-lost-oa.svg)

![Lost, chosen by true labels at any checkpoint](candidates-lost-oa-es.svg)

## A hundred true labels: to choose by, or to learn from?

The benchmark's Figure 1, on Lost instead of PLCIFAR10, for three algorithms
(`papers/candidates/clean.py`). Those who have true labels for the validation rows may
choose among ten configurations by them, or learn from them with default settings.

![A hundred true labels](candidates-validation.svg)

{learnt.label}. Better of the two: to learn from them, in
{sum(gap > 0 for gap in gaps)} of {len(gaps)} runs.

## Italian: 2 splits, 5 configurations (published: 5 and 20)

{selection(rows, ITALIAN)}
{within(rows, ITALIAN)}
## What fewer configurations cost

{level(rows, LOST)} On Italian:
{level(rows, ITALIAN)}

An oracle finds more among 20 configurations than among 10 or 5. Mean accuracy of
OA & ES over algorithms and splits, in percent, if only k of our configurations had
been drawn (all ways to leave the others out):

| data | searches | k | OA & ES |
| --- | --- | --- | --- |
{cost}

{twenty(rows)}
{outlier(rows)}

## What underflow costs the approximated accuracy

Algorithms for which the published form exceeds the exact one by more than {_NOTABLE} at
some checkpoint, and the accuracy that either chooses, in percent.

{underflow(rows)}
## What changes when an algorithm is as its paper has it

Lost, the same splits and configurations for both, accuracy at the last step in percent.
After ±: standard error over pairs.

{corrected(rows)}
## Default settings, 2,000 steps

Splits and scaling of the benchmark, one seed each; see `papers/candidates/defaults.py`.

{defaults()}
## Does a criterion order the models as their accuracy does?

Over all checkpoints and configurations of a group (algorithm and split) that are there.

{agreement(rows)}
## Images

{images.section()}
### What people's labels are like

The benchmark's Figure 2, for the part of CIFAR-10 with the labels of three people;
PLCIFAR10 has about ten, who may give several labels each.

![Labels that people gave](candidates-people-labels.svg)

![Noise by number of people](candidates-people-noise.svg)

![What else people call a picture](candidates-people-flips.svg)

### What a step takes

The benchmark's Figure 4 on one core instead of a GPU, so without memory
(`papers/candidates/cost.py`).

![What a step takes](candidates-cost.svg)

## Crowds

{crowds.section()}
## When does the approximated accuracy equal the accuracy?

{theorem.section()}"""
    return {"candidates.md": page, **figures.drawn(figures.all_figures(rows))}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        export(sys.argv[1:])
    write_pages(files())
