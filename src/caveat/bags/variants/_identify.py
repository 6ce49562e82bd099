"""Which variant is this? Five independence tests and the table that reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags._shares import same_index
from caveat.bags.variants._fcit import (
    Independence,
    choose_min_split,
    fcit_test,
    held_out_error,
    standardised,
)
from caveat.bags.variants._tree import MOST_BINS, BinnedItems
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]

TESTS: Mapping[str, str] = MappingProxyType(
    {
        "T1": "label and bag",
        "T2": "items and bag",
        "T3": "items and label, given the bag",
        "T4": "items and bag, given the label",
        "T5": "label and bag, given the items",
    }
)
"""What each test asks about: are these two independent?"""

INDEPENDENT: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "naive": frozenset({"T1", "T2", "T4", "T5"}),
        "simple": frozenset({"T4"}),
        "intermediate": frozenset({"T5"}),
        "hard": frozenset(),
    }
)
"""Which tests find independence, variant by variant."""

_TEST_SHARE = 0.1
_ITEMS_PER_BIN = 24
_FEWEST_BINS = 16


@dataclass(frozen=True)
class VariantReport:
    """What the tests found, and which variant that is.

    Attributes
    ----------
    variant : str
        ``naive``, ``simple``, ``intermediate``, ``hard``; ``other`` when the five
        decisions match none of them; ``unknown`` without labels.
    p_values : dict of str to float
        ``T1`` to ``T5``; small means dependent.
    nearest : tuple of str
        Variants that differ in the fewest decisions.
    alpha : float
        Independence is accepted above this p-value.
    n_items : int
        Items that were looked at.
    permutation_p_values : dict of str to float
        Calibrated p-values of T2 and T4, if asked for.
    smallest_seen : dict of str to float
        The weakest dependence that each test would have seen in four of five tables of
        this size: Cramér's V for T1, for the others the share of the prediction error
        that the test's own trees explain on held-out items. Trees find part of what
        there is, so the dependence itself has to be stronger: by half in a simulation
        of 14 groups and 1,500 items.
    """

    variant: str
    p_values: dict[str, float]
    nearest: tuple[str, ...]
    alpha: float
    n_items: int
    permutation_p_values: dict[str, float]
    smallest_seen: dict[str, float] = field(default_factory=dict)

    @property
    def independent(self) -> frozenset[str]:
        """Tests that accepted independence."""
        return frozenset(t for t, p in self.p_values.items() if p > self.alpha)

    def to_frame(self) -> pd.DataFrame:
        """One row per test: question, p-value, decision."""
        rows = [
            {
                "test": test,
                "question": TESTS[test],
                "p_value": p,
                "decision": "independent" if p > self.alpha else "dependent",
                "seen": self.smallest_seen.get(test, np.nan),
                "permutation_p_value": self.permutation_p_values.get(test, np.nan),
            }
            for test, p in self.p_values.items()
        ]
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        lines = [self.sentence()]
        for test, p in self.p_values.items():
            decision = "independent" if p > self.alpha else "dependent"
            line = f"  {test}  {TESTS[test]:<32} {decision:<12} p = {p:.3g}"
            if p > self.alpha and np.isfinite(self.smallest_seen.get(test, np.nan)):
                line += f"  (would have seen {self.smallest_seen[test]:.2g})"
            if test in self.permutation_p_values:
                line += f"  (by permutation {self.permutation_p_values[test]:.3g})"
            lines.append(line)
        return "\n".join(lines)

    def sentence(self) -> str:
        """Say the verdict in one sentence."""
        if self.variant == "unknown":
            depends = self.p_values["T2"] <= self.alpha
            return "Without labels only one test can be run: the bags " + (
                "differ in their items, so this is not the Naive variant."
                if depends
                else "do not differ in their items: as far as can be seen, Naive."
            )
        if self.variant == "other":
            near = " or ".join(name.capitalize() for name in self.nearest)
            return f"The five decisions match no variant; nearest is {near}."
        return _MEANING[self.variant]


_MEANING = {
    "naive": "Naive: bags know nothing of labels or items.",
    "simple": "Simple: bags depend on labels only; a class looks alike in every bag.",
    "intermediate": "Intermediate: bags depend on items only; like items have like "
    "odds in every bag.",
    "hard": "Hard: bags depend on items and labels alike.",
}


def identify_variant(
    X: Any,
    y: ArrayLike | None,
    bags: ArrayLike,
    *,
    alpha: float = 0.05,
    n_permutations: int = 30,
    trees: str = "boosted",
    bag_coding: str = "onehot",
    permutation_check: bool = False,
    max_items: int | None = None,
    random_state: Any = None,
) -> VariantReport:
    """Find out how items, labels and bags depend on one another.

    Label against bag is a chi-square test; the others ask whether trees predict
    better with the one than without it (FCIT).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_items, n_features)
        The items, numbers only.
    y : array-like of shape (n_items,), or None
        Their labels. Without them only T2 can be run.
    bags : array-like of shape (n_items,)
        Bag of every item; any ids.
    alpha : float, default=0.05
        Independence is accepted above this p-value.
    n_permutations : int, default=30
        Random divisions per test.
    trees : {"boosted", "single"}, default="boosted"
        Several small trees, or one tree as published, which needs tens of thousands of
        items to see a bag's effect beside that of features.
    bag_coding : {"onehot", "integer"}, default="onehot"
        How T2 sees bags; ``integer`` repeats published p-values, though a bag's
        number means nothing.
    permutation_check : bool, default=False
        Also compute calibrated p-values of T2 and T4 by permuting bags (within
        labels).
    max_items : int, optional
        Grow trees on a random sample of so many items at most, in which every bag and
        label has its share. T1 always counts all items.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    VariantReport

    Warnings
    --------
    p-values of FCIT are approximate: read them as decisions. With ``trees="single"``
    they are those published, which take 30 divisions of the same items for
    independent ones and pile up near 0 and 1. A test that sees too few items finds
    independence where there is none; with thousands of items it sees dependences too
    weak to matter. Features that cannot predict labels at all make every verdict void.

    References
    ----------
    .. [1] G. Franco, G. Comarela, M. Crovella (2023). Evaluating LLP methods:
       challenges and approaches. Table 1 and section 2.2.
    .. [2] K. Chalupka, P. Perona, F. Eberhardt (2018). Fast conditional independence
       test for vector variables with large sample sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from caveat.bags import identify_variant, make_bags
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = rng.normal(size=(500, 3)) + 1.5 * y[:, None]
    >>> bags = make_bags(X, y, variant="simple", n_bags=4, random_state=0)
    >>> found = identify_variant(
    ...     X, y, bags.assignment, n_permutations=8, random_state=0)
    >>> found.variant
    'simple'
    """
    check_number("alpha", alpha, above=0, most=0.5)
    check_whole("n_permutations", n_permutations, least=2)
    check_choice("bag_coding", bag_coding, ["onehot", "integer"])
    check_choice("trees", trees, ["boosted", "single"])
    rng = check_random_state(random_state)
    same_index(X, bags)
    same_index(X, y, ("X", "y"))
    same_index(bags, y, ("bags", "y"))
    items = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=20)
    groups = _codes("bags", bags, items.shape[0])
    labels = None if y is None else _codes("y", y, items.shape[0])
    table = None
    if max_items is not None and items.shape[0] > check_whole(
        "max_items", max_items, least=20
    ):
        table = None if labels is None else (labels, groups)
        rows = _sample(groups, labels, max_items, rng)
        items, groups = items[rows], _again(groups[rows])
        labels = None if labels is None else _again(labels[rows])
    seen = _Seen(items, labels, groups, n_permutations, bag_coding, trees, alpha)
    found = seen.tests(rng)
    if labels is not None:
        counted = (labels, groups) if table is None else table
        found["T1"] = Independence(chi_square(*counted), smallest_v(*counted, alpha))
    p_values = {test: found[test].p_value for test in TESTS if test in found}
    power = {test: found[test].smallest_seen for test in p_values}
    checks = seen.permutation_p_values(rng) if permutation_check else {}
    variant, nearest = _verdict(p_values, alpha)
    return VariantReport(
        variant, p_values, nearest, alpha, items.shape[0], checks, power
    )


class _Seen:
    """Items, labels and bags in the forms in which the tests want them."""

    def __init__(
        self,
        items: Any,
        labels: NDArray | None,
        groups: NDArray,
        n_permutations: int,
        bag_coding: str,
        trees: str,
        alpha: float,
    ) -> None:
        self.alpha = alpha
        self.items = BinnedItems.of(items, _bins(len(groups), trees))
        self.labels = labels
        self.groups = groups
        self.n_permutations = n_permutations
        self.trees = trees
        self.bag_hot = np.eye(int(groups.max()) + 1)[groups]
        self.bag_target = (
            groups.astype(np.float64) if bag_coding == "integer" else self.bag_hot
        )

    def tests(self, rng: Any) -> dict[str, Independence]:
        """T2 to T5, or T2 alone without labels."""
        if self.labels is None:
            return {"T2": self._test(self.items, self.bag_target, None, rng)}
        label_hot = np.eye(int(self.labels.max()) + 1)[self.labels]
        # Two classes need one column: the other is its mirror image.
        target = label_hot[:, 1:] if label_hot.shape[1] == 2 else label_hot
        label_items = BinnedItems.of(target)
        bag_items = BinnedItems.of(self.bag_hot)
        found = {
            "T2": self._test(self.items, self.bag_target, None, rng),
            "T3": self._test(self.items, target, bag_items, rng),
            "T4": self._test(self.items, self.bag_hot, label_items, rng),
        }
        # The one with fewer columns is predicted.
        if target.shape[1] <= self.bag_hot.shape[1]:
            found["T5"] = self._test(bag_items, target, self.items, rng)
        else:
            found["T5"] = self._test(label_items, self.bag_hot, self.items, rng)
        return found

    def permutation_p_values(self, rng: Any) -> dict[str, float]:
        """T2, and T4 within labels, by permuting bags."""
        given = {"T2": None, "T4": self.labels}
        return {
            test: permutation_test(self.items, self.groups, strata, rng)
            for test, strata in given.items()
            if test == "T2" or strata is not None
        }

    def _test(
        self, x: BinnedItems, y: Floats, z: BinnedItems | None, rng: Any
    ) -> Independence:
        return fcit_test(
            x,
            y,
            z,
            n_permutations=self.n_permutations,
            trees=self.trees,
            alpha=self.alpha,
            random_state=rng,
        )


def _bins(n_items: int, trees: str) -> int:
    """Small trees cut between some two dozen items, not between any two."""
    most = n_items // _ITEMS_PER_BIN if trees == "boosted" else MOST_BINS
    return min(max(most, _FEWEST_BINS), MOST_BINS)


def chi_square(labels: NDArray, groups: NDArray) -> float:
    """p-value of Pearson's test that labels and bags are independent."""
    n_groups = int(groups.max()) + 1
    n_labels = int(labels.max()) + 1
    table = np.bincount(labels * n_groups + groups, minlength=n_labels * n_groups)
    return float(stats.chi2_contingency(table.reshape(n_labels, n_groups)).pvalue)


def smallest_v(
    labels: NDArray, groups: NDArray, alpha: float, power: float = 0.8
) -> float:
    """Smallest Cramér's V that the chi-square test sees so often at this size."""
    least = min(len(np.unique(labels)), len(np.unique(groups))) - 1
    df = (len(np.unique(labels)) - 1) * (len(np.unique(groups)) - 1)
    critical = stats.chi2.isf(alpha, df)
    gap = optimize.brentq(
        lambda lam: stats.ncx2.sf(critical, df, lam) - power, 1e-6, 1e4 + 10 * df
    )
    return float(min(1.0, np.sqrt(gap / (len(labels) * least))))


def permutation_test(
    items: BinnedItems,
    groups: NDArray,
    strata: NDArray | None,
    random_state: Any = None,
    *,
    n_permutations: int = 99,
) -> float:
    """Test items against bags, given strata, by shuffling the bags.

    Parameters
    ----------
    items : BinnedItems
    groups : ndarray
        Bag of every item.
    strata : ndarray or None
        Bags are shuffled among items of one stratum only.
    n_permutations : int, default=99

    Returns
    -------
    float
        Share of shuffles in which a tree predicts the (shuffled) bags of held-out
        items at least as well; the real bags count as one of them.
    """
    rng = check_random_state(random_state)
    n = len(groups)
    n_test = max(1, int(_TEST_SHARE * n))
    given = items
    if strata is not None:
        given = BinnedItems.joined(
            items, BinnedItems.of(np.eye(int(strata.max()) + 1)[strata])
        )
    hot = standardised(np.eye(int(groups.max()) + 1)[groups])
    min_split = choose_min_split(given, hot, rng)
    order = rng.permutation(n)

    def error(target: Floats) -> float:
        return held_out_error(given, target, order, n_test, min_split, rng)

    real = error(hot)
    as_good = sum(
        error(hot[_shuffle_within(strata, n, rng)]) <= real
        for _ in range(n_permutations)
    )
    return (1 + as_good) / (1 + n_permutations)


def _shuffle_within(strata: NDArray | None, n: int, rng: Any) -> NDArray:
    if strata is None:
        return rng.permutation(n)
    order = np.arange(n)
    for stratum in range(int(strata.max()) + 1):
        rows = np.flatnonzero(strata == stratum)
        order[rows] = rng.permutation(rows)
    return order


def _verdict(p_values: dict[str, float], alpha: float) -> tuple[str, tuple[str, ...]]:
    """Find the variant whose column equals the decisions, and the nearest ones."""
    found = {test for test, p in p_values.items() if p > alpha}
    asked = set(p_values)
    distance = {
        name: len((found ^ independent) & asked)
        for name, independent in INDEPENDENT.items()
    }
    least = min(distance.values())
    nearest = tuple(name for name, gap in distance.items() if gap == least)
    if len(asked) < len(TESTS):
        return "unknown", nearest
    return (nearest[0] if least == 0 else "other"), nearest


def _sample(groups: NDArray, labels: NDArray | None, count: int, rng: Any) -> NDArray:
    """Row numbers in which every bag (and label) has its share, up to one item."""
    strata = groups if labels is None else groups * (int(labels.max()) + 1) + labels
    sizes = np.bincount(strata)
    exact = sizes * count / len(strata)
    taken = np.floor(exact).astype(np.int64)
    left = count - int(taken.sum())
    taken[np.argsort(taken - exact, kind="stable")[:left]] += 1
    order = np.lexsort((rng.random_sample(len(strata)), strata))
    first = np.cumsum(sizes) - sizes
    rank = np.arange(len(strata)) - first[strata[order]]
    return np.sort(order[rank < taken[strata[order]]])


def _codes(name: str, values: ArrayLike, n_items: int) -> NDArray:
    """Whole numbers from 0 for any labels or ids; at least two of them."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != n_items:
        raise InvalidInput(
            f"{name}: found shape {array.shape} for {n_items} items; expected one each"
        )
    codes, found = pd.factorize(pd.Series(array), sort=False, use_na_sentinel=False)
    if pd.isna(found).any():
        row = int(np.argmax(pd.isna(pd.Series(array))))
        raise InvalidInput(f"{name}: row {row} is missing; every item needs one")
    if len(found) < 2:
        raise InvalidInput(
            f"{name}: found only {found[0]!r}; expected at least two different ones"
        )
    if len(found) > max(2, n_items // 2):
        raise InvalidInput(
            f"{name}: found {len(found)} different values for {n_items} items; "
            "expected groups of several items"
        )
    return codes.astype(np.int64)


def _again(codes: NDArray) -> NDArray:
    return pd.factorize(codes)[0].astype(np.int64)
