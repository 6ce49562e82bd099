"""The result of `caveat shift`, and how it looks on a terminal and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.cli._console import say, table
from caveat.cli._remark import Remark, show_remarks

if TYPE_CHECKING:
    import pandas as pd

    from caveat.datasets import Dataset
    from caveat.shift import ShiftLook

_MOST_COLUMNS = 12


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


def show(result: Shifted) -> None:
    """Print the tables and the caveats."""
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
    show_remarks(result.remarks)


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


def _number(value: Any) -> str:
    number = float(value)
    if number != number:
        return "–"
    return f"{number:.3f}" if abs(number) < 100 else f"{number:.5g}"


def plain(result: Shifted) -> dict[str, Any]:
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
