import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from caveat.statistics import criterion_agreement
from caveat.statistics.selection import _agreement as module

PAIR = st.tuples(st.integers(0, 4).map(float), st.integers(0, 4).map(float))


def rows_of(groups):
    return pd.concat(
        [
            pd.DataFrame(pairs, columns=["criterion.x", "test.y"]).assign(
                group=f"g{i}", config=range(len(pairs))
            )
            for i, pairs in enumerate(groups)
        ]
    )


def agreement(rows, direction="max"):
    return criterion_agreement(rows, "criterion.x", "y", direction=direction)


@pytest.mark.thorough
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(PAIR, min_size=2, max_size=9), min_size=1, max_size=4),
    st.sampled_from([2, 1_000]),
)
def test_it_equals_scipy_group_by_group(groups, large):
    before = module._LARGE
    module._LARGE = large  # groups above it go to scipy
    try:
        found = agreement(rows_of(groups))
    finally:
        module._LARGE = before
    with np.errstate(invalid="ignore"):
        frames = [pd.DataFrame(pairs, dtype=float) for pairs in groups]
        spearman = [frame[0].rank().corr(frame[1].rank()) for frame in frames]
        kendall = [stats.kendalltau(frame[0], frame[1]).statistic for frame in frames]
    np.testing.assert_allclose(found["spearman"], spearman, atol=1e-12)
    np.testing.assert_allclose(found["kendall"], kendall, atol=1e-12)


def test_spearman_is_scipys():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30))
    found = agreement(rows_of([list(zip(x, y, strict=True))])).iloc[0]
    assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_it_is_positive_where_both_prefer_the_same_rows():
    rows = rows_of([[(0.1, 0.9), (0.2, 0.8), (0.3, 0.7)]])
    assert agreement(rows)["kendall"].tolist() == [-1.0]
    opposed = agreement(rows, {"criterion.x": "min", "test.y": "max"})
    assert opposed["kendall"].tolist() == [1.0]
    assert opposed["spearman"].tolist() == [1.0]


def test_rows_that_lack_a_value_do_not_count():
    rows = rows_of([[(0.1, 0.1), (None, 0.9), (0.2, None), (0.3, 0.4)]])
    found = agreement(rows).iloc[0]
    assert (found["n"], found["kendall"], found["reason"]) == (2, 1.0, "")


def test_constant_columns_and_single_rows_have_a_reason_instead():
    found = agreement(rows_of([[(0.5, 0.1), (0.5, 0.2)], [(0.5, 0.1)]]))
    assert found["spearman"].isna().all()
    assert found["kendall"].isna().all()
    assert found["reason"].tolist() == [
        "one of the two is the same in all rows",
        "fewer than two rows have both values",
    ]


def test_large_groups_beside_small_ones_keep_their_places(monkeypatch):
    monkeypatch.setattr(module, "_LARGE", 3)
    groups = [[(1, 1), (2, 2)], [(1, 4), (2, 3), (3, 2), (4, 1)], [(1, 1), (2, 3)]]
    assert agreement(rows_of(groups))["kendall"].tolist() == [1, -1, 1]
