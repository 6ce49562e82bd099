from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from caveat.exceptions import CaveatError
from caveat.statistics import best_set, best_set_from_summary, pool_summary

few = settings(max_examples=20, deadline=None)
SPEC = Path(__file__).parents[2].parent / "shared" / "spec"
REFERENCE = SPEC / "label-proportions-reference.csv"
GROUPS = st.dictionaries(
    st.sampled_from("abcdef"),
    st.lists(st.integers(0, 20).map(float), min_size=2, max_size=8, unique=True),
    min_size=1,
)


def best_set_by_the_book(groups, alpha):
    """The walk of the paper, one scipy test at a time."""
    order = sorted(groups, key=lambda name: -np.mean(groups[name]))
    members = order[:1]
    for name in order[1:]:
        test = stats.ttest_ind(groups[order[0]], groups[name], equal_var=False)
        if test.pvalue <= alpha:
            return members, np.mean(groups[members[-1]]) - np.mean(groups[name])
        members.append(name)
    return members, np.nan


@few
@given(GROUPS, st.sampled_from([0.05, 0.3]))
def test_it_is_the_walk_of_the_paper(groups, alpha):
    members, gap = best_set_by_the_book(groups, alpha)
    found = best_set(groups, alpha=alpha)
    assert list(found.members) == members
    np.testing.assert_allclose(found.gap, gap, atol=1e-12)


@few
@given(GROUPS)
def test_the_summary_gives_the_same_set(groups):
    found = best_set(groups)
    for ddof in (0, 1):
        summary = best_set_from_summary(
            {name: np.mean(values) for name, values in groups.items()},
            {name: np.std(values, ddof=ddof) for name, values in groups.items()},
            {name: len(values) for name, values in groups.items()},
            ddof=ddof,
        )
        assert summary.members == found.members
        np.testing.assert_allclose(summary.p_values, found.p_values)


@few
@given(GROUPS)
def test_smaller_is_better_mirrors_larger_is_better(groups):
    mirrored = {name: -np.array(values) for name, values in groups.items()}
    up, down = best_set(groups), best_set(mirrored, direction="min")
    assert up.members == down.members
    np.testing.assert_allclose(up.gap, down.gap)


@few
@given(GROUPS)
def test_a_correction_never_makes_the_set_smaller(groups):
    plain, corrected = best_set(groups), best_set(groups, correction="holm")
    assert corrected.members[: len(plain.members)] == plain.members


def test_it_stops_at_the_first_exclusion_even_if_a_later_group_is_no_worse_known():
    groups = {
        "best": [10.0, 10.1, 9.9, 10.0],
        "steady": [9.0, 9.1, 8.9, 9.0],
        "wild": [2.0, 15.0, 9.0, 8.0],
    }
    found = best_set(groups)
    assert found.order == ("best", "steady", "wild")
    assert found.members == ("best",)
    assert found.p_values[2] > 0.05
    assert found.gap == pytest.approx(1.0)


def test_pairing_tells_apart_what_welch_cannot():
    splits = np.array([0.1, 0.5, 0.9, 0.3, 0.7])
    nudge = np.array([0.010, 0.012, 0.011, 0.009, 0.010])
    frame = pd.DataFrame({"plain": splits, "nudged": splits + nudge})
    assert best_set(frame).members == ("nudged", "plain")
    found = best_set(frame, paired=True)
    assert found.members == ("nudged",)
    assert found.p_values[1] == pytest.approx(
        stats.ttest_rel(frame["nudged"], frame["plain"]).pvalue
    )


def test_paired_values_with_gaps_use_whole_pairs():
    frame = pd.DataFrame({"a": [2.0, 3.0, 4.5, 9.0], "b": [1.0, 2.0, 3.0, np.nan]})
    found = best_set(frame, paired=True)
    assert found.p_values[1] == pytest.approx(
        stats.ttest_rel(frame["a"][:3], frame["b"][:3]).pvalue
    )
    assert found.missing == {"a": 0, "b": 1}


def test_one_group_is_the_best():
    found = best_set({"only": [0.5, 0.6]})
    assert (found.members, np.isnan(found.gap)) == (("only",), True)


def test_no_group_has_no_best():
    assert best_set({}).members == ()
    assert best_set({"failed": [np.nan]}).unranked == ("failed",)


def test_missing_values_are_left_out_and_counted():
    found = best_set({"a": [1.0, np.nan, 1.2], "b": [0.1, 0.2, 0.15], "c": [None]})
    assert (found.members, found.unranked) == (("a",), ("c",))
    assert found.missing == {"a": 1, "b": 0, "c": 1}


def test_a_single_value_excludes_nobody_and_is_not_excluded():
    found = best_set({"a": [0.9, 0.91], "b": [0.1]})
    assert (found.members, found.untested) == (("a", "b"), ("b",))
    lead = best_set({"a": [0.9], "b": [0.1, 0.11], "c": [0.2, 0.21]})
    assert lead.members == ("a", "c", "b")
    assert lead.untested == ("c", "b")


def test_two_values_are_tested():
    found = best_set({"a": [0.90, 0.901], "b": [0.1, 0.101]})
    assert (found.members, found.untested) == (("a",), ())


@pytest.mark.parametrize("paired", [False, True])
def test_constant_groups_are_told_apart_unless_they_are_the_same(paired):
    groups = {"a": [0.5] * 4, "b": [0.5] * 4, "c": [0.25] * 4}
    found = best_set(groups, paired=paired)
    assert found.members == ("a", "b")
    np.testing.assert_array_equal(found.p_values, [np.nan, 1.0, 0.0])


def test_constant_groups_that_differ_by_rounding_are_the_same():
    assert best_set({"a": [0.1 + 0.2] * 9, "b": [0.3] * 9}).members == ("a", "b")


def test_a_constant_group_against_a_varying_one_is_tested():
    found = best_set({"a": [0.9] * 5, "b": [0.5, 0.6, 0.55, 0.52, 0.58]})
    assert found.members == ("a",)


def test_equal_means_keep_the_given_order():
    assert best_set({"z": [1, 3], "a": [0, 4]}).order == ("z", "a")


def test_holm_adjusts_for_all_comparisons_with_the_first():
    rng = np.random.default_rng(0)
    groups = {i: rng.normal(-0.3 * i, 1, 30) for i in range(5)}
    plain = best_set(groups)
    # Equal sizes and similar spread: the smallest p-value counts four times.
    adjusted = best_set(groups, correction="holm").p_values[1:]
    assert min(adjusted) == pytest.approx(4 * min(plain.p_values[1:]))


def test_pooling_summaries_equals_pooling_values():
    rng = np.random.default_rng(1)
    parts = [rng.normal(i, 1 + i, 5 + i) for i in range(4)]
    whole = np.concatenate(parts)
    for ddof in (0, 1):
        mean, sd, n = pool_summary(
            [p.mean() for p in parts],
            [p.std(ddof=ddof) for p in parts],
            [len(p) for p in parts],
            ddof=ddof,
        )
        assert (mean, n) == (pytest.approx(whole.mean()), len(whole))
        assert sd == pytest.approx(whole.std(ddof=ddof))


@pytest.mark.parametrize(
    "call",
    [
        lambda: best_set([1, 2]),
        lambda: best_set({"a": ["x"]}),
        lambda: best_set({"a": [1, np.inf]}),
        lambda: best_set({"a": [1, 2]}, alpha=5),
        lambda: best_set({"a": [1, 2]}, direction="high"),
        lambda: best_set({"a": [1, 2]}, correction="bonferoni"),
        lambda: best_set({"a": [1, 2], "b": [1]}, paired=True),
        lambda: best_set(
            {"a": pd.Series([1, 2], [0, 1]), "b": pd.Series([1, 2], [1, 2])},
            paired=True,
        ),
        lambda: best_set(pd.DataFrame([[1, 2]], columns=["a", "a"])),
        lambda: best_set_from_summary([1, 2], [1], 3),
        lambda: best_set_from_summary({"a": 1}, {"b": 1}, 3),
        lambda: best_set_from_summary([1, 2], [1, -1], 3),
        lambda: best_set_from_summary([1, 2], [1, 1], 3, names=["a", "a"]),
        lambda: best_set_from_summary([1, 2], [1, 1], 3, ddof=2),
        lambda: best_set_from_summary([1, 2], [1, 1], [3, None]),
        lambda: pool_summary([1], [1], [3], ddof=2),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(CaveatError, match=r"; |did you mean|there are"):
        call()


def test_summaries_of_one_and_of_no_value():
    found = best_set_from_summary([1.0, 0.5, 9.0], [0.0, 0.1, 0.1], [1, 30, 0], ddof=0)
    assert (found.members, found.untested, found.unranked) == ((0, 1), (1,), (2,))
    assert np.isnan(pool_summary([1.0], [0.0], [1])[1])
    assert np.isnan(pool_summary([], [], [])[0])


# Section 9 of the reference: data set, best learners, gap, best strategies.
ALL = "FB-KF SB-BS SB-KF SB-SH"
EXPECTED = [
    ("hard-small-equal-close-global", "MM", 0.1166, "FB-KF SB-KF"),
    ("hard-small-equal-far-global", "AMM", 0.0611, ALL),
    ("hard-small-equal-mixed", "AMM LMM", 0.0623, "SB-BS SB-KF"),
    ("hard-small-not-equal-close-global", "MM", 0.0465, ALL),
    ("hard-small-not-equal-far-global", "AMM", 0.0995, ALL),
    ("hard-small-not-equal-mixed", "AMM", 0.0500, "FB-KF"),
    ("intermediate-small-equal-close-global", "AMM", 0.2211, "SB-KF"),
    ("intermediate-small-equal-far-global", "MM", 0.0780, "SB-BS SB-KF SB-SH"),
    ("intermediate-small-equal-mixed", "MM", 0.0594, "SB-KF SB-SH"),
    ("intermediate-small-not-equal-close-global", "AMM", 0.1795, "SB-KF SB-SH"),
    ("intermediate-small-not-equal-far-global", "AMM MM", 0.0376, "SB-SH"),
    ("intermediate-small-not-equal-mixed", "MM", 0.0745, "SB-BS SB-KF"),
    ("naive-small-equal", "AMM", 0.0848, ALL),
    ("naive-small-not-equal", "AMM", 0.0928, ALL),
    ("simple-small-equal-close-global", "AMM", 0.0113, "FB-KF SB-KF SB-SH"),
    ("simple-small-equal-far-global", "LMM MM", 0.0339, "SB-BS SB-KF SB-SH"),
    ("simple-small-equal-mixed", "LMM MM", 0.0060, "SB-KF SB-SH"),
    ("simple-small-not-equal-close-global", "AMM LMM MM", 0.3344, ALL),
    ("simple-small-not-equal-far-global", "MM", 0.0206, "SB-KF SB-SH"),
    ("simple-small-not-equal-mixed", "LMM MM", 0.0212, ALL),
]
STRATEGIES = {
    "full-bag-k-fold": "FB-KF",
    "split-bag-bootstrap": "SB-BS",
    "split-bag-k-fold": "SB-KF",
    "split-bag-shuffle": "SB-SH",
}


@pytest.fixture(scope="module")
def published():
    if not REFERENCE.exists():
        pytest.skip("the table of published means is not beside the checkout")
    table = pd.read_csv(REFERENCE)
    table["sd"] = table["half_width_95"] * np.sqrt(table["n"]) / 1.96
    table["strategy"] = table["selection_strategy"].map(STRATEGIES)
    table["dataset"] = (
        table["dataset"]
        .str.removeprefix("adult-")
        .str.replace(r"(-None)?-cluster.*", "", regex=True)
    )
    return table


@pytest.mark.parametrize(
    ("dataset", "learners", "gap", "_"), EXPECTED, ids=lambda value: str(value)
)
def test_the_best_learners_are_the_published_ones(published, dataset, learners, gap, _):
    part = published[published["dataset"] == dataset]
    pooled = {
        learner: pool_summary(rows["mean_f1"], rows["sd"], rows["n"], ddof=0)
        for learner, rows in part.groupby("algorithm")
    }
    means, sds, ns = zip(*pooled.values(), strict=True)
    found = best_set_from_summary(means, sds, ns, names=list(pooled), ddof=0)
    assert sorted(found.members) == learners.split()
    assert found.gap == pytest.approx(gap, abs=6e-5)


@pytest.mark.parametrize(
    ("dataset", "_learners", "_gap", "strategies"),
    EXPECTED,
    ids=lambda value: str(value),
)
def test_the_best_strategies_are_the_published_ones(
    published, dataset, _learners, _gap, strategies
):
    part = published[published["dataset"] == dataset]
    votes = pd.Series(0, index=sorted(STRATEGIES.values()))
    for _, rows in part.groupby("algorithm"):
        found = best_set_from_summary(
            rows["mean_f1"], rows["sd"], rows["n"], names=rows["strategy"], ddof=0
        )
        votes[list(found.members)] += 1
    assert list(votes.index[votes == votes.max()]) == strategies.split()
