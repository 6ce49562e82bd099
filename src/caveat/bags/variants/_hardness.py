"""How hard are these bags? Numbers that say it before anything is learnt."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom
from sklearn.utils.validation import check_array

from caveat.bags._shares import check_shares
from caveat.bags.solvers._design import design
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]

QUANTILES = (
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 0.999,
)  # fmt: skip


@dataclass(frozen=True)
class Hardness:
    """What makes bags easy or hard to learn from.

    Attributes
    ----------
    n_bags : int
        Bags with items.
    proportion_std : float
        Standard deviation over bags of the share of a class, the largest over classes
        (for two classes they are equal). Larger is easier.
    separation : float
        Mean distance between items of different bags over that within bags; 1 means
        that bags cannot be told apart by their items.
    inter, intra, ratio : dict
        ``min``, ``max``, ``mean`` and ``std`` over bags of the mean squared distance
        to other bags' items, to the bag's own, and of their ratio.
    size_mean, size_std, size_min, size_max : float
        Of the bags. Smaller bags are easier.
    size_quantiles : dict of float to int
        Bag sizes at shares of the sorted bags.
    log_likelihood : float
        Mean over bags of the log-probability of a bag's count if labels were drawn
        at random (of the class with the smallest). Small means shares unlike
        those of random bags.
    """

    n_bags: int
    proportion_std: float
    separation: float
    inter: dict[str, float]
    intra: dict[str, float]
    ratio: dict[str, float]
    size_mean: float
    size_std: float
    size_min: int
    size_max: int
    size_quantiles: dict[float, int] = field(repr=False)
    log_likelihood: float = 0.0

    def to_frame(self) -> pd.DataFrame:
        """One row per number."""
        rows = []
        for name, value in asdict(self).items():
            if isinstance(value, dict):
                rows += [(f"{name} {key}", number) for key, number in value.items()]
            else:
                rows.append((name, value))
        return pd.DataFrame(rows, columns=["statistic", "value"])


def bag_hardness(X: Any, bags: ArrayLike, proportions: Any) -> Hardness:
    """Measure how hard it will be to learn items' labels from these bags.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_items, n_features)
        The items, or any embedding of them.
    bags : array-like of shape (n_items,)
    proportions : array-like, dict, Series or DataFrame
        As in `BagClassifier.fit`.

    Returns
    -------
    Hardness

    Warnings
    --------
    Distances depend on the scale of the features. They say whether bags differ, not
    whether they differ in what matters for the labels.

    References
    ----------
    .. [1] A. Brahmbhatt, M. Pokala, R. Saket, A. Raghuveer (2023). LLP-Bench: a large
       scale tabular benchmark for learning from label proportions.

    Examples
    --------
    >>> from caveat.bags import bag_hardness
    >>> found = bag_hardness([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1], [0.2, 0.6])
    >>> found.proportion_std, found.separation
    (0.2, 9.0)
    """
    items = check_array(X, accept_sparse="csr", dtype=np.float64)
    numbers, shares, _ = check_shares(X, items.shape[0], bags, proportions)
    matrix = design(items)
    sizes = np.bincount(numbers, minlength=len(shares))
    present = np.flatnonzero(sizes)
    if len(present) < 2:
        raise InvalidInput("bags: found one bag with items; hardness compares bags")
    counts = sizes[present].astype(np.float64)
    means = matrix.bag_sums(numbers, len(shares))[present] / counts[:, None]
    squares = _mean_squares(items, numbers, len(shares))[present] / counts
    # sep(j, k) = n_j + n_k - 2 mu_j.mu_k, so a bag's sum over others needs only totals.
    own = 2.0 * (squares - np.einsum("ij,ij->i", means, means))
    others = len(present) - 1
    to_all = means @ means.sum(axis=0) - np.einsum("ij,ij->i", means, means)
    inter = squares + (squares.sum() - squares - 2.0 * to_all) / others
    intra = np.maximum(own, 0.0)
    ordered = np.sort(sizes[present])
    table = shares[present]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = inter / intra
    return Hardness(
        n_bags=len(present),
        proportion_std=float(table.std(axis=0).max()),
        separation=float(inter.mean() / intra.mean()) if intra.any() else float("inf"),
        inter=_summary(inter),
        intra=_summary(intra),
        ratio=_summary(ratio),
        size_mean=float(counts.mean()),
        size_std=float(counts.std()),
        size_min=int(counts.min()),
        size_max=int(counts.max()),
        size_quantiles={
            q: int(ordered[min(int(q * len(ordered)), len(ordered) - 1)])
            for q in QUANTILES
        },
        log_likelihood=_log_likelihood(table, sizes[present]),
    )


def _mean_squares(items: Any, bags: NDArray, n_bags: int) -> Floats:
    """Sum over a bag's items of their squared length."""
    if hasattr(items, "multiply"):
        lengths = np.asarray(items.multiply(items).sum(axis=1)).ravel()
    else:
        lengths = np.einsum("ij,ij->i", items, items)
    return np.bincount(bags, lengths, minlength=n_bags).astype(np.float64)


def _log_likelihood(shares: Floats, sizes: NDArray) -> float:
    """Log-probability of the counts under random labels, mean over bags."""
    overall = sizes @ shares / sizes.sum()
    columns = [1] if shares.shape[1] == 2 else range(shares.shape[1])
    found = [
        binom.logpmf(np.rint(shares[:, c] * sizes), sizes, overall[c]).mean()
        for c in columns
    ]
    return float(min(found))


def _summary(values: Floats) -> dict[str, float]:
    return {
        "min": float(values.min()),
        "max": float(values.max()),
        "mean": float(values.mean()),
        "std": float(values.std()),
    }
