"""From a file and what is asked of it to a study: read, look, decide, write down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from caveat._registry import Entry
from caveat.audit._folds import make_fold
from caveat.audit._outline import Outline, outline
from caveat.audit._plan_weaker import (
    check_weaker,
    has_single_target,
    set_aside,
    try_weaker,
    weaker_reference,
    weaker_scenario,
)
from caveat.audit._score import given_answers, read_predictions
from caveat.audit._screen import about_columns, screening
from caveat.audit._table import FEWEST_ROWS, Table, label_sets, make_table
from caveat.audit.study import TOPIC
from caveat.datasets import Dataset, resolve
from caveat.datasets._files import digest_of, existing, find_format
from caveat.exceptions import InvalidInput, MissingExtra, UnknownName
from caveat.models import counterpart
from caveat.models.registry import MODELS

USUAL = ("logistic-regression", "random-forest", "lightgbm")
_INSTEAD = {"lightgbm": "hist-gradient-boosting"}

_ROWS_A_MINUTE = 10_000
_CELLS_A_MINUTE = 250_000
_FEWEST_SAMPLED = 1_000
_ODD = re.compile(r"[^A-Za-z0-9._ -]+")


@dataclass(frozen=True)
class Settings:
    """What a person asks of an audit.

    Attributes
    ----------
    file : str
        CSV or Parquet.
    target : str or None
        Column to predict; the last if None, unless `targets` or `candidates` are given.
    targets : tuple of str
        Several yes-or-no columns to predict together.
    bags : str or None
        Column of groups whose shares of the classes are all that a learner may know.
    candidates : str or None
        Column with a set of candidate labels per row; the target, if named, is then
        the truth.
    groups, time, weights : str or None
        Columns with a role: rows of a group stay together, later rows are judged by
        what was learnt earlier, rows count by their weight.
    positive : str or None
        Class 1; all others are the rest.
    test, predictions : str or None
        A file of rows to be judged on; a file of scores to be judged.
    models : tuple of str
        Names of models; a usual set if empty.
    imported : tuple of str
        Models of the user's own, ``module:object``.
    drop, keep : tuple of str
        Columns to leave out; columns not to be set aside.
    kinds : dict of str to str
        Kinds of columns, where detection errs.
    task : str or None
        Binary, multiclass or regression, where detection errs.
    minutes : float
    folds, seed : int
    shuffles : int
        How often labels are shuffled for the null band.
    hide_names : bool
    """

    file: str
    target: str | None = None
    targets: tuple[str, ...] = ()
    bags: str | None = None
    candidates: str | None = None
    groups: str | None = None
    time: str | None = None
    weights: str | None = None
    positive: str | None = None
    test: str | None = None
    predictions: str | None = None
    models: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    kinds: dict[str, str] = field(default_factory=dict)
    task: str | None = None
    minutes: float = 5.0
    folds: int = 5
    seed: int = 0
    shuffles: int = 200
    hide_names: bool = False

    @property
    def study_name(self) -> str:
        """Name of the study that the audit runs."""
        stem = _ODD.sub("-", Path(self.file).name.partition(".")[0]).strip("- ._")
        return f"audit-{stem or 'file'}"[:120]


@dataclass(frozen=True)
class Prepared:
    """An audit that can be run.

    Attributes
    ----------
    study : dict
        The study file.
    facts : dict
        What the page has to know and trials do not: names of file and target, rows of
        the whole file.
    """

    study: dict[str, Any]
    facts: dict[str, Any]
    dataset: Dataset
    table: Table
    outline: Outline


def prepare(settings: Settings) -> Prepared:
    """Read the file, look at its columns, and write the study that is to be run.

    Everything a person can have got wrong shows itself here, before any trial.
    """
    _check(settings)
    reference = _reference(settings)
    dataset = resolve(reference)
    single = has_single_target(settings)
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
        target,
        dataset.kinds,
        regression=dataset.task == "regression",
        taken=[*named, *aside],
        keep=settings.keep,
    )
    found.aside.update(aside)
    scenario = _scenario(settings, reference, dataset, found)
    scenario["screen"] = screen
    table = make_table(dataset, {**scenario, "seed": settings.seed})
    _try(table, scenario, settings)
    weaker = try_weaker(table, scenario)
    # Named as they were given so far, so that messages show what was typed.
    for named_file in (reference, scenario["test"], scenario["predictions"]):
        if named_file:
            named_file["file"] = str(Path(named_file["file"]).resolve())
    return Prepared(
        study=_study(settings, reference, scenario, table, weaker),
        facts=_facts(settings, dataset),
        dataset=dataset,
        table=table,
        outline=found,
    )


def _check(settings: Settings) -> None:
    if not 0 < settings.minutes <= 24 * 60:
        raise InvalidInput(
            f"--minutes is {settings.minutes:g}; use a number above 0, a day at most"
        )
    if not 2 <= settings.folds <= 50:
        raise InvalidInput(f"--folds is {settings.folds}; use 2 to 50")
    check_weaker(settings)
    if settings.groups is not None and settings.time is not None:
        raise InvalidInput(
            "--groups and --time cannot be combined: folds are either whole groups or "
            "later rows; name one of them"
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


def _scenario(
    settings: Settings,
    reference: Mapping[str, Any],
    dataset: Dataset,
    found: Outline,
) -> dict[str, Any]:
    also = []
    if settings.test is None and settings.groups is None and settings.time is None:
        if found.owner is not None:
            also.append({"by": "groups", "column": found.owner})
        if found.clock is not None and not dataset.X[found.clock].isna().any():
            also.append({"by": "time", "column": found.clock})
    strata = [name for name in found.strata if name != settings.weights]
    if settings.groups is not None and 2 <= dataset.X[settings.groups].nunique() <= 64:
        strata.append(settings.groups)
    scenario: dict[str, Any] = {
        "folds": settings.folds,
        "rounds": 2,
        "seed": settings.seed,
        "shuffles": settings.shuffles,
        "aside": dict(found.aside),
        "dates": list(found.dates),
        "strata": strata,
        "also": also,
        **weaker_scenario(settings),
    }
    for name in ("groups", "time", "weights", "positive"):
        if getattr(settings, name) is not None:
            scenario[name] = getattr(settings, name)
    if settings.test is not None:
        scenario["test"] = _test(settings, reference, dataset)
    if settings.predictions is not None:
        scenario["predictions"] = _predictions(settings, dataset)
    for role in (settings.groups, settings.time):
        if role is not None:
            _add_dates(scenario, dataset, role)
    return {**_defaults(), **scenario}


def _defaults() -> dict[str, Any]:
    from caveat.audit.study import DEFAULTS

    return dict(DEFAULTS)


def _add_dates(scenario: dict[str, Any], dataset: Dataset, role: str) -> None:
    """Read a column with a role as dates, if it holds any."""
    seen = outline(
        dataset.X[[role]],
        pd.Series(0, index=dataset.X.index),
        {role: dataset.kinds[role]},
        regression=dataset.task == "regression",
    )
    scenario["dates"] = [*scenario["dates"], *seen.dates]


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


def _predictions(settings: Settings, dataset: Dataset) -> dict[str, Any]:
    place = existing(str(settings.predictions))
    frame = read_predictions(str(place))
    numbers = [str(name) for name in frame.select_dtypes("number").columns]
    shared = [str(name) for name in frame.columns if name in dataset.X.columns]
    keys = [name for name in shared if frame[name].is_unique]
    scores = [name for name in numbers if name not in shared]
    if len(scores) != 1:
        raise InvalidInput(
            f"--predictions: {place.name} has {len(scores)} columns of numbers that "
            "the table lacks; one is needed, the score"
        )
    if shared and not keys:
        raise InvalidInput(
            f"--predictions: column {shared[0]!r} does not tell the rows of "
            f"{place.name} apart; add one that does"
        )
    return {
        "file": str(place),
        "digest": digest_of(place),
        "key": keys[0] if keys else None,
        "score": scores[0],
    }


def _try(table: Table, scenario: Mapping[str, Any], settings: Settings) -> None:
    """Let folds and predictions refuse what they cannot use, before any trial."""
    for world in TOPIC.worlds(scenario, ""):
        if world["part"] in ("score", "also"):
            make_fold(table, world, 0)
            make_fold(table, world, world["folds"] - 1)
    if scenario["predictions"]:
        given_answers(table, scenario["predictions"])


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
    for name in settings.imported:
        # What is not there is the user's to mend, now.
        _check_imported(name)
    chosen = [*filter(None, names), *settings.imported]
    return list(dict.fromkeys(["dummy", *chosen]))


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
            f"--model {name}: {what} without fit is no model; name an estimator, its "
            "class, or a function that makes one"
        )


def _study(
    settings: Settings,
    reference: Mapping[str, Any],
    scenario: Mapping[str, Any],
    table: Table,
    weaker: list[Any],
) -> dict[str, Any]:
    own: list[Any] = ["columns"]
    if scenario["single"]:
        given = ["predictions"] if scenario["predictions"] else []
        own += ["eapp", *given, *_models(settings, table.task)]
    return {
        "study": settings.study_name,
        "topic": "audit",
        "datasets": [dict(reference)],
        "scenario": dict(scenario),
        "learners": [*own, *weaker],
        "repeats": settings.folds,
        "baseline": "none",
        "budget": {
            "trial-minutes": max(0.25, settings.minutes / 2),
            "trial-memory": "1500MB",
        },
    }


def _facts(settings: Settings, dataset: Dataset) -> dict[str, Any]:
    whole = len(dataset)
    for note in dataset.notes:
        taken = re.fullmatch(r"[\d,]+ of ([\d,]+) rows were read, at random", note)
        if taken:
            whole = int(taken[1].replace(",", ""))
    return {
        "file": Path(settings.file).name,
        "target": "" if not has_single_target(settings) else str(dataset.y.name),
        "task": dataset.task if has_single_target(settings) else "weaker",
        "whole-rows": whole,
    }
