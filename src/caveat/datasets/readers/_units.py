"""What stands around every number of a column: $1,500, 36 months, 12.5 %."""

from __future__ import annotations

import re
from collections.abc import Collection

# Letters in front of a number are mostly those of a code (A12); these are not.
_MONEY = r"(?:[$€£¥₹₩₽₺₫₴₦₱¢]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)\b)"
_WORD = re.compile(
    rf"(?P<sign>[+-]?)(?P<front>{_MONEY}?)\s?(?P<number>[+-]?\d(?:[\d.,' ]*\d)?)"
    r"(?P<back>\s?[^\W\d_][^\d]*|\s?[%‰°²³µ$€£¥₹₩₽₺₫₴₦₱¢][^\d]*|)"
)
_AMOUNT = re.compile(rf"{_MONEY}|[%‰]")
# As few values of a target are rather classes that are called so: 3 stars.
_MOST_CLASSES = 20


def without_unit(
    words: Collection[str], *, labels: bool = False
) -> tuple[dict[str, str], str] | None:
    """Strip the unit that all numbers of a column share.

    Parameters
    ----------
    words : collection of str
        The column's different words.
    labels : bool, default=False
        Whether they are labels. Few labels with one unit, other than money and
        percentages, are names of classes.

    Returns
    -------
    dict, str or None
        What each word becomes, and the unit; None if there is none, or if a number
        begins with 0 as codes do.

    Examples
    --------
    >>> without_unit(["$1,500", "-$20"])
    ({'$1,500': '1,500', '-$20': '-20'}, '$')
    >>> without_unit(["3 cm", "4 in"]) is None
    True
    """
    bare, units = {}, set()
    for word in words:
        found = _WORD.fullmatch(word.strip())
        if found is None:
            return None
        sign, front, number, back = found.groups()
        units.add((front, back.strip()))
        coded = re.match(r"0\d", number) or (sign and number[0] in "+-")
        if coded or len(units) > 1:
            return None
        bare[word] = sign + number.replace(" ", "")
    front, back = units.pop() if units else ("", "")
    unit = front or back
    if not unit or (front and back):
        return None
    if labels and len(bare) <= _MOST_CLASSES and not _AMOUNT.fullmatch(unit):
        return None
    return bare, unit


def is_money(unit: str) -> bool:
    """Whether amounts in it have at most two decimals, as a rule."""
    return re.fullmatch(_MONEY, unit) is not None
