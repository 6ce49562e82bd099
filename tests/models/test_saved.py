"""A model that was saved and loaded gives the same answers; no pickle is read."""

from __future__ import annotations

import json
import zipfile

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from caveat.exceptions import DataError, InvalidInput, MissingExtra
from caveat.models import MODELS, load, make_model, save
from tests.models.checkpoints import tiny


def case(name, task):
    many = MODELS[name].facts["family"] == "network" and name != "mlp"
    return pytest.param(name, task, marks=[pytest.mark.thorough] if many else [])


CASES = [
    case(name, task)
    for name in MODELS
    for task in MODELS[name].tasks
    if MODELS[name].extra != "foundation"
]


def table(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "job": rng.choice(["full", "part", "none"], n),
            "level": pd.Categorical(rng.choice([3, 1, 2], n)),
            "owner": rng.random(n) > 0.5,
        }
    )
    signal = (X["age"] - 40) / 10 + (X["job"] == "full")
    X.loc[::7, "age"] = np.nan
    X.loc[::9, "job"] = None
    targets = {
        "binary": np.where(signal > 0.3, "yes", "no"),
        "multiclass": np.digitize(signal, [-0.4, 0.8]) + 5,
        "regression": signal.to_numpy() * 1000,
    }
    return X, targets


def same(found, expected):
    """Compare; scikit-learn's trees are walked by us, so the last bit may differ."""
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "task"), CASES)
def test_saved_and_loaded_gives_the_same_answers(name, task, tmp_path):
    X, targets = table()
    y = targets[task]
    settings = {**MODELS[name].quick}
    settings |= {"max_epochs": 2} if "max_epochs" in settings else {}
    try:
        model = make_model(name, task, random_state=0, **settings).fit(X, y)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    new = X.assign(job="king")[["owner", "level", "job", "age"]]
    for rows in (X, new, X[:1]):
        same(loaded.predict(rows), model.predict(rows))
        if task != "regression":
            same(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.predict(X).dtype == model.predict(X).dtype
    assert loaded.get_params()["task"] == task
    np.testing.assert_array_equal(loaded.validation_rows_, model.validation_rows_)
    save(loaded, tmp_path / "again")
    same(load(tmp_path / "again").predict(X), model.predict(X))


@pytest.mark.thorough
@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("name", ["tabpfn", "tabicl"])
def test_a_model_that_reads_in_context_comes_back_with_its_rows(name, task, tmp_path):
    weights = tiny(name, tmp_path / "weights.ckpt", task)
    X, targets = table()
    settings = {"weights": weights, "n_estimators": 2, "random_state": 0}
    model = make_model(name, task, **settings).fit(X, targets[task])
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    # Half precision inside, and the same code twice on the same rows.
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params()["weights"] == str(weights)
    with zipfile.ZipFile(tmp_path / "model") as archive:
        parts = {part.rpartition(".")[2] for part in archive.namelist()}
    assert parts == {"json", "npy"}
    weights.unlink()
    with pytest.raises(DataError, match="finds no weights at"):
        load(tmp_path / "model")


@pytest.mark.thorough
def test_boosting_that_stopped_early_is_saved_as_it_answers(tmp_path):
    X, targets = table(120)
    for name in ("lightgbm", "xgboost", "catboost", "hist-gradient-boosting"):
        pytest.importorskip(name.replace("hist-gradient-boosting", "sklearn"))
        model = make_model(name, "binary", random_state=0)
        model.fit(X, targets["binary"], validation=0.3)
        save(model, tmp_path / name)
        found = load(tmp_path / name).predict_proba(X)
        same(found, model.predict_proba(X))


def test_masks_survive_saving(tmp_path):
    X, targets = table()
    for name in ("mlp", "lightgbm"):
        settings = {**MODELS[name].quick, "mask_rate": 0.3, "random_state": 0}
        model = make_model(name, "binary", **settings).fit(X, targets["binary"])
        save(model, tmp_path / name)
        loaded = load(tmp_path / name)
        told = loaded.predict_masked(X, ["age"])
        np.testing.assert_array_equal(told, model.predict_masked(X, ["age"]))


def test_a_file_holds_json_arrays_and_native_files_only(tmp_path):
    X, targets = table()
    for name in ("mlp", "random-forest", "lightgbm"):
        model = make_model(name, "binary", random_state=0, **MODELS[name].quick)
        save(model.fit(X, targets["binary"]), tmp_path / name)
        with zipfile.ZipFile(tmp_path / name) as archive:
            for part in archive.namelist():
                content = archive.read(part)
                assert part.endswith((".json", ".npy", "lightgbm.txt"))
                if part.endswith(".npy"):
                    assert b"'descr': '|O'" not in content[:128]


def test_what_cannot_be_saved_is_said(tmp_path):
    with pytest.raises(InvalidInput, match="none of caveat's models"):
        save(LogisticRegression(), tmp_path / "x")
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        save(make_model("ridge", "regression"), tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_damaged_and_foreign_files_are_refused(tmp_path):
    X, targets = table()
    path = tmp_path / "model"
    save(make_model("dummy").fit(X, targets["binary"]), path)
    with zipfile.ZipFile(tmp_path / "other", "w") as archive:
        about = json.dumps({"$": "dict", "of": [["format", "caveat model 9"]]})
        archive.writestr("caveat-model.json", about)
    with pytest.raises(DataError, match="'caveat model 9'"):
        load(tmp_path / "other")
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(DataError, match="not a model that caveat can read"):
        load(path)
    with pytest.raises(DataError, match="there is no model at"):
        load(tmp_path / "absent")


@pytest.mark.thorough
def test_native_files_of_boosting_are_read(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    targets = {
        "binary": (X["a"] > 0).to_numpy().astype(int),
        "multiclass": np.digitize(X["a"], [-0.5, 0.5]),
        "regression": X["a"].to_numpy(),
    }
    for task, y in targets.items():
        kind = "Regressor" if task == "regression" else "Classifier"
        quiet = {"verbose": False, "allow_writing_files": False}
        models = {
            "l.txt": getattr(lightgbm, f"LGBM{kind}")(n_estimators=5, verbose=-1),
            "x.json": getattr(xgboost, f"XGB{kind}")(n_estimators=5),
            "x.ubj": getattr(xgboost, f"XGB{kind}")(n_estimators=5),
            "c.cbm": getattr(catboost, f"CatBoost{kind}")(iterations=5, **quiet),
        }
        for name, model in models.items():
            model.fit(X, y)
            owner = model.booster_ if name == "l.txt" else model
            owner.save_model(str(tmp_path / name))
            found = load(tmp_path / name)
            if task != "regression":
                given = found.predict_proba(X)
                np.testing.assert_allclose(given, model.predict_proba(X), rtol=1e-6)
            assert hasattr(found, "predict_proba") == (task != "regression")
            theirs = np.asarray(model.predict(X)).ravel()
            given = np.asarray(found.predict(X)).ravel()
            np.testing.assert_allclose(given, theirs, rtol=1e-6)


def test_a_native_model_takes_the_columns_that_it_names(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    model = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1).fit(X, X["a"])
    model.booster_.save_model(str(tmp_path / "model"))
    found = load(tmp_path / "model")
    swapped = X.assign(new=1.0)[["new", "b", "a"]]
    np.testing.assert_array_equal(found.predict(swapped), model.predict(X))
    with pytest.raises(InvalidInput, match="no column 'b'"):
        found.predict(X[["a"]])


def test_pickles_and_modules_need_trust(tmp_path, monkeypatch):
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    joblib.dump(model, tmp_path / "model.joblib")
    with pytest.raises(
        InvalidInput, match=r"may run any code; if you trust it, pass trust=True"
    ):
        load(tmp_path / "model.joblib")
    found = load(tmp_path / "model.joblib", trust=True)
    assert found.predict([[1.0]]).tolist() == [1]

    (tmp_path / "ours_for_test.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])\n"
        "def make():\n    return model\n"
        "number = 3\n"
        "def answers(table):\n    return [0.5] * len(table)\n"
        "def broken():\n    raise OSError('no file')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InvalidInput, match="would run the code of a module"):
        load("ours_for_test:model")
    for name in ("model", "make"):
        loaded = load(f"ours_for_test:{name}", trust=True)
        assert loaded.predict([[1.0]]).tolist() == [1]
    answers = load("ours_for_test:answers", trust=True)
    assert answers([[1.0], [2.0]]) == [0.5, 0.5]
    with pytest.raises(InvalidInput, match=r"failed .OSError: no file.; name a"):
        load("ours_for_test:broken", trust=True)
    with pytest.raises(InvalidInput, match="nothing called 'modle'; did you mean"):
        load("ours_for_test:modle", trust=True)
    with pytest.raises(InvalidInput, match="which cannot predict"):
        load("ours_for_test:number", trust=True)
    with pytest.raises(InvalidInput, match="cannot be imported"):
        load("no_such_module_here:model", trust=True)


@pytest.mark.parametrize(
    ("suffix", "library"), [("onnx", "onnxruntime"), ("skops", "skops")]
)
def test_a_library_that_is_missing_is_named(suffix, library, tmp_path):
    path = tmp_path / f"model.{suffix}"
    path.write_bytes(b"something")
    try:
        __import__(library)
    except ImportError:
        with pytest.raises(MissingExtra, match=f"needs '{library}"):
            load(path)
    else:
        pytest.skip(f"{library} is installed")
