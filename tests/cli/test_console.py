import io

from caveat.cli import _console


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_what_went_before_the_work_does_not_slow_the_estimate(monkeypatch):
    terminal, clock = Terminal(), iter([30.0, 31.0, 40.0])
    monkeypatch.delenv("CAVEAT_QUIET", raising=False)
    monkeypatch.setattr(_console.sys, "stderr", terminal)
    progress = _console.Progress("eapp")
    with monkeypatch.context() as frozen:
        frozen.setattr(_console.time, "monotonic", lambda: next(clock))
        progress.update(1, 11)
        assert terminal.getvalue() == ""
        progress.update(2, 11)
        assert "2 of 11   1 a second   9.0 s left" in terminal.getvalue()
        progress.update(11, 11)
    assert terminal.getvalue().rstrip().endswith("11 of 11   1 a second")
