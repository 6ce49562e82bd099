"""Studies of fake learners, found through an entry point as a plug-in's would be."""

import sqlite3
import sys
from pathlib import Path

import pytest

from caveat._registry import Entry
from caveat.study import Trial
from caveat.study.registry import ENGINES, TOPICS
from caveat.study.trials._canonical import canonical

PLUGIN = str(Path(__file__).parent / "plugin")


@pytest.fixture(autouse=True)
def plugin(monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    monkeypatch.setattr(TOPICS, "_plugged", None)
    inline = Entry(name="inline", target="caveat_fake:InlineEngine")
    monkeypatch.setitem(ENGINES._entries, "inline", inline)
    yield
    sys.modules.pop("caveat_fake", None)


@pytest.fixture
def fake_study():
    def make(**changes):
        study = {
            "study": "small",
            "topic": "fake",
            "datasets": ["xor"],
            "learners": ["fake", {"name": "other", "factor": [0.5, 0.25, 0.1]}],
            "scenario": {"size": [1, 2]},
            "repeats": 3,
            "baseline": "none",
        }
        return {**study, **changes}

    return make


@pytest.fixture
def old_ledger(tmp_path):
    """A ledger of schema 1, made from the text of its tables."""
    shared = {
        "dataset": {"reference": "iris", "digest": "0" * 64},
        **{name: {} for name in ("split", "resampling", "training", "then", "world")},
        **{"protocol": "caveat", "repeat": 0, "seed": None},
        "search": {"kind": "none", "size": 1},
        "configurations": [[0, {}]],
    }
    text = (Path(__file__).parent / "old_ledger.sql").read_text()
    for number, (topic, learner) in enumerate(
        [("baseline", "eapp"), ("proportions", "mm")]
    ):
        named = {"topic": topic, "learner": {"name": learner, "params": {}}}
        trial = Trial({**shared, **named})
        text = text.replace(f"KEY{number}", trial.key)
        text = text.replace(f"GROUP{number}", trial.group)
        text = text.replace(f"SPEC{number}", canonical(trial.spec))
    path = tmp_path / "old.ledger"
    made = sqlite3.connect(path)
    made.executescript(text)
    made.close()
    return path
