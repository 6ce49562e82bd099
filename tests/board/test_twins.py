"""A learner with two settings is two learners on every page."""

import pytest

from caveat.board import tell_twins_apart
from caveat.board._read import read_study


@pytest.fixture
def two(make_records):
    """Two learners, of which the second is the first with other settings."""
    made = make_records(
        learners={"a": 0.6, "b": 0.9}, datasets=["d", "e"], repeats=2, baseline=None
    )
    twin = (made.trials["learner"] == "b").to_numpy()
    made.trials.loc[twin, "params"] = '{"depth":3}'
    made.trials["learner"] = "a"
    made.rows["learner"] = "a"
    return made


def test_settings_tell_them_apart(two):
    told = tell_twins_apart(two)
    assert set(told.trials["learner"]) == {"a", "a (depth=3)"}
    assert set(told.rows["learner"]) == {"a", "a (depth=3)"}
    assert ("learner", "a (depth=3)") in told.glossary


def test_the_page_keeps_their_scores_apart(two):
    study = read_study(two, name=str(two.trials["study"].iloc[0]))
    assert sorted(study.learners) == ["a", "a (depth=3)"]
    means = study.table.rows.groupby("learner", observed=True)["test.auc"].mean()
    assert means["a (depth=3)"] > means["a"] + 0.1


def test_only_what_differs_is_named(two):
    plain = (two.trials["params"] != '{"depth":3}').to_numpy()
    two.trials.loc[plain, "params"] = '{"depth":1,"seed":0}'
    two.trials.loc[~plain, "params"] = '{"depth":3,"seed":0}'
    told = tell_twins_apart(two)
    assert set(told.trials["learner"]) == {"a (depth=1)", "a (depth=3)"}


def test_protocols_tell_them_apart_too(two):
    two.trials["params"] = "{}"
    half = (two.trials["repeat"] == 0).to_numpy()
    two.trials.loc[half, "protocol"] = "paper"
    two.trials.loc[~half, "protocol"] = "honest"
    told = tell_twins_apart(two)
    assert set(told.trials["learner"]) == {"a (protocol=paper)", "a (protocol=honest)"}


@pytest.mark.thorough
def test_without_twins_nothing_changes(make_records):
    made = make_records(learners={"a": 0.6, "b": 0.9})
    assert tell_twins_apart(made) is made
