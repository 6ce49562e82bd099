"""`caveat shift`, as it is typed."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.cli._shift import shift
from caveat.exceptions import CaveatError


@pytest.fixture(scope="module")
def file(tmp_path_factory, mixed):
    X, y, X_test, y_test = mixed(n=120)
    table = pd.concat([pd.concat([X, y], axis=1), pd.concat([X_test, y_test], axis=1)])
    path = tmp_path_factory.mktemp("data") / "toys.csv"
    table.assign(id=[f"row {number}" for number in range(len(table))]).to_csv(
        path, index=False
    )
    return str(path)


USUAL = ["--target", "y", "--models", "logistic-regression", "--imputers", "mean"]
USUAL += ["--repeats", "2"]


def run(*words):
    return CliRunner().invoke(shift, list(words), catch_exceptions=True)


@pytest.mark.thorough
def test_it_tells_what_a_loss_costs_and_what_to_do(file):
    found = run(file, *USUAL, "--missing", "size,left")
    assert found.exit_code == 0, found.output
    told = " ".join(found.output.split())
    assert "Without size and left, " in told
    assert "When it vanishes" in found.output
    assert "a constant answer" in found.output
    assert "Now: " in found.output
    assert "first of several splits" in found.stderr
    assert "a rough guess from rows and columns" in found.stderr
    assert "seed 0" in found.output


def test_a_column_that_names_rows_is_set_aside(file):
    found = run(file, *USUAL)
    assert "Column 'id' was left out: identifier" in found.output


def test_a_model_that_needs_weights_is_refused_before_any_fit(file):
    found = run(file, "--target", "y", "--models", "k-nn,tabpfn")
    assert isinstance(found.exception, CaveatError)
    assert "tabpfn needs a file of weights" in str(found.exception)
    assert "seconds" not in found.stderr


@pytest.mark.thorough
def test_json_is_json_and_nothing_else(file):
    words = ["--json", "--metric", "accuracy", "--missing", "size", "--missing", "left"]
    told = json.loads(run(file, *USUAL, *words).stdout)
    assert told["schema"] == "caveat-shift/1"
    assert told["measure"] == "accuracy"
    assert [row["missing"] for row in told["losses"]] == [["size"], ["left"]]
    assert set(told["losses"][0]) >= {
        *("missing", "model", "imputer", "measure", "all", "after", "loss", "low"),
        *("high", "refitted", "refitted_low", "refitted_high", "advice"),
    }


@pytest.mark.slow
def test_the_same_command_writes_the_same_page(file, tmp_path):
    pages = []
    for name in ("one", "two"):
        found = run(file, *USUAL, "--out", str(tmp_path / name / "page"))
        assert found.exit_code == 0, found.output
        pages.append((tmp_path / name / "page" / "index.html").read_bytes())
    assert pages[0] == pages[1]
    assert b"caveat shift toys.csv" in pages[0]


@pytest.mark.thorough
def test_words_said_twice_count_once(file):
    words = ["--missing", "left,left", "--imputers", "mean,mean", "--missing", "left"]
    told = json.loads(run(file, *USUAL, *words, "--json").stdout)
    assert [row["missing"] for row in told["losses"]] == [["left"]]


def test_the_column_of_time_is_no_feature(tmp_path, mixed):
    X, y, _, _ = mixed(n=120)
    path = tmp_path / "daily.csv"
    X.assign(day=range(len(X)), y=y).to_csv(path, index=False)
    found = run(str(path), *USUAL, "--time", "day")
    assert found.exit_code == 0, found.output
    assert "day" not in found.output


def test_too_few_test_rows_for_auc_are_refused(tmp_path, mixed):
    X, y, _, _ = mixed()
    X.assign(y=y).head(4).to_csv(tmp_path / "few.csv", index=False)
    found = run(str(tmp_path / "few.csv"), *USUAL)
    assert "use more test rows" in str(found.exception)


def test_large_files_are_sampled_and_it_says_so(file):
    found = run(file, *USUAL, "--max-rows", "60")
    assert "60 of 120 rows were used" in found.output


@pytest.mark.thorough
def test_a_rule_decides_the_exit_code(file):
    found = run(file, *USUAL, "--missing", "size", "--fail-on", "worst_loss>0.01")
    assert found.exit_code == 1, found.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--missing", "sise"], "did you mean 'size'"),
        (["--models", "lightgbn"], "did you mean 'lightgbm'"),
        (["--models", ","], "--models is empty"),
        (["--imputers", "meen"], "did you mean 'mean'"),
        (["--metric", "rmse"], "does not fit"),
        (["--repeats", "0"], "--repeats is 0"),
        (["--train", "x.csv"], "go together"),
        (["--model", "nowhere.onnx"], "no model at"),
        (["--model", "statistics:mean"], "would run the code"),
        (["--test-size", "2"], "--test-size"),
        (["--max-rows", "1"], "--max-rows"),
        (["--target", "z"], "z"),
        (["--missing", ","], "--missing is empty"),
        (["--imputers", " ,"], "--imputers is empty"),
        (["--tolerance", "0"], "--tolerance is 0"),
        (["--tolerance", "nan"], "--tolerance is nan"),
        (["--seed", "-1"], "--seed is -1"),
    ],
)
def test_bad_words_end_in_one_sentence(file, words, sentence):
    found = run(file, *USUAL, *words)
    assert isinstance(found.exception, CaveatError)
    assert sentence in str(found.exception)


def test_names_are_shown_escaped(tmp_path, mixed):
    X, y, _, _ = mixed(n=120)
    path = tmp_path / "odd.csv"
    X.rename(columns={"size": "si\x1b[31mze"}).assign(y=y).to_csv(path, index=False)
    found = run(str(path), *USUAL)
    assert "\x1b[31m" not in found.output
