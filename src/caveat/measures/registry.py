"""Every measure, row by row. To add one: a function with `Warnings`, and a row here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any

from caveat._registry import Registry
from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures._measure import LabelMeasure, Measure

LABEL_WISE, INSTANCE_WISE, DOUBLE = "label-wise", "instance-wise", "double"


def _address(module: str, name: str) -> str:
    return f"caveat.measures.{module}:{name.replace('-', '_')}"


def _classes(name: str, summary: str, **row: Any) -> Measure:
    """Give the row of a measure of classes: its function in `_classes`."""
    row = {"constant": "shares", "tasks": ("binary", "multiclass"), **row}
    target = _address("_classes", name)
    return Measure(name=name, summary=summary, target=target, stacks=True, **row)


def _numbers(name: str, summary: str, **row: Any) -> Measure:
    """Give the row of a measure of numbers, an error if nothing else is said."""
    row = {
        "target": _address("_numbers", name),
        "direction": "min",
        "range": (0.0, inf),
        "stacks": True,
        **row,
    }
    tasks = ("regression",)
    return Measure(name=name, summary=summary, needs="amounts", tasks=tasks, **row)


def _labels(name: str, summary: str, **row: Any) -> LabelMeasure:
    """Give the row of one of the eleven measures of many labels."""
    return LabelMeasure(
        name=name,
        summary=summary,
        target=_address("multilabel", name),
        paper="Wu & Zhou (2017), Table 1",
        tasks=("multilabel",),
        **{"served_by": (LABEL_WISE, DOUBLE), **row},
    )


MEASURES = Registry(
    "measure",
    [
        _classes("accuracy", "share of rows with the right label"),
        _classes("balanced-accuracy", "mean over classes of the share found"),
        _classes(
            "f1",
            "precision and recall in one; of class two, or mean over classes",
            display="F1",
            one_class=True,
        ),
        _classes(
            "auc",
            "share of pairs in the right order; mean of one against the rest",
            display="AUC",
            paper="Hanley & McNeil (1982)",
            needs="scores",
            constant=0.5,
            leaves_out=True,
            of_pairs=True,
            resamples=True,
        ),
        _classes(
            "log-loss",
            "mean surprise about the true label",
            direction="min",
            range=(0.0, inf),
            needs="probabilities",
        ),
        _classes(
            "brier",
            "squared distance of probabilities from the truth",
            display="Brier score",
            paper="Brier (1950)",
            direction="min",
            range=(0.0, 2.0),
            needs="probabilities",
        ),
        _classes(
            "ece",
            "distance of confidence and accuracy, 15 bins",
            display="ECE",
            paper="Guo et al. (2017)",
            direction="min",
            needs="probabilities",
            constant="",
        ),
        _numbers(
            "rmse", "root of the mean squared error", display="RMSE", constant="mean"
        ),
        _numbers("mae", "mean absolute error", display="MAE", constant="median"),
        _numbers(
            "r2",
            "share of the variance that is explained",
            display="R²",
            direction="max",
            range=(-inf, 1.0),
            constant="mean",
        ),
        _numbers(
            "median-absolute-error", "median of the absolute errors", constant="median"
        ),
        _numbers(
            "concordance",
            "share of pairs of different numbers in the right order",
            direction="max",
            range=(0.0, 1.0),
            constant=0.5,
            stacks=False,
            usual=False,
        ),
        _labels(
            "hamming-loss",
            "It counts wrong entries, wherever they stand.",
            display="Hamming loss",
            direction="min",
            served_by=(LABEL_WISE, INSTANCE_WISE, DOUBLE),
            threshold="per instance or per label",
        ),
        _labels(
            "ranking-loss",
            "It compares the labels of one instance with one another.",
            display="ranking loss",
            direction="min",
            needs="scores",
        ),
        _labels(
            "one-error",
            "It looks at the top label of each instance.",
            direction="min",
            needs="scores",
        ),
        _labels(
            "coverage",
            "It walks down each instance's list to its last relevant label.",
            direction="min",
            range=(0.0, inf),
            needs="scores",
        ),
        _labels(
            "average-precision",
            "It compares the labels of one instance, the top of the list most.",
            display="average precision",
            needs="scores",
        ),
        _labels(
            "macro-f1",
            "It judges label by label, rare labels as much as common ones.",
            display="macro-F1",
            served_by=(INSTANCE_WISE, DOUBLE),
            threshold="per label",
        ),
        _labels(
            "instance-f1",
            "It judges instance by instance.",
            display="instance-F1",
            threshold="per instance",
        ),
        _labels(
            "micro-f1",
            "It pools all entries, so common labels and full rows weigh most.",
            display="micro-F1",
            threshold="per instance",
        ),
        _labels(
            "macro-auc",
            "It compares the instances of one label with one another.",
            display="macro-AUC",
            needs="scores",
            served_by=(INSTANCE_WISE, DOUBLE),
        ),
        _labels(
            "instance-auc",
            "It compares the labels of one instance with one another.",
            display="instance-AUC",
            needs="scores",
        ),
        _labels(
            "micro-auc",
            "It compares every score with every other, across instances and labels.",
            display="micro-AUC",
            needs="scores",
            served_by=(DOUBLE,),
        ),
    ],
)


def get(name: str) -> Measure:
    """Return a measure by its name; underscores are read as hyphens.

    Examples
    --------
    >>> get("log_loss").direction
    'min'
    >>> get("log-los")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no measure is called 'log-los'; did you mean ...
    """
    return MEASURES[str(name).replace("_", "-")]  # type: ignore[return-value]


def names(task: str | None = None) -> list[str]:
    """List the measures of a task (binary, multiclass, regression, multilabel), or all.

    Examples
    --------
    >>> names("regression")
    ['rmse', 'mae', 'r2', 'median-absolute-error', 'concordance']
    """
    rows = MEASURES.values()
    known = sorted({one for row in rows for one in row.tasks})
    if task is not None and task not in known:
        raise UnknownName.among("task", task, known)
    return [row.name for row in rows if task is None or task in row.tasks]


def register(
    name: str,
    function: Callable[..., float] | str,
    *,
    tasks: tuple[str, ...],
    needs: str,
    direction: str = "max",
    range: tuple[float, float] = (0.0, 1.0),
    **row: Any,
) -> Measure:
    """Add a measure: from now on studies of its tasks record it.

    Parameters
    ----------
    name : str
        Lower case with hyphens.
    function : callable or str
        Truth, answers and, as keywords, what it takes of ``sample_weight`` and
        ``n_classes``, to a number; or its address, ``module:function``. Classes come
        as numbers from 0.
    tasks : tuple of str
        Of binary, multiclass, regression, multilabel.
    needs : {"decisions", "scores", "probabilities", "amounts"}
    direction : {"max", "min"}, default="max"
    range : (float, float), default=(0.0, 1.0)
    **row
        Further fields of `Measure`: display, summary, constant, ...

    Returns
    -------
    Measure

    Warnings
    --------
    Every process that computes or reads it must register it: put the call into a
    module that all of them import.
    """
    if direction not in ("max", "min"):
        raise InvalidInput(f"direction is {direction!r}; use 'max' or 'min'")
    kinds = ("decisions", "scores", "probabilities", "amounts")
    if needs not in kinds:
        raise UnknownName.among("kind of answers", needs, kinds)
    kind = LabelMeasure if "multilabel" in tasks else Measure
    given = None if isinstance(function, str) else function
    made = kind(
        name=name,
        target=f"{given.__module__}:{name}" if given else str(function),
        function=given,
        tasks=tuple(tasks),
        needs=needs,
        direction=direction,
        range=range,
        **row,
    )
    MEASURES.add(made)
    return made


class Measures(Mapping[str, Measure]):
    """What there is for some tasks at the moment, by name.

    Parameters
    ----------
    *tasks : str
    spelt : {"-", "_"}, default="-"
        How names are written: with underscores they are names of functions.

    Examples
    --------
    >>> list(Measures("regression"))
    ['rmse', 'mae', 'r2', 'median-absolute-error']
    """

    def __init__(self, *tasks: str, spelt: str = "-") -> None:
        self._tasks = frozenset(tasks)
        self._spelt = spelt

    def _rows(self) -> dict[str, Measure]:
        rows: Any = MEASURES.values()
        return {
            row.name.replace("-", self._spelt): row
            for row in rows
            if row.usual and self._tasks.intersection(row.tasks)
        }

    def __getitem__(self, name: str) -> Measure:
        rows = self._rows()
        if name not in rows:
            raise UnknownName.among("measure", name, rows)
        return rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())


LABEL_MEASURES: Mapping[str, LabelMeasure] = Measures(  # type: ignore[assignment]
    "multilabel", spelt="_"
)
"""Measures of many labels by the names that `caveat.multilabel.evaluate` uses."""
