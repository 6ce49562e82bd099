"""A value beside what shuffled labels give: band, p-value, skill, verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BANDS = ("percentile", "mean_ci")

CHANCE = "chance"
WEAK = "weak"
PARTLY = "partly trivial"
TRIVIAL = "trivially separable or biased"
UNTESTED = "not tested"
UNDEFINED = "undefined"

VERDICTS = {
    CHANCE: "Clusters show no sign of the classes: shuffled labels do as well.",
    WEAK: "Clusters know a little of the classes; most of the score is still to earn.",
    PARTLY: "Clusters know part of the answer: a score below this has earned nothing.",
    TRIVIAL: (
        "Clusters know most of the answer: either the task is easy, or something "
        "beside the matter gives the classes away. Did you expect it to be hard?"
    ),
    UNTESTED: "Labels were shuffled too seldom to tell whether this is chance.",
    UNDEFINED: "There is no value at 1/p₀: the data do not hold enough clusters.",
}


def in_words(verdict: str, *, numbers: bool = False) -> str:
    """Say a verdict as a sentence, about classes or about a target of numbers."""
    words = VERDICTS[verdict]
    if not numbers:
        return words
    return words.replace("the classes", "the target").replace("labels", "numbers")


@dataclass(frozen=True)
class Reading:
    """One value, and the same from shuffled labels.

    Attributes
    ----------
    value : float
        The observed AUC.
    null : ndarray of shape (shuffles,)
        The AUC from shuffled labels, found in the same way.
    band : str
        ``percentile`` (2.5 % to 97.5 %) or ``mean_ci`` (mean ± 1.96 standard errors).
    """

    value: float
    null: NDArray[np.float64]
    band: str = "percentile"

    @property
    def null_mean(self) -> float:
        """Mean over the shuffles; NaN without any."""
        return float(self.null.mean()) if len(self.null) else float("nan")

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper end of the band; NaN with fewer than two shuffles."""
        low, high = null_band(self.null, self.band)
        return float(low), float(high)

    def null_summary(self) -> dict[str, float]:
        """Mean and band of the shuffles, by name."""
        low, high = self.limits
        return {"mean": self.null_mean, "low": low, "high": high}

    @property
    def p_value(self) -> float:
        """Share of shuffles at least as good, the observed one counted with them."""
        if not len(self.null) or np.isnan(self.value):
            return float("nan")
        return float((1 + (self.null >= self.value).sum()) / (len(self.null) + 1))

    @property
    def skill(self) -> float:
        """How far from the null mean towards 1; 0 where shuffles reach 1 already."""
        if self.null_mean == 1:
            return 0.0
        return (self.value - self.null_mean) / (1 - self.null_mean)

    def verdict(self, alpha: float) -> str:
        """Put the reading into a word, a key of `VERDICTS`."""
        if np.isnan(self.value):
            return UNDEFINED
        if np.isnan(self.p_value):
            return UNTESTED
        if self.p_value > alpha:
            # Above all of too few shuffles, nothing is known: p cannot be lower.
            beaten = (self.null >= self.value).any()
            return CHANCE if beaten else UNTESTED
        if self.skill < 0.2:
            return WEAK
        return PARTLY if self.skill < 0.6 else TRIVIAL


def null_band(
    null: NDArray[np.float64], band: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the band over the first axis, the shuffles."""
    if len(null) < 2:
        empty = np.full(null.shape[1:], np.nan)
        return empty, empty
    if band == "mean_ci":
        half = 1.96 * null.std(axis=0, ddof=1) / np.sqrt(len(null))
        return null.mean(axis=0) - half, null.mean(axis=0) + half
    low, high = np.quantile(null, [0.025, 0.975], axis=0)
    return low, high
