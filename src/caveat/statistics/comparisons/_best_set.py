"""The best group and every group that a t-test cannot tell from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import (
    check_choice,
    check_direction,
    check_share,
    check_values,
)
from caveat.statistics.comparisons._multiplicity import holm
from caveat.statistics.comparisons._t_tests import paired_p_value, welch_p_values
from caveat.statistics.intervals._intervals import moments


@dataclass(frozen=True)
class BestSet:
    """Outcome of `best_set`.

    Attributes
    ----------
    members : tuple
        Names of the best set, best first.
    gap : float
        By how much the last member is better than the first group left out; NaN
        if none was.
    order : tuple
        Names of all groups that have a value, best mean first.
    means : tuple of float
        In that order.
    p_values : tuple of float
        Of the test against the first (adjusted, if a correction was asked for), in
        that order; NaN for the first itself and where no test is possible.
    untested : tuple
        Members that no test could exclude: they, or the first, have one value.
    unranked : tuple
        Names of groups without any value; they can be in no set.
    missing : mapping of name to int
        Values that were NaN.
    alpha : float
    direction, correction, test : str
        The test is ``welch`` or ``paired``; the correction ``none`` or ``holm``.
    """

    members: tuple[Any, ...]
    gap: float
    order: tuple[Any, ...]
    means: tuple[float, ...]
    p_values: tuple[float, ...]
    untested: tuple[Any, ...]
    unranked: tuple[Any, ...]
    missing: Mapping[Any, int]
    alpha: float
    direction: str
    correction: str
    test: str


def best_set(
    groups: Mapping[Any, ArrayLike] | pd.DataFrame,
    *,
    alpha: float = 0.05,
    direction: str = "max",
    correction: str | None = None,
    paired: bool = False,
) -> BestSet:
    """Find the best group and those that cannot be told from it.

    Groups are ordered by their mean, best first (equal means as given). The first
    is in. The second, third, ... are each tested against the first, two-sided;
    the walk stops at the first p-value of at most alpha, and that group and all
    after it are out [1]_.

    Parameters
    ----------
    groups : mapping of name to values, or DataFrame with a column per group
        For example the test scores of each learner.
    alpha : float, default=0.05
    direction : {"max", "min"}, default="max"
        Whether larger or smaller means are better.
    correction : {None, "holm"}, default=None
        None is the published procedure. ``"holm"`` adjusts the p-values of all
        comparisons with the first for their number before the walk.
    paired : bool, default=False
        False is the published procedure: Welch's test, which allows for unequal
        variances. True tests the differences, value by value (row by row of a
        DataFrame): more powerful where all groups saw the same splits.

    Returns
    -------
    BestSet

    Notes
    -----
    - NaN are left out and counted; a paired test uses the pairs that are whole.
    - A group without any value is `unranked`.
    - No evidence, no exclusion: where a test is impossible, because a side has one
      value, the group stays in and is listed as `untested`.
    - Two constant groups are told apart if their values differ by more than
      rounding (1e-12, relative): p is 0, else 1. So are constant differences.

    Warnings
    --------
    "Not told apart" is not "equal": with few values everything is in the best set.
    The first was chosen because its mean is largest, and without a correction many
    tests are made, so alpha is not the chance of a wrong exclusion. Scores of
    overlapping splits make the p-values too small. A group after the stop may by
    itself not differ significantly (if it varies more); it is out all the same.

    References
    ----------
    .. [1] G. Franco, G. Comarela, M. Crovella (2023). Evaluating LLP methods:
       challenges and approaches, section 6.

    Examples
    --------
    >>> scores = {"amm": [0.61, 0.64, 0.62, 0.63], "lmm": [0.60, 0.64, 0.61, 0.63],
    ...           "mm": [0.55, 0.54, 0.57, 0.56]}
    >>> found = best_set(scores)
    >>> found.members, round(found.gap, 3)
    (('amm', 'lmm'), 0.065)
    """
    samples = _samples(groups)
    if paired:
        _check_pairing(groups, samples)
    present = {name: values[~np.isnan(values)] for name, values in samples.items()}
    facts = {name: moments(values) for name, values in present.items()}

    def test(first: Any, others: Sequence[Any]) -> NDArray[np.float64]:
        if paired:
            differences = [samples[first] - samples[other] for other in others]
            return np.array([paired_p_value(d[~np.isnan(d)]) for d in differences])
        return welch_p_values(
            *facts[first],
            len(present[first]),
            np.array([facts[other][0] for other in others]),
            np.array([facts[other][1] for other in others]),
            np.array([len(present[other]) for other in others]),
        )

    return walk(
        {name: mean for name, (mean, _) in facts.items()},
        test,
        alpha=alpha,
        direction=direction,
        correction=correction,
        name_of_test="paired" if paired else "welch",
        missing={name: len(samples[name]) - len(present[name]) for name in samples},
    )


def walk(
    means: Mapping[Any, float],
    test: Callable[[Any, Sequence[Any]], NDArray[np.float64]],
    *,
    alpha: float,
    direction: str,
    correction: str | None,
    name_of_test: str,
    missing: Mapping[Any, int],
) -> BestSet:
    """Order, test against the first, stop at the first exclusion."""
    level = check_share("alpha", alpha)
    sign = check_direction(direction)
    kind = check_choice("correction", correction or "none", ("none", "holm"))
    ranked = [name for name in means if not np.isnan(means[name])]
    # Python's sort is stable: equal means stay in the order given.
    order = sorted(ranked, key=lambda name: -sign * means[name])
    p_values = np.array([np.nan])[: len(order)]
    if len(order) > 1:
        tested = test(order[0], order[1:])
        p_values = np.append(np.nan, holm(tested) if kind == "holm" else tested)
    excluded = np.flatnonzero(p_values <= level)
    stop = int(excluded[0]) if len(excluded) else len(order)
    gap = np.nan
    if stop < len(order):
        gap = sign * (means[order[stop - 1]] - means[order[stop]])
    members = order[:stop]
    return BestSet(
        members=tuple(members),
        gap=float(gap),
        order=tuple(order),
        means=tuple(float(means[name]) for name in order),
        p_values=tuple(float(p) for p in p_values),
        untested=tuple(
            name
            for name, p in zip(members[1:], p_values[1:stop], strict=True)
            if np.isnan(p)
        ),
        unranked=tuple(name for name in means if np.isnan(means[name])),
        missing=dict(missing),
        alpha=level,
        direction=direction,
        correction=kind,
        test=name_of_test,
    )


def _samples(
    groups: Mapping[Any, ArrayLike] | pd.DataFrame,
) -> dict[Any, NDArray[np.float64]]:
    if not isinstance(groups, (Mapping, pd.DataFrame)):
        raise InvalidInput(
            f"groups are a {type(groups).__name__}; pass a mapping of names to values "
            "or a DataFrame with a column per group"
        )
    names: list[Hashable] = list(groups)
    if len(set(names)) < len(names):
        raise InvalidInput("two columns of groups have the same name; rename one")
    return {name: check_values(f"values of {name!r}", groups[name]) for name in names}


def _check_pairing(
    groups: Mapping[Any, ArrayLike] | pd.DataFrame,
    samples: Mapping[Any, NDArray[np.float64]],
) -> None:
    lengths = {len(values) for values in samples.values()}
    if len(lengths) > 1:
        raise InvalidInput(
            f"paired groups have {min(lengths)} to {max(lengths)} values; pass as "
            "many for each, with NaN where one is missing"
        )
    # Position by position would pair the wrong values, in silence.
    columns = [groups[name] for name in samples]
    labels = [column.index for column in columns if isinstance(column, pd.Series)]
    if any(not index.equals(labels[0]) for index in labels[1:]):
        raise InvalidInput(
            "paired groups are Series with different indices; put them into one "
            "DataFrame, which lines them up"
        )
