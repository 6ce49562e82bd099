"""`caveat multilabel`: a file in, eleven measures and their meaning out."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.cli._multilabel import multilabel
from caveat.datasets import load
from caveat.exceptions import CaveatError, InvalidInput
from caveat.multilabel import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

FAST = ["--models", "popularity,ml-knn", "--resamples", "5"]


@pytest.fixture(scope="module")
def tags():
    data = load("tags")
    return pd.concat([data.X, data.Y], axis=1), list(data.Y.columns)


@pytest.fixture
def folder(tmp_path, tags):
    frame, _ = tags
    frame.to_csv(tmp_path / "items.csv", index=False)
    return tmp_path


def call(*words):
    return CliRunner().invoke(multilabel, [str(word) for word in words])


def ok(*words):
    result = call(*words)
    assert result.exception is None, result.exception
    return result.stdout


def refused(*words):
    result = call(*words)
    assert isinstance(result.exception, CaveatError), result.output
    return str(result.exception)


@pytest.mark.thorough
def test_models_are_trained_and_all_measures_shown(folder, tags):
    text = ok(folder / "items.csv", "--targets", ",".join(tags[1]), *FAST)
    for word in ("average precision", "macro-AUC", "Hamming", "ml-knn", "every label"):
        assert word in text
    assert "210 training and 90 test rows" in text
    assert "popularity alone" in text


@pytest.mark.thorough
def test_a_prefix_names_the_labels_too(folder, tags):
    path = folder / "items.csv"
    by_prefix = ok(path, "--targets-prefix", "tag-", *FAST, "--json")
    by_name = ok(path, "--targets", ",".join(tags[1]), *FAST, "--json")
    assert json.loads(by_prefix)["models"] == json.loads(by_name)["models"]
    assert json.loads(by_prefix)["schema"] == "caveat-multilabel/1"


@pytest.mark.thorough
def test_json_holds_values_intervals_and_caveats(folder):
    words = ["--targets-prefix", "tag-", *FAST, "--json"]
    found = json.loads(ok(folder / "items.csv", *words))
    assert found["n_labels"] == 6
    values = found["models"]["ml-knn"]["measures"]["average_precision"]
    assert values["low"] <= values["value"] <= values["high"]
    assert found["models"]["popularity"]["floor"] is True
    assert (
        found["score"]
        == found["models"][found["chosen"]]["measures"]["average_precision"]["value"]
    )
    assert (
        found["free"]
        == found["models"]["popularity"]["measures"]["average_precision"]["value"]
    )


@pytest.mark.thorough
def test_own_scores_are_judged_without_training(folder, tags):
    frame, labels = tags
    rng = np.random.default_rng(0)
    scores = frame[labels] + rng.normal(size=(len(frame), 6))
    scores[labels[::-1]].assign(id=1).to_csv(folder / "scores.csv", index=False)
    words = ["--targets-prefix", "tag-", "--resamples", "5", "--json"]
    found = json.loads(
        ok(folder / "items.csv", "--scores", folder / "scores.csv", *words,
           "--threshold", "0.5")
    )  # fmt: skip
    expected = evaluate(frame[labels].to_numpy(), scores.to_numpy(), scores > 0.5)
    measures = found["models"]["your model"]["measures"]
    assert set(measures) == set(expected)
    for name, row in measures.items():
        assert row["value"] == pytest.approx(expected[name], abs=1e-6)
    assert found["n_train"] == 0

    np.save(folder / "scores.npy", scores[labels].to_numpy())
    plain = ok(folder / "items.csv", "--scores", folder / "scores.npy",
               "--targets-prefix", "tag-", "--resamples", "5",
               "--out", folder / "page")  # fmt: skip
    assert "your model" in plain
    page = (folder / "page" / "index.html").read_text("utf-8")
    assert "Thresholds were not estimated" in page


@pytest.mark.thorough
def test_decisions_may_come_from_a_file(folder, tags):
    frame, labels = tags
    frame[labels].to_parquet(folder / "truth.parquet")
    (frame[labels] + 0.1).to_parquet(folder / "scores.parquet")
    text = ok(folder / "items.csv", "--targets-prefix", "tag-", "--scores",
              folder / "scores.parquet", "--decisions", folder / "truth.parquet",
              "--resamples", "5")  # fmt: skip
    assert "decisions used as scores" in text


@pytest.mark.thorough
def test_a_page_is_written_and_repeats_byte_for_byte(folder):
    pages = []
    for name in ("one", "two"):
        ok(folder / "items.csv", "--targets-prefix", "tag-", "--resamples", "3",
           "--models", "ml-knn", "--out", folder / name / "page")  # fmt: skip
        pages.append((folder / name / "page" / "index.html").read_bytes())
    assert pages[0] == pages[1]
    assert str(folder).encode() not in pages[0]


def test_a_failing_learner_is_named_and_the_others_stay(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["x", "z"])
    frame["y1"], frame["y2"] = 1, 1
    frame.to_csv(tmp_path / "flat.csv", index=False)
    text = ok(tmp_path / "flat.csv", "--targets", "y1,y2", "--resamples", "5",
              "--models", "limo,ml-knn")  # fmt: skip
    assert "Limo gave no value: no instance has both" in text
    assert "of 2 models are not done" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "does not say which columns are labels"),
        (["--targets", "tag-1,tag-9"], "tag-9"),
        (["--targets", ","], "--targets is empty"),
        (["--targets", "tag-1", "--targets-prefix", "tag-"], "both given"),
        (["--targets-prefix", "genre"], "no column of items.csv begins with 'genre'"),
        (["--targets-prefix", "tag-", "--models", "limmo"], "did you mean 'limo'"),
        (["--targets-prefix", "tag-", "--threshold", "0.5"], "belong to --scores"),
        (["--targets-prefix", "tag-", "--test-size", "2"], "test_size is 2"),
        (["--targets-prefix", "tag-", "--scores", "nowhere.csv"], "nowhere.csv"),
        (["--targets", "x1"], "x1"),
        (["--targets-prefix", "tag-", "--seed", "-1"], "--seed is -1"),
        (["--targets-prefix", "tag-", "--resamples", "0"], "--resamples is 0"),
        (["--targets-prefix", "tag-", "--threshold", "nan"], "--threshold is nan"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(folder, words, message):
    found = refused(folder / "items.csv", *words)
    assert message in found
    assert "\n" not in found


def test_a_label_said_twice_is_refused(folder):
    words = ["--targets", "tag-1,tag-2,tag-1", *FAST, "--json"]
    error = call(folder / "items.csv", *words).exception
    assert str(error) == "--targets names 'tag-1' twice; name each once"


def test_one_label_is_refused(folder):
    error = call(folder / "items.csv", "--targets", "tag-1", *FAST).exception
    assert isinstance(error, InvalidInput)
    assert "one label, 'tag-1'" in str(error)


def test_labels_alone_are_nothing_to_learn_from(folder, tags):
    frame, labels = tags
    frame[labels].to_csv(folder / "bare.csv", index=False)
    found = refused(folder / "bare.csv", "--targets-prefix", "tag-", *FAST)
    assert "no column beside the labels" in found


@pytest.mark.thorough
def test_scores_that_do_not_fit_are_refused(folder, tags):
    frame, labels = tags
    path = ["--targets-prefix", "tag-", "--scores"]
    frame[labels[1:]].to_csv(folder / "few.csv", index=False)
    assert "lacks 1 of 6 labels" in refused(
        folder / "items.csv", *path, folder / "few.csv"
    )
    frame[labels].head(9).to_csv(folder / "short.csv", index=False)
    assert "has 9 rows and the data have 300" in refused(
        folder / "items.csv", *path, folder / "short.csv"
    )
    np.save(folder / "wide.npy", np.zeros((300, 5)))
    assert "(300, 6)" in refused(folder / "items.csv", *path, folder / "wide.npy")
    np.save(folder / "turned.npy", np.zeros((6, 300)))
    found = refused(folder / "items.csv", *path, folder / "turned.npy")
    assert "(6, 300)" in found
    assert "transposed?" in found
    both = [*path, folder / "short.csv", "--models", "limo"]
    assert "nothing is trained" in refused(folder / "items.csv", *both)
    frame[labels].to_csv(folder / "all.csv", index=False)
    twice = [*path, folder / "all.csv", "--decisions", folder / "all.csv",
             "--threshold", "1"]  # fmt: skip
    assert "both given" in refused(folder / "items.csv", *twice)
