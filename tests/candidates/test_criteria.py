import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.candidates import (
    approximated_accuracy,
    covering_rate,
    debiased_covering_rate,
    flip_candidates,
    oracle_accuracy,
    uniform_candidates,
    uniform_chance,
)
from caveat.candidates._plench import plench_approximated_accuracy
from caveat.exceptions import InvalidInput


def naive(proba, candidates):
    total = 0.0
    for row, members in zip(proba, candidates, strict=True):
        k = int(np.argmax(row))
        total += row[k] / row[members].sum() if members[k] else 0.0
    return total / len(proba)


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, q = rng.integers(1, 8), rng.integers(2, 6)
    proba = rng.dirichlet(np.ones(q), size=n)
    candidates = rng.random((n, q)) < 0.5
    candidates[np.arange(n), rng.integers(0, q, n)] = True
    return proba, candidates


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_criteria_equal_their_definitions(seed):
    proba, candidates = random_case(seed)
    rows = np.arange(len(proba))
    covered = candidates[rows, proba.argmax(1)].mean()
    assert covering_rate(proba, candidates) == pytest.approx(covered)
    value = naive(proba, candidates)
    assert approximated_accuracy(proba, candidates) == pytest.approx(value)
    logits = np.log(proba) + 7.0
    assert approximated_accuracy(logits, candidates, log=True) == pytest.approx(value)
    legacy = plench_approximated_accuracy(logits, candidates)
    # The published form also counts 1 - (sum of all candidates) = 0 for a miss.
    assert legacy == pytest.approx(value, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_larger_candidate_set_never_lowers_the_covering_rate(seed):
    proba, candidates = random_case(seed)
    larger = candidates | (np.random.default_rng(seed + 1).random(proba.shape) < 0.3)
    assert covering_rate(proba, larger) >= covering_rate(proba, candidates)
    assert approximated_accuracy(proba, candidates) <= covering_rate(proba, candidates)


def test_a_hopeless_constant_model_scores_zero_where_published_code_gives_one():
    y = np.arange(1000) % 10
    candidates = np.eye(10, dtype=bool)[y] | np.eye(10, dtype=bool)[(y + 1) % 10]
    candidates[:, 9] = False
    candidates[np.flatnonzero(~candidates.any(1)), 0] = True
    logits = np.zeros((1000, 10))
    logits[:, 9] = 200.0
    assert approximated_accuracy(logits, candidates, log=True) == 0.0
    assert plench_approximated_accuracy(logits, candidates) == 1.0
    assert covering_rate(logits, candidates) == 0.0


@pytest.mark.parametrize(
    ("make", "chance"),
    [
        (lambda y: uniform_candidates(y, 5, random_state=0), uniform_chance(5)),
        (lambda y: flip_candidates(y, 5, rate=0.3, random_state=0), 0.3),
    ],
)
def test_the_debiased_covering_rate_estimates_the_accuracy(make, chance):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 60_000)
    guess = np.where(rng.random(len(y)) < 0.6, y, rng.integers(0, 5, len(y)))
    proba = np.eye(5)[guess]
    found = debiased_covering_rate(proba, make(y), chance=chance)
    assert found == pytest.approx(oracle_accuracy(proba, y), abs=0.01)


def test_the_chance_of_uniform_sets_is_that_of_counting():
    for q in range(2, 12):
        wanted = (2 ** (q - 2) - 1) / (2 ** (q - 1) - 1)
        assert uniform_chance(q) == pytest.approx(wanted)
    assert uniform_chance(5000) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: oracle_accuracy([[1, 0]], None), "needs y_true.*covering_rate"),
        (lambda: oracle_accuracy([[1, 0]], [0, 1]), "expected 1 whole numbers"),
        (lambda: covering_rate([[1, 0]], [[1, 1, 0]]), "both must be"),
        (lambda: covering_rate([[np.nan, 0]], [[1, 1]]), "row 0 is not finite"),
        (lambda: approximated_accuracy([[-1, 0]], [[1, 1]]), "log=True"),
        (lambda: covering_rate([], []), "shape"),
        (
            lambda: debiased_covering_rate([[1, 0]], [[1, 1]], chance=1.0),
            "chance is 1.0",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_certain_predictions_with_zeros_are_no_trouble():
    proba = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert approximated_accuracy(proba, [[1, 1, 0], [1, 1, 0]]) == 0.5
