"""A measure is added with a function and a row: everything else finds it by itself."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat import measures, multilabel
from caveat._registry import Entry
from caveat.cli import main
from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures import MEASURES
from caveat.pages import _write
from caveat.pages._drawn import Drawn
from caveat.study import Ledger
from caveat.study.registry import ENGINES

PLUGIN = str(Path(__file__).parents[1] / "study" / "plugin")

STUDY = """\
study: mine
topic: {topic}
datasets: [{data}]
learners: [{learner}]
repeats: 2
resampling: {{folds: 0}}
baseline: none
engine: inline
measures: [{measure}]
"""


def subset_accuracy(Y, decisions, *, sample_weight=None):
    """Share of rows whose labels are all decided rightly.

    Warnings
    --------
    One wrong label spoils a row.
    """
    return np.average((decisions == Y).all(axis=1), weights=sample_weight)


def missed(y, predicted, *, sample_weight=None):
    """Share of rows of the last class that were not found.

    Warnings
    --------
    Finding it everywhere is perfect.
    """
    there = y == y.max()
    kept = None if sample_weight is None else sample_weight[there]
    return np.average(predicted[there] != y.max(), weights=kept)


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setattr(MEASURES, "_entries", dict(MEASURES._entries))
    measures.register(
        "subset-accuracy", subset_accuracy, tasks=("multilabel",), needs="decisions"
    )
    measures.register(
        "missed",
        missed,
        tasks=("binary", "multiclass"),
        needs="decisions",
        direction="min",
        display="missed rows",
        summary="share of the last class that was missed",
    )


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    inline = Entry(name="inline", target="caveat_fake:InlineEngine")
    monkeypatch.setitem(ENGINES._entries, "inline", inline)
    monkeypatch.chdir(tmp_path)

    def run(*args):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        out, err = capsys.readouterr()
        return stop.value.code, out + err

    return run


def test_evaluate_and_the_bootstrap_give_its_own_value(made_up):
    rng = np.random.default_rng(0)
    Y = pd.DataFrame((rng.random((30, 3)) < 0.5).astype(int), columns=list("abc"))
    H = Y ^ (rng.random((30, 3)) < 0.2)
    found = multilabel.evaluate(Y, None, H)
    by_hand = (Y == H).all(axis=1).mean()
    assert 0.2 < by_hand < 0.8
    assert found["subset_accuracy"] == by_hand
    assert found["subset_accuracy"] != found["instance_f1"]
    assert found.to_frame().loc["subset_accuracy", "best"] == 1.0
    table = multilabel.bootstrap_intervals(Y, None, H, n_resamples=50, random_state=0)
    row = table.loc["subset_accuracy"]
    assert row["value"] == by_hand
    assert row["low"] < by_hand < row["high"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("topic", "data", "learner", "measure", "shown"),
    [
        ("supervised", "iris", "k-nn", "missed", "missed rows"),
        ("multilabel", "tags", "popularity", "subset-accuracy", "subset-accuracy"),
    ],
)
def test_it_is_listed_studied_and_reported(
    made_up, call, monkeypatch, topic, data, learner, measure, shown
):
    no_figures = defaultdict(lambda: Drawn("", ()))
    monkeypatch.setattr(_write, "draw_figures", lambda page, png: no_figures)
    code, text = call("list", "measures", "--topic", topic)
    assert code == 0
    assert measure in text
    study = STUDY.format(topic=topic, data=data, learner=learner, measure=measure)
    Path("mine.yaml").write_text(study)
    code, text = call("run", "mine.yaml", "--ledger", "mine.ledger")
    assert code == 0, text
    with Ledger("mine.ledger") as ledger:
        rows = ledger.records().rows
    assert rows[f"test.{measure}"].between(0, 1).all()
    code, text = call("report", "mine.ledger", "--out", "report")
    assert code == 0, text
    page = Path("report/index.html").read_text("utf-8")
    assert shown in page
    assert measures.get(measure).warnings in page


def test_a_function_of_scikit_learn_is_a_measure_as_it_is(made_up):
    row = measures.register(
        "matthews",
        "sklearn.metrics:matthews_corrcoef",
        tasks=("binary",),
        needs="decisions",
        range=(-1.0, 1.0),
    )
    assert row(["a", "b", "b"], ["a", "b", "b"], sample_weight=[1, 2, 1]) == 1.0
    assert "matthews" in measures.names("binary")


def test_rows_that_make_no_sense_are_refused(made_up):
    def add(name="new", **row):
        told = {"tasks": ("binary",), "needs": "decisions", **row}
        return measures.register(name, missed, **told)

    with pytest.raises(InvalidInput, match="registered already"):
        add("accuracy")
    with pytest.raises(InvalidInput, match="direction is 'up'"):
        add(direction="up")
    with pytest.raises(UnknownName, match="kind of answers"):
        add(needs="labels")
