"""One set of fits, every strategy's verdict: the search behind selection tables.

For each configuration and each strategy's splits, fit on the training part and compare
the predicted shares with the known ones on the validation part. Which strategy chooses,
and by which criterion, is decided afterwards by looking at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.criteria import bag_kl, bag_l1, bag_l1_weighted, oracle_error
from caveat.bags.learners._base import Output
from caveat.bags.registry import RULE, SPLITTERS
from caveat.bags.selection._fitters import make_fitter
from caveat.bags.selection._splits import BagSplitter
from caveat.exceptions import CaveatError, InvalidInput

STRATEGIES = tuple(SPLITTERS)
SCORES: Mapping[str, Callable[[Output, NDArray, NDArray], float]] = {
    "": lambda output, bags, shares: bag_l1(output[0], bags, shares),
    "-weighted": lambda output, bags, shares: bag_l1_weighted(output[0], bags, shares),
    "-kl": lambda output, bags, shares: bag_kl(output[0], bags, shares),
    "-soft": lambda output, bags, shares: bag_l1(output[1], bags, shares),
}


@dataclass(frozen=True)
class Selection:
    """What a search found.

    Attributes
    ----------
    configurations : list of dict
        Parameters, in grid order.
    table : DataFrame
        A row per configuration; a column per strategy (sum over bags of the
        distance between predicted and known shares, mean over its splits) and per
        further criterion (``-weighted``, ``-kl``, ``-soft``). NaN where a
        configuration failed or a strategy cannot be used; with labels also
        ``oracle-error``.
    models : list
        Every configuration fitted to all training items; None where that failed.
    notes : list of str
        What failed or could not be used, and why.
    """

    configurations: list[dict[str, Any]]
    table: pd.DataFrame
    models: list[Any]
    notes: list[str] = field(default_factory=list)

    def best(self, rule: str = RULE) -> int:
        """Tell which configuration a column prefers; the first among equals."""
        check_choice("rule", rule, list(self.table.columns))
        values = self.table[rule]
        usable = values[[model is not None for model in self.models]].dropna()
        if usable.empty:
            raise CaveatError(
                f"rule: no configuration has a value of {rule!r}; "
                + (self.notes[0] if self.notes else "none could be fitted")
            )
        return int(np.asarray(usable.index)[int(usable.to_numpy().argmin())])

    def best_params(self, rule: str = RULE) -> dict[str, Any]:
        """Give the parameters of the configuration that a column prefers."""
        return self.configurations[self.best(rule)]

    def best_model(self, rule: str = RULE) -> Any:
        """Give the preferred configuration, fitted to all training items."""
        return self.models[self.best(rule)]


def search(
    learner: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
    X: Any,
    bags: Any,
    proportions: Any,
    *,
    strategies: Sequence[str] | Mapping[str, BagSplitter] = STRATEGIES,
    n_splits: int = 5,
    validation_size: float = 0.5,
    aggregate: str = "mean",
    y: ArrayLike | None = None,
    random_state: Any = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Selection:
    """Judge every configuration of a grid by every strategy, without labels.

    Parameters
    ----------
    learner : BagClassifier, or any estimator
        An estimator of somebody else's has a `fit` that takes ``bags`` and
        ``proportions``; a pipeline ends in such a one. Those are fitted one by one,
        to the items as given.
    grid : mapping of str to list, or list of mappings
        Values per parameter (the last one varies fastest), or configurations.
    X, bags, proportions
        The training items, as in `BagClassifier.fit`.
    strategies : sequence of str, or mapping of str to BagSplitter
        Some of ``full-bag-kfold``, ``split-bag-kfold``, ``split-bag-shuffle``,
        ``split-bag-bootstrap``; or splitters of your own, by name.
    n_splits : int, default=5
        Splits of each strategy; ``full-bag-kfold`` has at most as many as bags.
    validation_size : float, default=0.5
        Validation share of shuffle and bootstrap.
    aggregate : {"mean", "median"}, default="mean"
        Over the splits of a strategy.
    y : array-like of shape (n_items,), optional
        True labels, for ``oracle-error`` only: the error on the validation parts of
        ``split-bag-shuffle`` (or the last strategy asked for).
    random_state : int or None, default=None
        Seeds every strategy's splitter.
    progress : callable, optional
        ``progress(done, total)``, after every split.

    Returns
    -------
    Selection

    Warnings
    --------
    A criterion knows shares, not items: the configuration it prefers may be far from
    the best. `Selection` tells; the regret of a rule can only be seen with labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from caveat.bags import MeanMap, make_bags, search
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> bags = make_bags(X, y, variant="simple", n_bags=5, random_state=0)
    >>> found = search(MeanMap(), {"lam": [1, 100]}, X, bags.assignment,
    ...                bags.proportions, random_state=0)
    >>> found.table.shape
    (2, 16)
    >>> sorted(found.best_params("split-bag-kfold"))
    ['lam']
    """
    if isinstance(strategies, str):
        raise InvalidInput(
            f"strategies: found the text {strategies!r}; expected a list of names"
        )
    configurations = grid_configurations(grid)
    check_choice("aggregate", aggregate, ["mean", "median"])
    check_number("validation_size", validation_size, above=0, most=0.99)
    check_whole("n_splits", n_splits, least=2)
    items = make_fitter(learner, X, bags, proportions)
    models = [clone(learner).set_params(**params) for params in configurations]
    truth = None if y is None else _truth(y, items.classes, len(items.bags))
    sizes = np.bincount(items.bags, minlength=len(items.shares))
    sizes = sizes[sizes > 0]
    notes: list[str] = []
    found: dict[str, list[list[float]]] = {}
    splitters = _splitters(
        strategies, sizes, n_splits, validation_size, random_state, notes
    )
    # One strategy's parts judge for all, so that configurations meet the same items.
    oracle = RULE if RULE in splitters else next(reversed(splitters), "")
    total = sum(splitter.n_splits for splitter in splitters.values()) + 1
    done = 0
    on_parts: list[str] = []
    for name, splitter in splitters.items():
        found_here: list[str] = []
        for train, validation in splitter.split(None, None, items.bags, items.shares):
            parts = [clone(model) for model in models]
            outputs = items.outputs(items.fit(parts, train, found_here), validation)
            part_bags = items.bags[validation]
            for suffix, score in SCORES.items():
                column = found.setdefault(name + suffix, [])
                column.append(
                    [
                        np.nan if out is None else score(out, part_bags, items.shares)
                        for out in outputs
                    ]
                )
            if truth is not None and name == oracle:
                errors = [
                    np.nan if out is None else oracle_error(out[0], truth[validation])
                    for out in outputs
                ]
                found.setdefault("oracle-error", []).append(errors)
            done += 1
            progress(done, total)
        on_parts += [f"{name}: {note}" for note in found_here]
    reduce = np.mean if aggregate == "mean" else np.median
    columns = {name: reduce(np.array(rows), axis=0) for name, rows in found.items()}
    fitted = items.fit(models, None, notes)
    # What is true of all items is said once; the rest is about a strategy's splits.
    notes += [note for note in on_parts if note.partition(": ")[2] not in notes]
    progress(total, total)
    table = pd.DataFrame(columns, index=range(len(configurations)))
    return Selection(configurations, table, fitted, notes)


def _splitters(
    strategies: Sequence[str] | Mapping[str, BagSplitter],
    sizes: NDArray,
    n_splits: int,
    validation_size: float,
    random_state: Any,
    notes: list[str],
) -> dict[str, BagSplitter]:
    """Give a splitter per strategy that bags of these sizes allow."""
    if isinstance(strategies, Mapping):
        return dict(strategies)
    found = {}
    for name in strategies:
        check_choice("strategy", name, STRATEGIES)
        kind: type[BagSplitter] = SPLITTERS[name].load()
        if obstacle := kind.obstacle(sizes, n_splits):
            notes.append(f"{name} {obstacle}")
            continue
        found[name] = strategy_splitter(
            name,
            kind.possible_splits(sizes, n_splits),
            validation_size=validation_size,
            random_state=random_state,
        )
    return found


def grid_configurations(
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Every combination, parameters in the order listed, the last varying fastest.

    Examples
    --------
    >>> grid_configurations({"lam": [0, 1], "gamma": [0.1]})
    [{'lam': 0, 'gamma': 0.1}, {'lam': 1, 'gamma': 0.1}]
    """
    if not isinstance(grid, Mapping):
        configurations = [dict(params) for params in grid]
    else:
        for name, values in grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
                raise InvalidInput(
                    f"grid: {name} is {values!r}; expected a list of values"
                )
            if len(values) == 0:
                raise InvalidInput(f"grid: {name} has no values; give at least one")
        # ParameterGrid sorts names; our order is the one listed.
        ordered = {f"{k:04d}": values for k, values in enumerate(grid.values())}
        names = list(grid)
        configurations = [
            {name: point[f"{k:04d}"] for k, name in enumerate(names)}
            for point in ParameterGrid(ordered)
        ]
    if not configurations:
        raise InvalidInput("grid: found no configuration; give at least one")
    return configurations


def strategy_splitter(
    name: str,
    n_splits: int,
    *,
    validation_size: float = 0.5,
    random_state: Any = None,
) -> BagSplitter:
    """Build the splitter that goes by the name of a strategy."""
    check_choice("strategy", name, STRATEGIES)
    made: BagSplitter = SPLITTERS[name].make_for(
        {"n_splits": n_splits},
        validation_size=validation_size,
        random_state=random_state,
    )
    return made


def _truth(y: ArrayLike, classes: NDArray, n_items: int) -> NDArray:
    labels = np.asarray(y)
    if labels.shape != (n_items,):
        raise InvalidInput(f"y: found shape {labels.shape}; expected one per item")
    # Class numbers when the proportions named no classes.
    places = {value: code for code, value in enumerate(classes.tolist())}
    return np.array([places.get(value, -1) for value in labels.tolist()])
