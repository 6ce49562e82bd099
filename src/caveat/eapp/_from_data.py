"""From a person's data to EAPP's Look, in one call: what `caveat eapp` does."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from caveat.datasets import Dataset, file_name, given, positive_class
from caveat.eapp import page
from caveat.eapp._eapp import EAPP
from caveat.eapp._probe import bias_probe
from caveat.eapp.folds._groups_and_time import role_folds
from caveat.eapp.result import Result
from caveat.exceptions import InvalidInput
from caveat.pages import About, Look, check_rules

Progress = Callable[[int, int], None]


def look(
    data: str | Path | pd.DataFrame | Dataset,
    target: str | None = None,
    *,
    targets: Sequence[str] = (),
    positive: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | None = None,
    time: str | None = None,
    classes: bool = False,
    regression: bool = False,
    joint: bool = False,
    drivers: bool = False,
    probe: bool = False,
    model_auc: float | None = None,
    rules: Sequence[str] = (),
    random_state: int = 0,
    command: str = "",
    progress: Progress | None = None,
    **settings: Any,
) -> Look:
    """Look at how far clusters get on a person's data.

    Parameters
    ----------
    data : path, DataFrame or Dataset
    target : str, optional
        Column to predict; the last if not given.
    targets : sequence of str
        Columns of 0 and 1 instead: several labels.
    positive : str, optional
        Class 1; all other classes count as negative.
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns that stay features, though they only date or name their rows.
    groups : str, optional
        Column whose equal values stay in one fold.
    time : str, optional
        Column by which later rows are judged with clusters of earlier ones.
    classes, regression : bool
        Take a target of numbers as classes, or as numbers.
    joint : bool
        Name clusters after all classes at once.
    drivers, probe : bool
        Ask which columns it rests on; plant a bias to see how coarse it must be.
    model_auc : float, optional
        A model's AUC, to compare.
    rules : sequence of str
        Such as ``score>0.9``; see `Look.outcomes`.
    random_state : int
    command : str
        The command line that does the same.
    progress : callable, optional
        Gets ``(done, total)``.
    **settings
        Further parameters of `EAPP`.

    Returns
    -------
    Look

    Examples
    --------
    >>> from caveat.datasets import load
    >>> found = look(load("breast_cancer"), shuffles=30)
    >>> found.facts["score"] > 0.9, found.caveats[0]["kind"]
    (True, 'free')
    """
    if model_auc is not None and not 0 <= model_auc <= 1:
        raise InvalidInput(
            f"--model-auc: found {model_auc:g}; an AUC lies between 0 and 1"
        )
    wanted = check_rules(rules)
    reading = {"drop": drop, "keep": keep, "groups": groups, "order": time}
    dataset = _read(data, target, targets, classes, regression, reading)
    dataset, own_folds = role_folds(
        dataset, groups, time, folds=settings.pop("folds", 10), seed=random_state
    )
    if probe:
        _check_probe(dataset, positive)
    model = EAPP(
        random_state=random_state,
        kinds=None if dataset.image_shape else dict(dataset.kinds),
        pos_label=positive if classes else _label(dataset, positive),
        task="regression" if regression else "auto",
        multiclass="joint" if joint else "rest",
        folds=own_folds,
        **settings,
    )
    X, y = _rows(dataset), _target(dataset, classes)
    with warnings.catch_warnings():
        # The model keeps its warnings as notes, which the look shows.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y, progress=progress)
        asked = _drivers(model, random_state) if drivers else None
        planted = _planted(model, X, y, progress) if probe else None
    file = file_name(data, dataset.name)
    found = Result.of(model, drivers=asked, probe=planted)
    return page.look(
        replace(found, notes=(*dataset.notes, *found.notes)),
        About.of(dataset, file=file, command=command, positive=positive),
        model_auc=model_auc,
        rules=wanted,
    )


def _read(
    data: Any,
    target: str | None,
    targets: Sequence[str],
    classes: bool,
    regression: bool,
    reading: Mapping[str, Any],
) -> Dataset:
    """Read the data, and refuse a target that EAPP has no way with."""
    if classes and regression:
        raise InvalidInput("--classes and --regression were both given; use one")
    if targets:
        if target is not None or classes or regression:
            raise InvalidInput(
                "--targets names labels of 0 and 1; leave --target, --classes and "
                "--regression out"
            )
        if len(targets) < 2:
            raise InvalidInput(
                f"--targets: found {targets[0]!r} alone; name two and more columns of "
                "0 and 1, or one with --target"
            )
        return given(data, targets=list(targets), **reading)
    if regression:
        return given(data, target=target, task="regression", **reading)
    dataset = given(data, target=target, **reading)
    if dataset.task == "regression":
        if not classes:
            raise InvalidInput(
                f"--target: {dataset.y.name!r} holds {dataset.y.nunique():,} distinct "
                "numbers; add --regression to take them as numbers, or --classes to "
                "take them as classes"
            )
        return given(data, target=target, task="multiclass", **reading)
    if dataset.task not in ("binary", "multiclass", "multilabel"):
        raise InvalidInput(
            f"{dataset.name}: the file holds {dataset.task} data; EAPP needs classes, "
            "labels or numbers"
        )
    return dataset


def _rows(dataset: Dataset) -> Any:
    if dataset.image_shape is None:
        return dataset.X
    return dataset.X.to_numpy().reshape(len(dataset.X), *dataset.image_shape)


def _target(dataset: Dataset, classes: bool) -> Any:
    if dataset.task == "multilabel":
        return dataset.Y
    return dataset.y.astype(str) if classes else dataset.y


def _label(dataset: Dataset, text: str | None) -> Any:
    """Find the class that a word on the command line stands for.

    Of two classes one is positive without a word: the same as in all looks.
    """
    if text is None and dataset.task != "binary":
        return None
    if dataset.y is None or dataset.task == "regression":
        return text
    return positive_class(dataset.y, text)


def _check_probe(dataset: Dataset, positive: str | None) -> None:
    """Refuse a probe that has no two classes to part."""
    if dataset.task in ("multilabel", "regression"):
        raise InvalidInput(
            f"--probe: a shift parts two classes, the file holds {dataset.task} data; "
            "leave it out"
        )
    if positive is None and dataset.y.nunique() > 2:
        raise InvalidInput(
            f"--probe: a shift parts two classes, {dataset.y.name!r} has "
            f"{dataset.y.nunique()}; add --positive LABEL"
        )


def _drivers(model: EAPP, seed: int) -> pd.DataFrame:
    """Ask all columns together, and every column alone."""
    alone = model.drivers("single", random_state=seed)
    alone = alone.rename(columns={"value": "alone"})
    if math.isnan(model.value_):
        return alone.assign(drop=math.nan)
    together = model.drivers("permute", random_state=seed)
    return together.merge(alone, on="column", how="left")


def _planted(model: EAPP, X: Any, y: Any, progress: Progress | None) -> pd.DataFrame:
    """Shift one class in labels that know nothing."""
    params = model.get_params(deep=False) | {"k_max": math.ceil(model.k_star_)}
    seed = params.pop("random_state")
    return bias_probe(
        X, y, random_state=seed, randomize_labels=True, progress=progress, **params
    )
