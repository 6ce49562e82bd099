import numpy as np
import pytest
from scipy import stats

from caveat.candidates import (
    candidate_statistics,
    complementary_candidates,
    flip_candidates,
    instance_candidates,
    noisy_candidates,
    uniform_candidates,
)
from caveat.exceptions import InvalidInput, UnknownName

Y = np.arange(20_000) % 4


def test_uniform_sets_are_equally_frequent_and_never_full():
    y = np.zeros(21_000, dtype=int)
    found = uniform_candidates(y, 4, random_state=0)
    codes = found @ (1 << np.arange(4))
    values, counts = np.unique(codes, return_counts=True)
    np.testing.assert_array_equal(values, [1, 3, 5, 7, 9, 11, 13])
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize(
    ("method", "mean", "single"),
    [("exact", 1 + (9 * 2**8 - 9) / 511, 1 / 511), ("legacy", 5.0, 10 / 1022)],
)
def test_set_sizes_follow_the_two_laws(method, mean, single):
    y = np.arange(40_000) % 10
    sizes = uniform_candidates(y, method=method, random_state=1).sum(1)
    assert sizes.mean() == pytest.approx(mean, abs=0.03)
    assert (sizes == 1).mean() == pytest.approx(single, abs=0.002)
    assert sizes.max() == 9


def test_uniform_sets_exist_for_two_and_for_many_classes():
    two = uniform_candidates([0, 1, 1], random_state=0)
    np.testing.assert_array_equal(two.sum(1), [1, 1, 1])
    many = uniform_candidates(np.arange(200), 300, random_state=0)
    assert many.sum(1).mean() == pytest.approx(150, abs=5)


def test_flipping_has_the_asked_for_probabilities():
    matrix = np.array(
        [[1, 0.2, 0, 0.6], [0.1, 0.9, 0.3, 0], [0, 0, 1, 0.5], [0.5, 0.5, 0.5, 1]]
    )
    found = candidate_statistics(flip_candidates(Y, matrix=matrix, random_state=2), Y)
    # Sets that the noise emptied get one wrong label, so row 1 lies a little higher.
    np.testing.assert_allclose(found.flipping, matrix, atol=0.035)
    constant = candidate_statistics(flip_candidates(Y, rate=0.3, random_state=2), Y)
    assert constant.noise_rate == 0
    assert constant.mean_size == pytest.approx(1 + 3 * 0.3, abs=0.02)


def test_pairwise_flipping_adds_the_next_class_only():
    found = flip_candidates(Y, rate=0.5, pairwise=True, random_state=0)
    flipping = candidate_statistics(found, Y).flipping
    allowed = np.eye(4) + np.roll(np.eye(4), 1, axis=1)
    assert (flipping[allowed == 0] == 0).all()
    assert flipping[3, 0] == pytest.approx(0.5, abs=0.02)


def test_a_false_label_can_be_guaranteed():
    found = flip_candidates(Y, rate=0.0, at_least_one_false=True, random_state=0)
    np.testing.assert_array_equal(np.unique(found.sum(1)), [2])
    assert found[np.arange(len(Y)), Y].all()


def test_instance_dependent_labels_follow_the_classifier():
    proba = np.tile([0.5, 0.3, 0.15, 0.05], (20_000, 1))
    y = np.zeros(20_000, dtype=int)
    plain = instance_candidates(y, proba, normalise=False, random_state=0).mean(0)
    np.testing.assert_allclose(plain, [1, 1, 0.5, 1 / 6], atol=0.02)
    r = np.array([0, 1, 0.5, 1 / 6])
    wanted = np.minimum(1, 0.4 * r / r.mean())
    scaled = instance_candidates(y, proba, random_state=0).mean(0)
    np.testing.assert_allclose(scaled[1:], wanted[1:], atol=0.02)
    certain = instance_candidates([0, 1], np.eye(2), random_state=0)
    np.testing.assert_array_equal(certain, np.eye(2, dtype=bool))


def test_complementary_sets_miss_as_many_wrong_labels_as_asked_for():
    found = complementary_candidates(Y, count=2, random_state=0)
    np.testing.assert_array_equal(np.unique(found.sum(1)), [2])
    assert found[np.arange(len(Y)), Y].all()
    share = (~found).mean(0)
    np.testing.assert_allclose(share, 0.5, atol=0.02)


def test_noise_takes_the_true_label_away_and_leaves_no_set_empty():
    clean = flip_candidates(Y, rate=0.2, random_state=0)
    found = noisy_candidates(clean, Y, rate=0.4, random_state=0)
    assert candidate_statistics(found, Y).noise_rate == pytest.approx(0.4, abs=0.02)
    assert found.any(1).all()
    assert clean[np.arange(len(Y)), Y].all()


@pytest.mark.parametrize("seed", [3, np.random.RandomState(3), None])
def test_any_random_state_will_do(seed):
    assert uniform_candidates([0, 1, 2], random_state=seed).shape == (3, 3)


def test_the_same_seed_gives_the_same_sets():
    draws = [flip_candidates(Y, rate=0.5, random_state=9) for _ in range(2)]
    np.testing.assert_array_equal(*draws)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flip_candidates([0, 1], rate=1.0), "rate is 1.0"),
        (lambda: flip_candidates([0, 1], rate=-0.1), "rate is -0.1"),
        (lambda: flip_candidates([0, 1]), "either rate or matrix"),
        (lambda: flip_candidates([0, 1], matrix=[[1, 1], [0, 1]]), "row 0, column 1"),
        (lambda: flip_candidates([0, 1], matrix=[[1, 0.5]]), "shape"),
        (lambda: noisy_candidates([[1, 0]], [0], rate=1), "rate is 1"),
        (lambda: uniform_candidates([0, 5], 3), "class 5"),
        (lambda: uniform_candidates([-1, 1]), "class -1"),
        (lambda: uniform_candidates(["a", "b"]), "whole numbers"),
        (lambda: uniform_candidates([0, 0]), "at least two"),
        (lambda: uniform_candidates([]), "one class per item"),
        (lambda: complementary_candidates([0, 1], count=2), "count is 2"),
        (lambda: instance_candidates([0], [[np.nan, 1]]), "finite"),
        (lambda: instance_candidates([0], [[0.5, 0.5]], rate=0), "rate is 0"),
    ],
)
def test_bad_settings_are_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_an_unknown_method_gets_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'exact'"):
        uniform_candidates([0, 1], method="exat")
