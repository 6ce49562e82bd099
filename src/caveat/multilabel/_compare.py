"""Several models on one table, or scores from elsewhere: what a page needs, paired.

Models are chosen, and scores are cut into decisions, by what held-out folds of the
training rows say; no label of a test row takes part.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from caveat.exceptions import InvalidInput, listing
from caveat.measures.multilabel import evaluate
from caveat.multilabel._arrays import FloatArray
from caveat.multilabel._bootstrap import bootstrap_draws
from caveat.multilabel._breakdown import per_label
from caveat.multilabel._free import free_answers
from caveat.multilabel.learners._thresholded import learner_scores
from caveat.multilabel.registry import LEARNERS
from caveat.multilabel.result import MAIN, POPULARITY, Model, Result
from caveat.multilabel.theory._profile import margin_profile
from caveat.multilabel.thresholds._names import make_threshold
from caveat.multilabel.thresholds._threshold import DECISION_MEASURES
from caveat.pages import plural
from caveat.tables import TableEncoder

DEFAULT_LEARNERS = (
    *("limo", "limo-inst", "limo-label", "br-svm", "ml-knn", "gfm"),
    "forest",
)
YOURS = "your model"
FOLDS = 3
CUT = "one threshold for all labels, by micro-F1 on held-out training rows"
_TUNED = "tuned on the test rows"
Labels = NDArray[np.int64]


def compare(
    X: pd.DataFrame,
    Y: pd.DataFrame,
    *,
    learners: Sequence[str] = DEFAULT_LEARNERS,
    test_size: float = 0.3,
    n_resamples: int = 400,
    kinds: dict[str, str] | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Result:
    """Train registered learners on one part of a table and judge them on the rest.

    Parameters
    ----------
    X : DataFrame
        Features of any kind; encoded by what the training rows are like.
    Y : DataFrame
        0/1 columns, one per label.
    learners : sequence of str
        Names from the registry. Popularity is always there, as a floor.
    test_size : float, default=0.3
        Share of rows that is held out.
    n_resamples : int, default=400
        Resamples of the test rows, the same for all models.
    kinds : dict, optional
        Kinds of columns where detection errs.
    random_state : int, default=0
        Seed of split, learners and intervals.
    progress : callable
        Called with (done, total).

    Returns
    -------
    Result

    Warnings
    --------
    One split: the intervals speak of other test rows, not of other training rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    >>> Y = (X[["a", "b"]] > 0).astype(int).rename(columns=str.upper)
    >>> found = compare(X, Y, learners=["ml-knn"], n_resamples=20)
    >>> found.n_test, [model.name for model in (*found.models, *found.floors)]
    (36, ['ml-knn', 'popularity', 'every label', 'no label'])
    """
    # Popularity looks at no feature: it is judged among the floors.
    entries = [LEARNERS[name] for name in learners if name != POPULARITY]
    train, test = _split(len(Y), test_size, random_state)
    encoder = TableEncoder(kinds=kinds)
    inside = encoder.fit_transform(X.iloc[train])
    outside = encoder.transform(X.iloc[test])
    truth = Y.to_numpy(dtype=np.int64)
    judge_rows = _Judge(Y.iloc[test], n_resamples, random_state)
    found, failed = [], {}
    for done, entry in enumerate(entries):
        progress(done, len(entries))
        try:
            with warnings.catch_warnings():
                # What they say of ties and empty rows stands in the result.
                warnings.simplefilter("ignore")
                make = partial(entry.make_for, {}, random_state=random_state)
                lesson = (inside, truth[train])
                found.append(
                    _trained(
                        entry.name, make, lesson, outside, judge_rows, random_state
                    )
                )
        except ValueError as error:
            failed[entry.name] = str(error)
    progress(len(entries), len(entries))
    if entries and not found:
        reasons = "; ".join(f"{name}: {why}" for name, why in failed.items())
        raise InvalidInput(f"no learner could be trained ({reasons})")
    floors = _floors(truth[train], judge_rows)
    result = Result(
        tuple(model for model, _ in found) or floors[:1],
        floors if found else floors[1:],
        len(train),
        len(test),
        Y.shape[1],
        failed=failed,
        notes=tuple(absent_labels(Y, train, test)),
        cut=CUT,
    )
    tuned = {model.name: gain for model, gain in found}
    return replace(result, tuned=tuned.get(result.chosen.name, {}))


def judge(
    Y: pd.DataFrame,
    scores: Any,
    decisions: Any = None,
    *,
    n_resamples: int = 400,
    random_state: int = 0,
) -> Result:
    """Judge scores from elsewhere; nothing is trained.

    Parameters
    ----------
    Y : DataFrame
        0/1 columns, one per label.
    scores : array-like, or mapping of name to array-like
        One model's scores, or several models'.
    decisions : the same shape, optional
        0/1 decisions; without them the decision measures are absent.
    n_resamples : int, default=400
        Resamples of the intervals.
    random_state : int, default=0
        Seed of the intervals.

    Returns
    -------
    Result

    Warnings
    --------
    Popularity is counted on these very rows, for want of others: as a floor it is a
    little too high.

    Examples
    --------
    >>> Y = pd.DataFrame([[1, 0], [0, 1], [1, 0]], columns=["a", "b"])
    >>> found = judge(Y, [[3, 1], [2, 5], [4, 0]], n_resamples=5)
    >>> [model.name for model in found.models]
    ['your model']
    """
    named = scores if isinstance(scores, Mapping) else {YOURS: scores}
    cut = decisions if isinstance(decisions, Mapping) else {YOURS: decisions}
    judge_rows = _Judge(Y, n_resamples, random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = tuple(
            judge_rows(name, real, cut.get(name)) for name, real in named.items()
        )
        floors = _floors(Y.to_numpy(dtype=np.int64), judge_rows)
    said = (
        "decisions as they were given"
        if any(c is not None for c in cut.values())
        else ""
    )
    notes = tuple(_single_valued(Y))
    return Result(models, floors, 0, len(Y), Y.shape[1], notes=notes, cut=said)


class _Judge:
    """Judges whatever it is given on the same rows and the same resamples of them."""

    def __init__(self, Y: pd.DataFrame, n_resamples: int, seed: int) -> None:
        self.Y, self.truth = Y, Y.to_numpy(dtype=np.int64)
        self.settings: dict[str, Any] = {
            "n_resamples": n_resamples,
            "random_state": seed,
        }

    def __call__(
        self,
        name: str,
        scores: Any,
        decisions: Any,
        *,
        popularity: FloatArray | None = None,
        **more: Any,
    ) -> Model:
        profile = margin_profile(self.truth, scores, decisions, popularity=popularity)
        labels = per_label(self.truth, scores, decisions)
        index = pd.Index([str(label) for label in self.Y.columns], name="label")
        real = np.asarray(scores)
        return Model(
            name,
            bootstrap_draws(self.truth, scores, decisions, **self.settings),
            verdict=profile.verdict,
            promised=tuple(profile.table.index[profile.table["promised"]]),
            labels=labels.set_axis(index),
            tie_share=float(evaluate(self.truth, scores).tie_share),
            two_valued=len(np.unique(real)) <= 2,
            **more,
        )

    def decided(self, decisions: Any) -> pd.DataFrame:
        """Draw the decision measures alone."""
        return bootstrap_draws(self.truth, None, decisions, **self.settings)


def _trained(
    name: str,
    make: Callable[[], Any],
    lesson: tuple[FloatArray, Labels],
    outside: FloatArray,
    judge_rows: _Judge,
    seed: int,
) -> tuple[Model, dict[str, Any]]:
    """Fit a model, cut its scores as held-out training rows say, judge it."""
    inside, known = lesson
    held_out = _held_out(make, inside, known, seed)
    model = make().fit(inside, known)
    scores = learner_scores(model, outside)
    rule = make_threshold("global").fit(held_out, known, inside)
    own = evaluate(judge_rows.truth, None, model.predict(outside))
    table, tuned = _by_threshold(held_out, known, inside, scores, outside, judge_rows)
    # The row that the board shows is one of the table, so that nothing is left out.
    table.loc["its own decisions"] = own
    judged = judge_rows(
        name,
        scores,
        rule.predict(scores, outside),
        popularity=known.mean(axis=0),
        held_out=float(evaluate(known, held_out)[MAIN]),
        own={str(key): float(value) for key, value in own.items()},
        thresholds=table,
    )
    return judged, tuned


def _held_out(
    make: Callable[[], Any], X: FloatArray, Y: Labels, seed: int
) -> FloatArray:
    """Score every training row by a model that was fitted without it."""
    folds = KFold(min(FOLDS, len(Y)), shuffle=True, random_state=seed)
    scores = np.empty(Y.shape)
    for train, test in folds.split(Y):
        scores[test] = learner_scores(make().fit(X[train], Y[train]), X[test])
    return scores


def _by_threshold(
    held_out: FloatArray,
    known: Labels,
    inside: FloatArray,
    scores: FloatArray,
    outside: FloatArray,
    judge_rows: _Judge,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Judge decisions by several rules, and what tuning on test rows would add."""
    table = threshold_table(held_out, known, inside, scores, judge_rows.truth, outside)
    honest = make_threshold("per-label").fit(held_out, known).predict(scores)
    peeked = make_threshold("per-label").fit(scores, judge_rows.truth).predict(scores)
    drawn = [judge_rows.decided(chosen)["macro_f1"] for chosen in (honest, peeked)]
    gain = (drawn[1] - drawn[0]).tolist()
    values = {"honest": float(drawn[0].iloc[0]), "tuned": float(drawn[1].iloc[0])}
    return table, {**values, "draws": gain}


def threshold_table(
    held_out: FloatArray,
    Y_train: Labels,
    X_train: FloatArray,
    scores: FloatArray,
    Y_test: Labels,
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
        rule = make_threshold(name).fit(held_out, Y_train, X_train)
        rows[title] = evaluate(Y_test, None, rule.predict(scores, X_test))
    peeked = make_threshold("per-label").fit(scores, Y_test).predict(scores)
    rows[_TUNED] = evaluate(Y_test, None, peeked)
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table[list(DECISION_MEASURES)].rename_axis("threshold")


def _floors(known: Labels, judge_rows: _Judge) -> tuple[Model, ...]:
    """Judge what looks at no feature: popularity, every label, no label."""
    shares = {POPULARITY: known.mean(axis=0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(
            judge_rows(name, *answers, popularity=shares.get(name), floor=True)
            for name, answers in free_answers(known, len(judge_rows.truth)).items()
        )


def _single_valued(Y: pd.DataFrame) -> list[str]:
    """Name labels that every row has, or none: no score can part their rows."""
    single = [str(name) for name in Y.columns[Y.nunique() == 1]]
    if not single:
        return []
    some = plural(len(single), "label has", "labels have")
    told = f"one value in all rows, and no part in macro-AUC: {listing(single, 5)}"
    return [f"{some} {told}"]


def absent_labels(
    Y: pd.DataFrame, train: NDArray[np.int64], test: NDArray[np.int64]
) -> list[str]:
    """Name labels that one part has no positive of: no split can mend that."""
    notes = []
    for part, rows in (("training", train), ("test", test)):
        absent = [str(name) for name in Y.columns[~Y.iloc[rows].any(axis=0)]]
        if absent:
            some = plural(len(absent), "label has", "labels have")
            notes.append(f"{some} no positive in the {part} part: {listing(absent, 5)}")
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
