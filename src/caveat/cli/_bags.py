"""`caveat bags`: what the shares of groups tell about the rows in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, note
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._show import command_line, look_options, show

if TYPE_CHECKING:
    from caveat.pages import Look


@click.command(
    epilog="Example:  caveat bags shops.csv --by shop --shares shop-shares.csv "
    "--positive returns --out shops-bags"
)
@click.argument("file", metavar="ITEMS")
@click.option("--by", metavar="COL", required=True, help="Column that makes groups.")
@click.option(
    "--shares",
    metavar="CSV",
    help="A row per group: COL and a column per class, or share with --positive.",
)
@click.option("--counts", is_flag=True, help="The shares are whole numbers of rows.")
@click.option("--labelled", metavar="CSV", help="Labels of some rows: row,label.")
@click.option("--target", metavar="COL", help="Column with labels, in place of shares.")
@click.option("--positive", metavar="LABEL", help="Class that share and F1 are about.")
@column_options
@click.option("--learner", metavar="NAME", multiple=True, help="Learner to try.")
@whole_number("--repeats", 5, "With --target: divisions into training and test rows.")
@click.option(
    "--smallest",
    metavar="N",
    type=int,
    default=10,
    show_default=True,
    help="With --target: leave out groups with fewer rows.",
)
@click.option("--keep-by", is_flag=True, help="Let learners see the grouping column.")
@click.option(
    "--rows",
    "max_items",
    metavar="N",
    type=int,
    default=10_000,
    show_default=True,
    help="Learn from a random sample of so many rows at most.",
)
@seed_option
@look_options
def bags(
    file: str,
    by: str,
    learner: tuple[str, ...],
    seed: int,
    out: str | None,
    as_json: bool,
    fail_on: tuple[str, ...],
    **options: Any,
) -> Look:
    """Tell what the shares of groups say about the rows of ITEMS.

    With --shares nobody knows the label of a row: caveat answers for every row
    (predictions.csv) and says how many answers can be right, what each column does,
    and what hangs on things that no share can tell. With --target the labels are
    hidden, so that it can be seen how far shares alone would get.
    """
    from caveat.bags import look

    progress = Progress("bags")
    found = look(
        file,
        by,
        **({"learners": learner} if learner else {}),
        rules=fail_on,
        random_state=seed,
        command=command_line(file, out),
        progress=progress.update,
        **options,
    )
    progress.close()
    if out is None and options["shares"] is not None:
        note("Nothing is written: --out DIR writes predictions.csv and the page.")
    return show(found, out, as_json=as_json)
