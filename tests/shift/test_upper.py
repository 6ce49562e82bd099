import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from caveat.exceptions import InvalidInput
from caveat.models import make_model
from caveat.shift import shift_curve, upper_bound


@pytest.fixture(scope="module")
def fitted(mixed):
    X, y, X_test, y_test = mixed()
    return make_model("logistic-regression").fit(X, y), X, y, X_test, y_test


def test_it_compares_the_imputed_model_with_one_fitted_without_the_columns(fitted):
    model, X, y, X_test, y_test = fitted
    found = upper_bound(*fitted, scenarios=["single"])
    for _, row in found.iterrows():
        names = [n for n, bit in zip(X.columns, row["mask"], strict=True) if bit == "0"]
        fresh = clone(model).fit(X[names], y).score(X_test[names], y_test)
        assert row["upper"] == pytest.approx(fresh)
        assert row["loss"] == pytest.approx(fresh - row["imputed"])
    imputed = shift_curve(*fitted, scenario="single").of()["value"][1:]
    np.testing.assert_array_equal(np.sort(found["imputed"]), np.sort(imputed))


def test_without_any_column_it_is_the_constant_answer(fitted, mixed):
    _model, X, y, X_test, y_test = fitted
    last = upper_bound(*fitted, scenarios=["most"], degrees=[4])
    assert last["upper"][0] == pytest.approx((y_test == y.mode()[0]).mean())
    X, y, X_test, y_test = mixed("regression")
    ridge = make_model("ridge", "regression").fit(X, y)
    last = upper_bound(ridge, X, y, X_test, y_test, scenarios=["most"], degrees=[4])
    expected = np.sqrt(((y_test - y.mean()) ** 2).mean())
    assert last["upper"][0] == pytest.approx(expected)
    assert last["loss"][0] == pytest.approx(last["imputed"][0] - expected)


def test_a_mask_of_several_scenarios_is_fitted_once(fitted):
    _model, _X, _y, _X_test, _y_test = fitted
    fits = []

    def make(names):
        fits.append(tuple(names))
        return make_model("logistic-regression")

    found = upper_bound(*fitted, make=make, max_subsets=2, random_state=0)
    assert len(fits) == len(set(fits))
    assert {"least", "most", "random"} == set(found["scenario"])
    assert len(found[found["scenario"] == "most"]) == 4


def test_a_model_that_names_its_columns_learns_as_if_they_were_not_there(fitted):
    _, X, y, X_test, y_test = fitted
    parts = {"colour": OneHotEncoder(), "size": StandardScaler()}
    encoder = make_column_transformer(*((part, [n]) for n, part in parts.items()))
    model = make_pipeline(encoder, LogisticRegression()).fit(X, y)
    found = upper_bound(
        model, X, y, X_test, y_test, scenarios=["single"], metric="log-loss"
    ).set_index("mask")
    for gone, left in (("colour", "size"), ("size", "colour")):
        mask = "".join(str(int(name == gone)) for name in X.columns)
        alone = make_pipeline(parts[left], LogisticRegression()).fit(X[[left]], y)
        expected = log_loss(y_test, alone.predict_proba(X_test[[left]]))
        assert found.loc[mask, "upper"] == pytest.approx(expected, abs=1e-3)


def test_one_value_is_tried_only_where_no_way_to_make_a_model_was_given(fitted):
    _, X, y, X_test, y_test = fitted
    encoder = make_column_transformer(
        (OneHotEncoder(), ["colour"]), ("passthrough", ["size"])
    )
    model = make_pipeline(encoder, LogisticRegression()).fit(X, y)
    with pytest.raises(InvalidInput, match="pass make="):
        upper_bound(
            model, X, y, X_test, y_test,
            scenarios=["single"], make=lambda names: clone(model),
        )  # fmt: skip


def test_a_function_cannot_be_fitted_again(fitted):
    model, *parts = fitted
    with pytest.raises(InvalidInput, match="pass make="):
        upper_bound(model.predict_proba, *parts, scenarios=["single"])
