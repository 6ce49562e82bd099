"""What the study engine costs: a trial that does nothing, and 100,000 recorded ones.

    python benchmarks/bench_engine.py overhead   against commits, joblib, Pebble
    python benchmarks/bench_engine.py large      100,000 trials of 20 rows x 12 columns

Every number is measured in this run, with the versions and sizes printed.
"""

import os
import resource
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study" / "plugin"))

import joblib
import numpy as np
import pebble
import sqlalchemy as sa

import caveat
from caveat.study import Finished, Ledger, Trial, plan, run, run_trial
from caveat.study._run import COMMIT_SECONDS, Event
from caveat.study.ledger._rows import attempt_row, result_row

TRIALS = 400
LARGE = 100_000


def study(repeats: int) -> dict:
    """Return a study of fake trials that only draw one random number."""
    return {
        "study": "empty",
        "topic": "fake",
        "datasets": ["xor"],
        "learners": ["fake"],
        "repeats": repeats,
        "baseline": "none",
    }


def header() -> None:
    """Print what was measured with."""
    print(
        f"caveat {caveat.__version__}, python {sys.version.split()[0]}, "
        f"sqlalchemy {sa.__version__}, sqlite {sqlite3.sqlite_version}, "
        f"joblib {joblib.__version__}, {os.cpu_count()} cores"
    )


def durable_commit(path: Path, count: int = 200) -> float:
    """Seconds of one durable commit to the ledger's own file, by the bare driver."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    started = time.perf_counter()
    for number in range(count):
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("UPDATE meta SET value = value WHERE name = 'schema'")
        raw.execute("UPDATE trial SET expires = ? WHERE rowid = 1", [float(number)])
        raw.execute("COMMIT")
    seconds = (time.perf_counter() - started) / count
    raw.close()
    return seconds


class Clock:
    """Notes when each trial was stored; a run tells of other things, too."""

    def __init__(self, marks: list[float]) -> None:
        self.marks = marks

    def __call__(self, event: Event) -> None:
        """Note the time if a trial ended."""
        if event.ended is not None:
            self.marks.append(time.perf_counter())


def _values(spec: dict) -> list[float]:
    return run_trial(spec)["table"]["test.score"]


def overhead() -> None:
    """Compare the engines with what they are made of."""
    header()
    folder = Path(tempfile.mkdtemp())
    trials = plan(study(TRIALS))
    run_trial(trials[0].spec)
    started = time.perf_counter()
    expected = {trial.key: _values(trial.spec) for trial in trials}
    bare = (time.perf_counter() - started) / TRIALS
    print(f"the trial itself, in a loop           {bare * 1e3:8.2f} ms")

    seconds = {}
    for engine in ("serial", "processes"):
        path = folder / f"{engine}.ledger"
        marks: list[float] = []
        run(
            study(TRIALS),
            path,
            engine,
            on_event=Clock(marks),
        )
        with Ledger(path) as book:
            rows = book.records().rows
        found = {
            key: [value]
            for key, value in zip(rows["key"], rows["test.score"], strict=True)
        }
        assert found == expected, "the engine's numbers are not the loop's"
        # From the first stored result on: starting workers is no cost of a trial.
        seconds[engine] = (marks[-1] - marks[0]) / (len(marks) - 1)
        print(
            f"engine {engine:10s} with its ledger     "
            f"{seconds[engine] * 1e3:8.2f} ms a trial"
        )

    commit = durable_commit(folder / "serial.ledger")
    extra = seconds["serial"] - bare
    allowed = 2 * commit + 0.002
    print(f"one durable commit of the same file   {commit * 1e3:8.2f} ms")
    print(
        f"serial overhead                       {extra * 1e3:8.2f} ms, "
        f"allowed 2 commits + 2 ms = {allowed * 1e3:.2f} ms, "
        f"ratio {extra / allowed:.2f}"
    )

    started = time.perf_counter()
    with joblib.Parallel(n_jobs=2) as parallel:
        parallel(joblib.delayed(_values)(trial.spec) for trial in trials[:2])
        started = time.perf_counter()
        found = parallel(joblib.delayed(_values)(trial.spec) for trial in trials)
    peer = (time.perf_counter() - started) / TRIALS
    assert found == list(expected.values())
    print(f"joblib, 2 workers, nothing recorded   {peer * 1e3:8.2f} ms a trial")

    with pebble.ProcessPool(max_workers=2) as pool:
        list(pool.map(_values, [trial.spec for trial in trials[:2]]).result())
        started = time.perf_counter()
        futures = [pool.schedule(_values, args=[trial.spec]) for trial in trials]
        found = [future.result() for future in futures]
    bare_pool = (time.perf_counter() - started) / TRIALS
    assert found == list(expected.values())
    print(f"bare Pebble pool, nothing recorded    {bare_pool * 1e3:8.2f} ms a trial")
    # What safety needs at least: a durable commit for every 50 ms of a bare pool.
    needed = bare_pool * (1 + commit / COMMIT_SECONDS)
    print(
        f"that pool and its commits, 1 per 50 ms {needed * 1e3:7.2f} ms a trial\n"
        f"processes with ledger: {seconds['processes'] / peer:.2f} x joblib, "
        f"{seconds['processes'] / bare_pool:.2f} x a bare pool, "
        f"{seconds['processes'] / needed:.2f} x a bare pool with commits (3 allowed)"
    )


def _fill(path: Path, trials: list[Trial]) -> None:
    """Write records of 20 rows x 12 columns, in large transactions (set-up only)."""
    rng = np.random.default_rng(0)
    names = [f"test.m{i}" for i in range(6)] + [f"criterion.c{i}" for i in range(4)]
    with Ledger(path, write=True) as book:
        book.add_study("empty", study(1), trials)
        first = Finished(trials[0].key, "done", record=_record(rng, names))
        book.finish("fake", first)
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA synchronous=OFF")
    with raw:
        for trial in trials[1:]:
            ended = Finished(trial.key, "done", _record(rng, names), seconds=0.1)
            _insert(raw, "result", result_row(ended))
            _insert(raw, "attempt", attempt_row(ended, "bench", "done") | {"ended": 0})
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()


def _insert(raw: sqlite3.Connection, table: str, row: dict) -> None:
    places = ", ".join(f":{name}" for name in row)
    raw.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", row)


def _record(rng: np.random.Generator, names: list[str]) -> dict:
    values = rng.random((len(names), 20))
    table: dict = {"config": [0] * 20, "checkpoint": list(range(20))}
    table.update({name: row.tolist() for name, row in zip(names, values, strict=True)})
    return {"table": table, "curves": {}, "digests": {"split": "a" * 64}, "notes": []}


def large() -> None:
    """Plan, fill, read back and resume a study of 100,000 trials."""
    header()
    path = Path(tempfile.mkdtemp()) / "large.ledger"
    started = time.process_time()
    trials = plan(study(LARGE))
    print(
        f"plan of {len(trials):,} trials: "
        f"{time.process_time() - started:.1f} s CPU (30 allowed)"
    )
    _fill(path, trials)
    print(f"file: {path.stat().st_size / 1e6:,.0f} MB (1,000 allowed)")
    started = time.process_time()
    summary = run(study(LARGE), path, "serial")
    assert summary.executed == 0
    print(
        f"resume of the finished study: "
        f"{time.process_time() - started:.1f} s CPU (10 allowed)"
    )
    del trials
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    with Ledger(path) as book:
        records = book.records()
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(records.rows) == 20 * LARGE
    print(
        f"DataFrame of {records.rows.shape[0]:,} rows: {seconds:.1f} s (20 allowed), "
        f"peak {peak / 1e6:.2f} GB, {before / 1e6:.2f} GB before (2 allowed)"
    )
    path.unlink()


if __name__ == "__main__":
    {"overhead": overhead, "large": large}[sys.argv[1]]()
