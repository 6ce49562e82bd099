"""What a selection rule looks at, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName
from caveat.statistics._checks import check_choice, check_direction

ROLES = ("criterion.", "oracle.", "test.")

Glossary = Mapping[tuple[str, str], Mapping[str, Any]]
Direction = str | Mapping[str, str] | None


class RecordsLike(Protocol):
    """What the selection reads: `caveat.study.Records`, or anything like it."""

    @property
    def trials(self) -> pd.DataFrame: ...

    @property
    def rows(self) -> pd.DataFrame: ...

    @property
    def glossary(self) -> Glossary: ...


@dataclass(frozen=True)
class Rule:
    """How one row of a selection table is chosen.

    Attributes
    ----------
    name : str
        As it was asked for.
    column : str
        The column whose best value wins.
    checkpoint : {"best", "last"}
        Whether all checkpoints of a configuration take part, or its last only.
    direction : {"max", "min"}
    oracle : bool
        It needs true labels, so nobody could use it in earnest.
    """

    name: str
    column: str
    checkpoint: str
    direction: str
    oracle: bool

    @property
    def sign(self) -> float:
        """The factor that makes larger better."""
        return check_direction(self.direction)


def resolve_rule(
    rule: str,
    *,
    glossary: Glossary,
    columns: Iterable[str] = (),
    direction: Direction = None,
) -> Rule:
    """Find out what a rule's name, or a column's, stands for.

    Parameters
    ----------
    rule : str
        A rule of the glossary, or a column such as ``criterion.covering-rate`` (then
        all checkpoints take part), or such a column's name without its role.
    glossary : mapping of (kind, name) to facts
        From the records.
    columns : iterable of str
        Of the selection tables.
    direction : {"max", "min"}, mapping of column to those, optional
        Wins over the glossary.

    Returns
    -------
    Rule

    Examples
    --------
    >>> facts = {"column": "oracle.accuracy", "checkpoint": "last", "oracle": True}
    >>> words = {("rule", "oracle"): facts}
    >>> rule = resolve_rule("oracle", glossary=words, direction="max")
    >>> rule.column, rule.checkpoint, rule.oracle
    ('oracle.accuracy', 'last', True)
    """
    known = list(columns)
    facts = glossary.get(("rule", rule))
    if facts is not None:
        column = facts.get("column")
        if not isinstance(column, str):
            raise InvalidInput(
                f"the rule {rule!r} names no column; pass a column instead, such as "
                "'criterion.covering-rate'"
            )
    else:
        facts = {}
        column = _column(rule, known, glossary)
    named = facts.get("direction") if direction is None else direction
    return Rule(
        name=rule,
        column=column,
        checkpoint=check_choice(
            f"checkpoint of rule {rule!r}",
            facts.get("checkpoint") or "best",
            ("best", "last"),
        ),
        direction=direction_of(column, glossary=glossary, direction=named),
        oracle=bool(facts.get("oracle", not column.startswith("criterion."))),
    )


def resolve_measure(measure: str, *, glossary: Glossary, columns: Iterable[str]) -> str:
    """Return the column of a measure: ``accuracy`` means ``test.accuracy``."""
    known = list(columns)
    if measure in known:
        return measure
    named = measure if measure.startswith(ROLES) else f"test.{measure}"
    # A ledger of failures has no columns, but knows their names, with or without role.
    bare = named.split(".", 1)[1]
    if named in known or {("measure", named), ("measure", bare)} & glossary.keys():
        return named
    raise UnknownName.among(
        "measure", measure, [name for name in known if name.startswith("test.")]
    )


def direction_of(
    column: str, *, glossary: Glossary, direction: Direction = None
) -> str:
    """Say whether larger or smaller values of a column are better.

    Parameters
    ----------
    column : str
        Such as ``test.accuracy``.
    glossary : mapping of (kind, name) to facts
        From the records. An oracle column follows the measure of the same name.
    direction : {"max", "min"}, mapping of column to those, optional
        Wins over the glossary.

    Returns
    -------
    {"max", "min"}

    Examples
    --------
    >>> words = {("measure", "test.log-loss"): {"direction": "min"}}
    >>> direction_of("test.log-loss", glossary=words)
    'min'
    >>> direction_of("oracle.log-loss", glossary=words)
    'min'
    """
    if isinstance(direction, Mapping):
        direction = direction.get(column)
    if direction is not None:
        check_direction(direction)
        return direction
    bare = next(
        (column.removeprefix(role) for role in ROLES if column.startswith(role)), column
    )
    kinds = ("criterion", "measure")
    for kind in kinds[::-1] if column.startswith(("test.", "oracle.")) else kinds:
        for name in (column, bare, f"test.{bare}", f"criterion.{bare}"):
            found = glossary.get((kind, name), {}).get("direction")
            if found is not None:
                return check_choice(f"direction of {column!r}", found, ("max", "min"))
    raise InvalidInput(
        f"nothing says whether larger or smaller {column!r} is better; pass "
        f"direction={{{column!r}: 'max'}} or 'min'"
    )


def _column(rule: str, columns: list[str], glossary: Glossary) -> str:
    for column in (rule, f"criterion.{rule}"):
        if not column.startswith(ROLES):
            continue
        # A ledger of failures has no columns, but knows their names.
        if column in columns or ("criterion", column) in glossary:
            return column
    rules = [name for kind, name in glossary if kind == "rule"]
    usable = [name for name in columns if name.startswith(ROLES)]
    raise UnknownName.among("rule or column", rule, [*rules, *usable])
