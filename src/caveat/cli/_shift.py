"""`caveat shift`: what happens when columns vanish."""

from __future__ import annotations

import json
import math
import time
import warnings
from pathlib import Path

import click

from caveat.cli._again import command_again
from caveat.cli._console import Progress, duration, note, say
from caveat.cli._folder import Folder
from caveat.cli._shift_input import (
    check_words,
    export_sets,
    fit_models,
    model_names,
    split_parts,
    words_of,
)
from caveat.cli._shift_remarks import make_remarks
from caveat.cli._shift_result import Shifted, plain, show
from caveat.exceptions import InvalidInput


@click.command(
    epilog="Example:  caveat shift loans.csv --target default --missing income,age"
)
@click.argument("file", metavar="FILE")
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@click.option("--models", metavar="A,B", help="Models, see: caveat list learners.")
@click.option("--missing", metavar="A,B", help="Columns that are about to be lost.")
@click.option(
    "--imputers",
    metavar="A,B",
    default="mean,median,gaussian,native",
    show_default=True,
)
@click.option("--metric", metavar="NAME", help="AUC or RMSE if not given.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--groups", metavar="COL", help="Rows of a group stay together.")
@click.option("--time", "order", metavar="COL", help="The last rows are the test part.")
@click.option("--test-size", metavar="X", type=float, default=0.25, show_default=True)
@click.option(
    "--tolerance",
    metavar="X",
    type=float,
    default=0.01,
    show_default=True,
    help="Half width of the interval over subsets.",
)
@click.option(
    "--max-rows",
    metavar="N",
    type=int,
    default=20_000,
    show_default=True,
    help="Larger files are sampled.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True)
@click.option(
    "--export", metavar="DIR", help="Folder for the shifted test sets, as CSV files."
)
@click.option("--out", type=Folder(), help="Folder for a page with figures and tables.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def shift(
    file: str,
    target: str | None,
    models: str | None,
    missing: str | None,
    imputers: str,
    metric: str | None,
    drop: tuple[str, ...],
    groups: str | None,
    order: str | None,
    test_size: float,
    tolerance: float,
    max_rows: int,
    seed: int,
    export: str | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Tell what models of FILE lose when columns vanish after training day.

    Which columns carry the models, how they decay as more and more vanish, which
    imputation helps, and which model to prefer. With --missing: what it will cost to
    lose just these columns.
    """
    started = time.monotonic()
    from caveat.datasets import read
    from caveat.shift import shift_look

    dataset = read(file, target=target, drop=drop, groups=groups, order=order)
    if dataset.task not in ("binary", "multiclass", "regression") or dataset.y is None:
        raise InvalidInput(
            f"{file}: the file holds {dataset.task} data; feature shift needs one "
            "label or number per row"
        )
    gone = words_of(missing, "--missing")
    check_words(gone, list(dataset.X.columns), "column")
    chosen = words_of(imputers, "--imputers")
    if not 0 < tolerance < math.inf:
        raise InvalidInput(f"--tolerance is {tolerance:g}; use a number above 0")
    parts, split_notes = split_parts(dataset, test_size, groups, order, max_rows, seed)
    fitted = fit_models(model_names(models, dataset.task), dataset, parts, seed)
    progress = Progress(f"shift, {dataset.name}")
    with warnings.catch_warnings():
        # What is worth knowing is in the notes of the look, which are shown below.
        warnings.simplefilter("ignore", UserWarning)
        if export is not None:
            export_sets(export, parts, dataset, seed)
        look = shift_look(
            fitted,
            *parts,
            missing=gone,
            imputers=chosen,
            metric=metric,
            task=dataset.task,
            tolerance=tolerance,
            random_state=seed,
            progress=progress.update,
        )
    progress.close()
    name = Path(file).name
    remarks = make_remarks(look, dataset, gone, len(parts[2]), split_notes)
    result = Shifted(
        look, dataset, name, gone, len(parts[0]), len(parts[2]), seed, remarks
    )
    where = ""
    if out is not None:
        from caveat.cli._shift_page import write_page

        index = write_page(
            result, command_again(click.get_current_context(), name, out), out
        )
        where = f" Page: {index}"
    if as_json:
        click.echo(json.dumps(plain(result), indent=2, allow_nan=False, default=str))
        note(where.strip() or result.conditions)
    else:
        show(result)
        say(
            f"{result.conditions} {duration(time.monotonic() - started)}.{where}", "dim"
        )
