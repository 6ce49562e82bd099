"""Intervals of a share of rows, and of the difference of two of the same rows."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.stats import norm

from caveat.statistics.intervals._intervals import Interval


def share_interval(
    share: float, rows: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the ends of Wilson's interval of a share; they lie within 0 and 1.

    All shares that a score test does not reject. Without rows it is all from 0 to 1.

    Parameters
    ----------
    share : float
        What was seen, 0 to 1.
    rows : float
        Of how many; as many independent ones as are worth the same.
    confidence : float, default=0.95

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22.

    Examples
    --------
    >>> low, high = share_interval(81 / 263, 263)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    """
    if not rows:
        return 0.0, 1.0
    z = float(norm.ppf(0.5 + confidence / 2))
    variance = share * (1 - share) / rows + (z / (2 * rows)) ** 2
    centre = (share + z * z / (2 * rows)) / (1 + z * z / rows)
    half = z * math.sqrt(max(variance, 0.0)) / (1 + z * z / rows)
    # Rounding may carry an end past a share of 0 or 1.
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def paired_share_interval(
    wins: int, losses: int, rows: int, level: float = 0.95
) -> Interval:
    """Return by how much one share exceeds another of the same rows, by Tango's score.

    All differences that a score test does not reject. It lies inside -1 to 1 and has
    width also where no row tells the two apart, where a bootstrap of equal answers
    has none.

    Parameters
    ----------
    wins, losses : int
        Rows that only the first, and only the second got right.
    rows : int
        All rows.
    level : float, default=0.95

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design, Statistics in Medicine 17.

    Examples
    --------
    >>> found = paired_share_interval(0, 0, 6)
    >>> round(found.low, 2), found.mean, round(found.high, 2)
    (-0.39, 0.0, 0.39)
    """
    if rows < 1 or min(wins, losses) < 0 or wins + losses > rows:
        raise ValueError(
            f"{wins} wins and {losses} losses are no counts of {rows} rows"
        )
    z, mean = float(norm.ppf(0.5 + level / 2)), (wins - losses) / rows

    def beyond(gap: float, sign: float) -> float:
        """How far the test of a difference lies beyond its limit."""
        return sign * _score(gap, wins, losses, rows) - z

    # The score grows without bound towards the end that the rows speak against.
    edge = 1 - 1e-12
    low = -1.0 if mean <= -1 else brentq(beyond, -edge, mean, args=(1.0,))
    high = 1.0 if mean >= 1 else brentq(beyond, mean, edge, args=(-1.0,))
    squares = (wins + losses) / rows - mean * mean
    sd = math.sqrt(squares * rows / (rows - 1)) if rows > 1 else math.nan
    return Interval(
        mean,
        float(low),
        float(high),
        sd=sd,
        se=sd / math.sqrt(rows),
        n=rows,
        over="rows",
        confidence=level,
        method="score",
    )


def _score(gap: float, wins: int, losses: int, rows: int) -> float:
    """Return the score statistic of a difference of `gap`."""
    # The likeliest share of losses, if the difference is `gap`, solves a quadratic.
    b = -wins - losses + (2 * rows - wins + losses) * gap
    c = -losses * gap * (1 - gap)
    share = (math.sqrt(max(b * b - 8 * rows * c, 0.0)) - b) / (4 * rows)
    variance = rows * (2 * share + gap * (1 - gap))
    distance = wins - losses - rows * gap
    if variance <= 0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)
