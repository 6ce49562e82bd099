"""Every registered learner through every engine: exports with the same bytes.

    python benchmarks/identical_engines.py [TOPIC ...]

One small study per topic (the one that the common tests run) holds all learners that
can run here. It is run serially, serially in the opposite order, by two processes and
by two Dask workers, each into a ledger of its own; the four exports must be equal byte
for byte. Seconds are printed, and the script fails at the first difference.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import caveat
from caveat.datasets import describe
from caveat.exceptions import MissingExtra
from caveat.study import TOPICS, Ledger, export, run


def learners(topic: Any, dataset: str) -> list[dict[str, Any]]:
    """Write the learners that can do a data set, with their quick settings."""
    facts = describe(dataset)
    skip = getattr(topic, "skip", lambda facts, entry: "")
    found = []
    for entry in topic.learners.values():
        able = not entry.tasks or facts["task"] in entry.tasks
        if not able or skip(facts, entry) or "needs" in entry.facts:
            continue
        try:
            entry.load()
        except MissingExtra as missing:
            print(f"  left out: {entry.name} ({missing})")
            continue
        quick = {
            key: [list(value)] if isinstance(value, list | tuple) else value
            for key, value in entry.quick.items()
        }
        found.append({"name": entry.name, **quick})
    return found


def exported(study: dict[str, Any], folder: Path, engine: str) -> bytes:
    """Run a study into a new ledger and give the bytes of its export."""
    ledger = folder / f"{engine}-{len(list(folder.iterdir()))}.ledger"
    summary = run(study, ledger, engine, jobs=None if engine == "serial" else 2)
    if set(summary.states) != {"done"}:
        print(f"  states under {engine}: {summary.states}")
    with Ledger(ledger) as book:
        export(book.records(), folder / f"{ledger.stem}.csv")
    return (folder / f"{ledger.stem}.csv").read_bytes()


def compare(name: str) -> int:
    """Run one topic everywhere; give the number of learners."""
    topic = TOPICS[name].load()
    small = {"datasets": ["iris"], **getattr(topic, "small", {})}
    total = 0
    for dataset in small["datasets"]:
        chosen = learners(topic, dataset)
        study = {
            **{"study": "everywhere", "topic": name, "baseline": "none"},
            **small,
            **{"datasets": [dataset], "learners": chosen},
        }
        with tempfile.TemporaryDirectory() as folder:
            whole, seconds = b"", []
            for engine, order in (
                ("serial", 1),
                ("serial", -1),
                ("processes", 1),
                ("dask", 1),
            ):
                started = time.perf_counter()
                found = exported(
                    {**study, "learners": chosen[::order]}, Path(folder), engine
                )
                seconds.append(time.perf_counter() - started)
                whole = whole or found
                assert found == whole, f"{name}, {dataset}: {engine} differs"
        told = " ".join(f"{one:7.1f}" for one in seconds)
        print(f"{name:12} {dataset:12} {len(chosen):3} {len(whole):9,} {told}")
        total += len(chosen)
    return total


if __name__ == "__main__":
    print(f"caveat {caveat.__version__}, python {sys.version.split()[0]}")
    print("topic        data set  learners   bytes  serial turned  processes  dask (s)")
    wanted = sys.argv[1:] or [name for name in TOPICS if name != "fake"]
    print(f"{sum(map(compare, wanted))} learners, all exports identical")
