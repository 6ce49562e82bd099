"""Which margin a model serves, and which measures follow from that.

Table 2 of Wu & Zhou (2017) says which measures a predictor optimises if all its
label-wise, instance-wise or both margins are positive. No real model gets there.
So we look at how many pairs it orders rightly: pairs of labels within instances
(the label-wise side) and pairs of instances within labels (the instance-wise
side), each with its uncertainty.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.measures import DOUBLE, INSTANCE_WISE, LABEL_WISE
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.measures.multilabel import (
    Conventions,
    DegenerateWarning,
    LabelRows,
    ScoreRows,
    TieWarning,
    check_fits,
    evaluate,
    score_facts,
    terms_of,
)
from caveat.multilabel._arrays import FloatArray
from caveat.multilabel.theory._margins import margins
from caveat.statistics import bounded_interval


@dataclass(frozen=True)
class Side:
    """How well one kind of pair is ordered.

    Attributes
    ----------
    order : float
        Share of pairs in the right order (ties one half), averaged over
        instances or labels; 0.5 is chance.
    low, high : float
        95 % interval of that mean, for other instances of the same kind.
    share_positive : float
        Share of instances (labels) whose margin is positive: all pairs right.
    """

    order: float
    low: float
    high: float
    share_positive: float

    @property
    def served(self) -> bool:
        """Whether the order is better than chance beyond its uncertainty."""
        return bool(self.low > 0.5)


@dataclass(frozen=True)
class MarginProfile:
    """Which margin a model serves.

    Attributes
    ----------
    label_wise, instance_wise : Side
        The two kinds of pairs.
    popularity : float
        Label-wise order of a list of the labels by popularity, which ignores the
        instance: that part is free.
    verdict : str
        ``label-wise``, ``instance-wise``, ``both`` or ``neither``.
    sentence : str
        The verdict in words.
    table : DataFrame
        One row per measure: ``value``, ``best``, ``reference`` (constant scores;
        nothing chosen), ``reach`` (share of the way from the reference to the
        best), ``served_by``, ``promised`` and ``why``.
    """

    label_wise: Side
    instance_wise: Side
    popularity: float
    verdict: str
    sentence: str
    table: pd.DataFrame


def margin_profile(
    Y: Any, scores: Any, decisions: Any = None, *, popularity: Any = None
) -> MarginProfile:
    """Tell which margin a model serves and which measures to expect good.

    Parameters
    ----------
    Y, scores, decisions
        As in `evaluate`.
    popularity : array-like of shape (l,), optional
        Share of every label in the training data; taken from Y if not given.

    Returns
    -------
    MarginProfile

    Warnings
    --------
    "Served" means better than chance, not good; Table 2 of [1]_ speaks of
    predictors that make no mistake at all. The label-wise side can be high
    because some labels are common: compare with `popularity`. Labels with one or two
    positives make the instance-wise interval too short.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 2.
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988). Comparing the areas
       under two or more correlated ROC curves. Biometrics 44(3).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((200, 5)) < 0.3
    >>> print(margin_profile(Y, Y + rng.normal(size=Y.shape)).verdict)
    both
    >>> print(margin_profile(Y, rng.random(Y.shape)).verdict)
    neither
    """
    truth = LabelRows("Y", Y)
    real = ScoreRows(scores, truth)
    check_fits(
        10.0 * truth.shape[0] * truth.shape[1],
        f"a profile of {truth.shape[0]:,} x {truth.shape[1]:,} scores",
        "take a random part of the rows, or evaluate and margins, which read blocks",
    )
    with warnings.catch_warnings():
        # The profile says in words what these two warn of.
        warnings.simplefilter("ignore", TieWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        result = evaluate(Y, scores, decisions)
    facts = score_facts(truth, real, pool=False)
    assert facts.labels is not None
    gaps = margins(Y, scores)
    by_row = terms_of("instance_auc", facts, Conventions())
    by_label = terms_of("macro_auc", facts, Conventions())
    label_wise = _side(
        by_row.value, by_row.terms[by_row.valid], gaps.share_rows_positive
    )
    instance_wise = _side(
        by_label.value, _influence(real.dense(), truth), gaps.share_labels_positive
    )
    free = _popularity_order(truth, popularity)
    verdict = {
        (True, True): "both",
        (True, False): LABEL_WISE,
        (False, True): INSTANCE_WISE,
        (False, False): "neither",
    }[label_wise.served, instance_wise.served]
    return MarginProfile(
        label_wise=label_wise,
        instance_wise=instance_wise,
        popularity=free,
        verdict=verdict,
        sentence=_sentence(verdict, label_wise, instance_wise, free),
        table=_table(result, truth, verdict),
    )


def _side(mean: float, terms: FloatArray, share_positive: float) -> Side:
    """Give a mean of terms, one per instance, an interval between 0 and 1."""
    found = bounded_interval(mean + terms - terms.mean()) if len(terms) > 1 else None
    if found is None or np.isnan(found.low):
        return Side(mean, mean, mean, share_positive)
    return Side(mean, found.low, found.high, share_positive)


def _influence(S: FloatArray, truth: LabelRows) -> FloatArray:
    """How much each instance moves macro-AUC: its variance, whatever the labels share.

    The influence function of an AUC (DeLong et al. 1988) is the share of the other
    class that an instance is ordered rightly against, less the AUC, over the share
    of its own class; labels are averaged instance by instance.
    """
    m, n_labels = S.shape
    total, used = np.zeros(m), 0
    Y = truth.dense()
    for j in range(n_labels):
        positive = Y[:, j] == 1
        p = int(positive.sum())
        if p in (0, m):
            continue
        up, down = S[positive, j], S[~positive, j]
        above, below = _share_below(down, up), 1 - _share_below(up, down)
        total[positive] += (above - above.mean()) * m / p
        total[~positive] += (below - below.mean()) * m / (m - p)
        used += 1
    return total / max(1, used)


def _share_below(values: FloatArray, x: FloatArray) -> FloatArray:
    """Share of the values below each x, ties one half."""
    ordered = np.sort(values)
    twice = np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right")
    return twice / (2 * len(ordered))


def _popularity_order(truth: LabelRows, popularity: Any) -> float:
    """Label-wise order of one list of labels for all instances."""
    share: FloatArray = truth.label_counts / truth.shape[0]
    if popularity is not None:
        share = np.asarray(popularity, dtype=np.float64)
        if share.shape != (truth.shape[1],) or not np.isfinite(share).all():
            raise InvalidInput(
                f"popularity has shape {share.shape} or is not finite; "
                f"pass {truth.shape[1]} shares, one per label"
            )

    def same_for_all(start: int, stop: int) -> FloatArray:
        return np.tile(share, (stop - start, 1))

    facts = score_facts(truth, ScoreRows(same_for_all, truth), labels=False, pool=False)
    return terms_of("instance_auc", facts, Conventions()).value


def _table(result: dict[str, float], truth: LabelRows, verdict: str) -> pd.DataFrame:
    best = result.best  # type: ignore[attr-defined]
    served = {
        "both": {LABEL_WISE, INSTANCE_WISE, DOUBLE},
        LABEL_WISE: {LABEL_WISE},
        INSTANCE_WISE: {INSTANCE_WISE},
        "neither": set(),
    }[verdict]
    references = _references(result, truth)
    rows = []
    for name, value in result.items():
        measure = MEASURES[name]
        reference = references[name]
        way = best[name] - reference
        rows.append(
            {
                "measure": name,
                "value": value,
                "best": best[name],
                "reference": reference,
                "reach": (value - reference) / way if way else float("nan"),
                "served_by": ", ".join(measure.served_by),
                "promised": bool(served & set(measure.served_by)),
                "why": measure.summary,
            }
        )
    return pd.DataFrame(rows).set_index("measure")


def _references(names: Iterable[str], truth: LabelRows) -> dict[str, float]:
    """Return the values of constant scores, or of choosing nothing."""
    n_labels = truth.shape[1]
    Y = truth.dense()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TieWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        return evaluate(
            Y,
            lambda start, stop: np.zeros((stop - start, n_labels)),
            np.zeros_like(Y),
            measures=names,
        )


def _sentence(verdict: str, label: Side, instance: Side, free: float) -> str:
    rows = f"{label.order:.2f} of the label pairs within an instance"
    columns = f"{instance.order:.2f} of the instance pairs within a label"
    text = {
        "both": f"It orders {rows} and {columns} rightly: both margins are served.",
        LABEL_WISE: f"It orders {rows} rightly, but only {columns}: it serves the "
        "label-wise margin, so macro-AUC and macro-F1 are not promised.",
        INSTANCE_WISE: f"It orders {columns} rightly, but only {rows}: it serves the "
        "instance-wise margin, so only macro-AUC, macro-F1 and Hamming loss are "
        "promised.",
        "neither": f"It orders {rows} and {columns} rightly, which chance does too: "
        "no measure is promised.",
    }[verdict]
    if label.served:
        text += f" A list of labels by popularity alone orders {free:.2f}."
    return text
