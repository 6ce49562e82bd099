"""Whether a network can be built with its settings: told before torch is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, fields
from math import inf
from numbers import Integral, Real
from typing import Any

from caveat.exceptions import InvalidInput

_SHARES = ("dropout", "momentum")


def check_settings(model: Any) -> None:
    """Refuse numbers with which no network can be built, by their declared types.

    Whole numbers are at least 1 (0 where the default is 0), other numbers at least 0,
    dropout and momentum below 1.

    Parameters
    ----------
    model : dataclass
        Its fields of the types int, float and sequence of int are looked at.

    Examples
    --------
    >>> from caveat.models.networks import ResNet
    >>> check_settings(ResNet(d=0))
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: d is 0; pass a whole number of at least 1
    """
    for one in fields(model):
        value = getattr(model, one.name)
        wanted = _wanted(one, value)
        if wanted:
            raise InvalidInput(f"{one.name} is {value!r}; pass {wanted}")


def _wanted(one: Field[Any], value: Any) -> str:
    """Say what should have been passed, or ''."""
    kind = str(one.type).removesuffix(" | None")
    if value is None and kind != one.type:
        return ""
    if kind == "int":
        least = 0 if one.default == 0 else 1
        fits = _whole(value, least)
        return "" if fits else f"a whole number of at least {least}"
    if kind == "Sequence[int]":
        several = isinstance(value, Iterable) and not isinstance(value, str)
        fits = several and all(_whole(each, 1) for each in value)
        return "" if fits else "a list of whole numbers of at least 1"
    if kind != "float":
        return ""
    if not isinstance(value, Real) or isinstance(value, bool):
        return "a number"
    number = float(value)
    if one.name.endswith(_SHARES):
        return "" if 0 <= number < 1 else "a share from 0 up to below 1"
    if one.name == "learning_rate":
        return "" if 0 < number < inf else "a positive number"
    return "" if 0 <= number < inf else "a number that is not negative"


def _whole(value: Any, least: int) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and int(value) >= least
