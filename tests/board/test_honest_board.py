"""What a study's page may say: floors, tests, regrets and digits, held to the laws."""

import dataclasses
import re

import numpy as np
import pytest

from caveat.board import build_page
from caveat.board._boards import _places, _probability
from caveat.board._floors import find_floor
from caveat.board._read import read_study
from caveat.board._scores import Context
from caveat.board._selection import Regrets
from caveat.pages import Switch, Table, claims, prose
from caveat.pages._model import flat_blocks
from caveat.pages.claims import heading

ONE = ({},)
PLAIN = {"rules": {}, "configurations": 1, "oracle": False, "measures": ("accuracy",)}
MANY = tuple(f"data-{number}" for number in range(7))


def look_of(records, **options):
    return build_page(records, **options).chapters[0]


def headed(look, name):
    return str(heading(next(one for one in look.sections if one.name == name).heading))


def tables(look):
    found = [block for one in look.sections for block in flat_blocks(one.blocks)]
    found += [t for b in found if isinstance(b, Switch) for _, t in b.tables]
    return {one.name: one for one in found if isinstance(one, Table)}


def columns(table):
    return [str(prose(one.title)) for one in table.columns]


def texts(table):
    return [[str(prose(cell.text)) for cell in row.cells] for row in table.rows]


def context_of(records, measure=None):
    return Context(read_study(records, name="adult-bags", measure=measure))


@pytest.fixture
def make(make_records):
    def made(**changes):
        return make_records(**({"worlds": ONE, "rules": {"good": 0.5}} | changes))

    return made


@pytest.mark.parametrize("measure", ["accuracy", "log-loss", "brier"])
@pytest.mark.parametrize("seed", range(3))
def test_a_regret_lies_inside_what_can_be_given_up(make, measure, seed):
    options = {"direction": "min"} if measure != "accuracy" else {}
    records = make(repeats=2, measures=(measure,), seed=seed, **options)
    regrets = Regrets(context_of(records))
    end = {"accuracy": 1.0, "brier": 2.0}.get(measure)
    if end is None:  # nobody gives up more than lies between two rows of a search
        by_search = records.rows.groupby("group")[f"test.{measure}"]
        end = (by_search.max() - by_search.min()).max()
    for one in regrets.estimates.values():
        assert one.low is None or 0 < one.low <= one.value <= one.high < end


def test_two_repeats_do_not_tell_what_tuning_costs(make):
    told = headed(look_of(make(repeats=2, oracle=False)), "selection")
    assert told.startswith("2 repeats do not tell what tuning by good costs: 0.0")
    many = headed(look_of(make(repeats=40, oracle=False)), "selection")
    assert re.match(r"Tuning by good costs 0\.\d+\sAUC \(0\.\d+ to 0\.\d+\)", many)


def test_a_rule_that_gives_nothing_up_is_told_by_its_searches(make):
    records = make(
        learners={"a": 0.9, "b": 0.8}, rules={"good": 0.0}, repeats=3, oracle=False
    )
    told = headed(look_of(records), "selection")
    assert told == "Tuning by good gives up nothing in any of 6 searches"


def test_regret_says_what_it_is_against(make):
    """An oracle chooses by a criterion of its own, so it gives something up, too."""
    figure = next(
        block
        for one in look_of(make(repeats=3)).sections
        for block in one.blocks
        if getattr(block, "name", "") == "regret"
    )
    assert str(heading(figure.title)).endswith("search with the highest test AUC")
    assert "criterion of its own" in str(prose(figure.conditions))


@pytest.mark.parametrize("learners", [{"a": 0.9, "b": 0.8}, {"a": 0.9, "b": 0.9}])
def test_where_no_test_was_made_no_column_counts_its_verdicts(make, learners):
    records = make(learners=learners, repeats=1, noise=0.0, **PLAIN)
    board = tables(look_of(records))["leaderboard"]
    assert not any("Not told" in title for title in columns(board))
    tested = tables(look_of(make(learners=learners, repeats=3, **PLAIN)))
    assert "Not told from the first" in columns(tested["leaderboard"])


FREE = {"learners": {"a": 0.9, "b": 0.88, "dummy": 0.5}, **PLAIN, "baseline": None}


@pytest.mark.parametrize("datasets", [("one",), ("one", "two"), MANY])
def test_what_looks_at_no_feature_competes_with_nobody(make, datasets):
    records = make(**FREE, datasets=datasets, repeats=2, noise=0.05)
    look = look_of(records)
    scores = context_of(records).scores
    assert "dummy" not in scores.verdict.compared
    assert "dummy" not in look.title
    assert "dummy" not in str(look.action)
    assert " of 2 learners" in headed(look, "leaderboard")
    rows = {row[0]: row for row in texts(tables(look)["leaderboard"])}
    assert "Constant answer" not in rows
    assert "dummy" in rows


def test_a_registered_fact_makes_a_learner_free(make):
    records = make(learners={"a": 0.9, "mine": 0.5}, repeats=3, **PLAIN)
    assert context_of(records).study.competing == ("a", "mine")
    records.glossary["learner", "mine"]["constant"] = True
    assert context_of(records).study.competing == ("a",)
    assert "a has no competitor" in look_of(records).title


def test_a_single_learner_that_failed_leads_by_its_failure(make):
    def fail(trial):
        return ("failed", "ValueError", "no") if trial["learner"] == "a" else None

    records = make(learners={"a": 0.9, "dummy": 0.5}, repeats=3, fail=fail, **PLAIN)
    assert look_of(records).title.startswith("a gave no value.")


def test_a_floor_that_was_run_as_a_learner_stands_once(make):
    two = {"a": 0.9, "popularity": 0.5}
    records = make(learners=two, repeats=3, **PLAIN, baseline=None)
    records.glossary["learner", "popularity"]["constant"] = True
    rows = records.rows.assign(**{"fact.popularity-accuracy": 0.5})
    look = look_of(dataclasses.replace(records, rows=rows))
    named = [row[0].lower() for row in texts(tables(look)["leaderboard"])]
    assert sum(name.startswith("popularity") for name in named) == 1
    assert context_of(records).floor.name == "popularity, which looks at no feature"


def test_few_data_sets_together_tell_what_each_alone_cannot(make):
    records = make(
        learners={"a": 0.9, "b": 0.6},
        datasets=("one", "two"),
        repeats=3,
        noise=0.0,
        shift=lambda name, data, world: 0.0,
        **PLAIN,
    )
    place = {"one": np.array([0.1, 0.5, 0.3]), "two": np.array([0.5, 0.1, 0.31])}
    rows = records.rows
    gap = [
        place[str(data)][repeat] if name == "b" else 0.0
        for data, repeat, name in zip(
            rows["dataset"], rows["repeat"], rows["learner"], strict=True
        )
    ]
    rows = rows.assign(**{"test.accuracy": 0.9 - np.array(gap)})
    records = dataclasses.replace(records, rows=rows)
    verdict = context_of(records).scores.verdict
    assert [len(members) for members in verdict.sets.values()] == [2, 2]
    assert verdict.leaders == ("a",)
    title = look_of(records).title
    assert title.startswith(
        "Over 2 data sets together b is told from a, on none of them"
    )


def test_nobody_is_recommended_who_is_not_seen_above_the_floor(make):
    unsure = {"learners": {"a": 0.8, "b": 0.79}, "repeats": 2, "noise": 0.05, **PLAIN}
    look = look_of(make(**unsure, baseline=0.7, seed=3))
    action = str(look.action)
    assert "least time" not in action
    assert action.startswith("Add repeats: 10 to the study file: with 2 repeats, ")


def test_a_wide_interval_asks_for_repeats_and_a_part_is_named(make):
    options = {"learners": {"a": 0.8, "b": 0.8}, "datasets": ("iris", "adult")}
    options |= {"rules": {}, "configurations": 1, "oracle": False, "noise": 0.02}
    few = look_of(make(**options, measures=("auc",), baseline=0.8, repeats=2))
    assert str(few.action).startswith("Add repeats: 10")

    def low(name, data, world):
        return -0.3 * (data == "iris")

    part = look_of(
        make(**options, measures=("auc",), baseline=0.6, repeats=8, shift=low)
    )
    assert "what do clusters pick up on iris that" in str(part.action)


def test_one_run_is_no_test_against_the_floor(make):
    look = look_of(make(learners={"a": 0.9, "b": 0.8}, repeats=1, **PLAIN))
    told = headed(look, "leaderboard")
    assert "None of" not in told
    records = make(**FREE, repeats=1)
    told = headed(look_of(records), "leaderboard")
    start = "One run each is no test of who is above the floor, the constant answer"
    assert told.startswith(start)
    assert told.endswith("add repeats")


def test_the_floor_is_the_best_free_answer_of_each_data_set(make):
    records = make(
        learners={"a": 0.9, "dummy": 0.1},
        datasets=("two-classes", "three-classes"),
        repeats=3,
        **(PLAIN | {"measures": ("f1",)}),
        noise=0.0,
        baseline=None,
    )
    fact = np.where(records.rows["dataset"] == "two-classes", 0.54, np.nan)
    rows = records.rows.assign(**{"fact.always-positive-f1": fact})
    records = dataclasses.replace(records, rows=rows)
    floor = context_of(records).floor
    assert floor.of(["two-classes"]) == pytest.approx(0.54)
    assert floor.of(["three-classes"]) == pytest.approx(0.1)
    assert floor.value == pytest.approx(0.32)
    shown = {row[0]: row for row in texts(tables(look_of(records))["leaderboard"])}
    assert shown["The highest free answer of each data set"][1] == "0.320"
    assert "–" in shown["The positive class, always answered"][1]


def test_a_data_set_without_any_free_answer_leaves_the_floor_open(make):
    records = make(datasets=("one", "two"), repeats=2, **PLAIN, baseline=None)
    fact = np.where(records.rows["dataset"] == "one", 0.54, np.nan)
    rows = records.rows.assign(**{"fact.constant-accuracy": fact})
    context = context_of(dataclasses.replace(records, rows=rows))
    clusters = dataclasses.replace(context.floor, value=np.nan)
    floor = find_floor(context.study, context.scores, clusters)
    assert not np.isfinite(floor.value)


def test_f1_names_its_class(make):
    one = {"measures": ("f1",), "repeats": 3}
    records = make(**one)
    records.glossary["dataset", "adult"]["positive"] = "yes"
    assert context_of(records).unit == "F1 of class yes"
    two = make(**one, datasets=("a", "b"))
    two.glossary["dataset", "a"]["positive"] = "yes"
    two.glossary["dataset", "b"]["positive"] = "ill"
    assert context_of(two).unit == "F1 of the positive class"
    two.glossary["dataset", "b"]["task"] = "multiclass"
    assert context_of(two).unit == "F1"


def test_improvability_starts_at_the_floor_of_the_page(make):
    look = look_of(make(**FREE, repeats=3))
    board = tables(look)["improvability"]
    values = {row.cells[0].text.text: row.cells[1].value for row in board.rows}
    assert values["dummy"] == pytest.approx(1.0)
    assert "1: at the floor, the constant answer" in str(prose(board.conditions))
    bare = look_of(
        make(learners={"a": 0.9, "b": 0.8}, repeats=3, **PLAIN, baseline=None)
    )
    board = tables(bare)["improvability"]
    assert "floor" not in f"{prose(board.caption)} {prose(board.conditions)}"


def test_times_of_one_run_are_not_compared_in_a_heading(make):
    one = look_of(make(learners={"a": 0.9, "b": 0.8}, repeats=1, **PLAIN))
    assert headed(one, "cost") == "Seconds of one run each: too few to compare"
    two = look_of(make(learners={"a": 0.9, "b": 0.8}, repeats=2, **PLAIN))
    assert headed(two, "cost").endswith("medians of 2")


@pytest.mark.parametrize("over", ["repeats", "worlds", "data sets"])
def test_units_that_share_rows_give_no_interval(make, over):
    options = {
        "repeats": {"repeats": 7},
        "worlds": {"repeats": 2, "worlds": [{"n": n} for n in range(7)]},
        "data sets": {"repeats": 2, "datasets": MANY},
    }
    records = make(learners={"a": 0.9, "b": 0.8}, **PLAIN, **options[over])
    found = tables(look_of(records))
    shown = " ".join(cell for row in texts(found["wins"]) for cell in row)
    assert (" to " in shown) == (over == "data sets")
    for name in ("wins", "elo", "improvability"):
        told = str(prose(found[name].conditions))
        assert ("share rows" in told) == (over != "data sets")
    assert "half a win each way" in str(prose(found["elo"].conditions))


def test_every_probability_has_the_same_digits():
    shown = [
        _probability(p).replace("\u00a0", " ") for p in (0.004, 0.009, 0.02, 0.995)
    ]
    assert shown == ["< 1 %", "< 1 %", "2 %", "> 99 %"]


def test_no_difference_reads_as_none():
    assert _places(np.array([0.3, -0.0004])) == 4
    assert _places(np.array([0.3, 0.0])) == 3


def test_figure_title_and_table_have_the_same_digits(make):
    records = make(learners={"a": 0.997, "b": 0.992}, noise=0.003, repeats=2, **PLAIN)
    look, scores = look_of(records), context_of(records).scores
    shown = {row[0]: row[1] for row in texts(tables(look)["leaderboard"])}
    for name in ("a", "b"):
        assert scores.estimate(name).text == shown[name]
        assert f"{name} {shown[name]}" in look.figure.label


def test_one_run_is_no_mean(make):
    look = look_of(make(learners={"a": 0.9, "b": 0.8}, repeats=1, **PLAIN))
    board = tables(look)["leaderboard"]
    words = f"{look.figure.label} {prose(look.figure.conditions)} {columns(board)}"
    words += " ".join(cell.how for row in board.rows for cell in row.cells)
    assert "mean" not in words.lower()
    assert "Average" not in words
    several = look_of(
        make(learners={"a": 0.9, "b": 0.8}, repeats=1, datasets=("x", "y"), **PLAIN)
    )
    assert several.figure.label.startswith("Mean accuracy")


@pytest.mark.parametrize("datasets", [("one",), ("one", "two"), MANY])
@pytest.mark.parametrize("second", [0.9, 0.6])
def test_the_first_screen_names_its_test_once(make, datasets, second):
    records = make(learners={"a": 0.9, "b": second}, datasets=datasets, **PLAIN)
    lede = str(look_of(records).lede)
    for test in ("resampled t-test", "Wilcoxon", "Friedman"):
        assert lede.count(test) <= 1


def test_the_least_sure_is_the_one_least_above_the_floor(make):
    """Its own interval may be narrow where its way from the floor is not."""
    two = {"a": 0.9, "b": 0.9}
    records = make(learners=two, noise=0.0, repeats=4, **PLAIN, baseline=None)
    rows = records.rows
    swing = np.array([-0.1, 0.1, -0.05, 0.05])[rows["repeat"].to_numpy(dtype=int)]
    is_a = (rows["learner"] == "a").to_numpy()
    rows = rows.assign(
        **{
            "test.accuracy": np.where(is_a, 0.8 + 1.1 * swing, 0.8),
            "fact.constant-accuracy": 0.6 + swing,
        }
    )
    look = look_of(dataclasses.replace(records, rows=rows))
    claim = next(one for one in look.claims if isinstance(one, claims.AgainstFloor))
    assert str(prose(claim.subject)) == "the least sure of these, b,"
