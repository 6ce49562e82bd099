"""Which columns the value rests on: three ways of asking."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from caveat.eapp._inputs import Images, Table
from caveat.eapp.folds._fold import FoldResult
from caveat.eapp.labelings._scores import labeling_scores
from caveat.eapp.registry import REPRESENTATIONS
from caveat.eapp.target._prediction import Pair
from caveat.eapp.target._target import Task
from caveat.exceptions import InvalidInput, UnknownName
from caveat.ranking import concordance, roc_auc

if TYPE_CHECKING:
    from caveat.eapp._eapp import EAPP

# Images are asked patch by patch, on a grid of so many rows and columns.
GRID = 8


def find_drivers(
    model: EAPP, method: str, repeats: int, random_state: Any
) -> pd.DataFrame:
    """Rank the columns of a fitted EAPP, see `EAPP.drivers`."""
    if method not in METHODS:
        raise UnknownName.among("method", method, METHODS)
    if not isinstance(repeats, int | np.integer) or repeats < 1:
        raise InvalidInput(f"repeats: found {repeats!r}; pass a whole number from 1")
    if method != "single" and np.isnan(model._headline.value):
        raise InvalidInput(
            f"method: there is no value at 1/p0 for {method!r} to explain "
            f"({'; '.join(model.notes_)}); 'single' looks at every column alone"
        )
    column, values = METHODS[method](model, repeats, check_random_state(random_state))
    frame = pd.DataFrame({"column": list(values), column: list(values.values())})
    return frame.sort_values(column, ascending=False, kind="stable", ignore_index=True)


def _permute(
    model: EAPP, repeats: int, rng: np.random.RandomState
) -> tuple[str, dict[str, float]]:
    """AUC lost when one column's held-out values change places."""
    drops: dict[str, list[float]] = {}
    for number, fold in enumerate(model._folds):
        test = model._splits[number][1]
        encoded = fold.encoder.encode(test)
        intact = _value(model, number, fold, encoded)
        for name, columns in blocks_of(fold.encoder, model._data):
            for _ in range(repeats):
                changed = encoded.copy()
                # Encoding works cell by cell, so moving encoded cells moves raw ones.
                changed[:, columns] = encoded[rng.permutation(len(test))][:, columns]
                lost = intact - _value(model, number, fold, changed)
                drops.setdefault(name, []).append(lost)
    return "drop", {name: float(np.mean(lost)) for name, lost in drops.items()}


def _single(
    model: EAPP, repeats: int, rng: np.random.RandomState
) -> tuple[str, dict[str, float]]:
    """EAPP of each column alone, on the same folds."""
    alone = clone(model).set_params(
        representation="none",
        clusterer="kmeans",
        scheme="independent",
        folds=model._splits,
        k_max=max(2, max(task.k_ceil for task in model._tasks)),
        selection="train",
        shuffles=0,
        random_state=rng.randint(2**31 - 1),
        kinds=None,
    )
    values: dict[str, float] = {}
    labels = model._target.labels()
    for name, X, kind in _columns_alone(model._data):
        alone.set_params(kind=kind)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                values[name] = alone.fit(X, labels).value_
        except InvalidInput:
            values[name] = float("nan")
        if np.isnan(values[name]):
            # A column with fewer values than clusters cannot be cut into them.
            values[name] = _by_values(model, X)
    return "value", values


def _by_values(model: EAPP, X: Any) -> float:
    """Judge a column with fewer values than clusters: each value is one, then.

    Held-out rows get the mean target that their value has among the training rows.
    """
    cells = pd.DataFrame(np.asarray(X)).apply(tuple, axis=1)
    codes = pd.factorize(cells)[0]
    target, found = model._target, []
    for train, test in model._splits:
        size = np.bincount(codes[train], minlength=codes.max() + 1)
        for task in target.tasks:
            numbers = target.numbers
            if numbers is None:
                truth = target.positive(task, np.arange(len(codes))).astype(float)
            else:
                truth = numbers
            total = np.bincount(codes[train], truth[train], minlength=len(size))
            mean = np.where(size > 0, total / np.maximum(size, 1), truth[train].mean())
            judge = roc_auc if numbers is None else concordance
            found.append(judge(truth[test], mean[codes[test]]))
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


def _loading(
    model: EAPP, repeats: int, rng: np.random.RandomState
) -> tuple[str, dict[str, float]]:
    """Share of each column in the step from the negative to the positive clusters."""
    chosen = model.representation
    if not isinstance(chosen, str) or not REPRESENTATIONS[chosen].facts.get("linear"):
        raise InvalidInput(
            f"method: 'loading' reads principal components, the representation is "
            f"{model.representation!r}; use 'permute'"
        )
    totals: dict[str, float] = {}
    for number, fold in enumerate(model._folds):
        steps = [
            _step(model, number, fold, index, task)
            for index, task in enumerate(model._tasks)
        ]
        squares = np.square(steps).sum(axis=0)
        for name, columns in blocks_of(fold.encoder, model._data):
            totals[name] = totals.get(name, 0.0) + float(np.sum(squares[columns]))
    whole = sum(totals.values()) or 1.0
    return "share", {name: value / whole for name, value in totals.items()}


def _step(
    model: EAPP, number: int, fold: FoldResult, index: int, task: Task
) -> NDArray[np.float64]:
    """Mean positive minus mean negative centroid, in encoded columns."""
    clusters = fold.clusters[task.k_floor]
    positive = _labels(model, number, task.k_floor, index)
    # A cluster that no training point is nearest to has no say beside the others.
    sizes = np.maximum(np.asarray(clusters.sizes, float), 1e-9)
    up = np.average(clusters.centroids[positive], axis=0, weights=sizes[positive])
    down = np.average(clusters.centroids[~positive], axis=0, weights=sizes[~positive])
    return (up - down) @ fold.representations[task.k_floor].components_


METHODS: dict[
    str,
    Callable[[Any, int, np.random.RandomState], tuple[str, dict[str, float]]],
] = {"permute": _permute, "single": _single, "loading": _loading}


def _value(
    model: EAPP, number: int, fold: FoldResult, encoded: NDArray[np.float64]
) -> float:
    """Mean AUC of a fold's held-out rows at 1/p₀ under the labelings it has."""
    rows = model._splits[number][1]
    needed = {k for task in model._tasks for k in (task.k_floor, task.k_ceil)}
    distances = {
        k: fold.clusters[k].distances(fold.representations[k].transform(encoded))
        for k in needed & fold.clusters.keys()
    }
    values = []
    for index, task in enumerate(model._tasks):
        found = np.full(len(model._ks), np.nan)
        for k in {task.k_floor, task.k_ceil} & distances.keys():
            found[model._ks.index(k)] = _judged(
                model, number, k, index, distances[k], rows
            )
        values.append(task.at_k_star(found, model._ks))
    return float(np.mean(values))


def _judged(
    model: EAPP,
    number: int,
    k: int,
    index: int,
    distances: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> float:
    """AUC of one class, or concordance of a measured target, at one k."""
    target = model._target
    if target.numbers is not None:
        guess = Pair.of(distances).predict(model._folds[number].means[k])
        return concordance(target.numbers[rows], guess)
    labels = _labels(model, number, k, index)
    scores = labeling_scores(distances, labels, model.score)
    return roc_auc(target.positive(target.tasks[index], rows), scores)


def _labels(model: EAPP, number: int, k: int, index: int) -> NDArray[np.bool_]:
    """Spell out the labeling that a fold chose for one class.

    Of a measured target, clusters in the upper half of its range are positive.
    """
    fold = model._folds[number]
    if k in fold.means:
        means = fold.means[k]
        return means > (means.min() + means.max()) / 2
    masks = fold.masks if model._honest else fold.paper_masks
    mask = masks[model._ks.index(k)][index]
    return np.array([(mask >> j) & 1 for j in range(k)], bool)


def blocks_of(
    encoder: Any, data: Table | Images
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield every column (or patch of the images) and its encoded columns."""
    if isinstance(data, Images):
        yield from _patches(data.shape)
        return
    table = encoder.encoder
    names = list(table.get_feature_names_out())
    owners: dict[str, list[int]] = {name: [] for name in table.columns_}
    start = len(names) - sum(table.sizes_)
    # Numbers come first, then their indicators, then the levels block by block.
    for place, name in enumerate(names[:start]):
        owner = name if name in owners else name.removesuffix(" is missing")
        owners[owner].append(place)
    for name, size in zip(table.levels_, table.sizes_, strict=True):
        owners[name].extend(range(start, start + size))
        start += size
    for name, places in owners.items():
        yield name, np.array(places, np.int64)


def _patches(
    shape: tuple[int, int, int],
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    pixels = np.arange(int(np.prod(shape))).reshape(shape)
    edges = np.linspace(0, shape[0], min(GRID, shape[0]) + 1).round().astype(int)
    for row, (top, bottom) in enumerate(pairwise(edges)):
        for column, (left, right) in enumerate(pairwise(edges)):
            patch = pixels[top:bottom, left:right].ravel()
            yield f"patch {row},{column}", patch


def _columns_alone(
    data: Table | Images,
) -> Iterator[tuple[str, Any, str]]:
    if isinstance(data, Images):
        for name, pixels in _patches(data.shape):
            yield name, data.pixels[:, pixels], "table"
        return
    for name in data.frame.columns:
        yield name, data.frame[[name]], "table"
