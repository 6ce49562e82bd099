"""`caveat candidates`: several candidate labels for every item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, note, say, table
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.partial import Advice, CandidateStatistics
    from caveat.partial._table import CandidateTable


@click.command(
    epilog="Example:  caveat candidates loans.csv --candidates region --steps 200"
)
@click.argument("file", metavar="FILE")
@click.option("--candidates", "column", metavar="COL", help="Column with the sets.")
@click.option(
    "--annotators",
    multiple=True,
    metavar="COL",
    help="Column with one person's labels; * stands for any text. Repeatable.",
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
@click.option("--out", metavar="DIR", help="Folder for suggestions and tables.")
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
    cat|dog, in one column or in one for every annotator.
    """
    from caveat.partial import candidate_statistics
    from caveat.partial._table import read_candidates

    if steps < 1:
        raise InvalidInput(f"--steps is {steps}; one is the least")
    data = read_candidates(
        file,
        candidates=column,
        annotators=annotators,
        truth=truth,
        drop=drop,
        separator=separator,
        combine=combine,
        count=count,
    )
    found = candidate_statistics(data.sets, data.y)
    result: dict[str, Any] = {"file": Path(file).name, **_facts(found)}
    for remark in [*data.notes, *data.sets.remarks()]:
        note(remark)
    if not as_json:
        _show_statistics(found, data)
    curve = _curve(data)
    if curve is not None:
        result["annotators"] = curve.to_dict("records")
        if not as_json:
            _show_curve(curve)
    suggestions = None
    if not no_model:
        advice, suggestions = _learn(data, algorithms, criterion, steps, seed)
        result["model"] = _told(advice, suggestions, data)
        if not as_json:
            _show_advice(advice, result["model"])
    if out is not None:
        _write(Path(out), result, suggestions, curve)
    if as_json:
        click.echo(json.dumps(_without_nan(result), indent=2))


def _facts(found: CandidateStatistics) -> dict[str, Any]:
    return {
        "items": found.n_items,
        "classes": found.n_classes,
        "mean_size": found.mean_size,
        "sizes": {str(size): count for size, count in found.histogram.items()},
        "single": found.singletons,
        "full": found.full,
        "noise_rate": found.noise_rate,
        "ambiguity": found.ambiguity,
    }


def _show_statistics(found: CandidateStatistics, data: CandidateTable) -> None:
    say(
        f"{found.n_items:,} items, {found.n_classes} classes, "
        f"{found.mean_size:.2f} candidates on average; "
        f"{found.singletons:.0%} have one, {found.full:.0%} all"
    )
    if found.noise_rate is None:
        say("How often the true label is missing is unknown: name --truth to see it.")
        return
    say(f"The true label is no candidate in {found.noise_rate:.1%} of the items.")
    pairs = _confusions(found, data)
    if pairs:
        table(["true label", "also a candidate", "how often"], pairs, right=(2,))


def _confusions(found: CandidateStatistics, data: CandidateTable) -> list[list[str]]:
    import numpy as np

    flipping = np.nan_to_num(found.flipping)
    np.fill_diagonal(flipping, 0.0)
    classes = data.sets.classes
    rows = []
    for flat in np.argsort(-flipping, axis=None, kind="stable")[:5]:
        true, other = np.unravel_index(flat, flipping.shape)
        if flipping[true, other] > 0:
            share = f"{flipping[true, other]:.0%}"
            rows.append([str(classes[true]), str(classes[other]), share])
    return rows


def _curve(data: CandidateTable) -> Any:
    from caveat.partial import annotator_curve
    from caveat.partial._statistics import label_codes

    if data.annotations is None:
        return None
    codes = None if data.y is None else label_codes(data.y, data.sets.classes)
    return annotator_curve(data.annotations, codes)


def _show_curve(curve: Any) -> None:
    say("What every further annotator adds to the union of labels:")
    rows = [
        [
            str(int(row.annotators)),
            f"{row.mean_size:.2f}",
            f"{row.single:.0%}",
            "unknown" if row.noise != row.noise else f"{row.noise:.1%}",
        ]
        for row in curve.itertuples()
    ]
    table(
        ["annotators", "mean size", "one label", "true one missing"],
        rows,
        right=(1, 2, 3),
    )


def _learn(
    data: CandidateTable,
    algorithms: tuple[str, ...],
    criterion: str | None,
    steps: int,
    seed: int,
) -> tuple[Advice, Any]:
    from caveat.partial import advise, suggest_labels
    from caveat.partial._advice import USUAL

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


def _told(advice: Advice, suggestions: Any, data: CandidateTable) -> dict[str, Any]:
    told: dict[str, Any] = {
        "algorithm": advice.algorithm,
        "steps": advice.steps,
        "criterion": advice.criterion,
        "reason": advice.reason,
        "tried": advice.table.to_dict("records"),
        "covered": float(suggestions["covered"].mean()),
        "unsure": int((suggestions["probability"] < 0.7).sum()),
    }
    if data.y is not None:
        told["right"] = float((suggestions["suggestion"].to_numpy() == data.y).mean())
    return told


def _show_advice(advice: Advice, told: dict[str, Any]) -> None:
    say(f"Chosen by {advice.criterion} on held-out sets: {advice.reason}.")
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
    header = ["algorithm", "covering rate", "approximated accuracy", "steps", ""]
    table(header, rows, right=(1, 2, 3), bold=(4,))
    say(
        f"The model's own label is a candidate of {told['covered']:.1%} of the items; "
        f"{told['unsure']:,} suggestions are unsure (below 70 %)."
    )
    if "right" in told:
        say(f"By the truth column, {told['right']:.1%} of the suggestions are right.")
    note(
        "The best of several looks better than it is, and nobody checked the labels: "
        "have a sample looked at before you use them."
    )


def _write(folder: Path, result: dict[str, Any], suggestions: Any, curve: Any) -> None:
    from caveat._files import write_whole

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"cannot make the folder {str(folder)!r}: {error.strerror}; name another"
        ) from error
    text = json.dumps(_without_nan(result), indent=2) + "\n"
    written = [write_whole(folder / "candidates.json", text)]
    if suggestions is not None:
        content = suggestions.to_csv(index=False, float_format="%.6g")
        written.append(write_whole(folder / "suggestions.csv", content))
    if curve is not None:
        written.append(
            write_whole(folder / "annotators.csv", curve.to_csv(index=False))
        )
    note(f"written: {', '.join(str(path) for path in written)}")


def _without_nan(value: Any) -> Any:
    """Put None where JSON has no number."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value
