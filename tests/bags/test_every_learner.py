"""What every registered learner from label proportions owes."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from caveat.bags.registry import LEARNERS
from caveat.exceptions import InvalidInput, MissingExtra

pytestmark = pytest.mark.thorough

QUICK = {"hidden": (4,), "n_steps": 6, "epochs": None, "random_state": 0}


def build(entry):
    learner = entry.load()(**entry.params)
    known = learner.get_params()
    return learner.set_params(
        **{name: value for name, value in QUICK.items() if name in known}
    )


@pytest.fixture(scope="module", params=LEARNERS.values(), ids=lambda entry: entry.name)
def learner(request):
    try:
        return build(request.param)
    except MissingExtra as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def usual(learner, bagged):
    """Give the probabilities that the learner comes to when nothing is special."""
    return fit(learner, bagged).predict_proba(bagged.X)


def fit(learner, known, **change):
    given = {"bags": known.bags, "proportions": known.shares, **change}
    return clone(learner).fit(known.X, **given)


def test_true_labels_are_never_read(learner, bagged, usual):
    lured = fit(learner, bagged, y=1 - bagged.y)
    np.testing.assert_array_equal(lured.predict_proba(bagged.X), usual)


def test_bag_numbers_are_only_names(learner, bagged, usual):
    names = dict(enumerate(["d", "b", "a", "c"]))
    renamed = fit(
        learner,
        bagged,
        bags=[names[bag] for bag in bagged.bags],
        proportions={names[bag]: row for bag, row in enumerate(bagged.shares)},
    )
    np.testing.assert_allclose(renamed.predict_proba(bagged.X), usual, atol=1e-6)


def test_an_empty_bag_does_no_harm(learner, bagged, usual):
    longer = np.vstack([bagged.shares, [np.nan, np.nan]])
    model = fit(learner, bagged, proportions=longer)
    np.testing.assert_allclose(model.predict_proba(bagged.X), usual, atol=1e-6)


def test_counts_are_refused(learner, bagged):
    with pytest.raises(InvalidInput, match="counts"):
        fit(learner, bagged, proportions=bagged.shares * 60)


def test_one_number_per_bag_is_the_share_of_class_one(learner, bagged, usual):
    model = fit(learner, bagged, proportions=bagged.shares[:, 1])
    np.testing.assert_allclose(model.predict_proba(bagged.X), usual, atol=1e-12)


def test_same_seed_same_numbers(learner, bagged, usual):
    again = fit(learner, bagged).predict_proba(bagged.X)
    np.testing.assert_array_equal(again, usual)


@pytest.mark.filterwarnings("ignore:.*against the rest")
@pytest.mark.parametrize("problem", ["bagged", "three_classes"])
def test_probabilities_are_finite_and_sum_to_one(learner, problem, request):
    known = request.getfixturevalue(problem)
    proba = fit(learner, known).predict_proba(1e3 * known.X)
    assert proba.shape == known.shares[known.bags].shape
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_items_and_arguments_stay_as_they_were(learner, bagged):
    X, bags, shares = bagged.X.copy(), bagged.bags.copy(), bagged.shares.copy()
    before = learner.get_params()
    fit(learner, bagged)
    assert learner.get_params() == before
    np.testing.assert_array_equal(bagged.X, X)
    np.testing.assert_array_equal(bagged.bags, bags)
    np.testing.assert_array_equal(bagged.shares, shares)


def test_the_generator_that_belongs_to_everybody_is_left_alone(learner, bagged):
    _, keys, position, *_ = np.random.get_state()  # noqa: NPY002
    fit(learner, bagged).predict(bagged.X)
    _, keys_after, position_after, *_ = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(keys_after, keys)
    assert position_after == position


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_it_must_be_fitted_first(learner, method):
    with pytest.raises(NotFittedError):
        getattr(learner, method)([[0.0]])


def test_one_bag_and_one_feature_are_enough_to_stay_finite(learner):
    X = np.linspace(-1, 1, 12)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(learner).fit(X, bags=np.zeros(12, int), proportions=[0.25])
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_class_that_is_nowhere_does_no_harm(learner, bagged):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(learner, bagged, proportions=np.zeros(4))
    assert np.isfinite(model.predict_proba(bagged.X)).all()


def test_constant_items_do_no_harm(learner, bagged):
    model = clone(learner).fit(
        np.ones((240, 3)), bags=bagged.bags, proportions=bagged.shares
    )
    assert np.isfinite(model.predict_proba(np.ones((5, 3)))).all()


def test_sparse_items_are_accepted(learner, bagged):
    thin = sparse.csr_array(np.where(np.abs(bagged.X) < 1, 0, bagged.X))
    model = clone(learner).fit(thin, bags=bagged.bags, proportions=bagged.shares)
    assert model.predict(thin).shape == (240,)


def test_it_works_in_a_pipeline(learner, bagged):
    whole = make_pipeline(StandardScaler(), clone(learner))
    step = whole.steps[-1][0]
    whole.fit(
        bagged.X,
        **{f"{step}__bags": bagged.bags, f"{step}__proportions": bagged.shares},
    )
    assert whole.predict(bagged.X).shape == (240,)


@pytest.mark.slow
@parametrize_with_checks(
    [build(entry).set_params(**entry.quick) for entry in LEARNERS.values()]
)
def test_it_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)
