"""The files for other people's pipelines: read as text, and their steps run."""

import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def loaded(name):
    return YAML(typ="safe").load((ROOT / name).read_text())


def test_the_hook_calls_the_command_for_one_table():
    (hook,) = loaded(".pre-commit-hooks.yaml")
    assert hook["entry"].split()[:2] == ["caveat", "audit"]
    assert hook["require_serial"]


def test_the_action_hands_inputs_over_as_variables_never_as_code():
    action = loaded("action.yml")
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], step["name"]
    used = str(action["runs"]["steps"])
    assert all(f"inputs.{name}" in used for name in action["inputs"])


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "code"), [("score<0.1\n", 3), ("leak>0\n\n", 1)])
def test_the_step_of_the_action_runs(tmp_path, rules, code):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"a": rng.normal(size=200), "paid": 3 * y + 1, "y": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    step = loaded("action.yml")["runs"]["steps"][-1]
    given = {
        "FILE": "t.csv",
        "TARGET": "y",
        "RULES": rules,
        "MINUTES": "0.001",
        "OPTIONS": "--folds 2 --models dummy",
        "SARIF": "found.sarif",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        # Another home would have matplotlib look for all fonts of the machine again.
        "MPLCONFIGDIR": matplotlib.get_cachedir(),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=tmp_path,
        env=given,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "found.sarif").is_file()
