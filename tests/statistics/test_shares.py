"""The interval of a difference of paired shares: its score, its ends, its coverage."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest, multinomial

from caveat.statistics import (
    paired_bootstrap,
    paired_share_interval,
    share_interval,
)
from caveat.statistics.intervals._shares import _score

COUNTS = [(0, 0, 6), (6, 0, 6), (0, 6, 6), (12, 2, 50), (1, 0, 30), (3, 1, 1000)]


def score_by_search(gap, wins, losses, rows):
    """The same statistic with the likeliest shares found by search."""

    def minus_likelihood(share):
        shares = np.array([share + gap, share, 1 - 2 * share - gap])
        counts = np.array([wins, losses, rows - wins - losses])
        seen = counts > 0
        return -(counts[seen] * np.log(np.maximum(shares[seen], 1e-300))).sum()

    low, high = max(0.0, -gap), (1 - gap) / 2
    found = minimize_scalar(
        minus_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    share = found.x
    return (wins - losses - rows * gap) / np.sqrt(rows * (2 * share + gap - gap * gap))


@pytest.mark.parametrize("counts", COUNTS)
def test_its_score_is_that_of_the_likeliest_shares(counts):
    for gap in (-0.4, -0.05, 0.1, 0.35):
        assert _score(gap, *counts) == pytest.approx(
            score_by_search(gap, *counts), abs=1e-3
        )


@pytest.mark.parametrize("counts", COUNTS)
def test_its_ends_are_where_the_test_turns(counts):
    found = paired_share_interval(*counts)
    assert -1 <= found.low < found.high <= 1
    assert found.low <= found.mean <= found.high
    for end, sign in ((found.low, 1), (found.high, -1)):
        if abs(end) < 1:
            assert sign * _score(end, *counts) == pytest.approx(1.95996, abs=1e-3)


def test_it_speaks_of_the_other_side_alike():
    one, other = paired_share_interval(9, 2, 40), paired_share_interval(2, 9, 40)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_on_many_rows_it_is_what_a_bootstrap_gives():
    gaps = np.repeat([1.0, -1.0, 0.0], [60, 30, 910])
    found = paired_share_interval(60, 30, 1000)
    drawn = paired_bootstrap(gaps, np.zeros(1000), random_state=0)
    assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.003)


@pytest.mark.parametrize("shares", [(0.05, 0.05), (0.2, 0.05), (0.3, 0.3)])
def test_it_covers_what_it_says(shares):
    # By enumeration; a bootstrap of 12 rows covers 88 % of the second world.
    rows, covered = 12, 0.0
    truth = multinomial(rows, [*shares, 1 - sum(shares)])
    for wins in range(rows + 1):
        for losses in range(rows + 1 - wins):
            found = paired_share_interval(wins, losses, rows)
            if found.low <= shares[0] - shares[1] <= found.high:
                covered += truth.pmf([wins, losses, rows - wins - losses])
    assert covered >= 0.93


@pytest.mark.parametrize("counts", [(1, 1, 1), (-1, 0, 5), (0, 0, 0)])
def test_counts_that_cannot_be_are_refused(counts):
    with pytest.raises(ValueError, match="are no counts of"):
        paired_share_interval(*counts)


@pytest.mark.parametrize("rows", [1, 7, 263, 10_000])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_of_a_share_is_that_of_scipy(rows, confidence):
    for hits in {0, 1, rows // 3, rows - 1, rows}:
        theirs = binomtest(hits, rows).proportion_ci(confidence, method="wilson")
        # Both end within 1e-12: they differ by the order of a few sums.
        ours = share_interval(hits / rows, rows, confidence)
        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_share_of_no_rows_may_be_anything():
    assert share_interval(0.0, 0) == (0.0, 1.0)
