"""What a report costs a study that is still running.

    python benchmarks/bench_reader.py [TRIALS] [ROUNDS]

The same study of 20 ms trials is run by the serial engine on one core, alone and while
another process, on another core, builds `caveat report` of that ledger again and again.
Rounds take turns; the medians of the runner's seconds are compared. The exports of all
rounds are asserted to be equal, so nothing was lost to the reader.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study" / "plugin"))

import caveat
from caveat.study import Ledger, export, run

READER = """\
import os, sys
os.sched_setaffinity(0, {int(sys.argv[3])})
from caveat.board import build_report
from caveat.study import Ledger
from caveat.exceptions import CaveatError
while True:
    try:
        with Ledger(sys.argv[1]) as book:
            build_report(book.records(), sys.argv[2])
    except CaveatError:
        continue
    print("page", flush=True)
"""


def seconds_of_a_run(folder: Path, trials: int, core: int | None) -> tuple[float, int]:
    """Run the study; give the seconds, and how many pages were built meanwhile."""
    ledger = folder / "run.ledger"
    study = {
        "study": "read",
        "topic": "fake",
        "datasets": ["iris"],
        "learners": [{"name": "fake", "milliseconds": 20}],
        "repeats": trials,
        "baseline": "none",
    }
    reader = None
    if core is not None:
        arguments = [str(ledger), str(folder / "page"), str(core)]
        reader = subprocess.Popen(
            [sys.executable, "-c", READER, *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(5)  # its imports are not the study's cost
    started = time.perf_counter()
    run(study, ledger, "serial")
    seconds = time.perf_counter() - started
    pages = 0
    if reader is not None:
        reader.kill()
        pages = len(reader.communicate()[0].splitlines())
    with Ledger(ledger) as book:
        export(book.records(), folder / "run.csv")
    return seconds, pages


def main() -> None:
    """Take turns and compare."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("this needs two cores: one for the study, one for the reader")
    os.sched_setaffinity(0, {cores[0]})
    print(f"caveat {caveat.__version__}, python {sys.version.split()[0]}")
    alone, watched, exports, pages = [], [], set(), 0
    for _ in range(rounds):
        for core, found in ((None, alone), (cores[1], watched)):
            with tempfile.TemporaryDirectory() as folder:
                seconds, built = seconds_of_a_run(Path(folder), trials, core)
                exports.add((Path(folder) / "run.csv").read_bytes())
            found.append(seconds)
            pages += built
    assert len(exports) == 1, "the exports differ"
    assert pages, "no page was built while the study ran"
    first, second = statistics.median(alone), statistics.median(watched)
    print(f"{trials} trials, {rounds} rounds each, {pages} pages built meanwhile")
    print(f"alone {first:.2f} s, watched {second:.2f} s, ratio {second / first:.3f}")


if __name__ == "__main__":
    main()
