"""Every option of the command, from the words typed to the numbers and the exit."""

import json
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression

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
    """Write a table, its later rows, scores for it, models and a module of models."""
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
    scores = pd.DataFrame({"key": frame["key"], "sum": X.sum(axis=1), "first": X[:, 0]})
    scores.sample(frac=1, random_state=0).to_csv(folder / "scores.csv", index=False)
    model = LogisticRegression().fit(frame[list("abc")], frame["y"])
    joblib.dump(model, folder / "model.joblib")
    (folder / "audit_mine.py").write_text(MODULE)
    return folder


@pytest.fixture
def typed(place, here, monkeypatch, tmp_path):
    """Return what runs the command within this process, and gives its JSON.

    Few shuffles, and no page: other tests look at that.
    """

    def quick(settings, out, **given):
        return audit(replace(settings, shuffles=5), out, engine=here, **given)

    monkeypatch.setattr(caveat.audit, "audit", quick)
    monkeypatch.setattr("caveat.pages._look.write", lambda page, folder: folder)
    monkeypatch.syspath_prepend(place)

    def go(*words, code=0):
        given = ["--target", "y", "--folds", "2", "--models", "logistic-regression"]
        given += ["--minutes", "1", "--json", "--out", str(tmp_path / "out")]
        found = CliRunner().invoke(
            command, ["audit", str(place / "train.csv"), *given, *words]
        )
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        assert found.exit_code == code, found.stderr
        # Nothing but one object is on standard output.
        return json.loads(found.stdout)

    return go


def kinds(found):
    return [one["kind"] for one in found["caveats"]]


def test_rows_of_a_test_file_judge(typed, place):
    found = typed("--test", str(place / "test.csv"))
    assert found["rows"] == 180
    assert found["score"] > 0.7
    assert "chance" not in kinds(found)


def test_scores_from_a_file_are_matched_by_key_and_told_if_turned(typed, place):
    words = ("--predictions", str(place / "scores.csv"))
    wrong = typed(*words, "--positive", "good")
    assert wrong["caveats"][0]["kind"] == "turned"
    right = typed(*words, "--positive", "bad")
    assert "turned" not in kinds(right)


def test_several_columns_of_scores_are_several_models(typed, place, tmp_path, here):
    settings = caveat.audit.Settings(
        str(place / "train.csv"),
        "y",
        predictions=str(place / "scores.csv"),
        imported=(str(place / "model.joblib"),),
        trust=True,
        positive="bad",
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
    )
    made = audit(settings, tmp_path / "several", engine=here)
    scores = {one.name: one.score.value for one in made.result.models if one.given}
    assert set(scores) == {"sum", "first", "model.joblib"}
    assert scores["sum"] > scores["first"] > 0.6
    assert scores["model.joblib"] > 0.75


def test_a_pickle_needs_trust(typed, place):
    with pytest.raises(CaveatError, match=r"may run any code.*--trust"):
        typed("--model", str(place / "model.joblib"))


def test_a_model_of_ones_own_is_judged_with_leave(typed, tmp_path):
    typed("--model", "audit_mine:make", "--allow-import")
    study = (tmp_path / "out" / "study.yaml").read_text()
    assert "audit_mine:make" in study


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("audit_mine:nothing", "has nothing called 'nothing'"),
        ("audit_nowhere:x", "cannot be imported"),
        ("audit_mine:NoModel", "a class without fit is not a model"),
        ("audit_mine:number", "the value 3 without fit is not a model"),
    ],
)
def test_what_is_no_model_is_refused_before_any_trial(typed, model, expected):
    with pytest.raises(CaveatError, match=expected):
        typed("--model", model, "--allow-import")


def test_rules_fail_a_pipeline_and_the_json_says_which(typed, tmp_path):
    sarif = tmp_path / "found.sarif"
    held = typed("--fail-on", "score<0.5", "--weights", "w", "--sarif", str(sarif))
    assert held["rules"][0]["outcome"] == "held"
    fired = typed("--fail-on", "score>0.5", code=1)
    assert fired["rules"][0]["outcome"] == "fired"
    assert json.loads(sarif.read_text())["version"] == "2.1.0"


def test_whole_groups_and_later_rows_make_other_folds(typed):
    grouped = typed("--groups", "shop")
    both = typed("--groups", "shop", "--time", "day")
    assert grouped["complete"]
    assert both["complete"]
    assert grouped["score"] != both["score"]
