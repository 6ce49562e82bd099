"""What any learner owes: tables left as they were, and answers that are classes.

A study takes learners from anywhere. One that writes into the rows it is judged on
spoils what comes after it, and a label that is no class would count as a plain error:
both fail the trial instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from caveat.exceptions import InvalidInput, listing


@contextmanager
def untouched(who: str, *tables: Any) -> Iterator[None]:
    """Refuse a learner that changes the tables it is given.

    Parameters
    ----------
    who : str
        The learner's name, for the message.
    *tables : DataFrame, Series, array or sparse matrix
        What must be the same after the block.

    Examples
    --------
    >>> X = np.zeros((2, 1))
    >>> with untouched("mine", X):
    ...     X += 1
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: mine changed the table that it was given, so
    nothing it answers can be trusted; let it work on a copy
    """
    before = [table.copy() for table in tables]
    yield
    if not all(map(_same, tables, before)):
        raise InvalidInput(
            f"{who} changed the table that it was given, so nothing it answers can be "
            "trusted; let it work on a copy"
        )


def known_labels(labels: ArrayLike, classes: Sequence[Any]) -> NDArray[Any]:
    """Return a learner's labels, or refuse them if one is not a class.

    Examples
    --------
    >>> known_labels(["yes", "maybe"], ["no", "yes"])
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: the learner answered 'maybe', which is not a
    class; the classes are 'no', 'yes'
    """
    answers = np.asarray(labels)
    found = pd.Index(list(classes)).get_indexer(pd.Index(answers.ravel()))
    if (found < 0).any():
        wrong = answers.ravel()[int(np.argmin(found))]
        raise InvalidInput(
            f"the learner answered {str(wrong)!r}, which is not a class; the classes "
            f"are {listing(classes)}"
        )
    return answers


def _same(now: Any, before: Any) -> bool:
    if isinstance(now, pd.DataFrame | pd.Series):
        return bool(now.equals(before) and now.index.equals(before.index))
    if sparse.issparse(now):
        return now.shape == before.shape and not (now != before).nnz
    if now.shape != before.shape:
        return False
    numbers = now.dtype.kind in "fc"
    return bool(np.array_equal(now, before, equal_nan=numbers))
