"""Check any published table of shifted scores for what must hold exactly.

For one fitted model the scenarios meet in a few points, whatever the data are. A table
that breaks one of these identities has a slip in it: a copied block, two columns in
each other's place, a score that reached the model round the mask.

Run: ``python -m papers.shift.table_audit TABLE.csv`` with the columns ``dataset,
measure, model, scenario, k, value`` and, for the scenario ``single``, ``column``
(columns in the order of the table: least important first).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput

KEYS = ["dataset", "measure", "model"]
NEEDED = [*KEYS, "scenario", "k", "value"]
CUMULATIVE = ("most", "least", "random")
_FEWEST = 5
"""A block of fewer numbers may equal another one by chance."""
_BOUNDED = {"accuracy", "auc"}

Finding = dict[str, object]


def audit_table(table: pd.DataFrame, *, digits: int = 3) -> pd.DataFrame:
    """List every breach of an identity.

    Parameters
    ----------
    table : DataFrame
        `dataset`, `measure`, `model`, `scenario` (``single``, ``most``, ``least``,
        ``random``), `k`, `value`, and `column` for ``single``.
    digits : int, default=3
        To which values are rounded.

    Returns
    -------
    DataFrame : `kind`, `dataset`, `measure`, `model`, `scenario`, `found`, `expected`,
    `words`; empty if everything holds.

    Warnings
    --------
    A table of means over seeds keeps the identities only if every scenario was run
    with the same seeds; otherwise look at `found` and `expected` before you judge.
    """
    lacking = [name for name in NEEDED if name not in table.columns]
    if lacking:
        raise InvalidInput(
            f"the table lacks the column {lacking[0]!r}; it needs {', '.join(NEEDED)}"
        )
    half = 0.5 * 10**-digits + 1e-9
    found: list[Finding] = []
    for key, rows in table.groupby(KEYS, sort=False):
        place = dict(zip(KEYS, key, strict=True))
        for finding in _of_one_model(rows, half):
            found.append({**place, **finding})
    found += list(_copies(table))
    columns = ["kind", *KEYS, "scenario", "found", "expected", "words"]
    return pd.DataFrame(found, columns=columns)


def _of_one_model(rows: pd.DataFrame, half: float) -> Iterator[Finding]:
    yield from _range(rows)
    blocks = {
        str(name): each.set_index("k")["value"]
        for name, each in rows[rows["scenario"] != "single"].groupby("scenario")
    }
    single = rows[(rows["scenario"] == "single") & (rows["k"] == 1)]
    yield from _closed(rows, half)
    yield from _all_gone(rows, blocks, half)
    if len(single):
        yield from _first_step(single, blocks, half)


def _range(rows: pd.DataFrame) -> Iterator[Finding]:
    """Accuracy and AUC lie between 0 and 1, errors above 0."""
    bounded = str(rows["measure"].iloc[0]) in _BOUNDED
    top = 1.0 if bounded else np.inf
    for row in rows[(rows["value"] < 0) | (rows["value"] > top)].itertuples():
        words = f"{row.value} is no value that {row.measure} can have"
        yield _finding("out of range", row.scenario, row.value, np.nan, words)


def _closed(rows: pd.DataFrame, half: float) -> Iterator[Finding]:
    """With all columns every scenario has the same value."""
    closed = rows[rows["k"] == 0].groupby("scenario")["value"].first()
    if len(closed) > 1 and closed.max() - closed.min() > 2 * half:
        words = "with all columns the scenarios differ: " + _spelt(closed)
        yield _finding("closed", "all", closed.max(), closed.min(), words)


def _all_gone(
    rows: pd.DataFrame, blocks: dict[str, pd.Series], half: float
) -> Iterator[Finding]:
    """With every column gone there is one table, so there is one value."""
    last = int(rows["k"].max())
    ends = pd.Series(
        {name: each[last] for name, each in blocks.items() if last in each.index}
    )
    if len(ends) > 1 and ends.max() - ends.min() > 2 * half:
        words = f"with all {last} columns gone the scenarios differ: " + _spelt(ends)
        yield _finding("all gone", "all", ends.max(), ends.min(), words)
    if str(rows["measure"].iloc[0]) != "auc":
        return
    for name, value in ends.items():
        if abs(value - 0.5) > half:
            words = (
                f"with all {last} columns gone the AUC is {value}, not 0.5: something "
                "reaches the model round the mask, or the number is another measure's"
            )
            yield _finding("leak", str(name), value, 0.5, words)


def _first_step(
    single: pd.DataFrame, blocks: dict[str, pd.Series], half: float
) -> Iterator[Finding]:
    """One column gone is a single one, or on average their mean."""
    values = single["value"].to_numpy()
    one = {name: each[1] for name, each in blocks.items() if 1 in each.index}
    if "random" in one:
        mean = float(values.mean())
        # Both sides are rounded, and the mean of rounded numbers is less so.
        if abs(one["random"] - mean) > half + half / np.sqrt(len(values)) + 1e-9:
            words = (
                f"random at one column is {one['random']}, the mean of the "
                f"{len(values)} single ones {mean:.4f}"
            )
            yield _finding("mean of singles", "random", one["random"], mean, words)
    ends = {"least": values[0], "most": values[-1]}
    wrong = {
        name: value
        for name, value in ends.items()
        if name in one and abs(one[name] - value) > 2 * half
    }
    other = {"least": "most", "most": "least"}
    crossed = len(wrong) == 2 and all(
        abs(one[name] - ends[other[name]]) <= 2 * half for name in wrong
    )
    if crossed:
        words = "most and least stand in each other's place"
        yield _finding("interchanged", "most", one["most"], one["least"], words)
        return
    for name, value in wrong.items():
        words = f"{name} at one column is {one[name]}, that column alone {value}"
        yield _finding("first step", name, one[name], value, words)


def _copies(table: pd.DataFrame) -> Iterator[Finding]:
    """Blocks that are the same number by number were not measured twice."""
    blocks = []
    for place, rows in table.groupby(["dataset", "measure", "scenario"], sort=False):
        flat = rows[rows["k"] > 0]
        names = flat["k"].astype(str)
        if "column" in flat:
            names += "|" + flat["column"].fillna("").astype(str)
        index = [flat["model"].astype(str), names]
        blocks.append((place, pd.Series(flat["value"].to_numpy(), index=index)))
    for (left, one), (right, other) in combinations(blocks, 2):
        shared = one.index.intersection(other.index)
        numbers = one[shared], other[shared]
        if _same(*numbers):
            yield _copied(left, right, "all")
            continue
        # The block of one model may be copied alone.
        for model in shared.unique(0) if len(shared) else ():
            if _same(*(each.loc[[model]] for each in numbers)):
                yield _copied(left, right, str(model))


def _same(one: pd.Series, other: pd.Series) -> bool:
    """Whether enough different numbers are equal."""
    enough = len(one) >= _FEWEST and one.nunique() >= _FEWEST
    return bool(enough and np.allclose(one, other, atol=1e-9))


def _copied(left: Sequence[str], right: Sequence[str], model: str) -> Finding:
    kind = "copied block"
    if left[0] == right[0] and {left[1], right[1]} == {"accuracy", "auc"}:
        kind = "AUC printed as accuracy"
    words = f"{' '.join(map(str, left))} repeats {' '.join(map(str, right))}"
    return {
        "dataset": left[0],
        "measure": left[1],
        "model": model,
        **_finding(kind, str(left[2]), np.nan, np.nan, words),
    }


def _spelt(values: pd.Series) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _finding(
    kind: str, scenario: str, found: float, expected: float, words: str
) -> Finding:
    return {
        "kind": kind,
        "scenario": scenario,
        "found": found,
        "expected": expected,
        "words": words,
    }


def main(path: str) -> int:
    """Print the breaches of a CSV file; 1 if there are any."""
    found = audit_table(pd.read_csv(Path(path)))
    for row in found.itertuples():
        sys.stdout.write(f"{row.kind}: {row.dataset}, {row.measure}, {row.model}: ")
        sys.stdout.write(f"{row.words}\n")
    sys.stdout.write(f"{len(found)} breaches\n")
    return int(len(found) > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
