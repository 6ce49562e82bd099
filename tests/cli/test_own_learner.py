"""A learner of one's own beside its study file reaches the board by two commands."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from caveat.cli import main
from caveat.study import beside

LEARNER = """\
from sklearn.neighbors import NearestCentroid


class Nearest(NearestCentroid):
    '''The class whose mean is nearest.'''
"""
STUDY = """\
study: first
topic: supervised
datasets: [iris]
learners: [dummy, mine:Nearest]
baseline: none
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make an empty folder, and put the study and its learner there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(LEARNER)
    (tmp_path / "first.yaml").write_text(STUDY)
    yield tmp_path
    sys.modules.pop("mine", None)


def typed(*words):
    """Run the command line as a shell does: no PYTHONPATH, not even this folder."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    start = "from caveat.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-P", "-c", start, *words],
        env=clean,
        capture_output=True,
        text=True,
    )


def call(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    out, err = capsys.readouterr()
    return stop.value.code, out, err


@pytest.mark.thorough
def test_two_commands_put_it_on_the_board(folder):
    ran = typed("run", "first.yaml", "--allow-import")
    assert (ran.returncode, "2 done" in ran.stdout) == (0, True), ran.stderr
    reported = typed("report")
    assert reported.returncode == 0, reported.stderr
    assert "mine:Nearest" in (folder / "report" / "index.html").read_text()


REFUSED = {
    "no module": ("", "mein:Nearest", "no module is called 'mein'"),
    "no class": (LEARNER, "mine:Nearst", "has no 'Nearst'; did you mean 'Nearest'?"),
    "a mistake": ("def (", "mine:Nearest", "SyntaxError: invalid syntax (mine.py"),
    "an exit": ("raise SystemExit(3)", "mine:Nearest", "SystemExit: 3"),
    "a number": ("Nearest = 3", "mine:Nearest", "is a int; name a class"),
    "what it lacks": ("import no_such", "mine:Nearest", "No module named 'no_such'"),
    "a setting": (
        LEARNER,
        "{name: 'mine:Nearest', metrc: euclidean}",
        "has no parameter 'metrc'; did you mean 'metric'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_imported_is_told_before_the_first_trial(capsys, folder, case):
    module, learner, told = REFUSED[case]
    (folder / "mine.py").write_text(module)
    (folder / "first.yaml").write_text(STUDY.replace("mine:Nearest", learner))
    code, out, err = call(capsys, "run", "first.yaml", "--allow-import")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert {path.name for path in folder.iterdir()} <= {
        *("mine.py", "first.yaml", "__pycache__"),
    }


@pytest.mark.thorough
def test_what_a_module_prints_is_no_part_of_the_json(capsys, folder):
    (folder / "mine.py").write_text("print('hello')\n" + LEARNER)
    code, out, _ = call(
        capsys, "run", "first.yaml", "--allow-import", "--json", "--limit", "1"
    )
    found = json.loads(out)
    assert code == 0
    assert (found["executed"], found["states"]) == (1, {"done": 1, "pending": 1})


def test_a_file_beside_the_study_hides_nothing_that_is_installed(folder):
    (folder / "fractions.py").write_text("raise SystemExit('the wrong one')")
    with beside(folder):
        assert find_spec("mine").origin == str(folder / "mine.py")
        assert find_spec("fractions").origin != str(folder / "fractions.py")
    assert str(folder) not in sys.path
