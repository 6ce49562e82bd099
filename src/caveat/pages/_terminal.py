"""A Look in a terminal: the same claims as on the page, fewer colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from caveat._text import terminal_text
from caveat.pages._model import Facts, Table
from caveat.pages._numbers import plural
from caveat.pages._prose import NBSP, prose

if TYPE_CHECKING:
    from caveat.pages._look import Look
    from caveat.pages._model import Words
    from caveat.pages.claims import Claim

_COLOURS = {"serious": "red", "careful": "yellow", "note": "dim"}
_MOST_ROWS = 12


def terminal_lines(look: Look) -> Iterator[Text]:
    """Write a look line by line: what, the finding, tables, caveats, what to do."""
    yield Text(_plain(look.eyebrow), style="dim")
    yield Text(_plain(look.lede), style="bold")
    for section in look.sections:
        for block in section.blocks:
            if isinstance(block, Table) and block.brief:
                yield Text("")
                yield from table_lines(block)
    yield Text("")
    yield from caveat_lines(look.ordered)
    if not look.ordered:
        yield Text(
            _plain("No caveat was found by these checks. ") + _plain(look.checks)
        )
    yield Text("Now: ", style="bold") + Text(_plain(look.action), style="default")
    # Other facts mean nothing without their names, which stand on the page.
    for section in look.sections:
        for block in section.blocks:
            if isinstance(block, Facts) and section.name == "again":
                yield Text(_plain(block.pairs[0][1]), style="dim")


def caveat_lines(caveats: Iterable[Claim]) -> Iterator[Text]:
    """Write caveats, one a line."""
    for claim in caveats:
        assert claim.severity is not None
        line = Text(f"* {claim.severity.capitalize()}".ljust(12))
        line.stylize(_COLOURS[claim.severity])
        line.append(_plain(claim.words), style="default")
        if claim.how:
            line.append(f"  {_plain(claim.how)}", style="dim")
        yield line


def table_lines(table: Table) -> Iterator[Text]:
    """Write columns without boxes: the first rows only, and the floors below them."""
    shown = [i for i, column in enumerate(table.columns) if column.kind != "strip"]
    head = [_plain(table.columns[i].title) for i in shown]
    floors = [row for row in table.rows if row.place == "bottom"]
    first = [row for row in table.rows if row.place != "bottom"]
    more = len(first) - _MOST_ROWS
    yield from columns(
        head,
        [
            [_plain(row.cells[i].text) for i in shown]
            for row in (*first[:_MOST_ROWS], *floors)
        ],
        right=[n for n, i in enumerate(shown) if table.columns[i].kind == "number"],
    )
    if more > 0:
        yield Text(f"{plural(more, 'more row')} on the page", style="dim")


def columns(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> Iterator[Text]:
    """Align cells in columns; those in `right` to the right."""
    cells = [header, *rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(header))]
    for number, row in enumerate(cells):
        line = Text()
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padded = cell.rjust(width) if place in right else cell.ljust(width)
            line.append(padded + "  ", style="dim" if number == 0 else "")
        line.rstrip()
        yield line


def _plain(words: Words) -> str:
    """Escape names; the blanks of a page that do not break do here."""
    return terminal_text(str(prose(words)).replace(NBSP, " "))
