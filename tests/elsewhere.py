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
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NUMERIC = [
    "bags",
    "candidates",
    "eapp",
    "measures",
    "models",
    "multilabel",
    "ranking",
    "shift",
    "statistics",
    "supervised",
    "tables",
    "training",
]
TIMED = ["study", "board/test_server.py", "board/test_serve_command.py"]
TIMED += ["datasets/test_download.py", "datasets/test_store_faults.py"]
QUICK = "not slow and not network and not browser and not example and not fault"
BUSY_PROCESSES = 6


@dataclass(frozen=True)
class Machine:
    """A line of the table: which tests, with which settings, beside how much load."""

    name: str
    settings: dict[str, str]
    paths: tuple[str, ...] = tuple(NUMERIC)
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
    wide = [name for name in found if name not in ("X86_V3", "AVX2", "FMA3")]
    old = {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "NUMBA_CPU_NAME": "generic",
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OMP_NUM_THREADS": "1",
    }
    recent = {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": " ".join(wide),
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "OMP_NUM_THREADS": "2",
    }
    cores = ["Prescott", "Nehalem"]
    cores += ["Haswell", "Zen"] if len(found) > 0 else []
    cores += ["SkylakeX"] if len(wide) > 0 else []
    return [
        Machine("everything-old", old),
        *([Machine("everything-avx2", recent)] if found else []),
        *(Machine(f"openblas-{c.lower()}", {"OPENBLAS_CORETYPE": c}) for c in cores),
        Machine("numpy-baseline", {"NPY_DISABLE_CPU_FEATURES": " ".join(found)}),
        *(
            [Machine("numpy-avx2", {"NPY_DISABLE_CPU_FEATURES": " ".join(wide)})]
            if wide
            else []
        ),
        Machine("numba-generic", {"NUMBA_CPU_NAME": "generic"}),
        Machine("torch-default", {"ATEN_CPU_CAPABILITY": "default"}),
        Machine("torch-avx2", {"ATEN_CPU_CAPABILITY": "avx2"}),
        Machine("one-thread", {"OMP_NUM_THREADS": "1"}),
        Machine("two-threads", {"OMP_NUM_THREADS": "2"}),
        Machine(
            "under-load",
            {},
            paths=tuple(TIMED),
            markers="not slow and not network and not browser",
            busy=BUSY_PROCESSES,
        ),
    ]


def reduced() -> list[Machine]:
    """Give the two machines that differ most from a new one, without long tests."""
    quick = f"{QUICK} and not thorough"
    return [
        Machine(machine.name, machine.settings, markers=quick)
        for machine in machines()
        if machine.name.startswith("everything-")
    ]


def run(machine: Machine, workers: int) -> Outcome:
    """Run the tests of one line in processes of their own."""
    with tempfile.TemporaryDirectory() as folder, busy(machine.busy):
        report = Path(folder) / "report.xml"
        # Compiled code is kept by CPU name: a foreign one gets a cache of its own.
        own = (
            {"NUMBA_CACHE_DIR": folder} if "NUMBA_CPU_NAME" in machine.settings else {}
        )
        paths = [ROOT / "tests" / path for path in machine.paths]
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers)]
        command += [
            "-m",
            machine.markers,
            f"--junitxml={report}",
            "-p",
            "no:cacheprovider",
        ]
        command += [str(path) for path in paths if path.exists()]
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
    """Keep `count` processes counting beside the tests; they end with them."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(count)
    ]
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
    parser.add_argument("--reduced", action="store_true", help="two machines, quick")
    parser.add_argument("--workers", type=int, default=2, help="tests at a time")
    given = parser.parse_args()
    unknown = [name for name in given.machine if name not in known]
    if unknown:
        parser.error(f"this CPU cannot play {unknown[0]!r}; it can: {', '.join(known)}")
    asked = [known[name] for name in given.machine] or list(known.values())
    outcomes = []
    for machine in reduced() if given.reduced else asked:
        print(f"\n{machine.name}: {machine.settings}, {machine.busy} busy beside it")
        outcomes.append(run(machine, given.workers))
    print(f"\n{table(outcomes)}")
    return int(any(one.code for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
