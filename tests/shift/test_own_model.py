"""A user's own model: by joblib, as ONNX, by address and as a function."""

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from caveat.cli._shift import shift
from caveat.shift import look


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
