import copy

import pytest

from caveat.exceptions import InvalidInput
from caveat.study import plan
from caveat.study.registry import TOPICS
from caveat.study.trials._search import grid_configurations, random_configurations
from caveat.study.trials._seeds import derive_seed


def test_a_search_is_cut_and_its_parts_share_a_group(fake_study):
    trials = plan(fake_study())
    other = [t for t in trials if t.spec["learner"]["name"] == "other"]
    assert [len(t.spec["configurations"]) for t in other] == [2, 1] * 6
    assert len({t.group for t in other}) == 6
    assert len({t.key for t in trials}) == len(trials) == 18


def test_limits_rules_and_engine_do_not_change_keys(fake_study):
    plain = [t.key for t in plan(fake_study())]
    dressed = fake_study(
        budget={"trial-minutes": 1, "trial-memory": "1GB", "retries": 3},
        engine={"name": "serial"},
        selection=["by-guess"],
        measures=["score"],
        description="another text",
        study="renamed",
    )
    assert [t.key for t in plan(dressed)] == plain


@pytest.mark.parametrize(
    "change",
    [
        {"protocol": "other"},
        {"search": {"steps": 5}},
        {"split": {"test-size": 0.5}},
        {"seeds": [1, 2, 3]},
        {"datasets": ["wine"]},
        {"learners": [{"name": "fake", "factor": 2}]},
        {"resampling": {"folds": 3}},
    ],
)
def test_whatever_can_change_a_result_changes_the_keys(fake_study, change):
    before = {t.key for t in plan(fake_study())}
    assert before.isdisjoint(t.key for t in plan(fake_study(**change)))


def test_a_moved_file_keeps_its_keys(fake_study, tmp_path):
    keys = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "t.csv"
        path.write_text("a,b\n1,x\n2,y\n3,x\n4,y\n")
        data = [{"file": str(path), "target": "b"}]
        keys.append([t.key for t in plan(fake_study(datasets=data))])
    assert keys[0] == keys[1]


def test_seeds_depend_only_on_what_their_purpose_may_see(fake_study):
    trials = plan(fake_study())
    one = next(t.spec for t in trials if t.spec["learner"]["name"] == "fake")
    same = [
        t.spec
        for t in trials
        if t.spec["repeat"] == one["repeat"] and t.spec["world"] == one["world"]
    ]
    assert len({derive_seed(spec, "split") for spec in same}) == 1
    assert len({derive_seed(spec, "scenario") for spec in same}) == 1
    assert len({derive_seed(spec, "learner") for spec in same}) == 2
    other_world = [t.spec for t in trials if t.spec["repeat"] == one["repeat"]]
    assert len({derive_seed(spec, "split") for spec in other_world}) == 1
    assert len({derive_seed(spec, "scenario") for spec in other_world}) == 2


def test_how_a_search_is_cut_does_not_change_its_seeds(fake_study):
    seeds = []
    for size in (1, 3):
        specs = [t.spec for t in plan(fake_study(search={"per-trial": size}))]
        seeds.append(
            {
                (spec["repeat"], str(spec["world"]), spec["learner"]["name"], index): (
                    derive_seed(spec, "learner", {"config": index})
                )
                for spec in specs
                for index, _ in spec["configurations"]
            }
        )
    assert seeds[0] == seeds[1]


def test_prescribed_seeds_are_used_as_they_are(fake_study):
    specs = [t.spec for t in plan(fake_study(seeds=[42, 43], repeats=2))]
    assert {derive_seed(spec, "split") for spec in specs} == {42, 43}


def test_equal_repeats_are_planned_once(fake_study):
    twice = plan(fake_study(learners=["fake", "fake"]))
    assert len(twice) == len(plan(fake_study(learners=["fake"])))


def test_planning_changes_nothing_that_it_was_given(fake_study):
    study = fake_study()
    before = copy.deepcopy(study)
    plan(study)
    assert study == before


def test_a_baseline_trial_is_added_per_data_set_and_split(fake_study):
    trials = plan(fake_study(baseline="eapp", datasets=["iris", "diabetes"]))
    baseline = [t.spec for t in trials if t.spec["topic"] == "eapp"]
    assert [spec["repeat"] for spec in baseline] == [0, 1, 2]
    assert {spec["dataset"]["reference"] for spec in baseline} == {"iris"}


def test_a_grid_that_is_far_too_large_needs_a_yes(fake_study, monkeypatch):
    monkeypatch.setattr("caveat.study.trials._plan.MOST_TRIALS", 10)
    with pytest.raises(InvalidInput, match="--yes"):
        plan(fake_study())
    assert len(plan(fake_study(), yes=True)) == 18


def test_grids_vary_the_last_parameter_fastest():
    found = grid_configurations({"a": [1, 2], "b": "xy"})
    assert [(c["a"], c["b"]) for c in found] == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]


def test_a_longer_random_search_begins_with_the_shorter_one():
    space = {
        "a": {"uniform": [0, 1]},
        "b": {"choice": [1, 2, 3]},
        "c": {"integer": [4, 6]},
        "d": {"log10-uniform": [-3, -1]},
    }
    long = random_configurations("x", space, 50)
    assert long[:10] == random_configurations("x", space, 10)
    assert {draw["b"] for draw in long[1:]} == {1, 2, 3}
    assert {draw["c"] for draw in long[1:]} == {4, 5, 6}
    assert all(1e-3 <= draw["d"] <= 1e-1 for draw in long[1:])
    with pytest.raises(InvalidInput, match="gauss"):
        random_configurations("x", {"a": {"gauss": [0, 1]}}, 2)


def test_a_topic_may_leave_combinations_out(fake_study, monkeypatch):
    topic = TOPICS["fake"].load()
    monkeypatch.setattr(
        type(topic),
        "wanted",
        lambda self, world, learner, repeat: learner == "other" or repeat == 0,
        raising=False,
    )
    repeats = [
        t.spec["repeat"]
        for t in plan(fake_study())
        if t.spec["learner"]["name"] == "fake"
    ]
    assert repeats == [0, 0]
