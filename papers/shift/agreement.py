"""Whether ways to measure importance agree on the order of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from caveat.exceptions import InvalidInput
from caveat.shift.importance._importance import feature_importance

PAPER_METHODS = ("pearson", "spearman", "shap", "mutual-info")


@dataclass(frozen=True)
class Agreement:
    """How well methods agree.

    Attributes
    ----------
    matrices : dict of str to DataFrame
        Kendall's τ-b of absolute importances, methods by methods, per data set.
    mean : DataFrame
        Mean matrix over data sets; undefined values left out.
    overall : Series
        Mean of each method over data sets and over the other methods: how Table 2
        of the paper is read here, which does not say.
    """

    matrices: dict[str, pd.DataFrame]
    mean: pd.DataFrame
    overall: pd.Series


def importance_agreement(
    tables: Mapping[str, tuple[Any, Any]],
    methods: Sequence[str] = PAPER_METHODS,
    *,
    model: Any = None,
    random_state: int = 0,
) -> Agreement:
    """Compare the orders that several methods give, by Kendall's τ-b.

    Parameters
    ----------
    tables : mapping of str to (X, y)
        Name of a data set to its training rows and target.
    methods : sequence of str
        See `feature_importance`; by default the four of the paper.
    model : fitted model, optional
        For ``permutation`` and ``model``.
    random_state : int, default=0

    Returns
    -------
    Agreement

    Warnings
    --------
    With few columns τ jumps: four columns allow 7 values only. Undefined (nan) where
    a method gives all columns the same importance.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 0, 0, 1], "c": [1, 2, 4, 3]})
    >>> found = importance_agreement({"tiny": (X, [1.0, 2.5, 3.0, 4.0])},
    ...                              methods=["pearson", "spearman"])
    >>> print(found.mean.loc["pearson", "spearman"].round(3))
    1.0
    """
    if len(methods) < 2:
        raise InvalidInput(f"methods is {list(methods)}; name at least two to compare")
    matrices = {}
    for name, (X, y) in tables.items():
        found = pd.DataFrame(
            {
                method: feature_importance(
                    X, y, method, model=model, random_state=random_state
                ).abs()
                for method in methods
            }
        )
        matrices[name] = pd.DataFrame(
            [[_tau(found[a], found[b]) for b in methods] for a in methods],
            index=list(methods),
            columns=list(methods),
        )
    if not matrices:
        raise InvalidInput("tables is empty; pass at least one data set")
    stacked = np.stack([matrix.to_numpy() for matrix in matrices.values()])
    mean = pd.DataFrame(
        _mean_of_known(stacked), index=list(methods), columns=list(methods)
    )
    others = mean.where(~np.eye(len(methods), dtype=bool))
    return Agreement(matrices, mean, others.mean(axis=1))


def _tau(a: pd.Series, b: pd.Series) -> float:
    if a.nunique() < 2 or b.nunique() < 2:
        return float("nan")
    return float(kendalltau(a, b, variant="b").statistic)


def _mean_of_known(stacked: Any) -> Any:
    known = ~np.isnan(stacked)
    counts = known.sum(axis=0)
    totals = np.where(known, stacked, 0.0).sum(axis=0)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
