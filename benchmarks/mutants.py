"""Break single lines of the code and see whether the nearest tests notice.

    python benchmarks/mutants.py [COUNT] [SEED] [--minutes M] [--kept FILE] [--trust]

Draws COUNT places (200) in the engine, its ledger, the server, ranking, statistics and
measures; breaks one at a time in a copy of the tree (a comparison turned, a number one
off, a condition negated, a call left out, ...) and runs the tests nearest to it: the
examples of the module itself, the three test files that speak of it most, then the
quick tests of its package. A mutant whose tests fail, or hang, is killed. The table
counts both kinds; survivors are listed, and docs/reliability.md explains them.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {
    "study": ["src/caveat/study"],
    "server": ["src/caveat/pages/_server.py"],
    "ranking": ["src/caveat/ranking"],
    "statistics": ["src/caveat/statistics"],
    "measures": ["src/caveat/measures"],
}
MULTILABEL = [
    f"tests/multilabel/test_{name}.py"
    for name in ("evaluate", "laws", "measures_brute_force", "bad_input", "bootstrap")
]
#: The quick tests of a package, where the nearest ones saw nothing.
WIDER = {
    "study": ["tests/study", "tests/cli/test_study_commands.py"],
    "server": ["tests/pages/test_server.py", "tests/board/test_serve_command.py"],
    "ranking": ["tests/ranking"],
    "statistics": ["tests/statistics"],
    "measures": ["tests/measures", *MULTILABEL],
}
#: Needs a batch system, a cluster or another system than the tests run on.
LEFT_OUT = ("_batch_systems.py", "_dask.py", "__init__.py", "registry.py")
#: A mutant may run in circles, or wait for ever; a busy machine is no reason to count
#: it as noticed, so the first is measured in seconds of the processor.
CPU_SECONDS, MOST_SECONDS = 200, 900
#: Tests of faults take minutes, which is too long for every mutant.
NEAR = "not slow and not network and not browser and not fault and not example"
QUICK = f"{NEAR} and not thorough"
TURNED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,  # codespell:ignore
    ast.NotIn: ast.In,  # codespell:ignore
}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


@dataclass(frozen=True)
class Mutant:
    """One place of the source, and what stands there instead."""

    package: str
    file: str
    line: int
    first: int
    last: int
    before: str
    after: str


def mutants() -> list[Mutant]:
    """List every mutant that there is, in the order of the files."""
    return [
        mutant
        for package, places in TARGETS.items()
        for place in places
        for path in _modules(ROOT / place)
        for mutant in _of_file(package, path)
    ]


def _modules(place: Path) -> list[Path]:
    found = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return [path for path in found if path.name not in LEFT_OUT]


def _of_file(package: str, path: Path) -> Iterator[Mutant]:
    text = path.read_text()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()
    tree = ast.parse(text)
    quiet = set(_unseen(tree))
    for node in ast.walk(tree):
        if id(node) in quiet or not hasattr(node, "lineno"):
            continue
        for changed in _changes(node):
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[node.end_lineno - 1] + node.end_col_offset
            before, after = raw[first:last].decode(), ast.unparse(changed)
            if node.lineno == node.end_lineno and before != after:
                name = str(path.relative_to(ROOT))
                yield Mutant(package, name, node.lineno, first, last, before, after)


def _unseen(tree: ast.AST) -> Iterator[int]:
    """Give what no test should notice: annotations, messages, docstrings, imports."""
    for node in ast.walk(tree):
        hidden: list[ast.AST | None] = []
        if isinstance(node, ast.AnnAssign | ast.arg):
            hidden.append(node.annotation)
        if isinstance(node, ast.FunctionDef):
            hidden += [node.returns, *node.decorator_list]
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            hidden.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            hidden.append(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.append(node)
        for one in filter(None, hidden):
            yield from map(id, ast.walk(one))


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Give the ways to break one node."""
    match node:
        case ast.Compare(left, [sign], right) if type(sign) in TURNED:
            yield ast.Compare(left, [TURNED[type(sign)]()], right)
        case ast.BoolOp(sign, values):
            other = ast.Or() if isinstance(sign, ast.And) else ast.And()
            yield ast.BoolOp(other, values)
        case ast.UnaryOp(ast.Not(), value):
            yield value
        case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
            yield ast.BinOp(left, SIGNS[type(sign)](), right)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Return(value) if value is not None:
            yield ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Call(ast.Name("min" | "max" as name), given, words):
            other = "max" if name == "min" else "min"
            yield ast.Call(ast.Name(other), given, words)


def nearest(mutant: Mutant) -> list[str]:
    """Name the module and the three test files that speak of it most."""
    path = ROOT / mutant.file
    tree = ast.parse(path.read_text())
    kinds = ast.FunctionDef | ast.ClassDef
    names = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    names = {name for name in names if not name.startswith("__")} | {path.stem}
    folders = {Path(one) for one in WIDER[mutant.package]}
    files = [
        file
        for folder in sorted(folders)
        for file in (
            sorted((ROOT / folder).rglob("test_*.py"))
            if (ROOT / folder).is_dir()
            else [ROOT / folder]
        )
    ]
    spoken = {
        file: sum(bool(re.search(rf"\b{name}\b", file.read_text())) for name in names)
        + 5 * (file.stem == f"test_{path.stem.lstrip('_')}")
        for file in files
    }
    most = sorted(files, key=lambda file: -spoken[file])[:3]
    found = [str(file.relative_to(ROOT)) for file in most if spoken[file]]
    return [mutant.file, *found]


def test(mutant: Mutant, tree: Path) -> str:
    """Break the copy, run the tests, mend it; say how the tests took it."""
    path = tree / mutant.file
    whole = path.read_bytes()
    broken = whole[: mutant.first] + mutant.after.encode() + whole[mutant.last :]
    path.write_bytes(broken)
    try:
        outcome = "survived"
        wider = WIDER[mutant.package]
        for tests, markers in ((nearest(mutant), NEAR), (wider, QUICK)):
            outcome = _run(tests, tree, markers)
            if outcome != "survived":
                break
        return outcome
    finally:
        path.write_bytes(whole)
        for cached in path.parent.glob(f"__pycache__/{path.stem}.*"):
            cached.unlink()


def _run(tests: list[str], tree: Path, markers: str = QUICK) -> str:
    """Run tests in a fork, which has the heavy libraries already."""
    child = os.fork()
    if child == 0:
        os.setsid()
        _be_tested(tests, tree, markers)
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _end_group(child)
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.05)
    _end_group(child)
    os.waitpid(child, 0)
    return "hung"


def _end_group(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _be_tested(tests: list[str], tree: Path, markers: str) -> None:
    code = 3
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        os.chdir(tree)
        source = str(tree / "src")
        os.environ |= {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
        sys.path.insert(0, source)
        import pytest

        options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", markers]
        code = int(pytest.main([*options, *tests]))
        # Examples alone, of a module that has none, are no test.
        code = 0 if code == 5 else code
    finally:
        os._exit(code)


def warm_up() -> None:
    """Import what all tests need, so that no fork has to; nothing of caveat's."""
    for name in ("numpy", "scipy.stats", "pandas", "sklearn.base", "sqlalchemy"):
        __import__(name)
    for name in ("pytest", "hypothesis", "pydantic", "numba", "pyarrow", "xdist"):
        __import__(name)


def copy(folder: Path) -> Path:
    """Copy what tests need; the source is broken there, not here."""
    tree = folder / "tree"
    leave = shutil.ignore_patterns(".git", ".venv", "build", "demo", "__pycache__")
    shutil.copytree(ROOT, tree, ignore=leave, symlinks=True)
    return tree


def main() -> None:
    """Test the mutants that were drawn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--kept", type=Path, help="JSON lines; what is there is kept")
    parser.add_argument("--trust", action="store_true", help="that tests pass unbroken")
    given = parser.parse_args()
    every = mutants()
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))
    found: dict[Mutant, str] = {}
    if given.kept and given.kept.exists():
        lines = map(json.loads, given.kept.read_text().splitlines())
        found = {Mutant(**line["mutant"]): line["outcome"] for line in lines}
    end = time.monotonic() + 60 * given.minutes
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        tree = copy(Path(folder))
        for package, tests in () if given.trust else WIDER.items():
            if _run(tests, tree) != "survived":
                sys.exit(f"tests of {package} fail on the code as it is: mend that")
        for mutant in drawn:
            if mutant in found or time.monotonic() > end:
                continue
            found[mutant] = test(mutant, tree)
            if given.kept:
                line = {"mutant": asdict(mutant), "outcome": found[mutant]}
                with given.kept.open("a") as file:
                    file.write(json.dumps(line) + "\n")
    _show(every, {one: found[one] for one in drawn if one in found})


def _show(every: list[Mutant], found: dict[Mutant, str]) -> None:
    there = Counter(mutant.package for mutant in every)
    rows = Counter((mutant.package, outcome) for mutant, outcome in found.items())
    print(f"{'package':<12}{'places':>8}{'tested':>8}{'killed':>8}{'survived':>10}")
    for package in TARGETS:
        killed = rows[package, "killed"] + rows[package, "hung"]
        alive = rows[package, "survived"]
        print(
            f"{package:<12}{there[package]:>8}{killed + alive:>8}{killed:>8}{alive:>10}"
        )
    killed = sum(outcome != "survived" for outcome in found.values())
    print(f"{killed} of {len(found)} killed")
    for mutant, outcome in found.items():
        if outcome == "survived":
            print(f"{mutant.file}:{mutant.line}  {mutant.before}  ->  {mutant.after}")


if __name__ == "__main__":
    main()
