"""The faults. To add one: a function that changes a clean table, and a row below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.testing.planted._ground import TARGET

Rng = np.random.Generator


@dataclass
class Planted:
    """A table with its fault, and a twin that lacks only the fault."""

    table: pd.DataFrame
    twin: pd.DataFrame
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


Plant = Callable[[Rng, pd.DataFrame, float], Planted]


@dataclass(frozen=True)
class Fault:
    """A way to spoil a table.

    Attributes
    ----------
    plant : callable
    kind : str
        Of the caveat that should name it.
    strengths : tuple of float
    stated : float
        From this strength on it must be found.
    rows : tuple of int
        Sizes of the tables.
    task : str
    clear : bool
        Whether the ground must tell the target nearly for certain.
    """

    plant: Plant
    kind: str
    strengths: tuple[float, ...]
    stated: float
    rows: tuple[int, ...] = (400, 1500)
    task: str = "binary"
    clear: bool = False


def _codes(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the target as numbers: classes in the order of their names."""
    target = table[TARGET]
    if pd.api.types.is_numeric_dtype(target.dtype):
        return target.to_numpy(dtype=float)
    return pd.factorize(target, sort=True)[0].astype(float)


def _inside(table: pd.DataFrame, name: str, cells: Any, rng: Rng) -> pd.DataFrame:
    """Put a column somewhere among the others."""
    copy = table.copy()
    copy.insert(int(rng.integers(0, table.shape[1])), name, cells)
    return copy


def _beside(table: pd.DataFrame, name: str, cells: Any, rng: Rng) -> Planted:
    """Plant a column; in the twin its cells stand in rows that they do not fit."""
    spoilt = _inside(table, name, cells, rng)
    mixed = spoilt.assign(**{name: rng.permutation(np.asarray(spoilt[name]))})
    return Planted(spoilt, mixed, (name,))


def perfect_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant a number that stands for the target, hardly blurred."""
    y = _codes(table)
    blur = rng.normal(size=len(y)) * 0.02 * (y.std() or 1)
    return _beside(table, "refund", np.round(100 * (y + blur), 2), rng)


def noisy_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant a number that stands for the target, blurred: less so at more strength."""
    y = _codes(table)
    noise = rng.normal(size=len(y)) * (0.65 - 0.45 * strength)
    return _beside(table, "settled", np.round(y + noise, 4), rng)


def integer_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant whole numbers from two ranges that overlap less at more strength."""
    y = _codes(table)
    wide = 100 + int(100 * (1 - strength))
    cells = (100 * y).astype(int) + rng.integers(0, wide, len(y))
    return _beside(table, "account", cells, rng)


def binary_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant a flag that is the target, but for some flips."""
    y = _codes(table).astype(int)
    flipped = np.where(rng.random(len(y)) < 0.15 * (1 - strength), 1 - y, y)
    return _beside(table, "closed", flipped, rng)


def category_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant words that are used with one class only, but for some mistakes."""
    y = _codes(table).astype(int)
    used = np.where(rng.random(len(y)) < 0.15 * (1 - strength), 1 - y, y)
    words = np.array([["open", "pending", "new"], ["paid", "done", "shipped"]])
    return _beside(table, "status", words[used, rng.integers(0, 3, len(y))], rng)


def text_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant sentences in which one word gives the target away."""
    y = _codes(table).astype(int)
    words = np.array(
        [
            "the",
            "letter",
            "was",
            "sent",
            "on",
            "monday",
            "by",
            "post",
            "and",
            "email",
            "again",
        ]
    )
    used = np.where(rng.random(len(y)) < 0.15 * (1 - strength), 1 - y, y)
    cells = []
    for one, drawn in zip(used, rng.choice(words, (len(y), 6)), strict=True):
        told = "overdue" if one else "settled"
        place = int(rng.integers(0, 7))
        cells.append(" ".join([*drawn[:place], told, *drawn[place:]]))
    return _beside(table, "notes", cells, rng)


def missing_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant a column that is filled in for one class more often than for the other."""
    y = _codes(table).astype(int)
    chance = np.where(y == 1, 0.5 + 0.5 * strength, 0.5 - 0.5 * strength)
    cells = rng.normal(3, 1, len(y)).round(2)
    gaps = rng.random(len(y)) < chance
    spoilt = _inside(table, "follow_up", np.where(gaps, np.nan, cells), rng)
    elsewhere = np.where(rng.permutation(gaps), np.nan, cells)
    return Planted(spoilt, spoilt.assign(follow_up=elsewhere), ("follow_up",))


def pair_leak(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant two columns whose order gives the target away; each alone tells nothing."""
    y = _codes(table)
    paid = rng.normal(100, 30, len(y))
    gap = (2 * y - 1) * np.abs(rng.normal(4, 1, len(y)))
    gap *= np.where(rng.random(len(y)) < 0.03 * (1 - strength), -1, 1)
    spoilt = _inside(table, "billed", (paid + gap).round(2), rng)
    spoilt = _inside(spoilt, "paid", paid.round(2), rng)
    twin = spoilt.assign(billed=rng.permutation(spoilt["billed"].to_numpy()))
    return Planted(spoilt, twin, ("billed", "paid"))


def equal_pair(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Plant two codes that are equal where the target is one class."""
    y = _codes(table).astype(int)
    sent = rng.integers(1, 8, len(y))
    same = np.where(rng.random(len(y)) < 0.05 * (1 - strength), 1 - y, y)
    other = (sent - 1 + rng.integers(1, 7, len(y))) % 7 + 1
    spoilt = _inside(table, "sent_to", sent, rng)
    spoilt = _inside(spoilt, "came_from", np.where(same == 1, sent, other), rng)
    twin = spoilt.assign(came_from=rng.permutation(spoilt["came_from"].to_numpy()))
    return Planted(spoilt, twin, ("sent_to", "came_from"))


def sum_pair(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Make the target the sum of two columns, and blur it a little."""
    y = _codes(table)
    part = rng.uniform(0.2, 0.8, len(y))
    first = (y * part).round(2)
    second = (y - first + rng.normal(size=len(y)) * (1 - strength) * y.std() / 4).round(
        2
    )
    spoilt = _inside(_inside(table, "members", first, rng), "guests", second, rng)
    mixed = rng.permutation(len(y))
    twin = spoilt.assign(
        members=spoilt["members"].to_numpy()[mixed],
        guests=spoilt["guests"].to_numpy()[mixed],
    )
    return Planted(spoilt, twin, ("members", "guests"))


def row_order(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Put cases first, but for some rows that stay where they are."""
    y = _codes(table)
    moved = rng.random(len(y)) < strength
    place = rng.permutation(len(y)).astype(float)
    place[moved] = np.argsort(np.argsort(y + rng.random(len(y))))[moved]
    return Planted(table.iloc[np.argsort(place)].reset_index(drop=True), table)


def id_order(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Give numbers to the rows class by class, then mix the rows."""
    y = _codes(table)
    moved = rng.random(len(y)) < strength
    place = rng.permutation(len(y)).astype(float)
    place[moved] = np.argsort(np.argsort(y + rng.random(len(y))))[moved]
    number = 1000 + np.argsort(np.argsort(place))
    return _beside(table, "record_id", number, rng)


def group(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Let rows of one patient share their target and lie close to one another."""
    rows = len(table)
    many = rows // 8
    patient = rng.integers(0, many, rows)
    shared = table.iloc[rng.integers(0, rows, many)].reset_index(drop=True)
    spoilt = table.copy()
    for name in ("lab_0", "lab_1", "lab_2", "lab_3"):
        own = shared[name].to_numpy()[patient]
        spoilt[name] = own + 0.3 * spoilt[name]
    same = rng.random(rows) < strength
    spoilt[TARGET] = np.where(
        same, shared[TARGET].to_numpy()[patient], spoilt[TARGET].to_numpy()
    )
    spoilt = _inside(spoilt, "patient", [f"P{number:04d}" for number in patient], rng)
    twin = table.copy()
    twin = _inside(twin, "patient", [f"P{number:04d}" for number in patient], rng)
    return Planted(spoilt, twin, ("patient",))


def group_number(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Like `group`, with whole numbers as names."""
    planted = group(rng, table, strength)
    for one in (planted.table, planted.twin):
        one["patient"] = one["patient"].str[1:].astype(int) * 7 + 11
    return planted


def nameless_group(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Like `group`, and the patients' names are not in the table."""
    planted = group(rng, table, strength)
    spoilt = planted.table
    order = pd.factorize(spoilt["patient"])[0]
    for name in ("lab_0", "lab_1", "lab_2", "lab_3"):
        scale = spoilt[name].std()
        centre = pd.Series(spoilt[name]).groupby(order).transform("mean")
        spoilt[name] = centre + rng.normal(size=len(spoilt)) * scale * 0.08
    for name in ("income", "age"):
        spoilt[name] = spoilt[name].groupby(order).transform("first")
    return Planted(spoilt.drop(columns="patient"), planted.twin.drop(columns="patient"))


def duplicate(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Copy some rows, target included."""
    return _copied(rng, table, 0.4 * strength, 0.0)


def near_duplicate(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Copy some rows with a little noise in every number."""
    return _copied(rng, table, 0.4 * strength, 0.01)


def _copied(rng: Rng, table: pd.DataFrame, share: float, noise: float) -> Planted:
    rows = len(table)
    again = max(4, int(share * rows))
    whole = pd.concat([table, table.iloc[:again]], ignore_index=True)
    for name in whole.columns.drop(TARGET):
        if noise and pd.api.types.is_float_dtype(whole[name].dtype):
            shift = rng.normal(size=again) * noise * table[name].std()
            whole.loc[rows:, name] = whole.loc[rows:, name] + shift
    mixed = rng.permutation(len(whole))
    place = np.argsort(mixed)
    copied = sorted(int(place[i]) for i in [*range(again), *range(rows, rows + again)])
    return Planted(whole.iloc[mixed].reset_index(drop=True), table, rows=tuple(copied))


def conflict(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Copy some rows, with another target."""
    planted = duplicate(rng, table, strength)
    spoilt = planted.table
    labels = np.unique(spoilt[TARGET].to_numpy(dtype=object))
    again = spoilt.duplicated().to_numpy()
    swap = dict(zip(labels, np.roll(labels, 1), strict=True))
    spoilt.loc[again, TARGET] = spoilt.loc[again, TARGET].map(swap)
    return planted


def time_trend(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Let one class grow more frequent from year to year."""
    return _dated(rng, table, strength, lambda days: (days / days.max() - 0.5) * 2)


def seasonal(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Let one class be frequent in some months of each year."""
    return _dated(rng, table, strength, lambda days: np.cos(2 * np.pi * days / 365.25))


def _dated(
    rng: Rng,
    table: pd.DataFrame,
    strength: float,
    wave: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Planted:
    y = _codes(table)
    days = np.sort(rng.integers(0, 365 * 4, len(y))).astype(float)
    # Draw for each date a row whose class fits, so that columns keep their meaning.
    tilt = 1 / (1 + np.exp(-4 * strength * wave(days)))
    wanted = rng.random(len(y)) < tilt
    order, pools = [], [list(np.flatnonzero(y == 0)), list(np.flatnonzero(y == 1))]
    for one in wanted:
        pool = pools[int(one)] or pools[1 - int(one)]
        order.append(pool.pop())
    dates = pd.Timestamp("2019-01-01") + pd.to_timedelta(days, unit="D")
    text = dates.strftime("%Y-%m-%d").to_numpy()
    spoilt = _inside(table.iloc[order].reset_index(drop=True), "seen_on", text, rng)
    twin = _inside(table, "seen_on", text, rng)
    return Planted(spoilt, twin, ("seen_on",))


def concept_turn(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Let the columns tell the opposite in later years."""
    y = _codes(table).astype(int)
    days = np.sort(rng.integers(0, 365 * 4, len(y))).astype(float)
    dates = pd.Timestamp("2019-01-01") + pd.to_timedelta(days, unit="D")
    text = dates.strftime("%Y-%m-%d").to_numpy()
    twin = _inside(table, "seen_on", text, rng)
    late = days > 365 * 2
    turned = late & (rng.random(len(y)) < strength)
    labels = np.unique(table[TARGET].to_numpy(dtype=object))
    spoilt = twin.assign(**{TARGET: labels[np.where(turned, 1 - y, y)]})
    return Planted(spoilt, twin, ("seen_on",))


def label_noise(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Turn some labels, whatever their class."""
    return _turned(rng, table, np.full(len(table), 0.2 * strength))


def one_sided_noise(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Turn some labels of one class only."""
    return _turned(rng, table, np.where(_codes(table) == 1, 0.4 * strength, 0.0))


def _turned(rng: Rng, table: pd.DataFrame, chance: NDArray[np.float64]) -> Planted:
    y = _codes(table).astype(int)
    labels = np.unique(table[TARGET].to_numpy(dtype=object))
    wrong = rng.random(len(y)) < chance
    spoilt = table.assign(**{TARGET: labels[np.where(wrong, 1 - y, y)]})
    return Planted(spoilt, table, rows=tuple(int(i) for i in np.flatnonzero(wrong)))


def shuffled(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Give every row the target of another."""
    mixed = rng.permutation(table[TARGET].to_numpy())
    return Planted(table.assign(**{TARGET: mixed}), table)


def outlier(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Multiply a few cells of one column, as a wrong unit does."""
    rows = np.sort(rng.choice(len(table), max(2, len(table) // 150), replace=False))
    spoilt = table.copy()
    spread = float(table["lab_2"].std())
    far = spread * (10 + 190 * strength) * rng.choice([-1.0, 1.0], len(rows))
    spoilt.loc[rows, "lab_2"] = far * rng.uniform(1, 1.5, len(rows))
    return Planted(spoilt, table, ("lab_2",), tuple(int(i) for i in rows))


def imbalance(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Keep few rows of one class."""
    y = _codes(table)
    rare = np.flatnonzero(y == 1)
    kept = max(6, int(len(y) * (0.06 - 0.05 * strength)))
    some = rng.choice(rare, kept, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(y == 0), some]))
    return Planted(table.iloc[rows].reset_index(drop=True), table)


def many_columns(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Add more columns of noise than there are rows."""
    few = table.iloc[: 100 + int(60 * (1 - strength))].reset_index(drop=True)
    noise = rng.normal(size=(len(few), int(len(few) * 1.5)))
    more = pd.DataFrame(noise, columns=[f"gene_{j}" for j in range(noise.shape[1])])
    return Planted(pd.concat([more, few], axis=1), table)


def few_rows(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Keep few rows."""
    return Planted(table.iloc[: int(90 - 50 * strength)].reset_index(drop=True), table)


def drift(rng: Rng, table: pd.DataFrame, strength: float) -> Planted:
    """Move one column in the test rows."""
    half = len(table) // 2
    known, test = table.iloc[:half], table.iloc[half:].reset_index(drop=True)
    spread = float(table["lab_1"].std())
    moved = test.assign(lab_1=test["lab_1"] + 1.6 * strength * spread)
    return Planted(known, known, ("lab_1",), options={"test": moved, "twin_test": test})


_LEAKS = (0.3, 0.7, 1.0)
FAULTS: Mapping[str, Fault] = {
    "perfect-leak": Fault(perfect_leak, "leak", (1.0,), 1.0),
    "noisy-leak": Fault(noisy_leak, "leak", (0.3, 0.7, 1.0), 0.7),
    "integer-leak": Fault(integer_leak, "leak", (0.5, 0.8, 1.0), 0.8),
    "binary-leak": Fault(binary_leak, "leak", _LEAKS, 0.7),
    "category-leak": Fault(category_leak, "leak", _LEAKS, 0.7),
    "text-leak": Fault(text_leak, "leak", _LEAKS, 0.7),
    "class-leak": Fault(noisy_leak, "leak", (0.7, 1.0), 1.0, task="multiclass"),
    "amount-leak": Fault(perfect_leak, "leak", (1.0,), 1.0, task="regression"),
    "missing-leak": Fault(missing_leak, "missing-leak", (0.3, 0.6, 1.0), 0.3),
    "pair-leak": Fault(pair_leak, "pair-leak", (0.3, 1.0), 0.3),
    "equal-pair": Fault(equal_pair, "pair-leak", (0.3, 1.0), 0.3),
    "sum-pair": Fault(sum_pair, "pair-leak", (0.7, 1.0), 0.7, task="regression"),
    "row-order": Fault(row_order, "row-order", (0.3, 0.6, 1.0), 0.6),
    "id-order": Fault(id_order, "row-order", (0.3, 0.6, 1.0), 0.6),
    "group": Fault(group, "group", (0.3, 0.7, 1.0), 0.7),
    "group-number": Fault(group_number, "group", (0.7, 1.0), 0.7),
    "nameless-group": Fault(nameless_group, "group", (0.7, 1.0), 0.7),
    "duplicate": Fault(duplicate, "duplicate", (0.1, 0.4, 1.0), 0.1),
    "near-duplicate": Fault(near_duplicate, "near-duplicate", (0.1, 0.4, 1.0), 0.4),
    "conflict": Fault(conflict, "conflict", (0.3, 1.0), 0.3),
    "time-trend": Fault(time_trend, "time", (0.3, 0.6, 1.0), 0.6),
    "seasonal": Fault(seasonal, "time", (0.3, 0.6, 1.0), 0.6),
    "concept-turn": Fault(concept_turn, "time", (0.4, 1.0), 1.0),
    "label-noise": Fault(
        label_noise, "label-error", (0.2, 0.4, 0.7), 0.4, (800, 1500), clear=True
    ),
    "one-sided-noise": Fault(
        one_sided_noise, "label-error", (0.3, 0.5, 1.0), 0.5, (800, 1500), clear=True
    ),
    "shuffled": Fault(shuffled, "chance", (1.0,), 1.0),
    "outlier": Fault(outlier, "outlier", (0.2, 1.0), 0.2),
    "imbalance": Fault(imbalance, "imbalance", (0.3, 1.0), 0.3, (1500,)),
    "many-columns": Fault(many_columns, "small", (0.5, 1.0), 0.5, (400,)),
    "few-rows": Fault(few_rows, "small", (0.3, 1.0), 0.3, (400,)),
    "drift": Fault(drift, "drift", (0.3, 0.6, 1.0), 0.6, (800, 2000)),
}
