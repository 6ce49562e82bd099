import numpy as np
import pytest

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import make_model
from caveat.shift import Stages, shift_curve, shift_look, upper_bound


@pytest.fixture(scope="module")
def two(mixed):
    X, y, X_test, y_test = mixed()
    models = {
        "linear": make_model("logistic-regression").fit(X, y),
        "trees": make_model("random-forest", n_estimators=10, random_state=0).fit(X, y),
    }
    return models, X, y, X_test, y_test


@pytest.fixture(scope="module")
def look(two):
    seen = []
    found = shift_look(
        *two,
        missing=["size", "left"],
        imputers=["mean", "native"],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1][0] == seen[-1][1]
    return found


def test_it_sums_up_what_the_curves_say(two, look):
    models, *parts = two
    for name, model in models.items():
        single = shift_curve(model, *parts, scenario="single", metric="auc").of()
        decay = shift_curve(model, *parts, metric="auc", random_state=0)
        row = look.models.loc[name]
        assert row["closed"] == single["value"][0]
        assert row["worst"] == single["value"][1:].min()
        assert row["area"] == pytest.approx(decay.area())
        assert row["half"] == pytest.approx(decay.of().set_index("k")["value"][2])
        gone = single.iloc[1:].set_index("column")["value"]
        assert look.columns[name].to_dict() == gone.to_dict()
    assert look.models["area"].is_monotonic_decreasing
    assert look.columns.iloc[:, 0].is_monotonic_increasing
    assert look.floor == 0.5


def test_it_prices_the_columns_that_are_about_to_be_lost(two, look):
    models, *parts = two
    stage = Stages({"gone": ["size", "left"]})
    row = look.missing.set_index(["model", "imputer"]).loc[("trees", "mean")]
    imputed = shift_curve(models["trees"], *parts, scenario=stage, metric="auc")
    again = upper_bound(models["trees"], *parts, scenarios=[stage], metric="auc")
    assert row["imputed"] == imputed.of()["value"][1]
    assert row["refitted"] == pytest.approx(again["upper"][0])


def test_what_a_model_cannot_take_is_left_out_and_told(mixed):
    X, y, X_test, y_test = mixed()

    def model(table):
        assert not table.isna().any(axis=None)
        return np.linspace(0.1, 0.9, len(table)) * 0 + 0.4

    found = shift_look({"f": model}, X, y, X_test, y_test, imputers=["mean", "native"])
    assert found.imputers.index.tolist() == ["mean"]
    assert "takes no missing cells" in found.notes[0]


def test_errors_are_better_when_smaller(mixed):
    X, y, X_test, y_test = mixed("regression")
    models = {
        name: make_model(name, "regression").fit(X, y) for name in ("dummy", "ridge")
    }
    found = shift_look(models, X, y, X_test, y_test, imputers=["mean"])
    assert found.measure == "rmse"
    assert found.models.index[0] == "ridge"
    assert found.models.loc["ridge", "worst"] > found.models.loc["ridge", "closed"]
    assert found.floor == pytest.approx(found.models.loc["dummy", "closed"])


def test_unknown_columns_and_empty_lists_are_refused(two):
    models, *parts = two
    with pytest.raises(UnknownName, match="did you mean 'size'"):
        shift_look(models, *parts, missing=["sise"])
    with pytest.raises(InvalidInput, match="models is empty"):
        shift_look({}, *parts)
    with pytest.raises(InvalidInput, match="imputers is empty"):
        shift_look(models, *parts, imputers=[])
