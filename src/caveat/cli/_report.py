"""`caveat report`: tables, figures, statistics and a page about a ledger."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caveat.cli._console import console, say
from caveat.cli._folder import Folder
from caveat.cli._status import find_ledger, one_study, tell_damage

if TYPE_CHECKING:
    from caveat.pages import Look
    from caveat.study import Records


@click.command(epilog="Example:  caveat report demo.ledger --out report")
@click.argument("ledger", required=False)
@click.option(
    "--out",
    type=Folder(),
    default="report",
    show_default=True,
    help="Folder for the page, its figures and tables.",
)
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
@click.option("--measure", metavar="NAME", help="Measure that comes first.")
@click.option("--rule", metavar="NAME", help="Selection rule that comes first.")
@click.option(
    "--excel-safe",
    is_flag=True,
    help="Put an apostrophe before text in CSV files that a spreadsheet would run.",
)
@click.pass_context
def report(
    ctx: click.Context,
    ledger: str | None,
    out: str,
    study: str | None,
    measure: str | None,
    rule: str | None,
    excel_safe: bool,
) -> None:
    """Write a page about LEDGER that needs no network, with figures and tables.

    Without LEDGER, the only one in this folder is taken. The ledger is only read:
    a study that is still running goes on, and the page says how far it is. Damaged
    records are left out and counted on the page; the exit code is then 1.
    """
    from caveat.board import build_page
    from caveat.pages import plural, write

    where = find_ledger(ledger)
    records, shown = read_ledger(where, study)
    options = [("--study", study), ("--measure", measure), ("--rule", rule)]
    words = ["caveat", "report", shown, "--out", Path(out).name]
    words += [word for pair in options if pair[1] is not None for word in pair if word]
    words += ["--excel-safe"] * excel_safe
    page = build_page(
        records,
        measure=measure,
        rule=rule,
        excel_safe=excel_safe,
        command=shlex.join(words),
    )
    index = write(page, out)
    for look in page.chapters:
        tell(look)
    trials = sum(len(one.trials) for one in records)
    fine = ["done", "pending", "running", "damaged"]
    failed = sum(int((~one.trials["state"].isin(fine)).sum()) for one in records)
    caveats = sum(len(look.caveats) for look in page.chapters)
    counts = f"{plural(caveats, 'caveat')}, {plural(trials, 'trial')}"
    counts += f", {failed or 'none'} failed"
    say(f"{counts}. Page: {index}")
    if tell_damage([item for one in records for item in one.damaged], where):
        ctx.exit(1)


def read_ledger(where: str, study: str | None) -> tuple[list[Records], str]:
    """Read the records of one study or of all, and the ledger's name for people."""
    from caveat.study import Ledger

    with Ledger(where) as book:
        # A trial of two studies is in the chapter of each.
        named = one_study(book, study)
        wanted = [named] if named is not None else list(book.studies()) or [None]
        records = [book.records(name) for name in wanted]
        return records, book.url if "://" in where else Path(where).name


def tell(look: Look) -> None:
    """Print a finding with its intervals, its worst caveats and what to do."""
    from caveat.pages import caveat_lines

    running = look.leading != look.found
    if running or not str(look.lede):
        say(_plain(look.headline), "bold")
    if str(look.lede):
        say(_plain(look.lede), None if running else "bold")
    for line in caveat_lines(look.top):
        console().print(line)
    say(f"Now: {_plain(look.action)}")


def _plain(words: object) -> str:
    """Write a sentence for a terminal, whose blanks all break."""
    from caveat.pages import NBSP

    return str(words).replace(NBSP, " ")
