"""To be registered is to be run: every learner of every topic, through the engine.

Topics are found in the engine's own table. A topic says which small study its learners
are tried on in `TOPIC.small`, the keys of a study file: ``datasets``, ``scenario``,
``search``, ``resampling`` and the like. Without it, iris as it is.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from caveat._registry import Entry
from caveat.datasets import describe, resolve
from caveat.exceptions import MissingExtra
from caveat.study import TOPICS, plan, run_trial
from caveat.study.topic import Topic

pytestmark = pytest.mark.thorough


def built_topics() -> list[str]:
    """Name the topics whose package is there; one that cannot be imported fails."""
    targets = {name: entry.target.partition(":")[0] for name, entry in TOPICS.items()}
    return [
        name
        for name, target in targets.items()
        if find_spec(target.rpartition(".")[0]) and find_spec(target)
    ]


@cache
def topic_called(name: str) -> Topic:
    return TOPICS[name].load()


def small_study(topic: Topic) -> dict[str, Any]:
    return {"datasets": ["iris"], **getattr(topic, "small", {})}


def pairs() -> list[tuple[str, str, str]]:
    """List topic, learner and data set, as far as the learner can do the data set."""
    found = []
    for name in built_topics():
        topic = topic_called(name)
        skip = getattr(topic, "skip", lambda facts, entry: "")
        for dataset in small_study(topic)["datasets"]:
            facts = describe(dataset)
            for entry in topic.learners.values():
                able = not entry.tasks or facts["task"] in entry.tasks
                if able and not skip(facts, entry):
                    found.append((name, entry.name, dataset))
    return found


def quick(entry: Entry) -> dict[str, Any]:
    """Write the parameters that make a learner fast as a study file would."""
    return {
        key: [list(value)] if isinstance(value, list | tuple) else value
        for key, value in entry.quick.items()
    }


def loaded_or_skipped(entry: Entry) -> Any:
    """Import a learner; only a missing extra is an excuse."""
    try:
        return entry.load()
    except MissingExtra as missing:
        pytest.skip(str(missing))


@cache
def records(topic_name: str, learner: str, dataset: str) -> list[dict[str, Any]]:
    """Run a learner on a data set and give the records of its trials."""
    topic = topic_called(topic_name)
    entry = topic.learners[learner]
    if "needs" in entry.facts:
        pytest.skip(f"{learner} needs {entry.facts['needs']} from the user")
    loaded_or_skipped(entry)
    trials = plan(
        {
            "study": "common",
            "topic": topic_name,
            "baseline": "none",
            **small_study(topic),
            "datasets": [dataset],
            "learners": [{"name": learner, **quick(entry)}],
        }
    )
    return [run_trial(trial.spec) for trial in trials]


def scores(found: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Collect the test measures of all rows of all records."""
    columns: dict[str, list[float]] = {}
    for record in found:
        for column, values in record["table"].items():
            if column.startswith("test."):
                known = [value for value in values if value is not None]
                columns.setdefault(column.removeprefix("test."), []).extend(known)
    return {name: values for name, values in columns.items() if values}


def free_scores(dataset: str) -> dict[str, float]:
    """Say what each measure gives to an answer that looks at no column."""
    data = resolve(dataset)
    free = {"r2": 0.0, "auc": 0.5, "macro-auc": 0.5, "micro-auc": 0.5}
    if data.y is None or data.task == "regression":
        return free
    shares = data.y.value_counts(normalize=True)
    labels = {"accuracy": shares.max(), "balanced-accuracy": 1 / len(shares)}
    return {**labels, **free}


def strong_pairs() -> list[tuple[str, str, str]]:
    """Leave out the learners whose own sources say that they are weak."""
    return [
        (topic, learner, dataset)
        for topic, learner, dataset in pairs()
        if not topic_called(topic).learners[learner].known_weak
    ]


def best_and_free(topic: str, learner: str, dataset: str) -> tuple[str, float, float]:
    """Give a measure, its best value, and what it gives to a constant answer."""
    found, free = scores(records(topic, learner, dataset)), free_scores(dataset)
    for name in free:
        if name in found:
            return name, max(found[name]), free[name]
    pytest.skip(f"{topic} has no measure whose free value is known")


def tables(topic: str) -> dict[tuple[str, str], list[Any]]:
    """Collect the selection tables of all learners of a topic that can run here."""
    found = {}
    for name, learner, dataset in pairs():
        if name == topic:
            with suppress(pytest.skip.Exception):
                ran = records(topic, learner, dataset)
                found[dataset, learner] = [record["table"] for record in ran]
    return found


def rivals(topic: str) -> list[tuple[str, str, str]]:
    """List data set and two learners that should differ: no alias of one another."""
    learners = topic_called(topic).learners
    found = []
    for (here, one), (there, other) in combinations(tables(topic), 2):
        names = {one, other}
        if here == there and not names & {
            learners[name].facts.get("alias_of") for name in names
        }:
            found.append((here, one, other))
    return found


@pytest.mark.parametrize(("topic", "learner", "dataset"), pairs())
def test_every_registered_learner_runs(topic, learner, dataset):
    found = records(topic, learner, dataset)
    assert found
    for record in found:
        assert record["table"]["config"]
        assert any(column.startswith("test.") for column in record["table"])
    for values in scores(found).values():
        assert np.isfinite(values).all()


@pytest.mark.parametrize(("topic", "learner", "dataset"), strong_pairs())
def test_every_learner_beats_a_constant_answer_unless_known_to_be_weak(
    topic, learner, dataset
):
    measure, best, free = best_and_free(topic, learner, dataset)
    assert best > free, f"{measure} of {learner}"


@pytest.mark.long
@pytest.mark.parametrize("topic", built_topics())
def test_no_two_names_are_one_learner(topic):
    found = tables(topic)
    for dataset, one, other in rivals(topic):
        assert found[dataset, one] != found[dataset, other], (
            f"{one} and {other} give the same record on {dataset}; if one is another "
            "name of the other, say so in its row: facts={'alias_of': ...}"
        )


@pytest.mark.parametrize("topic", built_topics())
def test_every_row_of_a_registry_can_be_read_by_a_report(topic):
    loaded = topic_called(topic)
    assert set(loaded.default_rules) <= set(loaded.rules)
    assert loaded.protocols
    for measure in loaded.measures.values():
        assert measure.facts["direction"] in ("min", "max")
        assert "Warnings\n" in (measure.load().__doc__ or ""), measure.name
    for criterion in loaded.criteria.values():
        assert criterion.facts["direction"] in ("min", "max")
    for rule in loaded.rules.values():
        role, _, _ = rule.facts["column"].partition(".")
        assert role in ("criterion", "oracle", "test")
        assert rule.facts["checkpoint"] in ("best", "last")
        assert rule.facts["oracle"] == (role != "criterion"), rule.name


@pytest.mark.parametrize(("topic", "learner"), sorted({row[:2] for row in pairs()}))
def test_every_learner_says_when_it_misleads(topic, learner):
    entry = topic_called(topic).learners[learner]
    assert "Warnings\n" in (loaded_or_skipped(entry).__doc__ or "")
