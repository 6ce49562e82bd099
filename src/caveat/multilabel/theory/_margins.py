"""The two margins, and what it means to be effective (Definitions 1 to 5).

The label-wise margin of an instance is the distance between its lowest relevant
and its highest irrelevant score. The instance-wise margin of a label is the same
down its column. A predictor is effective where all margins are positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from caveat.measures.multilabel import LabelRows, ScoreRows, row_blocks
from caveat.multilabel._arrays import ByteArray, FloatArray


@dataclass(frozen=True)
class MarginReport:
    """Both margins of a predictor on a data set.

    Attributes
    ----------
    label : array of shape (m,)
        Label-wise margin of each instance; NaN where it has one class only.
    instance : array of shape (l,)
        Instance-wise margin of each label; NaN where it has one class only.
    label_scaled, instance_scaled : array
        The same, divided by the standard deviation of all scores.
    label_effective, instance_effective, double_effective : bool
        Whether all margins are positive; what has one class only does not count.
    share_rows_positive, share_labels_positive : float
        Share of positive margins: the useful number on real data.
    min_label, min_instance : float
        The smallest margin of each kind.
    """

    label: FloatArray
    instance: FloatArray
    label_scaled: FloatArray
    instance_scaled: FloatArray
    label_effective: bool
    instance_effective: bool
    double_effective: bool
    share_rows_positive: float
    share_labels_positive: float
    min_label: float
    min_instance: float


def margins(Y: Any, scores: Any) -> MarginReport:
    """Compute both margins in one pass.

    Parameters
    ----------
    Y : array-like, frame or sparse matrix of shape (m, l)
        The truth, 0/1.
    scores : array-like, frame, sparse matrix, memory map or callable
        Real scores of shape (m, l); see `evaluate`.

    Returns
    -------
    MarginReport

    Warnings
    --------
    Margins have the unit of the scores: compare models by the scaled margins or
    by the shares. Hardly any model is effective on real data, and one bad entry
    decides a minimum.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Definitions 1 to 5.

    Examples
    --------
    >>> report = margins([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.8]])
    >>> report.label, report.instance, report.double_effective
    (array([0.7, 0.2]), array([0.3, 0.6]), True)
    """
    truth = LabelRows("Y", Y)
    real = ScoreRows(scores, truth)
    n_rows, n_labels = truth.shape
    low_row, high_row = np.empty(n_rows), np.empty(n_rows)
    low_label, high_label = np.full(n_labels, np.inf), np.full(n_labels, -np.inf)
    spread = _Spread()
    for start, stop in row_blocks(truth.shape):
        S = real.rows(start, stop)
        spread.see(S)
        _margin_pass(
            S, truth.rows(start, stop), start, low_row, high_row, low_label, high_label
        )
    by_row = _difference(low_row, high_row)
    by_label = _difference(low_label, high_label)
    label_ok, instance_ok = _effective(by_row), _effective(by_label)
    scale = spread.deviation
    return MarginReport(
        label=by_row,
        instance=by_label,
        label_scaled=by_row / scale,
        instance_scaled=by_label / scale,
        label_effective=label_ok,
        instance_effective=instance_ok,
        double_effective=label_ok and instance_ok,
        share_rows_positive=_share_positive(by_row),
        share_labels_positive=_share_positive(by_label),
        min_label=_smallest(by_row),
        min_instance=_smallest(by_label),
    )


def label_margins(Y: Any, scores: Any) -> FloatArray:
    """Label-wise margin of every instance (Definition 1).

    γ_i = min over relevant u of S_iu - max over irrelevant v of S_iv.

    Parameters
    ----------
    Y, scores
        As in `margins`.

    Returns
    -------
    array of shape (m,); NaN for an instance with one class only. Larger is better.

    Warnings
    --------
    Scores of different models have different units; see `margins`.

    Examples
    --------
    >>> label_margins([[1, 0, 1], [0, 0, 1]], [[0.9, 0.2, 0.5], [0.6, 0.1, 0.4]])
    array([ 0.3, -0.2])
    """
    return margins(Y, scores).label


def instance_margins(Y: Any, scores: Any) -> FloatArray:
    """Instance-wise margin of every label (Definition 2).

    γ^j = min over positive a of S_aj - max over negative b of S_bj.

    Parameters
    ----------
    Y, scores
        As in `margins`.

    Returns
    -------
    array of shape (l,); NaN for a label with one class only. Larger is better.

    Warnings
    --------
    Scores of different models have different units; see `margins`.

    Examples
    --------
    >>> instance_margins([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.8]])
    array([0.3, 0.6])
    """
    return margins(Y, scores).instance


def effectiveness(Y: Any, scores: Any) -> dict[str, Any]:
    """Tell whether a predictor is label-wise, instance-wise or double effective.

    Parameters
    ----------
    Y, scores
        As in `margins`.

    Returns
    -------
    dict with ``label_effective``, ``instance_effective``, ``double_effective``
    (bool), ``share_rows_positive``, ``share_labels_positive``, ``min_label`` and
    ``min_instance`` (float).

    Warnings
    --------
    Being effective is all or nothing. On real data read the shares.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Definitions 3 to 5.

    Examples
    --------
    >>> found = effectiveness([[1, 0], [0, 1]], [[0.9, 0.2], [0.95, 0.99]])
    >>> found["label_effective"], found["instance_effective"]
    (True, False)
    """
    report = margins(Y, scores)
    return {
        name: getattr(report, name)
        for name in (
            "label_effective",
            "instance_effective",
            "double_effective",
            "share_rows_positive",
            "share_labels_positive",
            "min_label",
            "min_instance",
        )
    }


class _Spread:
    """Standard deviation of all scores, block by block (Chan et al. 1983)."""

    def __init__(self) -> None:
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def see(self, block: FloatArray) -> None:
        """Add a block."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(block.mean())
            self._squares += float(np.square(block - mean).sum())
        gap, total = mean - self._mean, self._count + block.size
        self._squares += gap * gap * self._count * block.size / total
        self._mean += gap * block.size / total
        self._count = total

    @property
    def deviation(self) -> float:
        """Standard deviation, NaN if all scores are equal or too far apart."""
        value = float(np.sqrt(self._squares / self._count))
        return value if 0 < value < np.inf else float("nan")


def _difference(low: FloatArray, high: FloatArray) -> FloatArray:
    """Subtract where both sides exist; a missing side is an infinity."""
    with np.errstate(over="ignore"):
        gap = low - high
    return np.where(np.isfinite(low) & np.isfinite(high), gap, np.nan)


def _effective(margin: FloatArray) -> bool:
    return bool((margin[~np.isnan(margin)] > 0).all())


def _share_positive(margin: FloatArray) -> float:
    there = margin[~np.isnan(margin)]
    return float((there > 0).mean()) if len(there) else float("nan")


def _smallest(margin: FloatArray) -> float:
    there = margin[~np.isnan(margin)]
    return float(there.min()) if len(there) else float("nan")


@njit(cache=True, nogil=True)
def _margin_pass(
    S: FloatArray,
    Y: ByteArray,
    first_row: int,
    low_row: FloatArray,
    high_row: FloatArray,
    low_label: FloatArray,
    high_label: FloatArray,
) -> None:
    """Find the lowest relevant and the highest irrelevant score, both ways."""
    n_rows, n_labels = S.shape
    for row in range(n_rows):
        low = np.inf
        high = -np.inf
        for j in range(n_labels):
            s = S[row, j]
            if Y[row, j] == 1:
                low = min(low, s)
                low_label[j] = min(low_label[j], s)
            else:
                high = max(high, s)
                high_label[j] = max(high_label[j], s)
        low_row[first_row + row] = low
        high_row[first_row + row] = high
