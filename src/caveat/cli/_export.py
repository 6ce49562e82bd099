"""`caveat export`: a ledger as one tidy file."""

from __future__ import annotations

import click

from caveat.cli._console import say


@click.command(epilog="Example:  caveat export demo.ledger --out demo.parquet")
@click.argument("ledger", required=False)
@click.option("--out", metavar="FILE", help="Ends in .csv or .parquet [LEDGER.csv].")
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
@click.option(
    "--excel-safe",
    is_flag=True,
    help="Keep spreadsheets from running cells as formulas.",
)
@click.pass_context
def export(
    ctx: click.Context,
    ledger: str | None,
    out: str | None,
    study: str | None,
    excel_safe: bool,
) -> None:
    """Write LEDGER as one table, a row per line of a selection table.

    The order is canonical: the same results give the same bytes, however the study
    ran. Results themselves are the same, byte for byte, on the same kind of machine
    with the same versions of libraries. Damaged records are left out, each with a row
    that says so; the exit code is then 1.
    """
    from pathlib import Path

    from caveat.cli._status import find_ledger, one_study, tell_damage
    from caveat.study import Ledger
    from caveat.study import export as write

    where = find_ledger(ledger)
    with Ledger(where) as book:
        records = book.records(one_study(book, study))
    target = out or f"{Path(where).stem if '://' not in where else 'ledger'}.csv"
    written = write(records, target, excel_safe=excel_safe)
    say(
        f"{len(records.trials):,} trials, {len(records.rows):,} rows, "
        f"digest {records.digest}: {written}"
    )
    if tell_damage(records.damaged, where):
        ctx.exit(1)
