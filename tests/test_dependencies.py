"""What the package imports is what it declares, and nothing is declared in vain."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE = ROOT / "src" / "caveat"
EXTRAS = PROJECT["optional-dependencies"]
# Imported by another name than they are installed by.
OTHERWISE = {"sklearn": "scikit-learn", "PIL": "pillow", "ruamel": "ruamel.yaml"}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def names_of(requirements):
    return {plain(re.split(r"[^\w.-]", item, maxsplit=1)[0]) for item in requirements}


def imported():
    """Top-level names that any module of ours imports, wherever it does so."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.partition(".")[0])
    return found - {"caveat"} - set(sys.stdlib_module_names)


@pytest.fixture(scope="module")
def distributions():
    """Names of the distributions that hold what we import."""
    return {plain(OTHERWISE.get(name, name)) for name in imported()}


@pytest.mark.thorough
def test_everything_that_is_imported_is_declared(distributions):
    extras = [EXTRAS[name] for name in EXTRAS if name not in ("all", "dev")]
    declared = names_of(PROJECT["dependencies"]).union(*map(names_of, extras))
    assert distributions - declared == set()


def test_everything_that_is_always_installed_is_imported(distributions):
    assert names_of(PROJECT["dependencies"]) - distributions == set()


@pytest.mark.thorough
def test_no_package_reaches_into_private_modules_of_another():
    reached = []
    for path in sorted(SOURCE.rglob("*.py")):
        package = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            top, *rest = node.module.split(".")
            private = any(part.startswith("_") for part in rest[1:])
            if top == "caveat" and rest and rest[0] != package and private:
                reached.append(f"{path.name}:{node.lineno} {node.module}")
    assert reached == []
