"""A caveat of a command: what it says, and how terminal and page show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from caveat._text import terminal_text
from caveat.cli._console import console

if TYPE_CHECKING:
    from caveat import pages as kit

Severity = Literal["serious", "careful", "note"]

_COLOURS: dict[str, str] = {"serious": "red", "careful": "yellow", "note": "dim"}


@dataclass(frozen=True)
class Remark:
    """A caveat, before it is printed or put on a page.

    Attributes
    ----------
    severity : {"serious", "careful", "note"}
    sentence, number, how : str
        What it says, the number in it, and how it was measured.
    size : float
        How much of the score is at stake.
    section : str
        The section of the page that it belongs to; with none, the page's first.
    """

    severity: Severity
    sentence: str
    number: str = ""
    how: str = ""
    size: float = 0.0
    section: str = ""


def show_caveat(severity: str, sentence: object, how: str = "") -> None:
    """Print one caveat; the blanks of a page that do not break do here."""
    from rich.text import Text

    from caveat.pages import NBSP

    line = Text(f"* {severity.capitalize()}".ljust(12), style=_COLOURS[severity])
    line.append(terminal_text(str(sentence).replace(NBSP, " ")), style="default")
    if how:
        line.append(f"  {terminal_text(how)}", style="dim")
    console().print(line)


def show_remarks(remarks: Iterable[Remark]) -> None:
    """Print caveats, one a line."""
    for remark in remarks:
        show_caveat(remark.severity, remark.sentence, remark.how)


def caveats_of(remarks: Iterable[Remark], section: str = "") -> list[kit.Caveat]:
    """Put the remarks of a section on its page."""
    from caveat import pages as kit

    return [
        kit.Caveat(
            remark.severity,
            remark.sentence if remark.number else kit.prose(remark.sentence),
            remark.number,
            remark.how,
            size=remark.size,
        )
        for remark in remarks
        if remark.section == section
    ]
