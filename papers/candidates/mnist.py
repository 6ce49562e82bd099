"""Four thousand of MNIST's test images as one npz file.

    python -m papers.candidates.mnist FOLDER mnist-part.npz

FOLDER holds ``t10k-images-idx3-ubyte.gz`` and ``t10k-labels-idx1-ubyte.gz``; the
60,000 training images are not used. The first 5,000 of the test images are easier than
the others, so the 4,000 are drawn, with seed 0. Then ``caveat run mnist-part.yaml``
with the new file beside it.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np

KEPT = 4000


def main(folder: str, out: str) -> None:
    """Write images and digits."""
    with gzip.open(Path(folder) / "t10k-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), "u1", offset=16).reshape(-1, 28, 28)
    with gzip.open(Path(folder) / "t10k-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), "u1", offset=8)
    rows = np.sort(np.random.default_rng(0).permutation(len(images))[:KEPT])
    np.savez(out, X=images[rows][..., None], y=digits[rows].astype(np.int64))


if __name__ == "__main__":
    main(*sys.argv[1:3])
