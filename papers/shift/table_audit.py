"""Check any published table of shifted scores for what must hold exactly.

For one fitted model the scenarios meet in a few points, whatever the data are. A table
that breaks one of these identities has a slip in it: a copied block, two columns in
each other's place, a score that reached the model round the mask.

Run: ``python -m papers.shift.table_audit TABLE.csv [TABLE.csv ...]``. The tables are as
`papers.shift.printed` reads them: ``dataset, measure, model, scenario, k, value`` and,
for the scenario ``single``, ``column`` (least important first); or as printed, with one
column per model or one per degree. 0: all holds, 1: something does not, 2: no table.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from caveat.exceptions import CaveatError, InvalidInput
from papers.shift.printed import BOUNDED, KEYS, read_print, unfolded

_FEWEST = 5
"""A block of fewer different numbers may equal another one by chance."""
_FEWEST_OF_MEASURES = 4
"""Nothing makes an AUC equal an accuracy, so fewer are enough."""
_MOST_PART = 0.9
"""So many of the numbers of a copied block are equal; a cell may have been mended."""

Finding = dict[str, object]
Series = dict[tuple[int, str], float]
Place = tuple[str, str, str, str]
"""Data set, measure, scenario, model."""


def audit_table(table: pd.DataFrame, *, digits: int | None = None) -> pd.DataFrame:
    """List every breach of an identity.

    Parameters
    ----------
    table : DataFrame
        `dataset`, `measure`, `model`, `scenario` (``single``, ``most``, ``least``,
        ``random``), `k`, `value`, and `column` for ``single``; or a printed form of it,
        see `read_print`.
    digits : int, optional
        To which values are rounded; seen from the values of each block if not given.

    Returns
    -------
    DataFrame : `kind`, `dataset`, `measure`, `model`, `scenario`, `found`, `expected`,
    `words`; empty if everything holds.

    Warnings
    --------
    A table of means over seeds keeps the identities only if every scenario was run
    with the same seeds; otherwise look at `found` and `expected` before you judge. A
    table whose last degree is not "all columns" must say so, by its single columns, by
    `n_columns` or by `degree`; else its largest k is taken for all.
    """
    tidy = read_print(table, digits)
    found: list[Finding] = []
    for key, rows in tidy.groupby(KEYS, sort=False):
        place = dict(zip(KEYS, key, strict=True))
        found += [{**place, **finding} for finding in _of_one_model(rows)]
    found += list(_copies(tidy))
    columns = ["kind", *KEYS, "scenario", "found", "expected", "words"]
    return pd.DataFrame(found, columns=columns)


def _of_one_model(rows: pd.DataFrame) -> Iterator[Finding]:
    yield from _range(rows)
    # A value lies within half a digit of what is printed.
    half = rows.groupby("scenario")["half"].max().to_dict()
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
    top = 1.0 if str(rows["measure"].iloc[0]) in BOUNDED else np.inf
    for row in rows[(rows["value"] < 0) | (rows["value"] > top)].itertuples():
        words = f"{row.value:g} is no value that {row.measure} can have"
        yield _finding("out of range", row.scenario, row.value, np.nan, words)


def _closed(rows: pd.DataFrame, half: dict[str, float]) -> Iterator[Finding]:
    """With all columns every scenario has the same value."""
    closed = rows[rows["k"] == 0].groupby("scenario")["value"].first()
    if _apart(closed, half):
        words = "with all columns the scenarios differ: " + _spelt(closed)
        yield _finding("closed", "all", closed.max(), closed.min(), words)


def _all_gone(
    rows: pd.DataFrame, blocks: dict[str, pd.Series], half: dict[str, float]
) -> Iterator[Finding]:
    """With every column gone there is one table, so there is one value."""
    last = int(rows["n_columns"].iloc[0])
    ends = pd.Series(
        {name: each[last] for name, each in blocks.items() if last in each.index},
        dtype=float,
    )
    if _apart(ends, half):
        words = f"with all {last} columns gone the scenarios differ: " + _spelt(ends)
        yield _finding("all gone", "all", ends.max(), ends.min(), words)
    if str(rows["measure"].iloc[0]) != "auc":
        return
    for name, value in ends.items():
        if abs(value - 0.5) > half[str(name)]:
            words = (
                f"with all {last} columns gone the AUC is {value:g}, not 0.5: something"
                " reaches the model round the mask, or the number is another measure's"
            )
            yield _finding("leak", str(name), value, 0.5, words)


def _apart(values: pd.Series, half: dict[str, float]) -> bool:
    """Whether two of the values cannot have been one before they were rounded."""
    pairs = combinations(values.dropna().items(), 2)
    return any(abs(a - b) > half[str(x)] + half[str(y)] for (x, a), (y, b) in pairs)


def _first_step(
    single: pd.DataFrame, blocks: dict[str, pd.Series], half: dict[str, float]
) -> Iterator[Finding]:
    """One column gone is a single one, or on average their mean."""
    values = single["value"].to_numpy()
    one = {name: each[1] for name, each in blocks.items() if 1 in each.index}
    complete = len(values) == int(single["n_columns"].iloc[0])
    if "random" in one and complete:
        mean = float(values.mean())
        # Rounding moves the mean of the single ones by half a digit at most.
        if abs(one["random"] - mean) > half["random"] + half["single"]:
            words = (
                f"random at one column is {one['random']:g}, the mean of the "
                f"{len(values)} single ones {mean:.4f}"
            )
            yield _finding("mean of singles", "random", one["random"], mean, words)
    ends = {"least": values[0], "most": values[-1]} if complete else {}

    def differ(name: str, value: float) -> bool:
        return abs(one[name] - value) > half[name] + half["single"]

    wrong = {
        name: value
        for name, value in ends.items()
        if name in one and differ(name, value)
    }
    crossed = (
        len(wrong) == 2
        and not differ("most", ends["least"])
        and not differ("least", ends["most"])
    )
    if crossed:
        words = "most and least stand in each other's place"
        yield _finding("interchanged", "most", one["most"], one["least"], words)
        return
    for name, value in wrong.items():
        words = f"{name} at one column is {one[name]:g}, that column alone {value:g}"
        yield _finding("first step", name, one[name], value, words)


def _copies(table: pd.DataFrame) -> Iterator[Finding]:
    """Numbers that stand twice were not measured twice.

    Blocks are compared with one another, all models together, then the numbers of
    single models; between two models only those that repeat in every cell.
    """
    series = _series(table)
    last = table.groupby("dataset")["n_columns"].max().to_dict()
    blocks: dict[tuple[str, str, str], dict[str, Series]] = defaultdict(dict)
    for (dataset, measure, scenario, model), cells in series.items():
        blocks[dataset, measure, scenario][model] = cells
    for left, right in combinations(blocks, 2):
        shared = [model for model in blocks[left] if model in blocks[right]]
        pairs = {
            model: _pairs(blocks[left][model], blocks[right][model], left, right, last)
            for model in shared
        }
        fewest = _FEWEST_OF_MEASURES if _measures(left, right) else _FEWEST
        together = [pair for each in pairs.values() for pair in each]
        if len(shared) > 1 and _same(together, fewest):
            yield _copied((*left, "all"), (*right, "all"))
            continue
        # The block of one model may be copied alone.
        for model in shared:
            if _same(pairs[model], fewest):
                yield _copied((*left, model), (*right, model))
    yield from _between_models(series, last)


def _series(table: pd.DataFrame) -> dict[Place, Series]:
    """Give the numbers of every model in every block, without the closed one."""
    found: dict[Place, Series] = {}
    open_rows = table[(table["k"] > 0) & table["value"].notna()]
    for place, rows in open_rows.groupby(
        ["dataset", "measure", "scenario", "model"], sort=False
    ):
        cells = zip(rows["k"], rows["column"], strict=True)
        found[place] = dict(zip(cells, rows["value"], strict=True))
    return found


def _pairs(
    one: Series,
    other: Series,
    left: tuple[str, ...],
    right: tuple[str, ...],
    last: dict[str, int],
) -> list[tuple[float, float]]:
    """Pair the cells of two blocks, without those that are equal by necessity."""
    forced = left[:2] == right[:2]
    return [
        (value, other[cell])
        for cell, value in one.items()
        if cell in other and not (forced and cell[0] == last[left[0]])
    ]


def _same(pairs: list[tuple[float, float]], fewest: int) -> bool:
    """Whether enough different numbers are equal, and nearly all are."""
    equal = [one for one, other in pairs if abs(one - other) < 1e-9]
    return len(set(equal)) >= fewest and len(equal) >= _MOST_PART * len(pairs)


def _between_models(
    series: dict[Place, Series], last: dict[str, int]
) -> Iterator[Finding]:
    """Find two models with the same numbers, in one block or in two.

    Two columns of different data sets have different names, so that numbers are held
    against one another in the order in which they were printed.
    """
    alike: dict[tuple[object, ...], list[Place]] = defaultdict(list)
    for place, cells in series.items():
        inner = {cell: v for cell, v in cells.items() if cell[0] < last[place[0]]}
        if len(set(inner.values())) >= _FEWEST:
            marks = tuple((k, round(value, 9)) for (k, _), value in inner.items())
            alike[marks].append(place)
    for places in alike.values():
        for left, right in combinations(places, 2):
            # One model in two blocks was found above.
            if left[3] != right[3]:
                yield _copied(left, right)


def _measures(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether both are about one data set, one in accuracy and the other in AUC."""
    return left[0] == right[0] and {left[1], right[1]} == {"accuracy", "auc"}


def _copied(left: Place, right: Place) -> Finding:
    kind = "AUC printed as accuracy" if _measures(left, right) else "copied block"
    both = left[3] != right[3]
    spelt = [" ".join(place if both else place[:3]) for place in (left, right)]
    return {
        "dataset": left[0],
        "measure": left[1],
        "model": left[3],
        **_finding(kind, left[2], np.nan, np.nan, f"{spelt[1]} repeats {spelt[0]}"),
    }


def _spelt(values: pd.Series) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


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


def main(paths: list[str]) -> int:
    """Print the breaches of CSV files; 1 if there are any, 2 if one is no table."""
    try:
        if not paths:
            raise InvalidInput("name a table: python -m papers.shift.table_audit CSV")
        tables = [unfolded(_read(Path(path))) for path in paths]
        found = audit_table(pd.concat(tables, ignore_index=True))
    except CaveatError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for row in found.itertuples():
        sys.stdout.write(f"{row.kind}: {row.dataset}, {row.measure}, {row.model}: ")
        sys.stdout.write(f"{row.words}\n")
    sys.stdout.write(f"{len(found)} breach{'' if len(found) == 1 else 'es'}\n")
    return int(len(found) > 0)


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no CSV file"
        raise InvalidInput(f"{path} cannot be read ({why}); give a CSV file") from None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
