import io

import pytest

from caveat.cli import _console


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(_console.sys, "stderr", shown)
    monkeypatch.delenv("CAVEAT_QUIET", raising=False)
    return shown


def test_what_went_before_the_work_does_not_slow_the_estimate(terminal, monkeypatch):
    clock = iter([30.0, 31.0, 40.0])
    progress = _console.Progress("eapp")
    monkeypatch.setattr(_console.time, "monotonic", lambda: next(clock))
    progress.update(1, 11)
    assert terminal.getvalue() == ""
    progress.update(2, 11)
    assert "2 of 11   1 a second   9 s left" in terminal.getvalue()
    progress.update(11, 11)
    assert terminal.getvalue().rstrip().endswith("11 of 11   1 a second")
