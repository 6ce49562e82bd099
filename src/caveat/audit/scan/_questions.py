"""The questions of a scan: each column, its gaps and words, the order of the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from caveat.audit.scan._column import Column
from caveat.audit.scan._single_question import score_levels, score_order
from caveat.audit.scan._target import Target

_MOST_WORDS = 300
_MOST_CODES = 2_000
_WORD = re.compile(r"\w+")
ABOUT_CELLS = ("value", "letters", "words")
"""Questions about what stands in the cells of one column."""


@dataclass(frozen=True)
class Question:
    """One way to read one column as levels, and as an order where it has one.

    Attributes
    ----------
    column : str
    about : {"value", "letters", "missing", "words", "part", "position", "gaps"}
        ``letters`` are those of names of rows, ``part`` is a month, weekday or hour of
        a date, ``gaps`` the number of missing cells in the row.
    label : str
        How a reader calls it.
    levels : array of int, from 0
    values, ranks : array of float, or None
        The cell as a number, missing ones in the middle.
    """

    column: str
    about: str
    label: str
    levels: NDArray[np.intp]
    values: NDArray[np.float64] | None = None
    ranks: NDArray[np.float64] | None = None

    def rows(self, chosen: NDArray[np.intp]) -> Question:
        """Keep some rows."""
        values = None if self.values is None else self.values[chosen]
        return Question(
            self.column,
            self.about,
            self.label,
            self.levels[chosen],
            values,
            None if values is None else rankdata(values),
        )


def with_order(
    column: str,
    about: str,
    label: str,
    levels: NDArray[np.intp],
    order: NDArray[np.float64] | None,
) -> Question:
    """Make a question; an order with missing cells is filled by its median."""
    if order is None or np.isfinite(order).sum() < 3:
        return Question(column, about, label, levels)
    known = np.isfinite(order)
    values = np.where(known, order, np.median(order[known]))
    return Question(column, about, label, levels, values, rankdata(values))


def bins_of(order: NDArray[np.float64], rows: int) -> NDArray[np.intp]:
    """Cut numbers at quantiles into at most 64 bins of about 25 rows; missing is 0."""
    known = np.isfinite(order)
    levels = np.zeros(len(order), dtype=np.intp)
    if known.any():
        many = int(np.clip(rows // 25, 4, 64))
        # A bin ends with its cut, so that a frequent value has a bin of its own.
        cuts = np.unique(np.quantile(order[known], np.linspace(0, 1, many + 1)))
        levels[known] = 1 + np.searchsorted(cuts, order[known], side="left")
    return levels


def levels_of(column: Column) -> NDArray[np.intp]:
    """Turn a column into levels: values where they are few or words, else bins."""
    if column.order is not None and column.distinct > 64 and column.kind != "category":
        return bins_of(column.order, len(column.identity))
    is_amount = column.kind in ("number", "integer", "date")
    if (
        column.order is not None
        and is_amount
        and column.distinct > max(8, len(column.identity) // 25)
    ):
        return bins_of(column.order, len(column.identity))
    return repeated(column.identity)


def repeated(identity: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give a level to each value that occurs twice; others can tell no other row."""
    counts = np.bincount(identity[identity >= 0], minlength=1)
    place = np.where(counts > 1, 2 + np.cumsum(counts > 1) - 1, 1)
    return np.where(identity >= 0, place[np.maximum(identity, 0)], 0)


def questions_of(column: Column) -> list[Question]:
    """List what one column is asked."""
    name = column.name
    found = []
    if column.distinct > 1:
        found.append(
            with_order(
                name, "value", f"column {name!r}", levels_of(column), column.order
            )
        )
    missing = column.missing
    if column.kind == "integer" and _may_be_codes(column):
        label = f"column {name!r}"
        found.append(Question(name, "value", label, repeated(column.identity)))
    if column.letters is not None:
        # Names of rows may begin or end by class: C0017 is a case, H0018 is healthy.
        label = f"the letters of {name!r}"
        found.append(Question(name, "letters", label, repeated(column.letters)))
    if 0 < missing.sum() < len(missing):
        gaps = missing.astype(np.intp)
        found.append(Question(name, "missing", f"whether {name!r} is missing", gaps))
    if column.kind == "date" and column.order is not None:
        found += _parts_of_dates(column)
    return found


def _may_be_codes(column: Column) -> bool:
    """Whether whole numbers, too many for levels, repeat often enough to be names."""
    rows = len(column.identity)
    return max(8, min(rows // 25, 64)) < column.distinct <= min(rows // 5, _MOST_CODES)


def _parts_of_dates(column: Column) -> list[Question]:
    assert column.order is not None
    known = np.isfinite(column.order)
    moments = pd.to_datetime(np.where(known, column.order, 0), unit="s")
    found = []
    for word, part in (
        ("month", moments.month),
        ("weekday", moments.day_of_week),
        ("hour", moments.hour),
    ):
        levels = np.where(known, 1 + np.asarray(part, dtype=np.intp), 0)
        if len(np.unique(levels[known])) > 1:
            label = f"the {word} of {column.name!r}"
            found.append(Question(column.name, "part", label, levels))
    return found


def words_of(column: Column, most: int) -> NDArray[np.float32]:
    """Say which texts hold which of the most frequent words: (rows, words)."""
    assert column.text is not None
    split = [
        frozenset(_WORD.findall(cell.lower())) if isinstance(cell, str) else frozenset()
        for cell in column.text
    ]
    counted = Counter(word for words in split for word in words).most_common(most)
    number = {word: j for j, (word, times) in enumerate(counted) if times > 2}
    has = np.zeros((len(split), max(1, len(number))), dtype=np.float32)
    for row, words in enumerate(split):
        for word in words:
            if word in number:
                has[row, number[word]] = 1
    return has


def words_question(column: Column, target: Target, fold: NDArray[np.intp]) -> Question:
    """Score each text by its words, as counted in the other folds (naive Bayes).

    The score is cut into bins like a number; with several classes, it is that of the
    class that words tell best.
    """
    has = words_of(column, _MOST_WORDS)
    codes = target.codes
    best, best_gap = np.zeros(len(has)), -1.0
    for label in range(1 if target.classes == 2 else 0, target.classes):
        positive = codes == label
        score = np.zeros(len(has))
        for part in np.unique(fold):
            there, here = fold != part, fold == part
            a = has[there & positive].sum(0) + 0.5
            b = has[there & ~positive].sum(0) + 0.5
            weight = np.log(a / (there & positive).sum().clip(1))
            weight -= np.log(b / (there & ~positive).sum().clip(1))
            score[here] = has[here] @ weight
        gap = abs(float(score[positive].mean() - score[~positive].mean()))
        if gap > best_gap:
            best, best_gap = score, gap
    levels = bins_of(best, len(best))
    called = f"the words of {column.name!r}"
    return with_order(column.name, "words", called, levels, best)


def ask(
    questions: Sequence[Question], target: Target, fold: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Score every question: the better of its levels and its order."""
    found = np.empty(len(questions))
    for j, question in enumerate(questions):
        found[j] = score_levels(question.levels, target, fold)
        if question.values is not None and question.ranks is not None:
            found[j] = max(
                found[j], score_order(question.values, question.ranks, target)
            )
    return found


def ask_shuffled(
    questions: Sequence[Question],
    target: Target,
    fold: NDArray[np.intp],
    *,
    shuffles: int,
    seed: int,
) -> NDArray[np.float64]:
    """Score every question on shuffled targets: (shuffles, questions).

    A shuffle moves rows within their fold, so that folds keep their classes; it is the
    same one for all questions.
    """
    rng = np.random.default_rng([seed, 2])
    home = np.argsort(fold, kind="stable")
    found = np.empty((shuffles, len(questions)))
    for one in range(shuffles):
        mixed = np.lexsort((rng.random(len(fold)), fold))
        chosen = np.empty_like(home)
        chosen[home] = mixed
        found[one] = ask(questions, target.rows(chosen), fold)
    return found
