"""`caveat multilabel`: eleven measures, and which margin a model serves."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._again import command_again
from caveat.cli._console import Progress, duration, note, say, table
from caveat.cli._folder import Folder
from caveat.cli._remark import show_remarks
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.cli._remark import Remark
    from caveat.datasets import Dataset
    from caveat.multilabel import Comparison

SHORT = {
    "ranking_loss": "rank loss",
    "one_error": "one-err",
    "coverage": "cover",
    "average_precision": "avg prec",
    "instance_auc": "inst AUC",
    "macro_auc": "macro AUC",
    "micro_auc": "micro AUC",
    "hamming_loss": "Hamming",
    "macro_f1": "macro-F1",
    "instance_f1": "inst-F1",
    "micro_f1": "micro-F1",
}


@click.command(
    epilog="Example:  caveat multilabel songs.csv --targets-prefix mood_ --out moods"
)
@click.argument("file", metavar="FILE")
@click.option("--targets", metavar="A,B,C", help="The 0/1 columns to predict.")
@click.option(
    "--targets-prefix", metavar="P", help="All columns whose name begins with P."
)
@click.option("--scores", metavar="FILE", help="Scores of your own model; no training.")
@click.option("--decisions", metavar="FILE", help="Its 0/1 decisions.")
@click.option(
    "--threshold", metavar="T", type=float, help="Decide its score > T instead."
)
@click.option("--models", metavar="A,B,C", help="Which learners to train.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--test-size", type=float, default=0.3, show_default=True)
@click.option("--resamples", metavar="N", type=int, default=200, show_default=True)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True)
@click.option("--out", type=Folder(), help="Folder for a page with figures and tables.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def multilabel(
    file: str,
    targets: str | None,
    targets_prefix: str | None,
    scores: str | None,
    decisions: str | None,
    threshold: float | None,
    models: str | None,
    drop: tuple[str, ...],
    test_size: float,
    resamples: int,
    seed: int,
    out: str | None,
    as_json: bool,
) -> None:
    """Judge models of many labels on FILE by all eleven measures.

    FILE has a 0/1 column per label (a MULAN or MEKA file says which by itself).
    Without --scores the built-in models are trained on one part of the rows and
    judged on the rest; with it, the columns of that file are taken as the scores of
    your model, named like the labels, one row per row of FILE.
    """
    from caveat.cli._multilabel_input import read_labels
    from caveat.cli._multilabel_remarks import make_remarks

    _check_numbers(threshold, resamples, seed)
    dataset = read_labels(file, targets, targets_prefix, drop)
    if scores is None:
        if decisions is not None or threshold is not None:
            raise InvalidInput(
                "--decisions and --threshold belong to --scores; name your model's "
                "scores too"
            )
        if not dataset.X.shape[1]:
            raise InvalidInput(
                f"{Path(file).name} has no column beside the labels, so there is "
                "nothing to learn from; judge scores of your own with --scores"
            )
        found = _train(dataset, models, test_size, resamples, seed)
    else:
        if models is not None:
            raise InvalidInput(
                "--models and --scores were both given; with scores nothing is trained"
            )
        found = _judge(dataset, scores, decisions, threshold, resamples, seed)
    remarks = make_remarks(found)
    if as_json:
        click.echo(json.dumps(_as_json(found, remarks, file), indent=2))
    else:
        _show(found, remarks, dataset, file)
    where = ""
    if out is not None:
        from caveat.cli._multilabel_page import write_page

        command = command_again(click.get_current_context(), file, out)
        held = conditions(found, resamples, seed)
        index = write_page(found, dataset, remarks, held, command, file, out)
        where = f" Page: {index}"
    if as_json:
        note(where.strip() or conditions(found, resamples, seed))
    else:
        say(
            f"{conditions(found, resamples, seed)} {duration(found.seconds)}.{where}",
            "dim",
        )


def _check_numbers(threshold: float | None, resamples: int, seed: int) -> None:
    if threshold is not None and not math.isfinite(threshold):
        raise InvalidInput(f"--threshold is {threshold}; use a number such as 0.5")
    if resamples < 2:
        raise InvalidInput(f"--resamples is {resamples}; use 2 or more")
    if seed < 0:
        raise InvalidInput(f"--seed is {seed}; use 0 or more")


def conditions(found: Comparison, resamples: int, seed: int) -> str:
    """Say under which conditions the numbers hold."""
    rows = (
        f"{found.n_train:,} training and {found.n_test:,} test rows"
        if found.n_train
        else f"{found.n_test:,} rows"
    )
    return (
        f"{rows}, ties count one half, 95 % intervals over {resamples} resamples of "
        f"the rows, seed {seed}."
    )


def _train(
    dataset: Dataset, models: str | None, test_size: float, resamples: int, seed: int
) -> Comparison:
    from caveat.cli._multilabel_input import words
    from caveat.multilabel import compare
    from caveat.multilabel._compare import DEFAULT_LEARNERS

    learners = DEFAULT_LEARNERS if models is None else tuple(words("--models", models))
    progress = Progress(f"multilabel, {dataset.name}")
    found = compare(
        dataset.X,
        dataset.Y,
        learners=learners,
        test_size=test_size,
        n_resamples=resamples,
        kinds=dict(dataset.kinds),
        random_state=seed,
        progress=progress.update,
    )
    progress.close()
    return found


def _judge(
    dataset: Dataset,
    scores: str,
    decisions: str | None,
    threshold: float | None,
    resamples: int,
    seed: int,
) -> Comparison:
    from caveat.cli._multilabel_input import read_matrix
    from caveat.multilabel import judge

    if decisions is not None and threshold is not None:
        raise InvalidInput("--decisions and --threshold were both given; use one")
    real = read_matrix("--scores", scores, dataset)
    chosen = (
        None if decisions is None else read_matrix("--decisions", decisions, dataset)
    )
    if threshold is not None:
        chosen = (real > threshold).astype(int)
    return judge(dataset.Y, real, chosen, n_resamples=resamples, random_state=seed)


def _show(
    found: Comparison, remarks: list[Remark], dataset: Dataset, file: str
) -> None:
    rows, columns = dataset.X.shape
    mean = float(dataset.Y.to_numpy().sum(axis=1).mean())
    say(
        f"{Path(file).name}: {rows:,} rows, {columns:,} columns, {found.n_labels:,} "
        f"labels, {mean:.1f} per row"
    )
    say("")
    for names in (list(SHORT)[:7], list(SHORT)[7:]):
        there = [name for name in names if _has(found, name)]
        if there:
            _show_measures(found, there)
            say("")
    _show_margins(found)
    say("")
    show_remarks(remarks)


def _has(found: Comparison, measure: str) -> bool:
    return any(measure in judged.result for judged in found.models.values())


def _show_measures(found: Comparison, names: list[str]) -> None:
    cells = []
    for model, judged in found.models.items():
        values = [judged.result.get(name, float("nan")) for name in names]
        cells.append([model, *(_number(value) for value in values)])
    best = next(iter(found.models.values())).result.best
    cells.append(["best", *(_number(best[name]) for name in names)])
    table(
        ["model", *(SHORT[name] for name in names)],
        cells,
        right=range(1, len(names) + 1),
    )


def _show_margins(found: Comparison) -> None:
    cells = [
        [
            name,
            f"{judged.profile.label_wise.order:.2f}",
            _range(judged.profile.label_wise),
            f"{judged.profile.instance_wise.order:.2f}",
            _range(judged.profile.instance_wise),
            judged.profile.verdict,
        ]
        for name, judged in found.models.items()
    ]
    free = next(iter(found.models.values())).profile.popularity
    table(
        ["model", "labels", "in an instance", "instances", "in a label", "serves"],
        cells,
        right=(1, 2, 3, 4),
        bold=(1, 3),
    )
    say(f"chance orders 0.50 of the pairs, label popularity {free:.2f}", "dim")


def _as_json(found: Comparison, remarks: list[Remark], file: str) -> dict[str, Any]:
    def clean(value: Any) -> Any:
        return None if isinstance(value, float) and value != value else value

    models = {}
    for name, judged in found.models.items():
        intervals = judged.intervals.to_dict("index")
        models[name] = {
            "measures": {
                str(measure): {key: clean(value) for key, value in row.items()}
                for measure, row in intervals.items()
            },
            "serves": judged.profile.verdict,
            "label_wise_order": clean(judged.profile.label_wise.order),
            "instance_wise_order": clean(judged.profile.instance_wise.order),
            "popularity_order": clean(judged.profile.popularity),
            "tie_share": judged.result.tie_share,
            "n_valid_rows": judged.result.n_valid_rows,
            "n_valid_labels": judged.result.n_valid_labels,
            "thresholds": judged.thresholds.to_dict("index"),
        }
    return {
        "file": Path(file).name,
        "n_train": found.n_train,
        "n_test": found.n_test,
        "n_labels": found.n_labels,
        "models": models,
        "failed": found.failed,
        "caveats": [{"severity": r.severity, "sentence": r.sentence} for r in remarks],
    }


def _number(value: float) -> str:
    if value != value:
        return "–"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def _range(side: Any) -> str:
    return "–" if side.low != side.low else f"{side.low:.2f} to {side.high:.2f}"
