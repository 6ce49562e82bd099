"""A whole audit of a small table: page, files, JSON, and no cell of the table."""

import json
import re

import jsonschema
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.audit import Settings, audit, look
from caveat.cli._root import caveat
from caveat.exceptions import CaveatError, InvalidInput
from caveat.pages import schema_path

pytestmark = pytest.mark.thorough

SECRET = "Zanzibar-7319"
HOSTILE = "<b>“x”</b>, 'y' 😀"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    return pd.DataFrame(
        {
            HOSTILE: rng.normal(size=150) + y,
            "b": rng.normal(size=150),
            "town": np.where(rng.random(150) < 0.5, SECRET, "elsewhere"),
            "y": np.where(y == 1, "sick", "healthy"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def settings(folder, table):
    table.to_csv(folder / "ward9.csv", index=False)
    models = ("logistic-regression",)
    return Settings(str(folder / "ward9.csv"), "y", folds=2, models=models, shuffles=10)


@pytest.fixture(scope="module")
def made(folder, settings, here):
    rules = ("score<0.5", "drift>0")
    return audit(
        settings, folder / "out", rules=rules, engine=here, command="caveat audit"
    )


def test_an_audit_says_everything_and_quotes_no_cell(made, folder):
    page = made.save().read_text("utf-8")
    headings = re.findall(r"<h2 id=[^>]*>(.*?)</h2>", page)
    assert len(headings) == 6
    words = [re.sub("<[^>]+>", "", one).split() for one in headings]
    assert all(0 < len(one) <= 25 for one in words)
    assert "<b>“x”</b>" not in page
    assert "&lt;b&gt;" in page
    written = [path for path in (folder / "out").rglob("*") if path.is_file()]
    assert {"index.html", "study.yaml", "audit.ledger"} <= {p.name for p in written}
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]
    assert set(made.states) == {"done"}


def test_a_page_is_read_in_minutes(made):
    page = made.save().read_text("utf-8")
    body = page[page.index("<h1") : page.index('class="terms"')]
    shown = re.sub(r"<(svg|style|script)\b.*?</\1>", " ", body, flags=re.DOTALL)
    words = re.findall(r"[A-Za-z][\w'-]*", re.sub("<[^>]+>", " ", shown))
    assert 100 < len(words) <= 700


def test_its_json_is_the_contract(made):
    found = json.loads(made.look.to_json("out/index.html"))
    jsonschema.validate(found, json.loads(schema_path().read_text()))
    assert SECRET not in json.dumps(found)
    assert found["schema"] == "caveat-audit/1"
    assert (found["target"], found["rows"], found["columns"]) == ("y", 150, 3)
    assert found["low"] < found["score"] < found["high"]
    assert found["best_column"] == HOSTILE
    assert found["complete"]
    assert [one["outcome"] for one in found["rules"]] == ["held", "held"]


def test_the_same_file_and_seed_give_the_same_numbers(made, settings, tmp_path, here):
    again = audit(settings, tmp_path, engine=here, rules=made.look.rules)
    assert again.look.to_json() == made.look.to_json()


def test_a_notebook_gets_what_the_command_gets(made, folder, here):
    found = look(
        folder / "ward9.csv",
        "y",
        rules=made.look.rules,
        models=("logistic-regression",),
        folds=2,
        shuffles=10,
        engine=here,
    )
    assert found.to_json() == made.look.to_json()


def test_a_second_target_never_overwrites_the_first(made, folder, settings, here):
    from dataclasses import replace

    other = audit(replace(settings, target="town"), folder / "out", engine=here)
    assert other.save() == folder / "out" / "town" / "index.html"
    assert "<code>y</code>" in made.save().read_text()


def test_without_time_the_scan_still_speaks_and_nothing_is_held(table, tmp_path, here):
    leaky = table.assign(bill=(table["y"] == "sick") * 5 + np.arange(150) % 2)
    leaky[[*leaky.columns.drop("y"), "y"]].to_csv(tmp_path / "t.csv", index=False)
    settings = Settings(str(tmp_path / "t.csv"), "y", models=("logistic-regression",))
    rules = ("score<0.5", "calibration>0", "leak>0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caveat.audit._run._SHORTEST_RUN", 0.0)
        patch.setattr("caveat.audit._run._RESERVE_SECONDS", 1e6)
        made = audit(settings, tmp_path / "out", rules=rules, engine=here)
    found = json.loads(made.look.to_json())
    assert not found["complete"]
    assert found["score"] is None
    assert [one["outcome"] for one in found["rules"]] == ["unknown", "unknown", "fired"]
    assert (found["caveats"][0]["kind"], found["caveats"][0]["columns"]) == (
        "leak",
        ["bill"],
    )
    assert found["title"].startswith("Column bill alone tells the target")
    assert "0 columns" not in made.save().read_text()


def test_a_model_of_ones_own_needs_leave(tmp_path, table):
    table.to_csv(tmp_path / "t.csv", index=False)
    settings = Settings(
        str(tmp_path / "t.csv"), "y", imported=("sklearn.tree:DecisionTreeClassifier",)
    )
    with pytest.raises(InvalidInput, match="--allow-import"):
        audit(settings, tmp_path / "out")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--target", "z"], "no column is called 'z'"),
        (["--target", "y", "--groups", "q"], "no column.* is called 'q'"),
        (["--target", "y", "--minutes", "0"], "--minutes is 0"),
        (["--target", "y", "--fail-on", "headroom"], "is not a rule"),
        (["--target", "y", "--fail-on", "glory<1"], "nothing is called 'glory'"),
        (["--target", "y", "--kinds", "b"], "write COLUMN=KIND"),
        (["--target", "y", "--models", "magic"], "no model is called 'magic'"),
        (["--target", "y", "--positive", "maybe"], "no class is called 'maybe'"),
        (["--target", "y", "--groups", "b", "--time", "b"], "choose one"),
        (["--target", "y", "--test", "nowhere.csv"], "there is no file"),
        (["--target", "key"], "seems to name them"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(
    tmp_path, table, words, expected
):
    named = table.assign(key=[f"k{i}" for i in range(len(table))])
    named.to_csv(tmp_path / "t.csv", index=False)
    found = CliRunner().invoke(caveat, ["audit", str(tmp_path / "t.csv"), *words])
    assert isinstance(found.exception, CaveatError)
    assert re.search(expected, str(found.exception))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,y\n1,x\n", "single value"),
        ("a,y\n1,x\n2,z\n", "2 rows"),
        ("a,y\n" + "1,x\n" * 30, "single value"),
        ("a,a,y\n" + "1,2,x\n" * 30, "more than once"),
        ("a,y\n" + "1,\n" * 30, "missing"),
        ("a,y\n" + "".join(f",{i % 2}\n" for i in range(40)), "no column is left"),
    ],
)
def test_files_that_say_nothing_are_refused_in_one_sentence(tmp_path, text, expected):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(CaveatError, match=expected):
        audit(Settings(str(tmp_path / "t.csv"), "y"), tmp_path / "out")


def test_a_target_that_nobody_named_is_said_before_the_first_trial(tmp_path, table):
    table.to_csv(tmp_path / "t.csv", index=False)
    said = []

    def stop(sentence):
        said.append(sentence)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(Settings(str(tmp_path / "t.csv")), tmp_path / "out", note=stop)
    assert said == ["No --target was given: the last column, 'y', is taken."]
    assert not (tmp_path / "out").exists()


def test_what_the_reader_guessed_is_said_before_the_first_trial(tmp_path, table):
    sound = table[["b", "town", "y"]].assign(extra="1,5")
    words = sound.to_csv(index=False, sep=";")
    (tmp_path / "t.csv").write_text(words)
    said = []

    def stop(sentence):
        said.append(sentence)
        if "comma" in sentence:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(Settings(str(tmp_path / "t.csv"), "y"), tmp_path / "out", note=stop)
    assert said == [
        "Fields are parted by a semicolon.",
        "Column 'extra': the comma in '1,5' read as decimal comma.",
    ]
