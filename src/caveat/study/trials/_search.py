"""From a search space to its configurations: grids in order, random draws by seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from caveat.exceptions import InvalidInput
from caveat.study.trials._canonical import digest

Params = dict[str, Any]


def grid_configurations(grid: Mapping[str, list[Any]]) -> list[Params]:
    """Every combination; the last parameter varies fastest.

    Examples
    --------
    >>> grid_configurations({"a": [1, 2], "b": [0, 5]})
    [{'a': 1, 'b': 0}, {'a': 1, 'b': 5}, {'a': 2, 'b': 0}, {'a': 2, 'b': 5}]
    """
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def random_configurations(
    name: str, space: Mapping[str, Mapping[str, Any]], count: int
) -> list[Params]:
    """Defaults first, then ``count - 1`` draws from a space of distributions.

    A distribution is one of ``{"choice": [...]}``, ``{"uniform": [low, high]}``,
    ``{"log-uniform": [low, high]}``, ``{"integer": [low, high]}`` (both ends
    included) and ``{"log10-uniform": [low, high]}`` (of the exponent). Draw
    number i of a parameter depends on the learner's name, the parameter and i
    only, so a longer search begins with the shorter one.

    Examples
    --------
    >>> draws = random_configurations("x", {"lr": {"log-uniform": [1e-4, 1e-1]}}, 3)
    >>> draws[0], all(1e-4 <= draw["lr"] <= 1e-1 for draw in draws[1:])
    ({}, True)
    """
    return [
        {}
        if index == 0
        else {
            parameter: _draw(distribution, _unit(name, parameter, index), parameter)
            for parameter, distribution in space.items()
        }
        for index in range(count)
    ]


def _unit(name: str, parameter: str, index: int) -> float:
    """Return a number in [0, 1) that is fixed for ever by its three arguments."""
    # Thirteen hexadecimal digits are 52 bits: as many as a float holds exactly.
    return int(digest(["search", name, parameter, index])[:13], 16) / 16**13


def _draw(distribution: Mapping[str, Any], u: float, parameter: str) -> Any:
    (kind, values), *rest = distribution.items()
    if rest:
        raise InvalidInput(f"{parameter}: found {distribution}; name one distribution")
    if kind == "choice":
        return values[int(u * len(values))]
    low, high = values
    if kind == "uniform":
        return low + u * (high - low)
    if kind == "log-uniform":
        return math.exp(math.log(low) + u * (math.log(high) - math.log(low)))
    if kind == "log10-uniform":
        return 10 ** (low + u * (high - low))
    if kind == "integer":
        return low + int(u * (high - low + 1))
    raise InvalidInput(
        f"{parameter}: no distribution is called {kind!r}; there are choice, uniform, "
        "log-uniform, log10-uniform, integer"
    )
