import pandas as pd
import pytest
from matplotlib.figure import Figure

from caveat.bags.registry import CRITERIA, LEARNERS, MEASURES, RULES
from caveat.bags.selection._search import STRATEGIES
from caveat.bags.study import TOPIC
from caveat.bags.worlds._scenarios import expand_worlds, standard_world
from caveat.exceptions import CaveatError
from caveat.statistics import best_set, select
from caveat.study import Ledger, load_study, plan, run_trial
from caveat.study import run as run_study
from papers.bags import figures

STUDY = {
    "study": "s",
    "topic": "bags",
    "datasets": ["iris"],
    "learners": [{"name": "mm", "lam": [1, 10], "fit_intercept": True}],
    "resampling": {"splits": 2},
    "baseline": "none",
}


def run(**change):
    trials = plan({**STUDY, **change})
    return [run_trial(trial.spec) for trial in trials]


def test_the_published_grid_has_forty_and_thirty_two_worlds():
    study = load_study("bags-72")
    worlds = {name: expand_worlds(study.scenario, name) for name in study.datasets}
    assert [len(found) for found in worlds.values()] == [40, 32]
    for name, found in worlds.items():
        assert len({standard_world(world, name).name for world in found}) == len(found)


def test_naive_worlds_have_no_proportions_and_come_once():
    worlds = expand_worlds(
        {"variant": ["naive"], "proportions": ["close-global", "mixed"]}, "iris"
    )
    assert [world["proportions"] for world in worlds] == [None]


@pytest.mark.parametrize(
    "scenario",
    [
        {"variant": "easy"},
        {"bags": 5},
        {"sizes": "even"},
        {"proportions": "near"},
        {"variant": "random"},
        {"variant": "feature"},
        {"n_bags": 0},
    ],
)
def test_scenarios_that_make_no_sense_are_refused(scenario):
    with pytest.raises(CaveatError):
        expand_worlds(scenario, "iris")


def test_cifar_has_no_intermediate_bags_far_from_the_global_share():
    with pytest.raises(CaveatError, match="close-global only"):
        expand_worlds(
            {"variant": "intermediate", "proportions": "mixed"}, "cifar10-grey"
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "scenario",
    [
        {"variant": "hard", "n_bags": 3},
        {"variant": "intermediate", "n_bags": 3},
        {"variant": "naive", "sizes": "not-equal"},
        {"variant": "random", "bag_size": 20},
    ],
)
def test_a_trial_gives_every_criterion_and_measure(scenario):
    (record,) = run(scenario=scenario)
    columns = set(record["table"])
    assert {f"criterion.{name}" for name in CRITERIA} <= columns
    assert {f"test.{name}" for name in MEASURES} <= columns
    assert RULES["oracle"].facts["column"] in columns
    assert record["table"]["config"] == [0, 1]


@pytest.mark.filterwarnings("ignore")
def test_learners_of_one_repeat_meet_the_same_bags():
    learners = ["mm", {"name": "bag-forward-correction", "lam": 1.0}]
    first, second = run(learners=learners, scenario={"n_bags": 3})
    assert first["digests"] == second["digests"]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_repeats_differ_and_are_repeatable():
    records = run(repeats=2)
    assert records[0]["digests"] != records[1]["digests"]
    assert records[0]["table"] == run(repeats=2)[0]["table"]


@pytest.mark.filterwarnings("ignore")
def test_a_model_from_bags_can_be_followed_by_a_shift():
    (record,) = run(
        datasets=["breast_cancer"],
        learners=[{"name": "mm", "lam": 10, "fit_intercept": True}],
        then={"shift": {"scenario": ["random"], "max_subsets": 3}},
    )
    assert record["curves"]


def test_networks_take_a_trial_each_and_linear_learners_share_one():
    assert TOPIC.configurations_per_trial(LEARNERS["dllp"], 5) == 1
    assert TOPIC.configurations_per_trial(LEARNERS["lmm"], 36) == 36


def test_unknown_resampling_settings_are_refused():
    trial = plan({**STUDY, "resampling": {"folds": 3}})[0]
    with pytest.raises(CaveatError, match="folds"):
        run_trial(trial.spec)


def test_every_rule_reads_a_column_that_trials_write():
    known = {f"criterion.{name}" for name in CRITERIA} | {"oracle.error"}
    assert {rule.facts["column"] for rule in RULES.values()} == known


def test_every_target_of_the_registries_can_be_loaded():
    for registry in (LEARNERS, MEASURES, CRITERIA, RULES):
        for entry in registry.values():
            assert callable(entry.load())


@pytest.mark.long
@pytest.mark.thorough
def test_the_published_figures_come_from_a_ledger(tmp_path):
    study = {
        **STUDY,
        "scenario": {"variant": ["naive", "simple"], "n_bags": 3},
        "learners": [{"name": "mm", "lam": 1}, {"name": "lmm", "lam": [1, 10]}],
        "repeats": 2,
    }
    run_study(study, ledger=tmp_path / "bags.ledger", engine="serial")
    with Ledger(tmp_path / "bags.ledger") as book:
        records = book.records()
    chosen = {rule: select(records, rule, measure="f1") for rule in STRATEGIES}
    best = figures.best_sets(records.trials, chosen, best_set)
    assert sorted(best.learners["variant"]) == ["naive", "simple"]
    assert len(best.strategies) == 2 * 2
    scores = pd.concat(chosen.values()).groupby(["world", "learner"])["value"].mean()
    for row in best.learners.itertuples():
        world = row.dataset.removeprefix("iris, ")
        assert row.members[0] == scores[world].idxmax()
    axes = Figure().subplots(1, 3)
    figures.plot_learner_sets(figures.learner_set_shares(best.learners), axes[0])
    figures.plot_gaps(best.learners["gap"], axes[1])
    winners = figures.strategy_winners(best.strategies)
    figures.plot_strategy_kinds(figures.strategy_kind_shares(winners), axes[2])
    assert len(winners) == 2
