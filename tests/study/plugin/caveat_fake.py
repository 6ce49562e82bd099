"""A topic of fake learners: cheap, exact, and as badly behaved as one could wish.

It is found through an entry point, as any installed plug-in would be.
"""

import contextlib
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from caveat._registry import Entry, Registry
from caveat.study.engines._worker import work
from caveat.study.topic import Outcome, grid_worlds


class Fake:
    """Gives numbers that depend on its seed and settings only."""

    def __init__(self, factor=1.0, milliseconds=0.0, rows=1):
        self.factor = factor
        self.milliseconds = milliseconds
        self.rows = rows

    def work(self, seed):
        if self.milliseconds:
            time.sleep(self.milliseconds / 1000)
        rng = np.random.default_rng(seed)
        return [self.factor * value for value in rng.random(self.rows)]


class Raises(Fake):
    def work(self, seed):
        raise RuntimeError("no luck today")


class RaisesOddly(Fake):
    def work(self, seed):
        class Local(Exception):
            def __str__(self):
                raise ValueError("not even a message")

        raise Local(lambda: None)


class Shouts(Fake):
    def work(self, seed):
        raise ValueError("x" * 10_000_000 + "\udcff")


class Exits(Fake):
    def work(self, seed):
        sys.exit(3)


class Interrupts(Fake):
    def work(self, seed):
        raise KeyboardInterrupt


class NotFinite(Fake):
    def work(self, seed):
        return [float("nan")]


class Vanishes(Fake):
    def work(self, seed):
        os._exit(7)


class KillsItself(Fake):
    def work(self, seed):
        os.kill(os.getpid(), signal.SIGKILL)


class VanishesOnce(Fake):
    """Dies at the first attempt, works at the second."""

    def __init__(self, mark="", **rest):
        super().__init__(**rest)
        self.mark = mark

    def work(self, seed):
        if not os.path.exists(self.mark):
            open(self.mark, "w").close()
            os._exit(7)
        return super().work(seed)


class Sleeps(Fake):
    def work(self, seed):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        time.sleep(1e6)


def start_everything(mark):
    """Start a plain child, one with a session of its own, a daemon and a bare one.

    The daemon was forked twice and left the session; the bare one, too, and it has no
    environment. All of them leave their pids in a file.
    """
    forget = {"start_new_session": True}
    children = [
        subprocess.Popen(["sleep", "9999"]),
        subprocess.Popen(["sleep", "9999"], **forget),
    ]
    pids = [child.pid for child in children]
    for environment in (os.environ, {}):
        reading, writing = os.pipe()
        if os.fork() == 0:
            daemon = subprocess.Popen(["sleep", "9999"], env=environment, **forget)
            os.write(writing, str(daemon.pid).encode())
            os._exit(0)
        pids.append(int(os.read(reading, 20)))
    with open(mark, "a") as file:
        file.write("".join(f"{pid}\n" for pid in pids))


class LeavesProcesses(Fake):
    """Starts processes of every kind; then returns, hangs or dies, as it is told."""

    def __init__(self, mark="", then="return", **rest):
        super().__init__(**rest)
        self.mark = mark
        self.then = then

    def work(self, seed):
        start_everything(self.mark)
        if self.then == "hang":
            time.sleep(1e6)
        if self.then == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.then == "kill the parent":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(1e6)
        return super().work(seed)


class DiesBesideAChild(Fake):
    """Leaves a forked child that holds all its pipes, then vanishes."""

    def work(self, seed):
        if os.fork() == 0:
            time.sleep(9999)
        os._exit(7)


class ClosesEverything(Fake):
    """Closes every file that it did not open, as daemons do."""

    def work(self, seed):
        os.closerange(3, 1_000)
        return super().work(seed)


class WritesEverywhere(Fake):
    """Writes a pickle into every socket that it did not open."""

    def work(self, seed):
        body = pickle.dumps(Path("marker"))
        for number in range(3, 100):
            with contextlib.suppress(OSError):
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    os.write(number, len(body).to_bytes(8, "big") + body)
        return super().work(seed)


class ForksAndReturnsTwice(Fake):
    """Forgets that after a fork there are two of it."""

    def work(self, seed):
        os.fork()
        return super().work(seed)


class LeavesThread(Fake):
    """Leaves a thread that never ends and is no daemon."""

    def work(self, seed):
        threading.Thread(target=time.sleep, args=(1e6,)).start()
        return super().work(seed)


class PrintsWithoutEnd(Fake):
    """Prints 20 MB, then dies with a last word."""

    def work(self, seed):
        line = b"x" * 99_999 + b"\n"
        for _ in range(200):
            os.write(1, line)
        os.write(2, b"the last word\n")
        os._exit(7)


class Gives(Fake):
    """Gives up in a way that no `except Exception` sees."""

    def work(self, seed):
        class Odd(BaseException):
            pass

        raise Odd("neither an Exception nor an exit")


class LetsAChildEat(Fake):
    """Stays small itself; a child with a session of its own takes 1.5 GB."""

    def work(self, seed):
        eater = "import time; hoard = bytearray(b'x') * 1_500_000_000; time.sleep(9999)"
        child = subprocess.Popen([sys.executable, "-c", eater], start_new_session=True)
        child.wait()


class SharesMemory(Fake):
    """Fills 200 MB once; four forked children only look at them."""

    def work(self, seed):
        hoard = np.ones(25_000_000)
        children = []
        for _ in range(4):
            children.append(os.fork())
            if children[-1] == 0:
                hoard.sum()
                time.sleep(1.0)
                os._exit(0)
        for child in children:
            os.waitpid(child, 0)
        return super().work(seed)


class Mixed(Fake):
    """By its seed: sleeps, forks, threads, starts a daemon or takes memory."""

    def work(self, seed):
        def fork():
            if os.fork() == 0:
                time.sleep(9999)

        def daemon():
            if os.fork() == 0:
                subprocess.Popen(["sleep", "9999"], start_new_session=True)
                os._exit(0)

        def thread():
            threading.Thread(target=time.sleep, args=(1e6,)).start()

        deeds = [fork, daemon, thread, lambda: np.ones(10_000_000).sum()]
        number = int(np.random.default_rng(seed).integers(16))
        if number < len(deeds):
            deeds[number]()
            # Long enough for somebody to kill what was started.
            time.sleep(0.5)
        return super().work(seed)


class EatsMemory(Fake):
    def work(self, seed):
        hoard = []
        while True:
            hoard.append(np.ones(8_000_000))


class CountsThreads(Fake):
    def work(self, seed):
        from threadpoolctl import threadpool_info

        return [
            float(max((pool["num_threads"] for pool in threadpool_info()), default=1))
        ]


def _rows(classes):
    return [
        Entry(name=name, target=f"caveat_fake:{made}") for name, made in classes.items()
    ]


class FakeTopic:
    """A topic that only does arithmetic."""

    name = "fake"
    learners = Registry(
        "learner",
        _rows(
            {
                "fake": "Fake",
                "other": "Fake",
                "raises": "Raises",
                "raises-oddly": "RaisesOddly",
                "shouts": "Shouts",
                "exits": "Exits",
                "interrupts": "Interrupts",
                "not-finite": "NotFinite",
                "vanishes": "Vanishes",
                "kills-itself": "KillsItself",
                "vanishes-once": "VanishesOnce",
                "sleeps": "Sleeps",
                "leaves-processes": "LeavesProcesses",
                "dies-beside-a-child": "DiesBesideAChild",
                "closes-everything": "ClosesEverything",
                "writes-everywhere": "WritesEverywhere",
                "forks-and-returns-twice": "ForksAndReturnsTwice",
                "leaves-thread": "LeavesThread",
                "prints-without-end": "PrintsWithoutEnd",
                "gives-up": "Gives",
                "lets-a-child-eat": "LetsAChildEat",
                "shares-memory": "SharesMemory",
                "mixed": "Mixed",
                "eats-memory": "EatsMemory",
                "counts-threads": "CountsThreads",
            }
        ),
        entry_points_group="caveat.fake",
    )
    measures = Registry(
        "measure",
        [
            Entry(
                name="score",
                target="caveat_fake:Fake",
                facts={"direction": "max", "range": [0, 1]},
            )
        ],
    )
    criteria = Registry(
        "criterion",
        [Entry(name="guess", target="caveat_fake:Fake", facts={"direction": "max"})],
    )
    rules = Registry(
        "rule",
        [
            Entry(
                name="by-guess",
                target="caveat_fake:Fake",
                facts={
                    "column": "criterion.guess",
                    "checkpoint": "best",
                    "oracle": False,
                },
            )
        ],
    )
    protocols = ("caveat", "other")
    default_rules = ("by-guess",)

    def worlds(self, scenario, dataset_name):
        return grid_worlds(scenario, {"size": 1})

    def configurations_per_trial(self, entry, count):
        return 2

    def run(self, context):
        split = context.split()
        rows = []
        for config, params in context.configurations:
            seed = context.seed("learner", config=config)
            values = context.make(params).work(seed)
            for checkpoint, value in enumerate(values):
                row = {
                    "config": config,
                    "checkpoint": checkpoint if len(values) > 1 else None,
                    "criterion.guess": value / 2,
                    "test.score": value,
                }
                row.update({f"test.extra{i}": value / (i + 2) for i in range(8)})
                rows.append(row if len(values) > 1 else {**row})
        return Outcome(
            rows=rows,
            digests={"world": str(context.seed("scenario"))},
            notes=[f"{len(split.test)} items"],
        )


TOPIC = FakeTopic()


class InlineEngine:
    """Runs trials in the runner's own process: for tests of everything but workers."""

    current = ()

    def __init__(self, *, allow_import=False, **_):
        self.allow_import = allow_import
        self.ended = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def capacity(self):
        return 1 - len(self.ended)

    def submit(self, trial):
        self.ended.append(work(trial.key, trial.spec, self.allow_import))

    def wait(self, seconds):
        ended, self.ended = self.ended, []
        return ended
