"""What a curve will cost, before a model is fitted: from rows and columns alone."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

from caveat._registry import Entry
from caveat.shift.scenarios._subsets import counts_of

# Of what a tolerance leaves undone nobody knows before; this is what it usually takes.
_STOPS_AT = 256
_TEST_SHARE = 0.2


def too_large(dataset: Mapping[str, Any], entry: Entry) -> str:
    """Say why a model is not tried on a table of this size, or ''."""
    columns, rows = dataset.get("columns"), dataset.get("rows")
    most = entry.facts.get("most_columns")
    if most is not None and columns is not None and columns > most:
        # Of categorical columns nobody knows before how many there are.
        kind, up_to = (
            ("categorical column", "up to ")
            if entry.facts.get("of_categories")
            else ("column", "")
        )
        return (
            f"attends from every {kind} to every other, {up_to}{columns:,} times "
            f"{columns:,} in every row; a study stops at {most:,} columns"
        )
    most = entry.facts.get("most_rows")
    if most is not None and rows is not None and rows > most:
        return f"looks every row up among all {rows:,}; a study stops at {most:,} rows"
    return ""


def pace(
    entry: Entry, rows: float | None, columns: int | None, task: str | None
) -> tuple[float, float] | None:
    """Give about the seconds to learn 1,000 of so many rows and to answer 100,000.

    None where the model says nothing, or the table.

    Examples
    --------
    >>> from caveat.models import MODELS
    >>> pace(MODELS["ridge"], 800, 30, "regression")
    (0.06, 0.05)
    >>> pace(MODELS["modernnca"], 8000, 30, "binary")
    (32.0, 20.0)
    """
    seconds = entry.facts.get("seconds")
    if seconds is None or not columns or not rows:
        return None
    fit, answer = seconds
    if "most_rows" in entry.facts:
        # Every row meets all others; the fact was measured among 1,000.
        among = max(rows / 1e3, 1.0)
        fit, answer = fit * among, answer * among
    if entry.facts.get("tokens"):
        fit, answer = fit * columns / 10, answer * columns / 10
    if task == "regression":
        fit *= 2  # it stops later
    return fit, answer


def expected_seconds(
    entry: Entry, dataset: Mapping[str, Any], world: Mapping[str, Any], fits: int
) -> float | None:
    """Guess the CPU seconds of a trial; None where the model or the data say nothing.

    Parameters
    ----------
    entry : Entry
        Its fact `seconds`: to learn 1,000 rows, and to answer 100,000.
    dataset : mapping
        With `rows`, `columns` and `task`.
    world : mapping
        What is to vanish, as a study has it.
    fits : int
        How often the model is fitted.

    Examples
    --------
    >>> from caveat.models import MODELS
    >>> from caveat.shift._settings import check_worlds
    >>> table = {"rows": 1000, "columns": 10, "task": "binary"}
    >>> world = check_worlds({"degrees": [1]})[0]
    >>> expected_seconds(MODELS["mlp"], table, world, fits=2)
    2.41
    """
    rows, columns = dataset.get("rows"), dataset.get("columns")
    if not rows or not columns:
        return None
    trained, tested = rows * (1 - _TEST_SHARE), rows * _TEST_SHARE
    known = pace(entry, trained, columns, dataset.get("task"))
    if known is None:
        return None
    fit, answer = known
    asked = _masks(world, columns) * tested
    again = world["upper"] * len(_counts(world, columns))
    return fit * trained / 1e3 * (fits + again) + answer * asked / 1e5


def _counts(world: Mapping[str, Any], columns: int) -> list[int]:
    return list(counts_of(world["degrees"], columns))


def _masks(world: Mapping[str, Any], columns: int) -> int:
    """Count the tables that are asked: one for each subset, scenario and imputer."""
    counts = _counts(world, columns)
    most = world["max_subsets"]
    if world["tolerance"] is not None:
        most = min(most, _STOPS_AT)
    each = {"random": sum(min(most, comb(columns, k)) for k in counts)}
    total = sum(each.get(name, max(columns, len(counts))) for name in world["scenario"])
    return 1 + total * len(world["imputer"])
