"""Who can be told from the first: paired tests that fit the design, corrected.

One data set: the corrected resampled t-test over its repeats, each the mean over the
study's worlds. Two to five: every data set by itself, and by the same test the mean
over them. Six and more: Friedman's test over their means, then Wilcoxon's signed-rank
test. Always paired, Holm-corrected. So are learners held against what is reached
without learning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.pages.claims import Estimate
from caveat.statistics import (
    average_ranks,
    bounded_interval,
    corrected_resampled_t_test,
    fitting_test,
    friedman_test,
    holm,
    wilcoxon_holm,
)

ALPHA = 0.05
FEWEST_TESTED = 6  # below, no signed-rank test can reach 0.05


@dataclass(frozen=True)
class Verdict:
    """What tests say about who is first.

    Attributes
    ----------
    kind : {"splits", "each", "data sets", "none"}
        What the tests are over; ``each``: every data set by itself.
    leaders : tuple of str
        The first by mean and all that are not told from it, in the order of means; by
        ``each``, those not told from the first on any data set, nor over all together.
        Nobody where no test was made.
    compared : tuple of str
        All that were tested, the leaders among them.
    sentence : str
        Which test, on what, corrected how.
    differences : mapping of str to Estimate
        First minus other, positive if the first is better.
    p_values : mapping of str to float
        Holm-corrected, of the tests against the first.
    sets : mapping of data set to tuple of str
        Who is not told from the first there.
    unranked : tuple of str
        Without a value in some world that others have, so not compared.
    pairs : int
        How many comparisons were corrected for.
    """

    kind: str
    leaders: tuple[str, ...]
    sentence: str
    differences: Mapping[str, Estimate] = field(default_factory=dict)
    p_values: Mapping[str, float] = field(default_factory=dict)
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unranked: tuple[str, ...] = ()
    pairs: int = 0
    compared: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Against:
    """Everybody against the first on one sample: differences and p-values."""

    members: tuple[str, ...]
    differences: dict[str, Estimate]
    p_values: dict[str, float]


def beside(
    table: pd.DataFrame,
    floor: pd.Series,
    *,
    sign: float,
    unit: str,
    span: tuple[float, float],
    test_share: float,
) -> dict[str, Estimate]:
    """Hold learners, each by itself, against a floor measured on the same splits.

    Gives the mean of a learner less the floor's, positive if better, with an interval
    that is the test. Up to five data sets: the corrected resampled t over repeats, each
    the mean over data sets. Six and more: t over data sets. Learners without a value
    are left out. Parameters as in `decide`; `floor` has the index of `table`.
    """
    gaps = (sign * table.sub(floor, axis=0)).dropna(axis=1, how="all")
    many = len(gaps.index.unique(0)) >= FEWEST_TESTED
    noun, share = ("data sets", 0.0) if many else ("repeats", test_share)
    held = {}
    for learner in gaps:
        gap = _by_unit(gaps[learner], many=many)
        basis = f"{len(gap)} {noun}, paired"
        held[str(learner)] = _difference(gap, unit, span[1] - span[0], share, basis)
    return held


def _by_unit(gap: pd.Series, *, many: bool) -> np.ndarray:
    """Means of data sets, or of repeats over all data sets; whole ones only."""
    if many:
        return gap.groupby(level=0).mean().dropna().to_numpy(dtype=float)
    found = _mean_by_repeat(gap)
    return found[~np.isnan(found)]


def _mean_by_repeat(values: pd.Series) -> NDArray[np.float64]:
    """Mean over data sets of every repeat; NaN where one of them is missing."""
    by_data = values.unstack(level=0)
    return by_data.mean(axis=1, skipna=False).to_numpy(dtype=float)


def _resampled_p(gap: np.ndarray, ratio: float) -> float:
    """Two-sided, of the corrected resampled t-test; 1 where there is no test."""
    if np.count_nonzero(~np.isnan(gap)) < 2:
        return 1.0
    zero = np.zeros_like(gap)
    return corrected_resampled_t_test(gap, zero, test_train_ratio=ratio).p_value


def decide(
    table: pd.DataFrame,
    order: tuple[str, ...],
    *,
    sign: float,
    unit: str,
    span: tuple[float, float],
    test_share: float,
) -> Verdict:
    """Compare learners with the first of them.

    Parameters
    ----------
    table : DataFrame
        Index (data set, repeat), a column per learner: means over the same worlds; NaN
        where one is missing.
    order : tuple of str
        Learners, best mean first.
    sign : {1, -1}
        1 if larger is better.
    unit : str
        The measure, as pages call it.
    span : (float, float)
        Where the measure lies.
    test_share : float
        Share of the rows that a repeat is tested on.
    """
    values = table.to_numpy(dtype=float)
    column = {one: values[:, n] for n, one in enumerate(table.columns)}
    codes, found = pd.factorize(table.index.get_level_values(0))
    datasets = list(found)
    known = tuple(one for one in order if _is_on_all(column[one], codes, len(datasets)))
    unranked = tuple(one for one in order if one not in known)
    repeats = _repeats([column[one] for one in known], codes)
    sentence = fitting_test(
        data_sets=max(len(datasets), 1), learners=len(known), repeats=repeats
    )
    if len(known) < 2 and len(order) > 1:
        sentence = "Fewer than two learners have values on all data sets."
    if len(known) < 2 or (len(datasets) < FEWEST_TESTED and repeats < 2):
        return Verdict("none", (), sentence, unranked=unranked)
    width = span[1] - span[0]
    settings: dict[str, Any] = {"sign": sign, "unit": unit, "width": width}
    if len(datasets) >= FEWEST_TESTED:
        return _over_data_sets(table, known, unranked, sentence, settings)
    # One to five data sets: repeats share rows, which the corrected test allows for.
    ratio = test_share / (1 - test_share)
    parts = {
        data: _over_splits(
            {one: column[one][codes == code] for one in known}, ratio, **settings
        )
        for code, data in enumerate(datasets)
    }
    sets = {data: part.members for data, part in parts.items()}
    if len(datasets) == 1:
        (part,) = parts.values()
        found = (part.members, sentence, part.differences, part.p_values)
        pairs = len(known) - 1
        return Verdict("splits", *found, sets, unranked, pairs, compared=known)
    everywhere = tuple(one for one in known if all(one in s for s in sets.values()))
    # A few repeats on each may tell nobody apart where all of them together do.
    means = {one: _mean_by_repeat(table[one]) for one in known}
    differences, p_values = {}, {}
    if all(np.isfinite(values).any() for values in means.values()):
        part = _over_splits(means, ratio, **settings)
        differences, p_values = part.differences, part.p_values
        everywhere = tuple(o for o in everywhere if o in part.members) or everywhere
    return Verdict(
        "each",
        everywhere,
        sentence,
        differences,
        p_values,
        sets=sets,
        unranked=unranked,
        pairs=(len(known) - 1) * (len(datasets) + 1),
        compared=known,
    )


def _is_on_all(
    values: NDArray[np.float64], codes: NDArray[np.intp], datasets: int
) -> bool:
    """Whether a learner has a value on every data set."""
    return bool(datasets) and len(set(codes[~np.isnan(values)])) == datasets


def _repeats(learners: list[NDArray[np.float64]], codes: NDArray[np.intp]) -> int:
    """Count the splits of the data set that has most.

    A split counts if two learners share it; the others are still to come.
    """
    if not learners:
        return 0
    given = [~np.isnan(values) for values in learners]
    shared = np.sum(given, axis=0) >= min(2, len(learners))
    return int(np.bincount(codes[shared]).max(initial=0))


def _over_splits(
    values: dict[str, NDArray[np.float64]],
    ratio: float,
    *,
    sign: float,
    unit: str,
    width: float,
) -> _Against:
    learners = tuple(values)
    first = max(learners, key=lambda one: sign * np.nanmean(values[one]))
    others = [one for one in learners if one != first]
    differences, p_values = {}, []
    for other in others:
        gap = sign * (values[first] - values[other])
        p_values.append(_resampled_p(gap, ratio))
        share = ratio / (1 + ratio)
        basis = f"{np.count_nonzero(~np.isnan(gap))} repeats, paired and corrected"
        differences[other] = _difference(gap, unit, width, share, basis)
    return _against(first, learners, differences, p_values)


def _over_data_sets(
    table: pd.DataFrame,
    known: tuple[str, ...],
    unranked: tuple[str, ...],
    sentence: str,
    settings: dict[str, Any],
) -> Verdict:
    sign, unit = settings["sign"], settings["unit"]
    means = table[list(known)].groupby(level=0, sort=False).mean().dropna()
    direction = "max" if sign == 1 else "min"
    overall = friedman_test(average_ranks(means, direction=direction)).tied_f_p
    first, pairs = known[0], len(known) - 1
    if len(known) > 2 and not overall <= ALPHA:
        return Verdict(
            "data sets", known, sentence, unranked=unranked, pairs=pairs, compared=known
        )
    differences, p_values = {}, []
    for other in known[1:]:
        pair = means[[first, other]]
        p_values.append(float(wilcoxon_holm(pair, direction=direction)["p"].iloc[0]))
        gap = sign * (pair[first] - pair[other]).to_numpy()
        basis = f"{len(means)} data sets, paired"
        differences[other] = _difference(gap, unit, settings["width"], 0.0, basis)
    found = _against(first, known, differences, p_values)
    return Verdict(
        "data sets",
        found.members,
        sentence,
        found.differences,
        found.p_values,
        unranked=unranked,
        pairs=pairs,
        compared=known,
    )


def _against(
    first: str,
    learners: tuple[str, ...],
    differences: dict[str, Estimate],
    p_values: list[float],
) -> _Against:
    """Leave out whom both the corrected test and the interval tell from the first."""
    corrected = dict(zip(differences, holm(np.array(p_values)), strict=True))
    out = {
        one
        for one, p in corrected.items()
        if p <= ALPHA and (differences[one].low or 0.0) > 0
    }
    members = [first, *(one for one in learners if one != first and one not in out)]
    return _Against(
        tuple(members), differences, {k: float(p) for k, p in corrected.items()}
    )


def _difference(
    gap: np.ndarray,
    unit: str,
    width: float,
    share: float,
    basis: str,
) -> Estimate:
    """Mean difference with an interval inside what differences can be."""
    known = gap[~np.isnan(gap)]
    found = bounded_interval(known, range=(-width, width), test_share=share)
    if len(known) > 1 and np.ptp(known) < 1e-12:
        # Equal differences: no spread to make an interval of. A few of them may be
        # chance, six of one sign are not (2 of 64 tosses); no difference is a tie.
        sure = len(known) >= FEWEST_TESTED or abs(found.mean) < 1e-12
        ends = (found.mean, found.mean) if sure else (None, None)
        return Estimate(found.mean, unit, *ends, basis, len(known))
    return Estimate.of(found, unit, basis)
