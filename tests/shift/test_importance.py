import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.inspection import permutation_importance

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import make_model
from caveat.shift import feature_importance
from caveat.shift.importance._importance import ascending
from caveat.shift.registry import IMPORTANCES

# Published coefficients, on the whole table (feature-shift paper, Figure 6).
PUBLISHED = {
    "iris": {"Sepal.Width": -0.427, "Petal.Length": 0.949, "Petal.Width": 0.957},
    "heart": {"RestingECG": 0.057, "ChestPainType": -0.387, "ST_Slope": -0.559},
    "abalone": {"Sex": -0.035, "Weight": 0.540, "Shell weight": 0.628},
    "concrete": {"flyash": -0.106, "age": 0.329, "cement": 0.498},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_pearson_on_all_rows_is_as_published(name, real):
    X, y, X_test, y_test = real(name)
    found = feature_importance(pd.concat([X, X_test]), pd.concat([y, y_test]))
    for column, value in PUBLISHED[name].items():
        assert round(found[column], 3) == value


def test_text_counts_by_its_place_in_the_alphabet():
    X = pd.DataFrame({"t": ["c", "a", "b", "a"]})
    y = [2.0, 0.5, 1.0, 0.0]
    expected = np.corrcoef([2, 0, 1, 0], y)[0, 1]
    assert feature_importance(X, y)["t"] == pytest.approx(expected)


def test_spearman_agrees_with_scipy(mixed):
    X, y, _, _ = mixed("regression")
    found = feature_importance(X, y, "spearman")
    assert found["size"] == pytest.approx(spearmanr(X["size"], y).statistic)
    assert found["count"] == pytest.approx(spearmanr(X["count"], y).statistic)


def test_eta_is_the_root_of_the_share_of_variance_between_groups():
    X = pd.DataFrame({"n": [1.0, 2.0, 5.0, 6.0], "t": ["a", "a", "b", "b"]})
    labels = ["u", "u", "v", "v"]
    between, total = 4.0, 4.25
    assert feature_importance(X, labels, "eta")["n"] == pytest.approx(
        (between / total) ** 0.5
    )
    assert feature_importance(X, labels, "eta")["t"] == 1.0
    numbers = feature_importance(
        X[["t"]], [1.0, 2.0, 5.0, 6.5], "eta", task="regression"
    )
    values = np.array([1.0, 2.0, 5.0, 6.5])
    expected = np.sqrt(
        ((1.5 - values.mean()) ** 2 + (5.75 - values.mean()) ** 2) / 2 / values.var()
    )
    assert numbers["t"] == pytest.approx(expected)


def test_eta_of_two_categories_is_the_same_both_ways():
    a = pd.Series(list("xxyyzzxy"))
    b = pd.Series(list("uvuvvvuu"))
    one = feature_importance(a.to_frame("t"), b, "eta")["t"]
    other = feature_importance(b.to_frame("t"), a, "eta")["t"]
    assert one == pytest.approx(other)


def test_the_order_of_classes_does_not_matter_to_eta_but_to_pearson(mixed):
    X, y, _, _ = mixed("multiclass")
    renamed = y.map({"low": "zz", "middle": "aa", "high": "mm"})
    for method, same in (("eta", True), ("pearson", False)):
        one = feature_importance(X, y, method)["size"]
        two = feature_importance(X, renamed, method)["size"]
        assert np.isclose(abs(one), abs(two)) == same


def test_shap_and_mutual_information_find_the_column_that_matters():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.normal(size=300), "signal": rng.normal(size=300)})
    for y, task in (
        ((X["signal"] ** 2 > 1).astype(int), "classification"),
        (X["signal"] ** 2, "regression"),
        (np.digitize(X["signal"] ** 2, [0.3, 1]), "classification"),
    ):
        for method in ("shap", "mutual-info"):
            found = feature_importance(X, y, method, task=task)
            assert found["signal"] > 4 * abs(found["noise"])
    assert (
        abs(feature_importance(X, X["signal"] ** 2)["signal"]) < 0.3
    )  # not so Pearson


@pytest.mark.thorough
def test_permutation_and_removal_measure_what_the_model_loses(mixed):
    X, y, X_test, y_test = mixed()
    model = make_model("random-forest", n_estimators=20, random_state=0).fit(X, y)
    shuffled = feature_importance(X_test, y_test, "permutation", model=model)
    by_sklearn = permutation_importance(model, X_test, y_test, random_state=0)
    assert shuffled.idxmax() == X.columns[by_sklearn.importances_mean.argmax()]
    removed = feature_importance(X_test, y_test, "model", model=model)
    constant = X_test.assign(size=X_test["size"].mean())
    expected = model.score(X_test, y_test) - model.score(constant, y_test)
    assert removed["size"] == pytest.approx(expected)


@pytest.mark.parametrize("method", IMPORTANCES)
def test_it_gives_a_number_for_every_column_in_their_order(method, mixed):
    X, y, _, _ = mixed(n=64)
    X = X.assign(size=X["size"].where(X["count"] > 0))
    model = make_model("hist-gradient-boosting", max_iter=3).fit(X, y)
    found = feature_importance(X, y, method, model=model)
    assert list(found.index) == list(X.columns)
    assert np.isfinite(found).all()


def test_a_constant_column_counts_as_nothing_and_is_named():
    X = pd.DataFrame({"same": [3, 3, 3, 3], "a": [1, 2, 3, 5]})
    with pytest.warns(UserWarning, match="'same'"):
        found = feature_importance(X, [0, 0, 1, 1])
    assert found["same"] == 0
    assert ascending(found).tolist() == [0, 1]


def test_ties_are_broken_by_the_place_of_the_column():
    values = pd.Series({"a": 0.5, "b": -0.5, "c": 0.1, "d": 0.5})
    assert ascending(values).tolist() == [2, 0, 1, 3]


def test_huge_numbers_do_not_overflow():
    X = pd.DataFrame({"a": [1e200, 2e200, 3e200]})
    assert feature_importance(X, [1.0, 2.0, 3.5])["a"] == pytest.approx(
        0.9933, abs=1e-4
    )


def test_an_unknown_method_is_named_with_the_nearest(mixed):
    X, y, _, _ = mixed()
    with pytest.raises(UnknownName, match="did you mean 'spearman'"):
        feature_importance(X, y, "speerman")


@pytest.mark.parametrize("method", ["permutation", "model"])
def test_methods_that_ask_the_model_need_one(method, mixed):
    X, y, _, _ = mixed()
    with pytest.raises(InvalidInput, match="needs a fitted model"):
        feature_importance(X, y, method)
