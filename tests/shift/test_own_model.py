"""A user's own model: by joblib, as ONNX, by address and as a function."""

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from caveat.cli._shift import shift
from caveat.shift import Outage, look


def make_rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    table = pd.DataFrame({"a": a, "copy": a + 0.5 * rng.normal(size=n), "b": b})
    score = a + b + 0.3 * rng.normal(size=n)
    return table.assign(y=np.where(score > 0, "yes", "no"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Training and test rows as files, and a pipeline that was fitted to the first."""
    folder = tmp_path_factory.mktemp("own")
    rows = make_rows()
    for name, part in (("train", rows[:200]), ("test", rows[200:])):
        part.to_csv(folder / f"{name}.csv", index=False)
    X, y = rows[:200].drop(columns="y"), rows[:200]["y"]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    joblib.dump(model, folder / "model.joblib")
    return folder, model


def run(folder, model, *words):
    usual = ["--target", "y", "--missing", "a", "--imputers", "mean", "--json"]
    rows = ["--train", str(folder / "train.csv"), "--test", str(folder / "test.csv")]
    return CliRunner().invoke(shift, [*usual, *rows, "--model", model, *words])


@pytest.fixture(scope="module")
def by_joblib(files):
    folder, _ = files
    found = run(folder, str(folder / "model.joblib"), "--trust")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)["losses"][0]


def same(one, other):
    for name in ("all", "after", "loss", "low", "high"):
        assert one[name] == pytest.approx(other[name], abs=1e-3), name
    assert one["advice"] == other["advice"]


@pytest.mark.thorough
def test_a_pipeline_and_a_function_of_it_give_the_same_advice(files, by_joblib):
    folder, model = files
    told = look(
        None,
        "y",
        model=lambda table: model.predict_proba(table),
        train=folder / "train.csv",
        test=folder / "test.csv",
        missing=["a"],
        imputers=["mean"],
    )
    same(told.extra["losses"][0], by_joblib)
    assert by_joblib["advice"] == "refit"
    assert by_joblib["refitted"] is not None


def test_an_onnx_file_gives_the_same_advice(files, by_joblib, tmp_path):
    convert = pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    folder, model = files
    kinds = [
        (name, convert.common.data_types.FloatTensorType([None, 1]))
        for name in ("a", "copy", "b")
    ]
    made = convert.to_onnx(model, initial_types=kinds, options={"zipmap": False})
    (tmp_path / "model.onnx").write_bytes(made.SerializeToString())
    found = run(folder, str(tmp_path / "model.onnx"))
    assert found.exit_code == 0, found.output
    same(json.loads(found.stdout)["losses"][0], by_joblib)


@pytest.mark.thorough
def test_a_module_is_imported_only_if_allowed(files, by_joblib, tmp_path, monkeypatch):
    folder, _ = files
    (tmp_path / "own_model_of_mine.py").write_text(
        f"import joblib\nmodel = joblib.load({str(folder / 'model.joblib')!r})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    refused = run(folder, "own_model_of_mine:model")
    assert "would run the code of a module" in str(refused.exception)
    found = run(folder, "own_model_of_mine:model", "--allow-import")
    same(json.loads(found.stdout)["losses"][0], by_joblib)


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.mark.parametrize(
    "suffix",
    ["joblib", "pkl", "onnx", "txt", "cbm", "json", "ubj", "skops", "model", ""],
)
@pytest.mark.parametrize("words", [[], ["--allow-import"]])
def test_a_hostile_file_ends_in_a_sentence_and_runs_nothing(
    files, tmp_path, suffix, words
):
    folder, _ = files
    burnt = tmp_path / "burnt"
    hostile = tmp_path / f"model.{suffix}"
    hostile.write_bytes(pickle.dumps(Bomb(str(burnt))))
    found = run(folder, str(hostile), *words)
    assert found.exception is not None
    assert len(str(found.exception).splitlines()) == 1
    assert not burnt.exists()


@pytest.mark.thorough
def test_labels_that_the_model_numbers_are_named_by_the_rows(files, by_joblib):
    folder, model = files

    class Numbered:
        classes_ = np.arange(2)

        def predict_proba(self, X):
            return model.predict_proba(X)

        def predict(self, X):
            return self.predict_proba(X).argmax(axis=1)

    told = look(
        None,
        "y",
        model=Numbered(),
        train=folder / "train.csv",
        test=folder / "test.csv",
        missing=["a"],
        imputers=["mean"],
    )
    same(told.extra["losses"][0], by_joblib)


def own(folder, model, missing, **more):
    rows = {"train": folder / "train.csv", "test": folder / "test.csv"}
    how = {"imputers": ["mean"], **rows, **more}
    return look(None, "y", model=model, missing=missing, **how)


def texts(seen):
    return " ".join(one["text"] for one in seen.caveats)


def test_a_column_that_the_model_does_not_read_costs_nothing(files):
    folder, _ = files
    rows = make_rows()[:200]
    narrow = LogisticRegression().fit(rows[["a", "b"]], rows["y"])
    seen = own(folder, narrow, [["copy"], ["a", "copy"], ["a"]], protect=0.02)
    nothing, both, one = seen.extra["losses"]
    assert (nothing["loss"], nothing["advice"]) == (0.0, "fill")
    assert "keeps its" in seen.title
    assert "Keep the model as it is" in str(seen.action)
    assert (both["loss"], both["low"]) == (one["loss"], one["low"])
    assert "Not read by the model: copy" in texts(seen)
    assert {p["left"] for p in seen.extra["pairs"]} <= {"a", "b"}
    swapped = [Outage(("a", "copy"), "swap"), Outage(("copy",), "freeze")]
    moved, still = own(folder, narrow, [], outages=swapped).extra["losses"]
    assert moved["loss"] != 0
    assert still["loss"] == 0


def test_classes_that_a_pipeline_numbers_are_named_and_it_stays_as_it_is(files):
    folder, model = files
    rows = make_rows()[:200]
    X, y = rows.drop(columns="y"), (rows["y"] == "yes").astype(int)
    numbered = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    same(
        own(folder, numbered, ["a"]).extra["losses"][0],
        own(folder, model, ["a"]).extra["losses"][0],
    )
    assert list(numbered.classes_) == [0, 1]
    assert "in the order of their names: 0 is no, 1 is yes" in texts(
        own(folder, numbered, ["a"])
    )


def test_labels_from_one_on_are_named_by_a_model_that_counts_from_nought(tmp_path):
    rows = make_rows()
    rows["y"] = np.where(rows["y"] == "yes", 2, 1)
    for name, part in (("train", rows[:200]), ("test", rows[200:])):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    X, y = rows[:200].drop(columns="y"), rows[:200]["y"]
    model = LogisticRegression().fit(X, y - 1)
    told = own(tmp_path, model, ["a"]).extra["losses"][0]
    same(told, own(tmp_path, LogisticRegression().fit(X, y), ["a"]).extra["losses"][0])


def test_the_trees_of_xgboosts_file_are_not_fitted_again(files, tmp_path):
    """The file has trees, and no settings to learn others with."""
    xgboost = pytest.importorskip("xgboost")
    folder, _ = files
    rows = make_rows()[:200]
    X, y = rows.drop(columns="y").to_numpy(), (rows["y"] == "yes").astype(int)
    path = tmp_path / "model.json"
    xgboost.XGBClassifier(n_estimators=5, max_depth=1).fit(X, y).save_model(path)
    seen = own(folder, str(path), ["a"])
    [loss] = seen.extra["losses"]
    assert "does not hold the settings" in texts(seen)
    assert loss["refitted"] is None
    assert loss["by"] in ("logistic-regression", "hist-gradient-boosting")


def test_catboosts_file_gets_its_own_columns_only(files, tmp_path):
    catboost = pytest.importorskip("catboost")
    folder, _ = files
    rows = make_rows()[:200]
    X, y = rows[["b", "a"]], rows["y"]
    model = catboost.CatBoostClassifier(
        iterations=5, verbose=0, allow_writing_files=False
    ).fit(X, y)
    model.save_model(str(tmp_path / "model.cbm"))
    for name in ("train", "test"):
        table = pd.read_csv(folder / f"{name}.csv")
        table.insert(0, "site", np.where(table["b"] > 0, "north", "south"))
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    seen = own(tmp_path, str(tmp_path / "model.cbm"), ["a"])
    assert {row["column"] for row in seen.extra["columns_at_risk"]} == {"a", "b"}


def test_a_given_model_is_not_called_chosen(files):
    folder, model = files
    beside = own(folder, model, ["a"], models=["logistic-regression"])
    [section] = [one for one in beside.sections if one.name == "models"]
    assert not section.lead
    assert "the model (given)" in [row.cells[0].text for row in section.blocks[0].rows]


class Fussy(LogisticRegression):
    """Wants another value of `a` in other rows."""

    def fit(self, X, y):
        if X["a"].nunique() < 2:
            raise ValueError("a is constant")
        return super().fit(X, y)


def test_what_cannot_be_fitted_again_is_told_without_a_way_that_is_not_there(files):
    folder, _ = files
    rows = make_rows()[:200]
    model = Fussy().fit(rows[["a", "b"]], rows["y"])
    told = texts(own(folder, model, ["a"]))
    assert (
        "Could not fit the model again: the model cannot be fitted without 'a'" in told
    )
    assert "other models were fitted in its place" in told
    assert "make=" not in told


def test_a_pipeline_that_names_its_columns_is_fitted_again(files):
    folder, _ = files
    rows = make_rows()[:200]
    named = make_column_transformer((StandardScaler(), ["a", "b"]))
    model = make_pipeline(named, LogisticRegression())
    seen = own(folder, model.fit(rows[["a", "b"]], rows["y"]), ["a"])
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    other = own(folder, plain.fit(rows[["a", "b"]], rows["y"]), ["a"])
    again, expected = (one.extra["losses"][0]["refitted"] for one in (seen, other))
    assert again == pytest.approx(expected, abs=1e-3)
    assert "As the model names its columns itself, it was fitted again" in texts(seen)
    assert "names its columns" not in texts(other)


def test_names_that_a_library_made_up_are_no_columns_of_the_file(files, tmp_path):
    """Fitted on an array: columns count by their place."""
    lightgbm = pytest.importorskip("lightgbm")
    folder, _ = files
    rows = make_rows()[:200]
    X, y = rows.drop(columns="y"), (rows["y"] == "yes").astype(int)
    made = {"objective": "binary", "verbose": -1, "num_threads": 1}
    losses = []
    for name, table in (("array", X.to_numpy()), ("frame", X)):
        path = tmp_path / f"{name}.txt"
        lightgbm.train(made, lightgbm.Dataset(table, y), 5).save_model(path)
        losses += own(folder, str(path), ["a"]).extra["losses"]
    same(*losses)


def test_who_stands_in_says_by_how_much_it_is_better(files):
    folder, model = files
    rows = pd.read_csv(folder / "train.csv")
    plain = model.fit(rows[["a", "copy", "b"]], rows["y"])
    by_name = own(folder, lambda table: plain.predict_proba(table), ["a"])
    told = texts(by_name)
    assert "Could not fit the model again: it only answers" in told
    row = by_name.tables["losses"].iloc[0]
    assert row["advice"] == "refit"
    assert row["corrected_for"] == 2
    assert f"{row['by']}, fitted without a, leads the model with a filled in by" in told
    assert "corrected for 2 comparisons" in told
    half = own(folder, plain, [], outages=[Outage(("a",), share=0.5)])
    assert "leads the model with a in 50 % of the rows filled in by" in texts(half)
    again = texts(own(folder, plain, ["a"]))
    assert "The model, fitted without a, leads the model with a filled in by" in again


def test_labels_that_training_has_not_are_told(files):
    _, model = files
    rows = make_rows()
    parts = {"train": rows[:200], "test": rows[200:].assign(y="maybe")}
    parts["test"].iloc[2:, -1] = rows["y"].iloc[202:]
    seen = look(None, "y", model=model, missing=["a"], imputers=["mean"], **parts)
    told = texts(seen)
    assert "2 test rows have a label that no training row has: maybe." in told


def test_a_model_without_a_name_begins_a_sentence_like_any_other_word(files):
    seen = own(*files, ["a"])
    found = [claim.words for claim in seen.claims]
    assert any(str(words).startswith("The model") for words in found)
    assert not any(str(words).startswith("the model") for words in found)


def test_a_model_of_one_answer_is_not_blamed_on_too_few_runs(files):
    folder, _ = files
    seen = own(folder, lambda table: np.full(len(table), 0.5), ["a"])
    assert seen.title == "No number here is sure enough for a title."
