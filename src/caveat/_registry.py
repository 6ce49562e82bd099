"""Registries: tables of what there is, readable without importing any of it.

A row (`Entry`) names the class or function by its address; it is imported on
first use. To add something, add a row. Rows of other installed packages come
through entry points, and a broken one is named in a warning, never fatal.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from inspect import cleandoc, signature
from types import MappingProxyType
from typing import Any

from caveat._extras import explain
from caveat.exceptions import CaveatError, InvalidInput, UnknownName

log = logging.getLogger(__name__)

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row of a registry.

    Attributes
    ----------
    name : str
        What people type: lower case with hyphens.
    target : str
        Address of the class or function, ``module:attribute``.
    summary : str
        One line for listings.
    display : str
        How pages spell it; the name itself if empty.
    paper : str
        Author and year.
    extra : str or None
        Which extra of caveat installs what the target imports.
    params : mapping
        Fixed keyword arguments, so that several names can share one class.
    grid : mapping of str to list
        Values for a grid search, parameter by parameter.
    space : mapping of str to mapping
        Distributions for a random search, see `caveat.study`.
    quick : mapping
        Parameters that make it fast in the common tests.
    tasks : tuple of str
        Which tasks it can do; empty means all of its topic.
    known_weak : bool
        It need not beat the dummy: its source says that it does not.
    facts : mapping
        What only its own topic understands, such as a measure's direction.
    """

    name: str
    target: str
    summary: str = ""
    display: str = ""
    paper: str = ""
    extra: str | None = None
    params: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    grid: Mapping[str, list[Any]] = field(default_factory=lambda: _EMPTY)
    space: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _EMPTY)
    quick: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    tasks: tuple[str, ...] = ()
    known_weak: bool = False
    facts: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)

    @property
    def title(self) -> str:
        """How pages spell the name."""
        return self.display or self.name

    def load(self) -> Any:
        """Import the target, or say which extra is missing."""
        module, _, attribute = self.target.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except ImportError as error:
            raise explain(error, repr(self.name), self.extra) or error from error

    @property
    def warnings(self) -> str:
        """Text under `Warnings` in the target's docstring, as one paragraph."""
        try:
            lines = cleandoc(self.load().__doc__ or "").split("\n")
        except CaveatError:
            return ""
        # A section begins with its name above a line of hyphens.
        begins = [
            number - 1
            for number, line in enumerate(lines)
            if number and line.strip() and set(line.strip()) == {"-"}
        ]
        for begin, end in zip(begins, [*begins, len(lines)][1:], strict=True):
            if lines[begin].strip() == "Warnings":
                return " ".join(" ".join(lines[begin + 2 : end]).split())
        return ""

    def make(self, **params: Any) -> Any:
        """Build the target with the fixed parameters and the given ones."""
        return self.load()(**{**self.params, **params})

    def make_for(self, params: Mapping[str, Any], **told: Any) -> Any:
        """Build the target; of what is told it gets what it takes and lacks.

        Examples
        --------
        >>> row = Entry(name="half", target="fractions:Fraction")
        >>> row.make_for({"numerator": 1}, denominator=2, random_state=0)
        Fraction(1, 2)
        """
        takes = signature(self.load()).parameters
        chosen = {**self.params, **params}
        lacks = {
            name: value
            for name, value in told.items()
            if name in takes and name not in chosen
        }
        return self.make(**lacks, **params)


def rule(
    name: str,
    column: str,
    summary: str,
    *,
    target: str,
    direction: str = "min",
    checkpoint: str = "best",
    **row: Any,
) -> Entry:
    """Make the row of a selection rule: which column of the table chooses.

    Examples
    --------
    >>> rule("loss", "criterion.loss", "smallest loss", target="x:y").facts["oracle"]
    False
    """
    facts = {
        "column": column,
        "checkpoint": checkpoint,
        "oracle": not column.startswith("criterion."),
        "direction": direction,
    }
    return Entry(name=name, target=target, summary=summary, facts=facts, **row)


class Registry(Mapping[str, Entry]):
    """A table of entries by name.

    Parameters
    ----------
    kind : str
        What one entry is, for messages: ``learner``, ``measure``, ...
    entries : iterable of Entry
        The built-in rows, in reading order.
    entry_points_group : str or None
        Where other installed packages announce rows of theirs.

    Examples
    --------
    >>> things = Registry("thing", [Entry(name="half", target="fractions:Fraction")])
    >>> things["half"].make(numerator=1, denominator=2)
    Fraction(1, 2)
    >>> things["hafl"]
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no thing is called 'hafl'; did you mean 'half'?
    """

    def __init__(
        self,
        kind: str,
        entries: Iterable[Entry],
        *,
        entry_points_group: str | None = None,
    ) -> None:
        self.kind = kind
        self._group = entry_points_group
        self._plugged: dict[str, Entry] | None = None
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add a row; a name can be taken only once."""
        if entry.name in self._entries:
            raise InvalidInput(
                f"{self.kind} {entry.name!r} is registered already; choose another name"
            )
        self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry:
        if name in self._entries:
            return self._entries[name]
        plugged = self._plug_ins()
        if name in plugged:
            return plugged[name]
        raise UnknownName.among(self.kind, name, [*self._entries, *plugged])

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._plug_ins()

    def __iter__(self) -> Iterator[str]:
        return iter({**self._entries, **self._plug_ins()})

    def __len__(self) -> int:
        return len({**self._entries, **self._plug_ins()})

    def _plug_ins(self) -> dict[str, Entry]:
        if self._plugged is None:
            self._plugged = {}
            points = entry_points(group=self._group) if self._group else ()
            for point in points:
                if point.name in self._entries:
                    log.warning(
                        "plug-in %r of %s hides nothing: the name is built in",
                        point.name,
                        point.value,
                    )
                    continue
                self._plugged[point.name] = Entry(name=point.name, target=point.value)
        return self._plugged

    def available(self) -> Iterator[tuple[Entry, str]]:
        """Yield every entry with the reason why it cannot be used, or ''."""
        for entry in self.values():
            try:
                entry.load()
            except CaveatError as error:
                yield entry, str(error)
            except (Exception, SystemExit) as error:
                yield entry, f"{entry.target} cannot be imported: {error}"
            else:
                yield entry, ""
