"""The files that belong to the blocks of a page."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.pages._model import (
    Block,
    Download,
    Figure,
    Notice,
    Section,
    Switch,
    Table,
    flat_blocks,
)


def block_files(sections: Sequence[Section]) -> list[Download]:
    """Every file that stands beside a figure or a table of the sections."""
    return [
        file
        for section in sections
        for block in flat_blocks(section.blocks)
        for file in _files(block)
    ]


def other_files(
    files: Sequence[Download], sections: Sequence[Section]
) -> list[Download]:
    """Files that no figure and no table links: they are named at the end."""
    linked = {file.name for file in block_files(sections)}
    return [file for file in files if file.name not in linked]


def _files(block: Block) -> list[Download]:
    if isinstance(block, Table | Figure):
        return list(block.downloads)
    if isinstance(block, Notice):
        return list(block.files)
    if isinstance(block, Switch):
        return [file for _, table in block.tables for file in table.downloads]
    return []
