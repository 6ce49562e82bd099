"""Derived columns help where the target is one, and read no test row."""

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput
from caveat.models import make_model
from papers.shift.generation import choose, derived, generation_curve


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    X["kind"] = rng.choice(["x", "y"], size=300)
    y = np.where(X["a"] * X["b"] + 0.2 * rng.normal(size=300) > 0, "yes", "no")
    return X[:200], y[:200], X[200:], y[200:]


def test_a_product_is_found(rows):
    X, y, *_ = rows
    assert ("a", "*", "b") in choose(X, y, most=2)


def test_derived_columns_are_made_row_by_row(rows):
    X = rows[2]
    made = derived(X, [("a", "-", "b"), ("a", "/", "c")])
    np.testing.assert_allclose(made["a - b"], X["a"] - X["b"])
    np.testing.assert_allclose(made["a / c"], X["a"] / X["c"])


@pytest.mark.thorough
def test_generation_helps_a_linear_model_until_its_parents_are_gone(rows):
    found = generation_curve(
        lambda: make_model("logistic-regression"), *rows, subsets=2
    ).set_index("k")
    assert found.loc[0, "generated"] > found.loc[0, "refitted"] + 0.1
    assert found.loc[3, "columns"] == 0
    assert found.loc[3, "generated"] == found.loc[3, "refitted"]


def test_one_column_is_too_few(rows):
    X, y, X_test, y_test = rows
    with pytest.raises(InvalidInput, match="two columns"):
        generation_curve(
            lambda: make_model("dummy"), X[["a"]], y, X_test[["a"]], y_test
        )


class TestOpenFE:
    """Derived columns by OpenFE, where it is installed."""

    @pytest.fixture(autouse=True)
    def _there(self):
        pytest.importorskip("openfe", reason="needs the extra autofe")

    @pytest.mark.thorough
    def test_it_finds_the_product_and_computes_row_by_row(self, rows):
        from caveat.shift import DerivedColumns

        X, y, X_test, _ = rows
        made = DerivedColumns(most=5, trees=20).fit(X, y)
        assert "a * b" in made.formulas_
        whole, half = made.transform(X_test), made.transform(X_test[:50])
        pd.testing.assert_frame_equal(whole[:50], half)
        np.testing.assert_allclose(whole["a * b"], X_test["a"] * X_test["b"])

    @pytest.mark.thorough
    def test_a_rule_computes_a_lost_column_from_what_it_derives(self, rows):
        from caveat.shift import OpenFERule, Rules, TreeRule

        X, _, X_test, _ = rows
        X, X_test = (part.assign(ab=part["a"] * part["b"]) for part in (X, X_test))
        errors = []
        for rule in (TreeRule, lambda: OpenFERule(most=3)):
            filled = Rules(rule=rule).fit(X).impute(X_test, ["ab"])
            errors.append(float(((filled["ab"] - X_test["ab"]) ** 2).mean()))
        assert errors[1] < 0.5 * errors[0]
