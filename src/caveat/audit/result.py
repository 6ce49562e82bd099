"""What an audit found: plain numbers with their intervals, no cell of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from caveat.audit.registry import MEASURES
from caveat.audit.scan import Finding
from caveat.eapp.result import Result as Clusters
from caveat.pages.claims import Estimate
from caveat.pages.recorded import remade

FURTHER = {"accuracy": "Accuracy", "r2": "R²"}
"""Measures that are shown beside the first, where they are known."""
_FRAMES = ("columns", "classes")
_RANGES = {one.title: one.facts["range"] for one in MEASURES.values()}


@dataclass(frozen=True)
class Change:
    """What becomes of one model's score by a remedy, on the same rows."""

    model: str
    before: Estimate
    after: Estimate
    change: Estimate
    sign: int = 1

    @property
    def decided(self) -> bool:
        """Whether the change lies beyond its interval."""
        return self.change.is_decided

    @property
    def lost(self) -> float:
        """What is surely lost: the careful end of the change, at least 0."""
        end = self.change.high if self.sign > 0 else self.change.low
        return 0.0 if end is None else max(0.0, -self.sign * end)


@dataclass(frozen=True)
class Rung:
    """A step of the ladder.

    Attributes
    ----------
    remedy : {"stands", "leak", "group", "copies", "time"}
    columns : tuple of str
        What the remedy is about.
    score : Estimate
        Of the model that did best on the other folds.
    change : Change or None
        Of that model, against the step above; None for the first.
    worst : Change or None
        Of the model that surely loses most; its interval is corrected for all models.
    over_floor : Estimate or None
        Score less floor on the same folds, positive if better; None where the floor was
        measured on other rows.
    """

    remedy: str
    columns: tuple[str, ...]
    score: Estimate
    change: Change | None = None
    worst: Change | None = None
    over_floor: Estimate | None = None

    @property
    def decided(self) -> bool:
        """Whether the remedy changes the score beyond its interval."""
        return self.change is not None and self.change.decided

    @property
    def shown(self) -> Change | None:
        """The change to tell: of the chosen model, else of one that surely loses."""
        if self.change is not None and self.change.decided:
            return self.change
        worst = self.worst
        lost = worst is not None and worst.decided and worst.lost > 0
        return worst if lost else self.change


@dataclass(frozen=True)
class Model:
    """A model over the folds of the last step.

    Attributes
    ----------
    name, title : str
    score : Estimate
    behind : Estimate or None
        What the first model has more, paired over folds and corrected for all
        comparisons; None for the first.
    further : dict of str to float
        Means of other measures.
    given : bool
        Whether its answers were made elsewhere.
    over_constant : dict of str to Estimate
        Further measures less those of the constant answer, positive if better, paired
        over folds.
    """

    name: str
    title: str
    score: Estimate
    behind: Estimate | None = None
    further: Mapping[str, float] = field(default_factory=dict)
    given: bool = False
    over_constant: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True)
class Way:
    """One way to answer without learning, and how far it gets.

    `folds` has a value for each fold of the last step, in their order; it is empty
    where fewer rows were taken, or no row was asked.
    """

    way: str
    column: str
    score: Estimate
    folds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Floor:
    """What needs no learning: the ways, the furthest first, and one p-value for it."""

    ways: tuple[Way, ...]
    p_value: float | None
    shuffles: int

    @property
    def top(self) -> Way:
        """The way that gets furthest."""
        return self.ways[0]


@dataclass(frozen=True)
class Vanished:
    """A column that is gone on the day of use, over all folds."""

    column: str
    model: str
    before: Estimate
    after: Estimate
    loss: Estimate
    refitted: Estimate | None = None


@dataclass(frozen=True)
class Doubt:
    """Labels that confident answers contradict more often than overlap explains."""

    share: Estimate
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Segment:
    """Rows on which a model is right less often than it says."""

    columns: tuple[str, ...]
    where: str
    rows: int
    promised: float
    right: Estimate
    looked: int


@dataclass(frozen=True)
class Calibration:
    """How far probabilities are off, and what mending them would give (log-loss)."""

    model: str
    loss: float
    gain: Estimate


@dataclass(frozen=True)
class Result:
    """All that an audit found about a file with one target.

    Attributes
    ----------
    measure : str
        As people say it: ``AUC`` or ``RMSE``.
    sign : {1, -1}
        1 if larger is better.
    chance : float
        What the constant answer scores; NaN where that was not measured.
    luck : float
        How far above chance a score may land by luck alone.
    task : str
    findings : tuple of Finding
        Of the scan.
    columns : DataFrame
        Of the scan: what every column tells alone.
    classes : DataFrame
        ``label, rows``.
    aside : dict of str to str
        Columns that models do not get, and why.
    rungs : tuple of Rung
    models : tuple of Model
        In the order of their scores.
    constant : dict of str to float
        What the constant answer has by further measures.
    floor : Floor or None
    clusters : eapp Result or None
    vanished : tuple of Vanished
        The columns that are missed most.
    doubt, calibration : or None
    segments : tuple of Segment
    done, planned, failed : int
        Trials.
    ladder_open : int
        Trials that the score itself waits for: of a step, a fold and a model that no
        round has seen. Further rounds only sharpen.
    whole_rows : int
    sampled : str
        What was left out of a long or wide table, in words.
    early : str
        Which models stop early because networks do, in words.
    weights : str
    seed, folds : int
    """

    measure: str
    sign: int
    chance: float
    task: str
    columns: pd.DataFrame
    classes: pd.DataFrame
    luck: float = 0.0
    findings: tuple[Finding, ...] = ()
    aside: Mapping[str, str] = field(default_factory=dict)
    rungs: tuple[Rung, ...] = ()
    models: tuple[Model, ...] = ()
    constant: Mapping[str, float] = field(default_factory=dict)
    floor: Floor | None = None
    clusters: Clusters | None = None
    vanished: tuple[Vanished, ...] = ()
    doubt: Doubt | None = None
    calibration: Calibration | None = None
    segments: tuple[Segment, ...] = ()
    done: int = 0
    planned: int = 0
    failed: int = 0
    ladder_open: int = 0
    rows: int = 0
    whole_rows: int = 0
    sampled: str = ""
    early: str = ""
    weights: str = ""
    seed: int = 0
    folds: int = 5

    @property
    def survivor(self) -> Rung | None:
        """The last step that changed something, else the first."""
        counted = [rung for rung in self.rungs[1:] if rung.decided]
        return (counted or self.rungs[:1])[-1] if self.rungs else None

    @property
    def score(self) -> Estimate | None:
        """What survives: the score of the last step that changed something."""
        return None if self.survivor is None else self.survivor.score

    @property
    def over_floor(self) -> Estimate | None:
        """What survives less the floor, in pairs, where both have the same folds."""
        return None if self.survivor is None else self.survivor.over_floor

    @property
    def stands(self) -> Estimate | None:
        """The score as it stands."""
        return self.rungs[0].score if self.rungs else None

    @property
    def limits(self) -> tuple[float, float]:
        """Where the measure ends."""
        return _RANGES[self.measure]

    def earned(self, value: float) -> float:
        """How far a score is above chance."""
        return self.sign * (value - self.chance)

    def careful(self, one: Estimate) -> float:
        """Return the end of an interval that promises less; the value without one."""
        end = one.low if self.sign > 0 else one.high
        return one.value if end is None else end

    @property
    def has_skill(self) -> bool:
        """Whether what survives is better than chance beyond interval and luck."""
        if self.score is None or self.chance != self.chance:
            return False
        sure = self.earned(self.careful(self.score)) > 0
        return sure and self.earned(self.score.value) > self.luck

    def to_frame(self) -> pd.DataFrame:
        """Return the ladder, a row for every step."""
        return pd.DataFrame(
            [
                {
                    "step": rung.remedy,
                    "columns": ", ".join(rung.columns),
                    **rung.score.to_dict(),
                    **_change(rung.change),
                }
                for rung in self.rungs
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return self.to_record()

    def to_record(self) -> dict[str, Any]:
        """Write it as plain values that go into a record and come back."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in _FRAMES:
            found[name] = found[name].to_dict("list")
        clusters = found.pop("clusters")
        plain = {name: _plain(value) for name, value in found.items()}
        plain["clusters"] = None if clusters is None else clusters.to_record()
        return plain

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Result:
        """Read back what `to_record` wrote."""
        found: Result = remade(cls, record)
        return found


def _change(one: Change | None) -> dict[str, float | None]:
    if one is None:
        return dict.fromkeys(("change", "change_low", "change_high"))
    found = one.change.to_dict()
    return {
        "change": found["value"],
        "change_low": found["low"],
        "change_high": found["high"],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(one) for name, one in asdict(value).items()}
    return dict(value) if isinstance(value, Mapping) else value
