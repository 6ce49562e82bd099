from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import InvalidInput
from caveat.shift.scenarios._subsets import Subsets, counts_of, mask_of, unrank


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
@settings(max_examples=40, deadline=None)
def test_unranking_lists_all_subsets_in_lexicographic_order(case):
    n, k = case
    expected = [mask_of(places, n) for places in combinations(range(n), k)]
    found = unrank(range(comb(n, k)), n, k)
    np.testing.assert_array_equal(found, np.array(expected).reshape(-1, n))


def test_the_last_rank_of_a_large_set_is_its_last_columns():
    last = unrank([comb(60, 30) - 1], 60, 30)[0]
    np.testing.assert_array_equal(last, np.arange(60) >= 30)


@pytest.mark.parametrize(
    ("n", "k", "most"), [(8, 3, 20), (20, 10, 150), (500, 250, 90)]
)
def test_drawn_subsets_are_distinct_and_of_the_right_size(n, k, most):
    masks = Subsets(n, k, most=most, seed=1).take(0, most)
    assert masks.shape == (most, n)
    assert set(masks.sum(axis=1)) == {k}
    assert len({mask.tobytes() for mask in masks}) == most


def test_all_subsets_are_taken_in_order_if_there_are_no_more_than_asked_for():
    subsets = Subsets(6, 2, most=15, seed=3)
    np.testing.assert_array_equal(subsets.take(0, 99), unrank(range(15), 6, 2))


def test_shuffled_enumeration_holds_the_same_subsets():
    plain = Subsets(6, 3, most=50, seed=3).take(0, 50)
    shuffled = Subsets(6, 3, most=50, seed=3, shuffled=True).take(0, 50)
    assert not np.array_equal(plain, shuffled)
    assert {m.tobytes() for m in plain} == {m.tobytes() for m in shuffled}


@pytest.mark.parametrize(("n", "k"), [(20, 10), (200, 100)])
def test_a_smaller_cap_takes_the_first_of_the_same_draws(n, k):
    few = Subsets(n, k, most=30, seed=7)
    pieces = np.concatenate([few.take(0, 5), few.take(5, 30)])
    np.testing.assert_array_equal(pieces, Subsets(n, k, most=99, seed=7).take(0, 30))


def test_another_seed_draws_other_subsets_and_another_degree_too():
    draws = {
        Subsets(20, k, most=50, seed=seed).take(0, 50).tobytes()
        for seed in (0, 1)
        for k in (9, 10)
    }
    assert len(draws) == 4


def test_every_subset_is_drawn_equally_often():
    counts = np.zeros(comb(7, 3))
    table = {m.tobytes(): i for i, m in enumerate(unrank(range(35), 7, 3))}
    for seed in range(500):
        for mask in Subsets(7, 3, most=5, seed=seed).take(0, 5):
            counts[table[mask.tobytes()]] += 1
    # 2,500 draws in 35 cells: chi-squared with 34 degrees of freedom.
    expected = counts.sum() / 35
    assert ((counts - expected) ** 2 / expected).sum() < 65.2  # p = 0.001


@pytest.mark.parametrize(
    ("degrees", "n", "expected"),
    [
        (None, 3, [1, 2, 3]),
        ("all", 2, [1, 2]),
        (0.0, 11, []),
        (0.3, 10, [3]),
        (0.7, 10, [7]),
        (1.0, 11, [11]),
        (1, 11, [1]),
        ([0.2, 0.2, 5], 10, [2, 5]),
        (np.array([0.5]), 11, [5]),
    ],
)
def test_degrees_become_numbers_of_columns(degrees, n, expected):
    assert counts_of(degrees, n) == expected


@pytest.mark.parametrize(
    "degrees", [-1, 12, 1.5, -0.1, True, "half", [None], float("nan")]
)
def test_degrees_that_are_none_are_refused(degrees):
    with pytest.raises(InvalidInput, match="degrees"):
        counts_of(degrees, 11)
