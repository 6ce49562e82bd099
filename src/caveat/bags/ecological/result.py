"""What shares alone tell about items: plain numbers and small frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from caveat.pages.recorded import Recorded


@dataclass(frozen=True)
class SharesResult(Recorded):
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
    constant_low, constant_high, majority_low, majority_high : float
        Bounds on these two; they differ from them where shares have margins.
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
        A row per way to use the labelled items: ``way``, ``right`` and ``n``, what it
        has more than shares alone (``more``, ``low``, ``high``), accuracy of the
        groups' ``majority`` on the same rows, and what it has more than that
        (``majority_more``, ``majority_low``, ``majority_high``); may be empty.
    used : str
        Which way the answers were made in the end.
    seconds : float
    notes : tuple of str
    """

    _topic = "shares"

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
    constant_low: float
    constant_high: float
    majority: float
    majority_low: float
    majority_high: float
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
