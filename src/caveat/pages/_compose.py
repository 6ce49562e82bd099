"""Looks within a look: sections and claims of a topic as part of a larger page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from caveat.pages._model import Details, Figure, Section, Switch, Table
from caveat.pages.claims import Claim

if TYPE_CHECKING:
    import pandas as pd

    from caveat.pages._look import Look


@dataclass(frozen=True)
class Part:
    """What a look lends to a larger one.

    Attributes
    ----------
    claims : list of Claim
        In their sections, whose names begin with that of the part.
    sections : list of Section
    tables : dict of DataFrame
    """

    claims: list[Claim]
    sections: list[Section]
    tables: dict[str, pd.DataFrame]


def part(look: Look, name: str = "", *, without: Collection[str] = ("again",)) -> Part:
    """Take a look apart, so that an audit or a report can hold it.

    Names of sections, figures, tables and files begin with `name`, so that several
    looks share a page without a clash; claims go with their sections.

    Parameters
    ----------
    look : Look
    name : str
        The topic if not given.
    without : collection of str
        Sections that the larger page has once, for all.
    """
    prefix = f"{name or look.topic}-"
    kept = [section for section in look.sections if section.name not in without]
    home = kept[0].name if kept else ""
    names = {section.name for section in kept}
    return Part(
        claims=[
            one.placed(prefix + (one.section if one.section in names else home))
            for one in look.claims
        ],
        sections=[
            replace(
                section,
                name=prefix + section.name,
                blocks=[_renamed(block, prefix) for block in section.blocks],
            )
            for section in kept
        ],
        tables={prefix + key: table for key, table in look.tables.items()},
    )


def combined(parts: Sequence[Part]) -> Part:
    """Put parts one after another."""
    return Part(
        claims=[claim for one in parts for claim in one.claims],
        sections=[section for one in parts for section in one.sections],
        tables={key: table for one in parts for key, table in one.tables.items()},
    )


def _renamed(block: Any, prefix: str) -> Any:
    if isinstance(block, Details):
        return replace(block, blocks=[_renamed(one, prefix) for one in block.blocks])
    if isinstance(block, Switch):
        tables = [(keys, _renamed(table, prefix)) for keys, table in block.tables]
        return replace(block, name=prefix + block.name, tables=tables)
    if isinstance(block, Figure | Table):
        files = [replace(one, name=prefix + one.name) for one in block.downloads]
        return replace(block, name=prefix + block.name, downloads=files)
    return block
