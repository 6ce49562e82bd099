"""Printing: results to stdout, progress to stderr, colours only where they are wanted.

Names of other people's making are shown escaped and never read as markup.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from caveat._text import terminal_text

if TYPE_CHECKING:
    from rich.console import Console


def is_quiet() -> bool:
    """Whether --quiet was given."""
    return bool(os.environ.get("CAVEAT_QUIET"))


def console(*, err: bool = False) -> Console:
    """Return a console that respects NO_COLOR, pipes and width."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else 100
    return Console(
        file=stream,
        markup=False,
        highlight=False,
        emoji=False,
        width=width,
        soft_wrap=True,
    )


def say(text: str, style: str | None = None) -> None:
    """Print one line of results."""
    console().print(terminal_text(text), style=style)


def note(text: str) -> None:
    """Print one line of conditions to stderr, unless --quiet was given."""
    if not is_quiet():
        console(err=True).print(terminal_text(text), style="dim")


def print_json(command: str, **facts: Any) -> None:
    """Print what a command found as one JSON object, and nothing else."""
    from caveat import __version__

    whole = {"schema": f"caveat-{command}/1", "caveat": __version__, **facts}
    click.echo(json.dumps(whole, allow_nan=False))


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Sequence[int] = (),
    bold: Sequence[int] = (),
) -> None:
    """Print columns without boxes: text left, numbers right.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences
    right, bold : sequence of int
        Columns that are aligned to the right, and those printed bold.
    """
    from rich.text import Text

    cells = [[terminal_text(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    printer = console()
    for number, row in enumerate(cells):
        line = Text()
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padded = cell.rjust(width) if column in right else cell.ljust(width)
            style = "dim" if number == 0 else "bold" if column in bold else ""
            line.append(padded, style=style)
            line.append("  ")
        line.rstrip()
        printer.print(line)


def duration(seconds: float) -> str:
    """Write a duration in words.

    Examples
    --------
    >>> duration(0.4), duration(292), duration(7300)
    ('0.4 s', '4 min 52 s', '2 h 1 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


class Progress:
    """One line that is rewritten; a line a minute when there is no terminal.

    Parameters
    ----------
    label : str
        What is being done.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = 0.0
        self._first: int | None = None
        self._last_line = 0.0
        self._live = sys.stderr.isatty() and not is_quiet()
        self._width = 0

    def update(
        self, done: int, total: int, failed: int = 0, current: Sequence[str] = ()
    ) -> None:
        """Show how far it is, how fast it goes, when it will end, and what is done now.

        Parameters
        ----------
        done, total, failed : int
        current : sequence of str
            What every worker is at.
        """
        if is_quiet():
            return
        now = time.monotonic()
        if self._first is None:
            # The pace is that of the work: what went before it does not count.
            self._first, self._started, self._last_line = done, now, now
        pace = 0.1 if self._live else 60.0
        if now - self._last_line < pace and done < total:
            return
        self._last_line = now
        text = self._text(done, total, failed, now - self._started)
        if current:
            text += "   now: " + terminal_text("; ".join(current))
        if self._live:
            # A line that wraps could not be written over.
            text = text[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _text(self, done: int, total: int, failed: int, elapsed: float) -> str:
        share = done / total if total else 1.0
        bar = "━" * round(28 * share) + "─" * (28 - round(28 * share))
        new = done - (self._first or 0)
        parts = [f"{terminal_text(self._label)}   {bar}   {done:,} of {total:,}"]
        if new > 0 and elapsed > 0:
            rate = new / elapsed
            parts.append(f"{rate:.3g} a second")
            if done < total:
                parts.append(f"{duration((total - done) / rate)} left")
        if failed:
            parts.append(f"{failed:,} failed")
        return "   ".join(parts)

    def close(self) -> None:
        """End the line."""
        if self._live and self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._width = 0
