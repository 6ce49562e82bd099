"""What needs no feature: the answers that every score is held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.multilabel._arrays import FloatArray
from caveat.multilabel.learners._popularity import Popularity
from caveat.multilabel.result import POPULARITY

EVERY, NONE = "every label", "no label"


def free_answers(
    Y_train: ArrayLike, n_rows: int
) -> dict[str, tuple[FloatArray, NDArray[np.int64]]]:
    """Give scores and decisions for new rows, by name, from training labels alone.

    Parameters
    ----------
    Y_train : 0/1 array-like of shape (m, l)
    n_rows : int
        How many rows are answered; all get the same answer.

    Returns
    -------
    dict of str to (scores, decisions)
        Popularity first. Every label and no label tell nothing apart, so all their
        scores are equal.

    Examples
    --------
    >>> found = free_answers([[1, 0], [1, 1]], n_rows=1)
    >>> {name: decided.tolist() for name, (_, decided) in found.items()}
    {'popularity': [[1, 1]], 'every label': [[1, 1]], 'no label': [[0, 0]]}
    """
    known = np.asarray(Y_train, dtype=np.int64)
    free = Popularity().fit(np.zeros((len(known), 1)), known)
    rows = np.zeros((n_rows, 1))
    flat = np.zeros((n_rows, known.shape[1]))
    ones = np.ones(flat.shape, dtype=np.int64)
    return {
        POPULARITY: (free.decision_function(rows), free.predict(rows)),
        EVERY: (flat, ones),
        NONE: (flat, 0 * ones),
    }
