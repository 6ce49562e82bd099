"""From a file and what is asked of it to a study: read, scan, decide, write down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caveat._registry import Entry
from caveat.audit._folds import make_fold
from caveat.audit._ladder import Step, make_ladder
from caveat.audit._predictions import check_predictions
from caveat.audit._roles import Outline, names_rows, outline
from caveat.audit._screening import about_columns, screening
from caveat.audit._settings import Settings
from caveat.audit._table import FEWEST_ROWS, Table, label_sets, make_table, without
from caveat.audit._topics import PARTS
from caveat.audit._weak_labels import (
    check_weaker,
    has_single_target,
    set_aside,
    try_weaker,
    weaker_reference,
    weaker_scenario,
)
from caveat.audit.scan import Scan, scan
from caveat.audit.study import DEFAULTS, TOPIC
from caveat.datasets import Dataset, digest_of, existing, find_format, resolve
from caveat.exceptions import InvalidInput, MissingExtra, UnknownName
from caveat.models import counterpart, early_settings
from caveat.models.registry import MODELS

USUAL = ("logistic-regression", "random-forest", "lightgbm")
_INSTEAD = {"lightgbm": "hist-gradient-boosting"}

_ROWS_A_MINUTE = 10_000
_CELLS_A_MINUTE = 250_000
_FEWEST_SAMPLED = 1_000
_NO_TARGET = re.compile("no target was named")
_SAMPLED = re.compile(r"[\d,]+ of ([\d,]+) rows were read, at random")


@dataclass(frozen=True)
class Prepared:
    """An audit that can be run.

    Attributes
    ----------
    study : dict
        The study file.
    file, target, task : str
    whole_rows : int
        Rows of the file; more than the table has if rows were drawn.
    dataset : Dataset
    table : Table
    outline : Outline
    scan : Scan or None
        None where there is no single target.
    """

    study: dict[str, Any]
    file: str
    target: str
    task: str
    whole_rows: int
    dataset: Dataset
    table: Table
    outline: Outline
    scan: Scan | None

    @property
    def ladder(self) -> list[Step]:
        """The steps of the ladder, the first as it stands."""
        steps = self.study["scenario"]["ladder"]
        return [Step.from_dict(step) for step in steps]


def prepare(settings: Settings) -> Prepared:
    """Read the file, scan it, and write the study that is to be run.

    Everything a person can have got wrong shows itself here, before any trial.
    """
    _check(settings)
    reference = _reference(settings)
    dataset = resolve(reference)
    single = has_single_target(settings)
    _check_target(settings, dataset, single)
    target = dataset.y if dataset.y is not None else label_sets(dataset.Y)
    aside = set_aside(settings, str(target.name))
    roles = [settings.groups, settings.time, settings.weights]
    named = [name for name in roles if name is not None]
    for name in [*named, *settings.keep, *aside]:
        if name not in dataset.X.columns:
            raise UnknownName.among("column", name, map(str, dataset.X.columns))
    screen = screening(
        dataset, settings.minutes, settings.seed, {*named, *settings.keep, *aside}
    )
    found = outline(
        dataset.X if screen is None else dataset.X[screen["only"]],
        dataset.kinds,
        taken=[*named, *aside],
        keep=settings.keep,
    )
    found.aside.update(aside)
    scenario = _scenario(settings, reference, dataset, found)
    scenario["screen"] = screen
    seen = None
    if single:
        seen = _scanned(settings, dataset, scenario, set(aside))
        _set_owner_aside(settings, found, scenario, seen)
        scenario["ladder"] = _ladder(settings, dataset, found, scenario, seen)
    table = make_table(dataset, {**scenario, "seed": settings.seed})
    if single:
        _try(table, scenario)
        check_predictions(settings, table)
    try_weaker(table, scenario)
    # Named as they were given so far, so that messages show what was typed.
    for named_file in (reference, scenario["test"]):
        if named_file:
            named_file["file"] = str(Path(named_file["file"]).resolve())
    return Prepared(
        study=_study(settings, reference, scenario, table),
        file=Path(settings.file).name,
        target=str(target.name) if single else "",
        task=dataset.task,
        whole_rows=_whole_rows(dataset),
        dataset=dataset,
        table=table,
        outline=found,
        scan=seen,
    )


def _check(settings: Settings) -> None:
    if not 0 < settings.minutes <= 24 * 60:
        raise InvalidInput(
            f"--minutes is {settings.minutes:g}; use a number above 0, a day at most"
        )
    if not 2 <= settings.folds <= 50:
        raise InvalidInput(f"--folds is {settings.folds}; use 2 to 50")
    if settings.embeddings is not None:
        raise InvalidInput(
            "--embeddings goes with a folder of pictures; the columns of a table are "
            "its numbers"
        )
    check_weaker(settings)
    if settings.addresses and not settings.trust:
        raise InvalidInput(
            f"--model {settings.addresses[0]} would import a module of yours; add "
            "--allow-import if you trust it"
        )


def _check_target(settings: Settings, dataset: Dataset, single: bool) -> None:
    if single and (
        dataset.task not in ("binary", "multiclass", "regression") or dataset.y is None
    ):
        raise InvalidInput(
            f"{settings.file}: the file holds {dataset.task} data; an audit needs one "
            "label or number per row"
        )
    if len(dataset) < FEWEST_ROWS:
        rows = "1 row" if len(dataset) == 1 else f"{len(dataset)} rows"
        raise InvalidInput(
            f"{settings.file} has {rows}; an audit needs {FEWEST_ROWS} at least"
        )
    if single and settings.task is None and names_rows(dataset.y, dataset.task):
        raise InvalidInput(
            f"--target: {dataset.y.name!r} has {dataset.y.nunique():,} values in "
            f"{len(dataset):,} rows and seems to name them; name another column, or "
            f"say what it is with --task {dataset.task}"
        )


def _reference(settings: Settings) -> dict[str, Any]:
    place = existing(settings.file)
    if place.is_dir():
        raise InvalidInput(
            f"{settings.file} is a folder; an audit reads one CSV or Parquet file"
        )
    form = find_format(place)
    if form not in ("csv", "parquet"):
        raise InvalidInput(
            f"{settings.file} is a file of the format {form}; an audit reads CSV and "
            "Parquet"
        )
    reference: dict[str, Any] = {"file": str(settings.file)}
    reference |= weaker_reference(settings)
    if settings.task is not None:
        reference["task"] = settings.task
    kinds = dict(settings.kinds)
    if settings.candidates is not None and has_single_target(settings):
        # Read as text, so that codes such as 007 stay labels.
        kinds[settings.candidates] = "categorical"
    if kinds:
        reference["kinds"] = kinds
    if settings.drop:
        reference["drop"] = list(settings.drop)
    reference["sample"] = _most_rows(settings, reference)
    reference["sample_seed"] = settings.seed
    return reference


def _most_rows(settings: Settings, reference: Mapping[str, Any]) -> int:
    """Say how many rows can be dealt with in the time that there is."""
    place = Path(reference["file"])
    columns = about_columns(place, find_format(place))
    by_cells = settings.minutes * _CELLS_A_MINUTE / max(1, columns)
    most = min(settings.minutes * _ROWS_A_MINUTE, by_cells)
    return int(max(_FEWEST_SAMPLED, most))


def guesses(dataset: Dataset) -> list[str]:
    """List what the reader of the file guessed; the rest is told elsewhere."""
    told = (_SAMPLED, _NO_TARGET)
    return [n for n in dataset.notes if not any(one.match(n) for one in told)]


def _whole_rows(dataset: Dataset) -> int:
    for note in dataset.notes:
        taken = _SAMPLED.fullmatch(note)
        if taken:
            return int(taken[1].replace(",", ""))
    return len(dataset)


def _scenario(
    settings: Settings,
    reference: Mapping[str, Any],
    dataset: Dataset,
    found: Outline,
) -> dict[str, Any]:
    scenario: dict[str, Any] = {
        **DEFAULTS,
        "folds": settings.folds,
        "seed": settings.seed,
        "shuffles": settings.shuffles,
        "aside": dict(found.aside),
        "dates": list(found.dates),
        **weaker_scenario(settings),
    }
    for name in ("groups", "time", "weights", "positive"):
        if getattr(settings, name) is not None:
            scenario[name] = getattr(settings, name)
    if settings.test is not None:
        scenario["test"] = _test(settings, reference, dataset)
    for role in (settings.groups, settings.time):
        if role is not None:
            seen = outline(dataset.X[[role]], {role: dataset.kinds[role]})
            scenario["dates"] = [*scenario["dates"], *seen.dates]
    return scenario


def _test(
    settings: Settings, reference: Mapping[str, Any], dataset: Dataset
) -> dict[str, Any]:
    place = existing(str(settings.test))
    return {
        **reference,
        **({} if dataset.y is None else {"target": str(dataset.y.name)}),
        "file": str(place),
        "digest": digest_of(place),
    }


def _scanned(
    settings: Settings, dataset: Dataset, scenario: Mapping[str, Any], aside: set[str]
) -> Scan:
    """Scan all that is there; other targets and candidates would tell the target."""
    test = None
    if scenario["test"]:
        given = {k: v for k, v in scenario["test"].items() if k != "digest"}
        test = resolve({**given, "task": dataset.task})
    # A column without one finite cell has nothing that could be looked at.
    numbers = dataset.X.select_dtypes("number", exclude="timedelta")
    blank = [c for c in numbers if not np.isfinite(numbers[c].astype(float)).any()]
    aside = {*aside, *blank} if len(blank) < dataset.X.shape[1] else aside
    return scan(
        _without(dataset, aside),
        groups=settings.groups,
        time=settings.time,
        test=None if test is None else _without(test, aside),
        seed=settings.seed,
    )


def _set_owner_aside(
    settings: Settings, found: Outline, scenario: dict[str, Any], seen: Scan
) -> None:
    """Keep a column that names groups from the models: they would learn it by heart."""
    owners = [c for one in seen.findings if one.kind == "group" for c in one.columns]
    if owners and settings.groups is None and owners[0] not in settings.keep:
        found.aside[owners[0]] = "names a group"
        scenario["aside"] = dict(found.aside)


def _without(dataset: Dataset, columns: set[str]) -> Dataset:
    from dataclasses import replace

    gone = [name for name in dataset.X.columns if name in columns]
    if not gone:
        return dataset
    left = {name: kind for name, kind in dataset.kinds.items() if name not in gone}
    return replace(dataset, X=dataset.X.drop(columns=gone), kinds=left)


def _ladder(
    settings: Settings,
    dataset: Dataset,
    found: Outline,
    scenario: Mapping[str, Any],
    seen: Scan,
) -> list[dict[str, Any]]:
    roles = {settings.groups, settings.time, settings.weights}
    screen = scenario["screen"]
    there = dataset.X.columns if screen is None else screen["only"]
    features = [n for n in there if n not in found.aside and n not in roles]
    timed = [c for one in seen.findings if one.kind == "time" for c in one.columns]
    clocks = [name for name in (*timed, found.clock) if name in set(there)]
    clocks = [name for name in clocks if not dataset.X[name].isna().any()]
    ladder = make_ladder(
        seen.findings,
        features=features,
        groups=settings.groups,
        time=settings.time,
        clock=clocks[0] if clocks else None,
        test=settings.test is not None,
    )
    return [step.to_dict() for step in ladder]


def _try(table: Table, scenario: dict[str, Any]) -> None:
    """Let folds refuse what they cannot use: the user's rule, or a remedy of ours."""
    possible = []
    for step in scenario["ladder"]:
        world = {**scenario, **step, "round": 0}
        try:
            for fold in (0, scenario["folds"] - 1):
                make_fold(without(table, step["drop"]), world, fold)
        except InvalidInput:
            if step["remedy"] == "stands":
                raise
            continue
        possible.append(step)
    scenario["ladder"] = possible
    TOPIC.worlds(scenario, "")


def _models(settings: Settings, task: str) -> list[str]:
    names = []
    for name in settings.models or USUAL:
        found = counterpart(name, task) if name in MODELS else name
        if name not in MODELS:
            raise UnknownName.among("model", name, MODELS)
        try:
            MODELS[found].load()
        except MissingExtra:
            if settings.models:
                raise
            found = _INSTEAD.get(found, "")
        names.append(found)
    for name in settings.addresses:
        # What is not there is the user's to mend, now.
        _check_imported(name)
    chosen = [*filter(None, names), *settings.addresses]
    return list(dict.fromkeys(["dummy", *chosen]))


def _side_by_side(names: list[str]) -> list[Any]:
    """Let boosting stop early as the networks beside it do."""
    early = {name: early_settings(name, names) for name in names}
    return [{"name": name, **how} if how else name for name, how in early.items()]


def _check_imported(name: str) -> None:
    """Refuse a model of the user's that cannot be imported, made or fitted."""
    module, _, attribute = name.partition(":")
    try:
        found = Entry(name=name, target=name).load()
    except AttributeError as error:
        raise InvalidInput(
            f"--model {name}: the module {module!r} has nothing called {attribute!r}"
        ) from error
    except Exception as error:
        raise InvalidInput(
            f"--model {name}: {module!r} cannot be imported ({error}); PYTHONPATH says "
            "where modules are looked for"
        ) from error
    fits = hasattr(found, "fit")
    if not fits and (isinstance(found, type) or not callable(found)):
        what = "a class" if isinstance(found, type) else f"the value {found!r:.40}"
        raise InvalidInput(
            f"--model {name}: {what} without fit is not a model; name an estimator, "
            "its class, or a function that makes one"
        )


def _study(
    settings: Settings,
    reference: Mapping[str, Any],
    scenario: Mapping[str, Any],
    table: Table,
) -> dict[str, Any]:
    learners: list[Any] = []
    if scenario["single"]:
        learners += ["floor", *_side_by_side(_models(settings, table.task))]
    learners += [part.topic for name, part in PARTS.items() if scenario[name]]
    return {
        "study": settings.study_name,
        "topic": "audit",
        "datasets": [dict(reference)],
        "scenario": dict(scenario),
        "learners": learners,
        "repeats": settings.folds,
        "baseline": "none",
        "budget": {
            "trial-minutes": max(0.25, settings.minutes / 2),
            "trial-memory": "1500MB",
        },
    }
