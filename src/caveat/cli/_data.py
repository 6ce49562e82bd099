"""`caveat data`: the local data folder."""

from __future__ import annotations

import json
from typing import Any

import click

from caveat.cli._console import note, say, table
from caveat.exceptions import InvalidInput

_HOME = click.option(
    "--data-home",
    metavar="DIR",
    help="The data folder [CAVEAT_DATA, else the user's own].",
)


@click.group(epilog="Example:  caveat data fetch cal500")
def data() -> None:
    """Fetch, import and verify data sets in the local data folder.

    Everything in it is verified by its digest whenever it is used.
    """


@data.command(epilog="Example:  caveat data fetch cal500 italian")
@click.argument("names", nargs=-1, required=True, metavar="NAME|STUDY.yaml...")
@_HOME
@click.option("--force", is_flag=True, help="Fetch again what is there already.")
def fetch(names: tuple[str, ...], data_home: str | None, force: bool) -> None:
    """Fetch data sets, or all that a study names, from where they are published.

    A file is put in place only after its digest and its shape were found right;
    an older one stays until then.
    """
    from caveat.datasets import fetch as fetch_one

    for name in dict.fromkeys(one for given in names for one in _named(given)):
        _tell(fetch_one(name, data_home=data_home, force=force))


@data.command(
    "import", epilog="Example:  caveat data import loans loans.csv --target default"
)
@click.argument("name")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_HOME
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
    _tell(import_files(name, files, data_home=data_home, trust=trust, **given))


@data.command(epilog="Example:  caveat data digest loans.csv --target default")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--target", metavar="COLUMN", help="The column to predict: adds shapes.")
def digest(files: tuple[str, ...], target: str | None) -> None:
    """Compute what a row of the catalogue needs to know about FILEs.

    The lines are TOML, to be copied into the catalogue. In place of a FILE, the name
    of a registered data set gives the digest of what its loader makes.
    """
    from caveat.datasets import digest as lines_of

    for what in files:
        click.echo(lines_of(what, target=target))


@data.command(epilog="Example:  caveat data verify")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@_HOME
def verify(names: tuple[str, ...], data_home: str | None) -> None:
    """Verify the files of data sets, or of all that are there.

    Exit code 1 if a file is not what it should be, or one that was named is
    missing.
    """
    from caveat.datasets import data_home as home_of
    from caveat.datasets import verify as verify_all

    found = verify_all(names, data_home=data_home)
    if not found:
        say(f"no data sets in {home_of(data_home)}")
        return
    said = {
        "good": "good",
        "bad": "CHANGED",
        "new": "not yet used",
        "missing": "missing",
    }
    rows = [[row.dataset, row.file, said[row.state], str(row.path)] for row in found]
    table(["data set", "file", "state", "where"], rows, bold=(0,))
    wrong = [row for row in found if row.state in ("bad", "missing")]
    for row in wrong:
        if row.state == "bad":
            note(f"{row.path}: SHA-256 {row.found}, expected {row.expected}")
    if wrong:
        raise click.exceptions.Exit(1)


def _named(given: str) -> list[str]:
    """Give a data set's name, or the names that a study file has."""
    if not given.endswith((".yaml", ".yml")):
        return [given]
    from caveat.study import dataset_name, load_study

    wanted = load_study(given).datasets
    for reference in wanted:
        if not isinstance(reference, str):
            note(f"{dataset_name(reference)}: a file of yours, nothing to fetch")
    return [reference for reference in wanted if isinstance(reference, str)]


def _tell(dataset: Any) -> None:
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
