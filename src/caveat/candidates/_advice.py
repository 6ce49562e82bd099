"""Which algorithm to use on one's own candidate sets, chosen without true labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates._candidates import CandidateSets, as_candidates
from caveat.candidates._classifier import CRITERIA, PartialLabelClassifier
from caveat.candidates._joint_training import fit_all
from caveat.candidates.registry import LEARNERS
from caveat.exceptions import InvalidInput

#: Concise algorithms of four kinds that do well in published comparisons on tables.
USUAL = ("proden", "pop", "cc", "scl-nl")


@dataclass(frozen=True)
class Advice:
    """What was tried, what was chosen, and why.

    Attributes
    ----------
    table : DataFrame
        Per algorithm its best checkpoint by the criterion: ``algorithm``, ``steps``,
        ``covering-rate``, ``approximated-accuracy`` on held-out sets, ``note``.
    criterion, reason : str
        What chose, and why this criterion.
    algorithm : str
    steps : int
    model : PartialLabelClassifier
        The chosen algorithm, fitted again on all items.
    held : int
        How many sets were held out to choose by.
    """

    table: pd.DataFrame
    criterion: str
    reason: str
    algorithm: str
    steps: int
    model: PartialLabelClassifier
    held: int


def advise(
    X: Any,
    candidates: Any,
    *,
    algorithms: Sequence[str] = USUAL,
    criterion: str | None = None,
    max_steps: int = 2000,
    validation_fraction: float = 0.2,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Advice:
    """Try some algorithms, choose one by held-out candidate sets, fit it on all items.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_items, n_columns)
    candidates : anything `as_candidates` takes
    algorithms : sequence of str
    criterion : {"covering-rate", "approximated-accuracy"}, optional
        The covering rate if not given; the approximated accuracy where sets are so
        large that a random guess would be covered in half of the cases.
    max_steps : int, default=2000
        Looked at ten times on the way.
    validation_fraction : float, default=0.2
    random_state : int, default=0
    progress : callable, optional
        Gets ``(done, total)`` in steps.

    Returns
    -------
    Advice

    Warnings
    --------
    The best of several looks better by the criterion than it is. Nobody checked the
    labels: have a sample of the suggestions looked at before they are used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.candidates import advise, flip_candidates
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = flip_candidates(y, rate=0.1, random_state=0)
    >>> found = advise(X, sets, algorithms=["cc", "proden"], max_steps=20)
    >>> found.criterion, len(found.table)
    ('covering-rate', 2)
    """
    sets = as_candidates(candidates, warn=False)
    if len(sets) < 5:
        raise InvalidInput(
            f"candidates: found {len(sets)}; choosing an algorithm needs five at least"
        )
    if not 0 < validation_fraction < 1:
        raise InvalidInput(
            f"validation_fraction is {validation_fraction!r}; choosing an algorithm "
            "needs rows that none has learnt from, so pass a share between 0 and 1"
        )
    chosen_by, reason = choose_criterion(sets, criterion)
    order = np.random.default_rng([random_state, 2]).permutation(len(sets))
    count = min(len(sets) - 1, max(1, round(validation_fraction * len(sets))))
    held, learn = np.sort(order[:count]), np.sort(order[count:])
    frame = _named(X)
    settings: dict[str, Any] = {
        "max_steps": max_steps,
        "checkpoint_every": max(1, max_steps // 10),
        "random_state": random_state,
    }
    total = max_steps * (len(algorithms) + 1)

    def watch(now: PartialLabelClassifier) -> dict[str, float]:
        logits = now._logits(frame.iloc[held]).numpy()
        return {key: judge(logits, sets[held]) for key, judge in CRITERIA.items()}

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(done, total)

    tried = [PartialLabelClassifier(name, **settings) for name in algorithms]
    _fit_quietly(tried, frame.iloc[learn], sets[learn], watch, tell)
    table = pd.DataFrame(
        [
            _best_checkpoint(name, model, chosen_by)
            for name, model in zip(algorithms, tried, strict=True)
        ]
    )
    winner = table.iloc[int(table[chosen_by].to_numpy().argmax())]
    name, steps = str(winner["algorithm"]), int(winner["steps"])
    # Chosen by the held-out sets, it learns from them too: as many steps as were best.
    final = PartialLabelClassifier(name, **{**settings, "max_steps": steps})
    _fit_quietly([final], frame, sets, None, None)
    if progress is not None:
        progress(total, total)
    return Advice(table, chosen_by, reason, name, steps, final, count)


def _named(X: Any) -> pd.DataFrame:
    """Give the items as a table whose column names are text."""
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    return frame.rename(columns=str)


def _best_checkpoint(
    name: str, model: PartialLabelClassifier, criterion: str
) -> dict[str, Any]:
    """Give the row of an algorithm: the checkpoint that the criterion prefers."""
    best = max(model.history_, key=lambda row: row[criterion])
    return {
        "algorithm": name,
        "steps": best["updates"],
        **{key: best[key] for key in CRITERIA},
        "note": _note(name),
    }


def suggest_labels(
    model: PartialLabelClassifier, X: Any, candidates: Any
) -> pd.DataFrame:
    """Suggest one label for every item, among its candidates.

    Parameters
    ----------
    model : fitted PartialLabelClassifier
    X, candidates
        Items and their sets; classes as in training.

    Returns
    -------
    DataFrame
        ``item``, ``candidates`` (joined by |), ``suggestion`` (the most probable
        candidate), ``probability`` (its share among the candidates), ``prediction``
        (the most probable label of all) and ``covered`` (whether that is a candidate).

    Warnings
    --------
    A probability near 1 says that the model is sure, not that it is right.

    Examples
    --------
    >>> X, sets = [[0.0], [0.2], [1.0], [3.0]], [{"a"}, {"a", "b"}, {"b"}, {"c"}]
    >>> model = PartialLabelClassifier(hidden=(8,), max_steps=100, random_state=0)
    >>> suggest_labels(model.fit(X, sets), X, sets)["suggestion"].tolist()
    ['a', 'a', 'b', 'c']
    """
    sets = as_candidates(candidates, classes=model.classes_.tolist(), warn=False)
    frame = X.rename(columns=str) if isinstance(X, pd.DataFrame) else X
    logits = model._logits(frame).numpy()
    masked = np.where(sets.matrix, logits, -np.inf)
    top = masked.max(axis=1, keepdims=True)
    shares = np.exp(masked - top)
    best = masked.argmax(axis=1)
    overall = logits.argmax(axis=1)
    rows = np.arange(len(sets))
    return pd.DataFrame(
        {
            "item": rows,
            "candidates": [
                "|".join(map(str, sets.labels(row))) for row in range(len(sets))
            ],
            "suggestion": model.classes_[best],
            "probability": 1.0 / shares.sum(axis=1),
            "prediction": model.classes_[overall],
            "covered": sets.matrix[rows, overall],
        }
    )


def out_of_fold(
    X: Any,
    candidates: Any,
    algorithm: str = "proden",
    *,
    steps: int = 1000,
    folds: int = 3,
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Predict every item by a network that has not learnt from its set.

    Parameters
    ----------
    X, candidates
        Items and their sets.
    algorithm : str, default="proden"
    steps : int, default=1000
    folds : int, default=3
    random_state : int, default=0

    Returns
    -------
    array of shape (n_items, n_classes)
        Probabilities of all classes, candidates or not.
    """
    sets = as_candidates(candidates, warn=False)
    frame = _named(X)
    order = np.random.default_rng([random_state, 3]).permutation(len(sets))
    found = np.empty(sets.shape)
    for test in np.array_split(order, folds):
        train = np.setdiff1d(np.arange(len(sets)), test)
        model = fit_all_items(
            *(frame.iloc[train], sets[train], algorithm),
            steps=steps,
            random_state=random_state,
        )
        found[test] = model.predict_proba(frame.iloc[test])
    return found


def fit_all_items(
    X: pd.DataFrame,
    candidates: CandidateSets,
    algorithm: str,
    *,
    steps: int,
    random_state: int,
) -> PartialLabelClassifier:
    """Fit one algorithm without repeating what the page says of the sets."""
    model = PartialLabelClassifier(
        algorithm, max_steps=steps, random_state=random_state
    )
    _fit_quietly([model], X.rename(columns=str), candidates, None, None)
    return model


def choose_criterion(sets: CandidateSets, asked: str | None = None) -> tuple[str, str]:
    """Say which criterion suits sets of this size, and why."""
    if asked is not None:
        return asked, "as asked for"
    chance = float(sets.matrix.mean())
    if chance > 0.5:
        return (
            "approximated-accuracy",
            f"a random guess is covered in {chance:.0%} of the cases, so the covering "
            "rate says little",
        )
    return (
        "covering-rate",
        f"a random guess is covered in {chance:.0%} of the cases only",
    )


def _note(name: str) -> str:
    calibrated = LEARNERS[name].facts.get("calibrated", True)
    return "" if calibrated else "outputs are no probabilities"


def _fit_quietly(
    models: Sequence[PartialLabelClassifier],
    X: pd.DataFrame,
    sets: CandidateSets,
    watch: Callable[[PartialLabelClassifier], dict[str, float]] | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Fit without repeating what the statistics have said of the sets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="candidates:")
        for failure in fit_all(models, X, sets, watch=watch, progress=progress):
            if failure is not None:
                raise failure
