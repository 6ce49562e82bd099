"""How a look at feature shift is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caveat.exceptions import InvalidInput
from caveat.shift.curves._scenario_curves import parse_degree
from caveat.shift.registry import IMPUTERS, MEASURES, SCENARIOS

USUAL_IMPUTERS = ("mean", "median", "gaussian", "native")


@dataclass(frozen=True)
class Settings:
    """How a look at feature shift is made.

    Attributes
    ----------
    models : sequence of str or None
        Models of caveat's to be fitted; the usual ones if None.
    imputers : sequence
        Ways to fill in; the first is that of columns and decay.
    metric : str or None
        AUC for labels and RMSE for numbers if None.
    repeats : int
        How often the rows are divided.
    test_size : float
    groups, order : str or None
        Rows of a group stay together; the last rows are the test part.
    max_rows : int
    tolerance : float or None
        A loss or gain that does not matter: a share of the measure's range, or of the
        error with all columns. 0.01 if None.
    drop, keep : sequence of str
        Columns to leave out; dates and names of rows that are features all the same.
    positive : str or None
        Which of two classes F1 is about; the one that all commands call positive if
        None.
    random_state : int
    blocks : bool or mapping
        Whether columns that were missing together in the file are lost together; or in
        which rows (`share`, `where`, `since` of an `Outage`).
    protect : float or None
        A loss to tolerate: which columns must be backed up, so that losing any one or
        two of the others costs no more?
    costs : mapping of str to float
        What it costs to back a column up; 1 for the others.
    scenario, degree : str or None
        A published scenario (single, most, least, random) and its degree: ``all``, a
        number of columns or a share.
    export : path or None
        Folder for the training part and the shifted test sets of the first split.
    asking : mapping
        For a model at an endpoint: budget, shots, describe, price, key_variable.
    """

    models: Sequence[str] | None = None
    imputers: Sequence[Any] = USUAL_IMPUTERS
    metric: Any = None
    repeats: int = 5
    test_size: float = 0.25
    groups: str | None = None
    order: str | None = None
    max_rows: int = 10_000
    tolerance: float | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    positive: str | None = None
    random_state: int = 0
    blocks: bool | Mapping[str, Any] = False
    protect: float | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    scenario: str | None = None
    degree: str | None = None
    export: str | Path | None = None
    asking: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.test_size < 1:
            raise InvalidInput(
                f"--test-size is {self.test_size:g}; use a share such as 0.25"
            )
        if self.random_state < 0:
            raise InvalidInput(f"--seed is {self.random_state}; use 0 or more")
        if self.max_rows < 10:
            raise InvalidInput(f"--max-rows is {self.max_rows}; use 10 or more")
        if self.repeats < 1:
            raise InvalidInput(f"--repeats is {self.repeats}; use 1 or more")
        if self.tolerance is not None and not 0 < self.tolerance < 1:
            raise InvalidInput(
                f"--tolerance is {self.tolerance:g}; use a share such as 0.01"
            )
        if self.metric is not None:
            MEASURES[str(self.metric)]
        if self.scenario is not None:
            SCENARIOS[self.scenario]
        parse_degree(self.degree)
        if self.degree is not None and self.scenario is None and self.export is None:
            raise InvalidInput(
                "--degree is about a published scenario; name one with --scenario"
            )
        if self.costs and self.protect is None:
            raise InvalidInput(
                "--cost says what a backup costs; name the loss to tolerate with "
                "--protect"
            )
        for name in self.imputers:
            if isinstance(name, str):
                IMPUTERS[name]
        if not self.imputers:
            raise InvalidInput("imputers is empty; name at least one")
