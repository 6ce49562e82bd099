"""`caveat eapp`: what it prints, writes and refuses."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from caveat.cli import main
from caveat.eapp import look

QUICK = ["--k-max", "3", "--folds", "2", "--shuffles", "19"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eapp")
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [50, 40])
    table = pd.DataFrame(rng.normal(size=(90, 3)), columns=["a", "b", "c"])
    table["a"] += 4 * (y == "yes")
    table.assign(default=y).to_csv(folder / "loans.csv", index=False)
    table.assign(price=table["b"] * 1.5).to_csv(folder / "prices.csv", index=False)
    three = np.repeat(["x<b>", "y", "z"], 30)
    table.assign(kind=three).to_csv(folder / "kinds.csv", index=False)
    return folder


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["eapp", *map(str, words)])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def test_a_verdict_leads_in_short_and_stands_whole_below(folder):
    file = folder / "loans.csv"
    found = look(file, "default", k_max=3, folds=2, shuffles=19)
    (verdict,) = [one for one in found.ordered if one.kind == "free"]
    assert str(verdict.words) not in found.title
    assert re.search(r"Clusters know (most|part) of the answer\.$", found.title)


@pytest.mark.thorough
def test_the_terminal_shows_curve_and_verdict(folder, capsys):
    code, out, _ = run(
        capsys, folder / "loans.csv", "--target", "default", *QUICK,
        "--model-auc", "0.99", "--drivers",
    )  # fmt: skip
    assert code == 0
    assert "EAPP of loans.csv, target default: 90 rows, 3 columns, 44 % are yes" in out
    assert re.search(
        r"^1/p₀ = 2.25 +0\.\d{3} +0\.\d\d to 0\.\d\d +0\.\d{3} ", out, re.M
    )
    assert "* Careful" in out
    assert "The model's 0.99" in out
    assert re.search(r"^a +\+0\.\d{3} +0\.\d{3}$", out, re.M)
    assert "PCA, k-means, 2 folds, 19 shuffles, seed 0." in out


@pytest.mark.thorough
def test_json_is_all_there_is_on_stdout(folder, capsys):
    code, out, _ = run(
        capsys, folder / "loans.csv", "--json", *QUICK, "--model-auc", "0.9",
        "--drivers", "--probe",
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert found["target"] == "default"
    assert [row["k"] for row in found["eapp"]["eapp"]] == [2, 3]
    assert found["eapp"]["eapp-drivers"][0]["column"] == "a"
    assert found["eapp"]["eapp-drivers"][0]["alone"] > 0.9
    assert "model" in [caveat["kind"] for caveat in found["caveats"]]
    shifts = found["eapp"]["eapp-probe"]
    assert [row["s"] for row in shifts] == [0, 0.25, 0.5, 1, 2, 3]
    assert shifts[-1]["detected"]


@pytest.mark.thorough
def test_the_page_is_the_same_byte_for_byte(folder, capsys, tmp_path):
    pages = []
    for name in ("one", "two"):
        where = tmp_path / name / "page"
        code, out, _ = run(
            capsys, folder / "kinds.csv", "--target", "kind", *QUICK, "--drivers",
            "--out", where,
        )  # fmt: skip
        assert code == 0
        assert f"Page: {where}" in out
        pages.append((where / "index.html").read_bytes())
    assert pages[0] == pages[1]
    text = pages[0].decode()
    assert "x&lt;b&gt;" in text
    assert "x<b>" not in text
    assert "caveat eapp kinds.csv --target kind" in text
    curve = pd.read_csv(tmp_path / "one" / "page" / "curve.csv")
    assert curve["k"].tolist() == [3]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["loans.csv", "--target", "defualt"], "did you mean 'default'"),
        (["loans.csv", "--clusterer", "kmean"], "did you mean 'kmeans'"),
        (["loans.csv", "--latent", "few"], "--latent: found 'few'"),
        (["loans.csv", "--positive", "maybe"], "no class is called 'maybe'"),
        (["loans.csv", "--folds", "60"], "use folds=40"),
        (["loans.csv", "--model-auc", "7"], "--model-auc: found 7"),
        (["prices.csv"], "90 distinct numbers; add --regression"),
        (["nowhere.csv"], "nowhere.csv"),
        (["loans.csv", "--seed", "-3"], "random_state: found -3"),
        (["loans.csv", "--classes", "--regression"], "use one"),
        (["loans.csv", "--targets", "a", "--target", "b"], "--targets names labels"),
        (["loans.csv", "--targets", "default"], "name two and more columns"),
        (["kinds.csv", "--probe"], "'kind' has 3; add --positive LABEL"),
        (["prices.csv", "--regression", "--probe"], "leave it out"),
        (["loans.csv", "--regression"], "default"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(words, sentence, folder, capsys):
    code, out, err = run(capsys, folder / words[0], *words[1:])
    assert code == 2
    assert sentence in err
    assert err.startswith("caveat: ") or "\ncaveat: " in err
    assert out == ""


def test_a_folder_that_is_a_file_is_refused_before_any_work(folder, capsys):
    code, out, err = run(capsys, folder / "loans.csv", "--out", folder / "prices.csv")
    assert (code, out) == (2, "")
    assert "is a file; choose another folder" in err


@pytest.mark.thorough
def test_a_planted_bias_is_looked_for(folder, capsys, tmp_path):
    small = ["--k-max", "3", "--folds", "2", "--shuffles", "9"]
    code, out, _ = run(
        capsys, folder / "loans.csv", *small, "--probe", "--out", tmp_path / "page"
    )
    assert code == 0
    assert "standard deviations was seen" in out
    assert re.search(r"^3 +[01]\.\d{3} +0\.\d{3} +yes$", out, re.M)
    text = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "How coarse a bias must be" in text
    shifts = pd.read_csv(tmp_path / "page" / "probe.csv")
    assert shifts["s"].tolist() == [0, 0.25, 0.5, 1, 2, 3]


@pytest.mark.thorough
def test_numbers_have_a_concordance(folder, capsys, tmp_path):
    code, out, _ = run(
        capsys, folder / "prices.csv", "--regression", "--k-max", "2", "--folds", "2",
        "--shuffles", "9", "--drivers", "--out", tmp_path / "page",
    )  # fmt: skip
    assert code == 0
    assert re.search(r"^at k = 2 +0\.\d{3} ", out, re.M)
    text = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "Concordance on held-out rows" in text
    assert " AUC" not in text
    assert "s published" not in text


@pytest.mark.thorough
def test_many_labels_have_a_row_each(capsys, tmp_path):
    rng = np.random.default_rng(0)
    labels = pd.DataFrame(rng.random((60, 2)) < 0.4, columns=["u", "v"]).astype(int)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    pd.concat([table, labels], axis=1).to_csv(tmp_path / "labels.csv", index=False)
    code, out, _ = run(
        capsys, tmp_path / "labels.csv", "--targets", "u,v", "--shuffles", "5",
        "--folds", "2", "--k-max", "3", "--out", tmp_path / "page",
    )  # fmt: skip
    assert code == 0
    assert "target 2 labels: 60 rows, 2 columns" in out
    assert re.search(r"^u +\d", out, re.M)


def test_classes_can_be_named_at_once(folder, capsys):
    code, out, _ = run(
        capsys, folder / "kinds.csv", "--joint", "--shuffles", "0", "--folds", "2",
        "--k-max", "4",
    )  # fmt: skip
    assert code == 0
    assert re.search(r"^1/p₀ = 3 +0\.\d{3}", out, re.M)


def test_numbers_may_be_called_classes(capsys, tmp_path):
    rng = np.random.default_rng(0)
    grade = rng.permutation(np.repeat(np.arange(40) / 2, [41, *[1] * 39]))
    table = pd.DataFrame({"a": rng.normal(size=80), "grade": grade})
    table.to_csv(tmp_path / "grades.csv", index=False)
    code, out, _ = run(
        capsys, tmp_path / "grades.csv", "--classes", "--positive", "0.0",
        "--shuffles", "0", "--folds", "2", "--k-max", "3",
    )  # fmt: skip
    assert code == 0
    assert "51 % are 0.0" in out


def test_a_class_can_be_set_against_the_rest(folder, capsys):
    code, out, _ = run(
        capsys, folder / "kinds.csv", "--positive", "y", "--shuffles", "0",
        "--folds", "2", "--k-max", "3",
    )  # fmt: skip
    assert code == 0
    assert "33 % are y" in out
    assert "shuffled too seldom" in out


def test_what_the_reader_guessed_is_noted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;y\n" + "".join(f"{i % 7},5;{'jn'[i % 2]}\n" for i in range(60)))
    found = look(path, "y", k_max=3, folds=2, shuffles=5)
    told = [caveat["text"] for caveat in found.caveats]
    assert any("comma in '0,5' read as decimal comma" in text for text in told)
