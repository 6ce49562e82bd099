"""`caveat eapp`: how much of a score on this file is free."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._again import command_again
from caveat.cli._console import Progress, duration, note, say, table
from caveat.cli._eapp_input import (
    check_probe,
    class_share,
    label_of,
    latent_of,
    read_file,
    rows_of,
    target_name,
    target_of,
)
from caveat.cli._eapp_remarks import conditions, make_remarks, probe_remark
from caveat.cli._folder import Folder
from caveat.cli._remark import show_remarks
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

    from caveat.datasets import Dataset
    from caveat.eapp import EAPP


@click.command(
    epilog="Example:  caveat eapp loans.csv --target default --out loans-eapp"
)
@click.argument("file", metavar="FILE")
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@click.option("--positive", metavar="LABEL", help="Class 1; all others are the rest.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--targets", metavar="A,B,...", help="Columns of 0 and 1: many labels.")
@click.option("--classes", is_flag=True, help="Take a target of numbers as classes.")
@click.option("--regression", is_flag=True, help="Take the target as numbers.")
@click.option("--joint", is_flag=True, help="Name clusters after all classes at once.")
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
@click.option("--probe", is_flag=True, help="Plant a bias: how coarse must it be?")
@click.option("--out", type=Folder(), help="Folder for a page with figure and tables.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def eapp(
    file: str,
    target: str | None,
    positive: str | None,
    drop: tuple[str, ...],
    targets: str | None,
    classes: bool,
    regression: bool,
    joint: bool,
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
    probe: bool,
    out: str | None,
    as_json: bool,
) -> None:
    """Tell how much of a score on FILE clustering reaches without labels.

    The rows are clustered, labels only name the clusters, and the AUC of the best
    names is the bar that a classifier has to clear. FILE is whatever caveat can read:
    CSV, Parquet, ARFF, IDX, npz, or a folder with a folder of pictures per class.
    """
    from caveat.eapp import EAPP

    if model_auc is not None and not 0 <= model_auc <= 1:
        raise InvalidInput(
            f"--model-auc: found {model_auc:g}; an AUC lies between 0 and 1"
        )
    dataset = read_file(
        file, target, targets, drop, classes=classes, regression=regression
    )
    if probe:
        check_probe(dataset, positive)
    model = EAPP(
        representation=representation,
        latent=latent_of(latent),
        clusterer=clusterer,
        k_max=k_max,
        folds=folds,
        labeling=labeling,
        score=score,
        shuffles=shuffles,
        random_state=seed,
        kinds=None if dataset.image_shape else dict(dataset.kinds),
        pos_label=positive if classes else label_of(dataset, positive),
        n_jobs=jobs,
        task="regression" if regression else "auto",
        multiclass="joint" if joint else "rest",
    )
    y = target_of(dataset, classes=classes)
    _fit(model, dataset, y)
    columns = _drivers(model, seed) if drivers else None
    probed = _probe(model, dataset, y) if probe else None
    remarks = make_remarks(model, model_auc)
    if probed is not None:
        remarks.append(probe_remark(probed, images=dataset.image_shape is not None))
    if as_json:
        _print_json(model, dataset, file, model_auc, columns, probed)
    else:
        _show(model, dataset, file)
        show_remarks(remarks)
        if columns is not None or probed is not None:
            say("")
        if columns is not None:
            _show_drivers(columns)
        if probed is not None:
            _show_probe(probed)
    where = ""
    if out is not None:
        from caveat.cli._eapp_page import Findings, write_page

        command = command_again(click.get_current_context(), file, out)
        index = write_page(
            Findings(model, dataset, remarks, columns, probed, model_auc),
            command,
            Path(file).name,
            out,
        )
        where = f" Page: {index}"
    if as_json:
        note(where.strip() or conditions(model))
    else:
        say(f"{conditions(model)} {duration(model.seconds_)}.{where}", "dim")


def _fit(model: EAPP, dataset: Dataset, y: Any) -> None:
    progress = Progress(f"eapp, {dataset.name}")
    with warnings.catch_warnings():
        # The model keeps its warnings as notes, which are shown below.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(rows_of(dataset), y, progress=progress.update)
    progress.close()


def _drivers(model: EAPP, seed: int) -> pd.DataFrame:
    """Ask all columns together, and every column alone."""
    alone = model.drivers("single", random_state=seed)
    if math.isnan(model.value_):
        return alone.rename(columns={"value": "alone"}).assign(drop=math.nan)
    together = model.drivers("permute", random_state=seed)
    return together.merge(
        alone.rename(columns={"value": "alone"}), on="column", how="left"
    )


def _probe(model: EAPP, dataset: Dataset, y: Any) -> pd.DataFrame:
    """Shift one class in labels that know nothing."""
    from caveat.eapp import bias_probe

    params = model.get_params(deep=False) | {"k_max": math.ceil(model.k_star_)}
    seed = params.pop("random_state")
    progress = Progress(f"probe, {dataset.name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = bias_probe(
            rows_of(dataset),
            y,
            random_state=seed,
            randomize_labels=True,
            progress=progress.update,
            **params,
        )
    progress.close()
    return found


def _print_json(
    model: EAPP,
    dataset: Dataset,
    file: str,
    model_auc: float | None,
    columns: pd.DataFrame | None,
    probed: pd.DataFrame | None,
) -> None:
    found = {"file": Path(file).name, "target": target_name(dataset)} | model.to_dict()
    if model_auc is not None:
        headroom = model.headroom(model_auc)
        found["headroom"] = headroom if math.isfinite(headroom) else None
    if columns is not None:
        found["drivers"] = _records(columns)
    if probed is not None:
        threshold = probed.attrs["threshold"]
        found["probe"] = {
            "threshold": threshold if math.isfinite(threshold) else None,
            "shifts": _records(probed),
        }
    click.echo(json.dumps(found, indent=2, allow_nan=False, default=str))


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Write a table as JSON values; None where there is no number."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def _show(model: EAPP, dataset: Dataset, file: str) -> None:
    rows, columns = dataset.X.shape
    size = f"{rows:,} rows, {columns:,} columns, {class_share(dataset, model)}"
    say(f"{Path(file).name}, target {target_name(dataset)}: {size}")
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
    if several and model.multiclass == "joint" and dataset.task == "multiclass":
        where = f"1/p0 = {model.k_star_:.4g}"
    elif model.measure_ == "concordance":
        where = "at k = 2"
    elif dataset.task == "multilabel":
        where = "1/p0, every label"
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
            [
                "label" if dataset.Y is not None else "class",
                "share",
                "1/p0",
                "honest",
                "shuffled labels, 95 %",
            ],
            classes,
            right=(1, 2, 3, 4),
            bold=(3,),
        )
        say("")


def _show_drivers(columns: pd.DataFrame) -> None:
    # A column that tells a lot alone may be hidden among many.
    best = columns.sort_values("alone", ascending=False).head(1)
    shown = {**_driver_rows(columns.head(10)), **_driver_rows(best)}
    table(
        ["column", "lost when shuffled", "alone"],
        list(shown.values()),
        right=(1, 2),
        bold=(1, 2),
    )
    say("")


def _driver_rows(columns: pd.DataFrame) -> dict[str, list[str]]:
    found = columns[["column", "drop", "alone"]].to_numpy().tolist()
    return {name: [name, _signed(drop), _number(alone)] for name, drop, alone in found}


def _show_probe(probed: pd.DataFrame) -> None:
    found = probed[["s", "eapp", "null_high", "detected"]].to_numpy().tolist()
    rows = [
        [f"{s:g}", _number(value), _number(high), "yes" if seen else "no"]
        for s, value, high, seen in found
    ]
    table(
        ["shift, sd", "value", "shuffled, 97.5 %", "seen"],
        rows,
        right=(0, 1, 2),
        bold=(1,),
    )
    say("")


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"


def _signed(value: float) -> str:
    return "–" if value != value else f"{value:+.3f}"


def _range(low: float, high: float) -> str:
    return "–" if low != low else f"{low:.2f} to {high:.2f}"


def _band(row: Any) -> str:
    return _range(row.null_low, row.null_high)
