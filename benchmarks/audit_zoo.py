"""How often the scan finds planted faults, and how often it finds some where none are.

    python benchmarks/audit_zoo.py                     the zoo, three seeds
    python benchmarks/audit_zoo.py --cases FOLDER      other people's cases
    python benchmarks/audit_zoo.py --export FOLDER     write the zoo as files
    python benchmarks/audit_zoo.py --peers FOLDER      add what peers found in FOLDER
    python benchmarks/audit_zoo.py --full 2 --json FILE    audits, two of each fault

A folder of cases holds `cases.json`, a list of objects with `name`, `kind`, `strength`,
`table`, `target` and, if there are any, `columns`, `rows`, `twin`, `test` and
`twin_test`; tables are CSV files (or folders of pictures) beside it. Peers run in
environments of their own: `benchmarks/audit_zoo_peer.py PEER FOLDER` writes
`FOLDER/PEER.json`, read by `--peers`. Whole audits take one process, two models and
at most `--minutes` each; what FILE holds already is not run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from caveat.audit import look
from caveat.audit.scan import scan, scan_pictures
from caveat.datasets import from_frame
from caveat.testing import Case, zoo
from caveat.testing.planted._zoo import stated_strength

MODELS = ("logistic-regression", "lightgbm")
PEERS = ("cleanlab", "deepchecks", "skore")
# True of clean tables as well: a model needs its columns, and two models may tie.
OF_MODELS = ("vanish", "tie", "segment", "calibration", "unfinished")


def main() -> None:
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, help="folder with cases.json")
    parser.add_argument("--export", type=Path, help="write the zoo there, and stop")
    parser.add_argument("--peers", type=Path, help="folder with results of peers")
    parser.add_argument("--kinds", help="faults or kinds of caveats, by commas")
    parser.add_argument("--seeds", default="0,1,2", help="by commas")
    parser.add_argument("--json", type=Path, help="where to keep what was found")
    parser.add_argument("--full", type=int, help="audits of so many of each fault")
    parser.add_argument("--minutes", type=float, default=5, help="for each audit")
    asked = parser.parse_args()
    kinds = asked.kinds.split(",") if asked.kinds else None
    seeds = [int(one) for one in asked.seeds.split(",")]
    if asked.export:
        export(asked.export, kinds, seeds)
        return
    cases: Iterable[Case] = (
        read_cases(asked.cases)
        if asked.cases
        else (case for seed in seeds for case in zoo(kinds, seed=seed))
    )
    if asked.full:
        chosen = _strongest(cases, asked.full)
        done = _audited(chosen, asked.json, Auditor(asked.minutes))
        whole = done["complete"].sum()
        _print(summary(done), f"Whole audits of tables and twins, {whole} complete")
        return
    started = time.process_time()
    found = pd.DataFrame([_row(case, _scanned) for case in cases])
    seconds = time.process_time() - started
    if asked.json:
        found.to_json(asked.json, orient="records", indent=1)
    _print(summary(found), f"caveat's scan, {seconds:.0f} CPU seconds")
    _print(curves(found), "Found among the caveats, by strength")
    for peer in PEERS if asked.peers else ():
        place = asked.peers / f"{peer}.json"
        if place.is_file():
            theirs = pd.read_json(place, orient="records")
            _print(summary(theirs), f"{peer}, default settings")


def _strongest(cases: Iterable[Case], each: int) -> Iterator[Case]:
    """Take so many tables of each fault at or above its stated strength."""
    taken: Counter[str] = Counter()
    for case in cases:
        fault = _fault(case.name)
        if case.strength >= _stated(case.name) and taken[fault] < each:
            taken[fault] += 1
            yield case


def _audited(cases: Iterable[Case], place: Path, audit: Auditor) -> pd.DataFrame:
    """Make whole audits of cases and twins, and keep each when it is done."""
    rows = json.loads(place.read_text()) if place.is_file() else []
    known = {row["name"] for row in rows}
    for case in cases:
        if case.name not in known:
            audit.incomplete = 0
            row = _row(case, audit)
            rows.append({**row, "complete": 1 + row["twin"] - audit.incomplete})
            place.write_text(json.dumps(rows, indent=1, default=bool))
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Caveat:
    """What a caveat of an audit says, as a finding of the scan does."""

    kind: str
    severity: str
    columns: list[str]


@dataclass
class Auditor:
    """Audits tables; a caveat has what a finding of the scan has."""

    minutes: float
    incomplete: int = 0

    def __call__(self, table: Any, case: Case, role: str) -> list[Caveat]:
        """Audit a table, and count where time ran out."""
        options = {k: v for k, v in case.options.items() if k in ("groups", "time")}
        with tempfile.TemporaryDirectory() as folder:
            if role in case.options:
                options["test"] = str(Path(folder) / "test.csv")
                case.options[role].to_csv(options["test"], index=False)
            if not isinstance(table, Path):
                options |= {"models": MODELS, "shuffles": 19, "minutes": self.minutes}
                options["engine"] = "serial"
            target = None if isinstance(table, Path) else case.target
            found = look(table, target, **options)
        self.incomplete += not found.complete
        return [
            Caveat(one["kind"], one["severity"], one["columns"])
            for one in found.caveats
        ]


def _row(case: Case, ask: Callable[[Any, Case, str], Any]) -> dict[str, Any]:
    """Ask about a case and its twin; say whether what was planted was named."""
    findings = ask(case.table, case, "test")
    right = [
        one.kind == case.kind and set(case.columns) <= set(one.columns)
        for one in findings
    ]
    # A twin of unknown cleanliness is no twin: it counts for neither side.
    twin = ask(case.twin, case, "twin_test") if case.twin is not None else None
    alarms = [one.severity for one in twin or () if one.kind not in OF_MODELS]
    return {
        "name": case.name,
        "fault": _fault(case.name),
        "kind": case.kind,
        "strength": case.strength,
        "stated": case.strength >= _stated(case.name),
        "among": any(right),
        "first": bool(right) and right[0],
        "serious": "serious" in alarms,
        "careful": "careful" in alarms,
        "twin": twin is not None,
        "said": [f"{one.kind} {one.severity}" for one in findings[:3]],
        "twin_said": [f"{one.kind} {one.severity}" for one in twin or ()],
    }


def _scanned(table: Any, case: Case, role: str) -> Any:
    if isinstance(table, Path):
        return scan_pictures(table).findings
    options = {
        name: value
        for name, value in case.options.items()
        if name in ("groups", "time")
    }
    if role in case.options:
        options["test"] = from_frame(case.options[role], case.target)
    return scan(from_frame(table, case.target), **options).findings


def _fault(name: str) -> str:
    return name.rsplit("-", 3)[0]


def _stated(name: str) -> float:
    try:
        return stated_strength(name)
    except StopIteration:  # another person's case: all of them count
        return 0.0


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """Count by fault: first, among, and alarms on twins; the last row is all."""
    rows = []
    for fault, part in [*found.groupby("fault", sort=False), ("all", found)]:
        stated, twins = part[part["stated"]], part[part["twin"]]
        rows.append(
            {
                "fault": fault,
                "cases": len(stated),
                "first": stated["first"].mean(),
                "among": stated["among"].mean(),
                "twins": len(twins),
                "serious": twins["serious"].astype(bool).mean(),
                "careful": twins["careful"].astype(bool).mean(),
            }
        )
    return pd.DataFrame(rows)


def curves(found: pd.DataFrame) -> pd.DataFrame:
    """Share found by fault and strength."""
    table = found.pivot_table(
        index="fault", columns="strength", values="among", aggfunc="mean", sort=True
    )
    return table.reset_index()


def export(folder: Path, kinds: list[str] | None, seeds: list[int]) -> None:
    """Write the zoo's tables as files that any tool can read."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for seed in seeds:
        for case in zoo(kinds, seed=seed):
            if isinstance(case.table, Path):
                continue  # peers of tables take no pictures
            entry = {
                "name": case.name,
                "fault": _fault(case.name),
                "kind": case.kind,
                "strength": case.strength,
                "stated": case.strength >= _stated(case.name),
                "target": case.target,
                "columns": list(case.columns),
                "rows": list(case.rows),
            }
            tables = {"table": case.table, "twin": case.twin, **case.options}
            for role, table in tables.items():
                if isinstance(table, pd.DataFrame):
                    entry[role] = f"{case.name}.{role}.csv"
                    table.to_csv(folder / entry[role], index=False)
            listed.append(entry)
    (folder / "cases.json").write_text(json.dumps(listed, indent=1))


def read_cases(folder: Path) -> Iterator[Case]:
    """Read other people's cases."""
    for entry in json.loads((folder / "cases.json").read_text()):
        tables = {
            role: _table(folder / entry[role])
            for role in ("table", "twin", "test", "twin_test")
            if entry.get(role)
        }
        yield Case(
            name=entry["name"],
            kind=entry["kind"],
            strength=float(entry.get("strength", 1.0)),
            table=tables.pop("table"),
            target=entry["target"],
            columns=tuple(entry.get("columns", ())),
            rows=tuple(entry.get("rows", ())),
            twin=tables.pop("twin", None),
            options={**entry.get("options", {}), **tables},
        )


def _table(place: Path) -> Any:
    return place if place.is_dir() else pd.read_csv(place)


def _print(table: pd.DataFrame, title: str) -> None:
    text = table.to_string(index=False, float_format=lambda x: f"{x:.3f}", na_rep="")
    sys.stdout.write(f"\n{title}\n\n{text}\n")


if __name__ == "__main__":
    main()
