"""From a person's data to feature shift's Look: what `caveat shift` does."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets import Dataset
from caveat.exceptions import InvalidInput
from caveat.models import early_sentence
from caveat.pages import Look, check_rules
from caveat.shift import page
from caveat.shift._contenders import contenders_of, load_given, made_up
from caveat.shift._forecast import first_numbers, forecast, guess_pace, rough_forecast
from caveat.shift._free_answers import cluster_answers, constant_answers
from caveat.shift._look_rows import Rows, blocks_of, losses_of, read_rows
from caveat.shift._look_settings import Settings
from caveat.shift.curves._scenario_curves import (
    export_scenario,
    parse_degree,
    scenario_curves,
)
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.evaluation._metric import usual_measures
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._tables import model_columns
from caveat.shift.importance._importance import feature_importance
from caveat.shift.language import asked_notes, rehearse
from caveat.shift.prices._backup import (
    asked_pairs,
    cheapest_backup,
    check_costs,
    price_pairs,
)
from caveat.shift.prices._folds import (
    Contender,
    Fold,
    Tried,
    first_choice,
    given_contender,
)
from caveat.shift.prices._monitors import when_noticed
from caveat.shift.prices._outages import Outage, check_outages
from caveat.shift.prices._prices import (
    ALL,
    Book,
    Task,
    expected_seconds,
    measure_prices,
)
from caveat.shift.registry import MEASURES
from caveat.shift.result import Result, read_book
from caveat.shift.scenarios._planning import name_of
from caveat.shift.scenarios._subsets import counts_of

Found = Callable[[str], None]


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
    name, fitted = load_given(model, trust, how)
    spoken = hasattr(fitted, "prompts")
    if spoken and not how.models:
        # No table is filled in, also none that is exported.
        how = replace(how, imputers=("native",))
    read = model_columns(fitted)
    if read is not None and not made_up(read):
        how = replace(how, keep=[*how.keep, *map(str, read)])
    rows = read_rows(data, target, train, test, how, needed)
    asked = _asked(rows, missing, outages, how)
    _check_requests(rows, asked, how)
    contenders, notes = contenders_of(name, fitted, rows, how)
    if fitted is not None and not spoken and train is None:
        notes.append(
            f"the rows may be those that {name} learnt from, and its scores are then "
            "too good; --train and --test name rows that it has not seen"
        )
    deployed = contenders[0].name
    tried: dict[str, Tried] = {}
    task = _task(rows, asked, how, deployed, read)
    trials = len(contenders) if fitted is None and len(contenders) > 1 else 0
    if found is not None and not spoken and (guess := guess_pace(contenders, rows)):
        found(rough_forecast(guess, contenders, rows, task, trials > 0))
    if trials:
        total = trials + len(rows.folds) * trials
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
        found(forecast(expected_seconds(tried, rows.folds, task), len(rows.folds)))
    book = _measured(rows, contenders, task, _after(trials, progress), found)
    fold = rows.folds[0]
    columns = [str(name) for name in fold.X_train.columns]
    names = [one.name for one in contenders]
    tables = read_book(book, names, asked, columns=columns, tolerance=how.tolerance)
    lost = task.pairs.get(deployed, ())
    backup, pairs = _backup(book, deployed, tables["columns"], lost, how)
    free, over, unknown = cluster_answers(book, rows, deployed, how.random_state)
    result = Result(
        **tables,
        floor=float(np.mean(constant_answers(MEASURES.get(book.measure.name), rows))),
        filled_by=TOLD if deployed in book.told else name_of(how.imputers[0]),
        clusters=free,
        over_clusters=over,
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


def _asked(
    rows: Rows, missing: Sequence[Any], outages: Sequence[Outage], how: Settings
) -> list[Outage]:
    """List what is to be priced: what was asked for, and blocks found in the file."""
    if how.blocks:
        blocks, told = blocks_of(rows, how)
        outages, rows.notes[:] = [*outages, *blocks], [*rows.notes, told]
    asked = list({one.words: one for one in [*losses_of(missing), *outages]}.values())
    check_outages(
        asked,
        list(rows.folds[0].X_train.columns),
        target=str(rows.folds[0].y_train.name),
        left_out=rows.about.left_out,
    )
    return asked


def _check_requests(rows: Rows, asked: Sequence[Outage], how: Settings) -> None:
    """Refuse what the rows and columns cannot serve before any model is fitted."""
    for outage in asked:
        for fold in rows.folds:
            hit = outage.hits(fold, how.random_state)
            if outage.kind != "vanish":
                outage.table(fold.X_test.reset_index(drop=True), hit, fold.X_train)
    names = [str(name) for name in rows.folds[0].X_train.columns]
    counts_of(parse_degree(how.degree), len(names))
    if how.protect is not None:
        check_costs(names, how.protect, how.costs)


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
    priced = set(mine["column"])
    costs = {name: cost for name, cost in how.costs.items() if name in priced}
    return tuple(cheapest_backup(mine, pairs, how.protect, costs)), pairs


def _monitors(asked: Sequence[Outage], fold: Fold, seed: int) -> pd.DataFrame:
    """Ask when each outage would be noticed."""
    found = [when_noticed(outage, fold, seed) for outage in asked]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def _curves(rows: Rows, contenders: Sequence[Contender], how: Settings) -> pd.DataFrame:
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
    floors = {name: constant_answers(MEASURES.get(name), rows) for name in names}
    pairs = zip(found["measure"], found["split"], strict=True)
    return found.assign(constant=[floors[name][split] for name, split in pairs])


def _told_of(
    model: Any, name: str, rows: Rows, task: Task, how: Settings, found: Found | None
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


def _task(
    rows: Rows,
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
        metric=metric_of(how, rows.task),
        positive=rows.positive,
        task="regression" if rows.task == "regression" else "classification",
        pairs=pairs,
        seed=how.random_state,
    )


def _after(
    trials: int, progress: Callable[[int, int], None] | None
) -> Callable[[int, int], None] | None:
    """Count what was tried before as done."""
    if progress is None:
        return None
    return lambda done, total: progress(done + trials, total + trials)


def _measured(
    rows: Rows,
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
            found=None
            if found is None
            else lambda b, who: found(first_numbers(b, who)),
        )
    values = [book.values[one.name, ALL, ""] for one in contenders]
    if not np.isfinite(values).any():
        raise InvalidInput(
            f"{book.measure.name!r} is not defined on these test rows for any model; "
            "AUC needs rows of two classes: use more test rows, or --metric accuracy"
        )
    return book


def metric_of(how: Settings, task: str) -> str:
    """Name the measure: AUC and RMSE if nothing is said."""
    return str(how.metric or usual_measures(task)[-1])


def _of_scenario(how: Settings, rows: Rows) -> Any:
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


def _scorer(how: Settings, rows: Rows) -> Callable[..., float]:
    """Judge a model on the test part of a fold; larger is better."""

    def score(model: Any, fold: Fold) -> float:
        kind = "regression" if rows.task == "regression" else "classification"
        bench = Bench(model, *fold.parts, task=kind)
        measure = bench.measures(metric_of(how, rows.task))[0]
        answers = bench.answers(bench.nothing_gone[None])
        value = float(measure.block(*bench.target.towards(rows.positive, answers))[0])
        return value if measure.larger_is_better else -value

    return score


def _conditions(
    rows: Rows, how: Settings, contenders: Sequence[Contender], *, given: bool
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


def _stopping(contenders: Sequence[Contender], rows: Rows, how: Settings) -> str:
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
