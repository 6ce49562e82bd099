"""A whole audit of a small table: page, files, JSON, and no cell of the table."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.audit import Settings, audit
from caveat.audit._page import Again, make_page
from caveat.audit._plan import prepare
from caveat.audit._reading import read_audit
from caveat.audit._remarks import make_remarks
from caveat.cli._audit import _plain, _rule, key_numbers
from caveat.cli._root import caveat
from caveat.exceptions import CaveatError, InvalidInput
from caveat.pages import render
from caveat.study import Ledger, run

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
def made(folder, table, here):
    table.to_csv(folder / "ward9.csv", index=False)
    models = ("logistic-regression",)
    settings = Settings(
        str(folder / "ward9.csv"), "y", folds=2, models=models, shuffles=10
    )
    return audit(settings, folder / "out", engine=here, command="caveat audit")


def test_an_audit_says_everything_and_quotes_no_cell(made, folder):
    page = made.index.read_text("utf-8")
    headings = re.findall(r"<h2 id=[^>]*>(.*?)</h2>", page)
    assert len(headings) == 6
    words = [re.sub("<[^>]+>", "", one).split() for one in headings]
    assert all(0 < len(one) <= 25 for one in words)
    assert "<b>“x”</b>" not in page
    assert "&lt;b&gt;" in page
    written = [path for path in (folder / "out").rglob("*") if path.is_file()]
    assert {"index.html", "study.yaml", "audit.ledger"} <= {p.name for p in written}
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]
    found = json.dumps(_plain(made, key_numbers(made)), allow_nan=False)
    assert SECRET not in found
    assert 0.6 < json.loads(found)["score"] < 1
    assert made.reading.states == {"done": 11}


def test_the_page_is_made_from_study_and_ledger_alone(made, folder):
    with Ledger(folder / "out" / "audit.ledger") as book:
        records = book.records()
    again = read_audit(records, made.reading.facts, made.reading.spec)
    object.__setattr__(again, "digest", made.reading.digest)
    page = make_page(again, make_remarks(again), Again("caveat audit"))
    assert render(page) == made.index.read_text("utf-8")


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
        (["--target", "y", "--groups", "q"], "no column is called 'q'"),
        (["--target", "y", "--minutes", "0"], "--minutes is 0"),
        (["--target", "y", "--fail-on", "headroom=1"], "is no rule"),
        (["--target", "y", "--fail-on", "glory<1"], "no number of an audit"),
        (["--target", "y", "--kinds", "b"], "write COLUMN=KIND"),
        (["--target", "y", "--models", "magic"], "no model is called 'magic'"),
        (["--target", "y", "--positive", "maybe"], "no class is called 'maybe'"),
        (["--target", "y", "--groups", "b", "--time", "b"], "choose one"),
        (["--target", "y", "--test", "nowhere.csv"], "there is no file"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(
    tmp_path, table, words, expected
):
    table.to_csv(tmp_path / "t.csv", index=False)
    found = CliRunner().invoke(caveat, ["audit", str(tmp_path / "t.csv"), *words])
    assert isinstance(found.exception, CaveatError)
    assert expected in str(found.exception)


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


def test_rules_read_names_signs_and_numbers():
    assert _rule(" headroom <= 0.05 ")[1:] == ("headroom", "<=", 0.05)


def test_a_ledger_without_a_result_still_makes_a_page(tmp_path, table, here):
    table.to_csv(tmp_path / "t.csv", index=False)
    prepared = prepare(Settings(str(tmp_path / "t.csv"), "y"))
    run(prepared.study, tmp_path / "empty.ledger", here, seconds=0.0)
    with Ledger(tmp_path / "empty.ledger") as book:
        reading = read_audit(book.records(), prepared.facts, prepared.study)
    remarks = make_remarks(reading)
    page = render(make_page(reading, remarks, Again("caveat audit")))
    assert "No model gave a value" in page
    assert [one.kind for one in remarks] == ["cut"]


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
