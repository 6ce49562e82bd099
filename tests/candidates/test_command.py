"""`caveat candidates`, and the table and the advice behind it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.candidates import advise, flip_candidates, load_model
from caveat.candidates._table import read_candidates
from caveat.cli._candidates import candidates
from caveat.exceptions import InvalidInput, UnknownName


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    names = np.array(["cat", "dog", "fox"])
    X = np.eye(3)[y] + 0.2 * rng.normal(size=(120, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for person in ("ann", "ben", "cy"):
        sets = flip_candidates(y, rate=0.3, random_state=rng)
        wrong = rng.random(120) < 0.1
        sets[wrong, y[wrong]] = False
        sets[~sets.any(1), 0] = True
        frame[f"by_{person}"] = ["|".join(names[row]) for row in sets]
    frame.loc[::7, "by_cy"] = None
    frame["truth"] = names[y]
    path = tmp_path_factory.mktemp("crowd") / "crowd.csv"
    frame.to_csv(path, index=False)
    return path


def run(*args):
    return CliRunner().invoke(candidates, [str(arg) for arg in args])


def test_a_crowd_is_described_modelled_and_written_down(crowd, tmp_path):
    found = run(
        crowd,
        *("--annotators", "by_*", "--truth", "truth", "--steps", 60),
        *("--algorithm", "cc", "--algorithm", "proden", "--out", tmp_path / "out"),
    )
    assert found.exit_code == 0, found.output
    assert "120 items, 3 classes" in found.output
    assert "true one missing" in found.output
    assert "chosen" in found.output
    suggestions = pd.read_csv(tmp_path / "out" / "suggestions.csv")
    truth = pd.read_csv(crowd)["truth"]
    assert (suggestions["suggestion"] == truth).mean() > 0.8
    assert set(suggestions.columns) >= {"item", "candidates", "probability", "covered"}
    written = json.loads((tmp_path / "out" / "candidates.json").read_text())
    assert written["noise_rate"] < 0.05
    curve = pd.read_csv(tmp_path / "out" / "annotators.csv")
    assert curve["noise"].is_monotonic_decreasing
    model = load_model(tmp_path / "out" / "model.caveat")
    items = pd.read_csv(crowd)[["a", "b", "c"]]
    assert model.predict(items).tolist() == suggestions["prediction"].tolist()


@pytest.mark.thorough
def test_the_page_has_every_part_of_the_look_and_repeats_byte_for_byte(crowd, tmp_path):
    pages = []
    for name in ("one", "two"):
        found = run(
            crowd,
            *("--annotators", "by_ann,by_ben, by_cy", "--truth", "truth"),
            *("--steps", 20, "--algorithm", "cc", "--out", tmp_path / name),
        )
        assert found.exit_code == 0, found.output
        page = (tmp_path / name / "index.html").read_text("utf-8")
        pages.append(page.replace(f"--out {name}", "--out"))
    assert pages[0] == pages[1]
    sections = re.findall(r'<section id="([^"]+)"', pages[0])
    assert sections == [
        *("sets", "annotators", "confusions", "algorithms", "suggestions", "again")
    ]
    flipping = pd.read_csv(tmp_path / "one" / "flipping.csv", index_col="true")
    assert flipping.shape == (3, 3)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,set\n" + "1,a|b\n2,b\n3,a\n" * 4, "not known"),
        ("x,set,true\n" + "1,a|b,a\n2,b,a\n3,a,a\n" * 4, "33"),
        ("x,set,true\n" + "1,a|b,a\n2,b,b\n3,a,a\n" * 4, "always there"),
        ("x,set\n" + "".join(f"{i},l{i}|l{i + 1}\n" for i in range(40)), "41"),
        ("x,set\n" + "1,<b>|ü 😀\n2,<b>\n" * 6, "&lt;b&gt;"),
    ],
)
def test_sets_of_every_kind_have_a_page(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text, "utf-8")
    truth = ["--truth", "true"] * ("true" in text)
    given = ["--candidates", "set", *truth, "--algorithm", "cc", "--steps", 5]
    for more in ([], ["--no-model"]):
        found = run(tmp_path / "t.csv", *given, *more, "--out", tmp_path / "out")
        assert found.exit_code == 0, found.output
        assert words in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_json_is_the_only_thing_on_standard_output(crowd):
    found = run(crowd, "--annotators", "by_ann", "--drop", "truth", "--drop", "by_ben",
                "--drop", "by_cy", "--no-model", "--json")  # fmt: skip
    told = json.loads(found.stdout)
    assert told["noise_rate"] is None
    assert told["classes"] == 3


def test_a_single_column_of_sets_will_do(crowd):
    table = read_candidates(crowd, candidates="by_ann", drop=["by_ben", "by_cy"])
    assert list(table.X.columns) == ["a", "b", "c", "truth"]
    assert table.annotations is None


def test_columns_may_be_called_by_numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("0,1,2\n3.5,a|b,a\n4.5,b,b\n")
    table = read_candidates(path, candidates="1", truth="2")
    assert table.X.columns.tolist() == ["0"]
    assert table.sets.sizes.tolist() == [2, 1]


def test_labels_that_look_like_numbers_or_gaps_stay_labels(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("x,set\n1,007|NA\n2,7\n3,007\n")
    assert read_candidates(path, candidates="set").sets.classes == ("007", "7", "NA")


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, InvalidInput, "say which column"),
        ({"candidates": "by_an"}, UnknownName, "did you mean 'by_ann'"),
        ({"annotators": ["who*"]}, UnknownName, "no column is called"),
        ({"candidates": "by_cy"}, InvalidInput, "no candidate"),
        ({"candidates": "truth"}, InvalidInput, "one label in every row"),
        (
            {
                "candidates": "by_ann",
                "drop": ["a", "b", "c", "by_ben", "by_cy", "truth"],
            },
            InvalidInput,
            "no column left",
        ),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(crowd, settings, error, message):
    with pytest.raises(error, match=message):
        read_candidates(crowd, **settings)


def test_large_sets_are_judged_by_the_approximated_accuracy():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = np.eye(4)[y] + 0.1 * rng.normal(size=(60, 4))
    sets = flip_candidates(y, rate=0.8, random_state=0)
    found = advise(X, sets, algorithms=["cc"], max_steps=20)
    assert found.criterion == "approximated-accuracy"
    assert "says little" in found.reason


def test_too_few_items_to_choose_by_are_refused():
    with pytest.raises(InvalidInput, match="five at least"):
        advise([[0.0], [1.0]], [{0}, {1}])
