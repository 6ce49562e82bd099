"""An audit for other eyes: the table is copied without names, and the copy audited.

Columns, classes, file and target are numbered before any trial runs, so that study
file, ledger, page and everything beside it never see a name. The copy lies in a private
folder for as long as the trials run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.api import types

from caveat._files import read_plain, write_whole
from caveat.audit._table import make_table
from caveat.audit._weak_labels import SEPARATOR
from caveat.audit.scan import scan
from caveat.candidates import labels_of
from caveat.datasets import Dataset, digest_of, resolve
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.audit._plan import Prepared

STUDY_NAME = "audit-without-names"
_FILE, _TARGET = "table.parquet", "the target"


@dataclass(frozen=True)
class Names:
    """What every name of the user's is called instead."""

    columns: Mapping[str, str]
    classes: Mapping[str, str]

    def labels(self, column: pd.Series) -> pd.Series:
        """Replace class names, in sets of candidates too."""
        return column.map(
            lambda cell: SEPARATOR.join(
                self.classes[label] for label in labels_of(cell, SEPARATOR)
            ),
            na_action="ignore",
        )


def without_names(prepared: Prepared, folder: Path) -> Prepared:
    """Copy the table into a folder under other names, and plan the audit of the copy.

    Parameters
    ----------
    prepared : Prepared
        Under its own names, so that what names say (``patient_id``) has been used.
    folder : Path
        Private; to be deleted when the trials are over.
    """
    dataset, study = prepared.dataset, prepared.study
    scenario, reference = study["scenario"], study["datasets"][0]
    names = _names(prepared)
    sets = scenario["candidates"]
    place = _copy(dataset, names, sets, folder / _FILE)
    written = {
        "file": str(place),
        "kinds": {names.columns[k]: kind for k, kind in dataset.kinds.items()},
        "sample": reference["sample"],
        "sample_seed": reference["sample_seed"],
    }
    if dataset.Y is not None:
        written["targets"] = [names.columns[str(one)] for one in dataset.Y.columns]
    else:
        written |= {"target": _TARGET, "task": dataset.task}
    renamed = _scenario(scenario, names, written, folder)
    copied = resolve(written)
    table = make_table(copied, {**renamed, "seed": renamed["seed"]})
    seen = None
    if prepared.scan is not None:
        # Scanned again, so that no sentence of the scan holds a name.
        seen = scan(
            copied,
            groups=renamed["groups"],
            time=renamed["time"],
            seed=int(renamed["seed"]),
        )
    return replace(
        prepared,
        study={
            **study,
            "study": STUDY_NAME,
            "datasets": [written],
            "scenario": renamed,
        },
        file="the file",
        target=_TARGET,
        dataset=copied,
        table=table,
        scan=seen,
    )


def check_folder(folder: Path, study_file: str) -> None:
    """Refuse a folder in which an audit with names has been."""
    place = folder / study_file
    if place.is_file() and STUDY_NAME not in read_plain(place).decode():
        raise InvalidInput(
            f"--no-names: {folder.name!r} holds an audit with names; name another "
            "folder with --out"
        )


def _names(prepared: Prepared) -> Names:
    dataset, scenario = prepared.dataset, prepared.study["scenario"]
    given = [str(name) for name in dataset.X.columns]
    columns = _numbered(given, "column")
    if dataset.Y is not None:
        columns |= _numbered([str(name) for name in dataset.Y.columns], "target")
    elif dataset.y is not None:
        columns[str(dataset.y.name)] = _TARGET
    labels: Iterable[str] = () if dataset.Y is not None else map(str, dataset.classes)
    known = list(dict.fromkeys(labels))
    sets = scenario["candidates"]
    if sets:
        cells = dataset.y if not scenario["single"] and dataset.Y is None else None
        cells = dataset.X[sets] if cells is None else cells
        found = {one for cell in cells for one in labels_of(cell, SEPARATOR)}
        known = [one for one in known if scenario["single"] or one in found]
        known += sorted(found - set(known))
    return Names(columns, _numbered(known, "class"))


def _numbered(names: Sequence[str], word: str) -> dict[str, str]:
    """Give numbers with as many digits each, so that they sort as the names did."""
    digits = len(str(len(names)))
    return {
        name: f"{word} {number:0{digits}d}"
        for number, name in enumerate(names, start=1)
    }


def _copy(dataset: Dataset, names: Names, sets: str | None, place: Path) -> Path:
    frame = dataset.X
    if sets is not None and sets in frame.columns:
        frame = frame.assign(**{sets: names.labels(frame[sets])})
    for name in frame.columns:
        column = frame[name]
        if types.is_object_dtype(column.dtype):  # cells of several types
            frame = frame.assign(**{name: column.map(str, na_action="ignore")})
    frame = frame.rename(columns=names.columns)
    if dataset.Y is not None:
        frame = pd.concat([frame, dataset.Y.rename(columns=names.columns)], axis=1)
    elif dataset.task == "regression":
        frame = frame.assign(**{_TARGET: dataset.y})
    else:
        target = dataset.y.astype(str)
        single = target.map(names.classes)
        whole = names.labels(target) if single.isna().any() else single
        frame = frame.assign(**{_TARGET: whole})
    write_whole(place, frame.to_parquet(index=False))
    return place


def _scenario(
    scenario: Mapping[str, Any], names: Names, written: Mapping[str, Any], folder: Path
) -> dict[str, Any]:
    columns = names.columns
    renamed = dict(scenario)
    renamed["aside"] = {columns[k]: why for k, why in scenario["aside"].items()}
    for each in ("dates", "targets"):
        renamed[each] = [columns[name] for name in scenario[each]]
    for role in ("groups", "time", "weights", "bags"):
        if scenario[role]:
            renamed[role] = columns[scenario[role]]
    if scenario["screen"]:
        only = [columns[name] for name in scenario["screen"]["only"]]
        renamed["screen"] = {**scenario["screen"], "only": only}
    if scenario["candidates"]:
        renamed["candidates"] = columns[scenario["candidates"]]
    renamed["ladder"] = [
        {
            **step,
            **{
                each: [columns[name] for name in step[each]]
                for each in ("about", "drop")
            },
            **{role: step[role] and columns[step[role]] for role in ("groups", "time")},
        }
        for step in scenario["ladder"]
    ]
    if scenario["positive"] is not None:
        renamed["positive"] = names.classes[str(scenario["positive"])]
    if scenario["test"]:
        renamed["test"] = _test(scenario, names, written, folder)
    return renamed


def _test(
    scenario: Mapping[str, Any], names: Names, written: Mapping[str, Any], folder: Path
) -> dict[str, Any]:
    given = {k: v for k, v in scenario["test"].items() if k != "digest"}
    other = resolve(given)
    known = other.X[[name for name in other.X.columns if name in names.columns]]
    if other.y is not None and other.task != "regression":
        strange = sorted(set(other.y.astype(str)) - set(names.classes))
        more = _numbered(strange, "further class")
        names = Names(names.columns, {**names.classes, **more})
    other = replace(other, X=known, kinds=None)
    place = _copy(other, names, scenario["candidates"], folder / "test.parquet")
    return {**written, "file": str(place), "digest": digest_of(place)}
