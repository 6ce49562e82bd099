"""What was found about a crowd: plain numbers that go into a record and come back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from caveat.pages import plural
from caveat.pages.claims import Estimate
from caveat.pages.recorded import Recorded

VOTE = "majority-vote"
ONE_LABEL = "most frequent label"


@dataclass(frozen=True)
class Result(Recorded):
    """A crowd, its people, the ways to labels, and the labels.

    Attributes
    ----------
    items, annotators, answers : int
    classes : tuple of str
    vague : float
        Labels that an answer names, on average.
    people_known : bool
        Whether it is known who said what.
    chosen, rule : str
        The method whose labels are suggested, and what chose it.
    known : int
        Items whose true label is known; it judges, and chooses nothing.
    accuracy : (value, low, high)
        How right the suggestions are: by the truth, else by their own probabilities.
    difference : (value, low, high)
        By how much they are more often right than the vote, paired; NaN where not
        known.
    regret : (value, low, high)
        What the way that is best by the truth is more often right than the chosen one;
        NaN where not known.
    constant : (value, low, high)
        How right the most frequent label is for all items.
    alpha : (value, low, high)
        Krippendorff's alpha.
    unsure, unanswered, ambiguous : int
        Items below 70 %, without any answer, with several labels that seem right.
    unnamed : int
        Items with truth whose true label nobody named.
    calibration : float
        Expected calibration error of the suggestions; NaN without truth.
    luck : float
        What it would be on average, were all probabilities right.
    methods : DataFrame
        ``name``, ``agreement`` with left-out answers, ``information`` (nats an
        answer), ``accuracy``, ``low``, ``high``, ``summary``.
    people : DataFrame
        ``annotator``, ``answers``, ``accuracy``, ``low``, ``high``, ``flag``.
    kappas, confusions, curve, sizes, suggestions, ask_again : DataFrame
    conditions : str
    notes : tuple of str
    ahead : (value, low, high)
        By how much more often they agree with answers that were left out than the
        vote does, paired; NaN where nothing was left out.
    label_columns : tuple of str
        Columns that hold names of classes, and so were no features.
    """

    _topic = "candidates"

    items: int
    annotators: int
    answers: int
    classes: tuple[str, ...]
    vague: float
    people_known: bool
    chosen: str
    rule: str
    known: int
    accuracy: tuple[float, float, float]
    difference: tuple[float, float, float]
    regret: tuple[float, float, float]
    constant: tuple[float, float, float]
    alpha: tuple[float, float, float]
    unsure: int
    unanswered: int
    ambiguous: int
    calibration: float
    methods: pd.DataFrame
    people: pd.DataFrame
    kappas: pd.DataFrame
    confusions: pd.DataFrame
    curve: pd.DataFrame
    sizes: pd.DataFrame
    suggestions: pd.DataFrame
    ask_again: pd.DataFrame
    unnamed: int = 0
    luck: float = math.nan
    conditions: str = ""
    notes: tuple[str, ...] = ()
    ahead: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    label_columns: tuple[str, ...] = ()

    @property
    def estimate(self) -> Estimate:
        """How right the suggestions are."""
        known = f"{plural(self.known, 'item')} with truth"
        basis = known if self.known else "own probability"
        return interval(self.accuracy, "accuracy", basis, self.known or self.items)

    @property
    def one_label(self) -> Estimate:
        """How right one label for all would be: the one that people name most."""
        if not self.known:
            return Estimate(self.constant[0], "accuracy")
        return Estimate(self._right(ONE_LABEL), "accuracy")

    @property
    def by_vote(self) -> bool:
        """Whether the vote itself was chosen: it is not compared with itself."""
        return self.chosen == VOTE

    @property
    def vote(self) -> Estimate | None:
        """How right the vote is; None where it was chosen, or no truth is known."""
        if not self.known or self.by_vote:
            return None
        return Estimate(self._right(VOTE), "accuracy")

    def _right(self, way: str) -> float:
        return float(self.methods.set_index("name").accuracy[way])

    @property
    def floor(self) -> Estimate:
        """How right labels are that need no model of the crowd."""
        return self.vote or self.one_label

    @property
    def advantage(self) -> Estimate:
        """By how much the suggestions beat the vote, paired over items with truth."""
        basis = f"paired score test over {plural(self.known, 'item')}"
        return interval(self.difference, "accuracy", basis, self.known)

    @property
    def foresight(self) -> Estimate:
        """By how much they agree more with left-out answers than the vote does."""
        unit = "agreement with left-out answers"
        return interval(self.ahead, unit, "paired over items", self.items)

    def predicts(self, way: str) -> Estimate:
        """How often a way's label is an answer that was left out; without a truth."""
        row = self.methods.set_index("name").loc[way]
        ends = (float(row.agreement), float(row.low), float(row.high))
        return interval(ends, self.foresight.measure, "left-out answers", self.items)

    @property
    def flagged(self) -> pd.DataFrame:
        """People who guess, or work against the others."""
        return self.people[self.people["flag"].isin(["spammer", "adversary"])]

    def to_frame(self) -> pd.DataFrame:
        """Return the suggestions, a row for every item."""
        return self.suggestions

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON adds: the methods and the choice."""
        names = ["name", "agreement", "accuracy", "low", "high"]
        return {
            "methods": self.methods[names].to_dict("records"),
            "chosen": self.chosen,
            "items": self.items,
            "annotators": self.annotators,
            "answers": self.answers,
            "classes": len(self.classes),
            "regret": self.regret[0],
            "alpha": list(self.alpha),
            "unsure": self.unsure,
            "unanswered": self.unanswered,
            "ambiguous": self.ambiguous,
            "spammers": self._named("spammer"),
            "adversaries": self._named("adversary"),
        }

    def _named(self, flag: str) -> list[str]:
        found = self.people.loc[self.people["flag"] == flag, "annotator"]
        return [str(name) for name in found]

    @staticmethod
    def _rows(table: pd.DataFrame | None) -> Any:
        assert table is not None
        kinds = {column: str(kind) for column, kind in table.dtypes.items()}
        return {"kinds": kinds, "rows": table.to_dict("records")}

    @staticmethod
    def _table(rows: Any) -> pd.DataFrame:
        # An empty table keeps its columns, and each its kind.
        kinds = rows["kinds"]
        return pd.DataFrame(rows["rows"], columns=list(kinds)).astype(kinds)


def interval(
    ends: tuple[float, float, float], measure: str, basis: str, n: int
) -> Estimate:
    """Make an estimate; without an interval where none is known."""
    value, low, high = ends
    if not np.isfinite([low, high]).all():
        return Estimate(value, measure)
    return Estimate(value, measure, low, high, basis, n)
