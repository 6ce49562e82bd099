"""How a column writes its numbers: 1.5 or 1,5, and 1500, 1,500 or 1.500."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from caveat.exceptions import DataError


@dataclass(frozen=True)
class Notation:
    """A way to write numbers other than the plain one.

    Attributes
    ----------
    pattern : str
        What every word of the column looks like.
    needs : str
        What some word holds.
    group, point : str
        What parts thousands, and what parts whole from broken.
    noted : str
        What a note says of the first such word.
    """

    pattern: str
    needs: str
    group: str
    point: str
    noted: str

    def fits(self, words: Iterable[str]) -> bool:
        """Whether all words are numbers in this notation, and not in the plain one."""
        found = [word.strip() for word in words]
        whole = re.compile(self.pattern, re.IGNORECASE)
        return any(self.needs in word for word in found) and all(
            whole.fullmatch(word) for word in found
        )

    def numbers(self, words: Iterable[str]) -> list[float]:
        """Read the words."""
        bare = (word.replace(self.group, "") if self.group else word for word in words)
        return [float(word.replace(self.point, ".")) for word in bare]

    def note(self, name: str, words: Iterable[str]) -> str:
        """Say what was guessed."""
        first = next(word for word in words if self.needs in word)
        return f"column {name!r}: the {self.noted.format(repr(first))}"


DECIMAL_COMMA = Notation(
    r"[+-]?[0-9]+(,[0-9]+)?(e[+-]?[0-9]+)?", ",", "", ",",
    "comma in {} read as decimal comma",
)  # fmt: skip
GROUPED_BY_COMMA = Notation(
    r"[+-]?(0|[1-9][0-9]{0,2}(,[0-9]{3})*)(\.[0-9]+)?", ",", ",", ".",
    "comma in {} read as thousands separator",
)  # fmt: skip
GROUPED_BY_POINT = Notation(
    r"[+-]?(0|[1-9][0-9]{0,2}(\.[0-9]{3})*)(,[0-9]+)?", ".", ".", ",",
    "point in {} read as thousands separator",
)  # fmt: skip
_ALL = (DECIMAL_COMMA, GROUPED_BY_COMMA, GROUPED_BY_POINT)


def notations(
    columns: Mapping[str, Collection[str]], where: str, decimal: str | None
) -> dict[str, Notation]:
    """Tell in which notation each column is written; the others hold no numbers.

    Where 1,500 may be one and a half or fifteen hundred, the other columns of the file
    decide, or `decimal`.

    Parameters
    ----------
    columns : mapping of name to words
        Columns that are not all plain numbers.
    where : str
    decimal : str, optional

    Raises
    ------
    DataError
        If a column can be read in two ways and nothing decides.

    Examples
    --------
    >>> found = notations({"a": ["1,500", "900"], "b": ["0,5"]}, "f.csv", None)
    >>> found["a"].numbers(["1,500", "900"])
    [1.5, 900.0]
    """
    fitting = {
        name: [one for one in _ALL if one.fits(words)]
        for name, words in columns.items()
        if words
    }
    sure = {name: found[0] for name, found in fitting.items() if len(found) == 1}
    points = {one.point for one in sure.values()}
    if decimal is not None:
        points = {decimal}
    for name, found in fitting.items():
        if len(found) < 2:
            continue
        agreeing = [one for one in found if points == {one.point}]
        if len(agreeing) != 1:
            word = next(word for word in columns[name] if "," in word)
            raise DataError(
                f"{where}: column {name!r} holds numbers like {word!r}: is the "
                "comma a decimal comma or a thousands separator? Write the numbers "
                "without it, or say decimal=',' in Python, decimal: ',' in a study file"
            )
        sure[name] = agreeing[0]
    return sure
