"""Every option of the command, from the words typed to the numbers and the exit."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import caveat.audit
from caveat.audit import audit
from caveat.cli._root import caveat as command
from caveat.exceptions import CaveatError

pytestmark = pytest.mark.thorough

MODULE = """
from sklearn.tree import DecisionTreeClassifier

stump = DecisionTreeClassifier(max_depth=2)
number = 3


def make():
    return DecisionTreeClassifier(max_depth=3)


class NoModel:
    pass
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write a table, its later rows, scores for it, and a module with models."""
    rng = np.random.default_rng(0)
    rows = 240
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, 3)) + 0.8 * y[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        key=np.arange(rows) * 7 + 3,
        w=rng.random(rows),
        shop=[f"s{i}" for i in rng.integers(0, 30, rows)],
        day=pd.date_range("2024-01-01", periods=rows).strftime("%Y-%m-%d"),
        y=np.where(y == 1, "bad", "good"),
    )
    folder = tmp_path_factory.mktemp("options")
    frame.iloc[:180].to_csv(folder / "train.csv", index=False)
    frame.iloc[180:].to_csv(folder / "test.csv", index=False)
    scores = pd.DataFrame({"key": frame["key"], "score": X.sum(axis=1)})
    scores.sample(frac=1, random_state=0).to_csv(folder / "scores.csv", index=False)
    (folder / "audit_mine.py").write_text(MODULE)
    return folder


@pytest.fixture
def typed(place, here, monkeypatch):
    """Return what runs the command within this process, and gives its JSON.

    Few shuffles, and no page: other tests look at that.
    """

    def quick(settings, out, **given):
        return audit(replace(settings, shuffles=5), out, engine=here, **given)

    monkeypatch.setattr(caveat.audit, "audit", quick)
    monkeypatch.setattr("caveat.audit._audit.write", lambda page, folder: folder)
    monkeypatch.syspath_prepend(place)

    def go(*words, code=0):
        given = ["--target", "y", "--folds", "2", "--models", "logistic-regression"]
        given += ["--minutes", "1", "--json", "--out", str(place / "out")]
        found = CliRunner().invoke(
            command, ["audit", str(place / "train.csv"), *given, *words]
        )
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        assert found.exit_code == code
        return json.loads(found.stdout[: found.stdout.rindex("}") + 1])

    return go


def test_rows_of_a_test_file_judge(typed, place):
    found = typed("--test", str(place / "test.csv"))
    assert found["rows"] == 180
    assert found["score"] > 0.7
    assert "no-skill" not in [one["kind"] for one in found["caveat-list"]]


def test_scores_from_a_file_are_matched_by_key_and_told_if_turned(typed, place):
    words = ("--predictions", str(place / "scores.csv"))
    wrong = typed(*words)
    assert wrong["caveat-list"][0]["kind"] == "turned"
    right = typed(*words, "--positive", "bad")
    values = {one["name"]: one["value"] for one in right["models"]}
    assert values["predictions"] > 0.75
    assert "turned" not in [one["kind"] for one in right["caveat-list"]]


def test_a_model_of_ones_own_is_judged_with_leave(typed):
    found = typed("--model", "audit_mine:make", "--allow-import")
    names = [one["name"] for one in found["models"]]
    assert set(names) == {"logistic-regression", "audit_mine:make"}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("audit_mine:nothing", "has nothing called 'nothing'"),
        ("audit_nowhere:x", "cannot be imported"),
        ("audit_mine:NoModel", "a class without fit is no model"),
        ("audit_mine:number", "the value 3 without fit is no model"),
    ],
)
def test_what_is_no_model_is_refused_before_any_trial(typed, model, expected):
    with pytest.raises(CaveatError, match=expected):
        typed("--model", model, "--allow-import")


def test_rules_fail_a_pipeline_and_say_which(typed):
    typed("--fail-on", "score<0.5", "--weights", "w")
    typed("--fail-on", "score>0.5", code=1)


def test_whole_groups_and_later_rows_make_other_folds(typed):
    grouped, later = typed("--groups", "shop"), typed("--time", "day")
    assert grouped["models"][0]["folds"] == 4
    assert later["models"][0]["folds"] == 2
    assert grouped["failed"] == later["failed"] == 0
