"""The 72 standard data sets: two base data sets, four variants, sizes and shares.

Table 2 of the paper lists what came of these targets; here are the targets themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

from caveat.bags.worlds._bags import Bags, make_bags
from caveat.exceptions import UnknownName

SEED = 6738921
"""Seeds the row shuffle, k-means, the descent and the draws alike."""

_VARIANTS = ("hard", "intermediate", "naive", "simple")
_N_BAGS = MappingProxyType({"small": 5, "large": 10})
_PROPORTIONS = ("close-global", "far-global", "mixed")

_FIVE = {
    "equal": (15000, 15000, 14000, 14000, 13000),
    "not-equal": (15000, 15000, 7500, 7500, 3750),
}
_SIZES: Mapping[tuple[str, str], Mapping[str, tuple[int, ...]]] = {
    ("adult", "small"): _FIVE,
    ("cifar", "small"): _FIVE,
    ("adult", "large"): {
        "equal": (5000,) * 4 + (4700,) * 4 + (4500,) * 2,
        "not-equal": (10000,) * 2
        + (9000,) * 2
        + (8000,) * 2
        + (7000,) * 2
        + (6000,) * 2,
    },
    ("cifar", "large"): {
        "equal": (5500,) * 4 + (5000,) * 2 + (4750,) * 2 + (4500,) * 2,
        "not-equal": (12000,) * 2
        + (10000,) * 2
        + (9000,) * 2
        + (5000,) * 2
        + (4000,) * 2,
    },
}

_ADULT_LARGE = {
    "far-global": (0.15, 0.35, 0.1, 0.4, 0.05, 0.45, 0.12, 0.38, 0.07, 0.43),
    "mixed": (0.2, 0.3, 0.15, 0.35, 0.1, 0.4, 0.25, 0.25, 0.05, 0.45),
}
_ADULT_SMALL = {
    "far-global": (0.15, 0.35, 0.1, 0.4, 0.2),
    "mixed": (0.1, 0.4, 0.22, 0.28, 0.24),
}
_CIFAR_SMALL = {
    "close-global": (0.7, 0.5, 0.69, 0.4, 0.68),
    "far-global": (0.8, 0.4, 0.9, 0.1, 0.75),
}
_CIFAR_LARGE = {
    "close-global": (0.72, 0.48, 0.71, 0.49, 0.7, 0.5, 0.68, 0.52, 0.67, 0.53),
    "far-global": (0.75, 0.45, 0.8, 0.4, 0.9, 0.1, 0.85, 0.35, 0.78, 0.42),
}
_SHARES: Mapping[tuple[str, str, str], Mapping[str, tuple[float, ...]]] = {
    ("adult", "small", "equal"): {
        "close-global": (0.34, 0.14, 0.31, 0.17, 0.24),
        **_ADULT_SMALL,
    },
    ("adult", "small", "not-equal"): {
        "close-global": (0.34, 0.14, 0.26, 0.22, 0.24),
        **_ADULT_SMALL,
    },
    ("adult", "large", "equal"): {
        "close-global": (0.34, 0.14, 0.33, 0.15, 0.32, 0.16, 0.31, 0.19, 0.3, 0.18),
        **_ADULT_LARGE,
    },
    ("adult", "large", "not-equal"): {
        "close-global": (0.34, 0.14, 0.33, 0.15, 0.32, 0.16, 0.3, 0.18, 0.28, 0.2),
        **_ADULT_LARGE,
    },
    ("cifar", "small", "equal"): {
        **_CIFAR_SMALL,
        "mixed": (0.9, 0.1, 0.8, 0.4, 0.6),
    },
    ("cifar", "small", "not-equal"): {
        **_CIFAR_SMALL,
        "mixed": (0.9, 0.1, 0.5, 0.7, 0.6),
    },
    ("cifar", "large", "equal"): {
        **_CIFAR_LARGE,
        "mixed": (0.8, 0.4, 0.9, 0.1, 0.75, 0.45, 0.65, 0.55, 0.6, 0.6),
    },
    ("cifar", "large", "not-equal"): {
        **_CIFAR_LARGE,
        "mixed": (0.8, 0.4, 0.9, 0.1, 0.75, 0.45, 0.65, 0.55, 0.63, 0.57),
    },
}
_PREFIX = {"adult": "adult", "cifar": "cifar-10-grey-animal-vehicle"}
DATASETS = {"adult": "adult", "cifar10-grey": "cifar"}
"""Registered data sets to base data sets."""


@dataclass(frozen=True)
class StandardBags:
    """One of the standard data sets.

    Attributes
    ----------
    name : str
        As published.
    base : {"adult", "cifar"}
    variant : {"naive", "simple", "intermediate", "hard"}
    bags : {"small", "large"}
        5 or 10 bags.
    sizes : {"equal", "not-equal"}
    proportions : {"close-global", "far-global", "mixed"} or None
    """

    base: str
    variant: str
    bags: str
    sizes: str
    proportions: str | None

    @property
    def name(self) -> str:
        """The published name."""
        clusters = (
            "kmeans-5" if self.variant in ("intermediate", "hard") else "None-None"
        )
        parts = (self.variant, self.bags, self.sizes, self.proportions, "cluster")
        return "-".join([_PREFIX[self.base], *map(str, parts), clusters])

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return _N_BAGS[self.bags]

    @property
    def target_sizes(self) -> tuple[int, ...]:
        """Sizes before they are scaled to the items."""
        return _SIZES[self.base, self.bags][self.sizes]

    @property
    def target_proportions(self) -> tuple[float, ...] | None:
        """Shares of the positive class; None for the Naive variant."""
        if self.proportions is None:
            return None
        return _SHARES[self.base, self.bags, self.sizes][self.proportions]

    def make(
        self, X: Any, y: Any, *, clusters: Any = None, legacy: bool = True
    ) -> Bags:
        """Make the bags from the base data set, as released by default.

        Parameters
        ----------
        X, y : array-like
            All rows of the base data set, scaled to [0, 1], in the published order.
        clusters : array-like, optional
            Its clusters, if they are known already.
        legacy : bool, default=True
            Bit for bit as released.
        """
        return make_bags(
            X,
            y,
            variant=self.variant,
            sizes=self.target_sizes,
            proportions=self.target_proportions,
            n_clusters=5,
            clusters=clusters,
            legacy=legacy,
            random_state=SEED,
        )


def standard_bags(base: str | None = None) -> list[StandardBags]:
    """List the standard data sets, all 72 or those of one base data set.

    Parameters
    ----------
    base : {"adult", "cifar"}, optional

    Returns
    -------
    list of StandardBags

    Examples
    --------
    >>> from caveat.bags import standard_bags
    >>> len(standard_bags()), len(standard_bags("adult"))
    (72, 40)
    >>> standard_bags("adult")[0].name
    'adult-hard-small-equal-close-global-cluster-kmeans-5'
    """
    if base is not None and base not in _PREFIX:
        raise UnknownName.among("base data set", base, _PREFIX)
    return [one for one in _all() if base is None or one.base == base]


def _all() -> Iterator[StandardBags]:
    for base, variant, bags, sizes in product(
        _PREFIX, _VARIANTS, _N_BAGS, ("equal", "not-equal")
    ):
        for proportions in _PROPORTIONS if variant != "naive" else (None,):
            # On CIFAR clusters and labels do not go together enough for more.
            out_of_reach = base == "cifar" and variant == "intermediate"
            if not (out_of_reach and proportions != "close-global"):
                yield StandardBags(base, variant, bags, sizes, proportions)
