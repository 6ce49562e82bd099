"""`caveat candidates`: several people's labels, or sets of labels, for every item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._show import command_line, listed, look_options, show

if TYPE_CHECKING:
    from caveat.pages import Look


@click.command(
    epilog="Example:  caveat candidates birds.csv --annotators anna,ben,carl "
    "--truth species"
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--candidates", metavar="COL", help="Column with sets such as cat|dog.")
@click.option(
    "--annotators",
    multiple=True,
    metavar="A,B,...",
    help="Columns with one person's labels each; * is any text; repeatable.",
)
@click.option(
    "--answers", metavar="CSV", help="One row per answer: item, annotator, label."
)
@click.option(
    "--item-column",
    metavar="COL",
    help="Column of --answers with the item [item, question or task].",
)
@click.option(
    "--annotator-column",
    metavar="COL",
    help="Column of --answers with the person [annotator, worker or user].",
)
@click.option(
    "--label-column",
    metavar="COL",
    help="Column of --answers with the label [label or answer].",
)
@click.option(
    "--truth",
    metavar="COL|CSV",
    help="True labels, where known; they judge, and choose nothing.",
)
@column_options
@click.option(
    "--separator", default="|", show_default=True, help="Between labels of a set."
)
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="NAME",
    help="Partial-label algorithm to try; repeatable [proden].",
)
@whole_number("--steps", 1000, "Training steps of every algorithm.")
@seed_option
@click.option("--no-model", is_flag=True, help="Learn nothing from features.")
@look_options
def candidates(
    file: str | None,
    annotators: tuple[str, ...],
    item_column: str | None,
    annotator_column: str | None,
    label_column: str | None,
    algorithms: tuple[str, ...],
    seed: int,
    no_model: bool,
    out: str | None,
    as_json: bool,
    fail_on: tuple[str, ...],
    **options: Any,
) -> Look:
    """Tell what a crowd's labels are worth, and suggest one label for every item.

    Who is reliable, what is confused, whom to ask what next; votes, truth inference
    and, where FILE has features, networks side by side, chosen without true labels.
    --out has suggestions.csv, annotators.csv and ask_again.csv beside the page.
    """
    from caveat.candidates import look

    progress = Progress("candidates")
    found = look(
        file,
        annotators=[name for text in annotators for name in listed(text)],
        columns={
            "item": item_column,
            "annotator": annotator_column,
            "label": label_column,
        },
        algorithms=algorithms or ("proden",),
        model=not no_model,
        random_state=seed,
        rules=fail_on,
        command=command_line(file or "", out),
        progress=progress.update,
        **options,
    )
    progress.close()
    return show(found, out, as_json=as_json)
