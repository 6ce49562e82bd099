"""Checks of parameters: one sentence that names the parameter and its value."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any

from caveat.exceptions import InvalidInput, UnknownName


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
) -> float:
    """Return a finite number within its bounds, or say what is wrong with it.

    Examples
    --------
    >>> check_number("gamma", 0, above=0)
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: gamma: found 0; expected a number above 0
    """
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("at least", least), ("above", above), ("at most", most))
        if bound is not None
    ]
    rule = " ".join(["a number", " and ".join(bounds)]).strip()
    number = nan
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
    good = (
        isfinite(number)
        and (least is None or number >= least)
        and (above is None or number > above)
        and (most is None or number <= most)
    )
    if not good:
        raise InvalidInput(f"{name}: found {value!r}; expected {rule}")
    return number


def check_whole(name: str, value: Any, *, least: int) -> int:
    """Return a whole number of at least `least`.

    Examples
    --------
    >>> check_whole("n_splits", "5", least=2)
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: n_splits: found '5'; expected a whole number of at
    least 2
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidInput(
            f"{name}: found {value!r}; expected a whole number of at least {least}"
        )
    return int(value)


def check_choice(name: str, value: Any, options: Sequence[str]) -> str:
    """Return one of the options, or name the nearest one.

    Examples
    --------
    >>> check_choice("mode", "mni", ["min", "max"])
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no mode is called 'mni'; did you mean 'min'?
    """
    if not isinstance(value, str) or value not in options:
        raise UnknownName.among(name, value, options)
    return value
