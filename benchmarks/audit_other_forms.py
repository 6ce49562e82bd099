"""Planted files in other forms than the zoo's, written before they were ever scanned.

    python benchmarks/audit_other_forms.py FOLDER --seed 1
    python benchmarks/audit_zoo.py --cases FOLDER

Forty-eight files with one fault each, as people would plant them, and eighteen clean
ones (legitimate strong columns of each type among them), which stand as twins.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

Rng = np.random.Generator
Frame = pd.DataFrame


@dataclass(frozen=True)
class Form:
    """One file: what was planted, by kind and columns; no kind: it is clean."""

    name: str
    table: Frame
    target: str
    kind: str = ""
    columns: tuple[str, ...] = ()
    test: Frame | None = None


def main() -> None:
    """Write the files and their list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    source = Source(asked.seed)
    forms = [form for make in MAKERS for form in make(source)]
    clean = [form for form in forms if not form.kind]
    listed = []
    for number, form in enumerate(form for form in forms if form.kind):
        entry = {
            "name": f"{form.name}-{len(form.table)}-1-{asked.seed}",
            "kind": form.kind,
            "target": form.target,
            "columns": list(form.columns),
            **_written(asked.folder, form, "table", "test"),
        }
        twin = clean[number] if number < len(clean) else None
        if twin is not None:
            # Twins are read with the target of their case.
            renamed = Form(
                twin.name,
                _renamed(twin.table, twin.target, form.target),
                form.target,
                test=None
                if twin.test is None
                else _renamed(twin.test, twin.target, form.target),
            )
            entry |= _written(asked.folder, renamed, "twin", "twin_test")
        listed.append(entry)
    (asked.folder / "cases.json").write_text(json.dumps(listed, indent=1))


def _renamed(table: Frame, old: str, new: str) -> Frame:
    return table.rename(columns={old: new})


def _written(folder: Path, form: Form, role: str, test: str) -> dict[str, str]:
    found = {role: f"{form.name}.csv"}
    form.table.to_csv(folder / found[role], index=False)
    if form.test is not None:
        found[test] = f"{form.name}.test.csv"
        form.test.to_csv(folder / found[test], index=False)
    return found


class Source:
    """Tables of people: numbers, an age, an income, a region, and what they tell."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = seed, 0

    def rng(self) -> Rng:
        """Give a generator of its own to each table."""
        self.drawn += 1
        return np.random.default_rng([self.seed, self.drawn])

    def columns(self, rng: Rng, rows: int) -> tuple[Frame, np.ndarray]:
        """Draw columns, and the sum that targets are made of."""
        table = Frame(rng.normal(size=(rows, 5)), columns=[f"f{i}" for i in range(5)])
        table["age"] = rng.integers(18, 90, rows)
        table["income"] = rng.lognormal(10, 0.6, rows).round(2)
        table["region"] = rng.choice(list("NSEW"), rows, p=[0.4, 0.3, 0.2, 0.1])
        sums = table["f0"] + 0.7 * table["f1"] - 0.5 * table["f2"]
        sums += 0.02 * (table["age"] - 54) + 0.5 * (table["region"] == "N")
        return table, sums.to_numpy()

    def people(self, rows: int, slope: float = 1.0) -> tuple[Rng, Frame, np.ndarray]:
        """Draw a table and a target of two classes."""
        rng = self.rng()
        table, sums = self.columns(rng, rows)
        return rng, table, (rng.random(rows) < expit(slope * sums)).astype(int)

    def several(
        self, rows: int, classes: int, noise: float = 0.8
    ) -> tuple[Rng, Frame, np.ndarray]:
        """Draw a table and a target of several classes, in order."""
        rng = self.rng()
        table, sums = self.columns(rng, rows)
        cuts = np.quantile(sums, np.linspace(0, 1, classes + 1)[1:-1])
        return rng, table, np.digitize(sums + noise * rng.normal(size=rows), cuts)

    def amounts(self, rows: int) -> tuple[Rng, Frame, np.ndarray]:
        """Draw a table and a target of numbers."""
        rng = self.rng()
        table, sums = self.columns(rng, rows)
        return rng, table, sums + rng.normal(size=rows)


def perfect(source: Source) -> Iterator[Form]:
    """Columns that are filled in after the target is known, in six types."""
    for rows in (300, 2_000, 50_000):
        rng, table, y = source.people(rows)
        late, early = rng.integers(30, 120, rows), rng.integers(0, 30, rows)
        table["days_overdue"] = np.where(y == 1, late, early)
        yield _leak(f"days{rows}", table, "days_overdue", y)
    rng, table, y = source.people(2_000)
    lost = (rng.gamma(2, 300, 2_000) + 1).round(2)
    yield _leak("lost", table.assign(lost=np.where(y == 1, lost, 0.0)), "lost", y)
    rng, table, y = source.people(2_000)
    bad, good = rng.choice(["CO", "DF", "WO"], 2_000), rng.choice(["OK", "PD"], 2_000)
    yield _leak("status", table.assign(status=np.where(y == 1, bad, good)), "status", y)
    rng, table, y = source.people(1_500)
    yield _leak("collected", table.assign(collected=y == 1), "collected", y)
    rng, table, y = source.people(1_000)
    near = np.where(y == 1, 0.9, 0.1) + rng.normal(0, 0.05, 1_000)
    yield _leak("rating", table.assign(rating=near), "rating", y)
    for wrong in (1, 2, 3):
        rng, table, y = source.people(2_500)
        flag = np.where(rng.random(2_500) < wrong / 100, 1 - y, y)
        yield _leak(f"flag{wrong}", table.assign(contacted=flag), "contacted", y)
    rng, table, y = source.people(800)
    table.insert(0, "outcome", np.where(y == 1, "Yes", "No"))
    table["letter"] = np.where(y == 1, "sent", "none")
    yield Form("letter", table, "outcome", "leak", ("letter",))


def _leak(name: str, table: Frame, column: str, y: np.ndarray) -> Form:
    return Form(name, table.assign(default=y), "default", "leak", (column,))


def classes_and_amounts(source: Source) -> Iterator[Form]:
    """Ten classes, numbers, and pairs."""
    _, table, y = source.several(3_000, 10)
    words = [f"g{one}" for one in y]
    table["code"] = y * 7 % 10 + 100
    yield Form("ten", table.assign(grade=words), "grade", "leak", ("code",))
    _, table, y = source.several(3_000, 10)
    yield Form("ten-clean", table.assign(grade=[f"g{v}" for v in y]), "grade")
    rng, table, y = source.amounts(2_000)
    table["invoice"] = (12 * y + 40 + rng.normal(0, 0.3, 2_000)).round(2)
    yield Form("invoice", table.assign(cost=y), "cost", "leak", ("invoice",))
    rng, table, _ = source.amounts(1_500)
    table["part_a"], table["part_b"] = rng.gamma(2, 2, 1_500), rng.gamma(3, 2, 1_500)
    table["total"] = table["part_a"] + table["part_b"]
    yield Form("sum", table, "total", "pair-leak", ("part_a", "part_b"))
    rng, table, _ = source.amounts(1_500)
    table["price"] = rng.gamma(3, 10, 1_500).round(2)
    table["pieces"] = rng.integers(1, 20, 1_500)
    table["paid"] = (table["price"] * table["pieces"]).round(2)
    yield Form("product", table, "paid", "pair-leak", ("price", "pieces"))
    _, table, y = source.amounts(1_500)
    yield Form("amount-clean", table.assign(cost=np.exp(y)), "cost")
    _, table, y = source.amounts(1_500)
    table["log_c"] = y
    yield Form("log", table.assign(cost=np.exp(y)), "cost", "leak", ("log_c",))
    rng, table, y = source.people(2_000)
    ship = rng.choice(list("wxyz"), 2_000)
    other = np.where(ship == "x", "y", "x")
    table["ship"], table["bill"] = ship, np.where(y == 1, ship, other)
    pair = ("ship", "bill")
    yield Form("address", table.assign(fraud=1 - y), "fraud", "pair-leak", pair)
    rng, table, y = source.people(2_000)
    table["limit"] = rng.integers(100, 5_000, 2_000)
    below = (table["limit"] * rng.random(2_000)).astype(int)
    above = table["limit"] + rng.integers(1, 500, 2_000)
    table["used"] = np.where(y == 1, above, below)
    pair = ("limit", "used")
    yield Form("limit", table.assign(over=y), "over", "pair-leak", pair)


def orders_and_groups(source: Source) -> Iterator[Form]:
    """Names and order of rows; groups with and without a name; copies."""
    for rows in (300, 4_000):
        rng, table, y = source.people(rows)
        place = np.argsort(np.argsort(-y + rng.normal(0, 0.3, rows)))
        table.insert(0, "customer_id", 100_000 + 3 * place)
        mixed = _mixed(table.assign(y=y), rng)
        yield Form(f"ids{rows}", mixed, "y", "row-order", ("customer_id",))
    _, table, y = source.people(1_500)
    table = table.assign(y=y).sort_values("y", ascending=False, kind="stable")
    yield Form("sorted", table.reset_index(drop=True), "y", "row-order")
    _, table, y = source.people(1_500)
    table["uid"] = [f"{'AB'[one]}{row:05d}" for row, one in enumerate(y)]
    yield Form("lettered", table.assign(y=y), "y", "row-order", ("uid",))
    rng, table, y = source.people(1_500)
    table["uid"] = [f"U{one:06d}" for one in rng.permutation(1_500)]
    yield Form("id-clean", table.assign(y=y), "y")
    yield Form("patient", _grouped(source.rng(), 80, 10, "number"), *_GROUP, ("id_no",))
    yield Form("subject", _grouped(source.rng(), 200, 5, "word"), *_GROUP, ("ref",))
    nameless = _grouped(source.rng(), 100, 8, "", 0.15)
    yield Form("nameless", nameless, "ill", "near-duplicate")
    rng, table, y = source.people(3_000)
    table["zip"] = rng.choice(np.arange(10_000, 10_120), 3_000)
    yield Form("zip-clean", table.assign(y=y), "y")
    for kind in ("duplicate", "conflict", "near-duplicate", "one-changed"):
        rng, table, y = source.people(1_000)
        table = table.assign(y=y)
        again = table.sample(80 if kind == "conflict" else 200, random_state=1)
        if kind == "conflict":
            again = again.assign(y=1 - again["y"])
        if kind == "near-duplicate":
            again[[f"f{i}" for i in range(5)]] += rng.normal(0, 0.005, (200, 5))
            again["income"] *= 1 + rng.normal(0, 0.001, 200)
        if kind == "one-changed":
            again["age"] += rng.choice([-1, 1], 200)
            kind = "near-duplicate"
            yield Form("one", _mixed(pd.concat([table, again]), rng), "y", kind)
            continue
        yield Form(f"{kind}s", _mixed(pd.concat([table, again]), rng), "y", kind)


_GROUP = ("ill", "group")


def _mixed(table: Frame, rng: Rng) -> Frame:
    return table.iloc[rng.permutation(len(table))].reset_index(drop=True)


def _grouped(rng: Rng, groups: int, each: int, name: str, noise: float = 0.6) -> Frame:
    group = np.repeat(np.arange(groups), each)
    rows = len(group)
    values = rng.normal(size=(groups, 6))[group] + noise * rng.normal(size=(rows, 6))
    table = Frame(values, columns=[f"m{i}" for i in range(6)])
    if name == "number":
        table.insert(0, "id_no", rng.permutation(90_000)[:groups][group])
    if name == "word":
        words = np.array([f"S-{one:04d}" for one in rng.permutation(9_000)[:groups]])
        table.insert(0, "ref", words[group])
    ill = rng.integers(0, 2, groups)[group]
    table["ill"] = np.where(rng.random(rows) < 0.1, 1 - ill, ill)
    return _mixed(table, rng)


def labels(source: Source) -> Iterator[Form]:
    """Flipped and shuffled labels, rare classes, few rows."""
    for rows, wrong in ((3_000, 5), (2_000, 10), (1_000, 10), (1_500, 8)):
        rng, table, y = source.people(rows, slope=4)
        table["y"] = np.where(rng.random(rows) < wrong / 100, 1 - y, y)
        yield Form(f"flip{wrong}of{rows}", table, "y", "label-error")
    _, table, y = source.people(2_000, slope=4)
    yield Form("flip-clean", table.assign(y=y), "y")
    rng, table, y = source.several(3_000, 3, noise=0.2)
    other = (y + rng.integers(1, 3, 3_000)) % 3
    table["y"] = np.where(rng.random(3_000) < 0.1, other, y)
    yield Form("flip-three", table, "y", "label-error")
    rng = source.rng()
    y = rng.integers(0, 4, 2_000)
    centres = 2.5 * rng.normal(size=(4, 6))
    table = Frame(centres[y] + rng.normal(size=(2_000, 6)), columns=list("abcdef"))
    other = (y + rng.integers(1, 4, 2_000)) % 4
    table["y"] = np.where(rng.random(2_000) < 0.08, other, y)
    yield Form("flip-four", table, "y", "label-error")
    rng, table, y = source.people(1_500)
    yield Form("shuffled", table.assign(y=rng.permutation(y)), "y", "chance")
    rng, table, y = source.people(3_000)
    kept = (y == 0) | (rng.random(3_000) < 0.03)
    rare = table.assign(y=y)[kept].reset_index(drop=True)
    yield Form("rare", rare, "y", "imbalance")
    _, table, y = source.people(40)
    yield Form("forty", table.assign(y=y), "y", "small")
    rng, table, y = source.people(2_000)
    table.loc[rng.choice(2_000, 6, replace=False), "f3"] = 9_999
    yield Form("typed", table.assign(y=y), "y", "outlier", ("f3",))


def time_and_gaps(source: Source) -> Iterator[Form]:
    """Trends, turns, drift to a test file, and gaps that depend on the target."""
    days = pd.date_range("2020-01-01", periods=2_500, freq="8h")
    rng, table, _ = source.people(2_500)
    chance = expit(table["f0"] + np.linspace(-1.5, 1.5, 2_500))
    table = table.assign(ts=days, y=(rng.random(2_500) < chance).astype(int))
    yield Form("trend", table, "y", "time", ("ts",))
    rng, table, _ = source.people(2_500)
    sign = np.where(np.arange(2_500) > 1_500, -2, 2)
    y = (rng.random(2_500) < expit(sign * table["f0"])).astype(int)
    table = table.assign(day=days.strftime("%d/%m/%Y"), y=y)
    yield Form("turn", table, "y", "time", ("day",))
    _, table, y = source.people(2_500)
    yield Form("time-clean", table.assign(ts=days, y=y), "y")
    for column in ("f3", "age", "region", ""):
        rng, table, y = source.people(1_500)
        other, sums = source.columns(rng, 800)
        other["y"] = (rng.random(800) < expit(sums)).astype(int)
        if column == "f3":
            other["f3"] += 1
        if column == "age":
            other["age"] = (0.7 * other["age"]).astype(int)
        if column == "region":
            other["region"] = rng.choice(list("NSEW"), 800, p=[0.1, 0.2, 0.3, 0.4])
        kind, named = ("drift", (column,)) if column else ("", ())
        name = f"moved-{column}" if column else "moved-clean"
        yield Form(name, table.assign(y=y), "y", kind, named, other)
    for rows, share in ((1_500, 0.6), (3_000, 0.35), (400, 0.9), (1_500, 0.0)):
        rng, table, y = source.people(rows)
        seen = rng.normal(70, 8, rows).round(1)
        lost = (y == 0) & (rng.random(rows) < share)
        seen[lost if share else rng.random(rows) < 0.4] = np.nan
        table = table.assign(follow_up=seen, y=y)
        kind, named = ("missing-leak", ("follow_up",)) if share else ("", ())
        name = f"gaps{100 * share:.0f}" if share else "gaps-clean"
        yield Form(name, table, "y", kind, named)
    rng, table, y = source.people(1_500)
    words = rng.choice(["ok", "bad"], 1_500).astype(object)
    words[(y == 1) & (rng.random(1_500) < 0.7)] = ""
    table = table.assign(comment=words, y=y)
    yield Form("comment", table, "y", "missing-leak", ("comment",))


def legitimate(source: Source) -> Iterator[Form]:
    """Clean tables; one strong column of each type, which is known in time."""
    rows = 1_800
    for name in ("number", "skewed", "count", "flag", "category", "date", "ratio"):
        rng, table, y = source.people(rows, slope=0.6)
        strong = 1.6 * (y - 0.5) + rng.normal(size=rows)
        if name == "number":
            table["severity"] = strong
        if name == "skewed":
            table["bill"] = np.exp(1.2 * strong + 6).round(2)
        if name == "count":
            table["visits"] = rng.poisson(np.exp(0.5 * strong + 1.5))
        if name == "flag":
            chance = np.where(y == 1, 0.85, 0.15)
            table["smoker"] = (rng.random(rows) < chance).astype(int)
        if name == "category":
            cuts = [-np.inf, -1, -0.3, 0.3, 1, np.inf]
            table["stage"] = pd.cut(strong, cuts, labels=list("ABCDE")).astype(str)
        if name == "date":
            day = pd.to_timedelta(rng.integers(0, 1_500, rows), unit="D")
            table["signed"] = pd.Timestamp("2015-01-01") + day
        if name == "ratio":
            table["weight"] = rng.lognormal(1, 0.3, rows)
            table["volume"] = table["weight"] * np.exp(0.6 * strong)
        yield Form(f"{name}-clean", table.assign(y=y), "y")
    rng, table, y = source.people(2_000, slope=0.6)
    table["troponin"] = 3 * (y - 0.5) + rng.normal(size=2_000)  # an AUC of 0.98
    yield Form("very-strong-clean", table.assign(y=y), "y")
    for rows in (300, 50_000):
        _, table, y = source.people(rows)
        yield Form(f"plain{rows}-clean", table.assign(y=y), "y")


MAKERS: tuple[Callable[[Source], Iterator[Form]], ...] = (
    *(perfect, classes_and_amounts, orders_and_groups, labels, time_and_gaps),
    legitimate,
)

if __name__ == "__main__":
    main()
