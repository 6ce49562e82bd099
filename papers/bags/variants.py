"""Test which variant each released set of bags is, on all rows.

    python -m papers.bags.variants --data FOLDER

Every set is written as soon as it is done; what is in the table is not run twice.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import pandas as pd

from caveat.bags import identify_variant, standard_bags
from papers.bags.run import ONE_PER_VARIANT

TABLE = Path(__file__).with_name("variants.csv")
TESTS = ("T1", "T2", "T3", "T4", "T5")
COLUMNS = ("dataset", "variant", "found", *TESTS, "seconds")


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    table = pd.read_parquet(options.data / "adult-processed.parquet")
    y = table.pop("y").to_numpy()
    X = table.to_numpy()
    is_new = not TABLE.exists()
    done = set() if is_new else set(pd.read_csv(TABLE)["dataset"])
    small = [one for one in standard_bags("adult") if one.bags == "small"]
    # One of each variant first: whenever it is stopped, all variants are there.
    small.sort(key=lambda one: one.name not in ONE_PER_VARIANT)
    for one in small:
        if one.name in done:
            continue
        bags = pd.read_parquet(options.data / f"{one.name}.parquet")["bag"].to_numpy()
        begin = time.process_time()
        found = identify_variant(X, y, bags, random_state=0)
        row = {
            "dataset": one.name,
            "variant": one.variant,
            "found": found.variant,
            **{test: round(found.p_values[test], 6) for test in TESTS},
            "seconds": round(time.process_time() - begin, 1),
        }
        with TABLE.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                writer.writeheader()
                is_new = False
            writer.writerow(row)


if __name__ == "__main__":
    main()
