from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import CaveatError
from caveat.statistics import cliques_by_difference, cliques_by_tests

few = settings(max_examples=25, deadline=None)
NAMES = "abcdefg"


def maximal_by_brute_force(names, near):
    """All subsets in which every two are near, less those inside another."""
    subsets = [
        set(subset)
        for size in range(2, len(names) + 1)
        for subset in combinations(names, size)
        if all(near(x, y) for x, y in combinations(subset, 2))
    ]
    return {frozenset(s) for s in subsets if not any(s < other for other in subsets)}


def all_pairs(p_values, k):
    pairs = list(combinations(NAMES[:k], 2))
    a, b = zip(*pairs, strict=True)
    return pd.DataFrame({"a": a, "b": b, "p_holm": p_values[: len(pairs)]})


RANKS = st.lists(st.integers(2, 14).map(lambda x: x / 2), min_size=1, max_size=7)
TESTS = st.builds(
    all_pairs,
    st.lists(st.sampled_from([0.01, 0.5, np.nan]), min_size=21, max_size=21),
    st.integers(2, 7),
)


@few
@given(RANKS, st.sampled_from([0.0, 0.5, 1.0, 2.25, 9.0]))
def test_groups_by_difference_equal_brute_force(ranks, difference):
    ranks = dict(zip(NAMES, ranks, strict=False))
    found = cliques_by_difference(ranks, difference)
    expected = maximal_by_brute_force(
        ranks, lambda x, y: abs(ranks[x] - ranks[y]) < difference
    )
    assert {frozenset(group) for group in found} == expected
    assert len(found) == len(expected)


@few
@given(TESTS)
def test_groups_by_tests_equal_brute_force(tests):
    apart = {
        frozenset((a, b)) for a, b, p in tests.itertuples(index=False) if p <= 0.05
    }
    found = cliques_by_tests(tests)
    expected = maximal_by_brute_force(
        sorted({*tests["a"], *tests["b"]}), lambda x, y: frozenset((x, y)) not in apart
    )
    assert {frozenset(group) for group in found} == expected
    assert len(found) == len(expected)


@few
@given(TESTS)
def test_contiguous_groups_are_the_maximal_runs(tests):
    names = sorted({*tests["a"], *tests["b"]})
    apart = {
        frozenset((a, b)) for a, b, p in tests.itertuples(index=False) if p <= 0.05
    }
    runs = [
        names[i:j]
        for i, j in combinations(range(len(names) + 1), 2)
        if j - i > 1
        and all(frozenset(pair) not in apart for pair in combinations(names[i:j], 2))
    ]
    expected = {
        tuple(run) for run in runs if not any(set(run) < set(other) for other in runs)
    }
    assert set(cliques_by_tests(tests, order=names, contiguous=True)) == expected


def test_the_published_example_has_two_bars():
    ranks = pd.Series({"C4.5": 3.143, "+m": 2.000, "+cf": 2.893, "both": 1.964})
    # Demsar (2006), figure 1, at 0.10: C4.5 differs from +m and from both.
    assert cliques_by_difference(ranks, 1.12) == (
        ("both", "+m", "+cf"),
        ("+cf", "C4.5"),
    )


def test_groups_are_in_the_given_order_and_may_skip_a_learner():
    tests = pd.DataFrame(
        {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "p_holm": [0.01, 0.6, 0.01]}
    )
    assert cliques_by_tests(tests, order=["z", "y", "x"]) == (("z", "x"),)
    assert cliques_by_tests(tests, order=["z", "y", "x"], contiguous=True) == ()


def test_a_difference_as_large_as_the_critical_one_counts():
    assert cliques_by_difference({"a": 1.0, "b": 2.0}, 1.0) == ()


def test_one_learner_or_none_has_no_group():
    empty = pd.DataFrame({"a": [], "b": [], "p_holm": []})
    assert cliques_by_difference({"a": 1.0}, 1.0) == ()
    assert cliques_by_difference({}, 1.0) == ()
    assert cliques_by_tests(empty) == ()
    assert cliques_by_tests(empty, order=["only"]) == ()


def test_many_learners_that_nobody_tells_apart_are_one_group():
    names = [f"l{i}" for i in range(60)]
    tests = pd.DataFrame(combinations(names, 2), columns=["a", "b"]).assign(p=0.9)
    assert cliques_by_tests(tests, p="p") == (tuple(names),)


def test_more_groups_than_anybody_can_read_are_refused():
    # Thirty pairs that are each told apart and nothing else: 2^30 groups.
    tests = pd.DataFrame({"a": range(30), "b": range(30, 60), "p_holm": 0.01})
    with pytest.raises(CaveatError, match="60 learners form more than"):
        cliques_by_tests(tests)
    assert len(cliques_by_tests(tests, order=range(60), contiguous=True)) == 31


@pytest.mark.parametrize(
    "call",
    [
        lambda: cliques_by_difference({"a": np.nan}, 1.0),
        lambda: cliques_by_difference({"a": 1.0}, np.nan),
        lambda: cliques_by_tests(pd.DataFrame({"a": [], "b": []})),
        lambda: cliques_by_tests(all_pairs([0.1], 2), alpha=2),
        lambda: cliques_by_tests(all_pairs([0.1], 2), order=["a"]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(CaveatError, match=r"; |did you mean|there are"):
        call()
