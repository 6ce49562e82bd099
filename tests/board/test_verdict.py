"""Who can be told from the first: the tests, against their sources."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from caveat.board._verdict import beside, decide
from caveat.statistics import holm

LEARNERS = ("a", "b", "c")


def table(means, *, datasets=1, repeats=10, noise=0.01, seed=0):
    """Draw scores in which all learners share the ups and downs of a split."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [[f"data-{n}" for n in range(datasets)], range(repeats)],
        names=["dataset", "repeat"],
    )
    shared = rng.normal(0, 0.03, len(index))
    return pd.DataFrame(
        {
            name: mean + shared + rng.normal(0, noise, len(index))
            for name, mean in means.items()
        },
        index=index,
    )


def verdict(frame, sign=1.0, **options):
    means = sign * frame.mean()
    order = tuple(sorted(frame.columns, key=lambda one: -means[one]))
    settings = {"unit": "AUC", "span": (0.0, 1.0), "test_share": 0.25, **options}
    return decide(frame, order, sign=sign, **settings)


def test_one_data_set_is_judged_by_the_corrected_resampled_t_test():
    frame = table({"a": 0.9, "b": 0.85, "c": 0.7})
    found = verdict(frame)
    p_values = []
    for other in ("b", "c"):
        gap = frame["a"] - frame[other]
        se = gap.std(ddof=1) * np.sqrt(1 / 10 + 0.25 / 0.75)
        p_values.append(2 * stats.t.sf(abs(gap.mean() / se), 9))
    np.testing.assert_allclose([found.p_values[k] for k in "bc"], holm(p_values))
    assert found.kind == "splits"
    assert found.leaders == ("a",)
    assert "corrected resampled t-test" in found.sentence


def test_differences_are_paired_so_shared_ups_and_downs_do_not_count():
    frame = table({"a": 0.82, "b": 0.78}, noise=0.002)
    assert verdict(frame).leaders == ("a",)
    loose = frame.assign(b=frame["b"].to_numpy()[::-1])
    assert set(verdict(loose).leaders) == {"a", "b"}


@pytest.mark.parametrize("seed", range(5))
def test_equals_are_a_tie(seed):
    frame = table(dict.fromkeys(LEARNERS, 0.8), seed=seed)
    assert set(verdict(frame).leaders) == set(LEARNERS)


def test_a_difference_stays_inside_what_differences_can_be():
    frame = table({"a": 0.99, "b": 0.01}, noise=0.2)
    found = verdict(frame.clip(0, 1)).differences["b"]
    assert -1 <= found.low <= found.high <= 1


def test_few_data_sets_are_compared_each_by_itself():
    frame = table({"a": 0.9, "b": 0.7}, datasets=3)
    found = verdict(frame)
    assert found.kind == "each"
    assert found.sets == dict.fromkeys(["data-0", "data-1", "data-2"], ("a",))
    assert "too few" in found.sentence
    turned = frame.copy()
    turned.loc["data-0"] = turned.loc["data-0"][["b", "a"]].to_numpy()
    assert verdict(turned).leaders == ()


def test_many_data_sets_are_judged_by_friedman_and_wilcoxon():
    frame = table({"a": 0.9, "b": 0.89, "c": 0.5}, datasets=12, repeats=3, noise=0.05)
    found = verdict(frame)
    means = frame.groupby(level=0, sort=False).mean()
    raw = [stats.wilcoxon(means["a"] - means[k]).pvalue for k in found.p_values]
    np.testing.assert_allclose(list(found.p_values.values()), holm(raw), rtol=1e-6)
    assert found.kind == "data sets"
    assert "c" not in found.leaders


def test_smaller_is_better_for_a_loss():
    frame = table({"a": 0.1, "b": 0.4})
    assert verdict(frame, sign=-1.0).leaders == ("a",)


def test_one_split_compares_nobody():
    found = verdict(table({"a": 0.9, "b": 0.1}, repeats=1))
    assert found.kind == "none"
    assert "no test" in found.sentence


def test_splits_that_nobody_shares_yet_are_not_counted():
    frame = table({"a": 0.9, "b": 0.8}, repeats=6)
    frame.loc[("data-0", [3, 4, 5]), "b"] = np.nan
    assert ", 3 splits" in verdict(frame).sentence
    frame.loc[("data-0", [1, 2]), "b"] = np.nan
    assert verdict(frame).kind == "none"


def test_who_lacks_a_data_set_is_compared_with_nobody():
    frame = table({"a": 0.9, "b": 0.8, "c": 0.99}, datasets=2)
    frame.loc["data-1", "c"] = np.nan
    found = verdict(frame)
    assert found.unranked == ("c",)
    assert "c" not in found.leaders


def test_equal_differences_are_decided_without_spread():
    frame = table({"a": 0.8})
    found = verdict(frame.assign(b=frame["a"] - 0.1, c=frame["a"]))
    assert set(found.leaders) == {"a", "c"}


def test_few_equal_differences_tell_nobody_apart():
    frame = table({"a": 0.8}, repeats=3)
    found = verdict(frame.assign(b=frame["a"] - 0.1))
    assert set(found.leaders) == {"a", "b"}


HELD = {"sign": 1.0, "unit": "AUC", "span": (0.0, 1.0), "test_share": 0.25}


def held_by_t(gap, spread):
    """Ends of a t interval on the scale of logits."""
    se = gap.std(ddof=1) * np.sqrt(spread)
    half = stats.t.ppf(0.975, len(gap) - 1) * se
    x = (gap.mean() + 1) / 2
    reach = half / 2 / (x * (1 - x)) * np.array([-1, 1])
    return 2 / (1 + np.exp(-np.log(x / (1 - x)) - reach)) - 1


def test_a_floor_is_held_against_on_the_same_splits():
    """Ups and downs that learner and floor share do not hide their difference."""
    frame = table({"a": 0.83, "b": 0.80, "floor": 0.80}, noise=0.004)
    found = beside(frame[["a", "b"]], frame["floor"], **HELD)
    for name in ("a", "b"):
        gap = frame[name] - frame["floor"]
        ends = held_by_t(gap, 1 / 10 + 0.25 / 0.75)
        np.testing.assert_allclose([found[name].low, found[name].high], ends)
        assert found[name].value == pytest.approx(gap.mean())
    assert found["a"].low > 0 > found["b"].low
    loose = pd.Series(frame["floor"].to_numpy()[::-1], frame.index)
    assert beside(frame[["a"]], loose, **HELD)["a"].low < 0


def test_many_data_sets_are_held_against_their_floors_data_set_by_data_set():
    frame = table({"a": 0.83, "floor": 0.80}, datasets=8, repeats=2)
    found = beside(frame[["a"]], frame["floor"], **HELD)["a"]
    means = frame.groupby(level=0).mean()
    ends = held_by_t(means["a"] - means["floor"], 1 / 8)
    np.testing.assert_allclose([found.low, found.high], ends)
    assert found.n == 8


def test_one_split_leaves_a_floor_open():
    frame = table({"a": 0.9, "floor": 0.5}, repeats=1)
    assert not beside(frame[["a"]], frame["floor"], **HELD)["a"].has_interval
