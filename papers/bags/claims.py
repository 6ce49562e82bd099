"""Published conclusions on label proportions, held against published and new numbers.

Each claim has a rule that was fixed before the runs, and is judged three times by the
same rule: from the published means, from the repeated runs, and with our settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

MEAN_MAPS = ("mm", "lmm", "amm")
VARIANTS = ("naive", "simple", "intermediate", "hard")
# A lead that is more than noise, in F1.
CLEAR = 0.02

# A row per data set, learner and strategy at least, and which column has the means.
Means = tuple[pd.DataFrame, str]


@dataclass(frozen=True)
class Verdict:
    """What one table of means says to one claim."""

    holds: bool
    numbers: str


@dataclass(frozen=True)
class Claim:
    """A conclusion with the rule that decides it, and the learner it is about."""

    rule: str
    judge: Callable[[pd.DataFrame, str], Verdict]
    about: str = ""

    def judged(self, frame: pd.DataFrame, column: str) -> Verdict | None:
        """Judge by a table of means; None if it has too few learners for that."""
        learners = set(frame["learner"])
        if len(learners) < 2 or (self.about and self.about not in learners):
            return None
        return self.judge(frame, column)


def variant_of(datasets: pd.Series) -> pd.Series:
    """Name of the variant, from the names of data sets."""
    return datasets.str.split("-").str[1]


def leads(frame: pd.DataFrame, column: str) -> pd.Series:
    """Mean lead of split-bag strategies over whole bags, by learner and variant."""
    kind = np.where(frame["strategy"].str.startswith("full"), "full", "split")
    variant = variant_of(frame["dataset"])
    means = frame[column].groupby([frame["learner"], variant, kind]).mean().unstack()
    return (means["split"] - means["full"]).dropna()


def _by_dataset(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean over strategies and executions: a row per data set, a column per learner."""
    return frame.pivot_table(index="dataset", columns="learner", values=column)


def _counted(names: pd.Series) -> str:
    return ", ".join(f"{name} {count}" for name, count in names.value_counts().items())


def best_learners(frame: pd.DataFrame, column: str) -> Verdict:
    """Count who has the highest mean."""
    best = _by_dataset(frame, column).idxmax(axis=1)
    return Verdict(best.nunique() > 1, f"best on {len(best)} sets: {_counted(best)}")


def mean_maps(frame: pd.DataFrame, column: str) -> Verdict:
    """Count the data sets on which a mean map has the highest mean."""
    table = _by_dataset(frame, column)
    best = table.idxmax(axis=1).isin(MEAN_MAPS)
    present = " or ".join(name for name in MEAN_MAPS if name in table)
    numbers = f"{present} is best on {best.sum()} of {len(best)}"
    return Verdict(best.mean() > 0.5, numbers)


def best_on_naive(frame: pd.DataFrame, column: str) -> Verdict:
    """Look who has the highest mean on Naive bags."""
    best = _by_dataset(frame, column).idxmax(axis=1)
    best = best[variant_of(best.index.to_series()) == "naive"]
    return Verdict(bool((best == "amm").all()), f"best on Naive: {_counted(best)}")


def first_leads(frame: pd.DataFrame, column: str) -> Verdict:
    """Measure how far the best learner is ahead of the next one."""
    ordered = np.sort(_by_dataset(frame, column).to_numpy(), axis=1)
    middle = float(np.median(ordered[:, -1] - ordered[:, -2]))
    return Verdict(middle > CLEAR, f"median lead {middle:.3f}")


def strategies(frame: pd.DataFrame, column: str) -> Verdict:
    """Compare the leads of split-bag strategies between variants."""
    means = leads(frame, column).groupby(level=1).mean()
    means = means.reindex([name for name in VARIANTS if name in means])
    shown = ", ".join(f"{name} {value:+.3f}" for name, value in means.items())
    return Verdict(float(np.ptp(means)) > CLEAR, f"mean lead: {shown}")


CLAIMS = (
    Claim("No learner has the highest mean on all data sets", best_learners),
    Claim("A mean map is best on more than half of the data sets", mean_maps),
    Claim("AMM is best on every Naive data set", best_on_naive, about="amm"),
    Claim(f"The best learner leads the next by more than {CLEAR} F1", first_leads),
    Claim(
        f"The lead of split-bag over full-bag folds differs by more than {CLEAR} F1 "
        "between variants",
        strategies,
    ),
)


def claims_table(sources: dict[str, Means]) -> list[str]:
    """Every claim, judged by every source of means that has what it needs."""
    lines = ["| claim | means | holds | numbers |", "|---|---|---|---|"]
    for claim in CLAIMS:
        for name, means in sources.items():
            verdict = claim.judged(*means)
            if verdict is not None:
                holds = "yes" if verdict.holds else "no"
                lines.append(f"| {claim.rule} | {name} | {holds} | {verdict.numbers} |")
    return lines


def survivors(published: Means, own: Means) -> list[str]:
    """Say which claims survive with our settings and learners, and which do not."""
    stood, fallen, open_ = [], [], []
    for claim in CLAIMS:
        old, new = claim.judged(*published), claim.judged(*own)
        if old is None or not old.holds:
            continue
        if new is None:
            open_.append(f"- Not judged: {_lower(claim.rule)}; {claim.about} has not "
                         "done all data sets with our settings.")  # fmt: skip
        elif new.holds:
            stood.append(claim)
        else:
            fallen.append(f"- Falls: {_lower(claim.rule)}; published: {old.numbers}, "
                          f"ours: {new.numbers}.")  # fmt: skip
    judged = len(stood) + len(fallen)
    return [
        f"Of {judged} conclusions that the published means bear out, {len(stood)} "
        "hold for the same learners with our settings.",
        "",
        *fallen,
        *open_,
    ]


def _lower(text: str) -> str:
    """Begin a sentence in the middle of one; names in capitals stay."""
    first = text.split()[0]
    is_name = len(first) > 1 and first.isupper()
    return text if is_name else text[0].lower() + text[1:]
