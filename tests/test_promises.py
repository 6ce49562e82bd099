"""What docs/reliability.md names to show a promise is there: tests and scripts."""

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE, _, _ = (ROOT / "docs/reliability.md").read_text().partition("\n## ")
ROWS = [
    line.strip("|").split(" | ")
    for line in TABLE.splitlines()
    if line.startswith("| ") and "---" not in line and not line.startswith("| fault |")
]


@cache
def written():
    """Give the text of all tests."""
    return "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))


@pytest.fixture
def script(monkeypatch):
    """Load a script that is no module of a package."""

    def load(name):
        spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
        made = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, made)
        spec.loader.exec_module(made)
        return made

    return load


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:50])
def test_a_promise_names_what_shows_it_and_that_is_there(row):
    assert len(row) == 3
    shown = row[2]
    paths = re.findall(r"(?:tests|benchmarks|docs)/[\w/.]*", shown)
    names = [name.rstrip(".") for name in re.findall(r"\btest_\w+\.*(?!\.py)", shown)]
    missing = [path for path in paths if not (ROOT / path).exists()]
    for name in set(names) - {Path(path).stem for path in paths}:
        known = re.search(rf"\bdef {name}|/{name}\.py", written())
        files = list((ROOT / "tests").rglob(f"{name}.py"))
        missing += [] if known or files else [name]
    assert missing == []
    targets = re.findall(r"make ([\w-]+)", shown)
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"\n{target}:" in makefile for target in targets)
    assert paths or names or targets or "caveat " in shown


def test_the_scripts_run_tests_that_are_there(script):
    machines = script("tests/elsewhere.py")
    wanted = [*machines.NUMERIC, *machines.TIMED]
    broken = script("benchmarks/mutants.py")
    for places in (*broken.WIDER.values(), *broken.TARGETS.values()):
        wanted += places
    assert [path for path in wanted if not (ROOT / path).exists()] == []
