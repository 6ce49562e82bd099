"""Published conclusions on label proportions, held against published and new numbers.

Each claim has a rule that was fixed before the runs, and is judged three times by the
same rule: from the published executions, from the repeated ones, and with our settings.
What intervals do not tell is undecided: the highest mean alone decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from papers.bags.leaders import FEWEST, LEVEL, leaders

MEAN_MAPS = ("mm", "lmm", "amm")
VARIANTS = ("naive", "simple", "intermediate", "hard")
# A lead that is more than noise, in F1.
CLEAR = 0.02


@dataclass(frozen=True)
class Source:
    """Scores of some learners, and what pairs of them have on shared executions."""

    # A row per data set, learner, strategy and execution; or of published means, with
    # the standard deviation of their executions as `sd`.
    frame: pd.DataFrame
    column: str
    # As `leaders.paired_gaps` gives them.
    gaps: pd.DataFrame


@dataclass(frozen=True)
class Verdict:
    """What one source says to one claim; `holds` is None where it is undecided."""

    holds: bool | None
    numbers: str

    @property
    def told(self) -> str:
        """The verdict in a word."""
        return {True: "yes", False: "no", None: "undecided"}[self.holds]


@dataclass(frozen=True)
class Claim:
    """A conclusion with the rule that decides it, and the learner it is about."""

    rule: str
    judge: Callable[[Source], Verdict]
    about: str = ""

    def judged(self, source: Source) -> Verdict | None:
        """Judge by a source; None if it has too few learners for that."""
        learners = set(source.frame["learner"])
        if len(learners) < 2 or (self.about and self.about not in learners):
            return None
        return self.judge(source)


def variant_of(datasets: pd.Series) -> pd.Series:
    """Name of the variant, from the names of data sets."""
    return datasets.str.split("-").str[1]


def leads(frame: pd.DataFrame, column: str) -> pd.Series:
    """Mean lead of split-bag strategies over whole bags, by learner and variant."""
    by_set = _leads_by_set(frame, column)
    return by_set.groupby(["learner", "variant"])["lead"].mean()


def _leads_by_set(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Lead on every data set, with its variance, by executions or by their `sd`."""
    kind = np.where(frame["strategy"].str.startswith("full"), "full", "split")
    table = frame.assign(kind=kind, value=frame[column], number=0)
    keys = ["learner", "dataset"]
    if "execution" in frame:
        table["number"] = frame["execution"]
    wide = table.pivot_table(index=[*keys, "number"], columns="kind", values="value")
    lead = (wide["split"] - wide["full"]).dropna().groupby(keys)
    found = lead.agg(lead="mean", spread="var", count="count").reset_index()
    if "sd" in frame and "execution" not in frame:
        # Strategies of one execution are taken as independent: wider than they are.
        squares = (table["sd"] ** 2).groupby([table["learner"], table["dataset"], kind])
        total = squares.agg(lambda part: part.mean() / len(part)).groupby(keys).sum()
        places = pd.MultiIndex.from_frame(found[keys])
        found["spread"] = total.reindex(places).to_numpy()
        found["count"] = frame["n"].min()
    return found.assign(variant=variant_of(found["dataset"]))


def _counted(names: pd.Series) -> str:
    return ", ".join(f"{name} {count}" for name, count in names.value_counts().items())


def firsts(gaps: pd.DataFrame) -> pd.Series:
    """Name who is ahead of most others, by data set: on means, without a test."""
    return leaders(gaps).set_index("dataset")["first"]


def best_learners(source: Source) -> Verdict:
    """Count who is first; decided when each is seen below another on some set."""
    found = leaders(source.gaps)
    behind = source.gaps[source.gaps["low"] > 0]["other"]
    holds: bool | None = None
    if set(behind) == set(source.gaps["learner"]):
        holds = True
    elif found["leads"].all() and found["first"].nunique() == 1:
        holds = False
    counts = _counted(found["first"])
    return Verdict(holds, f"first on {len(found)} sets: {counts}")


def _one_of(gaps: pd.DataFrame, group: tuple[str, ...]) -> pd.Series:
    """Is the best on a data set one of a group? 1: yes, -1: no, 0: undecided.

    Yes when each of the others is below one of the group; no when one of the others is
    above each of the group.
    """
    found = {}
    for dataset, part in gaps.groupby("dataset"):
        within = part["learner"].isin(group)
        across = part[within != part["other"].isin(group)]
        sure = across["low"] > 0
        inside = across["learner"].isin(group)
        below = across[sure & inside]["other"].nunique()
        above = across[sure & ~inside].groupby("learner")["other"].nunique()
        others = across[inside]["other"].nunique()
        mine = across[inside]["learner"].nunique()
        found[dataset] = int(below == others) - int((above == mine).any())
    return pd.Series(found)


def mean_maps(source: Source) -> Verdict:
    """Count the data sets on which a mean map is first, and where that is decided."""
    first = firsts(source.gaps).isin(MEAN_MAPS)
    sure = _one_of(source.gaps, MEAN_MAPS)
    learners = set(source.gaps["learner"])
    present = " or ".join(name for name in MEAN_MAPS if name in learners)
    numbers = f"{present} is first on {first.sum()} of {len(first)}; {_decided(sure)}"
    holds: bool | None = None
    if (sure > 0).mean() > 0.5:
        holds = True
    elif (sure < 0).mean() >= 0.5:
        holds = False
    return Verdict(holds, numbers)


def best_on_naive(source: Source) -> Verdict:
    """Look whether AMM is first on Naive bags, and decided."""
    first = firsts(source.gaps)
    is_naive = variant_of(first.index.to_series()) == "naive"
    sure = _one_of(source.gaps, ("amm",))[is_naive[is_naive].index]
    holds: bool | None = None
    if (sure > 0).all():
        holds = True
    elif (sure < 0).any():
        holds = False
    numbers = f"first on Naive: {_counted(first[is_naive])}; {_decided(sure)}"
    return Verdict(holds, numbers)


def _decided(sure: pd.Series) -> str:
    yes, no = int((sure > 0).sum()), int((sure < 0).sum())
    return f"decided yes on {yes}, no on {no}, undecided on {len(sure) - yes - no}"


def first_leads(source: Source) -> Verdict:
    """Measure how far the first is ahead of the next one: medians over data sets."""
    found = leaders(source.gaps)
    low = float(found["low"].fillna(-np.inf).median())
    high = float(found["high"].fillna(np.inf).median())
    holds = True if low > CLEAR else False if high < CLEAR else None
    numbers = f"median lead {found['gap'].median():.3f}"
    if np.isfinite(low) and np.isfinite(high):
        numbers += f", of the ends of its intervals {low:+.3f} and {high:+.3f}"
    return Verdict(holds, numbers)


def strategies(source: Source) -> Verdict:
    """Compare the leads of split-bag strategies between variants."""
    by_set = _leads_by_set(source.frame, source.column)
    means = by_set.groupby(["learner", "variant"])["lead"].mean()
    means = means.groupby(level="variant").mean()
    present = [name for name in VARIANTS if name in means]
    shown = ", ".join(f"{name} {means[name]:+.3f}" for name in present)
    counts = by_set.groupby("learner")["count"].min()
    tested = counts[counts >= FEWEST]
    # What less than half of the learners show is not said of all.
    if len(tested) < len(counts) / 2:
        return Verdict(None, f"mean lead: {shown}")
    part = by_set[by_set["learner"].isin(tested.index)]
    per = part.assign(error=part["spread"] / part["count"])
    per = per.groupby("variant").agg(
        {"lead": "mean", "error": "sum", "dataset": "size"}
    )
    per["error"] /= per["dataset"] ** 2
    # All pairs of variants at a shared level; variants are taken as independent.
    pairs = [(a, b) for i, a in enumerate(present) for b in present[:i]]
    t = stats.t.isf(LEVEL / 2 / max(len(pairs), 1), tested.min() - 1)
    gaps = np.array([per["lead"][a] - per["lead"][b] for a, b in pairs])
    half = t * np.sqrt([per["error"][a] + per["error"][b] for a, b in pairs])
    holds: bool | None = None
    if (np.abs(gaps) - half > CLEAR).any():
        holds = True
    elif (np.abs(gaps) + half < CLEAR).all():
        holds = False
    less = (
        "" if len(tested) == len(counts) else f"; tested on {', '.join(tested.index)}"
    )
    return Verdict(holds, f"mean lead: {shown}{less}")


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


def claims_table(sources: dict[str, Source]) -> list[str]:
    """Every claim, judged by every source that has what it needs."""
    lines = ["| claim | executions | holds | numbers |", "|---|---|---|---|"]
    for claim in CLAIMS:
        for name, source in sources.items():
            verdict = claim.judged(source)
            if verdict is not None:
                row = f"| {claim.rule} | {name} | {verdict.told} | {verdict.numbers} |"
                lines.append(row)
    return lines


def survivors(published: Source, own: Source) -> list[str]:
    """Say which claims survive with our settings, which fall, and what is undecided."""
    told: dict[str, list[str]] = {"Falls": [], "Undecided": [], "Not judged": []}
    borne_out = stood = 0
    for claim in CLAIMS:
        old, new = claim.judged(published), claim.judged(own)
        if old is None or not old.holds:
            continue
        borne_out += 1
        rule = _lower(claim.rule)
        if new is None:
            why = f"{claim.about} has not done all data sets with our settings"
            told["Not judged"].append(f"- Not judged: {rule}; {why}.")
        elif new.holds:
            stood += 1
        else:
            word = "Undecided" if new.holds is None else "Falls"
            numbers = f"published: {old.numbers}. Ours: {new.numbers}."
            told[word].append(f"- {word}: {rule}; {numbers}")
    counts = [
        f"hold: {stood}",
        *(f"{k.lower()}: {len(v)}" for k, v in told.items() if v),
    ]
    return [
        f"{borne_out} conclusions are borne out by the published executions. For the "
        f"same learners with our settings, {', '.join(counts)}.",
        "",
        *told["Falls"],
        *told["Undecided"],
        *told["Not judged"],
    ]


def _lower(text: str) -> str:
    """Begin a sentence in the middle of one; names in capitals stay."""
    first = text.split()[0]
    is_name = len(first) > 1 and first.isupper()
    return text if is_name else text[0].lower() + text[1:]
