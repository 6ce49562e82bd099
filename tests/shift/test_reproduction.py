"""Numbers of the specification, section 12: exhaustive masks on real tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from caveat.models import make_model
from caveat.shift import HEART_STAGES, Stages, shift_curve

VALUES = Path(__file__).resolve().parents[2] / "papers/shift"
# Allows for other versions of the libraries.
TOLERANCE = {"accuracy": 0.005, "auc": 0.005, "rmse": 0.02}


def expected(dataset, measure, model, split):
    values = pd.read_csv(VALUES / "check-values.csv")
    rows = values[
        (values["dataset"] == dataset)
        & (values["measure"] == measure)
        & (values["model"] == model)
        & (values["split"] == split)
    ]
    return rows["value"].to_numpy()


def linear(task):
    """Integer codes of sorted categories, everything standardised, unit penalty."""
    text = make_column_selector(dtype_include=["object", "str"])
    codes = make_column_transformer((OrdinalEncoder(), text), remainder="passthrough")
    last = Ridge() if task == "rmse" else LogisticRegression(max_iter=1000)
    return make_pipeline(codes, StandardScaler(), last)


@pytest.mark.thorough
def test_the_two_heart_rows_are_met(real):
    X, y, X_test, y_test = real("heart", 42)
    model = make_model("lightgbm", "binary").fit(X, y)
    curve = shift_curve(model, X, y, X_test, y_test, metric=["accuracy", "auc"])
    assert curve.of()["n_subsets"].sum() == 2048
    for measure in ("accuracy", "auc"):
        np.testing.assert_allclose(
            curve.of(measure)["value"],
            expected("heart", measure, "LightGBM", "42"),
            atol=TOLERANCE[measure],
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "heart", "abalone", "concrete"])
@pytest.mark.parametrize("model", ["LightGBM", "linear"])
def test_the_means_over_three_splits_are_met(name, model, real):
    measure = "accuracy" if name in ("iris", "heart") else "rmse"
    task = "regression" if measure == "rmse" else "classification"
    values = []
    for seed in (42, 43, 44):
        X, y, X_test, y_test = real(name, seed)
        made = linear(measure) if model == "linear" else make_model("lightgbm", task)
        curve = shift_curve(made.fit(X, y), X, y, X_test, y_test, task=task)
        values.append(curve.of(measure)["value"])
    word = {"rmse": "ridge", "accuracy": "logistic"}[measure]
    label = word if model == "linear" else model
    target = expected(name, measure, label, "mean of 42, 43, 44")
    np.testing.assert_allclose(np.mean(values, axis=0), target, atol=TOLERANCE[measure])


@pytest.mark.thorough
def test_heart_loses_more_from_the_electrocardiogram_than_from_the_stress_test(real):
    X, y, X_test, y_test = real("heart", 42)
    model = make_model("lightgbm", "binary").fit(X, y)
    stages = shift_curve(model, X, y, X_test, y_test, scenario=Stages(HEART_STAGES))
    intact, without_ecg, without_stress = stages.of()["value"]
    assert without_ecg < without_stress < intact + 0.02


@pytest.mark.thorough
def test_the_published_identity_of_one_column_gone_holds_on_heart(real):
    X, y, X_test, y_test = real("heart", 42)
    model = make_model("lightgbm", "binary").fit(X, y)
    parts = (model, X, y, X_test, y_test)
    metric = ["accuracy", "auc"]
    single = shift_curve(*parts, scenario="single", metric=metric).table
    means = single[single["k"] == 1].groupby("measure")["value"].mean()
    one = shift_curve(*parts, degrees=[1], metric=metric).table.set_index("measure")
    np.testing.assert_allclose(
        means, one[one["k"] == 1].loc[means.index, "value"], rtol=1e-12
    )
    # Pooled over the subsets AUC is another number, as section 6 says.
    pooled = shift_curve(*parts, degrees=[1, 5, 9], metric="auc", aggregate="pooled")
    np.testing.assert_allclose(
        pooled.of()["value"][1:], [0.909, 0.802, 0.664], atol=TOLERANCE["auc"]
    )
