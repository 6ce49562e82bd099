"""What the pretrained models share: weights that the user brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar
from zipfile import is_zipfile

from caveat.exceptions import InvalidInput
from caveat.models._base import CODES, Lesson, Remembering


@dataclass(eq=False, repr=False)
class Pretrained(Remembering):
    """A network that was trained elsewhere and reads a table in one go."""

    encoding: ClassVar[Mapping[str, Any]] = CODES

    task: str = "classification"
    _: KW_ONLY
    weights: str | PathLike[str] | None = None
    n_estimators: int = 8
    device: str = "cpu"
    options: Mapping[str, Any] | None = None
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _learn(self, lesson: Lesson) -> Any:
        try:
            return super()._learn(lesson)
        except InvalidInput:
            raise
        except Exception as error:
            # Asked afterwards: the package alone knows all formats that it reads.
            if self.weights is None or is_zipfile(self.weights):
                raise
            raise InvalidInput(
                f"{type(self).__name__} cannot read weights from {str(self.weights)!r};"
                " it may be cut off or no file of weights, so download it again"
            ) from error


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
