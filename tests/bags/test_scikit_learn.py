"""Bags in searches, pipelines and cross-validation of scikit-learn, without labels."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from caveat.bags import (
    AlternatingMeanMap,
    FullBagKFold,
    LaplacianMeanMap,
    MeanMap,
    SplitBagBootstrap,
    SplitBagKFold,
    SplitBagShuffle,
    bag_scorer,
    make_bags,
    search,
)
from caveat.bags.criteria import bag_l1
from caveat.exceptions import InvalidInput, UnknownName

SPLITTERS = [FullBagKFold, SplitBagKFold, SplitBagShuffle, SplitBagBootstrap]
GRID = {"laplacianmeanmap__lam": [1, 100], "laplacianmeanmap__gamma": [0.1, 1.0]}


@pytest.fixture(scope="module")
def clinics():
    X, y = load_breast_cancer(return_X_y=True)
    bags = make_bags(X, y, variant="simple", n_bags=5, random_state=0)
    return X, y, bags.assignment, bags.proportions


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.thorough
@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_grid_search_over_a_pipeline_chooses_without_labels(clinics, splitter):
    X, y, bags, shares = clinics
    found = GridSearchCV(
        make_pipeline(StandardScaler(), LaplacianMeanMap()),
        GRID,
        cv=splitter(random_state=0),
        scoring=bag_scorer("l1"),
    )
    found.fit(X, bags=bags, proportions=shares, groups=bags)
    assert (found.predict(X) == y).mean() > 0.9


@pytest.mark.usefixtures("routing")
def test_it_chooses_what_a_loop_by_hand_chooses(clinics):
    X, _, bags, shares = clinics
    splitter = SplitBagShuffle(3, random_state=1)
    pipeline = make_pipeline(StandardScaler(), MeanMap())
    lams = [0.1, 10, 1000]
    found = GridSearchCV(
        pipeline, {"meanmap__lam": lams}, cv=splitter, scoring=bag_scorer("l1")
    ).fit(X, bags=bags, proportions=shares, groups=bags)
    by_hand = []
    for lam in lams:
        gaps = []
        for train, held in splitter.split(X, None, bags, shares):
            scaler = StandardScaler().fit(X[train])
            model = MeanMap(lam).fit(
                scaler.transform(X[train]), bags=bags[train], proportions=shares
            )
            decided = model.predict(scaler.transform(X[held]))
            gaps.append(bag_l1(decided, bags[held], shares))
        by_hand.append(-np.mean(gaps))
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], by_hand)


@pytest.mark.usefixtures("routing")
def test_several_criteria_go_through_cross_validation(clinics):
    X, _, bags, shares = clinics
    criteria = ["l1", "l1-weighted", "kl", "soft", "soft-kl"]
    found = cross_validate(
        make_pipeline(StandardScaler(), MeanMap()),
        X,
        cv=SplitBagKFold(3),
        scoring={name: bag_scorer(name) for name in criteria},
        params={"bags": bags, "proportions": shares, "groups": bags},
    )
    assert all((found[f"test_{name}"] <= 0).all() for name in criteria)


def test_a_scorer_without_bags_says_how_to_pass_them(clinics):
    X, _, bags, shares = clinics
    model = MeanMap().fit(X, bags=bags, proportions=shares)
    with pytest.raises(InvalidInput, match="enable_metadata_routing=True"):
        bag_scorer()(model, X)


def test_an_unknown_criterion_is_named():
    with pytest.raises(UnknownName, match="no criterion is called 'l2'"):
        bag_scorer("l2")


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_groups_may_be_called_anything_and_labels_are_not_asked_for(splitter):
    names = np.repeat(["north", "south", "west", "east", "centre"], 8)
    parts = list(splitter(random_state=0).split(np.zeros((40, 2)), groups=names))
    assert len(parts) == splitter().get_n_splits(None, None, names) == 5
    with pytest.raises(InvalidInput, match="groups=bags"):
        list(splitter().split(np.zeros((40, 2))))


def test_a_pipeline_is_searched_as_our_own_learner_is(clinics):
    X, _, bags, shares = clinics
    scaled = StandardScaler().fit_transform(X)
    settings = {"strategies": ["split-bag-shuffle"], "n_splits": 2, "random_state": 0}
    ours = search(MeanMap(), {"lam": [1, 10]}, scaled, bags, shares, **settings)
    theirs = search(
        make_pipeline(MeanMap()),
        {"meanmap__lam": [1, 10]},
        scaled,
        bags,
        shares,
        **settings,
    )
    # Grids that are fitted together reach the same minimum on another path.
    np.testing.assert_allclose(ours.table, theirs.table, atol=1e-6)


class Regression(ClassifierMixin, BaseEstimator):
    """Somebody else's learner: least squares of shares on bag means."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y=None, *, bags, proportions):
        present = np.unique(bags)
        means = np.array([X[bags == bag].mean(axis=0) for bag in present])
        known = np.asarray(proportions)[present, 1]
        inner = means - means.mean(axis=0)
        gram = inner.T @ inner + self.alpha * np.eye(X.shape[1])
        self.coef_ = np.linalg.solve(gram, inner.T @ (known - known.mean()))
        self.intercept_ = known.mean() - means.mean(axis=0) @ self.coef_
        return self

    def predict(self, X):
        return (X @ self.coef_ + self.intercept_ > 0.5).astype(int)


def test_a_learner_of_somebody_else_is_searched(clinics):
    X, y, bags, shares = clinics
    scaled = StandardScaler().fit_transform(X)
    found = search(Regression(), {"alpha": [0.1, 10.0]}, scaled, bags, shares)
    assert found.table.notna().all(axis=None)
    assert (found.best_model().predict(scaled) == y).mean() > 0.8


def test_what_takes_no_bags_is_refused(clinics):
    X, _, bags, shares = clinics
    with pytest.raises(InvalidInput, match="takes bags and"):
        search(LogisticRegression(), {"C": [1]}, X, bags, shares)


def test_an_intercept_is_added_where_columns_hold_no_constant():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 4, 300)
    one_hot = 2.0 * np.eye(4)[levels] - 1.0
    bags, shares = np.repeat(np.arange(6), 50), np.linspace(0.2, 0.8, 6)
    plain = LaplacianMeanMap().fit(one_hot, bags=bags, proportions=shares)
    assert plain.intercept_ == 0.0
    numbers = LaplacianMeanMap().fit(one_hot[:, :2], bags=bags, proportions=shares)
    assert numbers.intercept_ != 0.0


@pytest.mark.filterwarnings("ignore:AlternatingMeanMap learns two classes")
def test_the_intercept_helps_on_iris():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    scores = {"auto": [], False: []}
    for seed in range(6):
        bags = make_bags(X, y, variant="simple", n_bags=5, random_state=seed)
        known = {"bags": bags.assignment, "proportions": bags.proportions}
        for setting, found in scores.items():
            model = AlternatingMeanMap(fit_intercept=setting).fit(X, **known)
            found.append((model.predict(X) == y).mean())
    assert np.mean(scores["auto"]) > np.mean(scores[False]) + 0.02
