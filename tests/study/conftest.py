"""Studies of fake learners, found through an entry point as a plug-in's would be."""

import sys
from pathlib import Path

import pytest

from caveat._registry import Entry
from caveat.study.registry import ENGINES, TOPICS

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
            "datasets": ["iris"],
            "learners": ["fake", {"name": "other", "factor": [0.5, 0.25, 0.1]}],
            "scenario": {"size": [1, 2]},
            "repeats": 3,
            "baseline": "none",
        }
        return {**study, **changes}

    return make
