"""run, status, export, diff and prune, one after another on one small study."""

from pathlib import Path

import pytest

from caveat._registry import Entry
from caveat.cli import main
from caveat.study.registry import ENGINES, TOPICS

PLUGIN = str(Path(__file__).parents[1] / "study" / "plugin")

STUDY = """\
study: small
topic: fake
datasets: [iris]
learners: [fake, {name: other, factor: [0.5, 0.25]}, raises]
repeats: 2
baseline: none
engine: inline
"""


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    monkeypatch.setattr(TOPICS, "_plugged", None)
    inline = Entry(name="inline", target="caveat_fake:InlineEngine")
    monkeypatch.setitem(ENGINES._entries, "inline", inline)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(STUDY)

    def run(*args):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


def test_a_dry_run_does_not_need_the_ledger_it_is_given_by_url(call, tmp_path):
    url = f"sqlite:///{tmp_path}/new.ledger"
    code, out, _ = call("run", "small.yaml", "--dry-run", "--ledger", url)
    assert code == 0
    assert "known once the first have run" in out
    assert not (tmp_path / "new.ledger").exists()


def test_a_dry_run_shows_the_grid_and_writes_nothing(call, tmp_path):
    code, out, err = call("run", "small.yaml", "--dry-run")
    assert code == 0
    assert "a trial may take 60 minutes" in err
    assert "6 trials" in out
    assert "Nothing was run" in out
    assert [path.name for path in tmp_path.iterdir()] == ["small.yaml"]


def test_the_life_of_a_study(call, tmp_path):
    code, out, _ = call("run", "small.yaml")
    assert code == 1
    assert "6 trials, 4 done, 2 failed; 6 run now" in out

    code, out, _ = call("status")
    assert code == 0
    assert "no luck today" in out

    code, out, _ = call("export", "--out", "a.csv")
    assert code == 0
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + 2 + 4 + 2

    code, out, _ = call("run", "small.yaml", "--ledger", "second.ledger")
    code, out, _ = call("diff", "small.ledger", "second.ledger")
    assert code == 0
    assert "0 differ" in out

    edited = STUDY.replace(", raises", "").replace("repeats: 2", "repeats: 1")
    (tmp_path / "small.yaml").write_text(edited)
    code, out, err = call("run", "small.yaml", "--ledger", "second.ledger")
    assert code == 0
    assert "4 recorded trials are no longer wanted" in err
    code, out, _ = call("diff", "small.ledger", "second.ledger")
    assert code == 1
    code, out, _ = call("prune", "second.ledger")
    assert "4 trials would be removed" in out
    code, out, _ = call("prune", "second.ledger", "--yes")
    assert "4 trials removed" in out

    code, _, err = call("status")
    assert code == 2
    assert "2 ledgers" in err
