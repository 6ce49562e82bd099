"""Kill a study's runner and workers at 100 random moments, then compare every byte.

    python benchmarks/kill_runners.py [KILLS] [SEED] [ENGINE ...]

A study of 200 small trials is run by the command line, killed (kill -9) at random
moments with a new runner each time, and finished. Nothing may be missing or done
twice, and the exported table must equal that of a run that nobody disturbed. Both
local engines take their turn; the ledger's integrity is checked at the end. With
``dask`` every round has a scheduler and two workers of its own, and any of runner,
scheduler, workers and trial processes may be the one that is killed.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

PLUGIN = str(Path(__file__).parents[1] / "tests" / "study" / "plugin")
STUDY = """\
study: killed
topic: fake
datasets: [iris]
learners: [{name: fake, milliseconds: 20}]
repeats: 200
baseline: none
"""


def command(folder: Path, *args: str) -> subprocess.Popen:
    """Start the command line in a folder, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "caveat", "--quiet", *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PLUGIN},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def results(path: Path) -> int:
    """Count the results in a ledger, 0 if there is none yet."""
    try:
        raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        count = raw.execute("SELECT count(*) FROM result").fetchone()[0]
        raw.close()
    except sqlite3.OperationalError:
        return 0
    return count


class Cluster:
    """A Dask scheduler and two workers on this machine."""

    def __init__(self, folder: Path) -> None:
        file = folder / "scheduler.json"
        file.unlink(missing_ok=True)
        where = ["--scheduler-file", str(file), "--no-dashboard"]
        self.processes = [
            self._start("scheduler", "--host", "127.0.0.1", "--port", "0", *where)
        ]
        while not file.exists():
            time.sleep(0.05)
        for _ in range(2):
            options = ["--nthreads", "1", "--no-nanny", "--death-timeout", "20"]
            self.processes.append(self._start("worker", *where, *options))
        self.address = json.loads(file.read_text())["address"]

    @staticmethod
    def _start(*args: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *args],
            env={**os.environ, "PYTHONPATH": PLUGIN},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def pids(self) -> list[int]:
        """Ids of scheduler, workers, and the processes that run trials for them."""
        found = []
        for process in self.processes:
            if process.poll() is None:
                children = psutil.Process(process.pid).children(recursive=True)
                found += [process.pid, *(child.pid for child in children)]
        return found

    def stop(self) -> None:
        """End what is left."""
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()


def kill_at_random(folder: Path, engine: str, kills: int, rng: random.Random) -> int:
    """Run and kill until enough kills were dealt; say how many hit a working runner."""
    dealt = 0
    path = folder / "killed.ledger"
    while dealt < kills:
        if results(path) > 195:
            # Nearly done: begin anew, so that every kill meets a study under way.
            check(folder, engine)
        cluster = Cluster(folder) if engine == "dask" else None
        if cluster is not None:
            named = f"engine: {{name: dask, scheduler: '{cluster.address}'}}\n"
            (folder / "killed.yaml").write_text(STUDY + named)
        choice = [] if cluster else ["--engine", engine]
        runner = command(folder, "run", "killed.yaml", *choice)
        time.sleep(rng.uniform(0.2, 8.0 if cluster else 3.5))
        try:
            children = psutil.Process(runner.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            children = []
        victims = [runner.pid, *(child.pid for child in children)]
        victims += cluster.pids if cluster else []
        victim = rng.choice(victims)
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            runner.wait()
            continue
        finally:
            time.sleep(rng.uniform(0, 0.3))
            if runner.poll() is None:
                os.killpg(runner.pid, signal.SIGKILL)
            runner.wait()
            if cluster:
                cluster.stop()
        _, alive = psutil.wait_procs(children, timeout=5)
        assert not alive, f"left behind: {alive}"
        dealt += 1
    check(folder, engine)
    return dealt


def check(folder: Path, engine: str) -> None:
    """Finish the study, compare its export with the undisturbed one, begin anew."""
    (folder / "killed.yaml").write_text(STUDY)
    assert command(folder, "run", "killed.yaml", "--engine", engine).wait() == 0
    export = ["export", "killed.ledger", "--out", "killed.csv"]
    assert command(folder, *export).wait() == 0
    found = (folder / "killed.csv").read_bytes()
    assert found == (folder / "whole.csv").read_bytes(), "the exports differ"
    raw = sqlite3.connect(folder / "killed.ledger")
    assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    counts = raw.execute("SELECT count(*), count(DISTINCT key) FROM result").fetchone()
    assert counts == (200, 200), counts
    stored = "SELECT count(*) FROM attempt WHERE outcome = 'done'"
    assert raw.execute(stored).fetchone() == (200,)
    raw.close()
    for ending in ("", "-wal", "-shm"):
        (folder / f"killed.ledger{ending}").unlink(missing_ok=True)


def main() -> None:
    """Run the whole test and print what was found."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    engines = sys.argv[3:] or ["serial", "processes"]
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp())
    (folder / "killed.yaml").write_text(STUDY)
    whole = ["run", "killed.yaml", "--ledger", "whole.ledger"]
    assert command(folder, *whole).wait() == 0
    export = ["export", "whole.ledger", "--out", "whole.csv"]
    assert command(folder, *export).wait() == 0
    for engine in engines:
        started = time.monotonic()
        dealt = kill_at_random(folder, engine, kills // len(engines), rng)
        print(
            f"{engine}: {dealt} kills, nothing lost or doubled, exports identical, "
            f"integrity ok, {time.monotonic() - started:.0f} s"
        )


if __name__ == "__main__":
    main()
