"""What the pretrained models share: weights that the user brings."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from caveat.exceptions import InvalidInput


def check_weights(weights: str | PathLike[str] | None, who: str) -> Path:
    """Find the file of weights; nothing is ever downloaded.

    Examples
    --------
    >>> check_weights(None, "TabICL")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: TabICL has no weights (None); download them from
    its authors and pass weights=PATH
    """
    if weights is None:
        raise InvalidInput(
            f"{who} has no weights (None); download them from its authors and pass "
            "weights=PATH"
        )
    path = Path(weights)
    if not path.is_file():
        raise InvalidInput(
            f"{who} finds no weights at {str(path)!r}; pass the path of a file"
        )
    return path
