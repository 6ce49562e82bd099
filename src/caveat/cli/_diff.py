"""`caveat diff`: two ledgers compared, number by number."""

from __future__ import annotations

import click

from caveat.cli._console import say, table


@click.command(
    epilog="Example:  caveat diff laptop.ledger cluster.ledger --tolerance 1e-6"
)
@click.argument("first")
@click.argument("second")
@click.option(
    "--tolerance",
    type=float,
    default=0.0,
    show_default=True,
    metavar="T",
    help="Largest absolute difference that counts as equal.",
)
@click.pass_context
def diff(ctx: click.Context, first: str, second: str, tolerance: float) -> None:
    """Compare the results of FIRST and SECOND; exit 1 if they differ.

    On the same kind of machine, with the same versions of libraries, a study gives the
    same results byte for byte. On another, numbers may differ in their last digits:
    say how far with --tolerance. Damaged records count as different.
    """
    from caveat.cli._status import tell_damage
    from caveat.exceptions import InvalidInput
    from caveat.study import Ledger, compare

    if not tolerance >= 0:
        raise InvalidInput(f"--tolerance {tolerance} is negative; use 0 or more")
    both = []
    for where in (first, second):
        with Ledger(where) as book:
            both.append((book.records(), where))
    found = compare(both[0][0], both[1][0], tolerance=tolerance)
    rows = [
        [item.key[:12], item.where, item.first, item.second]
        for item in found.differences[:20]
    ]
    if rows:
        table(["trial", "what", "first", "second"], rows, right=(2, 3))
    if len(found.differences) > 20:
        say(f"and {len(found.differences) - 20:,} more")
    say(
        f"{found.shared:,} trials in both, {found.only_first:,} only in the first, "
        f"{found.only_second:,} only in the second; {found.compared:,} cells compared, "
        f"{len(found.differences):,} differ by more than {tolerance:g}"
    )
    told = [tell_damage(book.damaged, where) for book, where in both]
    if any(told) or found.differences or found.only_first or found.only_second:
        ctx.exit(1)
