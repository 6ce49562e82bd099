import numpy as np
import pytest
from sklearn import metrics

from caveat.exceptions import InvalidInput
from caveat.shift import measures
from caveat.shift.registry import MEASURES

RNG = np.random.default_rng(0)


def make_answers(n, classes, *, ties=False):
    proba = RNG.dirichlet(np.ones(classes), size=n)
    proba = np.round(proba, 1) + 0.01 if ties else proba
    return RNG.integers(classes, size=n), proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("ties", [False, True])
def test_they_agree_with_scikit_learn(classes, ties):
    y, p = make_answers(200, classes, ties=ties)
    labels = p.argmax(axis=1)
    scores = p[:, 1] if classes == 2 else p
    assert measures.accuracy(y, p) == metrics.accuracy_score(y, labels)
    np.testing.assert_allclose(
        measures.balanced_accuracy(y, p), metrics.balanced_accuracy_score(y, labels)
    )
    np.testing.assert_allclose(
        measures.auc(y, p), metrics.roc_auc_score(y, scores, multi_class="ovr")
    )
    np.testing.assert_allclose(measures.log_loss(y, p), metrics.log_loss(y, p))
    np.testing.assert_allclose(
        measures.brier(y, p), metrics.brier_score_loss(y, scores)
    )


def test_errors_of_numbers_agree_with_scikit_learn():
    y, p = RNG.normal(size=50), RNG.normal(size=50)
    np.testing.assert_allclose(
        measures.rmse(y, p), metrics.root_mean_squared_error(y, p)
    )
    np.testing.assert_allclose(measures.mae(y, p), metrics.mean_absolute_error(y, p))


def test_calibration_error_agrees_with_a_plain_loop():
    y, p = make_answers(300, 3)
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == y
    total = 0.0
    for low in np.arange(15) / 15:
        inside = (confidence > low) & (confidence <= low + 1 / 15)
        total += abs((confidence[inside] - hit[inside]).sum())
    np.testing.assert_allclose(measures.ece(y, p), total / 300)


def test_ties_in_probability_go_to_the_smaller_class():
    assert measures.accuracy([0, 1], [[0.5, 0.5], [0.5, 0.5]]) == 0.5
    assert measures.accuracy([0, 1, 2], np.full((3, 3), 1 / 3)) == pytest.approx(1 / 3)


def test_a_constant_answer_has_an_auc_of_exactly_one_half():
    assert measures.auc([0, 1, 1], np.tile([0.1, 0.9], (3, 1))) == 0.5
    assert measures.auc([0, 1, 2], np.tile([0.2, 0.3, 0.5], (3, 1))) == 0.5


def test_a_class_without_positives_is_left_out_of_auc():
    y, p = make_answers(60, 3)
    seen = y[y < 2], p[y < 2]
    expected = np.mean(
        [metrics.roc_auc_score(seen[0] == c, seen[1][:, c]) for c in (0, 1)]
    )
    np.testing.assert_allclose(measures.auc(*seen), expected)
    assert np.isnan(measures.auc([1, 1], [[0.5, 0.5], [0.2, 0.8]]))


def test_a_class_that_the_model_does_not_know_counts_as_wrong():
    p = [[0.9, 0.1], [0.9, 0.1]]
    assert measures.accuracy([0, -1], p) == 0.5
    assert np.isfinite(measures.log_loss([0, -1], p))


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_warns_of_itself_and_stays_in_its_range(name):
    entry = MEASURES[name]
    measure = entry.load()
    y, p = make_answers(40, 3)
    regression = entry.tasks == ("regression",)
    value = (
        measure(RNG.normal(size=40), RNG.normal(size=40))
        if regression
        else measure(y, p)
    )
    low, high = entry.facts["range"]
    assert low <= value <= high
    assert isinstance(value, float)
    assert "Warnings\n" in measure.__doc__


@pytest.mark.parametrize(
    ("y", "p"), [([], np.zeros((0, 2))), ([0, 1], [[0.5, 0.5]]), ([[0]], [[1.0, 0.0]])]
)
def test_truth_and_answers_must_fit(y, p):
    with pytest.raises(InvalidInput, match="truth"):
        measures.accuracy(y, p)
