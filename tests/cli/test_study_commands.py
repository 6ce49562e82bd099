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


@pytest.mark.thorough
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


@pytest.mark.thorough
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


def test_a_limit_runs_the_first_trials_only_and_says_how_to_go_on(call):
    code, out, _ = call("run", "small.yaml", "--limit", "2")
    assert code == 0
    assert "2 done, 4 pending; 2 run now" in out
    assert "Go on with: caveat run small.yaml --ledger small.ledger" in out
    code, _, err = call("run", "small.yaml", "--limit", "0")
    assert (code, "--limit 0 is out of range" in err) == (2, True)


def test_json_of_run_status_and_list_is_one_object_each(call):
    code, out, _ = call("run", "small.yaml", "--json")
    ran = json.loads(out)
    assert (code, ran["schema"]) == (1, "caveat-run/1")
    assert ran["states"] == {"done": 4, "failed": 2}
    assert (ran["total"], ran["executed"], ran["failed"], ran["open"]) == (6, 6, 2, 0)
    code, out, _ = call("status", "--json")
    status = json.loads(out)
    assert (code, status["schema"]) == (0, "caveat-status/1")
    assert status["studies"][0]["done"] == 4
    assert status["failures"][0]["message"] == "no luck today"
    code, out, _ = call("run", "small.yaml", "--dry-run", "--json")
    plan = json.loads(out)
    assert (code, plan["schema"], plan["trials"]) == (0, "caveat-plan/1", 6)
    for what in ("datasets", "learners", "studies", "topics"):
        code, out, _ = call("list", what, "--json")
        found = json.loads(out)
        assert (code, found["schema"], found["what"]) == (0, "caveat-list/1", what)
        assert all(item["name"] for item in found["items"])


def test_the_log_has_a_line_for_every_end_and_is_only_added_to(call, tmp_path):
    log = tmp_path / "run.jsonl"
    log.write_text('{"event": "mine"}\n')
    call("run", "small.yaml", "--log", "run.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = [line["event"] for line in lines]
    assert events[:2] == ["mine", "begin"]
    assert events[-1] == "end"
    ends = [line for line in lines if line["event"] == "trial-ends"]
    assert sorted(line["state"] for line in ends) == ["done"] * 4 + ["failed"] * 2
    assert ends[0]["trial"] == "fake on iris, repeat 0"


@pytest.mark.parametrize("name", [".", "no/such/folder.jsonl", "/dev/full"])
def test_a_log_that_cannot_be_written_is_refused_before_the_run(call, tmp_path, name):
    code, _, err = call("run", "small.yaml", "--log", name)
    assert (code, "cannot be written" in err) == (2, True)
    assert not (tmp_path / "small.ledger").exists()


def test_a_log_that_fails_later_stops_no_study(call, monkeypatch, caplog):
    lines = []

    def full(path, line):
        lines.append(line)
        if len(lines) > 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("caveat.study._event_log.append_line", full)
    _, out, _ = call("run", "small.yaml", "--log", "run.jsonl")
    assert "6 run now" in out
    assert len(lines) == 3
    assert "no longer written: No space left" in caplog.text
