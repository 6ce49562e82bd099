"""What a model's own answers give away: doubtful labels, weak segments, calibration.

All three are read off answers for rows that the model had not seen, and each has its
own idea of what a clean table looks like.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit
from scipy.stats import norm

from caveat.audit._floor import levels_of
from caveat.audit._table import Table
from caveat.audit.result import Calibration, Doubt, Segment
from caveat.pages.claims import Estimate

Array = NDArray[np.float64]
Slice = tuple[tuple[str, ...], str, NDArray[np.bool_]]
"""Columns, where in them, and which rows."""

_SURE = 1e-6
_FEWEST = 100
_MOST_ROWS = 20_000
# Likelihood ratio at which a 99 % interval of one parameter ends.
_HALF_CHI2 = 3.3175
# A curve steeper than this has no form left to tell flips from overlap by.
_SLOPES = (-3.0, 1.1)
_SMALLEST_NOISE = 0.03
_SMALLEST_SEGMENT = 0.05
_MOST_SHOWN = 50


def doubtful_labels(table: Table, answers: Array) -> Doubt | None:
    """Find labels that confident answers contradict more often than overlap explains.

    Where classes merely overlap, a model is right the more often the surer it is, up
    to always. Where labels were flipped, even the surest answers are wrong at the rate
    of the flips. So the share of agreement is fitted as :math:`(1-ε) σ(az+b)` of the
    confidence z, and ε is the share of flipped labels; a clean table has none.

    Parameters
    ----------
    table : Table
    answers : array of shape (rows, classes)
        Probabilities for rows that the model had not seen; NaN where there are none.
        From a linear model: those of trees end where the noise of training ends.

    Warnings
    --------
    Flips are told from overlap by the form of one curve. A model that misses a bend of
    the classes may look as if labels were wrong there.
    """
    rows = np.flatnonzero(np.isfinite(answers).all(axis=1))
    if len(rows) < _FEWEST:
        return None
    rows = rows[:: -(-len(rows) // _MOST_ROWS)]
    said = np.clip(answers[rows], _SURE, 1 - _SURE)
    top = said.argmax(axis=1)
    sure = logit(said[np.arange(len(rows)), top])
    agrees = top == table.y[rows]
    share, low, high = _flipped(sure, agrees)
    if low < _SMALLEST_NOISE:
        return None
    slope, shift, noise = _fit_agreement(sure, agrees, None)
    clean = expit(slope * sure + shift)
    # A contradicted label is a flip, or a draw from the other side of the overlap.
    flip = noise * clean / (noise * clean + (1 - clean))
    doubtful = np.flatnonzero(~agrees & (flip > 0.5))
    worst = doubtful[np.argsort(-flip[doubtful], kind="stable")][:_MOST_SHOWN]
    origin = table.origin if table.origin is not None else np.arange(len(table.y))
    basis = f"{len(rows)} rows, profile likelihood, 99 %"
    found = Estimate(share, "of the labels", low, high, basis, len(rows))
    return Doubt(found, tuple(int(origin[row]) for row in rows[worst]))


def _fit_agreement(
    sure: Array, agrees: NDArray[np.bool_], noise: float | None
) -> tuple[float, float, float]:
    """Fit the curve of agreement by maximum likelihood, with a given noise or free."""

    def loss(given: Array) -> float:
        slope, shift = np.exp(given[0]), given[1]
        share = noise if noise is not None else 0.5 * expit(given[2])
        right = np.log1p(-share) + log_expit(slope * sure + shift)
        wrong = np.log(np.maximum(-np.expm1(right), 1e-300))
        return -float(np.where(agrees, right, wrong).sum())

    start = [0.0, 0.0] + ([-3.0] if noise is None else [])
    bounds = [_SLOPES, (-20.0, 20.0), (-20.0, 20.0)][: len(start)]
    found = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    share = noise if noise is not None else 0.5 * float(expit(found[2]))
    return float(np.exp(found[0])), float(found[1]), share


def _flipped(sure: Array, agrees: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the share of flips and the ends of its profile likelihood."""

    def likelihood(noise: float) -> float:
        slope, shift, _ = _fit_agreement(sure, agrees, noise)
        right = np.log1p(-noise) + log_expit(slope * sure + shift)
        wrong = np.log(np.maximum(-np.expm1(right), 1e-300))
        return float(np.where(agrees, right, wrong).sum())

    top = _fit_agreement(sure, agrees, None)[2]
    bar = likelihood(top) - _HALF_CHI2
    return (
        top,
        _crossing(likelihood, bar, 0.0, top),
        _crossing(likelihood, bar, 0.5, top),
    )


def _crossing(likelihood: Any, bar: float, far: float, near: float) -> float:
    """Find where the profile meets the bar between a far end and the maximum."""
    if likelihood(min(far, 0.499)) >= bar:
        return far
    for _ in range(12):
        middle = (far + near) / 2
        far, near = (middle, near) if likelihood(middle) < bar else (far, middle)
    return near


def recalibrated(
    table: Table, answers: Array, seed: int
) -> tuple[NDArray[np.intp], Array]:
    """Mend probabilities by their temperature, learnt on the other half of the rows.

    Returns
    -------
    rows, probabilities
        Of the rows that have answers.
    """
    rows = np.flatnonzero(np.isfinite(answers).all(axis=1))
    scores = np.log(np.clip(answers[rows], _SURE, 1))
    truth = table.y[rows]
    half = np.random.default_rng(seed).permutation(len(rows)) % 2
    found = np.empty_like(scores)
    for one in (0, 1):
        learn = half != one
        found[~learn] = _softmax(
            _temperature(scores[learn], truth[learn]), scores[~learn]
        )
    return rows, found


def _temperature(scores: Array, truth: NDArray[Any]) -> Array:
    """Fit a factor and a shift per class by maximum likelihood."""
    classes = scores.shape[1]

    def loss(given: Array) -> float:
        chosen = _softmax(given, scores)[np.arange(len(truth)), truth]
        return -float(np.log(np.maximum(chosen, 1e-300)).mean())

    start = np.concatenate([[1.0], np.zeros(classes)])
    return np.asarray(minimize(loss, start, method="L-BFGS-B").x)


def _softmax(given: Array, scores: Array) -> Array:
    moved = given[0] * scores + given[1:]
    raised = np.exp(moved - moved.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def calibration(
    table: Table, answers: Array, model: str, seed: int
) -> Calibration | None:
    """Say what mending the probabilities would give, in log-loss."""
    rows, mended = recalibrated(table, answers, seed)
    if len(rows) < _FEWEST:
        return None
    truth = (np.arange(len(rows)), table.y[rows])
    before = -np.log(np.clip(answers[rows][truth], _SURE, 1))
    after = -np.log(np.clip(mended[truth], _SURE, 1))
    gain = before - after
    half = 1.96 * float(gain.std(ddof=1)) / np.sqrt(len(gain))
    mean = float(gain.mean())
    basis = f"{len(rows)} rows, paired"
    known = Estimate(mean, "log-loss", mean - half, mean + half, basis, len(rows))
    return Calibration(model, float(before.mean()), known)


def weak_segments(table: Table, answers: Array, seed: int) -> tuple[Segment, ...]:
    """Find slices of one or two columns where a model is right less than it says.

    A hard part of the table is no weakness if the model knows that it is hard: what
    counts is how much more often it is wrong than its own, mended probabilities say.
    Intervals are corrected for all slices that were looked at.
    """
    rows, mended = recalibrated(table, answers, seed)
    if len(rows) < _FEWEST:
        return ()
    top = mended.argmax(axis=1)
    promised = mended[np.arange(len(rows)), top]
    right = (top == table.y[rows]).astype(float)
    fewest = max(30, int(0.03 * len(rows)))
    slices = [
        one for one in _slices(table, rows) if fewest <= one[2].sum() <= len(rows) / 2
    ]
    found = []
    for columns, where, inside in slices:
        missing = promised[inside] - right[inside]
        error = float(missing.std(ddof=1)) / np.sqrt(len(missing))
        reach = float(norm.isf(0.025 / len(slices))) * error
        if missing.mean() - reach >= _SMALLEST_SEGMENT:
            value, hope = float(right[inside].mean()), float(promised[inside].mean())
            known = Estimate(
                value,
                "accuracy",
                max(0.0, value - reach),
                min(hope, value + reach),
                f"{int(inside.sum())} rows, corrected for {len(slices)} slices",
                int(inside.sum()),
            )
            count = int(inside.sum())
            found.append(Segment(columns, where, count, hope, known, len(slices)))
    found.sort(key=lambda one: one.right.value - one.promised)
    return tuple(found[:3])


def _slices(table: Table, rows: NDArray[np.intp]) -> list[Slice]:
    """Cut the table at the levels of single columns, and of pairs of the first few."""
    single: list[Slice] = []
    for name in list(table.X.columns)[:24]:
        column = table.X[name].iloc[rows]
        for where, inside in _parts(column, table.kinds[name] == "categorical"):
            single.append(((str(name),), where, inside))
    names = list(dict.fromkeys(one[0][0] for one in single))[:6]
    some = [one for one in single if one[0][0] in names]
    pairs: list[Slice] = [
        ((a[0][0], b[0][0]), f"{a[1]}, {b[1]}", a[2] & b[2])
        for a, b in combinations(some, 2)
        if a[0] != b[0]
    ]
    return single + pairs


def _parts(column: pd.Series, categorical: bool) -> list[tuple[str, NDArray[np.bool_]]]:
    """Give the parts of a column by number, never by a cell: level 2 of 5."""
    levels = levels_of(column, categorical)
    if not categorical and len(np.unique(levels)) > 5:
        # Quarters of the rows instead of the sixteen bins.
        order = pd.Series(levels).rank(method="average", pct=True).to_numpy()
        levels = np.ceil(order * 4).astype(np.intp)
        words = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
        return [(words[n - 1], levels == n) for n in (1, 2, 3, 4)]
    known = np.unique(levels)[:20]
    return [
        ("missing" if level == 0 else f"level {place} of {len(known)}", levels == level)
        for place, level in enumerate(known, start=1)
    ]
