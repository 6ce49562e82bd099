"""run, status, export, diff, verify and prune on one small study."""

import json
import sqlite3
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


def test_a_damaged_record_is_told_by_every_command_and_run_again(call, tmp_path):
    call("run", "small.yaml")
    code, out, _ = call("verify")
    assert code == 0
    assert "6 records are whole, 0 damaged" in out
    call("export", "--out", "before.csv")
    _, out, _ = call("verify", "--json")
    whole = json.loads(out)
    raw = sqlite3.connect("small.ledger")
    with raw:
        raw.execute(
            "UPDATE result SET record = replace(record, '0.', '0.1') WHERE key = "
            "(SELECT min(key) FROM result WHERE state = 'done')"
        )
        key = raw.execute("SELECT min(key) FROM result WHERE state = 'done'").fetchone()
    raw.close()
    code, out, err = call("verify", "--json")
    found = json.loads(out)
    assert (code, found["records"]) == (1, whole["records"] - 1)
    reason = "its result is not what was written"
    assert found["damaged"] == [{"key": key[0], "reason": reason, "rerun": True}]
    assert found["digest"] != whole["digest"]
    for command in (
        ["status"],
        ["export", "--out", "a.csv"],
        ["diff", "small.ledger", "small.ledger"],
        ["report", "--out", "page"],
    ):
        code, out, err = call(*command)
        assert (code, command) == (1, command)
        assert "damaged and left out: 1 row of small.ledger" in err
    page = (tmp_path / "page" / "index.html").read_text()
    assert "1 row of the ledger is damaged and left out." in page
    assert found["digest"] in page
    code, out, err = call("run", "small.yaml")
    assert "1 run now" in out
    assert "run again because the ledger was damaged: 1 trial" in err
    code, out, _ = call("verify")
    assert code == 0
    assert whole["digest"] in out
    call("export", "--out", "after.csv")
    before, after = (tmp_path / f"{name}.csv" for name in ("before", "after"))
    assert after.read_bytes() == before.read_bytes()


def test_a_ledger_that_cannot_be_read_is_one_sentence_and_exit_code_1(call, tmp_path):
    call("run", "small.yaml")
    ledger = tmp_path / "small.ledger"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:8192] + b"\xff" * 4096 + whole[12288:])
    for command in ("status", "export", "report", "verify"):
        code, out, err = call(command)
        assert code == 1
        assert "damaged" in out + err
        assert (out + err).count("Traceback") == 0
    _, out, _ = call("verify", "--json")
    found = json.loads(out)
    assert found["damaged"][0]["key"] is None
    assert not found["damaged"][0]["rerun"]
