"""Configurations that train together: every algorithm, the study, the advice."""

import numpy as np
import pytest

from caveat.candidates import PartialLabelClassifier, flip_candidates
from caveat.candidates._classifier import make_algorithm
from caveat.candidates._joint_training import fit_all
from caveat.candidates.registry import LEARNERS
from caveat.candidates.study import TOPIC
from caveat.study import plan
from caveat.study.trials._trial import run_trial

pytestmark = [
    pytest.mark.filterwarnings("ignore:candidates"),
    pytest.mark.thorough,
]

RNG = np.random.default_rng(0)
Y = np.arange(90) % 4
X = np.eye(4)[Y] + 0.4 * RNG.normal(size=(90, 4))
SETS = flip_candidates(Y, rate=0.4, random_state=0)
VIEWS = {name for name, entry in LEARNERS.items() if entry.facts["needs_views"]}
ALONE = {"idgp", "valen"} | VIEWS
WARM = {"pop": {"warm_up": 1}, "idgp": {"warm_up": 1}, "valen": {"warm_up": 10}}
WARM |= {name: dict(LEARNERS[name].quick) for name in VIEWS}


def models(name, variant="paper", rates=(0.003, 0.001, 0.01)):
    return [
        PartialLabelClassifier(
            name,
            variant=variant,
            params=WARM.get(name),
            hidden=(9,),
            batch_size=16,
            max_steps=24 + 2 * number,
            checkpoint_every=8,
            learning_rate=rate,
            random_state=number,
        )
        for number, rate in enumerate(rates)
    ]


@pytest.mark.parametrize("variant", ["paper", "plench"])
@pytest.mark.parametrize("name", LEARNERS)
def test_every_algorithm_ends_as_it_would_alone(name, variant):
    together = models(name, variant)
    assert fit_all(together, X, SETS) == [None] * 3
    for model, alone in zip(together, models(name, variant), strict=True):
        alone.fit(X, SETS)
        assert model.losses_ == pytest.approx(alone.losses_, rel=1e-4, abs=1e-6)
        np.testing.assert_allclose(
            model.decision_function(X), alone.decision_function(X), 1e-3, 1e-4
        )


def test_all_but_those_with_a_step_of_their_own_can_be_stacked():
    found = {name for name in LEARNERS if not make_algorithm(name).stacks}
    assert found == ALONE


def study(**search):
    return {
        "study": "s",
        "topic": "candidates",
        "datasets": ["iris"],
        "scenario": {"candidates": "flip", "rate": 0.3},
        "learners": ["proden"],
        "search": {
            "configurations": 5,
            "steps": 12,
            "checkpoint-every": 6,
            **search,
        },
        "baseline": "none",
        "repeats": 1,
    }


def test_a_search_has_the_same_table_however_it_is_cut_into_trials():
    tables = []
    for search in ({}, {"per-trial": 1}):
        records = [run_trial(trial.spec)["table"] for trial in plan(study(**search))]
        tables.append(
            {
                name: [cell for record in records for cell in record[name]]
                for name in records[0]
            }
        )
    assert len(plan(study())) == 1
    assert tables[0]["config"] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert tables[0].keys() == tables[1].keys()
    for name, column in tables[0].items():
        assert column == pytest.approx(tables[1][name], rel=1e-4)


def test_what_cannot_be_stacked_gets_a_trial_for_every_configuration():
    assert TOPIC.configurations_per_trial(LEARNERS["valen"], 10) == 1
    assert TOPIC.configurations_per_trial(LEARNERS["cc"], 7) == 7
    assert TOPIC.configurations_per_trial(LEARNERS["cc"], 20) == 10


def test_a_diverging_configuration_is_noted_and_never_scored():
    learner = {"name": "cc", "learning_rate": [0.01, 1e30]}
    (trial,) = plan({**study(configurations=None), "learners": [learner]})
    record = run_trial(trial.spec)
    assert set(record["table"]["config"]) == {0}
    assert any("configuration 1 diverged" in note for note in record["notes"])
