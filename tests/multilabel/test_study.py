"""Many labels as a topic: trials, protocols, registered studies, published tables."""

import pytest

from caveat.exceptions import CaveatError
from caveat.multilabel.registry import LEARNERS, MEASURES
from caveat.multilabel.study import TOPIC
from caveat.study import load_study, plan, run_trial

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def run_one(**study):
    trials = plan({"study": "one", "topic": "multilabel", "baseline": "none", **study})
    return [run_trial(trial.spec) for trial in trials]


def test_a_trial_holds_all_measures_margins_and_a_table_of_labels():
    [record] = run_one(datasets=["tags"], learners=[{"name": "ml-knn", "k": [3, 5]}])
    table = record["table"]
    assert {f"test.{name}" for name in MEASURES} <= set(table)
    assert {f"criterion.cv-{name}" for name in MEASURES} <= set(table)
    assert len(table["config"]) == 2
    labels = record["curves"]["labels"]
    assert len(labels) == 12
    assert {row["config"] for row in labels} == {0, 1}


def test_cross_validation_can_be_switched_off():
    [record] = run_one(
        datasets=["tags"], learners=["popularity"], resampling={"folds": 0}
    )
    assert not [name for name in record["table"] if name.startswith("criterion")]


@pytest.mark.parametrize("folds", [1, -2, 2.5, True])
def test_other_numbers_of_folds_are_refused(folds):
    with pytest.raises(CaveatError, match="folds is"):
        run_one(datasets=["tags"], learners=["popularity"], resampling={"folds": folds})


def test_data_of_another_kind_are_skipped_with_a_reason():
    reason = TOPIC.skip({"task": "binary"}, LEARNERS["limo"])
    assert "the data are binary" in reason


@pytest.mark.parametrize(
    "name", ["multilabel-demo", "limo-synthetic", "limo-benchmark"]
)
def test_registered_studies_are_whole(name):
    study = load_study(name)
    assert study.topic == "multilabel"
    assert study.description
