"""What a matrix of labels is like, before any model sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from caveat.measures.multilabel import LabelRows, row_blocks

FEW = 5


def describe(Y: Any) -> dict[str, Any]:
    """Describe a matrix of labels as papers do.

    Parameters
    ----------
    Y : array-like, frame or sparse matrix of shape (m, l)
        Labels, 0/1.

    Returns
    -------
    dict with ``instances``, ``labels``, ``cardinality`` (mean labels per instance),
    ``density`` (cardinality over labels), ``distinct_sets``, ``empty_rows``,
    ``full_rows``, ``constant_labels`` and ``rare_labels`` (names of labels with fewer
    than 5 positives)

    Warnings
    --------
    A label with fewer than 5 positives is absent from one side of many splits.

    Examples
    --------
    >>> found = describe([[1, 0, 1], [1, 0, 1], [0, 0, 0]])
    >>> found["cardinality"], found["distinct_sets"], found["constant_labels"]
    (1.3333, 2, [1])
    """
    truth = LabelRows("Y", Y)
    m, n_labels = truth.shape
    sets: set[bytes] = set()
    for start, stop in row_blocks(truth.shape):
        packed = np.packbits(truth.rows(start, stop), axis=1)
        sets.update(row.tobytes() for row in packed)
    names = np.asarray(truth.label_names(), dtype=object)
    per_row, per_label = truth.row_counts, truth.label_counts
    return {
        "instances": m,
        "labels": n_labels,
        "cardinality": float(per_row.mean()),
        "density": float(per_row.mean() / n_labels),
        "distinct_sets": len(sets),
        "empty_rows": int((per_row == 0).sum()),
        "full_rows": int((per_row == n_labels).sum()),
        "constant_labels": names[(per_label == 0) | (per_label == m)].tolist(),
        "rare_labels": names[per_label < FEW].tolist(),
    }
