"""Bootstrap over rows: inside the range, paired, by groups."""

import numpy as np
import pytest

from caveat.statistics import bootstrap_rows


def test_the_interval_of_a_share_never_leaves_its_range():
    hits = np.array([1.0] * 19 + [0.0])
    found = bootstrap_rows(lambda rows: hits[rows].mean(), 20)
    assert 0 <= found.low < found.mean < found.high <= 1
    assert found.n == 20


@pytest.mark.thorough
def test_it_equals_the_normal_interval_on_many_rows():
    values = np.random.default_rng(0).normal(size=2000)
    found = bootstrap_rows(lambda rows: values[rows].mean(), 2000, n=2000)
    se = values.std(ddof=1) / np.sqrt(2000)
    np.testing.assert_allclose(found.high - found.low, 3.92 * se, rtol=0.06)


def test_a_difference_is_paired_because_both_see_the_rows_drawn():
    rng = np.random.default_rng(1)
    a = rng.random(200)
    b = a - 0.01
    found = bootstrap_rows(lambda rows: (a[rows] - b[rows]).mean(), 200)
    np.testing.assert_allclose([found.low, found.high], 0.01)


def test_rows_of_a_group_are_drawn_together_and_widen_the_interval():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(20), 10)
    values = rng.normal(size=20)[groups]
    alone = bootstrap_rows(lambda rows: values[rows].mean(), 200)
    together = bootstrap_rows(lambda rows: values[rows].mean(), 200, groups=groups)
    assert together.n == 20
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_draws_without_a_value_are_counted_and_too_many_leave_no_interval():
    def one_class_is_undefined(rows):
        return np.nan if 0 not in rows else 1.0

    found = bootstrap_rows(one_class_is_undefined, 3)
    assert 200 < found.missing < 400
    assert np.isnan(bootstrap_rows(lambda rows: np.nan, 3).low)
    assert np.isnan(bootstrap_rows(lambda rows: 1.0, 1).low)
