"""From a person's data to feature shift's Look: what `caveat shift` does."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets import Dataset, columns_left_out, given, load, positive_class
from caveat.eapp import EAPP
from caveat.eapp import Result as Clusters
from caveat.eapp.registry import MEASURES as CLUSTER_MEASURES
from caveat.eapp.result import CLUSTERS, pooled
from caveat.exceptions import CaveatError, InvalidInput
from caveat.models import MODELS, Bonds, early_sentence
from caveat.models import load as load_model
from caveat.pages import About, Look, check_rules, duration
from caveat.shift import page
from caveat.shift._costs import pace
from caveat.shift.curves._scenario_curves import (
    export_scenario,
    parse_degree,
    scenario_curves,
)
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.evaluation._metric import usual_measures
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._tables import model_columns
from caveat.shift.evaluation._targets import check_target
from caveat.shift.importance._importance import feature_importance
from caveat.shift.language import asked_notes, is_endpoint, prompted, rehearse
from caveat.shift.prices._backup import asked_pairs, cheapest_backup, price_pairs
from caveat.shift.prices._folds import (
    Contender,
    Fold,
    Tried,
    first_choice,
    given_contender,
    make_folds,
    usual_contenders,
)
from caveat.shift.prices._monitors import when_noticed
from caveat.shift.prices._outages import Outage, check_outages, found_blocks
from caveat.shift.prices._prices import (
    ALL,
    Book,
    Task,
    expected_seconds,
    measure_prices,
)
from caveat.shift.registry import IMPUTERS, MEASURES, SCENARIOS
from caveat.shift.result import Result, read_book
from caveat.shift.scenarios._planning import name_of

USUAL_IMPUTERS = ("mean", "median", "gaussian", "native")
_FEWEST = 250
_LARGE = 100
Found = Callable[[str], None]
_FEWEST_SPLITS = 3
"""Two splits that happen to agree say nothing about the spread of clusters."""


@dataclass(frozen=True)
class Settings:
    """How a look at feature shift is made.

    Attributes
    ----------
    models : sequence of str or None
        Models of caveat's to be fitted; the usual ones if None.
    imputers : sequence
        Ways to fill in; the first is that of columns and decay.
    metric : str or None
        AUC for labels and RMSE for numbers if None.
    repeats : int
        How often the rows are divided.
    test_size : float
    groups, order : str or None
        Rows of a group stay together; the last rows are the test part.
    max_rows : int
    tolerance : float or None
        A loss or gain that does not matter: a share of the measure's range, or of the
        error with all columns. 0.01 if None.
    drop, keep : sequence of str
        Columns to leave out; dates and names of rows that are features all the same.
    positive : str or None
        Which of two classes F1 is about; the one that all commands call positive if
        None.
    random_state : int
    blocks : bool or mapping
        Whether columns that were missing together in the file are lost together; or in
        which rows (`share`, `where`, `since` of an `Outage`).
    protect : float or None
        A loss to tolerate: which columns must be backed up, so that losing any one or
        two of the others costs no more?
    costs : mapping of str to float
        What it costs to back a column up; 1 for the others.
    scenario, degree : str or None
        A published scenario (single, most, least, random) and its degree: ``all``, a
        number of columns or a share.
    export : path or None
        Folder for the training part and the shifted test sets of the first split.
    asking : mapping
        For a model at an endpoint: budget, shots, describe, price, key_variable.
    """

    models: Sequence[str] | None = None
    imputers: Sequence[Any] = USUAL_IMPUTERS
    metric: Any = None
    repeats: int = 5
    test_size: float = 0.25
    groups: str | None = None
    order: str | None = None
    max_rows: int = 10_000
    tolerance: float | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    positive: str | None = None
    random_state: int = 0
    blocks: bool | Mapping[str, Any] = False
    protect: float | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    scenario: str | None = None
    degree: str | None = None
    export: str | Path | None = None
    asking: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.test_size < 1:
            raise InvalidInput(
                f"--test-size is {self.test_size:g}; use a share such as 0.25"
            )
        if self.random_state < 0:
            raise InvalidInput(f"--seed is {self.random_state}; use 0 or more")
        if self.max_rows < 10:
            raise InvalidInput(f"--max-rows is {self.max_rows}; use 10 or more")
        if self.repeats < 1:
            raise InvalidInput(f"--repeats is {self.repeats}; use 1 or more")
        if self.tolerance is not None and not 0 < self.tolerance < 1:
            raise InvalidInput(
                f"--tolerance is {self.tolerance:g}; use a share such as 0.01"
            )
        if self.metric is not None:
            MEASURES[str(self.metric)]
        if self.scenario is not None:
            SCENARIOS[self.scenario]
        parse_degree(self.degree)
        for name in self.imputers:
            if isinstance(name, str):
                IMPUTERS[name]
        if not self.imputers:
            raise InvalidInput("imputers is empty; name at least one")


def look(
    data: str | Path | pd.DataFrame | Dataset,
    target: str | None = None,
    *,
    missing: Sequence[Any] = (),
    outages: Sequence[Outage] = (),
    model: Any = None,
    train: Any = None,
    test: Any = None,
    trust: bool = False,
    rules: Sequence[str] = (),
    command: str = "",
    progress: Callable[[int, int], None] | None = None,
    found: Found | None = None,
    **settings: Any,
) -> Look:
    """Price lost columns: what a model loses, and what to do about it.

    Parameters
    ----------
    data : path, name of a data set, DataFrame or Dataset
        None with `train` and `test`.
    target : str, optional
        Column to predict; the last if not given.
    missing : sequence of str, or of sequences of str
        Columns that are about to be lost together; or several such losses.
    outages : sequence of Outage
        Other ways to fail: some rows only, values that freeze, drift, ...
    model : fitted model, callable, path or "module:object", optional
        Whose loss it is; models of caveat's own if not given. Or a language model: a
        `PromptedClassifier`, or ``http://host/v1#name``.
    train, test : path, DataFrame or Dataset, optional
        The rows that the model learnt from, and rows it has not seen. Without them
        the rows of `data` are divided, and a model must not have seen the test part.
    trust : bool
        Whether `model` may be a module or a pickle, which run code.
    rules : sequence of str
        Such as ``worst_loss>0.05``; see `Look.outcomes`.
    command : str
        The command line that does the same.
    progress : callable, optional
        Gets ``(done, total)``.
    found : callable, optional
        Gets a sentence as soon as something is known.
    **settings
        Fields of `Settings`: models, imputers, metric, repeats, test_size, groups,
        order, max_rows, tolerance, drop, keep, positive, random_state, blocks,
        protect, costs, scenario, degree, export, asking.

    Returns
    -------
    Look

    Examples
    --------
    >>> from caveat.datasets import load
    >>> seen = look(load("iris"), missing=["petal width (cm)", "petal length (cm)"],
    ...             models=["logistic-regression"], imputers=["mean"], repeats=2)
    >>> seen.extra["losses"][0]["missing"]
    ['petal width (cm)', 'petal length (cm)']
    """
    wanted = check_rules(rules)
    how = Settings(**settings)
    started = time.perf_counter()
    needed = [pair[0] for one in outages for pair in (one.where, one.since) if pair]
    name, fitted = _loaded(model, trust, how)
    spoken = hasattr(fitted, "prompts")
    if spoken and not how.models:
        # No table is filled in, also none that is exported.
        how = replace(how, imputers=("native",))
    read = model_columns(fitted)
    if read is not None and not _made_up(read):
        how = replace(how, keep=[*how.keep, *map(str, read)])
    rows = _rows(data, target, train, test, how, needed)
    if how.blocks:
        blocks, told = _blocks(rows, how)
        outages, rows.notes[:] = [*outages, *blocks], [*rows.notes, told]
    asked = list({one.words: one for one in [*_losses(missing), *outages]}.values())
    check_outages(
        asked,
        list(rows.folds[0].X_train.columns),
        target=str(rows.folds[0].y_train.name),
        left_out=rows.about.left_out,
    )
    contenders, notes = _contenders(name, fitted, rows, how)
    if fitted is not None and not spoken and train is None:
        notes.append(
            f"the rows may be those that {name} learnt from, and its scores are then "
            "too good; --train and --test name rows that it has not seen"
        )
    deployed = contenders[0].name
    tried: dict[str, Tried] = {}
    task = _task(rows, asked, how, deployed, read)
    trials = len(contenders) if fitted is None and len(contenders) > 1 else 0
    if found is not None and not spoken and (guess := _guess(contenders, rows)):
        found(_rough(guess, contenders, rows, task, trials > 0))
    if trials:
        total = trials + len(rows.folds) * len(contenders)
        deployed, tried = first_choice(
            contenders,
            rows.folds[0],
            _scorer(how, rows),
            classify=rows.task != "regression",
            progress=lambda done: progress(done, total) if progress else None,
        )
        task = _task(rows, asked, how, deployed, read)
    if spoken:
        task = _told_of(fitted, name, rows, task, how, found)
    if found is not None and tried:
        found(_forecast(expected_seconds(tried, rows.folds, task), len(rows.folds)))
    book = _measured(rows, contenders, task, _after(trials, progress), found)
    fold = rows.folds[0]
    columns = [str(name) for name in fold.X_train.columns]
    names = [one.name for one in contenders]
    tables = read_book(book, names, asked, columns=columns, tolerance=how.tolerance)
    lost = task.pairs.get(deployed, ())
    backup, pairs = _backup(book, deployed, tables["columns"], lost, how)
    free, unknown = _clusters(book, rows, how.random_state)
    result = Result(
        **tables,
        floor=float(np.mean(_floors(MEASURES.get(book.measure.name), rows))),
        filled_by=TOLD if deployed in book.told else name_of(how.imputers[0]),
        clusters=free,
        deployed=deployed,
        given=fitted is not None,
        pairs=pairs,
        backup=backup,
        protect=how.protect,
        monitors=_monitors(asked, fold, how.random_state),
        curves=_curves(rows, contenders, how),
        splits=len(rows.folds),
        test_rows=len(fold.X_test),
        training_rows=len(fold.X_train),
        rows=book.resampling.rows,
        conditions=_conditions(rows, how, contenders, given=model is not None),
        notes=(*rows.notes, *notes, *book.notes, *unknown, *_spent(contenders)),
        seconds=time.perf_counter() - started,
    )
    return page.look(result, replace(rows.about, command=command), rules=wanted)


def _made_up(names: Sequence[Any]) -> bool:
    """Whether a library numbered the columns of an array, which had no names."""
    told = [str(name) for name in names]
    return any(
        told == [f"{word}{place}" for place in range(len(told))]
        for word in ("", "Column_")
    )


def _spent(contenders: Sequence[Contender]) -> list[str]:
    return [
        note
        for one in contenders
        if one.fitted
        for note in asked_notes(one.name, one.fitted)
    ]


def _backup(
    book: Book,
    deployed: str,
    columns: pd.DataFrame,
    lost: Sequence[tuple[str, str]],
    how: Settings,
) -> tuple[tuple[str, ...] | None, pd.DataFrame]:
    """Find what to back up for a tolerated loss, where somebody asked."""
    if how.protect is None:
        return None, pd.DataFrame()
    mine = columns[columns["model"] == deployed]
    pairs = price_pairs(book, deployed, lost)
    return tuple(cheapest_backup(mine, pairs, how.protect, how.costs)), pairs


def _monitors(asked: Sequence[Outage], fold: Fold, seed: int) -> pd.DataFrame:
    """Ask when each outage would be noticed."""
    found = [when_noticed(outage, fold, seed) for outage in asked]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def _curves(
    rows: _Rows, contenders: Sequence[Contender], how: Settings
) -> pd.DataFrame:
    """Run the published front end, where somebody asked."""
    imputer = how.imputers[0]
    if how.export is not None:
        export_scenario(
            str(how.export),
            rows.folds[0],
            how.scenario,
            how.degree,
            imputer=imputer,
            target=str(rows.folds[0].y_train.name or "target"),
            task=rows.task,
            seed=how.random_state,
        )
    if how.scenario is None:
        return pd.DataFrame()
    found = scenario_curves(
        rows.folds,
        contenders,
        how.scenario,
        how.degree,
        imputer=imputer,
        metric=_of_scenario(how, rows),
        task=rows.task,
        dataset=rows.about.file,
        seed=how.random_state,
    )
    names = found["measure"].unique()
    floors = {name: _floors(MEASURES.get(name), rows) for name in names}
    pairs = zip(found["measure"], found["split"], strict=True)
    return found.assign(constant=[floors[name][split] for name, split in pairs])


@dataclass(frozen=True)
class _Rows:
    """The rows of a look, divided, and what they are about."""

    folds: list[Fold]
    units: Any
    task: str
    about: About
    notes: list[str]
    positive: Any


def _rows(
    data: Any,
    target: str | None,
    train: Any,
    test: Any,
    how: Settings,
    needed: Sequence[str],
) -> _Rows:
    if (train is None) != (test is None):
        raise InvalidInput("--train and --test go together; give both, or neither")
    if train is not None:
        return _given_rows(train, test, target, how, needed)
    if data is None:
        raise InvalidInput("no rows were given; pass a file, or --train and --test")
    dataset = _dataset(data, target, how, needed)
    # What an outage is told by need not be a feature: a date, a name of a site.
    known = columns_left_out(dataset.X, dataset.kinds, keep=how.keep)
    aside = [name for name in needed if name in known]
    folds, units, notes = make_folds(
        dataset,
        repeats=how.repeats,
        test_size=how.test_size,
        groups=how.groups,
        order=how.order,
        max_rows=how.max_rows,
        aside=aside,
        seed=how.random_state,
    )
    file = Path(data).name if isinstance(data, str | Path) else dataset.name
    about = About.of(dataset, file=file, positive=how.positive)
    positive = _positive(dataset, how)
    notes = [*notes, *dataset.notes]
    return _Rows(folds, units, dataset.task, about, notes, positive)


def _dataset(
    data: Any, target: str | None, how: Settings, needed: Sequence[str] = ()
) -> Dataset:
    """Read a file, or find a data set by its name."""
    roles = [name for name in (how.groups, how.order) if name is not None]
    keep = [*how.keep, *roles, *needed]
    known = isinstance(data, str) and not Path(data).exists() and "." not in data
    source = load(data) if known else data
    dataset = given(source, target=target, drop=list(how.drop), keep=keep)
    if dataset.task not in ("binary", "multiclass", "regression"):
        raise InvalidInput(
            f"{dataset.name} holds {dataset.task} data; feature shift needs one label "
            "or number per row"
        )
    return dataset


def _given_rows(
    train: Any, test: Any, target: str | None, how: Settings, needed: Sequence[str]
) -> _Rows:
    """Take the user's own division of the rows; what --train has are the features."""
    one = _dataset(train, target, how, needed)
    other = _dataset(test, target, how, [*needed, *one.X.columns])
    known = list(one.X.columns)
    aside = columns_left_out(one.X, one.kinds, keep=how.keep)
    left_out = {how.groups, how.order, *(name for name in needed if name in aside)}
    names = [name for name in known if name not in left_out]
    assert one.y is not None
    assert other.y is not None
    rows = np.arange(len(other.X))
    side = other.X.drop(columns=names)
    bonds = _given_bonds(one.X, how)
    fold = Fold(one.X[names], one.y, other.X[names], other.y, rows, side, bonds)
    units = rows if how.groups is None else pd.factorize(other.X[how.groups])[0]
    file = Path(test).name if isinstance(test, str | Path) else other.name
    about = About.of(other, file=file, positive=how.positive)
    return _Rows([fold], units, one.task, about, [], _positive(other, how))


def _given_bonds(train: pd.DataFrame, how: Settings) -> Bonds:
    """Say what binds training rows of the user's, as far as their file tells."""
    groups, time = (
        train[name] if name in train.columns else None
        for name in (how.groups, how.order)
    )
    if groups is not None:
        # As for the test rows: those without a group are one.
        groups = pd.factorize(groups)[0]
    if time is not None and time.dtype == object:
        time = time.astype(str)
    if time is not None and time.isna().any():
        time = None
    return Bonds(groups, time)


def _positive(dataset: Dataset, how: Settings) -> Any:
    """Choose the class that F1 is about; None unless there are two."""
    assert dataset.y is not None
    if dataset.task == "binary":
        return positive_class(dataset.y, how.positive)
    if how.positive is not None:
        raise InvalidInput(
            f"--positive {how.positive} is for two classes; {dataset.name} has "
            f"{dataset.task} data"
        )
    return None


def _losses(missing: Sequence[Any]) -> list[Outage]:
    """Read ``["a", "b"]`` as one loss, and ``[["a", "b"], ["c"]]`` as two."""
    if isinstance(missing, str):
        raise InvalidInput(
            f"missing is the text {missing!r}; pass a list of column names"
        )
    single = bool(missing) and all(isinstance(one, str) for one in missing)
    groups = [missing] if single else list(missing)
    return [Outage(tuple(dict.fromkeys(group))) for group in groups]


def _blocks(rows: _Rows, how: Settings) -> tuple[list[Outage], str]:
    """Make an outage of each group of columns that were missing together."""
    found = found_blocks(rows.folds[0].X_train)
    hit = how.blocks if isinstance(how.blocks, Mapping) else {}
    listed = "; ".join(", ".join(block) for block in found)
    told = f"columns that were missing together in the file: {listed or 'none'}"
    return [Outage(tuple(block), **hit) for block in found], told


def _loaded(model: Any, trust: bool, how: Settings) -> tuple[str, Any]:
    if not isinstance(model, str | Path):
        return "the model", model
    if is_endpoint(model):
        made = prompted(str(model), how.asking)
        return made.endpoint.model, made
    return Path(model).name, load_model(model, trust=trust)


def _told_of(
    model: Any, name: str, rows: _Rows, task: Task, how: Settings, found: Found | None
) -> Task:
    """Count what a language model would be asked, before the first call.

    Every prompt costs: where a loss was asked for only that is asked, else each column.
    """
    if rows.task == "regression":
        raise InvalidInput("a language model is asked for classes, not for numbers")
    columns = not task.outages or how.protect is not None
    task = replace(task, columns=columns, decay=False)

    def run(silent: Any) -> None:
        one = given_contender(name, silent)
        _measured(rows, [one], replace(task, refit=False), None, None)
        _curves(rows, [one], replace(how, export=None))

    told = rehearse(model, run)
    if found is not None:
        found(told)
    return task


def _contenders(
    name: str, model: Any, rows: _Rows, how: Settings
) -> tuple[list[Contender], list[str]]:
    if model is None:
        return usual_contenders(how.models, rows.task, how.random_state)
    labels = _labels(model, rows)
    notes = []
    if labels is not None:
        pairs = ", ".join(f"{place} is {one}" for place, one in enumerate(labels))
        notes.append(
            f"the classes of {name} are numbers, and those of the rows were taken in "
            f"the order of their names: {pairs}"
        )
    found = [given_contender(name, model, labels)]
    if how.models:
        more, told = usual_contenders(
            how.models, rows.task, how.random_state, beside=[model]
        )
        return [*found, *more], [*notes, *told]
    return found, notes


def _labels(model: Any, rows: _Rows) -> list[Any] | None:
    """Name the classes of a model that numbers them, as the rows do; else None."""
    numbers = getattr(model, "classes_", None)
    if numbers is None or rows.task == "regression":
        return None
    known = np.asarray(numbers).tolist()
    labels = sorted(pd.unique(rows.folds[0].y_train))
    if set(labels) <= set(known):
        return None
    if known == list(range(len(labels))):
        return labels
    if set(labels) & set(known):
        return None
    raise InvalidInput(
        f"the model knows the classes {known[:5]}, the rows have "
        f"{labels[:5]}; name the target with --target"
    )


def _task(
    rows: _Rows,
    asked: Sequence[Outage],
    how: Settings,
    deployed: str,
    read: Sequence[str] | None,
) -> Task:
    """Say what is to be measured; `read` are the columns that a model names."""
    pairs = {}
    if how.protect is not None:
        fold = rows.folds[0]
        strength = feature_importance(fold.X_train, fold.y_train).abs()
        order = strength.sort_values(ascending=False, kind="stable").index
        if set(read or ()) & set(order):
            order = order[order.isin(read)]
        pairs = {deployed: asked_pairs([str(name) for name in order])}
    return Task(
        outages=asked,
        imputers=list({name_of(each): each for each in how.imputers}.values()),
        metric=_metric(how, rows.task),
        positive=rows.positive,
        task="regression" if rows.task == "regression" else "classification",
        pairs=pairs,
        seed=how.random_state,
    )


def _forecast(seconds: Mapping[str, float], splits: int) -> str:
    """Say how long it may take, once every model was tried."""
    return f"up to {_listed(seconds, splits)}"


def _listed(seconds: Mapping[str, float], splits: int) -> str:
    """List what each model may take; for a terminal, so without NBSP."""
    each = sorted(seconds.items(), key=lambda item: -item[1])
    listed = ", ".join(
        f"{name} {duration(one) if one >= 1 else 'under 1 s'}" for name, one in each
    )
    over = f"{splits} splits" if splits > 1 else "1 split"
    told = f"{duration(max(1.0, sum(seconds.values())))} for {over}: {listed}"
    return told.replace("\xa0", " ")


def _guess(contenders: Sequence[Contender], rows: _Rows) -> dict[str, Tried]:
    """Give what the registry knows of the models' pace: rows and columns alone."""
    count, columns = rows.folds[0].X_train.shape
    # Below a few hundred rows a fit takes no less: passes and rounds stay as many.
    learnt = round(1_000 * count / max(count, _FEWEST))
    known = {
        one.name: pace(MODELS[one.name], columns, rows.task)
        for one in contenders
        if one.name in MODELS
    }
    return {
        name: Tried(*each, learnt, 100_000)
        for name, each in known.items()
        if each is not None
    }


def _rough(
    guess: Mapping[str, Tried],
    contenders: Sequence[Contender],
    rows: _Rows,
    task: Task,
    chosen: bool,
) -> str:
    """Say about how long it may take, before the first fit."""
    seconds = expected_seconds(guess, rows.folds, task)
    if chosen:
        # All are tried first, on three quarters of the training rows.
        fits = {name: 0.75 * one.fit / one.learnt for name, one in guess.items()}
        rows_learnt = len(rows.folds[0].X_train)
        seconds = {
            name: each + rows_learnt * fits[name] for name, each in seconds.items()
        }
    told = f"about {_listed(seconds, len(rows.folds))}; a rough guess from rows and "
    told += "columns, for one idle core, before the first fit"
    unknown = [one.name for one in contenders if one.name not in guess]
    if unknown:
        told += f"; without {', '.join(unknown)}, of which nothing is known"
    better = "; a better one follows when every model was tried once"
    return told + better * chosen


def _after(
    trials: int, progress: Callable[[int, int], None] | None
) -> Callable[[int, int], None] | None:
    """Count what was tried before as done."""
    if progress is None:
        return None
    return lambda done, total: progress(done + trials, total + trials)


def _measured(
    rows: _Rows,
    contenders: Sequence[Contender],
    task: Task,
    progress: Any,
    found: Found | None,
) -> Book:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        book = measure_prices(
            rows.folds,
            rows.units,
            contenders,
            task,
            progress=progress,
            found=None if found is None else lambda b, who: found(_early(b, who)),
        )
    values = [book.values[one.name, ALL, ""] for one in contenders]
    if not np.isfinite(values).any():
        raise InvalidInput(
            f"{book.measure.name!r} is not defined on these test rows for any model; "
            "AUC needs rows of two classes: use more test rows, or --metric accuracy"
        )
    return book


def _metric(how: Settings, task: str) -> str:
    """Name the measure: AUC and RMSE if nothing is said."""
    return str(how.metric or usual_measures(task)[-1])


def _of_scenario(how: Settings, rows: _Rows) -> Any:
    """Give the measure of a published scenario, about the same class as all others."""
    if how.metric is None or rows.positive is None:
        return how.metric
    measure = MEASURES[str(how.metric)]
    if measure.needs != "decisions":
        return how.metric

    def judge(truth: Any, predicted: Any) -> float:
        mine = [np.asarray(one) == rows.positive for one in (truth, predicted)]
        return measure(*(one.astype(int) for one in mine), classes=[0, 1])

    judge.__name__ = measure.name
    return judge


def _early(book: Book, who: str) -> str:
    """Say what is known of the first split; intervals come later."""
    one = len(book.resampling.tests) == 1
    over = "the only split" if one else "first of several splits"
    told = f"{over}: {who} {_brief(book.values[who, ALL, ''][0])}"
    for what in dict.fromkeys(what for name, what, _ in book.values if name == who):
        if what:
            told += f"; {what} " + ", ".join(
                f"{how} {_brief(book.values[who, what, how][0])}"
                for how in book.ways(who, what)
            )
    return told


def _brief(value: float) -> str:
    """Write a first number for a terminal: 0.913, but 24,112."""
    return f"{value:.3f}" if abs(value) < _LARGE else f"{value:,.0f}"


def _scorer(how: Settings, rows: _Rows) -> Callable[..., float]:
    """Judge a model on the test part of a fold; larger is better."""

    def score(model: Any, fold: Fold) -> float:
        kind = "regression" if rows.task == "regression" else "classification"
        bench = Bench(model, *fold.parts, task=kind)
        measure = bench.measures(_metric(how, rows.task))[0]
        answers = bench.answers(bench.nothing_gone[None])
        value = float(measure.block(*bench.target.towards(rows.positive, answers))[0])
        return value if measure.larger_is_better else -value

    return score


def _floors(measure: Any, rows: _Rows) -> list[float]:
    """Give what the better constant answer reaches on every split; NaN if unknown."""
    if measure is None:
        return [float("nan")] * len(rows.folds)
    each = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for fold in rows.folds:
            train, test = fold.y_train, fold.y_test
            if rows.positive is not None:
                train, test = (y.eq(rows.positive).astype(int) for y in (train, test))
            each.append(measure.floor(train, test))
            if rows.positive is not None and measure.needs == "decisions":
                # F1 is larger for the rarer class, always answered, than for the other.
                always = measure(test, np.ones(len(test), int), classes=[0, 1])
                best = max if measure.larger_is_better else min
                each[-1] = best(each[-1], always)
    return each


def _clusters(
    book: Book, rows: _Rows, seed: int
) -> tuple[tuple[float, float | None, float | None] | None, list[str]]:
    """Give what clusters reach on the splits of the models; or say why they do not."""
    free = Book(book.measure, book.resampling)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            for split, fold in enumerate(rows.folds):
                model = _clustered(fold, rows.task, seed)
                found.append(Clusters.of(model))
                kind = "regression" if rows.task == "regression" else "classification"
                target = check_target(fold.y_train, fold.y_test, *fold.sizes, task=kind)
                answers = _in_order(model, target.classes)
                truth, told = target.towards(rows.positive, answers[None])
                free.add(split, [(CLUSTERS, ALL, "")], told, truth)
        except CaveatError as error:
            return None, [f"what clusters reach is not known: {error}"]
    one = free.score((CLUSTERS, ALL, "")).estimate(book.measure.name)
    if book.measure.name in CLUSTER_MEASURES:
        # By AUC it is EAPP itself, which scores rows by distances.
        one = pooled(found).estimate
        if len(found) < _FEWEST_SPLITS:
            one = replace(one, low=None, high=None)
    if not np.isfinite(one.value):
        return None, [f"what clusters reach by {book.measure.name} is not defined here"]
    return (one.value, one.low, one.high), []


def _clustered(fold: Fold, task: str, seed: int) -> EAPP:
    """Make clusters of the training rows of one split, to be judged on its others."""
    X = pd.concat([fold.X_train, fold.X_test], ignore_index=True)
    y = pd.concat([fold.y_train, fold.y_test], ignore_index=True)
    places = np.arange(len(X))
    split = np.split(places, [len(fold.X_train)])
    how: dict[str, Any] = {"folds": [split], "shuffles": 0, "random_state": seed}
    if task == "regression":
        return EAPP(k_max=2, task="regression", **how).fit(X, y)
    # The value is that at 1 over the share of the rarest class: no more clusters.
    most = min(10, int(1 / y.value_counts(normalize=True).min()) + 1)
    return EAPP(k_max=most, **how).fit(X, y)


def _in_order(model: EAPP, classes: Any) -> Any:
    """Give the answers of the only fold, classes in the order of the target."""
    [answers] = model.answers()
    if classes is None:
        return answers
    return answers[:, pd.Index(model.classes_).get_indexer(classes)]


def _conditions(
    rows: _Rows, how: Settings, contenders: Sequence[Contender], *, given: bool
) -> str:
    folds = rows.folds
    several = len(folds) > 1
    over = f"{len(folds)} splits" if several else "1 split"
    anew = "fitted anew in each" if several else "fitted on its training rows"
    fitted = "the model as given" if given else anew
    spread = " and the spread over splits" * several
    about = "" if rows.positive is None else f" Positive class: {rows.positive}."
    return (
        f"{over} with {len(folds[0].X_test):,} test rows, {fitted}; 95 % intervals "
        f"by a paired bootstrap over rows{spread}, seed {how.random_state}.{about}"
        f"{_stopping(contenders, rows, how)}"
    )


def _stopping(contenders: Sequence[Contender], rows: _Rows, how: Settings) -> str:
    """Say by which rows models stop early, and which of them do so beside networks."""
    told = [early_sentence({one.name: one.early for one in contenders})]
    bonds = rows.folds[0].bonds.told()
    if bonds and any(one.stops for one in contenders):
        which = {
            "groups": f"whole groups of {how.groups}",
            "time": f"the latest by {how.order}",
        }
        held = ", ".join(which[name] for name in bonds)
        told.append(f"Rows by which models stop early are {held}.")
    return "".join(f" {one}" for one in told if one)
