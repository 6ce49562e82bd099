"""The best set from a published table: means, deviations and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import check_values
from caveat.statistics.comparisons._best_set import BestSet, walk
from caveat.statistics.comparisons._t_tests import welch_p_values


def best_set_from_summary(
    means: Mapping[Any, float] | ArrayLike,
    sds: Mapping[Any, float] | ArrayLike,
    ns: Mapping[Any, float] | ArrayLike | int,
    *,
    names: Sequence[Any] | None = None,
    ddof: int = 1,
    alpha: float = 0.05,
    direction: str = "max",
    correction: str | None = None,
) -> BestSet:
    """Find the best set from published means, standard deviations and counts.

    The same walk as `best_set`, with Welch's test from summary statistics.

    Parameters
    ----------
    means, sds : mapping of name to float, or array-like of shape (n_groups,)
        A table that prints 1.96 standard errors has
        ``sd = half_width * sqrt(n) / 1.96``.
    ns : mapping, array-like of shape (n_groups,) or int
        How many values each mean is of.
    names : sequence, optional
        Names for arrays; their positions if not given.
    ddof : {0, 1}, default=1
        Which standard deviation was published: divided by n (0) or n - 1 (1).
    alpha, direction, correction
        As in `best_set`.

    Returns
    -------
    BestSet

    Warnings
    --------
    Published numbers are rounded: a p-value close to alpha may fall on the other
    side. See also `best_set`.

    Examples
    --------
    >>> found = best_set_from_summary({"a": 0.62, "b": 0.61, "c": 0.5},
    ...                               {"a": 0.03, "b": 0.04, "c": 0.03}, 30)
    >>> found.members, round(found.gap, 2)
    (('a', 'b'), 0.11)
    """
    if ddof not in (0, 1):
        raise InvalidInput(f"ddof is {ddof!r}; pass 0 or 1")
    mean, sd, n = _summary(means, sds, ns, names)
    if ddof == 0:
        # One value has a published sd of 0; with ddof 1 it has none.
        sd = {
            name: sd[name] * np.sqrt(n[name] / (n[name] - 1)) if n[name] > 1 else np.nan
            for name in sd
        }

    def test(first: Any, others: Sequence[Any]) -> NDArray[np.float64]:
        return welch_p_values(
            mean[first],
            sd[first],
            n[first],
            np.array([mean[other] for other in others]),
            np.array([sd[other] for other in others]),
            np.array([n[other] for other in others]),
        )

    return walk(
        mean,
        test,
        alpha=alpha,
        direction=direction,
        correction=correction,
        name_of_test="welch",
        missing=dict.fromkeys(mean, 0),
    )


def pool_summary(
    means: ArrayLike, sds: ArrayLike, ns: ArrayLike, *, ddof: int = 1
) -> tuple[float, float, int]:
    """Mean, standard deviation and count of several samples put together.

    Parameters
    ----------
    means, sds, ns : array-like of shape (n_samples,)
        Of each sample.
    ddof : {0, 1}, default=1
        Of the standard deviations, given and returned.

    Returns
    -------
    (mean, sd, n) of the pooled sample, exactly as if its values were known.

    Warnings
    --------
    Values that come from different conditions are put into one sample: its
    variance mixes that between conditions with that inside them.

    Examples
    --------
    >>> mean, sd, n = pool_summary([1.0, 4.0], [1.0, 1.0], [3, 3])
    >>> round(mean, 2), round(sd, 3), n        # the values 0, 1, 2 and 3, 4, 5
    (2.5, 1.871, 6)
    """
    if ddof not in (0, 1):
        raise InvalidInput(f"ddof is {ddof!r}; pass 0 or 1")
    mean, sd, n = _summary(means, sds, ns, None)
    m, s, count = (np.array(list(part.values())) for part in (mean, sd, n))
    total = count.sum()
    if total <= ddof:
        return (float(m[0]) if total else np.nan), np.nan, int(total)
    pooled = float((count * m).sum() / total)
    squares = ((count - ddof) * s**2 + count * (m - pooled) ** 2).sum()
    return pooled, float(np.sqrt(squares / (total - ddof))), int(total)


def _summary(
    means: Mapping[Any, float] | ArrayLike,
    sds: Mapping[Any, float] | ArrayLike,
    ns: Mapping[Any, float] | ArrayLike | int,
    names: Sequence[Any] | None,
) -> tuple[dict[Any, float], dict[Any, float], dict[Any, float]]:
    """Means, deviations and counts by name, checked."""
    if isinstance(means, Mapping):
        keys = list(means)
    else:
        keys = list(range(len(check_values("means", means))))
    labels = keys if names is None else list(names)
    if len(set(labels)) != len(keys):
        raise InvalidInput(
            f"{len(keys)} means have {len(set(labels))} names; pass one name for each"
        )
    mean, sd, n = (
        dict(zip(labels, _column(what, part, keys), strict=True))
        for what, part in (("means", means), ("sds", sds), ("ns", ns))
    )
    for label in labels:
        if sd[label] < 0 or n[label] < 0 or np.isnan(n[label]):
            raise InvalidInput(
                f"group {label!r} has sd {sd[label]:.6g} and n {n[label]:.6g}; neither "
                "can be negative, and n must be known"
            )
        if n[label] == 0:
            mean[label] = np.nan
    return mean, sd, n


def _column(
    what: str, part: Mapping[Any, float] | ArrayLike, keys: Sequence[Any]
) -> list[float]:
    """One number per group, from a mapping, a list or one number for all."""
    if isinstance(part, Mapping):
        if set(part) != set(keys):
            raise InvalidInput(
                f"{what} do not have the names of means; pass one for each of them"
            )
        values = check_values(what, [part[key] for key in keys])
    else:
        one_for_all = np.ndim(part) == 0
        values = check_values(what, np.full(len(keys), part) if one_for_all else part)
    if len(values) != len(keys):
        raise InvalidInput(
            f"{what} have {len(values)} entries for {len(keys)} groups; pass one for "
            "each"
        )
    return values.tolist()
