"""Audits that run in this process, on files that the tests write."""

import sys
import types

import pytest

from caveat._registry import Entry
from caveat.audit import Settings, audit
from caveat.study.engines._worker import work
from caveat.study.registry import ENGINES


class Inline:
    """Runs every trial here and now."""

    capacity = 1
    current = ()

    def __init__(self, *, allow_import=False, **limits):
        self._allow = allow_import
        self._ended = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def submit(self, trial):
        self._ended.append(work(trial.key, trial.spec, self._allow))

    def wait(self, seconds):
        ended, self._ended = self._ended, []
        return ended


@pytest.fixture(scope="session")
def here():
    """Return the name of an engine without processes."""
    module = types.ModuleType("audit_inline")
    module.Inline = Inline
    entry = Entry(name="here", target="audit_inline:Inline")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "audit_inline", module)
        patch.setitem(ENGINES._entries, "here", entry)
        yield "here"


@pytest.fixture
def audited(tmp_path, here):
    """Return what audits a table: few folds, few shuffles, one model."""

    def make(frame, target="y", **asked):
        path = tmp_path / "table.csv"
        frame.to_csv(path, index=False)
        given = {"models": ("lightgbm",), "shuffles": 30, "folds": 4, **asked}
        settings = Settings(str(path), target, **given)
        return audit(settings, tmp_path / "out", engine=here, command="caveat audit")

    return make
