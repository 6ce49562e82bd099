"""Measures against scikit-learn, against cases done by hand, and their laws."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from caveat.exceptions import InvalidInput
from caveat.measures import Measures, get

MEASURES = Measures("binary", "multiclass", "regression")
accuracy, balanced_accuracy, f1 = map(get, ["accuracy", "balanced_accuracy", "f1"])
auc, log_loss, brier, ece = map(get, ["auc", "log_loss", "brier", "ece"])
rmse, mae, r2 = map(get, ["rmse", "mae", "r2"])
median_absolute_error = get("median_absolute_error")

NAMES = ["ant", "bee", "cat", "dog"]


def drawn(seed, n_classes, n=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    proba = rng.dirichlet(np.ones(n_classes), n).round(2)
    proba /= proba.sum(axis=1, keepdims=True)
    return y, proba


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_measures_agree_with_scikit_learn(seed, n_classes):
    y, proba = drawn(seed, n_classes)
    labels = np.array(NAMES)[y]
    names = NAMES[:n_classes]
    guess = np.array(NAMES)[proba.argmax(axis=1)]
    average = {2: {"pos_label": "bee"}}.get(n_classes, {"average": "macro"})
    scores = proba[:, 1] if n_classes == 2 else proba
    pairs = [
        (accuracy(labels, guess), metrics.accuracy_score(labels, guess)),
        (
            balanced_accuracy(labels, guess),
            metrics.balanced_accuracy_score(labels, guess),
        ),
        (f1(labels, guess), metrics.f1_score(labels, guess, **average)),
        (
            auc(labels, proba, classes=names),
            metrics.roc_auc_score(y, scores, multi_class="ovr"),
        ),
        (
            log_loss(labels, proba, classes=names),
            metrics.log_loss(y, proba),
        ),
        (
            brier(labels, proba, classes=names),
            metrics.brier_score_loss(y, scores, labels=range(n_classes)),
        ),
    ]
    ours, theirs = np.array(pairs).T
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_measures_of_numbers_agree_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y, guess = rng.normal(size=(2, 41)) * 1000
    pairs = [
        (rmse(y, guess), metrics.root_mean_squared_error(y, guess)),
        (mae(y, guess), metrics.mean_absolute_error(y, guess)),
        (r2(y, guess), metrics.r2_score(y, guess)),
        (
            median_absolute_error(y, guess),
            metrics.median_absolute_error(y, guess),
        ),
    ]
    ours, theirs = np.array(pairs).T
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_calibration_error_by_hand():
    # Bins of width 1/2: confidences 0.6, 0.9, 1.0 and 0.8 all lie in the second.
    y = [0, 1, 0, 1]
    proba = [[0.6, 0.4], [0.1, 0.9], [0.0, 1.0], [0.8, 0.2]]
    assert ece(y, proba, bins=2) == pytest.approx(abs(3.3 / 4 - 2 / 4))
    # Bins of width 1/5: (0.4, 0.6], (0.6, 0.8] and (0.8, 1.0].
    by_bin = abs(0.6 - 1) + abs(0.8 - 0) + abs((0.9 + 1.0) - 1)
    assert ece(y, proba, bins=5) == pytest.approx(by_bin / 4)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_calibration_error_is_what_a_loop_says(data):
    n = data.draw(st.integers(1, 12))
    tenths = data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    p = np.array(tenths) / 30
    if_sure = np.maximum(p, 1 - p)
    right = (p > 0.5) == (np.array(y) == 1)
    total = 0.0
    for b in range(15):
        inside = (if_sure > b / 15 + 1e-12) & (if_sure <= (b + 1) / 15 + 1e-12)
        if_any = inside.sum() or 1
        gap = abs(if_sure[inside].sum() / if_any - right[inside].sum() / if_any)
        total += gap * inside.sum() / n
    matrix = np.column_stack([1 - p, p])
    assert ece(y, matrix, classes=[0, 1]) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)
def test_order_of_rows_and_containers_do_not_matter(entry):
    y, proba = drawn(0, 3)
    answers = {
        "decisions": proba.argmax(axis=1),
        "scores": proba,
        "probabilities": proba,
        "amounts": proba[:, 0],
    }
    answer = answers[entry.needs]
    measure = entry
    shuffle = np.random.default_rng(1).permutation(len(y))
    value = measure(y, answer)
    assert measure(y[shuffle], answer[shuffle]) == pytest.approx(value, rel=1e-12)
    assert measure(pd.Series(y, index=shuffle), answer.tolist()) == value
    assert isinstance(value, float)
    low, high = entry.range
    assert low <= value <= high
    assert entry.direction in ("min", "max")
    assert "Warnings\n" in measure.load().__doc__


@pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)
def test_perfect_answers_are_the_best(entry):
    y = np.array([0, 1, 2, 2, 1])
    answers = {
        "decisions": y,
        "scores": np.eye(3)[y],
        "probabilities": np.eye(3)[y],
        "amounts": y.astype(float),
    }
    best = {"max": 1.0, "min": 0.0}[entry.direction]
    assert entry(y, answers[entry.needs]) == pytest.approx(best)


def test_the_auc_of_several_classes_is_the_weighted_mean_against_the_rest():
    y, proba = drawn(0, 3)
    weights = np.random.default_rng(0).random(len(y))
    known = [
        metrics.roc_auc_score(y == c, proba[:, c], sample_weight=weights)
        for c in range(3)
    ]
    assert auc(y, proba, sample_weight=weights) == pytest.approx(np.mean(known))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weighted_values_agree_with_scikit_learn(n_classes):
    y, proba = drawn(1, n_classes)
    w = np.random.default_rng(0).random(len(y))
    guess = proba.argmax(axis=1)
    average = "binary" if n_classes == 2 else "macro"
    numbers = np.random.default_rng(2).normal(size=len(y))
    pairs = [
        (accuracy(y, guess, sample_weight=w), metrics.accuracy_score),
        (balanced_accuracy(y, guess, sample_weight=w), metrics.balanced_accuracy_score),
        (
            f1(y, guess, sample_weight=w),
            lambda y, p, **kw: metrics.f1_score(y, p, average=average, **kw),
        ),
        (rmse(numbers, guess, sample_weight=w), metrics.root_mean_squared_error),
        (mae(numbers, guess, sample_weight=w), metrics.mean_absolute_error),
        (r2(numbers, guess, sample_weight=w), metrics.r2_score),
    ]
    for place, (ours, theirs) in enumerate(pairs):
        truth = y if place < 3 else numbers
        assert ours == pytest.approx(theirs(truth, guess, sample_weight=w))
    assert log_loss(y, proba, sample_weight=w) == pytest.approx(
        metrics.log_loss(y, proba, sample_weight=w)
    )
    assert brier(y, proba, sample_weight=w) == pytest.approx(
        metrics.brier_score_loss(
            y, proba[:, 1] if n_classes == 2 else proba, sample_weight=w
        )
    )


def test_auc_sees_order_only_and_counts_ties_half():
    y = [0, 1, 0, 1]
    scores = np.array([0.1, 0.4, 0.4, 0.9])
    assert auc(y, scores) == 3.5 / 4
    assert auc(y, scores**3) == 3.5 / 4
    assert auc(y, [0.5] * 4) == 0.5


def test_auc_leaves_out_classes_that_are_not_there_and_says_so():
    y = [0, 0, 1, 1]
    proba = np.array([[6, 2, 2], [5, 4, 1], [2, 6, 2], [5, 3, 2]]) / 10
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 classes"):
        value = auc(y, proba, classes=[0, 1, 2])
    assert value == pytest.approx((3.5 / 4 + 3 / 4) / 2)
    with pytest.warns(UndefinedMetricWarning, match="3 of 3"):
        assert math.isnan(auc([0, 0], proba[:2], classes=[0, 1, 2]))


def test_a_label_that_the_model_never_saw_is_wrong_not_an_error():
    y, classes = ["a", "new"], ["a", "b"]
    proba = [[0.9, 0.1], [0.8, 0.2]]
    assert accuracy(y, ["a", "a"], classes=classes) == 0.5
    assert log_loss(y, proba, classes=classes) == pytest.approx(
        (-math.log(0.9) - math.log(np.finfo(float).eps)) / 2
    )
    assert brier(y, proba, classes=classes) == pytest.approx(
        ((0.01 + 0.01) + (0.64 + 0.04)) / 2 / 2
    )
    assert 0 <= ece(y, proba, classes=classes) <= 1
    assert balanced_accuracy(y, ["a", "a"], classes=classes) == 0.5
    assert f1(y, ["a", "a"], classes=classes) == pytest.approx((2 / 3 + 0) / 2)


def test_f1_of_two_classes_is_that_of_the_second():
    assert f1([0, 1, 1, 1], [0, 1, 0, 0]) == pytest.approx(0.5)
    assert f1([0, 0], [0, 0], classes=[0, 1]) == 0.0
    assert f1([0, 0, 1], [0, 1, 1], classes=[1, 0]) == pytest.approx(2 / 3)


def test_r2_of_a_constant_target_is_not_defined():
    with pytest.warns(UndefinedMetricWarning, match="all 2 true values are 3"):
        assert math.isnan(r2([3, 3], [3, 4]))


def test_large_errors_do_not_overflow():
    assert rmse([0.0], [1e200]) == 1e200
    assert rmse([0.0, 0.0], [3e200, 4e200]) == pytest.approx(12.5**0.5 * 1e200)
    assert rmse([5.0], [5.0]) == 0.0


@pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    ("y", "shape"), [([], 0), ([[0, 1]], 2), ([0, 1, 1], 2), ([0, 1], 3)]
)
def test_shapes_that_do_not_fit_are_refused(entry, y, shape):
    answer = np.full(shape, 0.5)
    with pytest.raises(InvalidInput):
        entry(y, answer)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: log_loss([0, 1], [[0.5, 0.6], [1, 0]]), "row 0.*not a distribution"),
        (lambda: brier([0, 1], [[0.5, 0.5], [2, -1]]), "row 1.*not a distribution"),
        (lambda: ece([0, 1], [[1, 0], [np.nan, 1]]), "not finite in row 1"),
        (lambda: auc([0, 1, 2], np.eye(3)[:, :2]), "2 columns for 3 classes"),
        (lambda: accuracy([1, "a"], [1, 1]), "several types|ordered"),
        (lambda: accuracy([1, 2], [1, 2], classes=[1, 1]), "twice"),
        (lambda: rmse([1, np.inf], [1, 2]), "y is inf in row 1"),
        (lambda: mae(["a"], [1]), "not a number"),
    ],
)
def test_what_cannot_be_judged_is_named(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_a_probability_counts_as_at_least_the_step_of_its_number_type():
    sure_and_wrong = np.array([[1.0, 0.0]])
    for kind in (np.float32, np.float64):
        given = sure_and_wrong.astype(kind)
        smallest = float(np.finfo(kind).eps)
        assert log_loss([1], given, classes=[0, 1]) == pytest.approx(
            -math.log(smallest)
        )
        assert log_loss([1], given, classes=[0, 1]) == pytest.approx(
            metrics.log_loss([1], given, labels=[0, 1])
        )


def test_ties_in_probability_go_to_the_first_class():
    assert accuracy([0, 1], [[0.5, 0.5], [0.5, 0.5]]) == 0.5
    assert accuracy([0, 1, 2], np.full((3, 3), 1 / 3)) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("auc", 0.5),
        ("accuracy", 1 / 4),
        ("balanced-accuracy", 1 / 2),
        ("log-loss", -(3 * np.log(1 / 3) + np.log(2 / 3)) / 4),
        ("brier", (3 * (2 / 3) ** 2 + (1 / 3) ** 2) / 4),
        ("ece", np.nan),
    ],
)
def test_the_floor_is_what_the_shares_of_the_training_labels_reach(measure, expected):
    found = get(measure).floor([0, 1, 1], [1, 0, 0, 0])
    np.testing.assert_allclose(found, expected)


def test_the_floor_of_an_error_is_its_own_best_constant():
    train, test = [0.0, 0.0, 9.0], [0.0, 3.0]
    assert get("mae").floor(train, test) == 1.5
    assert get("rmse").floor(train, test) ** 2 == pytest.approx(4.5)
    assert np.isnan(get("log-loss").floor(["a", "b"], ["c", "a"]))
