"""From the ledger to the numbers on weaker labels: targets, shares, candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from caveat.audit._shares import RULE

Interval = Callable[[list[float], float, str], tuple[float, float]]
Means = tuple[float, float, float]
"""A mean over folds and both ends of its interval."""

MAIN = "average-precision"
"""What orders learners of several targets."""


@dataclass(frozen=True)
class LabelModel:
    """One learner of several targets over folds.

    Attributes
    ----------
    name, title : str
    measures : dict of str to (mean, low, high)
        The eleven measures, as far as they are defined.
    labels, instances : (mean, low, high)
        Share of pairs in order: labels within a row, rows within a label.
    thresholds : DataFrame
        Decision measures by the way thresholds were found.
    folds : int
    """

    name: str
    title: str
    measures: Mapping[str, Means]
    labels: Means
    instances: Means
    thresholds: pd.DataFrame
    folds: int

    @property
    def serves(self) -> str:
        """Say which margin it serves, beyond its interval."""
        low = [one[1] if one[1] == one[1] else one[0] for one in self.sides]
        served = [end > 0.5 for end in low]
        words = {
            (True, True): "both",
            (True, False): "label-wise",
            (False, True): "instance-wise",
            (False, False): "neither",
        }
        return words[served[0], served[1]]

    @property
    def sides(self) -> tuple[Means, Means]:
        """Both kinds of pairs."""
        return self.labels, self.instances


@dataclass(frozen=True)
class ManyTargets:
    """Several targets: who orders them best, and what popularity alone does.

    Attributes
    ----------
    models : dict of str to LabelModel
        Best first, without popularity.
    free : LabelModel or None
        A list of the labels by popularity, which looks at no column.
    popularity : float
        Share of the label pairs of a row that it puts in order.
    per_label : DataFrame
        ``label, share, auc`` of the best model.
    count : int
    per_row, none : float
        Labels of a row; share of rows without any.
    """

    models: dict[str, LabelModel]
    free: LabelModel | None
    popularity: float
    per_label: pd.DataFrame
    count: int
    per_row: float
    none: float

    @property
    def best(self) -> LabelModel | None:
        """Best by average precision."""
        return next(iter(self.models.values()), None)


@dataclass(frozen=True)
class ShareModel:
    """One learner from shares, its settings chosen without labels.

    `top` is what its best setting reaches, which only labels can tell.
    """

    name: str
    title: str
    auc: Means
    top: float
    accuracy: float
    folds: int

    @property
    def regret(self) -> float:
        """What choosing without labels costs."""
        return self.top - self.auc[0]


@dataclass(frozen=True)
class Shares:
    """Groups whose shares are known, and what was learnt from them.

    Attributes
    ----------
    facts : dict
        Variant, sentence, spread, separation, sizes; empty if not looked at.
    quantiles : DataFrame
        ``q, share`` of the last class over groups.
    models : dict of str to ShareModel
        Best first.
    rules : Series
        Mean regret in AUC of every way to choose settings, smallest first.
    """

    facts: Mapping[str, Any]
    quantiles: pd.DataFrame
    models: dict[str, ShareModel]
    rules: pd.Series

    @property
    def best(self) -> ShareModel | None:
        """Best by AUC, as chosen without labels."""
        return next(iter(self.models.values()), None)


@dataclass(frozen=True)
class SetModel:
    """One algorithm at the checkpoint that held-out sets chose.

    Attributes
    ----------
    criterion, covered, unsure : float
        On held-out sets; on judged rows the share whose own label is a candidate, and
        the share of suggestions that are unsure.
    right, accuracy, auc : float
        By the truth: of suggestions, of its own labels; NaN without it.
    """

    name: str
    title: str
    criterion: float
    covered: float
    unsure: float
    right: float
    accuracy: float
    auc: float
    steps: int
    folds: int


@dataclass(frozen=True)
class Sets:
    """Candidate labels: what they are like, and who learns from them.

    Attributes
    ----------
    facts : dict
        Items, classes, mean size, noise, ambiguity, criterion and why.
    sizes, confusions : DataFrame
    models : dict of str to SetModel
        Best by the criterion first: no label was used.
    judged : int
        Rows that suggestions were made for.
    """

    facts: Mapping[str, Any]
    sizes: pd.DataFrame
    confusions: pd.DataFrame
    models: dict[str, SetModel]
    judged: int

    @property
    def best(self) -> SetModel | None:
        """The one that held-out candidate sets prefer."""
        return next(iter(self.models.values()), None)


def read_targets(
    rows: pd.DataFrame, curves: Mapping[str, pd.DataFrame], titles: Any, of: Interval
) -> ManyTargets | None:
    """Collect what learners of several targets reached; None if nothing ended."""
    column = f"test.{MAIN}"
    if not len(rows) or column not in rows or rows[column].isna().all():
        return None
    models = []
    for name, mine in rows.groupby("learner"):
        thresholds = curves["thresholds"]
        thresholds = thresholds[thresholds["key"].isin(mine["key"])]
        decided = [c for c in thresholds if str(c).endswith(("-f1", "-loss"))]
        models.append(
            LabelModel(
                name=str(name),
                title=titles.get(str(name), str(name)),
                measures={
                    str(each).removeprefix("test."): _means(mine, str(each), of)
                    for each in mine.columns
                    if str(each).startswith("test.") and mine[each].notna().any()
                },
                labels=_means(mine, "fact.label-order", of),
                instances=_means(mine, "fact.instance-order", of),
                thresholds=thresholds.groupby("threshold", sort=False)[decided]
                .mean()
                .astype(float),
                folds=len(mine),
            )
        )
    models.sort(key=lambda one: -one.measures.get(MAIN, (-1.0, 0.0, 0.0))[0])
    found = {one.name: one for one in models}
    free = found.pop("popularity", None)
    first = rows.iloc[0]
    best = next(iter(found), "popularity")
    labels = curves["labels"]
    labels = labels[labels["key"].isin(rows[rows["learner"] == best]["key"])]
    return ManyTargets(
        models=found,
        free=free,
        popularity=float(rows["fact.popularity-order"].astype(float).mean()),
        per_label=labels.groupby("label", sort=False)[["share", "auc"]]
        .mean()
        .astype(float)
        .reset_index(),
        count=int(first["fact.targets"]),
        per_row=float(first["fact.per-row"]),
        none=float(first["fact.none"]),
    )


def read_shares(
    rows: pd.DataFrame, curves: Mapping[str, pd.DataFrame], titles: Any, of: Interval
) -> Shares | None:
    """Collect what learners from shares reached; None if nothing ended."""
    if not len(rows):
        return None
    looked = rows[rows["learner"] == "groups"]
    learnt = rows[rows["learner"] != "groups"]
    rules = [str(c) for c in rows.columns if str(c).startswith("criterion.split-bag")]
    rules += [str(c) for c in rows.columns if str(c) == "criterion.full-bag-kfold"]
    models, regrets = [], []
    if "test.auc" in learnt:
        learnt = learnt[learnt["test.auc"].notna()]
        for name, mine in learnt.groupby("learner"):
            picked = _picked(mine, f"criterion.{RULE}", largest=False)
            if not len(picked):
                continue
            tops = mine.groupby("key")["test.auc"].max().astype(float)
            models.append(
                ShareModel(
                    name=str(name),
                    title=titles.get(str(name), str(name)),
                    auc=_means(picked, "test.auc", of),
                    top=float(tops.reindex(picked["key"]).mean()),
                    accuracy=float(picked["test.accuracy"].astype(float).mean()),
                    folds=len(picked),
                )
            )
            for rule in rules:
                chosen = _picked(mine, rule, largest=False)
                lost = tops.reindex(chosen["key"]).to_numpy() - chosen[
                    "test.auc"
                ].to_numpy(dtype=float)
                regrets += [(rule.removeprefix("criterion."), each) for each in lost]
    models.sort(key=lambda one: -one.auc[0])
    table = pd.DataFrame(regrets, columns=["rule", "regret"])
    return Shares(
        facts=_facts(looked),
        quantiles=curves["shares"],
        models={one.name: one for one in models},
        rules=table.groupby("rule", sort=False)["regret"].mean().sort_values(),
    )


def read_sets(
    rows: pd.DataFrame, curves: Mapping[str, pd.DataFrame], titles: Any, of: Interval
) -> Sets | None:
    """Collect what algorithms learnt from candidates; None if nothing ended."""
    looked = rows[rows["learner"] == "sets"]
    if not len(looked):
        return None
    facts = _facts(looked)
    column = f"criterion.{facts['criterion']}"
    learnt = rows[rows["learner"] != "sets"]
    models, judged = [], 0
    for name, mine in learnt.groupby("learner"):
        picked = _picked(mine, column, largest=True)
        if not len(picked):
            continue
        judged = max(judged, int(picked["fact.test-rows"].astype(float).sum()))
        models.append(
            SetModel(
                name=str(name),
                title=titles.get(str(name), str(name)),
                criterion=_mean(picked, column),
                covered=_mean(picked, "test.covered"),
                unsure=_mean(picked, "fact.unsure"),
                right=_mean(picked, "test.right"),
                accuracy=_mean(picked, "test.accuracy"),
                auc=_mean(picked, "test.auc"),
                steps=int(picked["checkpoint"].astype(float).median()),
                folds=len(picked),
            )
        )
    models.sort(key=lambda one: -one.criterion)
    return Sets(
        facts=facts,
        sizes=curves["sizes"],
        confusions=curves["confusions"],
        models={one.name: one for one in models},
        judged=judged,
    )


def _picked(rows: pd.DataFrame, column: str, *, largest: bool) -> pd.DataFrame:
    """Take one row per trial: the one that a criterion prefers, the first of equals."""
    if column not in rows:
        return rows.iloc[:0]
    known = rows[rows[column].notna()]
    values = known[column].astype(float)
    best = (values if largest else -values).groupby(known["key"]).idxmax()
    return known.loc[best.to_numpy()] if len(best) else known


def _means(rows: pd.DataFrame, column: str, of: Interval) -> Means:
    known = rows[rows[column].notna()] if column in rows else rows.iloc[:0]
    if not len(known):
        return float("nan"), float("nan"), float("nan")
    values = known[column].astype(float)
    sizes = [
        float(known[name].astype(float).mean())
        for name in ("fact.test-rows", "fact.training-rows")
    ]
    kind = "" if column == "test.coverage" else "auc"  # coverage may be above 1
    low, high = of(list(values), sizes[0] / max(1.0, sizes[1]), kind)
    return float(values.mean()), low, high


def _mean(rows: pd.DataFrame, column: str) -> float:
    if column not in rows or not rows[column].notna().any():
        return float("nan")
    return float(rows[column].astype(float).mean())


def _facts(rows: pd.DataFrame) -> dict[str, Any]:
    if not len(rows):
        return {}
    row = rows.iloc[0]
    return {
        str(name).removeprefix("fact."): _plain(row[name])
        for name in rows.columns
        if str(name).startswith("fact.")
        and row[name] is not None
        and row[name] == row[name]
    }


def _plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's."""
    return value.item() if hasattr(value, "item") else value
