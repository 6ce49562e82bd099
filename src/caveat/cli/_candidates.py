"""`caveat candidates`: several candidate labels for every item."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._again import command_again
from caveat.cli._console import Progress, duration, note, say, table
from caveat.cli._folder import Folder
from caveat.cli._remark import show_remarks
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.candidates import Advice
    from caveat.candidates._table import CandidateTable
    from caveat.cli._candidates_look import Look


@click.command(
    epilog="Example:  caveat candidates birds.csv --candidates heard --steps 200"
)
@click.argument("file", metavar="FILE")
@click.option("--candidates", "column", metavar="COL", help="Column with the sets.")
@click.option(
    "--annotators",
    multiple=True,
    metavar="COL",
    help="Columns with one person's labels each: A,B,C, or repeated; * is any text.",
)
@click.option("--truth", metavar="COL", help="Column with the true label, if known.")
@click.option("--drop", multiple=True, metavar="COL", help="Column to leave out.")
@click.option(
    "--separator", default="|", show_default=True, help="Between labels of a set."
)
@click.option(
    "--combine",
    type=click.Choice(["aggregate", "vaguest", "vote", "first", "majority"]),
    default="aggregate",
    show_default=True,
    help="How one set is made of several people's.",
)
@click.option(
    "--count", type=int, default=2, show_default=True, help="For vote and first."
)
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="NAME",
    help="Algorithm to try; repeatable [proden, pop, cc, scl-nl].",
)
@click.option(
    "--criterion",
    type=click.Choice(["covering-rate", "approximated-accuracy"]),
    help="What chooses [by the size of the sets].",
)
@click.option("--steps", type=int, default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--no-model", is_flag=True, help="Describe the sets only.")
@click.option("--out", type=Folder(), help="Folder for page, suggestions and model.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def candidates(
    file: str,
    column: str | None,
    annotators: tuple[str, ...],
    truth: str | None,
    drop: tuple[str, ...],
    separator: str,
    combine: str,
    count: int,
    algorithms: tuple[str, ...],
    criterion: str | None,
    steps: int,
    seed: int,
    no_model: bool,
    out: str | None,
    as_json: bool,
) -> None:
    """Tell how noisy and how ambiguous the candidate labels of FILE are.

    Then try some algorithms, choose one by candidate sets that were held out (no true
    label is needed), and suggest a label for every item. Cells hold labels such as
    cat|dog, in one column or in one for every annotator. With --out there is a page,
    the suggestions, and the model, which caveat.candidates.load_model reads.
    """
    from caveat.candidates import candidate_statistics
    from caveat.candidates._table import read_candidates
    from caveat.cli._candidates_look import Look, make_remarks

    started = time.monotonic()
    if steps < 1:
        raise InvalidInput(f"--steps is {steps}; one is the least")
    data = read_candidates(
        file,
        candidates=column,
        annotators=[name for text in annotators for name in _split(text)],
        truth=truth,
        drop=drop,
        separator=separator,
        combine=combine,
        count=count,
    )
    found = candidate_statistics(data.sets, data.y)
    for remark in [*data.notes, *data.sets.remarks()]:
        note(remark)
    advice = suggestions = None
    if not no_model:
        advice, suggestions = _learn(data, algorithms, criterion, steps, seed)
    look = Look(Path(file).name, data, found, _curve(data), advice, suggestions)
    remarks = make_remarks(look)
    if not as_json:
        _show(look)
        show_remarks(remarks)
    where = ""
    if out is not None:
        from caveat.cli._candidates_page import write_page

        command = command_again(click.get_current_context(), file, out)
        conditions = _conditions(look, combine, steps, seed)
        _write(Path(out), look)
        where = f" Page: {write_page(look, remarks, conditions, command, out)}"
    if as_json:
        click.echo(json.dumps(_without_nan(look.plain()), indent=2))
    note(f"{duration(time.monotonic() - started)}.{where}")


def _split(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _conditions(look: Look, combine: str, steps: int, seed: int) -> str:
    sets = "" if look.data.annotations is None else f"Sets combined by {combine}. "
    if look.advice is None:
        return f"{sets}Nothing was trained."
    return (
        f"{sets}{len(look.advice.table)} algorithms with their usual settings, "
        f"{steps:,} steps at most, {look.advice.held:,} sets held out, seed {seed}."
    )


def _curve(data: CandidateTable) -> Any:
    from caveat.candidates import annotator_curve
    from caveat.candidates._statistics import label_codes

    if data.annotations is None:
        return None
    codes = None if data.y is None else label_codes(data.y, data.sets.classes)
    return annotator_curve(data.annotations, codes)


def _learn(
    data: CandidateTable,
    algorithms: tuple[str, ...],
    criterion: str | None,
    steps: int,
    seed: int,
) -> tuple[Advice, Any]:
    from caveat.candidates import advise, suggest_labels
    from caveat.candidates._advice import USUAL

    progress = Progress("candidates")
    try:
        advice = advise(
            data.X,
            data.sets,
            algorithms=algorithms or USUAL,
            criterion=criterion,
            max_steps=steps,
            random_state=seed,
            progress=progress.update,
        )
    finally:
        progress.close()
    return advice, suggest_labels(advice.model, data.X, data.sets)


def _show(look: Look) -> None:
    found = look.found
    say(
        f"{look.file}: {found.n_items:,} items, {found.n_classes} classes, "
        f"{found.mean_size:.2f} candidates on average; "
        f"{found.singletons:.0%} have one, {found.full:.0%} all"
    )
    pairs = [[true, other, f"{share:.0%}"] for true, other, share in look.confusions(5)]
    if pairs:
        say("")
        table(["true label", "also a candidate", "how often"], pairs, right=(2,))
    if look.curve is not None:
        _show_curve(look.curve)
    if look.advice is not None:
        _show_advice(look, look.advice)
    say("")


def _show_curve(curve: Any) -> None:
    rows = [
        [
            str(int(row.annotators)),
            f"{row.mean_size:.2f}",
            f"{row.single:.0%}",
            "unknown" if row.noise != row.noise else f"{row.noise:.1%}",
        ]
        for row in curve.itertuples()
    ]
    say("")
    table(
        ["annotators", "candidates", "one label", "true one missing"],
        rows,
        right=(1, 2, 3),
    )


def _show_advice(look: Look, advice: Advice) -> None:
    rows = [
        [
            row["algorithm"],
            f"{row['covering-rate']:.3f}",
            f"{row['approximated-accuracy']:.3f}",
            f"{row['steps']:,}",
            "chosen" if row["algorithm"] == advice.algorithm else row["note"],
        ]
        for row in advice.table.to_dict("records")
    ]
    from caveat.candidates._statistics import UNSURE

    header = ["algorithm", "covering rate", "approximated accuracy", "steps", ""]
    say("")
    table(header, rows, right=(1, 2, 3), bold=(4,))
    say(f"Chosen by {advice.criterion} on held-out sets: {advice.reason}.", "dim")
    say(
        f"The model's own label is a candidate of {look.covered:.1%} of the items; "
        f"{look.unsure:,} suggestions are unsure (below {UNSURE:.0%})."
    )


def _write(folder: Path, look: Look) -> None:
    """Write what is of use without the page: numbers, suggestions, the model."""
    from caveat.cli._candidates_page import MODEL, SUGGESTIONS
    from caveat.pages import write_file

    text = json.dumps(_without_nan(look.plain()), indent=2) + "\n"
    write_file(folder / "candidates.json", text.encode("utf-8"))
    if look.advice is None or look.suggestions is None:
        return
    from caveat.candidates import save_model

    content = look.suggestions.to_csv(index=False, float_format="%.6g")
    write_file(folder / SUGGESTIONS, content.encode("utf-8"))
    save_model(look.advice.model, folder / MODEL)


def _without_nan(value: Any) -> Any:
    """Put None where JSON has no number."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value
