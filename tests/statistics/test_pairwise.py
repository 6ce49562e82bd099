from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from caveat.exceptions import CaveatError
from caveat.statistics import holm, wilcoxon_holm, win_tie_loss
from caveat.statistics.comparisons import _signed_rank as module
from caveat.statistics.comparisons._signed_rank import signed_rank_test

few = settings(max_examples=30, deadline=None)
DIFFERENCES = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9)


def p_value_by_brute_force(differences):
    """Try all signs of the differences that are not 0."""
    ranks = stats.rankdata(np.abs(differences))
    signed = ranks[np.asarray(differences) != 0]
    observed = ranks[np.asarray(differences) > 0].sum()
    signs = np.array(list(product([0, 1], repeat=len(signed))))
    sums = signs @ signed
    tails = np.mean(sums <= observed + 1e-9), np.mean(sums >= observed - 1e-9)
    return min(1.0, 2 * min(tails))


@few
@given(DIFFERENCES)
def test_the_p_value_is_exact_with_ties_and_zeros(differences):
    found = signed_rank_test(np.array(differences))
    assert found.p_value == pytest.approx(p_value_by_brute_force(differences))
    assert found.exact


@few
@given(st.lists(st.integers(1, 99), min_size=3, max_size=25, unique=True), st.data())
def test_without_ties_it_equals_scipys_exact_test(sizes, data):
    signs = data.draw(
        st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes))
    )
    differences = np.array(sizes) * np.array(signs, dtype=float)
    expected = stats.wilcoxon(differences, method="exact")
    assert signed_rank_test(differences).p_value == pytest.approx(expected.pvalue)


def test_large_samples_use_the_normal_distribution_as_scipy_does(monkeypatch):
    rng = np.random.default_rng(0)
    differences = np.round(rng.normal(0.2, 1, 400), 1)
    found = signed_rank_test(differences)
    expected = stats.wilcoxon(
        differences, zero_method="pratt", method="asymptotic", correction=False
    )
    assert (found.p_value, found.exact) == (pytest.approx(expected.pvalue), False)
    monkeypatch.setattr(module, "MOST_EXACT", 1_000)
    exact = signed_rank_test(differences)
    assert exact.p_value == pytest.approx(found.p_value, rel=0.05)


TABLE = pd.DataFrame(
    {
        "a": [0.90, 0.80, 0.70, 0.95, 0.60, 0.85, 0.75],
        "b": [0.88, 0.79, 0.66, 0.90, 0.61, 0.80, 0.69],
        "c": [0.50, 0.45, 0.30, 0.55, 0.20, 0.48, 0.33],
    }
)


def test_all_pairs_are_tested_and_corrected_together():
    found = wilcoxon_holm(TABLE)
    assert found[["a", "b"]].to_numpy().tolist() == [
        ["a", "b"],
        ["a", "c"],
        ["b", "c"],
    ]
    np.testing.assert_allclose(found["p_holm"], holm(found["p"]))
    assert found["wins"].tolist() == [6, 7, 7]
    assert found.loc[1, "p"] == pytest.approx(2 / 2**7)
    assert found["exact"].all()


def test_smaller_is_better_swaps_wins_and_losses():
    up, down = wilcoxon_holm(TABLE), wilcoxon_holm(TABLE, direction="min")
    assert down["losses"].tolist() == up["wins"].tolist()
    np.testing.assert_allclose(down["median"], -up["median"])
    np.testing.assert_allclose(down["p"], up["p"])


def test_differences_that_only_rounding_tells_apart_are_tied():
    # As floats 0.9 - 0.8 < 0.8 - 0.7 < 0.3 - 0.2 < 0.5 - 0.4.
    table = pd.DataFrame({"a": [0.9, 0.8, 0.3, 0.4], "b": [0.8, 0.7, 0.2, 0.5]})
    found = wilcoxon_holm(table).iloc[0]
    assert found["statistic"] == 7.5
    same = wilcoxon_holm(pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3]})).iloc[0]
    assert (same["ties"], same["p"]) == (1, 1.0)


def test_decimals_decide_what_is_a_tie():
    table = pd.DataFrame({"a": [0.701, 0.84], "b": [0.704, 0.72]})
    assert wilcoxon_holm(table)["ties"].tolist() == [0]
    assert wilcoxon_holm(table, decimals=2)["ties"].tolist() == [1]


HOLES = TABLE.assign(a=[np.nan, *TABLE["a"][1:]], c=[*TABLE["c"][:6], np.nan])


def test_missing_cells_follow_the_policy_and_are_counted():
    with pytest.raises(CaveatError, match="'a' has no value in block '0'"):
        wilcoxon_holm(HOLES)
    pairwise = wilcoxon_holm(HOLES, missing="drop-pair")
    assert pairwise["n"].tolist() == [6, 5, 6]
    assert pairwise["missing"].tolist() == [1, 2, 1]
    blocks = wilcoxon_holm(HOLES, missing="drop-block")
    assert blocks["n"].tolist() == [5, 5, 5]
    assert blocks["missing"].tolist() == [2, 2, 2]


def test_pairs_without_a_common_block_have_no_test():
    table = pd.DataFrame({"a": [1, None], "b": [None, 1], "c": [2, 2]})
    found = wilcoxon_holm(table, missing="drop-pair")
    assert found["p"].isna().tolist() == [True, False, False]
    np.testing.assert_array_equal(found["p_holm"][1:], [1.0, 1.0])


def test_equal_learners_have_p_value_one_and_one_learner_has_no_pair():
    same = wilcoxon_holm(pd.DataFrame({"a": [0.5] * 8, "b": [0.5] * 8}))
    assert (same.loc[0, "p"], same.loc[0, "ties"]) == (1.0, 8)
    assert wilcoxon_holm(pd.DataFrame({"a": [1.0, 2.0]})).empty


@pytest.mark.parametrize(("n", "smallest"), [(1, 1.0), (2, 0.5), (5, 0.0625)])
def test_few_data_sets_cannot_be_significant(n, smallest):
    table = pd.DataFrame({"a": np.arange(n) + 1.0, "b": np.zeros(n)})
    assert wilcoxon_holm(table).loc[0, "p"] == smallest


@few
@given(
    arrays(float, st.tuples(st.integers(1, 6), st.integers(2, 4)),
           elements=st.sampled_from([0.0, 0.1, 0.2, np.nan])),
    st.sampled_from([0.0, 0.15]),
)  # fmt: skip
def test_wins_ties_losses_equal_a_plain_count(table, tolerance):
    for row in win_tie_loss(table, tolerance=tolerance).itertuples():
        d = table[:, row.a] - table[:, row.b]
        assert row.wins == sum(x > tolerance for x in d)
        assert row.losses == sum(x < -tolerance for x in d)
        assert row.missing == sum(x != x for x in d)
        assert row.wins + row.ties + row.losses + row.missing == len(table)


def test_a_tie_is_one_up_to_rounding_and_direction_turns_wins():
    table = pd.DataFrame({"a": [0.1 + 0.2, 1.0], "b": [0.3, 2.0]})
    up = win_tie_loss(table).iloc[0]
    down = win_tie_loss(table, direction="min").iloc[0]
    assert (up["wins"], up["ties"], up["losses"]) == (0, 1, 1)
    assert (down["wins"], down["ties"], down["losses"]) == (1, 1, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilcoxon_holm([[1, np.inf]]),
        lambda: wilcoxon_holm([[1, 2]], missing="worst"),
        lambda: wilcoxon_holm([[1, 2]], direction="x"),
        lambda: win_tie_loss([[1, 2]], tolerance=-1),
        lambda: win_tie_loss([[1, np.inf]]),
        lambda: win_tie_loss("x"),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(CaveatError, match=r"; |did you mean|there are"):
        call()
