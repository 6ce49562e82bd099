"""`caveat shift`: what happens when columns vanish."""

from __future__ import annotations

import json
import math
import shlex
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, console, duration, note, say, table
from caveat.exceptions import InvalidInput, MissingExtra, UnknownName

if TYPE_CHECKING:
    import pandas as pd

    from caveat.datasets import Dataset
    from caveat.shift import ShiftLook

_COLOURS = {"serious": "red", "careful": "yellow", "note": "dim"}
_USUAL = {
    True: ("ridge", "random-forest", "hist-gradient-boosting", "lightgbm"),
    False: (
        "logistic-regression",
        "random-forest",
        "hist-gradient-boosting",
        "lightgbm",
    ),
}
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class Remark:
    """A caveat, before it is printed or put on a page.

    Attributes
    ----------
    severity : {"serious", "careful", "note"}
    sentence, number, how : str
        What it says, the number in it, and how it was measured.
    size : float
        How much of the score is at stake.
    about : {"data", "missing", "columns", "decay", "imputers"}
        The part of the page that it belongs to.
    """

    severity: str
    sentence: str
    number: str = ""
    how: str = ""
    size: float = 0.0
    about: str = "data"


@dataclass(frozen=True)
class Shifted:
    """Everything that is printed, or put on a page.

    Attributes
    ----------
    look : ShiftLook
    dataset : Dataset
    file : str
    missing : tuple of str
        Columns that are about to be lost.
    n_train, n_test, seed : int
    remarks : list of Remark
        Worst first.
    """

    look: ShiftLook
    dataset: Dataset
    file: str
    missing: tuple[str, ...]
    n_train: int
    n_test: int
    seed: int
    remarks: list[Remark]

    @property
    def title(self) -> str:
        """How the measure is spelt."""
        from caveat.shift.registry import MEASURES

        return MEASURES[self.look.measure].title

    @property
    def conditions(self) -> str:
        """Under which conditions the numbers hold."""
        count = len(self.look.models)
        models = "1 model" if count == 1 else f"{count} models"
        return (
            f"{models}, {self.n_train:,} training and {self.n_test:,} test rows, "
            f"seed {self.seed}."
        )


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
@click.option("--out", metavar="DIR", help="Folder for a page with figures and tables.")
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
    gone = _words(missing)
    _check_words(gone, list(dataset.X.columns), "column")
    parts, split_notes = _parts(dataset, test_size, groups, order, max_rows, seed)
    fitted = _fitted(_names(models, dataset.task), dataset, parts, seed)
    progress = Progress(f"shift, {dataset.name}")
    with warnings.catch_warnings():
        # What is worth knowing is in the notes of the look, which are shown below.
        warnings.simplefilter("ignore", UserWarning)
        if export is not None:
            _export(export, parts, dataset, seed)
        look = shift_look(
            fitted,
            *parts,
            missing=gone,
            imputers=_words(imputers),
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
            result, _command(click.get_current_context(), name, out), out
        )
        where = f" Page: {index}"
    if as_json:
        click.echo(json.dumps(_plain(result), indent=2, allow_nan=False, default=str))
        note(where.strip() or result.conditions)
    else:
        _show(result)
        say(
            f"{result.conditions} {duration(time.monotonic() - started)}.{where}", "dim"
        )


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _check_words(words: tuple[str, ...], known: list[str], kind: str) -> None:
    for word in words:
        if word not in known:
            raise UnknownName.among(kind, word, known)


def _names(models: str | None, task: str) -> tuple[tuple[str, ...], bool]:
    """Names of the models, and whether somebody asked for them."""
    if models is None:
        return _USUAL[task == "regression"], False
    names = _words(models)
    if not names:
        raise InvalidInput("--models is empty; name at least one model")
    return names, True


def _parts(
    dataset: Dataset,
    test_size: float,
    groups: str | None,
    order: str | None,
    max_rows: int,
    seed: int,
) -> tuple[tuple[Any, Any, Any, Any], list[Remark]]:
    """Split the rows; a large file is sampled first."""
    import numpy as np

    from caveat.study._splits import split_rows

    if not 0 < test_size < 1:
        raise InvalidInput(f"--test-size is {test_size:g}; use a share such as 0.25")
    if max_rows < 10:
        raise InvalidInput(f"--max-rows is {max_rows}; use 10 or more")
    how = {"test-size": test_size, "stratify": True, "groups": groups, "order": order}
    split = split_rows(dataset, how, seed)
    train, test = split.train, split.test
    remarks = []
    if len(train) + len(test) > max_rows:
        rng = np.random.default_rng(seed)
        keep = max(2, round(max_rows * test_size))
        test = np.sort(rng.permutation(test)[:keep])
        train = np.sort(rng.permutation(train)[: max(2, max_rows - keep)])
        remarks.append(
            Remark(
                "note",
                f"{max_rows:,} of {len(dataset.X):,} rows were used.",
                f"{max_rows:,}",
                "--max-rows takes more",
            )
        )
    unused = [name for name in (groups, order) if name]
    X = dataset.X.drop(columns=unused)
    y = dataset.y
    assert y is not None
    return (X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]), remarks


def _fitted(
    asked: tuple[tuple[str, ...], bool], dataset: Dataset, parts: Any, seed: int
) -> dict[str, Any]:
    """Fit the models; of the usual ones those whose libraries are there."""
    from caveat.models import counterpart, make_model

    names, insisted = asked
    fitted = {}
    for name in names:
        found = counterpart(name, dataset.task)
        try:
            model = make_model(found, dataset.task, random_state=seed)
        except MissingExtra as error:
            if insisted:
                raise
            note(f"left out: {error}")
            continue
        note(f"fitting {found}")
        fitted[found] = model.fit(parts[0], parts[1])
    return fitted


def _export(folder: str, parts: Any, dataset: Dataset, seed: int) -> None:
    from caveat.shift import export_shifted

    listed = export_shifted(
        folder,
        *parts,
        target=str(dataset.y.name) if dataset.y is not None else "target",
        task=dataset.task,
        max_subsets=100,
        random_state=seed,
    )
    note(f"wrote {len(listed)} files to {folder}")


def make_remarks(
    look: ShiftLook,
    dataset: Dataset,
    missing: tuple[str, ...],
    n_test: int,
    more: list[Remark],
) -> list[Remark]:
    """Collect the caveats that belong beside the numbers, worst first."""
    remarks = [*_loss_remarks(look, missing), *_column_remarks(look)]
    remarks += [*_choice_remarks(look, n_test), *_imputer_remarks(look)]
    for name in dataset.X.columns:
        values = dataset.X[name]
        alone = (
            values.nunique() == len(values) and dataset.kinds.get(name) != "numerical"
        )
        whole = str(values.dtype).startswith("int") and values.nunique() == len(values)
        if (alone or whole) and len(values) > 20:
            remarks.append(
                Remark(
                    "careful",
                    f"{name} has another value in each of {len(values):,} rows: it "
                    "names rows, it does not describe them.",
                    f"{len(values):,}",
                    f"--drop {shlex.quote(str(name))} leaves it out",
                )
            )
    chance = _chance(look, n_test)
    small = f"differences below about {chance:.2f}" if chance else "small differences"
    remarks.append(
        Remark(
            "note",
            f"One split with {n_test:,} test rows: {small} may be chance.",
            f"{n_test:,}",
        )
    )
    remarks += more
    remarks += [Remark("note", _sentence(text)) for text in look.notes]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda one: (order.index(one.severity), -one.size))


def _earned(look: ShiftLook, closed: float) -> float:
    """How far the intact model is from the constant answer."""
    gap = closed - look.floor if look.larger_is_better else look.floor - closed
    return gap if gap > 0 and math.isfinite(gap) else float("nan")


def _severity(share: float) -> str:
    return "serious" if share >= 0.5 else "careful" if share >= 0.15 else "note"


def _column_remarks(look: ShiftLook) -> list[Remark]:
    first = best_model(look)
    row = look.models.loc[first]
    closed, worst = float(row["closed"]), float(row["worst"])
    lost = closed - worst if look.larger_is_better else worst - closed
    earned = _earned(look, closed)
    share = lost / earned if earned == earned else 0.0
    verb = "falls" if look.larger_is_better else "rises"
    if lost <= 0:
        sentence = f"No single column is missed by {first}."
        return [Remark("note", sentence, "No", about="columns")]
    remarks = [
        Remark(
            _severity(share),
            f"If {row['worst_column']} vanishes, {first} {verb} from "
            f"{_short(closed)} to {_short(worst)}.",
            _short(worst),
            f"{share:.0%} of what it has over a constant answer".replace("%", " %")
            if share
            else "",
            share,
            "columns",
        )
    ]
    end, half = row.get("useless_from"), len(look.columns) / 2
    if end is not None and end == end and end < len(look.columns):
        remarks.append(
            Remark(
                "careful" if end <= half else "note",
                f"With {int(end)} of {len(look.columns)} columns gone, {first} is on "
                "average no better than a constant answer.",
                str(int(end)),
                about="decay",
            )
        )
    return remarks


def _loss_remarks(look: ShiftLook, missing: tuple[str, ...]) -> list[Remark]:
    if look.missing is None or not len(look.missing):
        return []
    order = not look.larger_is_better
    rows = look.missing.sort_values("imputed", ascending=order, kind="stable")
    best = rows.iloc[0]
    closed, imputed = float(best["closed"]), float(best["imputed"])
    lost = closed - imputed if look.larger_is_better else imputed - closed
    earned = _earned(look, closed)
    share = lost / earned if earned == earned else 0.0
    words = (
        f"Without {' and '.join(missing)}, {best['model']} with imputer "
        f"{best['imputer']} goes from {_short(closed)} to {_short(imputed)}"
    )
    refitted = float(best["refitted"])
    if refitted == refitted:
        words += f"; fitted again without them it has {_short(refitted)}"
    severity = _severity(share)
    return [Remark(severity, words + ".", _short(imputed), "", share, "missing")]


def best_model(look: ShiftLook) -> str:
    """Name the model that one would deploy: the best with all columns."""
    closed = look.models["closed"].astype(float)
    return str(closed.idxmax() if look.larger_is_better else closed.idxmin())


def _choice_remarks(look: ShiftLook, n_test: int) -> list[Remark]:
    """Say whether the best model with all columns is the best without some."""
    if len(look.models) < 2:
        return []
    robust, best = look.models.index[0], best_model(look)
    closed = look.models["closed"].astype(float)
    areas = look.models["area"].astype(float)
    if best == robust:
        return [
            Remark(
                "note",
                f"{best} is best with all columns and on average over all numbers of "
                f"missing ones, {_short(areas[best])}.",
                _short(areas[best]),
                about="decay",
            )
        ]
    chance = _chance(look, n_test)
    level = abs(closed[best] - closed[robust]) < chance
    words = (
        f"With all columns {best} and {robust} cannot be told apart "
        f"({_short(closed[best])} and {_short(closed[robust])})"
        if level
        else f"{best} is best with all columns ({_short(closed[best])})"
    )
    return [
        Remark(
            "careful" if abs(areas[best] - areas[robust]) >= chance else "note",
            f"{words}; when columns vanish, {robust} has {_short(areas[robust])} on "
            f"average, {best} {_short(areas[best])}.",
            _short(areas[robust]),
            about="decay",
        )
    ]


def _imputer_remarks(look: ShiftLook) -> list[Remark]:
    first = best_model(look)
    areas = look.imputers[first].dropna().astype(float)
    if len(areas) < 2:
        return []
    usual = areas.index[0]
    best = areas.idxmax() if look.larger_is_better else areas.idxmin()
    if best == usual:
        return [
            Remark(
                "note",
                f"No imputation helps {first} more than {usual}: "
                f"{_short(areas[usual])} on average.",
                _short(areas[usual]),
                about="imputers",
            )
        ]
    return [
        Remark(
            "note",
            f"{best} imputation keeps {first} at {_short(areas[best])} on average, "
            f"{usual} at {_short(areas[usual])}.",
            _short(areas[best]),
            about="imputers",
        )
    ]


def _chance(look: ShiftLook, n_test: int) -> float:
    """Half width of a 95 % interval of a share at the best value; 0 for errors."""
    if look.measure not in ("auc", "accuracy", "balanced-accuracy"):
        return 0.0
    closed = float(look.models["closed"].astype(float).max())
    return 1.96 * math.sqrt(max(closed * (1 - closed), 1e-4) / n_test)


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"


def _number(value: Any) -> str:
    number = float(value)
    if number != number:
        return "–"
    return f"{number:.3f}" if abs(number) < 100 else f"{number:.5g}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _show(result: Shifted) -> None:
    look, dataset = result.look, result.dataset
    rows, columns = dataset.X.shape
    target = "" if dataset.y is None else str(dataset.y.name)
    say(f"{result.file}, target {target}: {rows:,} rows, {columns:,} columns")
    say("")
    _show_models(result)
    if look.missing is not None:
        _show_missing(result)
    _show_columns(result)
    if len(look.imputers) > 1:
        _show_imputers(result)
    for remark in result.remarks:
        _show_remark(remark)


def _show_models(result: Shifted) -> None:
    look = result.look
    cells = [
        [
            name,
            _number(row["closed"]),
            _number(row["worst"]),
            _number(row["half"]),
            _number(row["area"]),
        ]
        for name, row in look.models.iterrows()
    ]
    cells.append(["constant answer", _number(look.floor), "", "", ""])
    table(
        ["model", result.title, "worst column gone", "half of them gone", "on average"],
        cells,
        right=(1, 2, 3, 4),
        bold=(1, 4),
    )
    say("")


def _show_missing(result: Shifted) -> None:
    frame: pd.DataFrame = result.look.missing  # type: ignore[assignment]
    say(f"Without {', '.join(result.missing)}:")
    cells = [
        [
            row["model"],
            row["imputer"],
            _number(row["closed"]),
            _number(row["imputed"]),
            _number(row["refitted"]),
        ]
        for _, row in frame.iterrows()
    ]
    table(
        ["model", "imputer", "before", "after", "fitted again"],
        cells,
        right=(2, 3, 4),
        bold=(3,),
    )
    say("")


def _show_columns(result: Shifted) -> None:
    look = result.look
    shown = look.columns.head(_MOST_COLUMNS)
    cells = [
        [name, *(_number(value) for value in row)]
        for name, row in zip(shown.index, shown.to_numpy(), strict=True)
    ]
    table(
        ["when it vanishes", *look.columns.columns],
        cells,
        right=tuple(range(1, 1 + look.columns.shape[1])),
        bold=(1,),
    )
    left = len(look.columns) - len(shown)
    if left > 0:
        say(f"and {left:,} columns that cost less", "dim")
    say("")


def _show_imputers(result: Shifted) -> None:
    frame = result.look.imputers
    cells = [
        [name, *(_number(value) for value in row)]
        for name, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]
    table(
        ["imputer, on average", *frame.columns],
        cells,
        right=tuple(range(1, 1 + frame.shape[1])),
        bold=(1,),
    )
    say("")


def _show_remark(remark: Remark) -> None:
    from rich.text import Text

    from caveat._text import terminal_text

    label = f"* {remark.severity.capitalize()}"
    line = Text(label.ljust(12), style=_COLOURS[remark.severity])
    line.append(terminal_text(remark.sentence), style="default")
    if remark.how:
        line.append(f"  {terminal_text(remark.how)}", style="dim")
    console().print(line)


def _plain(result: Shifted) -> dict[str, Any]:
    """Turn the result into plain JSON; what is not defined becomes null."""
    look = result.look

    def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
        rows = frame.reset_index().astype(object).to_dict("records")
        return [
            {str(key): None if value != value else value for key, value in row.items()}
            for row in rows
        ]

    return {
        "file": result.file,
        "target": "" if result.dataset.y is None else str(result.dataset.y.name),
        "measure": look.measure,
        "floor": look.floor if look.floor == look.floor else None,
        "models": records(look.models),
        "columns": records(look.columns),
        "imputers": records(look.imputers.rename_axis(index="imputer")),
        "missing": None if look.missing is None else records(look.missing),
        "curves": {name: records(curve.table) for name, curve in look.curves.items()},
        "caveats": [[one.severity, one.sentence] for one in result.remarks],
        "conditions": result.conditions,
    }


def _command(context: click.Context, file: str, out: str) -> str:
    """Write the command that makes the page again, paths without their folders."""
    words = ["caveat", "shift", file]
    for option in context.command.params:
        value = context.params.get(str(option.name))
        source = context.get_parameter_source(str(option.name))
        unsaid = source is not click.core.ParameterSource.COMMANDLINE
        if unsaid or option.name in ("file", "out", "as_json", "export"):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option.opts[-1]] if one is True else [option.opts[-1], str(one)]
    return shlex.join([*words, "--out", Path(out).name])
