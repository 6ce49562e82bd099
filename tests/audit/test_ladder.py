"""The ladder: which remedies are tried, and how steps are held against each other."""

import numpy as np
import pytest

from caveat.audit._ladder import Step, make_ladder
from caveat.audit._scores import Scores
from caveat.audit.scan import Finding

BASE = {"groups": None, "time": None, "clock": None, "test": False}


def finding(kind, *columns, severity="serious"):
    return Finding(kind, severity, "Found.", "Mend it.", columns)


def ladder(*findings, features=("a", "b", "c"), **given):
    return make_ladder(findings, features=features, **{**BASE, **given})


def test_a_clean_table_has_one_step():
    assert ladder() == [Step()]
    assert ladder(finding("leak", "a", severity="note")) == [Step()]


def test_every_step_keeps_those_above_it():
    found = ladder(
        finding("leak", "a"), finding("group", "who"), finding("duplicate"), clock="day"
    )
    assert [step.remedy for step in found] == [
        *("stands", "leak", "group", "copies", "time")
    ]
    last = found[-1]
    assert (last.drop, last.groups, last.copies, last.time) == (
        ("a",),
        "who",
        True,
        "day",
    )


def test_what_the_user_rules_holds_from_the_first_step():
    found = ladder(finding("group", "who"), groups="shop", time="day", clock="day")
    assert found == [Step(groups="shop", time="day")]


def test_a_column_that_names_groups_is_no_leak_to_be_dropped():
    found = ladder(finding("leak", "a"), finding("group", "a"))
    assert [step.remedy for step in found] == ["stands", "group"]


def test_not_every_column_is_dropped():
    assert ladder(finding("pair-leak", "a", "b"), features=("a", "b")) == [Step()]


def test_a_test_file_leaves_only_columns_to_mend():
    found = ladder(finding("leak", "a"), finding("group", "b"), test=True)
    assert [step.remedy for step in found] == ["stands", "leak"]


def test_a_step_goes_into_a_study_file_and_comes_back():
    step = Step("leak", ("a",), ("a",), "who", True, "day")
    assert Step.from_dict(step.to_dict()) == step


def test_the_model_of_a_fold_is_chosen_on_the_other_folds():
    values = {
        "steady": {(0, 0): 0.8, (0, 1): 0.8, (0, 2): 0.8},
        "lucky": {(0, 0): 1.0, (0, 1): 0.5, (0, 2): 0.5},
    }
    chosen = Scores(Step(), values).chosen(1, ["steady", "lucky"])
    # Its good fold is no reason to choose it there.
    assert chosen[0, 0] == ("steady", 0.8)
    assert np.mean([value for _, value in chosen.values()]) == pytest.approx(0.8)


def test_smaller_is_better_for_errors():
    values = {"a": {(0, 0): 1.0, (0, 1): 1.0}, "b": {(0, 0): 2.0, (0, 1): 2.0}}
    chosen = Scores(Step(), values).chosen(-1, ["a", "b"])
    assert {name for name, _ in chosen.values()} == {"a"}
