"""`caveat data`: the local data folder."""

from __future__ import annotations

import click

from caveat.cli._console import Progress, note, say, table
from caveat.cli._data_import import HOME, import_, tell


@click.group(epilog="Example:  caveat data fetch cal500")
def data() -> None:
    """Fetch, import and verify data sets in the local data folder.

    Everything in it is verified by its digest whenever it is used.
    """


@data.command(epilog="Example:  caveat data fetch cal500 italian")
@click.argument("names", nargs=-1, required=True, metavar="NAME|STUDY.yaml...")
@HOME
@click.option("--force", is_flag=True, help="Fetch again what is there already.")
def fetch(names: tuple[str, ...], data_home: str | None, force: bool) -> None:
    """Fetch data sets, or all that a study names, from where they are published.

    A file is put in place only after its digest and its shape were found right;
    an older one stays until then.
    """
    from caveat.datasets import fetch as fetch_one

    for name in dict.fromkeys(one for given in names for one in _named(given)):
        tell(fetch_one(name, data_home=data_home, force=force))


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


@data.command(epilog="Example:  caveat data export standard-bags my-bags --base adult")
@click.argument("what", type=click.Choice(["standard-bags"]))
@click.argument("folder", metavar="DIR")
@click.option("--base", type=click.Choice(["adult", "cifar"]), help="One of the two.")
@HOME
def export(what: str, folder: str, base: str | None, data_home: str | None) -> None:
    """Write the 72 standard bag assignments into DIR, a CSV file each.

    They are made from your copies of Adult and CIFAR-10 (caveat data fetch adult
    cifar10-grey). Exit code 1 if one of the two is not there.
    """
    from caveat.bags import export_standard_bags

    progress = Progress(what)
    written, missing = export_standard_bags(
        folder, base=base, data_home=data_home, progress=progress.update
    )
    progress.close()
    if written:
        say(f"{len(written)} data sets in {folder}, with their digests")
    else:
        say(f"no data set was written into {folder}")
    for sentence in missing:
        note(sentence)
    if missing:
        raise click.exceptions.Exit(1)


@data.command(epilog="Example:  caveat data verify")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@HOME
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


data.add_command(import_)
