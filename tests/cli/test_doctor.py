"""`caveat doctor`: every extra has its line, and what is missing says how to get it."""

import json
import tomllib
from pathlib import Path

import pytest

from caveat.cli import _doctor, main


def test_every_extra_of_the_project_has_its_line():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    extras = set(project["project"]["optional-dependencies"]) - {"all", "dev"}
    names = {one.name for one in _doctor.findings()}
    assert {f"extra {extra}" for extra in extras} <= names


def test_what_is_missing_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(_doctor, "find_spec", lambda name: None)
    missing = [one for one in _doctor.findings() if one.state == "missing"]
    assert missing
    assert all("pip install" in one.fix for one in missing)


def test_a_network_disk_is_warned_of(monkeypatch):
    monkeypatch.setattr("caveat.study.network_file_system", lambda folder: "nfs4")
    found = {one.name: one for one in _doctor.findings()}
    assert found["ledgers here"].state == "warning"


def test_json_is_all_there_is(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["doctor", "--json"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"schema", "caveat", "versions", "findings"}
