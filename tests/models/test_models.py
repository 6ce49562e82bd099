"""What every registered model owes, and what each library would say by itself."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, linear_model
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state
from sklearn.utils.estimator_checks import check_estimator

from caveat.exceptions import InvalidInput, MissingExtra, UnknownName
from caveat.models import MODELS, available, counterpart, make_model, names_for
from tests.models.checkpoints import tiny

SEED = int(check_random_state(0).randint(2**31 - 1))


def marked(*case):
    """Leave the many networks to the thorough tests; the MLP stands for them."""
    many = MODELS[case[0]].facts["family"] == "network" and case[0] != "mlp"
    return pytest.param(*case, marks=[pytest.mark.thorough] if many else [])


CASES = [marked(name, task) for name in MODELS for task in MODELS[name].tasks]
NAMES = [marked(name) for name in MODELS]
CLASSIFIERS = [marked(name) for name in names_for("classification")]


def build(name, task, **params):
    """Make a model that is quick, or skip it."""
    settings = {**MODELS[name].quick, **params}
    if name in WEIGHTS_MADE:
        settings = {"n_estimators": 2, "weights": WEIGHTS_MADE[name](task), **params}
    try:
        model = make_model(name, task, random_state=0, **settings)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    return model


WEIGHTS_MADE = {}
"""Models that need weights, and who makes some: none, where torch is missing."""


@pytest.fixture(scope="module", autouse=True)
def weights(tmp_path_factory):
    """Make small random weights for whom the user would bring some."""
    folder = tmp_path_factory.mktemp("weights")

    def maker(name):
        def made(task):
            path = folder / f"{name}-{task == 'regression'}.ckpt"
            return path if path.exists() else tiny(name, path, task)

        return made

    pretrained = [n for n in MODELS if MODELS[n].facts.get("needs") == "weights"]
    WEIGHTS_MADE.update({name: maker(name) for name in pretrained})
    yield
    WEIGHTS_MADE.clear()


def untaught(name):
    """Tell whether a model here has random weights, so that it knows nothing."""
    return name in WEIGHTS_MADE


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 80
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "job": rng.choice(["full", "part", "none"], n),
            "children": rng.integers(0, 4, n),
            "owner": rng.random(n) > 0.5,
        }
    )
    signal = (X["age"] - 40) / 10 + (X["job"] == "full") + 0.2 * rng.normal(size=n)
    targets = {
        "binary": np.where(signal > 0.3, "yes", "no"),
        "multiclass": pd.cut(signal, [-9, -0.4, 0.8, 9], labels=["a", "b", "c"]),
        "regression": signal.to_numpy() * 100 + 7,
    }
    X.loc[::7, "age"] = np.nan
    X.loc[::9, "job"] = None
    return X, {name: np.asarray(target) for name, target in targets.items()}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "task"), CASES)
def test_raw_tables_are_learnt_and_columns_found_by_name(name, task, table):
    X, targets = table
    before, y = X.copy(), targets[task]
    model = build(name, task).fit(X, y)
    other = X.assign(new="column")[["owner", "new", "job", "age", "children"]]

    np.testing.assert_array_equal(model.predict(X), model.predict(other))
    floor = build("dummy", task).fit(X, y).score(X, y) - 1e-12
    assert untaught(name) or model.score(X, y) > floor
    assert set(model.feature_names_in_) == set(X.columns)
    assert is_classifier(model) == (task != "regression")
    assert is_regressor(model) == (task == "regression")
    pd.testing.assert_frame_equal(X, before)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "task"), CASES)
def test_same_seed_same_answers_and_clones_are_alike(name, task, table):
    X, targets = table
    model = build(name, task)
    answers = [clone(model).fit(X, targets[task]).predict(X) for _ in range(2)]
    np.testing.assert_array_equal(*answers)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_are_probabilities_also_for_unseen_levels(name, table):
    X, targets = table
    model = build(name, "multiclass").fit(X, targets["multiclass"])
    new = X[:5].assign(job=["full", "king", None, "queen", "part"], age=np.nan)
    proba = model.predict_proba(new)
    assert proba.shape == (5, 3)
    assert np.isfinite(proba).all()
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(
        model.predict(new), model.classes_[proba.argmax(axis=1)]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_column_is_named(name, table):
    X, targets = table
    task = MODELS[name].tasks[0]
    model = build(name, task).fit(X, targets[task])
    with pytest.raises(InvalidInput, match="'job'"):
        model.predict(X.drop(columns="job"))


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_answered_one_by_one_where_the_registry_says_so(name, table):
    X, targets = table
    task = MODELS[name].tasks[-1]
    model = build(name, task).fit(X, targets[task])
    ask = getattr(model, "predict_proba", model.predict)
    alone = np.concatenate([ask(X.iloc[[i]]) for i in range(7)])
    together = ask(X[:7])
    facts = MODELS[name].facts
    # Networks answer in single precision, whose last digit depends on the kernel.
    digits = 1e-5 if facts["family"] == "network" else 1e-10
    # Where rows are answered together, the docstring says so, and no digit is promised.
    told = "rows that are asked with it" in str(type(model).__doc__)
    assert facts["row_wise"] or told
    digits = digits if facts["row_wise"] else np.inf
    size = max(1.0, np.abs(together).max())
    np.testing.assert_allclose(alone, together, rtol=digits, atol=digits * size)


@pytest.mark.parametrize("name", NAMES)
def test_missing_numbers_reach_the_model_where_the_registry_says_so(name, table):
    X, targets = table
    task = MODELS[name].tasks[0]
    model = build(name, task).fit(X, targets[task])
    encoded = model.encoder_.transform(X)
    gaps = pd.DataFrame(encoded).select_dtypes("number").isna().to_numpy().any()
    expected = MODELS[name].facts["native_missing"] and name != "dummy"
    assert gaps == expected


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 1], [True, False], [0.0, 1.0]])
def test_labels_come_back_as_they_were(labels, table):
    X, targets = table
    y = np.array(labels)[(targets["binary"] == "yes").astype(int)]
    model = build("random-forest", "binary").fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == y.dtype
    assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("dtype", ["boolean", "Int64", "string", "category"])
def test_labels_of_nullable_columns_come_back_as_plain_ones(dtype, table):
    X, targets = table
    plain = {"boolean": [False, True], "Int64": [1, 2]}.get(dtype, ["no", "yes"])
    codes = (targets["binary"] == "yes").astype(int)
    y = pd.Series(np.array(plain)[codes]).astype(dtype)
    model = build("random-forest", "binary").fit(X, y)
    assert [(type(label), label) for label in model.classes_.tolist()] == [
        (type(label), label) for label in plain
    ]
    y[3] = None
    with pytest.raises(InvalidInput, match=r"missing .NaN. in 1 rows.*row 3"):
        model.fit(X, y)


def numeric():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(70, 3)), columns=["a", "b", "c"])
    y = (X["a"] + X["b"] ** 2 > 0.5).to_numpy().astype(int)
    return X, y


def scaled(X):
    return ((X - X.mean()) / X.std(ddof=0)).to_numpy()


def test_linear_models_and_neighbours_are_the_libraries_on_scaled_columns():
    X, y = numeric()
    twins = {
        "logistic-regression": linear_model.LogisticRegression(C=1.0, max_iter=1000),
        "k-nn": KNeighborsClassifier(5),
    }
    for name, twin in twins.items():
        ours = make_model(name).fit(X, y).predict_proba(X)
        theirs = twin.fit(scaled(X), y).predict_proba(scaled(X))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_ridge_solves_its_normal_equations():
    X, _ = numeric()
    y = 3 * X["a"].to_numpy() - X["c"].to_numpy() + 5
    model = make_model("ridge", "regression", alpha=2.0).fit(X, y)
    Z = scaled(X)
    w = np.linalg.solve(Z.T @ Z + 2.0 * np.eye(3), Z.T @ (y - y.mean()))
    np.testing.assert_allclose(model.predict(X), Z @ w + y.mean(), rtol=1e-10)


@pytest.mark.parametrize("name", ["random-forest", "extra-trees"])
def test_forests_are_the_libraries_own(name):
    X, y = numeric()
    kind = {
        "random-forest": ensemble.RandomForestClassifier,
        "extra-trees": ensemble.ExtraTreesClassifier,
    }[name]
    ours = make_model(name, random_state=0, n_estimators=9).fit(X, y).predict_proba(X)
    twin = kind(n_estimators=9, random_state=SEED).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(ours, twin.predict_proba(X.to_numpy()))


def test_boosting_is_the_libraries_own():
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    catboost = pytest.importorskip("catboost")
    X, y = numeric()
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    twins = {
        "hist-gradient-boosting": (
            {"max_iter": 15},
            ensemble.HistGradientBoostingClassifier(max_iter=15),
        ),
        "lightgbm": (
            {"n_estimators": 15},
            lightgbm.LGBMClassifier(n_estimators=15, verbose=-1, n_jobs=1),
        ),
        "xgboost": (
            {"n_estimators": 15},
            xgboost.XGBClassifier(n_estimators=15, learning_rate=0.1, n_jobs=1),
        ),
        "catboost": (
            {"iterations": 15},
            catboost.CatBoostClassifier(
                iterations=15, learning_rate=0.01, depth=4, random_seed=SEED, **quiet
            ),
        ),
    }
    for name, (params, twin) in twins.items():
        ours = make_model(name, random_state=0, **params).fit(X, y).predict_proba(X)
        theirs = twin.fit(X.to_numpy(), y).predict_proba(X.to_numpy())
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "lightgbm",
            {
                "num_leaves": 31,
                "learning_rate": 0.1,
                "min_child_samples": 20,
                "min_child_weight": 1e-3,
                "n_estimators": 100,
            },
        ),
        ("xgboost", {"n_estimators": 300, "learning_rate": 0.1, "max_depth": 6}),
        ("catboost", {"learning_rate": 0.01, "depth": 4, "iterations": 500}),
    ],
)
def test_defaults_are_those_that_the_feature_shift_study_settled_on(name, expected):
    pytest.importorskip(name)
    told = make_model(name)._build(0, 10).get_params()
    assert {key: told[key] for key in expected} == expected


def test_dummy_knows_the_shares_and_the_mean():
    X = pd.DataFrame({"x": [1, 2, 3, 4]})
    classes = make_model("dummy").fit(X, ["b", "a", "b", "b"])
    assert classes.predict_proba(X[:1]).tolist() == [[0.25, 0.75]]
    numbers = make_model("dummy", "regression").fit(X, [1, 2, 3, 6])
    assert numbers.predict(X[:2]).tolist() == [3.0, 3.0]
    assert make_model("dummy").fit(X, ["a"] * 4).predict(X).tolist() == ["a"] * 4


@pytest.mark.thorough
def test_mlp_answers_in_the_units_of_the_target():
    X, _ = numeric()
    y = 1e6 + 1e5 * X["a"].to_numpy()
    settings = {"learning_rate": 0.01, "hidden": (64,), "random_state": 0}
    model = make_model("mlp", "regression", **settings)
    assert model.fit(X, y).score(X, y) > 0.9
    assert 1 <= model.best_epoch_ <= model.n_epochs_ <= 200


def test_catboost_reads_text_columns_as_categories(table):
    X, targets = table
    model = build("catboost", "binary").fit(X, targets["binary"])
    places = model.estimator_.get_cat_feature_indices()
    assert [model.estimator_.feature_names_[place] for place in places] == ["job"]


def test_kinds_can_be_told(table):
    X, targets = table
    kinds = {"children": "categorical"}
    model = build("catboost", "binary", kinds=kinds).fit(X, targets["binary"])
    places = model.estimator_.get_cat_feature_indices()
    names = [model.estimator_.feature_names_[place] for place in places]
    assert sorted(names) == ["children", "job"]
    one_hot = build("logistic-regression", "binary", kinds=kinds)
    assert one_hot.fit(X, targets["binary"]).encoder_.categorical_ == [
        "job",
        "children",
    ]


def test_every_model_keeps_to_one_thread():
    X, y = numeric()
    settings = {"lightgbm": "n_jobs", "xgboost": "n_jobs", "catboost": "thread_count"}
    settings |= {"random-forest": "n_jobs", "k-nn": "n_jobs"}
    for name, key in settings.items():
        model = build(name, "binary").fit(X, y)
        assert model.estimator_.get_params()[key] == 1


def test_options_reach_the_library_but_not_its_threads():
    pytest.importorskip("lightgbm")
    X, y = numeric()
    options = {"max_depth": 2, "n_jobs": 8}
    model = make_model("lightgbm", options=options, n_estimators=3).fit(X, y)
    assert model.estimator_.get_params()["max_depth"] == 2
    assert model.estimator_.get_params()["n_jobs"] == 1


LEARNERS = ["ridge", "k-nn", "random-forest", "extra-trees", "mlp"]
BOOSTERS = ["hist-gradient-boosting", "lightgbm", "xgboost", "catboost"]


@pytest.mark.parametrize("name", [*LEARNERS, *BOOSTERS])
@pytest.mark.parametrize("unit", [(1e-9, 0.0), (1.0, 1e9)], ids=["small", "far"])
def test_the_unit_of_a_target_makes_no_difference(name, unit):
    X, _ = numeric()
    y = 2 * X["a"].to_numpy() - X["c"].to_numpy()
    factor, start = unit
    plain = build(name, "regression").fit(X, y).predict(X)
    other = build(name, "regression").fit(X, factor * y + start).predict(X)
    # Trees may part ties elsewhere; a model that stays at the mean misses it all.
    missed = np.square((other - start) / factor - plain).mean()
    assert missed < 0.1 * plain.var()
    assert plain.var() > 0.05 * y.var()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("lightgbm", {"objective": "poisson"}),
        ("xgboost", {"objective": "count:poisson"}),
        ("catboost", {"loss_function": "Poisson"}),
    ],
)
def test_a_loss_of_ones_own_gets_the_target_in_its_own_unit(name, options):
    pytest.importorskip(name)
    X, _ = numeric()
    y = np.round(np.exp(1 + X["a"].to_numpy()))
    quick = {**MODELS[name].quick, "learning_rate": 0.3}
    model = make_model(name, "regression", random_state=0, options=options, **quick)
    assert model.fit(X, y).target_scale_.spread == 1
    assert model.score(X, y) > 0.2


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "random-forest"])
def test_a_target_of_one_number_is_answered_with_it(name):
    if name != "random-forest":
        pytest.importorskip(name)
    X, _ = numeric()
    model = build(name, "regression").fit(X, np.full(len(X), 7.25))
    np.testing.assert_allclose(model.predict(X), 7.25, rtol=1e-6)


DEGENERATE = {
    "one constant column": (pd.DataFrame({"a": np.ones(12)}), ["p", "q"] * 6),
    "a column without a value": (
        pd.DataFrame({"a": np.full(12, np.nan), "b": range(12)}),
        ["p", "q"] * 6,
    ),
    "two rows": (pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), ["p", "q"]),
    "more columns than rows": (
        pd.DataFrame(np.eye(6, 40)).rename(columns=str),
        ["p", "q"] * 3,
    ),
    "text only, all different": (
        pd.DataFrame({"name": [f"n{i}" for i in range(12)]}),
        ["p", "q"] * 6,
    ),
    "huge numbers": (
        pd.DataFrame({"a": np.linspace(-1, 1, 12) * 1e300}),
        ["p"] * 6 + ["q"] * 6,
    ),
    "strange names and types": (
        pd.DataFrame(
            {
                "[x]<\U0001f600>\n": pd.array([1, None] * 6, dtype="Int64"),
                "": pd.array([True, None] * 6, dtype="boolean"),
                "c": pd.Categorical(["u", "v"] * 6, categories=["w", "v", "u"]),
                "d": pd.date_range("2020", periods=12),
            }
        ),
        ["p", "q"] * 6,
    ),
}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:columns 'a' have no value")
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_degenerate_tables_give_finite_answers(name, case):
    X, y = DEGENERATE[case]
    proba = build(name, "binary").fit(X, y).predict_proba(X)
    assert proba.shape == (len(X), 2)
    assert np.isfinite(proba).all()


@pytest.mark.parametrize(
    ("y", "task", "message"),
    [
        (["a"] * 4, "classification", "one class only, 'a'"),
        (
            pd.Series([1, "a", 2, "b"], dtype=object),
            "classification",
            "mixes labels of the types int, str",
        ),
        ([1, 2, np.nan, 3], "classification", "missing .NaN. in 1 rows.*row 2"),
        ([1, 2, np.inf, 3], "regression", "infinite in row 2"),
        (["a", "b", "c", "d"], "regression", "'a', which is not a number"),
        (pd.date_range("2020", periods=4), "regression", "dates or spans of time"),
        ([1, 2], "regression", "4 rows, but y has 2"),
        (None, "regression", "y is None"),
    ],
)
def test_targets_that_cannot_be_used_are_refused(y, task, message):
    model = make_model("k-nn", task)
    with pytest.raises(InvalidInput, match=message):
        model.fit(pd.DataFrame({"x": [1, 2, 3, 4]}), y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a'"),
        (pd.DataFrame({"a": [np.inf, 1.0]}), "infinity"),
        (pd.DataFrame({"a": []}), "0 sample"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(X, message):
    with pytest.raises(InvalidInput, match=message):
        make_model("k-nn").fit(X, ["a", "b"][: len(X)])


def test_no_rows_to_answer_are_refused():
    model = make_model("k-nn").fit(pd.DataFrame({"x": [1, 2]}), ["a", "b"])
    with pytest.raises(InvalidInput, match="0 rows"):
        model.predict(pd.DataFrame({"x": []}, dtype=float))


def test_what_a_library_refuses_is_one_sentence():
    pytest.importorskip("catboost")
    with pytest.raises(InvalidInput, match=r"CatBoost cannot learn .*depth is 16"):
        make_model("catboost", depth=99).fit([[1], [2]], [0, 1])


def test_names_tasks_and_counterparts():
    assert counterpart("logistic-regression", "regression") == "ridge"
    assert counterpart("ridge", "binary") == "logistic-regression"
    assert counterpart("k-nn", "regression") == "k-nn"
    assert "ridge" not in names_for("binary")
    with pytest.raises(InvalidInput, match="'ridge' can"):
        make_model("logistic-regression", "regression")
    with pytest.raises(UnknownName, match="did you mean 'random-forest'"):
        make_model("random-forrest")
    with pytest.raises(InvalidInput, match="did you mean 'regression'"):
        make_model("k-nn", "regress")


def test_the_list_of_models_is_a_frame():
    frame = available()
    assert frame.columns.tolist() == ["name", "family", "tasks", "extra"]
    assert set(frame["name"]) == set(MODELS)
    extras = {"", "deep", "trees", "foundation", "realmlp"}
    assert set(frame["extra"]) == extras


def test_grids_spaces_and_quick_settings_name_real_parameters():
    for name, entry in MODELS.items():
        asked = entry.extra in ("foundation", "realmlp")
        model = None if asked else build(name, entry.tasks[0])
        told = {"n_estimators": 0, "weights": 0, "n_epochs": 0}
        known = model.get_params() if model else told
        assert {*entry.grid, *entry.space, *entry.quick} <= set(known)


def test_spaces_are_those_of_the_feature_shift_study():
    """TabFSBench (Cheng et al. 2025), Tables 5 and 6."""
    published = {
        "lightgbm": {
            "num_leaves": [31, 127],
            "learning_rate": [0.01, 0.1],
            "min_data_in_leaf": [20, 50, 100],
            "min_sum_hessian_in_leaf": [1e-3, 1e-2, 1e-1],
        },
        "xgboost": {
            "learning_rate": [0.01, 0.1],
            "max_depth": [1, 5, 9],
            "n_estimators": [10000, 20000, 30000],
            "subsample": [0.5, 0.8, 1.0],
            "colsample_bytree": [0.5, 0.8, 1.0],
            "min_child_weight": [1, 3, 5],
        },
        "catboost": {
            "learning_rate": [0.01, 0.05, 0.1],
            "depth": [4, 6, 8],
            "iterations": [500, 1000, 2000],
        },
    }
    for name, space in published.items():
        ours = {key: row["choice"] for key, row in MODELS[name].space.items()}
        assert ours == space


@pytest.mark.parametrize("name", ["tabpfn", "tabicl"])
def test_pretrained_models_need_the_users_weights(name, monkeypatch, tmp_path):
    class Package(types.ModuleType):
        """Stands in for the package: remembers what it is told."""

        def __getattr__(self, wanted):
            class Estimator:
                def __init__(self, **told):
                    self.told = told

                def fit(self, X, y):
                    if Path(self.told["model_path"]).read_bytes() == b"<html>":
                        raise RuntimeError("Weights only load failed.")
                    self.share = np.mean(y)
                    return self

                def predict_proba(self, X):
                    return np.tile([1 - self.share, self.share], (len(X), 1))

            Estimator.__name__ = wanted
            return Estimator

    monkeypatch.setitem(sys.modules, name, Package(name))
    monkeypatch.delitem(sys.modules, f"caveat.models._{name}", raising=False)
    X, y = numeric()
    with pytest.raises(InvalidInput, match="has no weights"):
        make_model(name).fit(X, y)
    with pytest.raises(InvalidInput, match="finds no weights at"):
        make_model(name, weights=tmp_path / "absent").fit(X, y)
    page = tmp_path / "page.ckpt"
    page.write_text("<html>")
    with pytest.raises(InvalidInput, match=r"cannot read weights from .*page.ckpt"):
        make_model(name, weights=page).fit(X, y)
    weights = tmp_path / "weights.ckpt"
    weights.touch()
    model = make_model(name, weights=str(weights), random_state=0).fit(X, y)
    told = model.estimator_.told
    assert told["model_path"] == str(weights)
    assert (told["device"], told["random_state"]) == ("cpu", SEED)
    assert told.get("allow_auto_download", False) is False
    # The training rows are encoded once.
    assert told.get("kv_cache") or told["fit_mode"] == "fit_with_cache"
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    del sys.modules[f"caveat.models._{name}"]  # for good: others shall not find it


def test_realmlp_gets_frames_categories_and_validation_rows(monkeypatch, table):
    class Estimator:
        def __init__(self, **told):
            self.told = told

        def fit(self, X, y, **more):
            self.seen, self.more = X, more
            self.share = np.mean(y)
            return self

        def predict_proba(self, X):
            return np.tile([1 - self.share, self.share], (len(X), 1))

    package = types.ModuleType("pytabkit")
    package.RealMLP_TD_Classifier = Estimator
    monkeypatch.setitem(sys.modules, "pytabkit", package)
    monkeypatch.delitem(sys.modules, "caveat.models._realmlp", raising=False)
    X, targets = table
    model = make_model("realmlp", "binary", random_state=0, options={"n_cv": 1})
    model.fit(X, targets["binary"])
    seen, more = model.estimator_.seen, model.estimator_.more
    assert more["cat_col_names"] == ["job"]
    assert len(more["X_val"]) == len(more["y_val"]) == 16
    assert len(seen) == 64
    assert not seen.isna().any().any()
    told = model.estimator_.told
    assert (told["n_threads"], told["n_cv"], told["random_state"]) == (1, 1, SEED)
    assert model.predict_proba(X).shape == (80, 2)
    with pytest.raises(InvalidInput, match="RealMLP cannot weigh rows"):
        model.fit(X, targets["binary"], sample_weight=np.ones(80))
    del sys.modules["caveat.models._realmlp"]  # for good: others shall not find it


def test_looking_at_the_packages_imports_nothing_heavy():
    code = (
        "import sys, caveat.models, caveat.training, caveat.supervised\n"
        "from caveat.models.registry import MODELS\n"
        "list(MODELS)\n"
        "heavy = {'torch', 'numba', 'matplotlib', 'scipy', 'sklearn', 'pandas',\n"
        "         'lightgbm', 'xgboost', 'catboost', 'numpy'}\n"
        "found = heavy & set(sys.modules)\n"
        "sys.exit(f'imported: {found}' if found else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "task"),
    [("dummy", "classification"), ("ridge", "regression")],
)
def test_scikit_learn_accepts_the_models_as_estimators(name, task):
    scaled = "columns are scaled by rows, not by their weights"
    excused = {"ridge": {WEIGHTS: scaled}}.get(name)
    check_estimator(build(name, task), on_skip=None, expected_failed_checks=excused)


WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
CANNOT_WEIGH = (
    WEIGHTS,
    "check_classifiers_one_label_sample_weights",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
)


def excuses(name):
    """Say which demands a model cannot meet, and why."""
    random = "batches, bootstraps, bins and leaf sizes count rows, not their weights"
    if not MODELS[name].load().weighs:
        excused = dict.fromkeys(CANNOT_WEIGH, "it cannot weigh rows, and says so")
        if name == "realmlp":
            single = "single precision: the sixth digit depends on the batch's size"
            excused["check_methods_subset_invariance"] = single
        return excused
    excused = {WEIGHTS: random}
    if name == "modernnca":
        excused["check_class_weight_classifiers"] = "rows vote alike, only losses weigh"
    return excused


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "task"), CASES)
def test_scikit_learn_accepts_every_model_as_an_estimator(name, task):
    model = build(name, task)
    if untaught(name):
        pytest.skip("random weights learn nothing, which the checks ask for")
    check_estimator(model, on_skip=None, expected_failed_checks=excuses(name))
