"""Random bit flips in an idle ledger: each is harmless, or it is told.

    python benchmarks/bench_ledger_flips.py [FLIPS [SEED]]

One bit of a copy is flipped, then the copy is exported, its costs and glossary are
read, and it is verified. *Harmless*: everything that is read is the same. *Told*: one
sentence, or the damaged rows are named. Anything else is counted as *silent*, and a
number that differs in an export as *changed*: there must be none of either.
"""

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study" / "plugin"))

import pandas as pd

from caveat.exceptions import CaveatError
from caveat.study import Ledger, run, tidy

STUDY = {
    "study": "flips",
    "topic": "fake",
    "datasets": ["iris"],
    "learners": ["fake", {"name": "other", "factor": [0.5, 0.25, 0.1]}, "raises"],
    "scenario": {"size": [1, 2]},
    "repeats": 4,
    "baseline": "none",
}
_VALUES = "config|checkpoint|\\."


def read(path: Path) -> tuple[pd.DataFrame, str, int]:
    """Return what is exported, all that pages show, and how much is damaged."""
    with Ledger(path) as book:
        records = book.records()
        shown = [records.trials.to_csv(), sorted(records.glossary.items())]
        shown += [records.studies, sorted(records.notes().items()), records.digest]
        shown += [records.digests().to_csv(), book.counts(), book.orphans()]
        return tidy(records), repr(shown), len(records.damaged)


def judge(path: Path, export: pd.DataFrame, shown: str) -> str:
    """Say what became of a copy in which one bit was flipped."""
    try:
        found, told, damaged = read(path)
        with Ledger(path) as book:
            named = len(book.damage())
    except CaveatError as error:
        return "told: refused" if "\n" not in str(error) else "SILENT: no sentence"
    if not _same_numbers(found, export):
        return "CHANGED"
    if damaged or named:
        return "told: rows named" if named >= damaged else "SILENT: verify"
    same = found.equals(export) and told == shown
    return "harmless" if same else "SILENT"


def _same_numbers(found: pd.DataFrame, export: pd.DataFrame) -> bool:
    """Whether every row that is exported with values has those it had."""
    values = export.columns[export.columns.str.contains(_VALUES)]
    where = ["key", "config", "checkpoint"]
    done = found[found["state"] == "done"].set_index(where)
    before = export.set_index(where)
    values = [name for name in values if name not in where]
    return done[values].equals(before.loc[done.index, values])


def flip(data: bytes, bit: int) -> bytes:
    """Turn one bit over."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def main(flips: int = 1_000, seed: int = 0) -> None:
    """Flip, read, count."""
    folder = Path(tempfile.mkdtemp())
    whole = folder / "whole.ledger"
    run(STUDY, whole, "serial")
    data = whole.read_bytes()
    export, shown, _ = read(whole)
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    copy = folder / "copy.ledger"
    for number in range(flips):
        bit = rng.randrange(8 * len(data))
        copy.write_bytes(flip(data, bit))
        verdict = judge(copy, export, shown)
        counts[verdict] += 1
        if verdict.isupper() or verdict.startswith("SILENT"):
            print(f"flip {number}, bit {bit}: {verdict}")
    print(f"{flips:,} flips of {len(data):,} bytes, {len(export):,} exported rows:")
    for verdict, count in sorted(counts.items()):
        print(f"    {verdict:20s} {count:6,d}")
    if any(verdict[0].isupper() for verdict in counts):
        sys.exit(1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
