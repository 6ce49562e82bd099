"""The exact threshold search against trying every cut."""

from itertools import product

import numpy as np
import pytest

from caveat.multilabel import evaluate
from caveat.multilabel.thresholds._search import (
    Ranking,
    best_global,
    best_global_mean_f,
    coordinate_ascent,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def candidates(values):
    """One threshold for every admissible cut, fewest chosen first."""
    distinct = np.unique(values)[::-1]
    return [distinct[0] + 1, *(distinct[:-1] + distinct[1:]) / 2, distinct[-1] - 1]


def f_beta(y, h, beta=1.0):
    bottom = beta**2 * y.sum() + h.sum()
    return (1 + beta**2) * (y & h).sum() / bottom if bottom else 0.0


@pytest.fixture(params=range(15))
def case(request):
    rng = np.random.default_rng(request.param)
    shape = rng.integers(2, 9), rng.integers(1, 5)
    S = rng.integers(0, rng.choice([3, 1000]), size=shape).astype(float)
    return (rng.random(shape) < rng.choice([0.1, 0.5])).astype(np.uint8), S


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_the_cut_of_every_row_is_the_best_and_the_smallest(case, beta):
    Y, S = case
    limits = Ranking(S, Y).best_f(beta)
    for y, s, limit in zip(Y, S, limits, strict=True):
        values = [f_beta(y, (s > t).astype(np.uint8), beta) for t in candidates(s)]
        best = candidates(s)[int(np.argmax(values))]
        assert f_beta(y, (s > limit).astype(np.uint8), beta) == max(values)
        assert (s > limit).sum() == (s > best).sum()


def test_the_hamming_cut_makes_the_fewest_errors(case):
    Y, S = case
    limits = Ranking(S, Y).best_hamming()
    for y, s, limit in zip(Y, S, limits, strict=True):
        errors = [((s > t) != y).sum() for t in candidates(s)]
        assert ((s > limit) != y).sum() == min(errors)
        assert (s > limit).sum() == (s > candidates(s)[int(np.argmin(errors))]).sum()


def test_dinkelbach_finds_the_best_micro_f1_over_all_combinations(case):
    Y, S = case
    limits = Ranking(S.T.copy(), Y.T.copy()).best_micro()
    found = f_beta(Y.ravel(), (limits < S).astype(np.uint8).ravel())
    best = max(
        f_beta(Y.ravel(), (np.array(combination) < S).astype(np.uint8).ravel())
        for combination in product(*(candidates(column)[:6] for column in S.T))
    )
    assert found >= best - 1e-12


@pytest.mark.parametrize("measure", ["micro_f1", "hamming_loss"])
def test_one_threshold_for_all_entries_is_exact(case, measure):
    Y, S = case
    value = evaluate(Y, None, best_global(S, Y, measure, 1.0) < S)[measure]
    tried = [evaluate(Y, None, t < S)[measure] for t in candidates(S)]
    best = min(tried) if measure == "hamming_loss" else max(tried)
    assert value == pytest.approx(best, abs=1e-12)


def test_one_threshold_is_exact_for_the_mean_of_rows(case):
    Y, S = case
    value = evaluate(Y, None, best_global_mean_f(S, Y, 1.0) < S)["instance_f1"]
    tried = [evaluate(Y, None, t < S)["instance_f1"] for t in candidates(S)]
    assert value == pytest.approx(max(tried), abs=1e-12)


def test_coordinate_ascent_is_never_worse_than_one_threshold_and_is_stable(case):
    Y, S = case
    limits, _ = coordinate_ascent(S, Y, 1.0)
    value = evaluate(Y, None, limits < S)["instance_f1"]
    common = evaluate(Y, None, best_global_mean_f(S, Y, 1.0) < S)["instance_f1"]
    assert value >= common - 1e-12
    for j in range(S.shape[1]):
        for other in candidates(S[:, j]):
            moved = limits.copy()
            moved[j] = other
            assert evaluate(Y, None, moved < S)["instance_f1"] <= value + 1e-9


def test_thresholds_lie_strictly_between_the_scores():
    tight = np.array([[1.0, np.nextafter(1.0, 0), 0.0]])
    limit = Ranking(tight, np.array([[1, 0, 0]], dtype=np.uint8)).best_f()[0]
    assert tight[0, 1] <= limit < tight[0, 0]


def test_cuts_at_both_ends_leave_all_scores_on_one_side():
    scores = np.array([[1e12, 1.0], [1e12, 1.0]])
    truth = np.array([[0, 0], [1, 1]], dtype=np.uint8)
    limits = Ranking(scores, truth).best_f()
    assert limits[0] > 1e12
    assert limits[1] < 1.0
