"""`caveat eapp`: how much of a score on this file is free."""

from __future__ import annotations

import json
import math
import shlex
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, console, duration, note, say, table
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.baseline import EAPP
    from caveat.datasets import Dataset

_COLOURS = {"serious": "red", "careful": "yellow", "note": "dim"}


@dataclass(frozen=True)
class Remark:
    """A caveat, before it is printed or put on a page.

    Attributes
    ----------
    severity : {"serious", "careful", "note"}
    sentence, number, how : str
        What it says, the number in it, and how it was measured.
    """

    severity: str
    sentence: str
    number: str = ""
    how: str = ""


@click.command(
    epilog="Example:  caveat eapp loans.csv --target default --out loans-eapp"
)
@click.argument("file", metavar="FILE")
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@click.option("--positive", metavar="LABEL", help="Class 1; all others are the rest.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--classes", is_flag=True, help="Take a target of numbers as classes.")
@click.option("--representation", metavar="NAME", default="pca", show_default=True)
@click.option("--latent", metavar="N", default="auto", show_default=True)
@click.option("--clusterer", metavar="NAME", default="kmeans", show_default=True)
@click.option("--k-max", metavar="N", type=int, default=10, show_default=True)
@click.option("--folds", metavar="N", type=int, default=10, show_default=True)
@click.option("--labeling", metavar="NAME", default="exact", show_default=True)
@click.option("--score", metavar="NAME", default="ratio", show_default=True)
@click.option("--shuffles", metavar="N", type=int, default=200, show_default=True)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True)
@click.option("--jobs", metavar="N", type=int, default=1, show_default=True)
@click.option(
    "--model-auc", metavar="AUC", type=float, help="A model's AUC, to compare."
)
@click.option("--drivers", is_flag=True, help="Say which columns the value rests on.")
@click.option("--out", metavar="DIR", help="Folder for a page with figure and tables.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def eapp(
    file: str,
    target: str | None,
    positive: str | None,
    drop: tuple[str, ...],
    classes: bool,
    representation: str,
    latent: str,
    clusterer: str,
    k_max: int,
    folds: int,
    labeling: str,
    score: str,
    shuffles: int,
    seed: int,
    jobs: int,
    model_auc: float | None,
    drivers: bool,
    out: str | None,
    as_json: bool,
) -> None:
    """Tell how much of a score on FILE clustering reaches without labels.

    The rows are clustered, labels only name the clusters, and the AUC of the best
    names is the bar that a classifier has to clear. FILE is whatever caveat can read:
    CSV, Parquet, ARFF, IDX, npz, or a folder with a folder of pictures per class.
    """
    from caveat.baseline import EAPP

    if model_auc is not None and not 0 <= model_auc <= 1:
        raise InvalidInput(
            f"--model-auc: found {model_auc:g}; an AUC lies between 0 and 1"
        )
    dataset = _dataset(file, target, drop, classes)
    model = EAPP(
        representation=representation,
        latent=_latent(latent),
        clusterer=clusterer,
        k_max=k_max,
        folds=folds,
        labeling=labeling,
        score=score,
        shuffles=shuffles,
        random_state=seed,
        kinds=None if dataset.image_shape else dict(dataset.kinds),
        pos_label=positive if classes else _label(dataset, positive),
        n_jobs=jobs,
    )
    _fit(model, dataset, classes)
    columns = model.drivers(random_state=seed) if drivers else None
    remarks = make_remarks(model, model_auc)
    if as_json:
        found = {"file": Path(file).name, "target": _target(dataset)} | model.to_dict()
        if model_auc is not None:
            headroom = model.headroom(model_auc)
            found["headroom"] = headroom if math.isfinite(headroom) else None
        if columns is not None:
            found["drivers"] = columns.to_dict("records")
        click.echo(json.dumps(found, indent=2, allow_nan=False, default=str))
    else:
        _show(model, dataset, file)
        _show_remarks(remarks)
        if columns is not None:
            _show_drivers(columns)
    where = ""
    if out is not None:
        from caveat.cli._eapp_page import write_page

        command = _command(click.get_current_context(), file, out)
        index = write_page(
            model, dataset, remarks, columns, model_auc, command, Path(file).name, out
        )
        where = f" Page: {index}"
    if as_json:
        note(where.strip() or conditions(model))
    else:
        say(f"{conditions(model)} {duration(model.seconds_)}.{where}", "dim")


def make_remarks(model: EAPP, model_auc: float | None = None) -> list[Remark]:
    """Collect the caveats that belong beside the value, worst first."""
    value, null = model.value_, model.null_at_k_star_
    measured = f"skill {model.skill_:.2f}, p = {model.p_value_:.3f}"
    remarks = []
    if model_auc is not None:
        remarks.append(_compared(model, model_auc))
    words = {
        "trivially separable or biased": "serious",
        "partly trivial": "careful",
    }
    if model.verdict_ in words:
        remarks.append(Remark(words[model.verdict_], model.verdict_text_, how=measured))
    elif model.verdict_ == "chance":
        remarks.append(
            Remark(
                "note",
                f"Clusters show no sign of the classes: {value:.2f}, as shuffled "
                "labels do. That does not prove that nothing gives them away.",
                f"{value:.2f}",
                "A single telling column stays unseen here; EAPP.drivers('single') "
                "looks for it.",
            )
        )
    else:
        remarks.append(Remark("note", model.verdict_text_))
    if null["mean"] == null["mean"]:
        published = model.paper_null_at_k_star_["mean"]
        remarks.append(
            Remark(
                "note",
                f"Named on the rows it is scored on, as published, it would show "
                f"{model.value_paper_:.2f}; shuffled labels reach {published:.2f} that "
                "way.",
                f"{model.value_paper_:.2f}",
                "Compare models with the honest value.",
            )
        )
    remarks += [Remark("note", _sentence(text)) for text in model.notes_]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda remark: order.index(remark.severity))


def conditions(model: EAPP) -> str:
    """Say under which conditions the number holds."""
    names = {"pca": "PCA", "none": "no PCA", "kmeans": "k-means", "gmm": "GMM"}
    parts = [
        names.get(model.representation, str(model.representation)),
        names.get(model.clusterer, model.clusterer),
        f"{model.folds} folds",
        f"{model.shuffles} shuffles",
        f"seed {model.random_state}",
    ]
    return ", ".join(parts) + "."


def class_share(dataset: Dataset, model: EAPP) -> str:
    """Say how the classes are shared out."""
    classes = model.per_class_
    if len(classes) == 1:
        return f"{classes['share'][0]:.1%} {classes['label'][0]}".replace("%", " %")
    return f"{len(dataset.classes) or len(classes)} classes"


def _dataset(
    file: str, target: str | None, drop: tuple[str, ...], classes: bool
) -> Dataset:
    from caveat.datasets import read

    dataset = read(file, target=target, drop=drop)
    if dataset.task == "regression":
        if not classes:
            distinct = dataset.y.nunique()
            raise InvalidInput(
                f"--target: {_target(dataset)!r} holds {distinct:,} distinct numbers; "
                "EAPP needs classes: choose another column, or add --classes to take "
                "the numbers as classes"
            )
        dataset = read(file, target=target, drop=drop, task="multiclass")
    if dataset.task not in ("binary", "multiclass"):
        raise InvalidInput(
            f"{file}: the file holds {dataset.task} data; EAPP needs one class per row"
        )
    return dataset


def _target(dataset: Dataset) -> str:
    return str(dataset.y.name) if dataset.y is not None else ""


def _latent(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdigit():
        raise InvalidInput(
            f"--latent: found {text!r}; pass 'auto' or a number of components"
        )
    return int(text)


def _label(dataset: Dataset, text: str | None) -> Any:
    """Find the class that a word on the command line stands for."""
    if text is None:
        return None
    named = {str(label): label for label in dataset.y.unique()}
    return named.get(text, text)


def _fit(model: EAPP, dataset: Dataset, classes: bool) -> None:
    X: Any = dataset.X
    y = dataset.y.astype(str) if classes else dataset.y
    if dataset.image_shape is not None:
        X = dataset.X.to_numpy().reshape(len(dataset.X), *dataset.image_shape)
    progress = Progress(f"eapp, {dataset.name}")
    with warnings.catch_warnings():
        # The model keeps its warnings as notes, which are shown below.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y, progress=progress.update)
    progress.close()


def _show(model: EAPP, dataset: Dataset, file: str) -> None:
    rows, columns = dataset.X.shape
    size = f"{rows:,} rows, {columns:,} columns, {class_share(dataset, model)}"
    say(f"{Path(file).name}, target {_target(dataset)}: {size}")
    say("")
    curve = model.curve_
    several = len(model.per_class_) > 1
    cells = [
        [f"{row.k}", _number(row.honest), _number(row.paper), _band(row)]
        for row in curve.itertuples()
    ]
    null = model.null_at_k_star_
    band = _range(null["low"], null["high"])
    where = "1/p0, every class" if several else f"1/p0 = {model.k_star_:.4g}"
    cells.append([where, _number(model.value_), _number(model.value_paper_), band])
    table(
        ["clusters", "honest", "as published", "shuffled labels, 95 %"],
        cells,
        right=(1, 2, 3),
        bold=(1,),
    )
    say("")
    if several:
        classes = [
            [row.label, f"{row.share:.1%}".replace("%", " %"), f"{row.k_star:.4g}",
             _number(row.value), _range(row.null_low, row.null_high)]
            for row in model.per_class_.itertuples()
        ]  # fmt: skip
        table(
            ["class", "share", "1/p0", "honest", "shuffled labels, 95 %"],
            classes,
            right=(1, 2, 3, 4),
            bold=(3,),
        )
        say("")


def _show_remarks(remarks: list[Remark]) -> None:
    from rich.text import Text

    from caveat._text import terminal_text

    for remark in remarks:
        label = f"* {remark.severity.capitalize()}"
        line = Text(label.ljust(12), style=_COLOURS[remark.severity])
        line.append(terminal_text(remark.sentence), style="default")
        if remark.how:
            line.append(f"  {terminal_text(remark.how)}", style="dim")
        console().print(line)


def _show_drivers(columns: Any) -> None:
    say("")
    rows = [[row.column, f"{row.drop:+.3f}"] for row in columns.head(10).itertuples()]
    table(["column", "AUC lost when shuffled"], rows, right=(1,), bold=(1,))
    say("")


def _compared(model: EAPP, model_auc: float) -> Remark:
    headroom = model.headroom(model_auc)
    value = f"{model.value_:.2f}"
    if headroom <= 0:
        return Remark(
            "serious",
            f"A model with {model_auc:.2f} does not beat clustering with {value}.",
            f"{model_auc:.2f}",
        )
    return Remark(
        "note",
        f"A model with {model_auc:.2f} earns {headroom:.0%} of what clustering leaves "
        f"open.".replace("%", " %"),
        f"{model_auc:.2f}",
        f"clustering has {value}",
    )


def _command(context: click.Context, file: str, out: str) -> str:
    """Write the command that makes the page again, paths without their folders."""
    words = ["caveat", "eapp", Path(file).name]
    for option in context.command.params:
        value = context.params.get(str(option.name))
        source = context.get_parameter_source(str(option.name))
        unsaid = source is not click.core.ParameterSource.COMMANDLINE
        if unsaid or option.name in ("file", "out", "as_json", "jobs"):
            continue
        given = value if isinstance(value, tuple) else (value,)
        for one in given:
            words += [option.opts[-1]] if one is True else [option.opts[-1], str(one)]
    return shlex.join([*words, "--out", Path(out).name])


def _sentence(text: str) -> str:
    """Turn a note into a sentence."""
    return text[0].upper() + text[1:] + "." if text else text


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"


def _range(low: float, high: float) -> str:
    return "–" if low != low else f"{low:.2f} to {high:.2f}"


def _band(row: Any) -> str:
    return _range(row.null_low, row.null_high)
