"""`caveat eapp`: how far clusters get on a file when labels only name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._show import command_line, listed, look_options, show
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.pages import Look


@click.command(
    epilog="Example:  caveat eapp loans.csv --target default --out loans-eapp"
)
@click.argument("file", metavar="FILE")
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@click.option("--positive", metavar="LABEL", help="Class 1; others are negative.")
@column_options
@click.option("--groups", metavar="COL", help="Keep rows of one value in one fold.")
@click.option("--time", metavar="COL", help="Judge later rows by clusters of earlier.")
@click.option("--targets", metavar="A,B,...", help="Columns of 0 and 1: many labels.")
@click.option("--classes", is_flag=True, help="Take a target of numbers as classes.")
@click.option("--regression", is_flag=True, help="Take the target as numbers.")
@click.option("--joint", is_flag=True, help="Name clusters after all classes at once.")
@click.option(
    "--representation",
    metavar="NAME",
    default="pca",
    show_default=True,
    help="What is clustered: pca, none, cae, vae or kmeans_ae.",
)
@click.option(
    "--latent",
    metavar="N",
    default="auto",
    show_default=True,
    help="Components of the representation.",
)
@click.option(
    "--clusterer",
    metavar="NAME",
    default="kmeans",
    show_default=True,
    help="What makes the clusters: kmeans, ward, gmm, dbscan, ...",
)
@whole_number("--k-max", 10, "Most clusters; more where a class is rarer than 1 in N.")
@whole_number(
    "--folds", 10, "Parts of the rows; each is judged by clusters of the others."
)
@click.option(
    "--labeling",
    metavar="NAME",
    default="exact",
    show_default=True,
    help="How clusters get their labels: exact, greedy or contribution.",
)
@click.option(
    "--score",
    metavar="NAME",
    default="ratio",
    show_default=True,
    help="How a row's two distances order it: ratio, diff or sqdiff.",
)
@whole_number("--shuffles", 200, "Shuffled targets that show what chance gives.")
@seed_option
@whole_number("--jobs", 1, "Folds at a time.")
@click.option(
    "--model-auc",
    metavar="AUC",
    type=float,
    help="AUC of a model, to hold against the value.",
)
@click.option("--drivers", is_flag=True, help="Say which columns the value rests on.")
@click.option("--probe", is_flag=True, help="Plant a bias: how coarse must it be?")
@look_options
def eapp(
    file: str,
    targets: str | None,
    latent: str,
    seed: int,
    jobs: int,
    out: str | None,
    as_json: bool,
    fail_on: tuple[str, ...],
    **options: Any,
) -> Look:
    """Tell how far clusters of the rows get on FILE when labels only name them.

    That is the bar that a classifier has to clear. FILE is whatever caveat can read:
    CSV, Parquet, ARFF, IDX, npz, or a folder with a folder of pictures per class.
    """
    from caveat.eapp import look

    if targets is not None and not listed(targets):
        raise InvalidInput(
            f"--targets: found {targets!r}; name two and more columns of 0 and 1, or "
            "one with --target"
        )
    progress = Progress("eapp")
    found = look(
        file,
        targets=listed(targets),
        latent=_latent(latent),
        random_state=seed,
        n_jobs=jobs,
        rules=fail_on,
        command=command_line(file, out),
        progress=progress.update,
        **options,
    )
    progress.close()
    return show(found, out, as_json=as_json)


def _latent(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdigit():
        raise InvalidInput(
            f"--latent: found {text!r}; pass 'auto' or a number of components"
        )
    return int(text)
