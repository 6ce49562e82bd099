"""What bags are asked for: sizes and proportions, by number or by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.bags._params import check_choice, check_whole
from caveat.bags._shares import SUM_TOLERANCE
from caveat.bags.worlds._margins import fit_margins
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]

SIZES = ("equal", "not-equal")
PROPORTIONS = ("close-global", "far-global", "mixed")
DEFAULT_BAGS = 5


class Targets(NamedTuple):
    """Sizes (L,) that add up to the items, and proportions (L, classes) or None."""

    sizes: NDArray
    proportions: Floats | None


def resolve_targets(
    variant: str,
    n_bags: int | None,
    sizes: Any,
    proportions: Any,
    class_counts: NDArray,
    *,
    legacy: bool,
) -> Targets:
    """Turn names, numbers or nothing into target sizes and proportions."""
    total = int(class_counts.sum())
    if variant == "naive" and proportions is not None:
        raise InvalidInput(
            "proportions: Naive takes no proportions; use simple (Naive bags know "
            "nothing of labels)"
        )
    count = _count(n_bags, sizes, proportions)
    if count > total:
        raise InvalidInput(f"n_bags: found {count} bags for {total} items; use fewer")
    weights = _size_weights(sizes, count)
    scaled = _rescaled(weights, total, legacy=legacy)
    if variant == "naive":
        return Targets(scaled, None)
    if proportions is None or isinstance(proportions, str):
        name = check_choice("proportions", proportions or "far-global", PROPORTIONS)
        return Targets(scaled, named_proportions(name, weights, class_counts / total))
    return Targets(scaled, _given_proportions(proportions, len(class_counts)))


def named_proportions(name: str, sizes: NDArray, shares: Floats) -> Floats:
    """Proportions close to the global ones, far from them, or both, for any data.

    Their mean over items is the global share, as far as the limits allow.
    """
    if len(shares) == 2:
        positive = _two_class_shares(name, sizes, float(shares[1]))
        return np.column_stack([1.0 - positive, positive])
    bags = np.arange(len(sizes))
    pull = {
        "close-global": np.full(len(sizes), 0.2),
        "far-global": np.full(len(sizes), 0.6),
    }
    strength = pull.get(name, np.where(bags % 2 == 0, 0.1, 0.6))[:, None]
    corner = np.eye(len(shares))[bags % len(shares)]
    table = (1.0 - strength) * shares + strength * corner
    weights = sizes / sizes.sum()
    fitted = fit_margins(table * weights[:, None], weights, shares)
    return fitted / fitted.sum(axis=1, keepdims=True)


def _two_class_shares(name: str, sizes: NDArray, share: float) -> Floats:
    bags = np.arange(len(sizes))
    reach = min(share, 1.0 - share)
    step = (bags // 2 + 1) / np.ceil(len(sizes) / 2)
    away = {
        "close-global": 0.4 * step,
        "far-global": 0.85 * (0.5 + 0.5 * step),
        "mixed": 0.8 * step,
    }[name]
    positive = share + np.where(bags % 2 == 0, 1.0, -1.0) * reach * away
    positive -= np.average(positive, weights=sizes) - share
    return np.clip(positive, 0.01, 0.99)


def _count(n_bags: int | None, sizes: Any, proportions: Any) -> int:
    """Find the number of bags, on which everything given must agree."""
    told = {}
    if n_bags is not None:
        told["n_bags"] = check_whole("n_bags", n_bags, least=1)
    for name, value in (("sizes", sizes), ("proportions", proportions)):
        if value is not None and not isinstance(value, str):
            if np.ndim(value) == 0:
                raise InvalidInput(f"{name}: found {value!r}; expected one per bag")
            told[name] = len(value)
    if len(set(told.values())) > 1:
        found = ", ".join(f"{name} {count}" for name, count in told.items())
        raise InvalidInput(f"number of bags: found {found}; expected the same for all")
    return next(iter(told.values()), DEFAULT_BAGS)


def _size_weights(sizes: Any, count: int) -> Floats:
    if sizes is None or isinstance(sizes, str):
        name = check_choice("sizes", sizes or "equal", SIZES)
        return np.ones(count) if name == "equal" else np.linspace(3.0, 1.0, count)
    weights = _numbers("sizes", sizes)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if weights.ndim != 1 or len(bad):
        where = f"{weights[bad[0]]:g} for bag {bad[0]}" if len(bad) else weights.shape
        raise InvalidInput(f"sizes: found {where}; expected a number above 0 per bag")
    return weights


def _numbers(name: str, values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name}: not numbers ({error}); pass one per bag"
        ) from error


def _rescaled(weights: Floats, total: int, *, legacy: bool) -> NDArray:
    """Whole sizes that add up to all items; legacy ones are cut and may fall short."""
    exact = weights * total / weights.sum()
    whole = np.floor(exact).astype(np.int64)
    if legacy:
        return whole
    short = total - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:short]] += 1
    if whole.min() == 0:
        bag = int(whole.argmin())
        raise InvalidInput(
            f"sizes: bag {bag} would get none of the {total} items; make it larger"
        )
    return whole


def _given_proportions(proportions: Any, n_classes: int) -> Floats:
    table = _numbers("proportions", proportions)
    if table.ndim == 1:
        if n_classes != 2:
            raise InvalidInput(
                f"proportions: found one number per bag for {n_classes} classes; "
                "expected one per class"
            )
        table = np.column_stack([1.0 - table, table])
    if table.ndim != 2 or table.shape[1] != n_classes:
        raise InvalidInput(
            f"proportions: found shape {table.shape}; expected a row per bag and "
            f"{n_classes} classes"
        )
    bad = np.argwhere(~np.isfinite(table) | (table < 0.0) | (table > 1.0))
    if len(bad):
        bag, column = bad[0]
        raise InvalidInput(
            f"proportions: bag {bag}, class {column} is {table[bag, column]:g}; "
            "expected between 0 and 1"
        )
    totals = table.sum(axis=1)
    off = np.flatnonzero(np.abs(totals - 1.0) > SUM_TOLERANCE)
    if len(off):
        raise InvalidInput(
            f"proportions: bag {off[0]} sums to {totals[off[0]]:.6g}; expected 1 "
            f"(tolerance {SUM_TOLERANCE:g})"
        )
    return table
