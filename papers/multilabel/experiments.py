"""The experiments of Wu & Zhou (2017), with the rules that their tables imply.

What is only good for comparing with printed numbers lives here: features scaled
on all rows, thresholds that change from measure to measure, ties broken by
position.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import UnknownName
from caveat.measures.multilabel import DegenerateWarning, TieWarning, evaluate
from caveat.multilabel._arrays import FloatArray
from caveat.multilabel._free import EVERY, NONE, free_answers
from caveat.multilabel.learners._binary_relevance import BinaryRelevanceSVM
from caveat.multilabel.learners._gfm import GFM
from caveat.multilabel.learners._limo import LIMO
from caveat.multilabel.learners._ml_knn import MLkNN
from caveat.multilabel.result import POPULARITY
from caveat.multilabel.thresholds._per_instance import InstanceThreshold
from caveat.multilabel.thresholds._per_label import LabelThreshold
from caveat.multilabel.thresholds._threshold import (
    DECISION_MEASURES,
    GlobalThreshold,
    Threshold,
)
from papers.multilabel.published import (
    PAPER_METHODS,
    published_benchmark,
    published_synthetic,
)
from papers.multilabel.synthetic import make_sectors

__all__ = [
    "CODE_THRESHOLDS",
    "benchmark_rows",
    "break_ties_by_index",
    "free_rows",
    "index_values",
    "published_benchmark",
    "published_synthetic",
    "scale_all_rows",
    "synthetic_rows",
]

Row = dict[str, Any]

FREE = (POPULARITY, EVERY, NONE)
"""Not in the paper: they look at no feature, so their values need no learning."""
LIMO_WEIGHTS = {"limo": (1.0, 1.0), "limo-inst": (0.0, 1.0), "limo-label": (1.0, 0.0)}

CODE_THRESHOLDS: Mapping[str, Callable[[], Threshold]] = {
    "hamming_loss": lambda: InstanceThreshold("hamming_loss", regressor="svr"),
    "macro_f1": LabelThreshold,
    "micro_f1": GlobalThreshold,
    "instance_f1": GlobalThreshold,
}
"""Which threshold the published code takes for which measure."""

_THRESHOLDS: Mapping[str, Callable[[str], Threshold]] = {
    "per-label": LabelThreshold,
    "per-instance": lambda name: InstanceThreshold(name, regressor="svr"),
    "global": GlobalThreshold,
}


class DecisionGFM(GFM):
    """`GFM` whose scores are its decisions, as in the paper's tables."""

    def _scores(self, X: Any) -> FloatArray:
        return self._solve(X)[1].astype(float)


def scale_all_rows(X: Any) -> FloatArray:
    """Divide every column by its largest absolute value over *all* rows.

    The published code does so before it splits the data; an all-zero column stays.

    Examples
    --------
    >>> scale_all_rows([[1, 0], [-4, 0]])
    array([[ 0.25,  0.  ],
           [-1.  ,  0.  ]])
    """
    array = np.asarray(X, dtype=np.float64)
    largest = np.abs(array).max(axis=0)
    return array / np.where(largest > 0, largest, 1.0)


def break_ties_by_index(scores: FloatArray, along: str) -> FloatArray:
    """Replace scores by ranks without ties: the higher index counts as higher.

    Parameters
    ----------
    scores : array of shape (m, l)
        Real scores.
    along : {'rows', 'labels', 'matrix'}
        Which entries are ranked together; a matrix column by column.

    Examples
    --------
    >>> break_ties_by_index(np.array([[0.5, 0.5], [0.7, 0.1]]), "rows")
    array([[0., 1.],
           [1., 0.]])
    """
    if along == "matrix":
        flat = scores.ravel(order="F")
        ranks = np.empty(len(flat))
        ranks[np.argsort(flat, kind="stable")] = np.arange(len(flat))
        return ranks.reshape(scores.shape, order="F")
    axis = {"rows": 1, "labels": 0}[along]
    order = np.argsort(scores, axis=axis, kind="stable")
    ranks = np.empty(scores.shape)
    count = np.arange(scores.shape[axis], dtype=float)
    places = count[None, :] if axis == 1 else count[:, None]
    np.put_along_axis(ranks, order, places, axis=axis)
    return ranks


def index_values(Y: Any, scores: FloatArray) -> dict[str, float]:
    """Compute the score measures with ties broken by position.

    Average precision, coverage and the AUCs as the published code does. Ranking
    loss counts ties as errors, one-error forgives them: the mixture that
    reproduces the printed row of GFM, whose scores are decisions.
    """
    literal = _evaluate(Y, scores, ties="paper")
    rows = _evaluate(Y, break_ties_by_index(scores, "rows"))
    labels = _evaluate(Y, break_ties_by_index(scores, "labels"))
    matrix = _evaluate(Y, break_ties_by_index(scores, "matrix"))
    return {
        "ranking_loss": literal["ranking_loss"],
        "one_error": literal["one_error"],
        "coverage": rows["coverage"],
        "average_precision": rows["average_precision"],
        "instance_auc": rows["instance_auc"],
        "macro_auc": labels["macro_auc"],
        "micro_auc": matrix["micro_auc"],
    }


def benchmark_rows(
    method: str,
    X: FloatArray,
    Y: NDArray[np.int64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    *,
    sampling: str = "paper",
    n_passes: int = 10,
    random_state: int = 0,
) -> list[Row]:
    """Run one method on one split and return every measure under every rule.

    Parameters
    ----------
    method : str
        One of `PAPER_METHODS`.
    X : array of shape (m, d)
        Features of all rows, scaled by `scale_all_rows`.
    Y : 0/1 array of shape (m, l)
        Labels.
    train, test : arrays of row numbers
        The split.
    sampling : {'paper', 'code'}, default='paper'
        How LIMO draws.
    n_passes : int, default=10
        How long LIMO runs.
    random_state : int, default=0
        Seed.

    Returns
    -------
    list of dict with ``measure``, ``rule`` and ``value``. Score measures have the
    rules ``half`` and ``index`` (how ties count); decision measures have ``own``
    (the method's decisions) or, for LIMO, ``code``, ``per-label``, ``per-instance``
    and ``global`` (which threshold, fitted to the training scores), and ``oracle``
    (a per-label threshold fitted to the test part: what the print may contain).
    """
    model = _make(method, sampling, n_passes, random_state)
    model.fit(X[train], Y[train])
    scores = model.decision_function(X[test])
    rows = _score_rows(Y[test], scores)
    if method not in LIMO_WEIGHTS:
        found = _evaluate(Y[test], None, model.predict(X[test]))
        return rows + [_row(name, "own", found[name]) for name in DECISION_MEASURES]
    return rows + _threshold_rows(
        model.decision_function(X[train]),
        Y[train],
        X[train],
        scores,
        Y[test],
        X[test],
    )


def free_rows(
    Y: NDArray[np.int64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> list[Row]:
    """Judge what looks at no feature on one split.

    Returns
    -------
    list of dict with ``method``, ``measure``, ``rule`` (``half``, ``own``), ``value``
    """
    rows: list[Row] = []
    for method, (scores, chosen) in free_answers(Y[train], len(test)).items():
        for rule, found in (
            ("half", _evaluate(Y[test], scores)),
            ("own", _evaluate(Y[test], None, chosen)),
        ):
            rows += [
                {"method": method, **_row(name, rule, value)}
                for name, value in found.items()
            ]
    return rows


def synthetic_rows(repeat: int, *, max_iter: int = 20_000) -> list[Row]:
    """Run the three variants of LIMO on one draw of the synthetic square.

    Parameters
    ----------
    repeat : int
        Number of the draw, which is its seed.
    max_iter : int, default=20000
        Iterations.

    Returns
    -------
    list of dict with ``method``, ``measure``, ``rule`` (``half`` for scores, ``t``
    and ``t(x)`` for decisions) and ``value``
    """
    X, Y = make_sectors(2000, random_state=repeat)
    train, test = np.arange(1000), np.arange(1000, 2000)
    rows: list[Row] = []
    for method, weights in LIMO_WEIGHTS.items():
        model = LIMO(
            *(100.0 * weight for weight in weights),
            max_iter=max_iter,
            scaling="none",
            threshold="fixed",
            random_state=repeat,
        ).fit(X[train], Y[train])
        inside, outside = (model.decision_function(X[part]) for part in (train, test))
        found = [row for row in _score_rows(Y[test], outside) if row["rule"] == "half"]
        for rule, make, own in (
            ("t", LabelThreshold, "macro_f1"),
            ("t(x)", InstanceThreshold, "instance_f1"),
        ):
            for target in (own, "hamming_loss"):
                # Each threshold is found by what falls apart into its labels or
                # instances: their own F-measure, or their errors.
                threshold = make(target).fit(inside, Y[train], X[train])
                result = _evaluate(Y[test], None, threshold.predict(outside, X[test]))
                found += [
                    _row(name, rule, value)
                    for name, value in result.items()
                    if (name == "hamming_loss") == (target == "hamming_loss")
                ]
        rows += [{"method": method, **row} for row in found]
    return rows


def _make(method: str, sampling: str, n_passes: int, random_state: int) -> Any:
    if method in LIMO_WEIGHTS:
        return LIMO(
            *LIMO_WEIGHTS[method],
            sampling=sampling,
            n_passes=n_passes,
            scaling="none",
            fit_intercept=False,
            threshold="fixed",
            random_state=random_state,
        )
    makers: dict[str, Callable[[], Any]] = {
        "br": lambda: BinaryRelevanceSVM(scaling="none", random_state=random_state),
        "ml-knn": MLkNN,
        "gfm": DecisionGFM,
    }
    if method not in makers:
        raise UnknownName.among("method of the paper", method, PAPER_METHODS)
    return makers[method]()


def _score_rows(Y: Any, scores: FloatArray) -> list[Row]:
    half = _evaluate(Y, scores)
    return [_row(name, "half", value) for name, value in half.items()] + [
        _row(name, "index", value) for name, value in index_values(Y, scores).items()
    ]


def _threshold_rows(
    inside: FloatArray,
    Y_train: Any,
    X_train: Any,
    outside: FloatArray,
    Y_test: Any,
    X_test: Any,
) -> list[Row]:
    """Judge every decision measure under every threshold."""
    rows = []
    for name in DECISION_MEASURES:
        rules = {kind: make(name) for kind, make in _THRESHOLDS.items()}
        rules["code"] = CODE_THRESHOLDS[name]()
        for kind, rule in rules.items():
            chosen = rule.fit(inside, Y_train, X_train).predict(outside, X_test)
            rows.append(_row(name, kind, _evaluate(Y_test, None, chosen)[name]))
        peeked = LabelThreshold(name).fit(outside, Y_test).predict(outside)
        rows.append(_row(name, "oracle", _evaluate(Y_test, None, peeked)[name]))
    return rows


def _row(measure: str, rule: str, value: float) -> Row:
    return {"measure": measure, "rule": rule, "value": float(value)}


def _evaluate(
    Y: Any, scores: Any, decisions: Any = None, ties: str = "half"
) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TieWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        return evaluate(Y, scores, decisions, ties=ties)
