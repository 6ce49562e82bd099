"""Margins, effectiveness, and the theorems that rest on them."""

import numpy as np
import pytest

from caveat.exceptions import CaveatError, InvalidInput
from caveat.multilabel import (
    check_theorem_1,
    check_theorem_2,
    check_theorem_3,
    check_theorem_4,
    check_theorem_5,
    effectiveness,
    instance_margins,
    label_margins,
    margins,
    threshold_error,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def brute_margin(y, s):
    pairs = [a - b for a in s[y == 1] for b in s[y == 0]]
    return min(pairs) if pairs else np.nan


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 6)) < 0.4).astype(int)
    Y[0], Y[1] = 0, 1
    return Y, rng.normal(size=Y.shape)


def test_margins_are_the_smallest_gap_over_all_pairs(case):
    Y, S = case
    expected_rows = [brute_margin(y, s) for y, s in zip(Y, S, strict=True)]
    expected_labels = [brute_margin(y, s) for y, s in zip(Y.T, S.T, strict=True)]
    np.testing.assert_allclose(label_margins(Y, S), expected_rows)
    np.testing.assert_allclose(instance_margins(Y, S), expected_labels)
    report = margins(Y, S)
    np.testing.assert_allclose(report.label_scaled, expected_rows / S.std())
    assert np.isnan(report.label[:2]).all()


def test_one_class_rows_do_not_count_against_effectiveness():
    found = effectiveness([[1, 1], [1, 0]], [[0.1, 0.9], [0.8, 0.2]])
    assert found["label_effective"]
    assert found["share_rows_positive"] == 1.0
    assert found["min_label"] == pytest.approx(0.6)


def test_a_margin_of_zero_is_not_positive():
    found = effectiveness([[1, 0]], [[0.5, 0.5]])
    assert not found["label_effective"]


def test_margins_without_any_pair_are_vacuous():
    found = effectiveness([[1], [1]], [[0.5], [0.1]])
    assert found["double_effective"]
    assert np.isnan(found["share_rows_positive"])
    assert np.isnan(found["min_instance"])


def test_margins_survive_the_largest_numbers():
    report = margins([[1, 0]], [[1.7e308, -1.7e308]])
    assert report.label[0] == np.inf
    assert np.isnan(report.label_scaled[0])


def effective_scores(Y, rng, axis):
    """Scores whose order is right along one axis and random otherwise."""
    return (
        Y
        + rng.random(Y.shape) * 0.9
        + 10 * rng.normal(size=Y.shape[axis]).reshape((-1, 1) if axis == 0 else (1, -1))
    )


@pytest.mark.parametrize("seed", range(20))
def test_theorems_1_and_4_hold_for_label_wise_effective_scores(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((12, 7)) < 0.4).astype(int)
    S = effective_scores(Y, rng, axis=0)
    thresholds = S.mean(axis=1) + rng.normal(size=12)
    checks = check_theorem_1(Y, S) + check_theorem_4(Y, S, thresholds)
    proved = [check for check in checks if not check.printed]
    assert len(proved) == 8
    assert all(check.applies and check.holds for check in proved)


@pytest.mark.parametrize("seed", range(20))
def test_theorems_2_and_5_hold_for_instance_wise_effective_scores(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((9, 5)) < 0.4).astype(int)
    S = effective_scores(Y, rng, axis=1)
    thresholds = S.mean(axis=0) + rng.normal(size=5)
    checks = check_theorem_2(Y, S) + check_theorem_5(Y, S, thresholds)
    assert len(checks) == 3
    assert all(check.applies and check.holds for check in checks)


def test_checks_say_when_their_assumption_is_not_met():
    checks = check_theorem_1([[1, 0]], [[0.1, 0.9]])
    assert not any(check.applies for check in checks)


def test_the_printed_equality_of_micro_and_instance_f1_has_a_counterexample():
    Y = np.zeros((2, 12), dtype=int)
    Y[0, 0], Y[1, :10] = 1, 1
    S = np.tile(-np.arange(12.0), (2, 1)) + 5 * Y
    checks = check_theorem_4(Y, S, [S[0, 0] - 0.5, S[1, 0] - 0.5])
    by_kind = {(c.measure, c.relation, c.printed): c for c in checks}
    assert all(check.applies for check in checks)
    equality = by_kind["micro_f1", "=", True]
    assert equality.lhs == pytest.approx(4 / 13)
    assert equality.rhs == pytest.approx((1 + 2 / 11) / 2)
    assert not equality.holds
    assert not by_kind["micro_f1", ">=", True].holds
    assert by_kind["micro_f1", ">=", False].holds
    assert by_kind["instance_f1", ">=", False].slack == pytest.approx(0)


@pytest.mark.parametrize("m", [2, 10, 400])
def test_double_effective_scores_need_not_have_a_micro_auc_near_one(m):
    Y, S = np.zeros((2 * m, 4), dtype=int), np.full((2 * m, 4), -1.0)
    rows = np.arange(m)
    S[:m, :2], S[m:, 2:] = 5.0, 0.5
    Y[rows, rows % 2], S[rows, rows % 2] = 1, 10.0
    Y[m + rows, 2 + rows % 2], S[m + rows, 2 + rows % 2] = 1, 1.0
    [check] = check_theorem_3(Y, S)
    assert check.applies
    assert check.lhs == pytest.approx(11 / 12)
    assert effectiveness(Y, S)["min_label"] == 0.5


def test_threshold_error_counts_entries_cut_off_wrongly():
    Y, S = [[1, 1, 0], [0, 0, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, 1], [3, 2, 1]]
    assert threshold_error(Y, S, [2.5, 9, 0]).tolist() == [1, 0, 2]
    assert threshold_error(Y, S, 1.5, per="label").tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda Y, S: threshold_error(Y, S, [1, 2, 3]),
        lambda Y, S: threshold_error(Y, S, np.nan),
        lambda Y, S: threshold_error(Y, S, 1, per="row"),
        lambda Y, S: check_theorem_4(Y, S, 1, zero_division="skip"),
        lambda Y, S: margins(Y, [[np.nan, 1], [2, 3]]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(CaveatError):
        call([[1, 0], [0, 1]], [[1.0, 0], [2, 3]])


def test_zero_relevant_labels_count_as_zero_division_says():
    Y, S = [[0, 0]], [[0.1, 0.2]]
    bound = [c for c in check_theorem_4(Y, S, 0.5, zero_division=1.0) if not c.printed]
    assert all(check.holds for check in bound)
    with pytest.raises(InvalidInput):
        check_theorem_4(Y, S, 0.5, zero_division=-1)
