"""Whose rows, and which models: what a price is measured with."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from caveat.datasets import Dataset
from caveat.exceptions import CaveatError, InvalidInput, MissingExtra
from caveat.models import (
    MODELS,
    Bonds,
    counterpart,
    early_settings,
    fit_model,
    holds_out,
    make_model,
)
from caveat.shift.curves._upper_bound import fresh
from caveat.study import row_bonds, split_rows

USUAL = ("logistic-regression", "random-forest", "hist-gradient-boosting", "lightgbm")
IN_ITS_PLACE = "other models were fitted in its place"
STAND_INS = ("logistic-regression", "hist-gradient-boosting")


@dataclass(frozen=True)
class Fold:
    """One division of the rows.

    Attributes
    ----------
    X_train, y_train, X_test, y_test : DataFrame and Series
    rows : array of int
        Which rows are tested, of all that are used.
    side : DataFrame or None
        What is known of the test rows besides the features: dates, sites.
    bonds : Bonds
        What binds the training rows: groups, time.
    """

    X_train: pd.DataFrame
    y_train: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series
    rows: NDArray[np.intp]
    side: pd.DataFrame | None = None
    bonds: Bonds = field(default_factory=Bonds)

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        """Return both parts in the order of `shift_curve`."""
        return self.X_train, self.y_train, self.X_test, self.y_test

    @property
    def sizes(self) -> tuple[int, int]:
        """Count the rows of both parts."""
        return len(self.X_train), len(self.X_test)


@dataclass(frozen=True)
class Contender:
    """A model whose loss is priced.

    Attributes
    ----------
    name : str
    fit : callable
        From a fold to a fitted model; a model that is there already stays as it is.
    again : callable or None
        From column names to an unfitted model of the same kind; None if it cannot be
        fitted again here.
    native : bool
        Whether missing cells reach the model itself.
    early : dict
        Settings with which it stops as the networks beside it do; empty otherwise.
    stops : bool
        Whether it holds training rows out to stop early.
    fitted : list
        Language models as they were asked: they count what that took.
    """

    name: str
    fit: Callable[[Fold], Any]
    again: Callable[[list[str]], Any] | None
    native: bool = True
    early: dict[str, Any] = field(default_factory=dict)
    stops: bool = False
    fitted: list[Any] = field(default_factory=list)


def make_folds(
    dataset: Dataset,
    *,
    repeats: int,
    test_size: float = 0.25,
    groups: str | None = None,
    order: str | None = None,
    max_rows: int = 10_000,
    aside: Sequence[str] = (),
    seed: int = 0,
) -> tuple[list[Fold], NDArray[np.intp], list[str]]:
    """Divide a table's rows several times; by time there is one division only.

    Returns
    -------
    folds, units, notes
        `units` numbers the rows, of those that are used, that are drawn together.
    """
    X, y, notes = dataset.X, dataset.y, []
    assert y is not None
    how = {"test-size": test_size, "stratify": True, "groups": groups, "order": order}
    features = [name for name in X.columns if name not in {*aside, groups, order}]
    if not features:
        raise InvalidInput("no column is left that could vanish; keep one with --keep")
    bonds = row_bonds(dataset, how)
    rng = np.random.default_rng([seed, 2])
    kept = np.arange(len(X))
    if len(X) > max_rows:
        kept = np.sort(rng.choice(len(X), max_rows, replace=False))
        notes.append(
            f"{max_rows:,} of {len(X):,} rows were used; --max-rows takes more"
        )
    folds = []
    for repeat in range(1 if order else repeats):
        split = split_rows(dataset, how, seed + repeat)
        train, test = (np.intersect1d(part, kept) for part in (split.train, split.test))
        folds.append(
            Fold(
                X[features].iloc[train],
                y.iloc[train],
                X[features].iloc[test],
                y.iloc[test],
                # Numbered among the rows that are used: what share of these a split
                # tests, its intervals hang on.
                np.searchsorted(kept, test),
                X.drop(columns=features).iloc[test],
                bonds.of(train),
            )
        )
    units = np.arange(len(kept))
    if groups is not None:
        units = pd.factorize(X[groups].iloc[kept])[0]
    return folds, units, notes


def usual_contenders(
    names: Sequence[str] | None, task: str, seed: int, beside: Sequence[Any] = ()
) -> tuple[list[Contender], list[str]]:
    """Make contenders of caveat's models; usual ones whose library lacks are told.

    Where one of them, or of the models `beside` them, is a network, boosting stops
    early as it does.
    """
    found, notes = [], []
    chosen = [counterpart(name, task) for name in names or USUAL]
    for known in chosen:
        early = early_settings(known, [*chosen, *beside])
        if MODELS[known].facts.get("needs") == "weights":
            raise InvalidInput(
                f"{known} needs a file of weights, which its name alone does not give; "
                f"in Python fit make_model({known!r}, ..., weights=PATH), and pass it "
                "as model="
            )
        try:
            make_model(known, task, random_state=seed, **early)
        except MissingExtra as error:
            if names:
                raise
            notes.append(f"without the model {known}: {error}")
            continue
        found.append(_by_name(known, task, seed, early))
    return found, notes


def _by_name(name: str, task: str, seed: int, early: dict[str, Any]) -> Contender:
    def make(columns: list[str]) -> Any:
        return make_model(name, task, random_state=seed, **early)

    def fit(fold: Fold) -> Any:
        return fit_model(make([]), fold.X_train, fold.y_train, fold.bonds)

    native = bool(MODELS[name].facts.get("native_missing", True))
    stops = bool(early) or holds_out(name)
    return Contender(name, fit, make, native, early, stops)


class Relabelled:
    """A fitted model that numbers its classes, under the names of the rows.

    The model itself stays as it is.

    Parameters
    ----------
    given : fitted model
        Its classes are 0, 1, ...
    labels : sequence
        What they are called.
    """

    def __init__(self, given: Any, labels: Sequence[Any]) -> None:
        self.given = given
        self.classes_ = np.array(labels)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("given", "fit", "get_params"):
            raise AttributeError(name)
        return getattr(self.given, name)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the names of the classes."""
        return self.classes_[np.asarray(self.given.predict(X)).ravel().astype(int)]


def given_contender(
    name: str, model: Any, labels: Sequence[Any] | None = None
) -> Contender:
    """Take a model as it is; it is fitted again only if it can be cloned and fitted.

    A language model learns nothing: its fit chooses examples, in every split anew, and
    what is gone is in no prompt already.

    Parameters
    ----------
    name : str
    model : fitted model or callable
    labels : sequence, optional
        What the rows call the classes that the model numbers.
    """
    if hasattr(model, "prompts"):
        fitted: list[Any] = []

        def choose(fold: Fold) -> Any:
            fitted.append(clone(model).fit(fold.X_train, fold.y_train))
            return fitted[-1]

        return Contender(name, choose, None, fitted=fitted)
    again = None
    if hasattr(model, "fit"):
        try:
            clone(model)
        except Exception:
            again = None
        else:

            def again(columns: list[str]) -> Any:
                return fresh(model, IN_ITS_PLACE)

    asked = model if labels is None else Relabelled(model, labels)
    return Contender(name, lambda fold: asked, again, stops=holds_out(model))


@dataclass(frozen=True)
class Tried:
    """How long a model took on held-out training rows.

    Attributes
    ----------
    fit, ask : float
        Seconds to learn `learnt` rows, and to answer `asked` once.
    learnt, asked : int
    """

    fit: float
    ask: float
    learnt: int
    asked: int


def first_choice(
    contenders: Sequence[Contender],
    fold: Fold,
    score: Callable[..., float],
    *,
    classify: bool,
    progress: Callable[[int], None] = lambda tried: None,
) -> tuple[str, dict[str, Tried]]:
    """Choose the model to deploy on held-out training rows: no test label is read.

    Whole groups, or the latest rows, are held out where somebody named them.

    Returns
    -------
    name, tried
        `tried` says how long each took; empty where there was nothing to choose.
    """
    able = [one for one in contenders if one.again is not None]
    if len(contenders) == 1 or len(able) < len(contenders):
        return contenders[0].name, {}
    learnt, held = _quarter(fold, classify)
    inner = Fold(
        fold.X_train.iloc[learnt],
        fold.y_train.iloc[learnt],
        fold.X_train.iloc[held],
        fold.y_train.iloc[held],
        held,
        bonds=fold.bonds.of(learnt),
    )
    values, tried = {}, {}
    for number, one in enumerate(able):
        progress(number)
        started = time.perf_counter()
        try:
            model = one.fit(inner)
            fitted = time.perf_counter() - started
            values[one.name] = score(model, inner)
            # Asked a second time: the first may have loaded a library.
            started = time.perf_counter()
            model.predict(inner.X_test)
        except (CaveatError, ValueError):
            continue
        asked = time.perf_counter() - started
        tried[one.name] = Tried(fitted, asked, len(learnt), len(held))
    known = {name: value for name, value in values.items() if np.isfinite(value)}
    best = max(known, key=lambda name: known[name]) if known else contenders[0].name
    return best, tried


def _quarter(fold: Fold, classify: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Hold a quarter of the training rows out, as the test rows were."""
    count = len(fold.y_train)
    if fold.bonds:
        held = fold.bonds.hold_out(fold.y_train, 0.25, classify=classify, seed=count)
        if len(held):
            return np.setdiff1d(np.arange(count), held), held
    order = np.random.default_rng(count).permutation(count)
    cut = max(1, count // 4)
    return order[cut:], order[:cut]
