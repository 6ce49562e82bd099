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


def test_progress_names_what_every_worker_is_at_in_one_line(monkeypatch):
    terminal, clock = Terminal(), iter([0.0, 1.0])
    monkeypatch.delenv("CAVEAT_QUIET", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(_console.sys, "stderr", terminal)
    progress = _console.Progress("small")
    with monkeypatch.context() as frozen:
        frozen.setattr(_console.time, "monotonic", lambda: next(clock))
        progress.update(0, 9)
        progress.update(1, 9, 0, ["k-nn on iris, repeat 0", "dummy on \x1b[31m" * 9])
    line = terminal.getvalue()
    assert "now: k-nn on iris, repeat 0; dummy" in line
    assert "\x1b" not in line
    assert len(line.lstrip("\r")) < 120
