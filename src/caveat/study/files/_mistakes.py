"""The mistakes in a study file: collected, then told at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from caveat.exceptions import CaveatError, InvalidInput, hint
from caveat.study.files._yaml import Document, Path_

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

MOST_TOLD = 10

_REQUIRED = {
    "study": "give the study a name",
    "topic": "name one of those that 'caveat list topics' shows",
    "datasets": "name data sets, or {file: ..., target: ...}",
    "learners": "name learners of the topic",
}


class Mistakes:
    """What is wrong with a study, found one by one and told together.

    Attributes
    ----------
    keys : set of str
        Top-level keys that have a mistake in them: what follows from it is not told.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: list[tuple[Path_, CaveatError]] = []
        self.keys: set[str] = set()
        self._shapeless: set[str] = set()

    @contextmanager
    def at(self, key: str, *rest: str | int) -> Iterator[None]:
        """Take an error of the block as a mistake at this place of the file."""
        try:
            yield
        except CaveatError as error:
            # A library that is not installed is no mistake of the file's.
            if isinstance(error, ImportError):
                raise
            if key not in self._shapeless:
                self._add((key, *rest), error)

    def add_all(self, error: ValidationError, model: type[BaseModel]) -> None:
        """Take all complaints of pydantic, each place once."""
        told = error.errors()
        # A misspelt key also shows as a missing one: the spelling is the cause.
        spelt = [e for e in told if e["type"] == "extra_forbidden"]
        close = {_nearest(self._path(e["loc"]), model) for e in spelt}
        for item in [*spelt, *(e for e in told if e not in spelt)]:
            path = self._path(item["loc"])
            if item["type"] == "missing" and path in close:
                self.keys.add(str(path[0]))
            elif path not in [place for place, _ in self._found]:
                self._add(path, InvalidInput(_sentence(path, dict(item), model)))
        self._shapeless |= self.keys

    def tell(self) -> None:
        """Raise one error that names every mistake; nothing if there is none."""
        if not self._found:
            return
        name, lined = self._document.name, bool(self._document.lines)
        ordered = sorted(self._found, key=lambda item: self._line(item[0]))
        if len(ordered) == 1:
            path, error = ordered[0]
            where = self._document.where(path) if lined else name
            raise type(error)(f"{where}: {error}") from error
        told = [
            f"({number}) line {self._line(path)}: {error}"
            if lined
            else f"({number}) {error}"
            for number, (path, error) in enumerate(ordered[:MOST_TOLD], 1)
        ]
        more = len(ordered) - MOST_TOLD
        rest = f" and {more} more" if more > 0 else ""
        raise InvalidInput(
            f"{name} has {len(ordered)} mistakes: {' '.join(told)}{rest}"
        ) from ordered[0][1]

    def _add(self, path: Path_, error: CaveatError) -> None:
        self._found.append((path, error))
        self.keys.update(str(part) for part in path[:1])

    def _line(self, path: Path_) -> int:
        return self._document.line(path)

    def _path(self, loc: Sequence[str | int]) -> Path_:
        """Leave out what names a branch of a union rather than a key of the file."""
        path: list[str | int] = []
        place: Any = self._document.data
        for number, part in enumerate(loc):
            if _holds(place, part):
                place = place[part]
                path.append(part)
            elif number == len(loc) - 1 and isinstance(place, dict):
                path.append(part)  # a key that is missing
        return tuple(path)


def _holds(place: Any, part: str | int) -> bool:
    if isinstance(place, dict):
        return part in place
    return isinstance(place, list) and isinstance(part, int) and part < len(place)


def _nearest(path: Path_, model: type[BaseModel]) -> Path_:
    """Name the key that a misspelt one was meant to be."""
    from difflib import get_close_matches

    close = get_close_matches(str(path[-1]), _known_keys(path[:-1], model), n=1)
    return (*path[:-1], *close)


def _sentence(path: Path_, item: dict[str, Any], model: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in path)
    if item["type"] == "extra_forbidden":
        known = _known_keys(path[:-1], model)
        return f"no key is called {str(path[-1])!r}; {hint(path[-1], known)}"
    if item["type"] == "missing":
        return f"{place!r} is missing; {_REQUIRED.get(place, 'add it')}"
    shown = repr(item.get("input"))
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    message = item["msg"][0].lower() + item["msg"][1:]
    return f"{place}: {message} (found {shown})"


def _known_keys(path: Path_, model: type[BaseModel]) -> list[str]:
    """List the keys there are at a place: those of the study, or of a part of it."""
    fields = model.model_fields
    for part in path:
        inner = fields[str(part)].annotation if str(part) in fields else None
        fields = getattr(inner, "model_fields", fields)
    return [field.alias or name for name, field in fields.items()]
