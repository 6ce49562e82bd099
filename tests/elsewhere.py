"""Run the tests as other machines would: older kernels, other threads, much load.

Libraries choose their code by the CPU they find, and round differently on each.
What a test asserts must hold for all of them. Here the same tests run again with
kernels that this machine would not choose itself, and what depends on time runs
beside processes that take its time away. `make test-elsewhere` runs every line of
the table, `make test-elsewhere REDUCED=1` the two that differ most, quickly.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
#: Where numbers are made or judged; examples in docstrings and guides show some, too.
NUMERIC = (
    "tests/audit",
    "tests/bags",
    "tests/candidates",
    "tests/common",
    "tests/eapp",
    "tests/measures",
    "tests/models",
    "tests/multilabel",
    "tests/papers",
    "tests/ranking",
    "tests/shift",
    "tests/statistics",
    "tests/supervised",
    "tests/tables",
    "tests/testing",
    "tests/training",
    "src",
    "docs",
    "README.md",
)
TIMED = (
    "tests/study",
    "tests/pages/test_server.py",
    "tests/board/test_serve_command.py",
    "tests/datasets/test_download.py",
    "tests/datasets/test_store_faults.py",
)
ALSO_FAULTS = "not slow and not network and not browser"
QUICK = f"{ALSO_FAULTS} and not example and not fault"
BUSY_PROCESSES = 6
COUNT = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
OLD = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NUMBA_CPU_NAME": "generic",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OMP_NUM_THREADS": "1",
}
RECENT = {
    "OPENBLAS_CORETYPE": "Haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OMP_NUM_THREADS": "2",
}
#: The two that differ most from a new machine.
REDUCED = ("everything-old", "everything-avx2")


@dataclass(frozen=True)
class Machine:
    """A line of the table: which tests, with which settings, beside how much load."""

    name: str
    settings: dict[str, str]
    paths: tuple[str, ...] = NUMERIC
    markers: str = QUICK
    busy: int = 0


@dataclass(frozen=True)
class Outcome:
    """What became of the tests of one machine."""

    name: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    code: int


def machines() -> list[Machine]:
    """List what this CPU can play: it cannot run instructions that it lacks."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    beyond = [name for name in found if name not in ("X86_V3", "AVX2", "FMA3")]
    plain = {"NPY_DISABLE_CPU_FEATURES": " ".join(found)}
    avx2 = {"NPY_DISABLE_CPU_FEATURES": " ".join(beyond)}
    levels = {"any"}
    if platform.machine() in ("x86_64", "AMD64"):
        levels.add("x86")
        levels |= {"avx2"} if found else set()
        levels |= {"avx512"} if beyond else set()
    numeric = [
        ("x86", "everything-old", {**OLD, **plain}),
        ("avx2", "everything-avx2", {**RECENT, **avx2}),
        ("x86", "openblas-prescott", {"OPENBLAS_CORETYPE": "Prescott"}),
        ("x86", "openblas-nehalem", {"OPENBLAS_CORETYPE": "Nehalem"}),
        ("avx2", "openblas-haswell", {"OPENBLAS_CORETYPE": "Haswell"}),
        ("avx2", "openblas-zen", {"OPENBLAS_CORETYPE": "Zen"}),
        ("avx512", "openblas-skylakex", {"OPENBLAS_CORETYPE": "SkylakeX"}),
        ("any", "numpy-baseline", plain),
        ("avx512", "numpy-avx2", avx2),
        ("any", "numba-generic", {"NUMBA_CPU_NAME": "generic"}),
        ("any", "torch-default", {"ATEN_CPU_CAPABILITY": "default"}),
        ("avx2", "torch-avx2", {"ATEN_CPU_CAPABILITY": "avx2"}),
        ("any", "one-thread", {"OMP_NUM_THREADS": "1"}),
        ("any", "two-threads", {"OMP_NUM_THREADS": "2"}),
    ]
    return [
        *(Machine(name, told) for level, name, told in numeric if level in levels),
        Machine("under-load", {}, TIMED, ALSO_FAULTS, BUSY_PROCESSES),
    ]


def reduced(machine: Machine) -> Machine:
    """Leave its long tests out."""
    return replace(machine, markers=f"{machine.markers} and not thorough")


def run(machine: Machine, workers: int) -> Outcome:
    """Run the tests of one line in processes of their own."""
    with tempfile.TemporaryDirectory() as folder, busy(machine.busy):
        report = Path(folder) / "report.xml"
        # Compiled code is kept by CPU name: a foreign one gets a cache of its own.
        foreign = "NUMBA_CPU_NAME" in machine.settings
        own = {"NUMBA_CACHE_DIR": folder} if foreign else {}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-n", str(workers), "-m", machine.markers, f"--junitxml={report}"]
        # As `make test` draws them: all cases on all machines would take hours.
        command += ["--cases", "drawn"]
        command += [path for path in machine.paths if (ROOT / path).exists()]
        environment = {**os.environ, **machine.settings, **own}
        begun = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, env=environment).returncode
        seconds = time.monotonic() - begun
        return outcome_of(machine.name, report, seconds, code)


def outcome_of(name: str, report: Path, seconds: float, code: int) -> Outcome:
    """Count what pytest reported; without a report nothing has passed."""
    if not report.exists():
        return Outcome(name, 0, 0, 0, seconds, code or 1)
    suite = next(ElementTree.parse(report).getroot().iter("testsuite"))
    total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return Outcome(name, total - failed - skipped, failed, skipped, seconds, code)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep `count` processes counting beside the tests; they end with this one."""
    others = [subprocess.Popen([sys.executable, "-c", COUNT]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def table(outcomes: list[Outcome]) -> str:
    """Give one line for each machine."""
    lines = [f"{'machine':<20}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}"]
    lines += [
        f"{one.name:<20}{one.passed:>8}{one.failed:>8}{one.skipped:>9}"
        f"{one.seconds:>9.0f}"
        for one in outcomes
    ]
    return "\n".join(lines)


def main() -> int:
    """Run the machines asked for; 1 if any test failed on any of them."""
    known = {machine.name: machine for machine in machines()}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", nargs="*", help=", ".join(known))
    parser.add_argument(
        "--reduced",
        action="store_true",
        help="the quick tests, on two machines unless named",
    )
    parser.add_argument("--workers", type=int, default=2, help="tests at a time")
    given = parser.parse_args()
    unknown = [name for name in given.machine if name not in known]
    if unknown:
        parser.error(f"this CPU cannot play {unknown[0]!r}; it can: {', '.join(known)}")
    asked = [known[name] for name in given.machine] or list(known.values())
    if given.reduced:
        named = [one for one in asked if given.machine or one.name in REDUCED]
        asked = [reduced(one) for one in named]
    outcomes = []
    for machine in asked:
        print(f"\n{machine.name}: {machine.settings}, {machine.busy} busy beside it")
        outcomes.append(run(machine, given.workers))
    print(f"\n{table(outcomes)}")
    return int(any(one.code for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
