"""Why some algorithms end behind on images: six of them looked at from within.

    python -m papers.candidates.within MNIST.npz

MNIST.npz is what `mnist.py` writes. One run each, on a split of its own: PiCO+, ALIM,
FREDIS, CRDPLL and ABLE on MNIST, with their settings in the studies and without what is
peculiar to them; LWS on digits, with its two leverages. Takes a quarter of an hour on
one core and prints what `images.py` tells.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from caveat.candidates import PartialLabelClassifier, flip_candidates

CONTRAST = {"queue": 1024, "width": 64, "momentum": 0.99}
TRUST = {**CONTRAST, "neighbours_start": 86}
MNIST: list[tuple[str, dict[str, Any]]] = [
    ("pico+", {**TRUST, "pure_ratio": 0.8}),
    ("pico+", {**TRUST, "pure_ratio": 1.0}),
    ("pico+", {**TRUST, "pure_ratio": 0.8, "start": 215, "neighbours_start": 300}),
    ("alim", {**CONTRAST, "start_epoch": 2, "noise_rate": 0.2}),
    ("alim", {**CONTRAST, "start_epoch": 8, "noise_rate": 0.2}),
    ("alim", {**CONTRAST, "start_epoch": 2, "noise_rate": 0.0}),
    ("fredis", {"update_interval": 2}),
    ("fredis", {"update_interval": 2, "change_size": 50}),
    ("fredis", {"update_interval": 1000}),
]
#: With and without what the two add to their first phase: noise, steps.
LONGER: list[tuple[str, dict[str, Any], float, int]] = [
    (name, params, noise, steps)
    for steps in (600, 1800)
    for name, params, noise in (
        ("crdpll", {}, 0.0),
        ("crdpll", {"lam": 0.0}, 0.0),
        ("able", {"width": 64}, 0.2),
        ("able", {"width": 64, "weight": 0.0}, 0.2),
    )
]
DIGITS: list[tuple[int, dict[str, Any]]] = [
    (50, {}),
    (300, {}),
    (1500, {}),
    (300, {"leverage": 1.0}),
]


class Images:
    """Images with candidate sets, in two parts."""

    def __init__(
        self,
        X: NDArray[np.uint8],
        y: NDArray[np.int64],
        parts: tuple[int, int],
        noise: float = 0.0,
    ) -> None:
        order = np.random.default_rng(0).permutation(len(y))
        self.X, self.y = X, y
        self.train, self.test = order[: parts[0]], order[parts[1] :]
        self.sets = np.array(flip_candidates(y, 10, rate=0.3, random_state=0))
        rng = np.random.default_rng(5)
        for item in np.flatnonzero(rng.random(len(y)) < noise):
            self.sets[item, y[item]] = False
            if not self.sets[item].any():
                self.sets[item, (y[item] + 1 + rng.integers(9)) % 10] = True

    def fit(
        self, name: str, params: dict[str, Any], steps: int, **more: Any
    ) -> PartialLabelClassifier:
        """Train one algorithm with the small network."""
        model = PartialLabelClassifier(
            name,
            params=params,
            network="small-cnn",
            batch_size=64,
            max_steps=steps,
            checkpoint_every=steps,
            random_state=0,
            **more,
        )
        return model.fit(self.X[self.train], self.sets[self.train])

    def right(self, model: PartialLabelClassifier) -> NDArray[np.bool_]:
        """Say which test images are named right."""
        found = model.predict(self.X[self.test]) == self.y[self.test]
        return np.asarray(found, dtype=bool)


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def mnist(path: str) -> None:
    """Print what is left of three algorithms without what is peculiar to them."""
    with np.load(path, allow_pickle=False) as file:
        known = file["X"], file["y"].astype(np.int64), (2700, 3000)
    images = Images(*known)
    for place, (name, params) in enumerate(MNIST):
        model = images.fit(name, params, 600, flips=False)
        right = images.right(model)
        tell(f"{name} {params}: {100 * right.mean():.1f} %")
        if place:
            continue
        trusted = model.algorithm_.reliable.numpy()
        for label in range(10):
            share = trusted[images.y[images.train] == label].mean()
            named = right[images.y[images.test] == label].mean()
            tell(f"  class {label}: {share:.2f} trusted, {named:.2f} right")
    for name, params, noise, steps in LONGER:
        images = Images(*known, noise)
        right = images.right(images.fit(name, params, steps, flips=False))
        tell(f"{name} {params}, {noise:g}, {steps}: {100 * right.mean():.1f} %")


def digits() -> None:
    """Print where the logits of LWS end."""
    data = load_digits()
    X = (data.images[..., None] * 15).astype(np.uint8)
    images = Images(X, data.target.astype(np.int64), (1212, 1347))
    for steps, params in DIGITS:
        model = images.fit("lws", params, steps)
        z = model.decision_function(X[images.test])
        share = 1 / (1 + np.exp(-z))
        flat = (share * (1 - share) < 0.01).mean()
        tell(
            f"lws {params}, {steps} steps: {100 * images.right(model).mean():.1f} %, "
            f"median logit {np.median(z):.1f}, {flat:.2f} of slopes below 0.01"
        )


if __name__ == "__main__":
    digits()
    mnist(sys.argv[1])
