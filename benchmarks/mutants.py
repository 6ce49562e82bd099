"""Break single lines of the code and see whether the nearest tests notice.

    python benchmarks/mutants.py [COUNT] [SEED] [--only PACKAGE] [--minutes M]
                                 [--kept FILE]

Draws COUNT places (200) in the engine, its ledger, the server, ranking, statistics and
measures; breaks one at a time in a copy of the tree (a comparison turned, a number one
off, a condition negated, a call left out, ...) and runs the tests nearest to it. Those
are known: the quick tests of each package run once on the code as it is, and which
functions each of them calls is written down. A mutant first meets the quickest tests
that call its function, then all of them. Where the calls tell nothing (compiled code,
code of other processes, constants), it meets the test files that speak of the module
most and then all quick tests of its package. A mutant whose tests fail, or hang, is
killed. The table counts both kinds; survivors are listed, and docs/reliability.md
explains them. With `--kept FILE` each outcome is written at once, and a run goes on
where the last one ended.
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
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType

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
    "ranking": ["tests/ranking"],
    "measures": ["tests/measures", *MULTILABEL],
    "statistics": ["tests/statistics"],
    "server": ["tests/pages/test_server.py", "tests/board/test_serve_command.py"],
    "study": ["tests/study", "tests/cli/test_study_commands.py"],
}
#: Needs a batch system, a cluster or another system than the tests run on.
LEFT_OUT = ("_batch_systems.py", "_dask.py", "__init__.py", "registry.py")
#: A mutant may run in circles, or wait for ever; a busy machine is no reason to count
#: it as noticed, so the first is measured in seconds of the processor: some for the
#: imports, and three times what the tests took on the code as it is.
CPU_SECONDS, CPU_FACTOR, CPU_UNKNOWN, MOST_SECONDS = 60, 3, 600, 1800
#: Tests of faults take minutes, which is too long for every mutant.
QUICK = (
    "not slow and not network and not browser and not fault and not example "
    "and not thorough"
)
#: So many tests are tried first, if each takes fewer seconds than this.
FIRST, QUICKLY = 12, 1.0
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


@dataclass(frozen=True)
class Calls:
    """Which tests call which function, and how long each of them takes."""

    tests: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def read(self, file: Path) -> None:
        """Add what `Recorder` wrote, one test per line."""
        for line in map(json.loads, file.read_text().splitlines()):
            self.seconds[line["test"]] = line["seconds"]
            self.failed.extend([line["test"]] if line["failed"] else [])
            for function in line["functions"]:
                self.tests.setdefault(function, []).append(line["test"])

    def limit(self, tests: list[str]) -> int:
        """Give the seconds after which tests are taken to run in circles."""
        if not set(tests) <= set(self.seconds):
            return CPU_UNKNOWN
        return CPU_SECONDS + int(CPU_FACTOR * sum(self.seconds[one] for one in tests))

    def of(self, mutant: Mutant) -> list[str]:
        """Name the tests that call the mutant's function, the quickest first."""
        function = f"{mutant.file}:{enclosing(mutant)}"
        return sorted(self.tests.get(function, []), key=self.seconds.__getitem__)


class Recorder:
    """A plug-in of pytest: writes down which functions of caveat each test calls."""

    def __init__(self, tree: Path, file: Path) -> None:
        self.source, self.tree, self.file = str(tree / "src"), tree, file

    def pytest_runtest_protocol(self, item, nextitem):
        """Trace the calls (not the lines) of one test with its fixtures."""
        from _pytest.runner import runtestprotocol

        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        codes: dict[int, CodeType] = {}

        def trace(frame: FrameType, event: str, given: object) -> None:
            codes[id(frame.f_code)] = frame.f_code

        start = time.process_time()
        threading.settrace(trace)
        sys.settrace(trace)
        try:
            reports = runtestprotocol(item, nextitem=nextitem)
        finally:
            sys.settrace(None)
            threading.settrace(None)
        functions = {
            f"{Path(code.co_filename).relative_to(self.tree)}:{code.co_qualname}"
            for code in codes.values()
            if code.co_filename.startswith(self.source)
        }
        seconds = round(time.process_time() - start, 3)
        line = {
            "test": item.nodeid,
            "seconds": seconds,
            "failed": any(report.failed for report in reports),
            "functions": sorted(functions),
        }
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return True


class Witness:
    """A plug-in of pytest: writes down which test noticed, so that it can be asked."""

    def __init__(self, file: Path, limit: int) -> None:
        self.file, self.limit = file, limit

    def pytest_runtest_logreport(self, report):
        """Keep the name of a test that failed."""
        if report.failed:
            self.file.write_text(report.nodeid)

    def pytest_collectreport(self, report):
        """Keep the name of a file that could not be imported."""
        if report.failed:
            self.file.write_text(report.nodeid)


def enclosing(mutant: Mutant) -> str:
    """Name the innermost function around a mutant, as Python does; '' if none."""
    found = ""

    def descend(node: ast.AST, prefix: str) -> None:
        nonlocal found
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                if not child.lineno <= mutant.line <= (child.end_lineno or 0):
                    continue
                inner = f"{prefix}{child.name}."
                if isinstance(child, ast.FunctionDef):
                    found = inner[:-1]
                    inner += "<locals>."
            descend(child, inner)

    descend(ast.parse((ROOT / mutant.file).read_text()), "")
    return found


def nearest(mutant: Mutant) -> list[str]:
    """Name the module and the three test files that speak of it most."""
    path = ROOT / mutant.file
    tree = ast.parse(path.read_text())
    kinds = ast.FunctionDef | ast.ClassDef
    names = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    names = {name for name in names if not name.startswith("__")} | {path.stem}
    files = [
        file
        for place in WIDER[mutant.package]
        if place.startswith("tests")
        for file in (
            sorted((ROOT / place).rglob("test_*.py"))
            if (ROOT / place).is_dir()
            else [ROOT / place]
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


def rounds(mutant: Mutant, calls: Calls) -> list[list[str]]:
    """Give the tests a mutant meets, round by round, until one notices it."""
    tests = calls.of(mutant)
    if not tests:
        return [nearest(mutant), WIDER[mutant.package]]
    first = [test for test in tests[:FIRST] if calls.seconds[test] < QUICKLY]
    return [first, tests] if 0 < len(first) < len(tests) else [tests]


def test(mutant: Mutant, tree: Path, calls: Calls) -> tuple[str, str]:
    """Break the copy, run the tests, mend it; say how they took it, and who noticed."""
    path = tree / mutant.file
    whole = path.read_bytes()
    broken = whole[: mutant.first] + mutant.after.encode() + whole[mutant.last :]
    path.write_bytes(broken)
    noticed = tree / "noticed"
    noticed.write_text("")
    try:
        outcome = "survived"
        for tests in rounds(mutant, calls):
            outcome = _run(tests, tree, Witness(noticed, calls.limit(tests)))
            if outcome != "survived":
                break
        return outcome, noticed.read_text()
    finally:
        path.write_bytes(whole)
        for cached in path.parent.glob(f"__pycache__/{path.stem}.*"):
            cached.unlink()


def _run(tests: list[str], tree: Path, plugin: Recorder | Witness | None = None) -> str:
    """Run tests in a fork, which has the heavy libraries already."""
    child = os.fork()
    if child == 0:
        os.setsid()
        _be_tested(tests, tree, plugin)
    limited = isinstance(plugin, Witness)
    end = time.monotonic() + (MOST_SECONDS if limited else float("inf"))
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _end_group(child)
            code = os.waitstatus_to_exitcode(status)
            return "hung" if code < 0 else "killed" if code else "survived"
        time.sleep(0.05)
    _end_group(child)
    os.waitpid(child, 0)
    return "hung"


def _end_group(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _be_tested(tests: list[str], tree: Path, plugin: object) -> None:
    code = 3
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        if isinstance(plugin, Witness):
            resource.setrlimit(resource.RLIMIT_CPU, (plugin.limit, plugin.limit))
        os.chdir(tree)
        source = str(tree / "src")
        os.environ |= {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
        sys.path.insert(0, source)
        import pytest

        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", QUICK]
        if isinstance(plugin, Witness):
            options.append("-x")
        code = int(pytest.main([*options, *tests], plugins=[plugin] if plugin else []))
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
    parser.add_argument("--only", choices=TARGETS, help="those drawn of one package")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--kept", type=Path, help="JSON lines; what is there is kept")
    given = parser.parse_args()
    every = mutants()
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))
    drawn = [one for one in drawn if given.only in (None, one.package)]
    found: dict[Mutant, tuple[str, str]] = {}
    if given.kept and given.kept.exists():
        for line in map(json.loads, given.kept.read_text().splitlines()):
            found[Mutant(**line["mutant"])] = line["outcome"], line["by"]
    end = time.monotonic() + 60 * given.minutes
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        tree = copy(Path(folder))
        packages = {one.package for one in drawn}
        calls = _calls(packages, tree, given.kept or Path(folder) / "kept")
        for mutant in drawn:
            if mutant in found or time.monotonic() > end:
                continue
            found[mutant] = test(mutant, tree, calls)
            if given.kept:
                outcome, by = found[mutant]
                line = {"mutant": asdict(mutant), "outcome": outcome, "by": by}
                with given.kept.open("a") as file:
                    file.write(json.dumps(line) + "\n")
        found = {one: found[one] for one in drawn if one in found}
        noticed = sorted({by for _, by in found.values() if "::" in by})
        if noticed and _run(noticed, tree) != "survived":
            sys.exit("a test that noticed a mutant fails on the code as it is, too")
    _show(every, {one: outcome for one, (outcome, _) in found.items()})


def _calls(packages: set[str], tree: Path, kept: Path) -> Calls:
    """Run the quick tests of packages once; they must pass on whole code."""
    calls = Calls()
    for package in sorted(packages):
        tests = WIDER[package]
        file = kept.absolute().with_suffix(f".{package}")
        if not file.exists():
            begun = file.with_suffix(".begun")
            begun.unlink(missing_ok=True)
            _run([*TARGETS[package], *tests], tree, Recorder(tree, begun))
            begun.rename(file)
        calls.read(file)
    if calls.failed:
        sys.exit("These tests fail on the code as it is: " + ", ".join(calls.failed))
    return calls


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
