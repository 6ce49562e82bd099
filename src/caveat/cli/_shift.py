"""`caveat shift`: what a lost column costs a model, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, note
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._shift_options import ASKING, OUTAGES, asking_options, outage_options
from caveat.cli._show import command_line, listed, look_options, show
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.pages import Look


@click.command(
    epilog="Example:  caveat shift loans.csv --target default --missing income,age"
)
@click.argument("file", metavar="NAME-or-FILE", required=False)
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@outage_options
@click.option("--models", metavar="A,B", help="Models, see: caveat list learners.")
@click.option(
    "--model", metavar="SPEC", help="Your own: file, module:object, URL#NAME."
)
@click.option("--allow-import", is_flag=True, help="Let --model import a module.")
@click.option("--trust", is_flag=True, help="Let --model be a pickle, which runs code.")
@click.option("--train", metavar="FILE", help="The rows that --model learnt from.")
@click.option("--test", metavar="FILE", help="Rows that --model has not seen.")
@asking_options
@click.option("--imputers", metavar="A,B", default="mean,median,gaussian,native",
              show_default=True, help="Ways to fill in.")  # fmt: skip
@click.option(
    "--metric", metavar="NAME", help="Measure of the loss; AUC or RMSE if not given."
)
@click.option("--positive", metavar="LABEL", help="Class that F1 is about.")
@whole_number("--repeats", 5, "Divisions into training and test rows.")
@column_options
@click.option("--groups", metavar="COL", help="Rows of a group stay together.")
@click.option("--time", "order", metavar="COL", help="The last rows are the test part.")
@click.option("--test-size", metavar="X", type=float, default=0.25, show_default=True,
              help="Share of the rows that judge the models.")  # fmt: skip
@whole_number("--max-rows", 10_000, "Take a random sample of so many rows at most.")
@click.option("--tolerance", metavar="X", type=float,
              help="A loss that does not matter; 0.01 if not given.")  # fmt: skip
@seed_option
@look_options
def shift(
    file: str | None,
    models: str | None,
    model: str | None,
    allow_import: bool,
    trust: bool,
    imputers: str,
    cost: tuple[str, ...],
    seed: int,
    out: str | None,
    as_json: bool,
    fail_on: tuple[str, ...],
    **options: Any,
) -> Look:
    """Price the columns that a model of NAME-or-FILE may lose.

    Says what the loss costs, with its interval, and whether to fill in, to fit again or
    to change the model. Models of caveat's own are fitted, or your own is taken with
    --model; --train and --test are its rows.
    """
    from caveat.shift import look, parse_costs, parse_outages

    outages, blocks = parse_outages(options)
    progress = Progress("shift")

    def tell(text: str) -> None:
        progress.close()
        note(text)

    found = look(
        file,
        outages=outages,
        blocks=blocks or False,
        costs=parse_costs(cost),
        models=None if models is None else _words(models, "--models"),
        model=model,
        trust=trust or (allow_import and _is_address(model)),
        imputers=_words(imputers, "--imputers"),
        random_state=seed,
        rules=fail_on,
        command=command_line(file or str(options["test"]), out),
        progress=progress.update,
        found=tell,
        asking={name: options.pop(name) for name in ASKING},
        **{name: value for name, value in options.items() if name not in OUTAGES},
    )
    progress.close()
    return show(found, out, as_json=as_json)


def _words(text: str, option: str) -> list[str]:
    found = list(dict.fromkeys(listed(text)))
    if not found:
        raise InvalidInput(f"{option} is empty; name at least one, or leave it out")
    return found


def _is_address(model: str | None) -> bool:
    """Whether --model names an object of a module, not a file."""
    address = model is not None and ":" in model and "://" not in model
    return address and not Path(str(model)).exists()
