"""What shares alone tell about items: plain numbers and small frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

_FRAMES = ("groups", "criteria", "effects", "labelled")


@dataclass(frozen=True)
class SharesResult:
    """Answers learnt from shares, and how wrong they can be.

    Attributes
    ----------
    by : str
        The column that makes groups.
    classes : tuple of str
    rows, n_groups : int
    learner : str
        Chosen by `rule`, which needs no label.
    params : dict
        Its settings.
    rule : str
    criterion : float
        What the rule looked at: the distance between predicted and known shares.
    low, high : float
        Sharp bounds on the accuracy of the answers, given the shares.
    constant, majority : float
        Accuracy of the most frequent class for all, and of every group's own: shares
        tell both exactly (at the centre of their margins).
    changed : float
        Share of the answers that rest on the group: the learner, which does not see
        it, says otherwise.
    spread : float
        Standard deviation of the shares over groups, largest over classes.
    uncertain : bool
        Whether shares have margins.
    groups : DataFrame
        ``group``, ``rows``, and per class its share and the share of the answers.
    criteria : DataFrame
        A row per learner: ``learner``, ``params``, ``criterion``.
    effects : DataFrame
        As `column_effects` gives it; of all classes if there are more than two.
    labelled : DataFrame
        A row per way to use the labelled items: ``way``, ``right`` and ``n``, and what
        it has more than shares alone (``more``, ``low``, ``high``); may be empty.
    used : str
        Which way the answers were made in the end.
    seconds : float
    notes : tuple of str
    """

    by: str
    classes: tuple[str, ...]
    rows: int
    n_groups: int
    learner: str
    params: dict[str, Any]
    rule: str
    criterion: float
    low: float
    high: float
    constant: float
    majority: float
    changed: float
    spread: float
    uncertain: bool
    groups: pd.DataFrame
    criteria: pd.DataFrame
    effects: pd.DataFrame
    labelled: pd.DataFrame
    used: str = "shares alone"
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_frame(self) -> pd.DataFrame:
        """Return the effects of all columns."""
        return self.effects

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        record = self.to_record()
        return {**record["row"], **record["curves"]}

    def to_record(self) -> dict[str, Any]:
        """Write it as a row and curves of a ledger."""
        fields = self.__dataclass_fields__
        row = {name: getattr(self, name) for name in fields if name not in _FRAMES}
        curves = {
            f"shares-{name}": getattr(self, name).to_dict("records") for name in _FRAMES
        }
        return {"row": row, "curves": curves}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> SharesResult:
        """Read back what `to_record` wrote."""
        row = {**record["row"]}
        for name in ("classes", "notes"):
            row[name] = tuple(row[name])
        frames = {
            name: pd.DataFrame(record["curves"][f"shares-{name}"]) for name in _FRAMES
        }
        return cls(**row, **frames)
