"""`caveat multilabel`: eleven measures, and which margin a model serves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._show import command_line, look_options, show
from caveat.exceptions import InvalidInput, listing

if TYPE_CHECKING:
    from caveat.pages import Look


@click.command(
    epilog="Example:  caveat multilabel songs.csv --targets-prefix mood_ --out moods"
)
@click.argument("file", metavar="FILE")
@click.option("--targets", metavar="A,B,C", help="The 0/1 columns to predict.")
@click.option(
    "--targets-prefix", metavar="P", help="All columns whose name begins with P."
)
@click.option(
    "--scores",
    metavar="FILE",
    multiple=True,
    help="Scores of your own model; no training. Repeat it for several.",
)
@click.option("--decisions", metavar="FILE", multiple=True, help="Its 0/1 decisions.")
@click.option(
    "--threshold",
    metavar="T",
    type=float,
    help="Instead: a label is chosen if its score exceeds T.",
)
@click.option("--models", metavar="A,B,C", help="Which learners to train.")
@column_options
@click.option("--test-size", metavar="X", type=float, default=0.3, show_default=True,
              help="Share of the rows that judge the models.")  # fmt: skip
@whole_number("--resamples", 400, "How often test rows are drawn anew, for intervals.")
@seed_option
@look_options
def multilabel(
    file: str,
    targets: str | None,
    targets_prefix: str | None,
    scores: tuple[str, ...],
    decisions: tuple[str, ...],
    models: str | None,
    seed: int,
    out: str | None,
    as_json: bool,
    fail_on: tuple[str, ...],
    **options: Any,
) -> Look:
    """Judge models of many labels on FILE by all eleven measures.

    FILE has a 0/1 column per label (a MULAN or MEKA file says which by itself).
    Without --scores the built-in models are trained on one part of the rows and
    judged on the rest; with it, the columns of that file are taken as the scores of
    your model, named like the labels, one row per row of FILE.
    """
    from caveat.multilabel import look

    progress = Progress("multilabel")
    found = look(
        file,
        _targets(file, targets, targets_prefix),
        scores=_own(scores, scores),
        decisions=_own(decisions, scores),
        models=None if models is None else _words("--models", models),
        random_state=seed,
        rules=fail_on,
        command=command_line(file, out),
        progress=progress.update,
        **options,
    )
    progress.close()
    return show(found, out, as_json=as_json)


def _targets(file: str, targets: str | None, prefix: str | None) -> list[str] | None:
    """List the label columns; None where the file names them itself."""
    from caveat.datasets import column_names

    if targets is not None and prefix is not None:
        raise InvalidInput("--targets and --targets-prefix were both given; use one")
    if prefix is None:
        return None if targets is None else _words("--targets", targets)
    columns = column_names(file)
    chosen = [name for name in columns if name.startswith(prefix)]
    if not chosen:
        raise InvalidInput(
            f"--targets-prefix: no column of {Path(file).name} begins with {prefix!r}; "
            f"there are {listing(columns, 5)}"
        )
    return chosen


def _own(files: tuple[str, ...], scores: tuple[str, ...]) -> Any:
    """Name several files of scores by their stems; one file needs no name."""
    if len(scores) < 2:
        return files[0] if files else None
    if files and len(files) != len(scores):
        raise InvalidInput(
            f"--decisions: found {len(files)} files for {len(scores)} of --scores; "
            "give one for each, in the same order"
        )
    stems = [Path(score).stem for score in scores]
    if len(set(stems)) < len(stems):
        raise InvalidInput("--scores: two files have one name; call them differently")
    return dict(zip(stems, files, strict=True)) if files else None


def _words(option: str, text: str) -> list[str]:
    """Split a list with commas; a name that is there twice is refused."""
    found = Counter(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise InvalidInput(f"{option} is empty; write names with commas between them")
    doubled = [word for word, times in found.items() if times > 1]
    if doubled:
        raise InvalidInput(f"{option} names {listing(doubled)} twice; name each once")
    return list(found)
