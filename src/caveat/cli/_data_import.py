"""`caveat data import`: files of one's own as a data set of the data folder."""

from __future__ import annotations

import json
from typing import Any

import click

from caveat.cli._console import note, say
from caveat.exceptions import InvalidInput

HOME = click.option(
    "--data-home",
    metavar="DIR",
    help="The data folder [CAVEAT_DATA, else the user's own].",
)


@click.command(
    "import", epilog="Example:  caveat data import loans loans.csv --target default"
)
@click.argument("name")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@HOME
@click.option("--trust", is_flag=True, help="Take another packing of published data.")
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--task", metavar="TASK", help="binary, multiclass or regression.")
@click.option("--format", "form", metavar="FORMAT", help="csv, parquet, arff, mat, ...")
@click.option(
    "--separator", metavar="SIGN", help="What parts the fields of a CSV file."
)
@click.option("--decimal", metavar="SIGN", help="The decimal sign of a CSV file.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out.")
@click.option("--labels", metavar="FILE", help="MULAN's XML, or the labels of images.")
@click.option(
    "--image-size", type=int, metavar="PIXELS", help="Cut and resize pictures."
)
@click.option(
    "--option",
    "more",
    multiple=True,
    metavar="NAME=JSON",
    help="Any other option of caveat.datasets.read.",
)
def import_(
    name: str,
    files: tuple[str, ...],
    data_home: str | None,
    trust: bool,
    target: str | None,
    task: str | None,
    form: str | None,
    separator: str | None,
    decimal: str | None,
    drop: tuple[str, ...],
    labels: str | None,
    image_size: int | None,
    more: tuple[str, ...],
) -> None:
    """Take FILEs into the data folder as the data set NAME.

    If NAME is a published data set, the files must be its files. Any other NAME
    makes a data set of your own, which studies then find by that name.
    """
    from caveat.datasets import import_files

    options = {
        "target": target,
        "task": task,
        "format": form,
        "separator": separator,
        "decimal": decimal,
        "drop": list(drop) or None,
        "labels": labels,
        "image_size": image_size,
        **dict(_option(text) for text in more),
    }
    given = {key: value for key, value in options.items() if value is not None}
    tell(import_files(name, files, data_home=data_home, trust=trust, **given))


def tell(dataset: Any) -> None:
    """Say what a data set is like, and what is to be known about it."""
    rows, columns = dataset.X.shape
    say(f"{dataset.name}: {dataset.task}, {rows:,} rows x {columns:,} columns")
    for remark in dataset.notes:
        note(f"  {remark}")


def _option(text: str) -> tuple[str, Any]:
    """Read ``name=value``; the value is JSON, or plain text."""
    from caveat.datasets import READ_OPTIONS

    name, sign, value = text.partition("=")
    option = name.strip().replace("-", "_")
    if not sign or option not in READ_OPTIONS:
        raise InvalidInput(
            f"--option {text!r} is not of the form NAME=VALUE with one of the names "
            f"{', '.join(READ_OPTIONS)}"
        )
    try:
        return option, json.loads(value)
    except ValueError:
        return option, value
