"""Selection and statistics against plain ways to get the same numbers.

    OMP_NUM_THREADS=1 python benchmarks/bench_statistics.py [groups]

By default 100,000 groups of 20 rows are selected from. The plain way works on 1,000
of them; its seconds are scaled up. The answers are asserted to be the same.
"""

import gc
import resource
import sys
import threading
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy import stats

import caveat
from caveat.statistics import (
    SelectionTable,
    best_set,
    criterion_agreement,
    regret,
    select,
    wilcoxon_holm,
)

CONFIGURATIONS = 20
PART = 1_000
GLOSSARY = {
    ("measure", "test.accuracy"): {"direction": "max"},
    ("criterion", "criterion.cover"): {"direction": "max"},
    ("rule", "cover"): {"column": "criterion.cover", "checkpoint": "best"},
}


def make_records(groups: int) -> SimpleNamespace:
    """Return records of many searches, names as categories, as a ledger gives them."""
    rng = np.random.default_rng(0)
    number = np.arange(groups)
    trials = pd.DataFrame(
        {
            "key": [f"{i:064x}" for i in number],
            "group": [f"{i:064x}" for i in number],
            "study": "bench",
            "topic": "candidates",
            "dataset": [f"d{i % 20}" for i in number],
            "world": "",
            "learner": [f"l{i // 20 % 12}" for i in number],
            "protocol": "caveat",
            "repeat": number // 240,
            "state": np.where(number % 50 == 49, "timeout", "done"),
            "reason": "",
            "configurations": CONFIGURATIONS,
            "group_size": CONFIGURATIONS,
            "baseline": False,
        }
    )
    owner = np.repeat(number[number % 50 != 49], CONFIGURATIONS)
    names = ["key", "group", "study", "topic", "dataset", "world", "learner"]
    rows = {name: pd.Categorical(trials[name]).take(owner) for name in names}
    rows["repeat"] = trials["repeat"].to_numpy()[owner]
    rows["config"] = np.tile(np.arange(CONFIGURATIONS), len(owner) // CONFIGURATIONS)
    rows["checkpoint"] = np.full(len(owner), np.nan)
    for column in ("criterion.cover", "criterion.loss", "oracle.accuracy"):
        rows[column] = rng.integers(0, 200, len(owner)) / 200
    for column in ("test.accuracy", "test.f1", "test.auc"):
        rows[column] = rng.integers(0, 200, len(owner)) / 200
    return SimpleNamespace(trials=trials, rows=pd.DataFrame(rows), glossary=GLOSSARY)


def resident() -> int:
    """Bytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return a result, its seconds, and the most memory it held beyond the start."""
    gc.collect()
    before, most, done = resident(), 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.005):
            most = max(most, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - started
    done.set()
    watcher.join()
    return result, seconds, max(most, resident()) - before


def plain_selection(rows: pd.DataFrame) -> pd.Series:
    """Choose by sorting each group, one after the other."""
    return rows.groupby("group", observed=True)[
        ["criterion.cover", "config", "test.accuracy"]
    ].apply(
        lambda part: part.sort_values(
            ["criterion.cover", "config"], ascending=[False, True]
        )["test.accuracy"].iloc[0]
    )


def report(what: str, ours: float, plain: float, extra: float = np.nan) -> None:
    """Print one line: seconds, ratio, memory."""
    memory = "" if np.isnan(extra) else f"  +{extra / 1e6:5.0f} MB"
    print(
        f"{what:38s} {ours:8.3f} s  plain {plain:9.2f} s  x{plain / ours:6.1f}{memory}"
    )


def bench_selection(groups: int) -> None:
    """Select, regret and agreement, against a loop over groups."""
    records = make_records(groups)
    done = len(records.rows) // CONFIGURATIONS
    print(f"{groups:,} groups, {len(records.rows):,} rows")
    print(f"plain seconds are scaled up from {PART:,} groups")
    some = records.rows[: PART * CONFIGURATIONS]
    factor = done / (len(some) / CONFIGURATIONS)

    chosen, seconds, extra = timed(lambda: select(records, "cover", measure="accuracy"))
    plain, plain_seconds, _ = timed(lambda: plain_selection(some))
    values = chosen.set_index("group")["value"]
    assert np.array_equal(values[plain.index], plain)
    assert int((~chosen["complete"]).sum()) == groups - done
    report("select, from records", seconds, plain_seconds * factor, extra)

    table, seconds, extra = timed(lambda: SelectionTable.of(records))
    print(f"{'SelectionTable.of, once':38s} {seconds:8.3f} s{extra / 1e6:+37.0f} MB")
    _, seconds, extra = timed(lambda: select(table, "cover", measure="accuracy"))
    report("select, from a SelectionTable", seconds, plain_seconds * factor, extra)

    lost, seconds, extra = timed(lambda: regret(table, "cover", measure="accuracy"))
    best = some.groupby("group", observed=True)["test.accuracy"].max()
    found = lost.set_index("group")["regret"][plain.index]
    assert np.array_equal(found, best[plain.index] - plain)
    report("regret", seconds, plain_seconds * factor, extra)

    agreed, seconds, extra = timed(
        lambda: criterion_agreement(table, "cover", "accuracy")
    )
    by_group = some.groupby("group", observed=True)[
        ["criterion.cover", "test.accuracy"]
    ]
    pairs, plain_seconds, _ = timed(
        lambda: by_group.apply(
            lambda part: pd.Series(
                [
                    stats.spearmanr(part.iloc[:, 0], part.iloc[:, 1]).statistic,
                    stats.kendalltau(part.iloc[:, 0], part.iloc[:, 1]).statistic,
                ]
            )
        )
    )
    found = agreed.set_index("group").loc[pairs.index, ["spearman", "kendall"]]
    np.testing.assert_allclose(found, pairs, atol=1e-12)
    report("criterion_agreement", seconds, plain_seconds * factor, extra)


def bench_tests() -> None:
    """Compare tests over data sets with scipy's, one at a time."""
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal(0, 1, (100, 40)) + np.linspace(0, 0.5, 40))
    ours, seconds, _ = timed(lambda: wilcoxon_holm(scores))
    plain, plain_seconds, _ = timed(
        lambda: [
            stats.wilcoxon(scores[i], scores[j], method="exact").pvalue
            for i, j in combinations(scores, 2)
        ]
    )
    np.testing.assert_allclose(ours["p"], plain)
    report("wilcoxon_holm, 780 pairs, 100 blocks", seconds, plain_seconds)

    ours, seconds, _ = timed(lambda: [best_set(scores) for _ in range(20)])
    plain, plain_seconds, _ = timed(
        lambda: [
            [
                stats.ttest_ind(scores[ours[0].order[0]], scores[i], equal_var=False)
                for i in ours[0].order[1:]
            ]
            for _ in range(20)
        ]
    )
    np.testing.assert_allclose(ours[0].p_values[1:], [test.pvalue for test in plain[0]])
    report("best_set, 40 groups, 20 times", seconds, plain_seconds)


if __name__ == "__main__":
    print(
        f"caveat {caveat.__version__}, python {sys.version.split()[0]}, numpy "
        f"{np.__version__}, pandas {pd.__version__}, scipy {scipy.__version__}"
    )
    bench_selection(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    bench_tests()
