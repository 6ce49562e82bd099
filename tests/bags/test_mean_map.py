import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from caveat.bags import (
    AlternatingMeanMap,
    LaplacianMeanMap,
    MeanMap,
    fit_together,
)
from caveat.bags.learners._alternating_mean_map import label_by_rank
from caveat.bags.learners._laplacian_mean_map import normalised_cut
from caveat.bags.learners._problem import BagProblem
from caveat.exceptions import CaveatError

FAMILY = [MeanMap, LaplacianMeanMap, AlternatingMeanMap]


def bag_means(bagged):
    return np.array([bagged.X[bagged.bags == bag].mean(axis=0) for bag in range(4)])


@pytest.mark.parametrize("weighting", ["size", "equal"])
@pytest.mark.parametrize("bag_weights", ["size", "equal"])
def test_the_mean_operator_is_that_of_the_dense_formula(bagged, weighting, bag_weights):
    """V = (Pi'D Pi)^-1 Pi'D Mu; m = q v+ - (1 - q) v-."""
    sizes = np.bincount(bagged.bags)
    p = bagged.shares[:, 1]
    Pi = np.column_stack([p, 1 - p])
    D = np.diag(sizes if bag_weights == "size" else np.ones(4))
    V = np.linalg.inv(Pi.T @ D @ Pi) @ Pi.T @ D @ bag_means(bagged)
    q = np.average(p, weights=sizes if weighting == "size" else None)
    model = MeanMap(weighting=weighting, bag_weights=bag_weights)
    model.fit(bagged.X, bags=bagged.bags, proportions=p)
    np.testing.assert_allclose(
        model.mean_operator_[0], q * V[0] - (1 - q) * V[1], rtol=1e-9
    )


@pytest.mark.parametrize("weighting", ["size", "equal"])
@pytest.mark.parametrize(("gamma", "sigma"), [(0.01, 0.25), (1.0, 1.0)])
def test_the_laplacian_operator_is_that_of_the_dense_formula(
    bagged, weighting, gamma, sigma
):
    sizes, p, means = np.bincount(bagged.bags), bagged.shares[:, 1], bag_means(bagged)
    gaps = np.linalg.norm(means[:, None] - means[None], axis=2)
    V = np.exp(-gaps / sigma)
    np.fill_diagonal(V, 0)
    La = np.diag(V.sum(axis=1)) - V
    Pi = np.hstack([np.diag(p), np.diag(1 - p)])
    big = Pi.T @ Pi + gamma * np.kron(np.eye(2), La)
    v = np.linalg.inv(big) @ Pi.T @ means
    counts = sizes if weighting == "size" else np.ones(4)
    q = np.average(p, weights=counts)
    a, c = counts * p / (counts @ p), counts * (1 - p) / (counts @ (1 - p))
    model = LaplacianMeanMap(gamma=gamma, sigma=sigma, weighting=weighting)
    model.fit(bagged.X, bags=bagged.bags, proportions=p)
    np.testing.assert_allclose(
        model.mean_operator_[0], q * a @ v[:4] - (1 - q) * c @ v[4:], rtol=1e-7
    )


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("lam", [0.5, 10.0])
def test_in_the_clean_limit_it_is_logistic_regression(bagged, kind, lam):
    """F on w is logistic loss on 2w, so lam/2 |w|^2 is 1/(2C) |2w|^2 with C = 4/lam."""
    twin = LogisticRegression(C=4 / lam, fit_intercept=False, tol=1e-12, max_iter=5000)
    twin.fit(bagged.X, bagged.y)
    model = kind(lam=lam, fit_intercept=False).fit(bagged.X, bagged.y)
    np.testing.assert_allclose(2 * model.coef_, twin.coef_, atol=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(bagged.X), twin.predict_proba(bagged.X), atol=1e-6
    )


def test_pure_bags_need_no_laplacian_whatever_it_is(bagged):
    """Summed over bags the Laplacian's columns vanish, so smoothing drops out."""
    bags, shares = np.arange(240), np.eye(2)[bagged.y]
    known = BagProblem(bagged.X, bags, shares)
    model = LaplacianMeanMap(gamma=3.0)
    quick = model._bag_coefficients(known, 1)
    p = shares[:, 1]
    system = model._system(known, p, np.ones(240))
    solution = np.linalg.solve(system, np.concatenate([p / 240, -(1 - p) / 240]))
    full = p * solution[:240] + (1 - p) * solution[240:]
    np.testing.assert_allclose(known.means.T @ quick, known.means.T @ full, atol=1e-9)


def test_the_solution_has_no_slope_by_finite_differences(bagged):
    model = MeanMap(lam=2.0, fit_intercept=False)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    w, m, n = model.coef_[0], model.mean_operator_[0], len(bagged.X)

    def F(w):
        z = bagged.X @ w
        return np.logaddexp(z, -z).sum() - n * m @ w + w @ w

    assert model.objective_[0] == pytest.approx(F(w))
    step = 1e-5
    for j in range(4):
        e = step * np.eye(4)[j]
        assert abs(F(w + e) - F(w - e)) / (2 * step) < 1e-2


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_of_the_alternation_never_rises(seed):
    rng = np.random.default_rng(seed)
    X, bags = rng.normal(size=(90, 3)), rng.integers(0, 5, 90)
    shares = rng.random(5)
    model = AlternatingMeanMap(tol=0.0).fit(X, bags=bags, proportions=shares)
    path = np.array(model.objective_path_[0])
    assert (np.diff(path) <= 1e-9 * np.abs(path[1:])).all()


def test_the_alternation_labels_within_the_proportions(bagged):
    known = BagProblem(bagged.X, bagged.bags, bagged.shares)
    labels = label_by_rank(known, bagged.X[:, 0], 1)
    positives = np.bincount(bagged.bags, labels > 0)
    np.testing.assert_array_equal(positives, np.bincount(bagged.bags, bagged.y))


def test_highest_and_lowest_scores_are_labelled_and_ties_go_by_row():
    known = BagProblem(np.zeros((4, 1)), np.zeros(4, int), np.array([[0.5, 0.5]]))
    scores = np.array([1.0, 3.0, 3.0, 3.0])
    np.testing.assert_array_equal(label_by_rank(known, scores, 1), [-1, 1, 1, -1])
    lowest = label_by_rank(known, scores, 1, highest=False)
    np.testing.assert_array_equal(lowest, [1, 1, -1, -1])


def test_a_bag_without_positives_gets_none_unless_one_is_asked_for():
    known = BagProblem(np.zeros((3, 1)), np.zeros(3, int), np.array([[1.0, 0.0]]))
    assert (label_by_rank(known, np.arange(3.0), 1) > 0).sum() == 0
    assert (label_by_rank(known, np.arange(3.0), 1, least=1) > 0).sum() == 1


def test_max_keeps_the_best_of_its_rounds(bagged):
    model = AlternatingMeanMap(mode="max", max_rounds=4, tol=0.0)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert len(model.objective_path_[0]) == 5


@pytest.mark.parametrize("start", ["lmm", "mm", "ones", [1.0, 0.0, 0.0, 0.0]])
def test_the_alternation_can_start_anywhere(bagged, start):
    model = AlternatingMeanMap(start=start)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("extra", [{}, {"fit_intercept": True}])
def test_a_grid_fitted_together_equals_fits_one_by_one(bagged, kind, extra):
    grid = [kind(lam=lam, **extra) for lam in (0, 0.1, 1, 10)]
    shares = {"bags": bagged.bags, "proportions": bagged.shares}
    fit_together(grid, bagged.X, **shares)
    for model in grid:
        alone = kind(**model.get_params()).fit(bagged.X, **shares)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-6)


@pytest.mark.parametrize("kind", FAMILY)
def test_sparse_and_dense_items_give_the_same_model(kind):
    rng = np.random.default_rng(3)
    X = np.eye(8)[rng.integers(0, 8, 200)] + np.eye(8)[rng.integers(0, 8, 200)]
    bags, shares = rng.integers(0, 5, 200), [0.1, 0.3, 0.5, 0.7, 0.9]
    dense = kind().fit(X, bags=bags, proportions=shares)
    thin = kind().fit(sparse.csr_array(X), bags=bags, proportions=shares)
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-6)


@pytest.mark.parametrize("kind", FAMILY)
def test_equal_proportions_in_all_bags_are_told(bagged, kind):
    with pytest.warns(UserWarning, match="rank 1 < 2 classes"):
        model = kind().fit(bagged.X, bags=bagged.bags, proportions=[0.4] * 4)
    assert np.isfinite(model.coef_).all()


def test_an_operator_that_no_labels_have_is_found_out():
    X = np.array([[1.0], [1.1], [0.9], [1.0]])
    far = MeanMap().fit(X, bags=[0, 0, 1, 1], proportions=[0.5, 0.51])
    near = MeanMap().fit(X, bags=[0, 0, 1, 1], proportions=[0.0, 1.0])
    assert not far.mean_operator_feasible_
    assert near.mean_operator_feasible_


def test_more_classes_are_learnt_one_against_the_rest(three_classes):
    known = {"bags": three_classes.bags, "proportions": three_classes.shares}
    with pytest.warns(UserWarning, match="each against the"):
        model = MeanMap(lam=30, fit_intercept=True).fit(three_classes.X, **known)
    assert (model.predict(three_classes.X) == three_classes.y).mean() > 0.6
    with pytest.raises(CaveatError, match="3 classes"):
        MeanMap(multiclass="error").fit(three_classes.X, **known)


def test_normalised_cuts_follow_their_formula():
    X = np.array([[0.0], [1.0], [5.0], [7.0]])
    known = BagProblem(X, np.array([0, 0, 1, 1]), np.array([[0.5, 0.5]] * 2))
    between = 5 + 7 + 4 + 6
    wanted = 1 / (1 + between / 2) + 1 / (1 + between / 4)
    assert normalised_cut(known, 100, 0)[0, 1] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        (MeanMap, {"lam": -1}),
        (MeanMap, {"lam": "1"}),
        (MeanMap, {"weighting": "bags"}),
        (MeanMap, {"max_iter": 0}),
        (LaplacianMeanMap, {"gamma": 0}),
        (LaplacianMeanMap, {"sigma": np.nan}),
        (LaplacianMeanMap, {"similarity": "S"}),
        (AlternatingMeanMap, {"mode": "mean"}),
        (AlternatingMeanMap, {"start": "mmm"}),
        (AlternatingMeanMap, {"start": [1.0]}),
    ],
)
def test_bad_parameters_are_named(bagged, kind, params):
    with pytest.raises(CaveatError) as caught:
        kind(**params).fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    (name,) = params
    assert name in str(caught.value)
