"""`caveat prune`: remove trials that no study wants any more."""

from __future__ import annotations

import click

from caveat.cli._console import say


@click.command(epilog="Example:  caveat prune demo.ledger --yes")
@click.argument("ledger", required=False)
@click.option(
    "--yes", is_flag=True, help="Remove them; otherwise they are only counted."
)
def prune(ledger: str | None, yes: bool) -> None:
    """Remove the trials of LEDGER that no study wants any more.

    An edited study leaves such trials behind; they are kept until you say so.
    """
    from caveat.cli._status import find_ledger
    from caveat.study import Ledger

    where = find_ledger(ledger)
    if not yes:
        with Ledger(where) as book:
            count = len(book.orphans())
        say(f"{count:,} trials would be removed from {where}; add --yes to do it")
        return
    with Ledger(where) as book:
        book.studies()
    with Ledger(where, write=True) as book:
        say(f"{book.prune():,} trials removed from {where}")
