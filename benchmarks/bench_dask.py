"""Twenty thousand small real trials through Dask, killed twice on the way.

    python benchmarks/bench_dask.py [TRIALS]

Two workers of a local Dask cluster fit nearest neighbours to a tenth of iris, once
per trial. The runner is killed (kill -9) at a third and at two thirds; the finished
ledger must hold every trial once, with the numbers of a plain loop for a sample of
them. Then the cost of a trial is compared with bare Dask: the same trials, mapped
with the same chunk size, nothing recorded.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import distributed
import psutil

import caveat
from caveat.study import Ledger, plan, run_trial

STUDY = """\
study: many
topic: supervised
datasets: [iris]
learners: [{{name: k-nn, n_neighbors: 3}}]
split: {{test-size: 0.9}}
resampling: {{folds: 0}}
repeats: {trials}
baseline: none
"""


def values(spec: dict) -> dict:
    """Run one trial, keep its numbers."""
    return run_trial(spec)["table"]


def chunk_values(specs: list[dict]) -> list[dict]:
    """Run a chunk of trials, as bare Dask would be used."""
    return [values(spec) for spec in specs]


def results(path: Path) -> int:
    """Count the results in a ledger, 0 if there is none yet."""
    try:
        raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        count = raw.execute("SELECT count(*) FROM result").fetchone()[0]
        raw.close()
    except sqlite3.OperationalError:
        return 0
    return count


def start(folder: Path) -> subprocess.Popen:
    """Start the study from the command line, in a process group of its own."""
    engine = ["--engine", "dask", "--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "caveat", "--quiet", "run", "many.yaml", *engine],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def main() -> None:
    """Run, kill, finish, compare."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    folder = Path(tempfile.mkdtemp())
    (folder / "many.yaml").write_text(STUDY.format(trials=trials))
    ledger = folder / "many.ledger"
    print(
        f"caveat {caveat.__version__}, dask {distributed.__version__}, "
        f"{trials:,} trials"
    )
    for share in (1 / 3, 2 / 3):
        runner = start(folder)
        while results(ledger) < share * trials:
            assert runner.poll() is None, "the runner ended by itself"
            time.sleep(0.2)
        children = psutil.Process(runner.pid).children(recursive=True)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
        _, alive = psutil.wait_procs(children, timeout=30)
        assert not alive, f"left behind: {alive}"
        print(f"killed at {results(ledger):,} results")
    before, started = results(ledger), time.perf_counter()
    assert start(folder).wait() == 0
    rest = trials - before
    ours = (time.perf_counter() - started) / rest
    with Ledger(ledger) as book:
        records = book.records()
    assert len(records.rows) == records.rows["key"].nunique() == trials
    planned = plan(str(folder / "many.yaml"))
    by_key = records.rows.set_index("key")
    for trial in planned[:: max(1, trials // 200)]:
        expected = values(trial.spec)
        row = by_key.loc[trial.key]
        for name in expected:
            if name.startswith("test."):
                assert row[name] == expected[name][0], (trial.key, name)
    print(f"all {trials:,} there, once each; a sample of 200 equals a plain loop")

    size = 100
    specs = [trial.spec for trial in planned[before:]]
    chunks = [specs[at : at + size] for at in range(0, len(specs), size)]
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.gather(client.map(chunk_values, chunks[:2], pure=False))
        started = time.perf_counter()
        found = client.gather(client.map(chunk_values, chunks, pure=False))
        bare = (time.perf_counter() - started) / len(specs)
    assert sum(map(len, found)) == len(specs)
    print(
        f"a trial: {ours * 1e3:.2f} ms recorded, {bare * 1e3:.2f} ms by bare Dask; "
        f"{(ours - bare) * 1e3:.2f} ms for guard, claim and durable commit"
    )


if __name__ == "__main__":
    main()
