"""A page about 100,000 trials of 20 rows each: seconds, memory, bytes.

    OMP_NUM_THREADS=1 python benchmarks/bench_report.py [repeats]

The records are made up: 12 learners, 20 data sets, 14 worlds, 30 repeats, 5 rules,
3 measures, one trial in 200 failed. The naive way walks the searches of one learner on
one data set with pandas, for the main measure and rule; it is asserted to give the
same mean, and its seconds are scaled up to all learners and data sets.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import resource
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import caveat
from caveat.board import build_report
from caveat.board._read import read_study
from caveat.board._study import Scorer
from caveat.study import Records

LEARNERS = [f"learner-{number:02d}" for number in range(12)]
DATASETS = [f"data-{number:02d}" for number in range(20)]
WORLDS = [
    {"variant": variant, "n_bags": bags}
    for variant in ("naive", "simple", "intermediate", "hard")
    for bags in (5, 10, 20, 40)
][:14]
RULES = [f"rule-{number}" for number in range(4)]
MEASURES = ["auc", "f1", "accuracy"]
ROWS = 20
NEEDED = ("group", "world", "criterion.rule-0", "test.auc")


def make_records(repeats: int) -> Records:
    """Build records as a ledger gives them: names as categories, numbers as floats."""
    random = np.random.default_rng(0)
    combinations = list(product(LEARNERS, DATASETS, range(len(WORLDS)), range(repeats)))
    n = len(combinations)
    learner, dataset, world, repeat = map(list, zip(*combinations, strict=True))
    keys = [f"{number:064x}" for number in range(n)]
    texts = [", ".join(f"{k}={v}" for k, v in one.items()) for one in WORLDS]
    failed = random.random(n) < 0.005
    trials = pd.DataFrame(
        {
            "key": keys,
            "group": [f"g{key}" for key in keys],
            "study": "large",
            "topic": "bags",
            "dataset": dataset,
            "learner": learner,
            "params": "{}",
            "repeat": repeat,
            "world": [texts[number] for number in world],
            "protocol": "caveat",
            "state": np.where(failed, "timeout", "done"),
            "reason": np.where(failed, "timeout", ""),
            "message": np.where(failed, "over 10 minutes", ""),
            "frames": "",
            "configurations": ROWS,
            "group_size": ROWS,
            "seconds": random.lognormal(2, 1, n),
            "rss": 1e8,
            "host": "node-1",
            "versions": '{"caveat":"0.1.0"}',
            "scenario.variant": [WORLDS[number]["variant"] for number in world],
            "scenario.n_bags": [WORLDS[number]["n_bags"] for number in world],
            "baseline": False,
        }
    )
    owner = np.repeat(np.flatnonzero(~failed), ROWS)
    rows = pd.DataFrame(
        {
            name: pd.Categorical(trials[name]).take(owner)
            for name in (
                *("key", "group", "study", "topic"),
                *("dataset", "learner", "world"),
            )
        }
        | {
            "repeat": trials["repeat"].to_numpy()[owner],
            "params": pd.Categorical.from_codes(
                np.tile(np.arange(ROWS), len(owner) // ROWS),
                [f'{{"C":{number}}}' for number in range(ROWS)],
            ),
            "config": np.tile(np.arange(ROWS), len(owner) // ROWS),
            "checkpoint": np.nan,
        }
    )
    quality = np.linspace(0.85, 0.75, len(LEARNERS))
    place = pd.Categorical(trials["learner"], categories=LEARNERS).codes[owner]
    value = quality[place] + random.normal(0, 0.02, len(owner))
    for number, rule in enumerate(RULES):
        noise = random.normal(0, 0.005 * (number + 1), len(owner))
        rows[f"criterion.{rule}"] = value + noise
    rows["oracle.auc"] = value + random.normal(0, 0.002, len(owner))
    for number, measure in enumerate(MEASURES):
        rows[f"test.{measure}"] = value - 0.05 * number
    glossary = {
        **{("measure", m): {"direction": "max"} for m in MEASURES},
        **{
            ("rule", r): {"column": f"criterion.{r}", "direction": "max"} for r in RULES
        },
        ("rule", "oracle"): {"column": "oracle.auc", "oracle": True},
    }
    return Records(trials=trials, rows=rows, glossary=glossary)


def naive_mean(records: Records, learner: str, dataset: str) -> tuple[float, float]:
    """Mean of one learner on one data set, search by search, and its seconds."""
    started = time.perf_counter()
    rows = records.rows
    mine = rows[(rows["learner"] == learner) & (rows["dataset"] == dataset)]
    plain = mine.astype({"group": str, "world": str})
    values: dict[str, list[float]] = {}
    for _, table in plain[[*NEEDED]].groupby("group"):
        best = table.loc[table["criterion.rule-0"].idxmax()]
        values.setdefault(best["world"], []).append(best["test.auc"])
    mean = np.mean([np.mean(found) for found in values.values()])
    return float(mean), time.perf_counter() - started


def main() -> None:
    """Make the records, write the page, hold a mean against the naive way."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    versions = f"numpy {np.__version__}, pandas {pd.__version__}"
    print(
        f"python {platform.python_version()}, {versions}, "
        f"matplotlib {mpl.__version__}, caveat {caveat.__version__}"
    )
    records = make_records(repeats)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(records.trials):,} trials, {len(records.rows):,} rows, "
        f"records in memory: {before:.2f} GB"
    )
    started, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        page = build_report(records, Path(folder) / "report")
        size = page.stat().st_size
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"page: {seconds:.1f} s ({cpu:.1f} s of CPU), peak {peak:.2f} GB, "
        f"{size / 1e6:.2f} MB"
    )
    study = read_study(records, name="large", measure="auc", rule="rule-0")
    scores = Scorer(study).cells(study.measures[0], study.choices[0])
    learner, dataset = LEARNERS[0], DATASETS[0]
    mean, naive = naive_mean(records, learner, dataset)
    mine = (study.blocks["dataset"] == dataset).to_numpy()
    ours = np.nanmean(scores.cells.mean[mine, scores.cells.learners.index(learner)])
    assert abs(ours - mean) < 1e-12
    naive *= len(LEARNERS) * len(DATASETS)
    pairs = len(MEASURES) * (len(RULES) + 1)
    print(
        f"naive way: {naive:.0f} s for one of {pairs} pairs of measure and rule, "
        f"{naive / seconds:.1f} times the whole page; same mean"
    )


if __name__ == "__main__":
    main()
