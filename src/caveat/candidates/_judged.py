"""Ways to labels judged: by the truth where it is known, else by what people say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from caveat.candidates.crowd import MODELS, Answers, HeldOut, decide
from caveat.candidates.crowd._reliability import binomial_interval
from caveat.candidates.registry import LEARNERS
from caveat.candidates.result import ONE_LABEL
from caveat.statistics import paired_share_interval

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Ends = tuple[float, float, float]

UNKNOWN = (np.nan, np.nan, np.nan)
_BOOTSTRAP, _LUCKY = 1000, 200
_SUMMARIES = {
    ONE_LABEL: "one label for all items",
    "soft-targets": "a random forest on features alone, taught by probable labels",
    "joint": "features and answers together, each teaching the other",
}


def how_right(
    told: Floats, codes: Codes, given: Answers, truth: Any, assumed: bool
) -> tuple[Ends, Ends, int]:
    """Say how right suggestions, and one label for all, are: by truth or by belief.

    What is only assumed, as nobody's answer can be held against another's, has no
    interval.
    """
    if truth is not None:
        some = truth >= 0
        most = np.bincount(truth[some]).max()
        hits = int((codes[some] == truth[some]).sum())
        return share(hits, some.sum()), share(int(most), some.sum()), int(some.sum())
    some = given.per_item > 0
    sure = told[some].max(axis=1)
    most_common = float(told[some].mean(axis=0).max())
    # As many labels are right as the probabilities say, give or take their luck.
    ends = share(float(sure.sum()), len(sure))
    ends = (ends[0], np.nan, np.nan) if assumed else ends
    return ends, (most_common, np.nan, np.nan), 0


def share(hits: float, tries: int) -> Ends:
    """Return a share and Jeffreys' interval."""
    low, high = binomial_interval(np.array([float(hits)]), np.array([float(tries)]))
    return hits / tries, float(low[0]), float(high[0])


def _ends_of_share(value: float, error: float) -> tuple[float, float]:
    """Return the ends of an interval of a share, made on the logit scale."""
    if not (0 < value < 1 and error > 0):
        return np.nan, np.nan
    half = 1.96 * error / (value * (1 - value))
    return float(expit(logit(value) - half)), float(expit(logit(value) + half))


def difference(codes: Codes, vote: Codes, truth: Any) -> Ends:
    """Return by how much labels are more often right than the vote, paired."""
    if truth is None:
        return UNKNOWN
    some = truth >= 0
    ours, theirs = codes[some] == truth[some], vote[some] == truth[some]
    wins, losses = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    found = paired_share_interval(wins, losses, int(some.sum()))
    return found.mean, found.low, found.high


def regret(posterior: Mapping[str, Floats], chosen: str, truth: Any, seed: int) -> Ends:
    """Return what a choice by the truth would have more; resampled with the choice.

    Never below 0: the chosen way is one of them. Unknown where no item tells any two
    ways apart, as nothing is there to be resampled.
    """
    if truth is None or len(posterior) < 2:
        return UNKNOWN
    some = truth >= 0
    right = np.array(
        [decide(told)[some] == truth[some] for told in posterior.values()], dtype=float
    )
    if (right == right[0]).all():
        return UNKNOWN
    own = list(posterior).index(chosen)
    rng = np.random.default_rng([seed, 49])
    size = right.shape[1]
    drawn = rng.multinomial(size, np.full(size, 1 / size), _BOOTSTRAP) / size
    shares = drawn @ right.T
    low, high = np.quantile(shares.max(axis=1) - shares[:, own], [0.025, 0.975])
    means = right.mean(axis=1)
    value = float(means.max() - means[own])
    return value, float(min(low, value)), float(max(high, value))


def calibration_error(
    told: Floats, codes: Codes, truth: Any, seed: int
) -> tuple[float, float]:
    """Return the expected calibration error over ten bins, and its floor.

    The floor is what luck makes of probabilities that are all right, on average.
    """
    if truth is None:
        return float("nan"), float("nan")
    some = np.flatnonzero(truth >= 0)
    sure = told[some, codes[some]]
    bins = np.minimum((sure * 10).astype(int), 9)

    def error(right: NDArray[np.bool_]) -> float:
        gaps = np.bincount(bins, right - sure, minlength=10)
        return float(np.abs(gaps).sum() / len(some))

    rng = np.random.default_rng([seed, 45])
    luck = [error(rng.random(len(sure)) < sure) for _ in range(_LUCKY)]
    return error(codes[some] == truth[some]), float(np.mean(luck))


def side_by_side(
    posterior: Mapping[str, Floats], held: HeldOut | None, truth: Any, given: Answers
) -> pd.DataFrame:
    """Set the ways side by side, the floor of one label for all first."""
    rows = []
    overall = given.votes().sum(axis=0)
    constant = np.tile(overall / overall.sum(), (len(given.items), 1))
    for name, told in {ONE_LABEL: constant, **posterior}.items():
        codes, agreement, gain = decide(told), np.nan, np.nan
        ends = UNKNOWN
        if held is not None and name in held.names:
            place = held.names.index(name)
            agreement, error = held.mean(held.agreement[place])
            gain = held.mean(held.gain[place])[0]
        else:
            each = given.credit(np.eye(told.shape[1])[codes])
            agreement = float(each.mean())
            error = float(each.std() / np.sqrt(len(each)))
            if name != ONE_LABEL:
                # A label that was made from an answer agrees with it anyway.
                agreement, error = np.nan, np.nan
        if truth is not None:
            some = truth >= 0
            ends = share(int((codes[some] == truth[some]).sum()), int(some.sum()))
        elif np.isfinite(agreement):
            ends = (np.nan, *_ends_of_share(agreement, error))
        rows.append((name, agreement, gain, *ends, _summary(name)))
    columns = ["name", "agreement", "information", "accuracy", "low", "high", "summary"]
    return pd.DataFrame(rows, columns=columns)


def _summary(name: str) -> str:
    """Say in a few words what a way to labels is."""
    for table in (MODELS, LEARNERS):
        if name in table:
            return table[name].summary
    return _SUMMARIES.get(name, "")
