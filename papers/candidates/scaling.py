"""Scale Lost with and without a look at the test rows, and compare accuracies.

    python -m papers.candidates.scaling FOLDER [ALGORITHM ...]

FOLDER holds lost.mat. Splits are those of the PLENCH protocol; 1,000 steps with default
settings, once with the benchmark's scaler fitted on all rows, once on training rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from caveat.candidates import PartialLabelClassifier
from caveat.candidates._plench import PlenchScaler, plench_split
from caveat.datasets import read

SPLITS, STEPS = 5, 1000


def main() -> None:
    """Train twice on every split and print the accuracies."""
    lost = read(Path(sys.argv[1]) / "lost.mat")
    X, y = lost.X.to_numpy(dtype=float), lost.y.to_numpy()
    for name in sys.argv[2:] or ["cc"]:
        for title in ("all rows", "training rows"):
            scores = []
            for trial in range(SPLITS):
                split = plench_split(len(X), trial)
                seen = X if title == "all rows" else X[split.train]
                model = PartialLabelClassifier(
                    name, max_steps=STEPS, random_state=trial
                )
                model.fit(
                    X[split.train],
                    lost.candidates[split.train],
                    encoder=PlenchScaler().fit(seen),
                )
                scores.append(100 * model.score(X[split.test], y[split.test]))
            each = ", ".join(f"{score:.1f}" for score in scores)
            mean = f"{np.mean(scores):.2f} %"
            sys.stdout.write(f"{name}, scaled by {title}: {mean} ({each})\n")


if __name__ == "__main__":
    main()
