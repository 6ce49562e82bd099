"""`caveat audit FOLDER`: what tells the class of pictures beside what they show."""

import json

import pytest
from click.testing import CliRunner

from caveat.audit import look
from caveat.cli._audit import audit
from caveat.testing import zoo


@pytest.fixture(scope="module")
def case():
    cases = zoo(["capture"])  # its folders are there as long as it is
    yield next(one for one in cases if one.strength == 1.0)
    cases.close()


@pytest.mark.thorough
def test_pictures_that_were_taken_otherwise_are_found_first(case):
    found = look(case.table)
    first = found.caveats[0]
    assert first["kind"] == "capture"
    assert first["columns"] == list(case.columns)
    assert first["low"] > 0.5
    assert found.facts["best_column"] == case.columns[0]
    assert found.complete


@pytest.mark.thorough
def test_a_folder_goes_through_the_command(case, tmp_path):
    words = [str(case.table), "--json", "--out", str(tmp_path / "page")]
    done = CliRunner().invoke(audit, [*words, "--fail-on", "capture>0"])
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["schema"] == "caveat-audit/1"
    assert told["rules"][0]["outcome"] == "fired"
    assert "How the pictures were taken" in (tmp_path / "page/index.html").read_text()


@pytest.mark.thorough
def test_pictures_of_one_kind_raise_nothing_serious(case):
    found = look(case.twin)
    assert [one for one in found.caveats if one["severity"] == "serious"] == []
