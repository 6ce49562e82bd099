"""The price of lost columns: every answer of every model on the same test rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput
from caveat.measures import Measure
from caveat.pages import names as listed_names
from caveat.shift.curves._upper_bound import Refit
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.evaluation._predictions import Answers
from caveat.shift.importance._importance import feature_importance
from caveat.shift.imputers._imputers import leaves_missing
from caveat.shift.prices._folds import (
    IN_ITS_PLACE,
    STAND_INS,
    Contender,
    Fold,
    Tried,
    usual_contenders,
)
from caveat.shift.prices._outages import Outage
from caveat.shift.prices._resampling import FEW, Resampling, Score
from caveat.shift.scenarios._planning import name_of
from caveat.shift.scenarios._subsets import Masks, Subsets, mask_of

Key = tuple[str, str, str]
"""Model, what is gone, and how it was filled in."""

ALL, REFITTED = "", "refitted"
_MOST_COLUMNS = 40
_MOST_DEGREES = 8
_SUBSETS = 8


@dataclass
class Book:
    """What was measured: a value, its draws and their bends for every split.

    Attributes
    ----------
    measure : Measure
    resampling : Resampling
    distances : dict
        How far filled answers lie from those with all columns, per split: the mean
        squared difference. No label is read.
    told : set of str
        Models that are told which columns are gone; nothing is filled in for them.
    flat : dict of str to int
        In how many splits a model gave all rows one answer, with every column there.
    unread : set of (str, str)
        Models and outages of columns that they never read.
    """

    measure: Measure
    resampling: Resampling
    values: dict[Key, list[float]] = field(default_factory=dict)
    draws: dict[Key, list[NDArray]] = field(default_factory=dict)
    bends: dict[Key, list[NDArray]] = field(default_factory=dict)
    distances: dict[Key, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    flat: dict[str, int] = field(default_factory=dict)
    unread: set[tuple[str, str]] = field(default_factory=set)

    def score(self, key: Key) -> Score:
        """Put the splits of one number together."""
        return self.resampling.score(
            self.measure, self.values[key], self.draws[key], self.bends.get(key, [])
        )

    def loss(self, left: Key, right: Key) -> Score:
        """Say how much worse the right one is, paired."""
        found = self.score(left) - self.score(right)
        return found if self.measure.larger_is_better else -found

    def complete(self, key: Key) -> bool:
        """Whether every split has the number."""
        return len(self.values.get(key, ())) == len(self.resampling.tests)

    def ways(self, model: str, what: str) -> list[str]:
        """List the ways in which an outage of a model was met."""
        return [
            how for (who, which, how) in self.values if (who, which) == (model, what)
        ]

    def keys(self, model: str, what: str) -> list[str]:
        """List the ways that have a value in every split."""
        found = self.ways(model, what)
        return [how for how in found if self.complete((model, what, how))]

    def add(
        self,
        split: int,
        keys: Sequence[Key],
        answers: Answers,
        truth: Any,
        most: int | None = None,
    ) -> None:
        """Measure answers of one split; several under one key are averaged."""
        values, draws, bends = self.resampling.measure(
            self.measure, truth, answers, split, most
        )
        for key in dict.fromkeys(keys):
            mine = [place for place, one in enumerate(keys) if one == key]
            self.values.setdefault(key, []).append(float(values[mine].mean()))
            self.draws.setdefault(key, []).append(draws[:, mine].mean(axis=1))
            if bends is not None:
                self.bends.setdefault(key, []).append(bends[:, mine].mean(axis=1))

    def closest(self, model: str, what: str, among: Sequence[str]) -> str:
        """Choose the filling that changes the model's answers least: no label is read.

        For a calibrated model that is the rise of the Brier score, or of the squared
        error: E(y - g)² = E(y - f)² + E(f - g)² where f is E(y | x).
        """
        return min(
            among, key=lambda how: float(np.mean(self.distances[model, what, how]))
        )


@dataclass(frozen=True)
class Task:
    """What is to be measured.

    Attributes
    ----------
    outages : sequence of Outage
        What is about to be lost; each is filled in every way and refitted. A model that
        is told what is gone answers once, and nothing is filled in.
    imputers : sequence
        The first is the one of columns and decay.
    metric : str or None
    positive : label or None
        Which of two classes F1 and the like are about.
    task : str
    columns, decay, refit : bool
        Whether each column is taken away alone, any number of them, and whether models
        are fitted again.
    pairs : mapping of str to pairs of columns
        Per model, columns that are taken away two at a time.
    seed : int
    """

    outages: Sequence[Outage]
    imputers: Sequence[Any]
    metric: Any
    task: str
    positive: Any = None
    columns: bool = True
    decay: bool = True
    refit: bool = True
    pairs: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    seed: int = 0


def measure_prices(
    folds: Sequence[Fold],
    units: NDArray[np.intp],
    contenders: Sequence[Contender],
    task: Task,
    *,
    progress: Callable[[int, int], None] | None = None,
    found: Callable[[Book, str], None] | None = None,
) -> Book:
    """Ask every model on every split, with all columns and without.

    Parameters
    ----------
    folds : sequence of Fold
    units : array (rows,)
        Rows with the same number are drawn together.
    contenders : sequence of Contender
    task : Task
    progress : callable, optional
        ``progress(done, total)``.
    found : callable, optional
        Told after every model of the first split: what is known by then.
    """
    resampling = Resampling(units, [fold.rows for fold in folds], task.seed)
    book: Book | None = None
    total, done = len(folds) * len(contenders), 0
    if progress is not None:
        progress(done, total)
    for split, fold in enumerate(folds):
        for one in contenders:
            asked = _Asked(one, fold, task)
            if book is None:
                book = Book(asked.bench.measures(task.metric)[0], resampling)
            with warnings.catch_warnings():
                # Measures that are not defined become NaN, and are told as such.
                warnings.simplefilter("ignore", UserWarning)
                asked.outages(book, split)
                if split == 0 and found is not None:
                    found(book, one.name)
                asked.rest(book, split, folds[0])
            done += 1
            if progress is not None:
                progress(done, total)
    assert book is not None
    book.notes = list(dict.fromkeys([*book.notes, *_flat_notes(book, len(folds))]))
    return book


def _flat_notes(book: Book, splits: int) -> list[str]:
    """Name models that give all rows one answer: a score of theirs is no skill."""
    if not book.flat:
        return []
    each = [
        name if count == splits else f"{name} (in {count} of {splits} splits)"
        for name, count in book.flat.items()
    ]
    who = "each of " * (len(each) > 1) + str(listed_names(each, most=len(each)))
    return [f"all rows get one value from {who}, whatever their columns hold"]


class _Asked:
    """One fitted model on the rows of one split."""

    def __init__(self, contender: Contender, fold: Fold, task: Task) -> None:
        self.contender, self.fold, self.task = contender, fold, task
        self.model = contender.fit(fold)
        self.name = contender.name
        self._benches: dict[str, Bench] = {}
        self.bench = self._bench(task.imputers[0])
        self.intact = self.bench.answers(self.bench.nothing_gone[None])[0]

    def _bench(self, imputer: Any) -> Bench:
        name = name_of(imputer)
        if name not in self._benches:
            self._benches[name] = Bench(
                self.model,
                *self.fold.parts,
                imputer=imputer,
                task=self.task.task,
                seed=self.task.seed,
            )
        return self._benches[name]

    def outages(self, book: Book, split: int) -> None:
        """Measure all columns, and every outage filled in and refitted."""
        keys: list[Key] = [(self.name, ALL, "")]
        answers = [self.intact]
        if self.bench.told:
            book.told.add(self.name)
        spread = np.ptp(self.intact, axis=0).max()
        if len(self.intact) > 1 and spread <= 1e-12 * np.abs(self.intact).max():
            book.flat[self.name] = book.flat.get(self.name, 0) + 1
        for outage in self.task.outages:
            read = outage.read(self.bench)
            if not read:
                book.unread.add((self.name, outage.words))
            if unread := [name for name in outage.columns if name not in read]:
                which = listed_names(unread, most=4)
                book.notes.append(f"not read by {self.name}: {which}")
            for imputer in self._ways(outage):
                key = (self.name, outage.words, name_of(imputer))
                filled = self._failed(outage, imputer, book)
                if filled is None:
                    continue
                gap = np.mean((filled - self.intact) ** 2)
                book.distances.setdefault(key, []).append(float(gap))
                keys.append(key)
                answers.append(filled)
            refitted = self._refitted(outage, book) if self.task.refit else {}
            hit = outage.hits(self.fold, self.task.seed)
            hit = hit if self.intact.ndim == 1 else hit[:, None]
            for how, again in refitted.items():
                # Rows that are not hit keep the model that has all columns.
                keys.append((self.name, outage.words, how))
                answers.append(np.where(hit, again, self.intact))
        self._add(book, split, keys, answers)

    def _add(
        self,
        book: Book,
        split: int,
        keys: Sequence[Key],
        answers: Sequence[Answers],
        most: int | None = None,
    ) -> None:
        stack = np.stack(list(answers))
        truth, told = self.bench.target.towards(self.task.positive, stack)
        book.add(split, keys, told, truth, most)

    def _ways(self, outage: Outage) -> Sequence[Any]:
        """List how a loss can be met; a model that is told of it has one way only."""
        if outage.kind != "vanish":
            return ["as it arrives"]
        return [TOLD] if self.bench.told else self.task.imputers

    def _failed(self, outage: Outage, imputer: Any, book: Book) -> Answers | None:
        named = name_of(imputer)
        as_missing = leaves_missing(named)
        if as_missing and not self.contender.native:
            return None  # missing cells never reach such a model
        filled = outage.kind == "vanish" and not self.bench.told
        known = imputer if filled else self.task.imputers[0]
        try:
            return outage.answers(
                self._bench(known), self.fold, self.intact, seed=self.task.seed
            )
        except InvalidInput as error:
            if not filled or imputer == self.task.imputers[0]:
                raise
            reason = "the model takes no missing cells" if as_missing else error
            book.notes.append(
                f"filling in by {named} was left out for {self.name}: {reason}"
            )
            return None

    def _refitted(self, outage: Outage, book: Book) -> dict[str, Answers]:
        """Answer by a model that never had the columns; else by stand-ins."""
        if not outage.read(self.bench):
            return {}
        mask = outage.mask(self.bench)
        if self.contender.again is not None:
            try:
                refit = self._refit(self.contender.again)
                again = refit(mask)
                if refit.held:
                    book.notes.append(
                        f"as {self.name} names its columns itself, it was fitted again "
                        "with one value in all cells of those that are gone"
                    )
                return {REFITTED: again}
            except InvalidInput as error:
                book.notes.append(f"could not fit {self.name} again: {error}")
        else:
            book.notes.append(
                f"could not fit {self.name} again: it only answers; {IN_ITS_PLACE}"
            )
        found = {}
        stand_ins, _ = usual_contenders(STAND_INS, self._kind(), self.task.seed)
        for one in stand_ins:
            refit = self._refit(one.again)
            try:
                found[f"{REFITTED} {one.name}"] = refit(mask)
            except InvalidInput as error:
                book.notes.append(f"could not fit {one.name}: {error}")
        return found

    def _refit(self, make: Callable[[list[str]], Any] | None) -> Refit:
        bonds = self.fold.bonds
        labels = self.fold.y_train
        return Refit(self.bench, labels, make, bonds, IN_ITS_PLACE, hold=True)

    def _kind(self) -> str:
        if self.task.task == "regression":
            return "regression"
        return "binary" if self.bench.target.n_classes == 2 else "multiclass"

    def rest(self, book: Book, split: int, first: Fold) -> None:
        """Take each column away alone, then any number of them.

        The first split says which columns, so that all splits have the same.
        """
        keys: list[Key] = []
        masks: list[Masks] = []
        names = self.bench.names
        if self.task.columns:
            for place in self._single(first):
                keys.append((self.name, f"column {names[place]}", ""))
                masks.append(mask_of([place], len(names)))
        if self.task.decay:
            for k in decay_degrees(len(names)):
                for mask in decay_masks(len(names), k, self.task.seed):
                    keys.append((self.name, f"any {k}", ""))
                    masks.append(mask)
        for left, right in self.task.pairs.get(self.name, ()):
            keys.append((self.name, f"pair {left} | {right}", ""))
            gone = [names.index(left), names.index(right)]
            masks.append(mask_of(gone, len(names)))
        per_block = max(1, self.bench.evaluator.per_block)
        answers: list[Answers] = []
        for start in range(0, len(masks), per_block):
            answers += list(self.bench.answers(np.stack(masks[start:][:per_block])))
        if answers:
            self._add(book, split, keys, answers, FEW)

    def _single(self, first: Fold) -> list[int]:
        """Every column, or those that correlate most with the target."""
        names = self.bench.names
        if len(names) <= _MOST_COLUMNS:
            return list(range(len(names)))
        strength = feature_importance(first.X_train[names], first.y_train).abs()
        kept = set(strength.nlargest(_MOST_COLUMNS).index)
        return [place for place, name in enumerate(names) if name in kept]


def decay_degrees(n_columns: int) -> list[int]:
    """Choose how many columns vanish: every number, or a few of them."""
    if n_columns <= _MOST_DEGREES:
        return list(range(1, n_columns + 1))
    spaced = np.linspace(1, n_columns, _MOST_DEGREES).round().astype(int)
    return sorted(set(spaced.tolist()))


def decay_masks(n_columns: int, k: int, seed: int) -> Masks:
    """Draw a few subsets of k columns, the same for all models and splits."""
    return Subsets(n_columns, k, most=_SUBSETS, seed=seed).take(0, _SUBSETS)


def expected_seconds(
    tried: Mapping[str, Tried], folds: Sequence[Fold], task: Task
) -> dict[str, float]:
    """Guess how long each model will take, from how long it took once.

    Every split costs a fit, and one more for each outage; and every column, every
    subset and every way to fill in asks for the test rows once more.
    """
    fold = folds[0]
    columns = fold.X_train.shape[1]
    fits = 1 + len(task.outages)
    asks = 1 + min(columns, _MOST_COLUMNS) + len(task.outages) * len(task.imputers)
    asks += sum(min(_SUBSETS, comb(columns, k)) for k in decay_degrees(columns))
    return {
        name: len(folds)
        * (
            fits * one.fit * len(fold.X_train) / one.learnt
            + asks * one.ask * len(fold.X_test) / one.asked
        )
        for name, one in tried.items()
    }
