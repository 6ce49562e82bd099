"""Let every operation fail once: files, ledger, commits, processes, network, clocks.

python benchmarks/every_operation.py [--most N] [WORK...]

One row per work and kind of operation: how many operations there are, how many were
made to fail, how many of these ended with a sentence, were outlived, and were trouble:
something lost, doubled, half written, left behind, hung, or told badly. Looks at the
table of processes are thousands that do not differ: a spread of them fails.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "faults"))

from sweep import count, spread, sweep
from works import WORKS

MOST_LOOKS = 30


def run(most: int, wanted: list[str]) -> int:
    """Print the table; return how much trouble there was."""
    logging.disable(logging.CRITICAL)  # of what is found broken: on purpose
    print("work               kind      there failed  told outlived trouble  seconds")
    troubles = 0
    for work in WORKS:
        if wanted and not any(name in work.name for name in wanted):
            continue
        for kind in work.kinds:
            started = time.perf_counter()
            total, expected = count(work, kind)
            few = min(most, MOST_LOOKS) if kind == "look" else most
            endings = list(sweep(work, kind, spread(total, few), expected))
            told = sum(bool(ending.sentence) for ending in endings)
            bad = [ending for ending in endings if ending.trouble]
            troubles += len(bad)
            print(
                f"{work.name:18} {kind:8} {total:6} {len(endings):6} {told:5} "
                f"{len(endings) - told - len(bad):8} {len(bad):7} "
                f"{time.perf_counter() - started:8.1f}",
                flush=True,
            )
            for ending in bad:
                print(f"    n={ending.n} ({ending.operation}): {ending.trouble}")
    return troubles


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000, help="how many of each")
    parser.add_argument("works", nargs="*", help="names, or parts of them; all if none")
    options = parser.parse_args()
    sys.exit(1 if run(options.most, options.works) else 0)
