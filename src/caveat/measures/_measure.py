"""One measure as one object: what it is called, what it needs, and its value."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat._registry import Entry
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Measure(Entry):
    """A row of the table of measures that can be called.

    The function behind it gets what was checked: class numbers (or numbers) of the
    rows, the answers, and as keywords what it takes of ``sample_weight`` and
    ``n_classes``. Functions of `sklearn.metrics` fit as they are.

    Attributes
    ----------
    direction : {"max", "min"}
    range : (float, float)
        Smallest and largest possible value.
    needs : {"decisions", "scores", "probabilities", "amounts"}
        Which answers it judges: labels, something to order rows by, a distribution
        over the classes, or numbers.
    constant : {"shares", "mean", "median", ""} or float
        Which constant answer is its floor: class shares, mean or median of the
        training rows; or the floor itself. Empty where none means anything.
    one_class : bool
        Whether of two classes it is about the second alone, whatever the first is.
    leaves_out : bool
        Whether it leaves out a class that no row has, or every row.
    of_pairs : bool
        Whether it is a mean over pairs of rows, not over rows.
    stacks : bool
        Whether the function judges a stack of answers at once, one value for each.
    resamples : bool
        Whether the function takes many rows of weights at once, a value for each.
    usual : bool
        Whether every study of its tasks records it.
    function : callable, optional
        The function itself, where there is no address for it.

    Examples
    --------
    >>> from caveat import measures
    >>> accuracy = measures.get("accuracy")
    >>> accuracy(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    >>> accuracy.direction, accuracy.range
    ('max', (0.0, 1.0))
    """

    direction: str = "max"
    range: tuple[float, float] = (0.0, 1.0)
    needs: str = "decisions"
    constant: str | float = ""
    one_class: bool = False
    leaves_out: bool = False
    of_pairs: bool = False
    stacks: bool = False
    resamples: bool = False
    usual: bool = True
    function: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        told = {"direction": self.direction, "range": self.range, "needs": self.needs}
        object.__setattr__(self, "facts", {**self.facts, **told})

    @property
    def larger_is_better(self) -> bool:
        """Whether the direction is up."""
        return self.direction == "max"

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        return self.function or super().load()

    def __call__(
        self,
        y: ArrayLike,
        answers: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        classes: Any = None,
        **options: Any,
    ) -> float:
        """Judge answers to rows whose truth is known.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            True labels of any kind, or numbers.
        answers : array-like of shape (n_rows,) or (n_rows, n_classes)
            What the measure `needs`. In place of labels it takes a score for every
            class, the largest (the first of several) decides. One column of
            probabilities or scores is that of the second of two classes.
        sample_weight : array-like of shape (n_rows,), optional
            A row of weight 2 counts as two rows.
        classes : sequence of labels, optional
            What the columns of `answers` are; the labels found, sorted, by default.
        **options
            Keywords of the function itself, such as ``bins=`` of ``ece``.

        Returns
        -------
        float : NaN, with a warning, where it is not defined.
        """
        from caveat.measures._checks import checked, weights_of

        truth, given, n_classes = checked(self.needs, y, answers, classes)
        weights = weights_of(sample_weight, len(truth))
        return float(self._apply(truth, given, weights, n_classes, options))

    def block(
        self,
        truth: NDArray[Any],
        stack: NDArray[Any],
        *,
        sample_weight: Floats | None = None,
    ) -> Floats:
        """Judge many answers to the same rows at once, without checks.

        Parameters
        ----------
        truth : array of shape (n_rows,)
            Class numbers from 0, others for classes that have no column; or numbers.
        stack : array of shape (n_answers, n_rows, n_classes) or (n_answers, n_rows)
            Scores for every class, or numbers.
        sample_weight : array of shape (n_rows,), optional
            Or a row of weights for each resample, where the measure `resamples`.

        Returns
        -------
        array of shape (n_answers,) : NaN, without a warning, where it is not defined.
        """
        from caveat.measures._checks import most_probable

        n_classes = stack.shape[2] if stack.ndim == 3 else 0
        given = most_probable(stack) if self.needs == "decisions" else stack
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if self.stacks:
                found = self._apply(truth, given, sample_weight, n_classes, {})
                return np.asarray(found, dtype=np.float64)
            each = (
                self._apply(truth, one, sample_weight, n_classes, {}) for one in given
            )
            return np.fromiter(each, dtype=np.float64, count=len(given))

    def resampled(
        self, truth: NDArray[Any], stack: NDArray[Any], counts: NDArray[Any]
    ) -> Floats:
        """Judge many answers on many resamples of the same rows, without checks.

        Parameters
        ----------
        truth, stack : array
            As in `block`.
        counts : array of shape (n_resamples, n_rows)
            How often each resample drew each row; or weights, where the measure takes
            them.

        Returns
        -------
        array of shape (n_resamples, n_answers)
        """
        if self.resamples:
            return self.block(truth, stack, sample_weight=counts.astype(np.float64))
        found = np.empty((len(counts), len(stack)))
        for place, drawn in enumerate(counts):
            if "sample_weight" in self._takes:
                weights = drawn.astype(np.float64)
                found[place] = self.block(truth, stack, sample_weight=weights)
            else:  # a measure without weights gets the rows themselves
                rows = np.repeat(np.arange(len(drawn)), drawn)
                found[place] = self.block(truth[rows], stack[:, rows])
        return found

    def floor(self, y_train: ArrayLike, y_test: ArrayLike) -> float:
        """Measure on test rows the constant answer learnt from training rows.

        Returns
        -------
        float : NaN where no constant answer means anything (calibration), and for the
        probability of a class that no training row has.

        Examples
        --------
        >>> from caveat import measures
        >>> measures.get("accuracy").floor(["a", "b", "b"], ["b", "a", "a", "a"])
        0.25
        """
        if not isinstance(self.constant, str):
            return self.constant
        if not self.constant:
            return float("nan")
        train, test = np.asarray(y_train), np.asarray(y_test)
        if self.needs == "amounts":
            known = train.astype(np.float64)
            middle = np.mean(known) if self.constant == "mean" else np.median(known)
            return self(test, np.full(len(test), middle))
        classes, counts = np.unique(train, return_counts=True)
        if self.needs == "probabilities" and not np.isin(test, classes).all():
            return float("nan")
        shares = np.tile(counts / counts.sum(), (len(test), 1))
        return self(test, shares, classes=classes.tolist())

    @cached_property
    def _takes(self) -> frozenset[str]:
        return frozenset(signature(self.load()).parameters)

    def _apply(
        self,
        truth: Any,
        given: Any,
        weights: Any,
        n_classes: int,
        options: dict[str, Any],
    ) -> Any:
        keywords = dict(options)
        if weights is not None:
            if "sample_weight" not in self._takes:
                raise InvalidInput(
                    f"{self.name} takes no weights; leave sample_weight out"
                )
            keywords["sample_weight"] = weights
        if "n_classes" in self._takes:
            keywords["n_classes"] = n_classes
        return self.load()(truth, given, **keywords)


@dataclass(frozen=True, kw_only=True)
class LabelMeasure(Measure):
    """A measure of many labels at once: its function reads both matrices itself.

    Attributes
    ----------
    served_by : tuple of str
        Which margin, made positive everywhere, is proved to optimise it: Table 2 of
        Wu & Zhou (2017).
    threshold : str
        Where the threshold belongs that the proof assumes, or an empty string.
    """

    served_by: tuple[str, ...] = ()
    threshold: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        facts = {**self.facts, "served_by": list(self.served_by)}
        object.__setattr__(self, "facts", facts)

    @property
    def key(self) -> str:
        """Name of the function, which `caveat.multilabel.evaluate` answers by."""
        return self.name.replace("-", "_")

    def __call__(
        self,
        y: Any,
        answers: Any,
        *,
        sample_weight: ArrayLike | None = None,
        classes: Any = None,
        **options: Any,
    ) -> float:
        """Judge scores or 0/1 decisions of shape (n_rows, n_labels)."""
        from caveat.measures._checks import weights_of

        n_rows = y.shape[0] if hasattr(y, "shape") else len(y)
        weights = weights_of(sample_weight, n_rows)
        return float(self._apply(y, answers, weights, 0, options))

    def floor(self, y_train: Any, y_test: Any) -> float:
        """Measure on test rows equal scores for all labels, or choosing none."""
        truth = np.asarray(y_test)
        return float(self.block(truth, np.zeros((1, *truth.shape)))[0])

    def block(
        self,
        truth: NDArray[Any],
        stack: NDArray[Any],
        *,
        sample_weight: Floats | None = None,
    ) -> Floats:
        """Judge a stack of shape (n_answers, n_rows, n_labels), one after another."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            each = (self(truth, one, sample_weight=sample_weight) for one in stack)
            return np.fromiter(each, dtype=np.float64, count=len(stack))
