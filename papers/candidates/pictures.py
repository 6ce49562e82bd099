"""The part of CIFAR-10 with what three people called each picture, as one npz file.

Run it as ``python -m papers.candidates.pictures PART.npz cifar-people.npz``, then
``caveat run pictures-people.yaml`` with the new file beside it. The first file holds
``x_train``, ``y_train``, ``annotators_train`` (pictures x people), ``x_test`` and
``y_test``. Candidates of a training picture are all labels that anybody gave; the last
rows are the test pictures, with their true labels.
"""

from __future__ import annotations

import sys

import numpy as np


def people(source: str, out: str) -> None:
    """Write pictures, candidate sets and the size of the test part."""
    with np.load(source, allow_pickle=False) as part:
        y = np.concatenate([part["y_train"], part["y_test"]]).astype(np.int64)
        candidates = np.eye(10, dtype=bool)[y]
        told = np.eye(10, dtype=bool)[part["annotators_train"]].any(axis=1)
        candidates[: len(told)] = told
        np.savez(
            out,
            X=np.concatenate([part["x_train"], part["x_test"]]),
            y=y,
            candidates=candidates,
            n_test=len(part["y_test"]),
        )


if __name__ == "__main__":
    people(*sys.argv[1:3])
