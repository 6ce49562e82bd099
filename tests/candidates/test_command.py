"""`caveat candidates`, the files it reads and the files it writes."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import beta

from caveat.candidates import advise, flip_candidates, load_model, look
from caveat.candidates._judged import calibration_error
from caveat.candidates._table import read_candidates
from caveat.cli._candidates import candidates
from caveat.exceptions import InvalidInput, UnknownName
from caveat.pages import terminal_lines

NAMES = np.array(["cat", "dog", "fox"])
FILES = {
    "suggestions.csv": ["item", "label", "probability", "source", "vote"],
    "annotators.csv": ["annotator", "answers", "accuracy", "low", "high", "flag"],
    "ask_again.csv": ["item", "gain", "reason"],
}


def wide(items=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(items) % 3
    X = np.eye(3)[y] + 0.2 * rng.normal(size=(items, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for person, error in (("ann", 0.1), ("ben", 0.15), ("cy", 0.4)):
        sets = flip_candidates(y, rate=0.15, random_state=rng)
        wrong = rng.random(items) < error
        sets[wrong, y[wrong]] = False
        sets[wrong, (y[wrong] + 1) % 3] = True
        frame[f"by_{person}"] = ["|".join(NAMES[row]) for row in sets]
    frame.loc[::7, "by_cy"] = None
    frame["file"] = [f"pet-{n:04}.jpg" for n in range(items)]
    frame["truth"] = NAMES[y]
    return frame


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    path = tmp_path_factory.mktemp("crowd") / "crowd.csv"
    wide().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    frame = wide()
    people = ["by_ann", "by_ben", "by_cy"]
    melted = frame.rename_axis("question").reset_index()
    melted["question"] = "q" + melted["question"].astype(str)
    told = melted.melt("question", people, "worker", "answer").dropna()
    told.to_csv(folder / "answers.csv", index=False)
    melted[["question", "truth"]].to_csv(folder / "truth.csv", index=False)
    melted.drop(columns=[*people, "truth"]).to_csv(folder / "items.csv", index=False)
    return folder


def run(*args):
    return CliRunner().invoke(candidates, [str(arg) for arg in args])


@pytest.mark.thorough
def test_a_long_file_of_answers_needs_no_features(long, tmp_path):
    found = run(
        *("--answers", long / "answers.csv", "--truth", long / "truth.csv"),
        *("--out", tmp_path / "out", "--json"),
    )
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert told["schema"] == "caveat-candidates/1"
    names = [method["name"] for method in told["methods"]]
    assert {"majority-vote", "weighted-vote", "dawid-skene", "glad"} <= set(names)
    assert told["chosen"] in names
    for method in told["methods"]:
        assert set(method) == {"name", "agreement", "accuracy", "low", "high"}
        assert method["low"] <= method["accuracy"] <= method["high"]
    for name, columns in FILES.items():
        assert list(pd.read_csv(tmp_path / "out" / name).columns) == columns
    suggestions = pd.read_csv(tmp_path / "out" / "suggestions.csv").set_index("item")
    truth = pd.read_csv(long / "truth.csv").set_index("question")["truth"]
    assert (suggestions["label"] == truth.reindex(suggestions.index)).mean() > 0.8
    assert suggestions["probability"].between(0, 1).all()
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "caveat candidates --answers answers.csv" in page
    assert re.search(
        r"alpha of all answers is <b>[\d.]+</b> \([\d.]+ to [\d.]+\)", page
    )


@pytest.mark.long
@pytest.mark.thorough
def test_features_join_by_the_item_and_ids_are_no_features(long, tmp_path):
    found = run(
        *(long / "items.csv", "--answers", long / "answers.csv", "--steps", 20),
        *("--truth", long / "truth.csv", "--out", tmp_path / "out", "--json"),
    )
    told = json.loads(found.stdout)
    assert told["columns"] == 3
    names = {method["name"] for method in told["methods"]}
    assert {"soft-targets", "joint", "proden"} <= names
    # Three columns say it all: whoever reads them is better than a vote.
    assert told["score"] > 0.9
    model = load_model(tmp_path / "out" / "model.caveat")
    items = pd.read_csv(long / "items.csv")[["a", "b", "c"]]
    assert set(model.predict(items)) <= set(NAMES)


def test_wide_files_and_long_files_are_the_same_crowd(crowd, long):
    one = read_candidates(crowd, annotators=["by_*"], truth="truth")
    other = read_candidates(answers=long / "answers.csv", truth=long / "truth.csv")
    assert one.answers.classes == other.answers.classes
    assert len(one.answers) == len(other.answers)
    assert one.truth.tolist() == other.truth.tolist()
    assert list(one.X.columns) == ["a", "b", "c"]
    assert list(one.left_out) == ["file"]


@pytest.mark.long
@pytest.mark.thorough
def test_the_command_the_call_and_the_page_say_the_same_twice(crowd, tmp_path):
    pages = []
    for name in ("one", "two"):
        found = run(
            *(crowd, "--annotators", "by_*", "--truth", "truth", "--no-model"),
            *("--out", tmp_path / name),
        )
        assert found.exit_code == 0, found.output
        page = (tmp_path / name / "index.html").read_text("utf-8")
        pages.append(page.replace(f"--out {name}", "--out"))
    assert pages[0] == pages[1]
    told = look(crowd, annotators=["by_*"], truth="truth", model=False)
    assert str(told.lede.spans[0].text) in pages[0]
    assert [section.name for section in told.sections] == [
        *("methods", "people", "agreement", "confusions", "one-more", "items"),
        "again",
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,set\n" + "1,a|b\n2,b\n3,a\n" * 12, "No true label is known"),
        ("x,set,true\n" + "1,a|b,a\n2,b,a\n3,a,a\n" * 12, "accuracy"),
        ("x,set\n" + "".join(f"{i},l{i}|l{i + 1}\n" for i in range(40)), "41 classes"),
        ("x,set\n" + "1,<b>|ü 😀\n2,<b>\n" * 16, "2 classes"),
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


def answers(rows):
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(i, "ann", "ab"[i % 2]) for i in range(8)], "One person answered"),
        (
            [(i, who, "ab"[i % 2]) for i in range(8) for who in ("x", "y", "z")],
            "cannot be told apart",
        ),
        ([(i, who, "a") for i in range(8) for who in ("x", "y")], "Labels by"),
        (
            [(i, who, "ab"[i % 2]) for i in range(8) for who in ("x", "y")]
            + [(9, "x", None), (3, "silent", None)],
            "1 of 9 items has no answer",
        ),
        ([(i, f"p{i}", "ab"[i % 2]) for i in range(8)], "No item has two answers"),
        ([(0, "x", "a"), (0, "y", "b")], "cannot be told apart"),
        ([(i, who, ["a", "b"]) for i in range(8) for who in "xyz"], "Labels by"),
    ],
)
def test_odd_crowds_have_a_right_page(rows, words, tmp_path):
    told = look(answers=answers(rows))
    text = " ".join(line.plain for line in terminal_lines(told))
    assert words in text, text
    assert told.save(tmp_path).exists()
    json.loads(told.to_json())
    suggested = told.tables["suggestions"]
    assert len(suggested) == len({row[0] for row in rows})


def test_items_without_answers_get_no_label_and_are_asked_first(tmp_path):
    rows = [(i, who, "ab"[i % 2]) for i in range(20) for who in ("x", "y")]
    told = look(answers=answers([*rows, (99, "x", None)]))
    last = told.tables["suggestions"].set_index("item").loc["99"]
    assert last["label"] == ""
    assert np.isnan(last["probability"])
    assert told.tables["ask_again"]["item"].iloc[0] == "99"
    assert told.tables["ask_again"]["reason"].iloc[0] == "no answers"


@pytest.mark.thorough
def test_rows_of_the_file_that_nobody_answered_stay_items(tmp_path):
    table = pd.DataFrame({"item": range(25), "code": [f"x{n}" for n in range(25)]})
    rows = [(i, who, "ab"[i % 2]) for i in range(20) for who in ("x", "y", "z")]
    truth = pd.DataFrame({"item": range(25), "truth": ["a"] * 25})
    told = look(table, answers=answers(rows), truth=truth)
    labels = told.tables["suggestions"].set_index("item")["label"]
    assert len(labels) == 25
    assert (labels[["20", "24"]] == "").all()
    assert told.extra["unanswered"] == 5
    assert told.facts["score"] == 0.5


@pytest.mark.thorough
def test_a_belief_has_the_interval_of_as_many_labels_and_an_assumption_none():
    rows = [(i, who, "ab"[i % 2]) for i in range(15) for who in ("x", "y", "z")]
    told = look(answers=answers(rows)).facts
    low = beta.ppf(0.025, 15 * told["score"] + 0.5, 0.5)
    assert told["score"] > 0.99
    assert told["low"] == pytest.approx(low, abs=0.01)
    assert told["low"] < 0.9
    alone = look(answers=answers([(i, "xyz"[i % 3], "ab"[i % 2]) for i in range(15)]))
    assert alone.facts["low"] is None
    assert "No item has two answers" in str(alone.caveats)


@pytest.mark.thorough
def test_a_suggestion_worse_than_the_vote_is_told():
    # Two of three make the same error, which the truth alone can tell.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    rows = [(i, "a", int(truth[i])) for i in range(60)]
    rows += [(i, who, int(truth[i]) if i % 3 else 1) for i in range(60) for who in "bc"]
    known = pd.DataFrame({"item": [str(i) for i in range(60)], "truth": truth})
    told = look(answers=answers(rows), truth=known)
    value = told.facts["score"]
    vote = next(m for m in told.extra["methods"] if m["name"] == "majority-vote")
    assert value >= vote["accuracy"] or any(c["kind"] == "vote" for c in told.caveats)


def test_labels_that_look_like_numbers_or_gaps_stay_labels(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("x,set\n1,007|NA\n2,7\n3,007\n")
    found = read_candidates(path, candidates="set")
    assert found.answers.classes == ("007", "7", "NA")


def test_columns_may_be_called_by_numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("0,1,2\n3.5,a|b,a\n4.5,b,b\n3.5,b,b\n")
    table = read_candidates(path, candidates="1", truth="2")
    assert table.X.columns.tolist() == ["0"]
    assert table.sets.sizes.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, InvalidInput, "say which column"),
        ({"candidates": "by_an"}, UnknownName, "did you mean 'by_ann'"),
        ({"annotators": ["who*"]}, UnknownName, "no column is called"),
        ({"candidates": "by_cy"}, InvalidInput, "no candidate"),
        ({"candidates": "truth"}, InvalidInput, "one label in every row"),
        ({"candidates": "by_ann", "truth": "trut"}, UnknownName, "'truth'"),
        ({"candidates": "by_ann", "drop": ["z"]}, UnknownName, "called 'z'"),
        ({"candidates": "by_ann", "annotators": ["by_*"]}, InvalidInput, "one of the"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(crowd, settings, error, message):
    with pytest.raises(error, match=message):
        read_candidates(crowd, **settings)


def test_answers_on_items_that_the_file_lacks_are_named(long, tmp_path):
    items = pd.read_csv(long / "items.csv")[1:]
    items.to_csv(tmp_path / "items.csv", index=False)
    found = run(tmp_path / "items.csv", "--answers", long / "answers.csv")
    assert "'q0'" in str(found.exception)


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


def test_a_calibration_error_stands_beside_what_luck_gives():
    told = np.tile([0.75, 0.25], (400, 1))
    codes = np.zeros(400, dtype=np.intp)
    truth = (np.arange(400) % 4 == 0).astype(np.intp)
    error, luck = calibration_error(told, codes, truth, 0)
    assert error == pytest.approx(0.0)
    # The mean size of a normal error: sqrt(2 / pi) standard errors.
    wanted = np.sqrt(2 / np.pi * 0.75 * 0.25 / 400)
    assert luck == pytest.approx(wanted, rel=0.2)
