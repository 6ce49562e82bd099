"""From a person's data to a Look at many labels: what `caveat multilabel` does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets import Dataset, file_name, given, read_matrix
from caveat.exceptions import InvalidInput
from caveat.multilabel import page
from caveat.multilabel._compare import DEFAULT_LEARNERS, YOURS, compare, judge
from caveat.multilabel.result import Result
from caveat.pages import About, Look, check_rules

Progress = Callable[[int, int], None]


def look(
    data: str | Path | pd.DataFrame | Dataset,
    targets: Sequence[str] | None = None,
    *,
    scores: Mapping[str, Any] | Any = None,
    decisions: Mapping[str, Any] | Any = None,
    threshold: float | None = None,
    models: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    test_size: float = 0.3,
    resamples: int = 400,
    rules: Sequence[str] = (),
    random_state: int = 0,
    command: str = "",
    progress: Progress = lambda done, total: None,
) -> Look:
    """Look at models of many labels by all eleven measures.

    Parameters
    ----------
    data : path, DataFrame or Dataset
        With a 0/1 column per label; a MULAN or MEKA file says which by itself.
    targets : sequence of str, optional
        The label columns.
    scores : array, path, or mapping of name to either, optional
        Scores of models of one's own, a row per row and a column per label; nothing
        is trained then.
    decisions : as `scores`, optional
        Their 0/1 decisions.
    threshold : float, optional
        Decide score > threshold instead.
    models : sequence of str, optional
        Which learners to train.
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns that stay features, though they only date or name their rows.
    test_size : float, default=0.3
    resamples : int, default=400
        Resamples of the test rows for intervals and tests.
    rules : sequence of str
        Rules such as ``score<0.5``.
    random_state : int, default=0
    command : str
        The command that makes the look again.
    progress : callable
        Called with (done, total).

    Returns
    -------
    Look

    Examples
    --------
    >>> from caveat.datasets import load
    >>> found = look(load("tags"), models=["ml-knn"], resamples=50)
    >>> found.facts["measure"]
    'average precision'
    """
    wanted = check_rules(rules)
    _check_numbers(threshold, resamples, random_state)
    dataset = _labelled(given(data, targets=targets, drop=drop, keep=keep), data)
    if scores is None:
        if decisions is not None or threshold is not None:
            raise InvalidInput(
                "--decisions and --threshold belong to --scores; name your model's "
                "scores too"
            )
        found = _train(dataset, models, test_size, resamples, random_state, progress)
    else:
        if models is not None:
            raise InvalidInput(
                "--models and --scores were both given; with scores nothing is trained"
            )
        found = _judge(dataset, scores, decisions, threshold, resamples, random_state)
    found = replace(found, conditions=_conditions(found, resamples, random_state))
    file = file_name(data, dataset.name)
    about = About.of(dataset, file=file, command=command)
    mean = float(np.asarray(dataset.Y).sum(axis=1).mean())
    about = replace(about, classes=f"{mean:.1f} labels per row")
    return page.look(found, about, rules=wanted)


def _labelled(dataset: Dataset, data: Any) -> Dataset:
    """Refuse data that do not have several labels."""
    name = file_name(data, dataset.name)
    if dataset.task != "multilabel":
        raise InvalidInput(
            f"{name} does not say which columns are labels; add --targets A,B,C or "
            "--targets-prefix P"
        )
    if dataset.Y.shape[1] < 2:
        raise InvalidInput(
            f"{name} has one label, {str(dataset.Y.columns[0])!r}, and most measures "
            "compare the labels of a row; name two or more, or judge one with "
            "caveat audit --target"
        )
    return dataset


def _check_numbers(threshold: float | None, resamples: int, seed: int) -> None:
    if threshold is not None and not math.isfinite(threshold):
        raise InvalidInput(f"--threshold is {threshold}; use a number such as 0.5")
    if resamples < 2:
        raise InvalidInput(f"--resamples is {resamples}; use 2 or more")
    if seed < 0:
        raise InvalidInput(f"--seed is {seed}; use 0 or more")


def _train(
    dataset: Dataset,
    models: Sequence[str] | None,
    test_size: float,
    resamples: int,
    seed: int,
    progress: Progress,
) -> Result:
    if not dataset.X.shape[1]:
        raise InvalidInput(
            f"{dataset.name} has no column beside the labels, so there is nothing to "
            "learn from; judge scores of your own with --scores"
        )
    return compare(
        dataset.X,
        dataset.Y,
        learners=DEFAULT_LEARNERS if models is None else models,
        test_size=test_size,
        n_resamples=resamples,
        kinds=dict(dataset.kinds),
        random_state=seed,
        progress=progress,
    )


def _judge(
    dataset: Dataset,
    scores: Any,
    decisions: Any,
    threshold: float | None,
    resamples: int,
    seed: int,
) -> Result:
    if decisions is not None and threshold is not None:
        raise InvalidInput("--decisions and --threshold were both given; use one")
    real = _matrices("--scores", scores, dataset)
    chosen = None
    if decisions is not None:
        chosen = _matrices("--decisions", decisions, dataset)
        other = sorted(set(chosen) - set(real))
        if other:
            raise InvalidInput(
                f"--decisions: {other[0]!r} has no scores; name both alike"
            )
    if threshold is not None:
        chosen = {name: (one > threshold).astype(int) for name, one in real.items()}
    return judge(dataset.Y, real, chosen, n_resamples=resamples, random_state=seed)


def _matrices(option: str, values: Any, dataset: Dataset) -> dict[str, Any]:
    """Read one matrix, or several by name, from arrays or files."""
    named = values if isinstance(values, Mapping) else {YOURS: values}
    labels = [str(name) for name in dataset.Y.columns]
    return {
        str(name): read_matrix(option, one, labels, len(dataset.Y))
        for name, one in named.items()
    }


def _conditions(found: Result, resamples: int, seed: int) -> str:
    rows = f"{found.n_test:,} rows"
    if found.n_train:
        rows = f"{found.n_train:,} training and {found.n_test:,} test rows"
    return (
        f"{rows}, ties count one half, 95 % intervals over {resamples} resamples of "
        f"the test rows, seed {seed}."
    )
