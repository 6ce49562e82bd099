"""Several models on one table, or one model's scores: everything a page needs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.measures.multilabel import (
    DegenerateWarning,
    MultiLabelReport,
    TieWarning,
    evaluate,
)
from caveat.multilabel._arrays import FloatArray
from caveat.multilabel._bootstrap import bootstrap_intervals
from caveat.multilabel._breakdown import per_label
from caveat.multilabel._profile import MarginProfile, margin_profile
from caveat.multilabel._threshold import DECISION_MEASURES
from caveat.multilabel._threshold_names import make_threshold
from caveat.multilabel._thresholded import learner_scores
from caveat.multilabel.registry import LEARNERS
from caveat.tables import TableEncoder

DEFAULT_LEARNERS = (
    "popularity", "limo", "limo-inst", "limo-label", "br-svm", "ml-knn", "gfm",
    "forest",
)  # fmt: skip
YOURS = "your model"


@dataclass(frozen=True)
class Judged:
    """One model on the test rows.

    Attributes
    ----------
    result : MultiLabelReport
        All measures with their conditions.
    intervals : DataFrame
        Bootstrap intervals over instances.
    profile : MarginProfile
        Which margin it serves.
    labels : DataFrame
        The measures label by label.
    thresholds : DataFrame
        Decision measures (columns) under thresholds (rows) estimated on training
        scores, and ``tuned on the test rows`` for comparison; empty for a model that
        was not trained here.
    """

    result: MultiLabelReport
    intervals: pd.DataFrame
    profile: MarginProfile
    labels: pd.DataFrame
    thresholds: pd.DataFrame


@dataclass
class Comparison:
    """Several models on the same test rows.

    Attributes
    ----------
    models : dict of str to Judged
        By learner name, in the order asked for.
    failed : dict of str to str
        Learners that gave nothing, and why.
    n_train, n_test, n_labels : int
        Sizes; no training rows for a person's own scores.
    notes : list of str
        What was assumed or set aside.
    seconds : float
        How long it took.
    """

    n_train: int
    n_test: int
    n_labels: int
    models: dict[str, Judged] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def to_frame(self) -> pd.DataFrame:
        """Return method, measure, value, low and high of all models, tidy."""
        parts = [
            judged.intervals.reset_index().assign(method=name)
            for name, judged in self.models.items()
        ]
        columns = ["method", "measure", "value", "low", "high"]
        return pd.concat(parts, ignore_index=True)[columns]


def compare(
    X: pd.DataFrame,
    Y: pd.DataFrame,
    *,
    learners: Sequence[str] = DEFAULT_LEARNERS,
    test_size: float = 0.3,
    n_resamples: int = 200,
    kinds: dict[str, str] | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Comparison:
    """Train registered learners on one part of a table and judge them on the rest.

    Parameters
    ----------
    X : DataFrame
        Features of any kind; encoded by what the training rows are like.
    Y : DataFrame
        0/1 columns, one per label.
    learners : sequence of str
        Names from the registry.
    test_size : float, default=0.3
        Share of rows that is held out.
    n_resamples : int, default=200
        Resamples of the intervals.
    kinds : dict, optional
        Kinds of columns where detection errs.
    random_state : int, default=0
        Seed of split, learners and intervals.
    progress : callable
        Called with (done, total).

    Returns
    -------
    Comparison

    Warnings
    --------
    One split: differences between models smaller than the intervals are not real.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    >>> Y = (X[["a", "b"]] > 0).astype(int).rename(columns=str.upper)
    >>> found = compare(X, Y, learners=["popularity", "ml-knn"], n_resamples=20)
    >>> found.n_test, list(found.models)
    (36, ['popularity', 'ml-knn'])
    """
    started = time.perf_counter()
    train, test = _split(len(Y), test_size, random_state)
    result = Comparison(len(train), len(test), Y.shape[1])
    result.notes += absent_labels(Y, train, test)
    encoder = TableEncoder(kinds=kinds)
    inside = encoder.fit_transform(X.iloc[train])
    outside = encoder.transform(X.iloc[test])
    truth = Y.to_numpy(dtype=np.int64)
    entries = [LEARNERS[name] for name in learners]  # a wrong name ends it here
    for done, entry in enumerate(entries):
        progress(done, len(entries))
        try:
            with warnings.catch_warnings():
                # What they say of ties and empty rows stands in the result.
                warnings.simplefilter("ignore")
                model = entry.make_for({}, random_state=random_state)
                model.fit(inside, truth[train])
                result.models[entry.name] = _judge_model(
                    model, inside, outside, Y, train, test, n_resamples, random_state
                )
        except ValueError as error:
            result.failed[entry.name] = str(error)
    progress(len(entries), len(entries))
    if not result.models:
        reasons = "; ".join(f"{name}: {why}" for name, why in result.failed.items())
        raise InvalidInput(f"no learner could be trained ({reasons})")
    result.seconds = time.perf_counter() - started
    return result


def judge(
    Y: pd.DataFrame,
    scores: Any,
    decisions: Any = None,
    *,
    n_resamples: int = 200,
    random_state: int = 0,
) -> Comparison:
    """Judge a person's own scores; nothing is trained.

    Parameters
    ----------
    Y : DataFrame
        0/1 columns, one per label.
    scores, decisions
        As in `evaluate`.
    n_resamples : int, default=200
        Resamples of the intervals.
    random_state : int, default=0
        Seed of the intervals.

    Returns
    -------
    Comparison with one model

    Examples
    --------
    >>> Y = pd.DataFrame([[1, 0], [0, 1], [1, 0]], columns=["a", "b"])
    >>> list(judge(Y, [[3, 1], [2, 5], [4, 0]], n_resamples=5).models)
    ['your model']
    """
    started = time.perf_counter()
    result = Comparison(0, len(Y), Y.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TieWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        result.models[YOURS] = _judged(
            Y, scores, decisions, None, pd.DataFrame(), n_resamples, random_state
        )
    result.seconds = time.perf_counter() - started
    return result


def absent_labels(
    Y: pd.DataFrame, train: NDArray[np.int64], test: NDArray[np.int64]
) -> list[str]:
    """Name labels that one part has no positive of: no split can mend that."""
    notes = []
    for part, rows in (("training", train), ("test", test)):
        absent = [str(name) for name in Y.columns[~Y.iloc[rows].any(axis=0)]]
        if absent:
            notes.append(
                f"{len(absent)} labels have no positive in the {part} part: "
                f"{listing(absent, 5)}"
            )
    return notes


def _split(
    count: int, test_size: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not 0 < test_size < 1:
        raise InvalidInput(f"test_size is {test_size}; pass a share such as 0.3")
    if count < 4:
        raise InvalidInput(f"there are {count} rows; training and test need 4")
    order = np.random.default_rng(seed).permutation(count)
    size = min(count - 2, max(1, round(test_size * count)))
    return np.sort(order[size:]), np.sort(order[:size])


def _judge_model(
    model: Any,
    inside: FloatArray,
    outside: FloatArray,
    Y: pd.DataFrame,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    n_resamples: int,
    seed: int,
) -> Judged:
    truth = Y.to_numpy(dtype=np.int64)
    scores = learner_scores(model, outside)
    chosen = model.predict(outside)
    thresholds = threshold_table(
        learner_scores(model, inside),
        truth[train],
        inside,
        scores,
        truth[test],
        outside,
    )
    shares = truth[train].mean(axis=0)
    return _judged(Y.iloc[test], scores, chosen, shares, thresholds, n_resamples, seed)


def _judged(
    Y: pd.DataFrame,
    scores: Any,
    decisions: Any,
    popularity: Any,
    thresholds: pd.DataFrame,
    n_resamples: int,
    seed: int,
) -> Judged:
    truth = Y.to_numpy(dtype=np.int64)
    return Judged(
        result=evaluate(truth, scores, decisions),
        intervals=bootstrap_intervals(
            truth, scores, decisions, n_resamples=n_resamples, random_state=seed
        ),
        profile=margin_profile(truth, scores, decisions, popularity=popularity),
        labels=per_label(truth, scores, decisions).set_axis(
            pd.Index([str(name) for name in Y.columns], name="label")
        ),
        thresholds=thresholds,
    )


def threshold_table(
    inside: FloatArray,
    Y_train: NDArray[np.int64],
    X_train: FloatArray,
    outside: FloatArray,
    Y_test: NDArray[np.int64],
    X_test: FloatArray,
) -> pd.DataFrame:
    """Judge the test decisions of several thresholds estimated on training scores."""
    rows = {}
    for title, name in (
        ("one for all", "global"),
        ("per label", "per-label"),
        ("per instance", "per-instance"),
        ("as often as in training", "proportion"),
    ):
        rule = make_threshold(name).fit(inside, Y_train, X_train)
        rows[title] = evaluate(Y_test, None, rule.predict(outside, X_test))
    peeked = make_threshold("per-label").fit(outside, Y_test).predict(outside)
    rows["tuned on the test rows"] = evaluate(Y_test, None, peeked)
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table[list(DECISION_MEASURES)].rename_axis("threshold")
