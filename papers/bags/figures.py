"""The paper's figures, from a ledger.

What a rule chose, and which learners (or strategies) form the best set of a data set,
is decided by `caveat.statistics`; here sets are counted and drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput

_STRATEGY_KINDS = ("FB", "SB", "SB+FB")


@dataclass(frozen=True)
class BestSets:
    """Best sets of every data set.

    Attributes
    ----------
    learners : DataFrame
        A row per data set: ``base``, ``variant``, ``dataset``, the ``members`` of the
        best set of learners, and its ``gap`` to the first one left out.
    strategies : DataFrame
        A row per data set and ``learner``, with the best set of strategies.
    """

    learners: pd.DataFrame
    strategies: pd.DataFrame


def best_sets(
    trials: pd.DataFrame,
    chosen: Mapping[str, pd.DataFrame],
    best_set: Callable[[dict[str, Any]], Any],
) -> BestSets:
    """Find the best learners and strategies of every data set of a ledger.

    Learners are compared over all strategies together, strategies learner by learner.

    Parameters
    ----------
    trials : DataFrame
        The ``trials`` of a ledger's records.
    chosen : mapping of strategy to DataFrame
        What each strategy chose: ``caveat.statistics.select(records, strategy,
        measure="f1")``.
    best_set : callable
        ``caveat.statistics.best_set``, with any settings of it.

    Returns
    -------
    BestSets

    Warnings
    --------
    Groups without a usable row are left out, so a ledger that is not done compares
    whatever is there.
    """
    _need(trials, "group", "scenario.variant")
    variants = trials.drop_duplicates("group").set_index("group")["scenario.variant"]
    parts = []
    for strategy, frame in chosen.items():
        _need(frame, "group", "dataset", "world", "learner", "value")
        parts.append(frame.assign(strategy=strategy))
    scores = pd.concat(parts).dropna(subset="value")
    scores["base"] = scores["dataset"]
    scores["variant"] = scores["group"].map(variants)
    scores["dataset"] = scores["base"] + ", " + scores["world"]
    keys = ["base", "variant", "dataset"]
    learners = _best_rows(scores, keys, "learner", best_set)
    strategies = _best_rows(scores, [*keys, "learner"], "strategy", best_set)
    return BestSets(learners, strategies)


def _best_rows(
    scores: pd.DataFrame,
    keys: list[str],
    rivals: str,
    best_set: Callable[[dict[str, Any]], Any],
) -> pd.DataFrame:
    rows = []
    for name, part in scores.groupby(keys, sort=False):
        groups = part.groupby(rivals, sort=False)["value"]
        found = best_set({str(rival): values.to_numpy() for rival, values in groups})
        rows.append((*name, found.members, found.gap))
    return pd.DataFrame(rows, columns=[*keys, "members", "gap"])


def learner_set_shares(best: pd.DataFrame) -> pd.DataFrame:
    """Count which sets of learners are best, base by base and variant by variant.

    Parameters
    ----------
    best : DataFrame
        One row per data set: ``base``, ``variant`` and ``members``, a sequence of
        learners.

    Returns
    -------
    DataFrame
        ``base``, ``variant``, ``set`` (names joined by a comma) and ``share`` of the
        data sets.

    Examples
    --------
    >>> import pandas as pd
    >>> best = pd.DataFrame({"base": "adult", "variant": "naive",
    ...                      "members": [("amm",), ("mm", "amm")]})
    >>> learner_set_shares(best)["set"].tolist()
    ['amm', 'amm, mm']
    """
    _need(best, "base", "variant", "members")
    named = best.assign(set=[", ".join(sorted(members)) for members in best["members"]])
    return _shares(named, "set")


def strategy_winners(best: pd.DataFrame) -> pd.DataFrame:
    """Let every learner vote for its best strategies, data set by data set.

    Parameters
    ----------
    best : DataFrame
        One row per data set and learner: ``dataset``, ``base``, ``variant`` and
        ``members``, a sequence of strategies.

    Returns
    -------
    DataFrame
        One row per data set: ``winners`` (a tuple) and ``kind``: ``FB`` if only
        the full-bag strategy has the most votes, ``SB`` if only split-bag ones have,
        else ``SB+FB``.

    Examples
    --------
    >>> import pandas as pd
    >>> best = pd.DataFrame({"dataset": "a", "base": "adult", "variant": "hard",
    ...     "members": [("full-bag-kfold",), ("full-bag-kfold", "split-bag-kfold")]})
    >>> strategy_winners(best)["kind"].tolist()
    ['FB']
    """
    _need(best, "dataset", "base", "variant", "members")
    rows = []
    for (base, variant, dataset), votes in best.groupby(
        ["base", "variant", "dataset"], sort=False
    ):
        counts = Counter(name for members in votes["members"] for name in members)
        most = max(counts.values(), default=0)
        winners = tuple(sorted(name for name, count in counts.items() if count == most))
        full = any(name.startswith("full-bag") for name in winners)
        split = any(not name.startswith("full-bag") for name in winners)
        kind = "SB+FB" if full and split else "FB" if full else "SB"
        rows.append((base, variant, dataset, winners, kind))
    return pd.DataFrame(rows, columns=["base", "variant", "dataset", "winners", "kind"])


def strategy_kind_shares(winners: pd.DataFrame) -> pd.DataFrame:
    """Count kinds of winning strategies, base by base and variant by variant.

    Parameters
    ----------
    winners : DataFrame
        As `strategy_winners` gives it.

    Returns
    -------
    DataFrame
        ``base``, ``variant``, ``kind`` and ``share`` of the data sets.
    """
    _need(winners, "base", "variant", "kind")
    return _shares(winners, "kind")


def plot_learner_sets(shares: pd.DataFrame, axes: Any) -> None:
    """Draw figure 2: stacked shares of best sets, a bar per base and variant.

    Parameters
    ----------
    shares : DataFrame
        As `learner_set_shares` gives it.
    axes : matplotlib Axes
    """
    _stacked(shares, "set", sorted(shares["set"].unique()), axes)
    axes.set_xlabel("share of the data sets")


def plot_gaps(gaps: Sequence[float], axes: Any, *, bins: int = 20) -> None:
    """Draw figure 3: how much the best sets are ahead of the first learner left out.

    Parameters
    ----------
    gaps : sequence of float
        A gap per data set; NaN where nobody was left out.
    axes : matplotlib Axes
    bins : int, default=20
    """
    values = np.asarray(gaps, dtype=np.float64)
    axes.hist(values[np.isfinite(values)], bins=bins, color="0.4")
    axes.set_xlabel("F1 of the last member minus F1 of the first left out")
    axes.set_ylabel("data sets")


def plot_strategy_kinds(shares: pd.DataFrame, axes: Any) -> None:
    """Draw figure 4: shares of winning kinds of strategy, a bar per base and variant.

    Parameters
    ----------
    shares : DataFrame
        As `strategy_kind_shares` gives it.
    axes : matplotlib Axes
    """
    _stacked(shares, "kind", list(_STRATEGY_KINDS), axes)
    axes.set_xlabel("share of the data sets")


def _stacked(shares: pd.DataFrame, column: str, names: list[str], axes: Any) -> None:
    table = shares.pivot_table(
        index=["base", "variant"], columns=column, values="share", fill_value=0.0
    )
    labels = [f"{base}, {variant}" for base, variant in table.index]
    left = np.zeros(len(table))
    greys = np.linspace(0.25, 0.85, max(len(names), 2))
    for name, grey in zip(names, greys, strict=False):
        width = table[name].to_numpy() if name in table else np.zeros(len(table))
        axes.barh(labels, width, left=left, label=name, color=str(grey))
        left = left + width
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _shares(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    counts = frame.groupby(["base", "variant"], sort=False)[column].value_counts(
        normalize=True
    )
    return counts.rename("share").reset_index()


def _need(frame: pd.DataFrame, *columns: str) -> None:
    missing = [name for name in columns if name not in frame]
    if missing:
        raise InvalidInput(f"frame: no column {missing[0]!r}; expected {list(columns)}")
