"""The ways to measure importance; each gives a number per column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from caveat.shift.evaluation._metric import check_measures
from caveat.shift.evaluation._predictions import Answerer
from caveat.shift.evaluation._tables import is_categorical
from caveat.shift.evaluation._targets import Target
from caveat.shift.imputers._imputers import Mean
from caveat.tables import column_numbers

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """What a method may look at.

    Attributes
    ----------
    table : DataFrame
    target : Target
    truth : array
        The target as numbers; labels by their place in alphabetical order.
    model : object or None
        A fitted model.
    named : bool
        Whether the model gets frames.
    seed : int
    """

    table: pd.DataFrame
    target: Target
    truth: Numbers
    model: Any
    named: bool
    seed: int

    @property
    def classify(self) -> bool:
        """Whether the target holds labels."""
        return self.target.classes is not None

    def columns(self) -> list[tuple[Numbers, bool]]:
        """Every column as numbers, and whether it holds categories."""
        return [
            (codes_of(self.table[name]), is_categorical(self.table[name]))
            for name in self.table.columns
        ]


def codes_of(values: pd.Series) -> Numbers:
    """Numbers as they are; text by its place in alphabetical order; NaN if missing.

    Examples
    --------
    >>> codes_of(pd.Series(["b", "a", None]))
    array([ 1.,  0., nan])
    """
    if not is_categorical(values):
        return column_numbers(values)
    text = values.astype(object)
    known = text.notna().to_numpy()
    codes = np.full(len(values), np.nan)
    codes[known] = np.unique(text[known].astype(str), return_inverse=True)[1]
    return codes


def pearson(question: Question) -> Numbers:
    """Correlation with the target."""
    return np.array(
        [_correlation(column, question.truth) for column, _ in question.columns()]
    )


def spearman(question: Question) -> Numbers:
    """Correlation of mean ranks with those of the target."""
    found = []
    for column, _ in question.columns():
        known = ~np.isnan(column)
        found.append(
            _correlation(rankdata(column[known]), rankdata(question.truth[known]))
        )
    return np.array(found)


def _correlation(a: Numbers, b: Numbers) -> float:
    """Pearson's r of the rows where both are known; 0 where it is not defined."""
    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < 2:
        return 0.0
    # Scaled first, so that the squares of very large numbers do not overflow.
    x, y = a[known], b[known]
    x, y = x - x.mean(), y - y.mean()
    x, y = x / (np.abs(x).max() or 1.0), y / (np.abs(y).max() or 1.0)
    size = np.sqrt((x @ x) * (y @ y))
    return float(np.clip(x @ y / size, -1, 1)) if size > 0 else 0.0


def mutual_information(question: Question) -> Numbers:
    """Mutual information with the target, by three nearest neighbours.

    References
    ----------
    .. [1] B. C. Ross (2014). Mutual information between discrete and continuous data
       sets. PLoS ONE 9(2).
    """
    columns, discrete = zip(*question.columns(), strict=True)
    if not _has_neighbours(question):
        return np.zeros(len(columns))
    ask = mutual_info_classif if question.classify else mutual_info_regression
    return ask(
        np.column_stack(
            [_complete(*pair) for pair in zip(columns, discrete, strict=True)]
        ),
        question.truth,
        discrete_features=np.array(discrete),
        n_neighbors=min(3, max(1, len(question.truth) - 1)),
        random_state=question.seed,
    )


def _has_neighbours(question: Question) -> bool:
    """Whether some row has another one to be compared with: of its class, or at all."""
    if not question.classify:
        return len(question.truth) > 3
    return bool(np.unique(question.truth, return_counts=True)[1].max() > 1)


def _complete(column: Numbers, discrete: bool) -> Numbers:
    """Fill gaps: a missing category is one of its own, a missing number the median.

    Numbers are brought to a size whose squares do not overflow; it does not matter.
    """
    known = column[~np.isnan(column)]
    if discrete:
        return np.where(np.isnan(column), -1.0, column)
    size = float(np.abs(known).max()) if len(known) else 1.0
    median = float(np.median(known)) if len(known) else 0.0
    return np.where(np.isnan(column), median, column) / (size or 1.0)


def eta(question: Question) -> Numbers:
    """Root of the variance between groups over all variance.

    Cramér's V where both are categories, the absolute correlation where neither is.
    """
    found = []
    for column, categorical in question.columns():
        known = ~np.isnan(column)
        values, truth = column[known], question.truth[known]
        if len(values) < 2:
            found.append(0.0)
        elif categorical and question.classify:
            found.append(_cramer(values, truth))
        elif categorical:
            found.append(_correlation_ratio(values, truth))
        elif question.classify:
            found.append(_correlation_ratio(truth, values))
        else:
            found.append(abs(_correlation(values, truth)))
    return np.array(found)


def _correlation_ratio(groups: Numbers, values: Numbers) -> float:
    """Root of the variance between groups over the total variance: η."""
    values = values - values.mean()
    values = values / (np.abs(values).max() or 1.0)  # so that squares do not overflow
    total = values.var()
    if total == 0:
        return 0.0
    places = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(places)
    means = np.bincount(places, values) / sizes
    between = (sizes * (means - values.mean()) ** 2).sum() / len(values)
    return float(np.sqrt(min(1.0, between / total)))


def _cramer(a: Numbers, b: Numbers) -> float:
    """Cramér's V: η of indicators in the χ² metric, the same for (a, b) and (b, a)."""
    rows = np.unique(a, return_inverse=True)[1]
    columns = np.unique(b, return_inverse=True)[1]
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    smaller = min(counts.shape) - 1
    if smaller == 0:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    phi_squared = ((counts - expected) ** 2 / expected).sum() / counts.sum()
    return float(np.sqrt(min(1.0, phi_squared / smaller)))


def shuffling_loss(question: Question) -> Numbers:
    """Shuffle a column and see what the model loses, mean of five times.

    References
    ----------
    .. [1] L. Breiman (2001). Random forests. Machine Learning 45(1).
    """
    rng = np.random.default_rng(question.seed)
    n_rows = len(question.table)

    def shuffled(column: str) -> list[pd.DataFrame]:
        orders = [rng.permutation(n_rows) for _ in range(5)]
        return [_with(question.table, column, order) for order in orders]

    return _losses(question, shuffled)


def removal_loss(question: Question) -> Numbers:
    """Replace a column by its mean or mode and see what the model loses."""
    mean = Mean().fit(question.table)
    return _losses(question, lambda column: [mean.impute(question.table, [column])])


def _with(table: pd.DataFrame, column: str, order: NDArray[np.intp]) -> pd.DataFrame:
    changed = table.copy()
    changed[column] = table[column].array.take(order)
    return changed


def _losses(
    question: Question, changed: Callable[[str], list[pd.DataFrame]]
) -> Numbers:
    answerer = Answerer(question.model, question.target, named=question.named)
    intact = answerer(question.table)
    measure = check_measures(None, question.target, answerer.kind)[0]
    sign = 1.0 if measure.larger_is_better else -1.0

    def score(answers: Numbers) -> float:
        return sign * float(measure.block(question.target.values, answers[None])[0])

    best = score(intact)
    return np.array(
        [
            np.mean([best - score(answerer(table)) for table in changed(column)])
            for column in question.table.columns
        ]
    )
