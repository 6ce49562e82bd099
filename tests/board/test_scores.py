"""The numbers behind the page, against the statistics they stand on."""

import numpy as np
import pandas as pd
import pytest

from caveat.board._read import natural, read_study
from caveat.board._scores import score
from caveat.board._study import Scorer
from caveat.statistics import (
    average_ranks,
    bounded_interval,
    nested_mean_interval,
    regret,
    select,
)

TWO_WORLDS = ({"variant": "easy"}, {"variant": "hard"})
SMALL = {"a": 0.8, "b": 0.78, "c": 0.7}


@pytest.fixture(scope="module")
def records(make_records):
    return make_records(
        learners=SMALL,
        datasets=("one", "two"),
        worlds=TWO_WORLDS,
        repeats=3,
        shift=lambda learner, data, world: -0.1 * (world["variant"] == "hard"),
        fail=lambda trial: (
            ("timeout", "timeout", "slow")
            if trial["learner"] == "c" and trial["dataset"] == "two"
            else None
        ),
    )


@pytest.fixture(scope="module")
def study(records):
    return read_study(records, name="adult-bags")


@pytest.fixture(scope="module")
def scorer(study):
    return Scorer(study)


@pytest.fixture(scope="module")
def scores(study, scorer):
    return score(scorer, study.measures[0], study.choices[0])


@pytest.fixture(scope="module")
def chosen(records):
    frame = select(records, "split-bag-bootstrap", measure="auc")
    return frame[~frame["baseline"].astype(bool)]


@pytest.mark.parametrize("learner", ["a", "b", "c"])
def test_means_and_intervals_respect_the_nesting(scores, chosen, learner):
    part = chosen[chosen["learner"] == learner]
    expected = nested_mean_interval(part["value"], part["dataset"], part["world"])
    found = scores.intervals[learner]
    assert found.mean == pytest.approx(expected.mean, abs=1e-12)


def test_below_five_data_sets_the_interval_is_over_repeats_and_corrected(
    scores, chosen
):
    part = chosen[chosen["learner"] == "a"]
    by_repeat = (
        part.groupby(["repeat", "dataset"])["value"].mean().unstack().mean(axis=1)
    )
    expected = bounded_interval(by_repeat, test_share=0.25)
    assert scores.over == "repeats"
    found = scores.intervals["a"]
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high])
    assert found.n == 3


def test_from_five_data_sets_on_the_interval_is_over_data_sets(make_records):
    five = [f"data-{n}" for n in range(5)]
    records = make_records(learners=SMALL, datasets=five, worlds=({},), repeats=2)
    study = read_study(records, name="adult-bags")
    scores = score(Scorer(study), study.measures[0], study.choices[0])
    assert (scores.over, scores.intervals["a"].n) == ("data sets", 5)


@pytest.mark.parametrize("rule", ["split-bag-bootstrap", "full-bag-kfold", "oracle"])
def test_regret_is_that_of_the_public_function(records, study, scorer, rule):
    choice = next(one for one in study.choices if one.name == rule)
    found = score(scorer, study.measures[0], choice).cells.search_regret
    expected = regret(records, rule, measure="auc")
    expected = expected[~expected["baseline"].astype(bool)]
    np.testing.assert_allclose(found, expected["regret"], atol=1e-15)


def test_cells_are_means_over_repeats(scores, chosen):
    expected = chosen.groupby(["dataset", "world", "learner"])["value"].mean()
    blocks = scores.blocks
    for block, data, world in zip(
        blocks.index, blocks["dataset"], blocks["world"], strict=True
    ):
        for learner in SMALL:
            found = scores.cell(block, learner).mean
            np.testing.assert_allclose(
                found, expected[data, world, learner], rtol=1e-12
            )


def test_ranks_are_those_of_the_mean_over_repeats(scores, chosen):
    cells = chosen.groupby(["dataset", "world", "learner"])["value"].mean()
    expected = average_ranks(cells.unstack(), missing="worst").ranks
    pd.testing.assert_series_equal(
        scores.rank_table.ranks.sort_index(), expected.sort_index(), check_names=False
    )


def test_a_learner_that_failed_on_a_data_set_says_so(scores):
    assert scores.count("c") == (4, 2, 0)
    assert scores.count("c", "hard") == (2, 1, 0)
    assert scores.count("a") == (4, 4, 0)


def test_level_means_weigh_data_sets_equally(scores, chosen):
    hard = chosen[chosen["world"].str.contains("hard") & (chosen["learner"] == "b")]
    expected = hard.groupby("dataset")["value"].mean().mean()
    assert scores.level_means["hard"]["b"] == pytest.approx(expected, abs=1e-12)


def test_one_block_gives_intervals_over_repeats(make_records):
    records = make_records(learners=SMALL, worlds=({},), repeats=4)
    study = read_study(records, name="adult-bags")
    scores = score(Scorer(study), study.measures[0], study.choices[0])
    assert scores.over == "repeats"
    assert scores.intervals["a"].n == 4
    assert scores.verdict.kind == "splits"


def test_smaller_is_better_where_the_measure_says_so(make_records):
    records = make_records(
        learners={"good": 1.0, "bad": 3.0},
        measures=("rmse",),
        direction="min",
        worlds=TWO_WORLDS,
        baseline=None,
    )
    study = read_study(records, name="adult-bags")
    scores = score(Scorer(study), study.measures[0], study.choices[0])
    assert scores.order == ("good", "bad")
    assert scores.rank_table.ranks.index[0] == "good"
    assert (scores.cells.search_regret >= 0).all()


def test_a_block_that_is_still_running_takes_no_part_in_ranks(make_records):
    records = make_records(
        learners=SMALL,
        worlds=TWO_WORLDS,
        repeats=2,
        state=lambda trial: (
            "pending" if trial["learner"] == "b" and "hard" in trial["world"] else None
        ),
    )
    study = read_study(records, name="adult-bags")
    scores = score(Scorer(study), study.measures[0], study.choices[0])
    assert scores.rank_table.n_blocks == 1
    assert scores.count("b") == (2, 1, 1)


def test_several_rows_without_a_rule_are_never_chosen_from(make_records):
    records = make_records(learners=SMALL, worlds=({},), rules={}, repeats=2)
    study = read_study(records, name="adult-bags")
    scores = score(Scorer(study), study.measures[0], study.choices[0])
    assert [one.name for one in study.choices] == [None]
    assert not scores.intervals


def test_an_oracle_leads_only_if_it_was_asked_for(records):
    plain = read_study(records, name="adult-bags")
    asked = read_study(records, name="adult-bags", rule="oracle")
    assert not plain.choices[0].oracle
    assert asked.choices[0].name == "oracle"


def test_numbers_within_names_sort_as_numbers():
    assert sorted(["w10", "w9", "w1"], key=natural) == ["w1", "w9", "w10"]
