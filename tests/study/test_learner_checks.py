"""Learners from anywhere: what they may not do, whatever the topic."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from caveat.exceptions import InvalidInput
from caveat.study import known_labels, plan, run_trial, untouched

MODULE = """
import numpy as np


class Fair:
    \"\"\"Answers the first class; the others of this file do one thing wrong.\"\"\"

    def fit(self, X, y=None, **more):
        shares = more.get("proportions")
        if shares is not None:
            self.classes_ = np.asarray(shares.columns)
        else:
            self.classes_ = np.unique(np.asarray(y))
        self.shape_ = np.shape(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        width = len(self.classes_) if len(self.shape_) < 2 else self.shape_[1]
        return np.full((len(X), width), 1 / width)

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self


class Overwrites(Fair):
    def predict_proba(self, X):
        if hasattr(X, "iloc"):
            X.iloc[:, 0] = 0.0
        else:
            X[:, 0] = 0.5
        return super().predict_proba(X)


class ManyOverwrites(Overwrites):
    def predict(self, X):
        return np.zeros((len(X), self.shape_[1]), dtype=int)


class Strange(Fair):
    def predict(self, X):
        return np.full(len(X), "nobody")


class StrangeOnly(Strange):
    predict_proba = property()
"""


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Run the one trial of a study with a class of the module above."""
    (tmp_path / "odd_learners.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(topic, name, **more):
        study = {"study": "s", "topic": topic, "datasets": ["iris"], "baseline": "none"}
        study |= {"learners": [f"odd_learners:{name}"], **more}
        (spec,) = (one.spec for one in plan(study))
        return run_trial(spec, allow_import=True)

    return run


SCENARIOS = {
    "supervised": {"resampling": {"folds": 0}},
    "shift": {"resampling": {"validation": 0}},
    "candidates": {"scenario": {"candidates": "flip", "rate": 0.3}},
}


@pytest.mark.parametrize("topic", SCENARIOS)
def test_a_learner_that_behaves_has_a_record(trial, topic):
    assert trial(topic, "Fair", **SCENARIOS[topic])["table"]["config"] == [0]


@pytest.mark.parametrize("topic", SCENARIOS)
def test_a_learner_that_overwrites_its_test_table_fails(trial, topic):
    with pytest.raises(InvalidInput, match="changed the table"):
        trial(topic, "Overwrites", **SCENARIOS[topic])


def test_a_learner_of_many_labels_that_overwrites_its_test_table_fails(trial):
    how = {"datasets": ["tags"], "resampling": {"folds": 0}}
    with pytest.raises(InvalidInput, match="changed the table"):
        trial("multilabel", "ManyOverwrites", **how)


@pytest.mark.parametrize("name", ["Strange", "StrangeOnly"])
def test_a_learner_whose_labels_are_no_classes_fails(trial, name):
    with pytest.raises(InvalidInput, match="answered 'nobody', which is not a class"):
        trial("supervised", name, **SCENARIOS["supervised"])


@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.0, np.nan]]),
        pd.DataFrame({"a": [1.0, None], "b": ["x", None]}),
        pd.Series(["x", None]),
        sparse.csr_array(np.eye(2)),
    ],
)
def test_a_table_that_stays_as_it_is_passes(table):
    with untouched("mine", table):
        pass


def change_a_cell(table):
    table.iloc[0, 0] = 5.0


def add_a_column(table):
    table["new"] = 1


def rename_rows(table):
    table.index = [1, 0]


@pytest.mark.parametrize("change", [change_a_cell, add_a_column, rename_rows])
def test_any_change_of_a_frame_is_seen(change):
    table = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(InvalidInput, match="mine changed"), untouched("mine", table):
        change(table)


def test_labels_are_known_by_value_not_by_type():
    assert known_labels(np.array([1.0, 0.0]), [0, 1]).tolist() == [1.0, 0.0]
    with pytest.raises(InvalidInput, match="not a class"):
        known_labels(["1", "0"], [0, 1])
