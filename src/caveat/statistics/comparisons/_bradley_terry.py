"""Bradley-Terry strengths: who would win the next data set, with intervals."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.statistics._checks import check_count, check_direction, check_table
from caveat.statistics.comparisons._ties import differences_without_noise

_ELO = 400 / math.log(10)
_PRIOR = 0.5
"""Wins and losses that every pair has in advance: half a data set each way.

Without them a learner that never lost has no finite strength.
"""


def bradley_terry(
    table: pd.DataFrame | ArrayLike,
    *,
    direction: str = "max",
    n_resamples: int = 500,
    random_state: int | None = 0,
) -> pd.DataFrame:
    r"""Strength of every learner on the Elo scale, from wins over shared data sets.

    The chance that i beats j is :math:`s_i / (s_i + s_j)`; a tie is half a win. Every
    pair gets half a win each way in advance. Strengths are shown as
    :math:`1000 + 400 \log_{10} s`, with mean 1000: a learner 400 above another wins
    ten times of eleven.

    Parameters
    ----------
    table : DataFrame or array-like of shape (blocks, learners)
        One row per data set; a NaN takes part in no comparison.
    direction : {"max", "min"}, default="max"
    n_resamples : int, default=500
        Bootstrap over data sets.
    random_state : int or None, default=0

    Returns
    -------
    DataFrame, strongest first
        ``elo``, ``low``, ``high`` (95 %; NaN below five data sets), ``wins``.

    Warnings
    --------
    Strength depends on who else takes part: a copy of a weak learner lifts everybody
    who beats it. It counts wins, not by how much. Below five data sets the bootstrap
    says little, and there is no interval.

    References
    ----------
    .. [1] R. A. Bradley, M. E. Terry (1952). Rank analysis of incomplete block
       designs. Biometrika 39.
    .. [2] D. R. Hunter (2004). MM algorithms for generalized Bradley-Terry models.
       Annals of Statistics 32.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [3, 3, 3, 3], "b": [2, 2, 2, 4], "c": [1, 1, 1, 1]})
    >>> bradley_terry(scores).index.tolist()
    ['a', 'b', 'c']
    """
    sign = check_direction(direction)
    frame = check_table(table)
    resamples = check_count("n_resamples", n_resamples, 1)
    outcomes = _outcomes(sign * frame.to_numpy(dtype=float))
    wins = outcomes.sum(axis=0)
    elo = _elo(wins[None])[0]
    ends = np.full((2, len(elo)), np.nan)
    if len(frame) >= 5:
        rng = np.random.default_rng(random_state)
        draws = rng.integers(0, len(frame), (resamples, len(frame)))
        # Several tables at a time, as many as fit into some megabytes.
        parts = np.array_split(draws, 1 + resamples * wins.size // 10**6)
        strengths = np.concatenate(
            [_elo(np.stack([outcomes[rows].sum(axis=0) for rows in p])) for p in parts]
        )
        ends = np.quantile(strengths, [0.025, 0.975], axis=0)
    found = pd.DataFrame(
        {"elo": elo, "low": ends[0], "high": ends[1], "wins": wins.sum(axis=1)},
        index=frame.columns,
    )
    return found.sort_values("elo", ascending=False, kind="stable")


def _outcomes(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return wins of i over j per data set, ties as halves; shape (blocks, i, j)."""
    blocks, learners = values.shape
    found = np.zeros((blocks, learners, learners))
    for i in range(learners):
        for j in range(learners):
            gap = differences_without_noise(values[:, i], values[:, j])
            known = ~np.isnan(gap) & (i != j)
            found[:, i, j] = np.where(known, (np.sign(gap) + 1) / 2, 0.0)
    return found


def _elo(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximise the likelihood by Hunter's MM steps; each raises it.

    `wins` are tables above one another; each ends by itself.
    """
    padded = wins + _PRIOR * (1 - np.eye(wins.shape[-1]))
    games = padded + np.swapaxes(padded, -1, -2)
    own = padded.sum(axis=-1)
    strength = np.ones(own.shape)
    open_ = np.ones(own.shape[:-1], dtype=bool)
    for _ in range(10_000):
        # s_i becomes wins_i / sum over j of games_ij / (s_i + s_j). Only ratios count:
        # the geometric mean is held at 1.
        before = strength[open_]
        shared = games[open_] / (before[:, :, None] + before[:, None, :])
        update = own[open_] / shared.sum(axis=-1)
        update /= np.exp(np.log(update).mean(axis=-1, keepdims=True))
        strength[open_] = update
        open_[open_] = np.abs(np.log(update / before)).max(axis=-1) >= 1e-10
        if not open_.any():
            break
    return 1000 + _ELO * np.log(strength)
