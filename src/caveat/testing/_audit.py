"""An audit as an assertion: a table that is held against rules in a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.audit import look
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

    from caveat.datasets import Dataset
    from caveat.pages import Look


def assert_audit(
    table: str | Path | pd.DataFrame | Dataset,
    target: str | None = None,
    rules: Sequence[str] = ("serious>0",),
    *,
    minutes: float = 1.0,
    **options: Any,
) -> Look:
    """Audit a table, and fail if a rule fires or cannot be answered.

    Parameters
    ----------
    table : path, DataFrame or Dataset
    target : str, optional
        Column to predict; the last if not given.
    rules : sequence of str
        Such as ``leak>0`` or ``score<0.8``.
    minutes : float, default=1
    **options
        Those of `caveat.audit.look`.

    Returns
    -------
    Look
        Of a table that holds.

    Raises
    ------
    AssertionError
        With the rules that fired or are open, and the caveats.

    Warnings
    --------
    What a budget by the clock leaves out is open, and open rules fail: give it enough.
    """
    if not rules:
        raise InvalidInput("rules: none was given; name at least one, such as leak>0")
    found = look(table, target, minutes=minutes, rules=tuple(rules), **options)
    broken = [one for one in found.outcomes if one.outcome != "held"]
    if not broken:
        return found
    states = [f"{one.rule} {one.outcome} ({one.value})" for one in broken]
    told = [f"{one['severity']} {one['kind']}: {one['text']}" for one in found.caveats]
    raise AssertionError("\n".join([found.title, *states, *told, *found.unfinished]))
