"""Every measure, row by row. To add one: a function with `Warnings`, and a row here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any

from caveat._registry import Registry
from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures._measure import LabelMeasure, Measure

_CLASSES = ("binary", "multiclass")
_NUMBERS = ("regression",)
_LABELS = ("multilabel",)
_BY_CLASS = "caveat.measures._classes"
_BY_NUMBER = "caveat.measures._numbers"
_BY_LABEL = "caveat.measures.multilabel"
_WU_ZHOU = "Wu & Zhou (2017), Table 1"

LABEL_WISE, INSTANCE_WISE, DOUBLE = "label-wise", "instance-wise", "double"

_ROWS = [
    Measure(
        name="accuracy",
        target=f"{_BY_CLASS}:accuracy",
        summary="share of rows with the right label",
        tasks=_CLASSES,
        constant="shares",
        stacks=True,
    ),
    Measure(
        name="balanced-accuracy",
        target=f"{_BY_CLASS}:balanced_accuracy",
        summary="mean over classes of the share found",
        tasks=_CLASSES,
        constant="shares",
        stacks=True,
    ),
    Measure(
        name="f1",
        target=f"{_BY_CLASS}:f1",
        display="F1",
        summary="precision and recall in one; of class two, or mean over classes",
        tasks=_CLASSES,
        constant="shares",
        stacks=True,
    ),
    Measure(
        name="auc",
        target=f"{_BY_CLASS}:auc",
        display="AUC",
        summary="share of pairs in the right order; mean of one against the rest",
        paper="Hanley & McNeil (1982)",
        tasks=_CLASSES,
        needs="scores",
        constant=0.5,
        stacks=True,
    ),
    Measure(
        name="log-loss",
        target=f"{_BY_CLASS}:log_loss",
        summary="mean surprise about the true label",
        tasks=_CLASSES,
        direction="min",
        range=(0.0, inf),
        needs="probabilities",
        constant="shares",
        stacks=True,
    ),
    Measure(
        name="brier",
        target=f"{_BY_CLASS}:brier",
        display="Brier score",
        summary="squared distance of probabilities from the truth",
        paper="Brier (1950)",
        tasks=_CLASSES,
        direction="min",
        range=(0.0, 2.0),
        needs="probabilities",
        constant="shares",
        stacks=True,
    ),
    Measure(
        name="ece",
        target=f"{_BY_CLASS}:ece",
        display="ECE",
        summary="distance of confidence and accuracy, 15 bins",
        paper="Guo et al. (2017)",
        tasks=_CLASSES,
        direction="min",
        needs="probabilities",
        stacks=True,
    ),
    Measure(
        name="rmse",
        target=f"{_BY_NUMBER}:rmse",
        display="RMSE",
        summary="root of the mean squared error",
        tasks=_NUMBERS,
        direction="min",
        range=(0.0, inf),
        needs="amounts",
        constant="mean",
        stacks=True,
    ),
    Measure(
        name="mae",
        target=f"{_BY_NUMBER}:mae",
        display="MAE",
        summary="mean absolute error",
        tasks=_NUMBERS,
        direction="min",
        range=(0.0, inf),
        needs="amounts",
        constant="median",
        stacks=True,
    ),
    Measure(
        name="r2",
        target=f"{_BY_NUMBER}:r2",
        display="R²",
        summary="share of the variance that is explained",
        tasks=_NUMBERS,
        range=(-inf, 1.0),
        needs="amounts",
        constant="mean",
        stacks=True,
    ),
    Measure(
        name="median-absolute-error",
        target=f"{_BY_NUMBER}:median_absolute_error",
        summary="median of the absolute errors",
        tasks=_NUMBERS,
        direction="min",
        range=(0.0, inf),
        needs="amounts",
        constant="median",
        stacks=True,
    ),
    Measure(
        name="concordance",
        target="caveat.ranking:concordance",
        summary="share of pairs of different numbers in the right order",
        tasks=_NUMBERS,
        needs="amounts",
        constant=0.5,
        usual=False,
    ),
    LabelMeasure(
        name="hamming-loss",
        target=f"{_BY_LABEL}:hamming_loss",
        display="Hamming loss",
        summary="It counts wrong entries, wherever they stand.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        direction="min",
        served_by=(LABEL_WISE, INSTANCE_WISE, DOUBLE),
        threshold="per instance or per label",
    ),
    LabelMeasure(
        name="ranking-loss",
        target=f"{_BY_LABEL}:ranking_loss",
        display="ranking loss",
        summary="It compares the labels of one instance with one another.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        direction="min",
        needs="scores",
        served_by=(LABEL_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="one-error",
        target=f"{_BY_LABEL}:one_error",
        summary="It looks at the top label of each instance.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        direction="min",
        needs="scores",
        served_by=(LABEL_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="coverage",
        target=f"{_BY_LABEL}:coverage",
        summary="It walks down each instance's list to its last relevant label.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        direction="min",
        range=(0.0, inf),
        needs="scores",
        served_by=(LABEL_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="average-precision",
        target=f"{_BY_LABEL}:average_precision",
        display="average precision",
        summary="It compares the labels of one instance, the top of the list most.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        needs="scores",
        served_by=(LABEL_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="macro-f1",
        target=f"{_BY_LABEL}:macro_f1",
        display="macro-F1",
        summary="It judges label by label, rare labels as much as common ones.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        served_by=(INSTANCE_WISE, DOUBLE),
        threshold="per label",
    ),
    LabelMeasure(
        name="instance-f1",
        target=f"{_BY_LABEL}:instance_f1",
        display="instance-F1",
        summary="It judges instance by instance.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        served_by=(LABEL_WISE, DOUBLE),
        threshold="per instance",
    ),
    LabelMeasure(
        name="micro-f1",
        target=f"{_BY_LABEL}:micro_f1",
        display="micro-F1",
        summary="It pools all entries, so common labels and full rows weigh most.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        served_by=(LABEL_WISE, DOUBLE),
        threshold="per instance",
    ),
    LabelMeasure(
        name="macro-auc",
        target=f"{_BY_LABEL}:macro_auc",
        display="macro-AUC",
        summary="It compares the instances of one label with one another.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        needs="scores",
        served_by=(INSTANCE_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="instance-auc",
        target=f"{_BY_LABEL}:instance_auc",
        display="instance-AUC",
        summary="It compares the labels of one instance with one another.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        needs="scores",
        served_by=(LABEL_WISE, DOUBLE),
    ),
    LabelMeasure(
        name="micro-auc",
        target=f"{_BY_LABEL}:micro_auc",
        display="micro-AUC",
        summary="It compares every score with every other, across instances and "
        "labels.",
        paper=_WU_ZHOU,
        tasks=_LABELS,
        needs="scores",
        served_by=(DOUBLE,),
    ),
]

MEASURES = Registry("measure", _ROWS)


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
    is_address = isinstance(function, str)
    made = kind(
        name=name,
        target=function if is_address else f"{function.__module__}:{name}",
        function=None if is_address else function,
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


LABEL_MEASURES = Measures("multilabel", spelt="_")
"""Measures of many labels by the names that `caveat.multilabel.evaluate` uses."""
