"""What the numbers of a result say, as claims: a score, a price, a column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from caveat import pages
from caveat.eapp.result import CLUSTERS, MEANS
from caveat.measures import get as get_measure
from caveat.pages import claims
from caveat.pages.claims import Estimate
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.imputers._imputers import leaves_missing
from caveat.shift.result import UNNAMED, Result

CONSTANT = "a constant answer"


@dataclass(frozen=True)
class Finer(Estimate):
    """A score in the digits of a difference, so that the two are seen to agree."""

    least: int = 0

    @property
    def places(self) -> int:
        """As many decimals as the difference has, or more."""
        return max(self.least, super().places)


def finer(one: Estimate, gap: Estimate) -> Estimate:
    """Write a score in the digits of a difference; 0.834, not 0.83, beside 0.005."""
    return Finer(**vars(one), least=gap.places)


@dataclass(frozen=True)
class Price(claims.Loss):
    """A loss that somebody asked for: it leads also where none is seen, or open.

    `more` counts the further outages that were asked for: a title tells of one.
    """

    more: int = 0
    asked: ClassVar[bool] = True

    @property
    def same(self) -> bool:
        """Whether the score stays as it is, however the rows are drawn."""
        return unchanged(vars(self.loss))

    @property
    def may_lead(self) -> bool:
        """Whether the loss has its interval; scores that have none are left out."""
        return self.before.may_lead if self.same else self.loss.may_lead

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The loss, then the scores; the loss alone where a score has no interval."""
        if self.same:
            return (self.before,)
        known = super().estimates
        return known if all(one.may_lead for one in known) else known[:1]

    @property
    def words(self) -> pages.Prose:
        """Say what is lost; a constant answer has a score, and no interval."""
        if self.same:
            return self._kept(claims.written(self.before))
        return super().words if len(self.estimates) > 1 else self.headed

    @property
    def numbers(self) -> tuple[float, ...]:
        """Those of the loss, and how many further outages there are."""
        return (*super().numbers, self.more, *([self.loss.n] if self.same else []))

    def _kept(self, score: pages.Prose) -> pages.Prose:
        return claims.started(
            pages.say(
                "without {what}, {who} keeps its {score}: none of {rows} test rows "
                "makes a difference.",
                what=self.what,
                who=self.subject,
                score=score,
                rows=pages.count(self.loss.n),
            )
        )

    def _briefly(self, loss: pages.Prose) -> pages.Prose:
        if self.same:
            return self._kept(claims.score(self.before))
        return super()._briefly(loss)

    @property
    def short(self) -> pages.Prose:
        """Say it without the interval, and that there is more."""
        if not self.more:
            return super().short
        stand = "outage stands" if self.more == 1 else "outages stand"
        more = f" {pages.capital(pages.word(self.more))} more {stand} below."
        return super().short + more


def called(model: Any) -> pages.Words:
    """Write a model's name; one that has none is spoken of in plain words."""
    return str(model) if model == UNNAMED else pages.name(str(model))


def score(found: Result) -> Estimate:
    """Give the deployed model's score with all columns."""
    return found.estimate(row_of(found.models, model=found.deployed))


def of_clusters(found: Result) -> tuple[Estimate, str] | None:
    """Give what clusters of the training rows reach, and how pages call it."""
    if found.clusters is None:
        return None
    value, low, high = found.clusters
    numbers = "regression" in get_measure(found.measure).tasks
    one = Estimate(value, found.title, low, high, found.basis, found.rows)
    return one, MEANS if numbers else CLUSTERS


def against_floor(found: Result, **place: Any) -> claims.AgainstFloor:
    """Hold the deployed model against the better of what is free."""
    sign = 1 if found.larger_is_better else -1
    floor, name, more = Estimate(found.floor, found.title), CONSTANT, None
    free = of_clusters(found)
    if free is not None and not sign * free[0].value <= sign * floor.value:
        # Both were measured on the same rows: their own intervals, which stand in the
        # table, would count their chance twice, so the difference decides.
        floor, name = Estimate(free[0].value, found.title), free[1]
        if found.over_clusters is not None:
            value, low, high = found.over_clusters
            more = Estimate(value, found.title, low, high, found.basis, found.rows)
    return claims.AgainstFloor(
        called(found.deployed),
        score(found),
        floor,
        name,
        sign=sign,
        # Without a spread of the differences the score's own interval decides.
        difference=more if more is not None and more.has_interval else None,
        section="models",
        **place,
    )


def price(found: Result, row: Mapping[str, Any], **place: Any) -> Price:
    """Say what one outage costs one model."""
    refitted = found.estimate(row, "refitted") if known(row["refitted"]) else None
    what: pages.Words = str(row["outage"]).removeprefix("without ")
    if row["kind"] != "vanish":
        what = pages.say("a remedy for {what}", what=what)
    loss = found.estimate(row, "loss")
    return Price(
        called(row["model"]),
        what,
        finer(found.estimate(row_of(found.models, model=row["model"])), loss),
        finer(found.estimate(row, "after"), loss),
        loss,
        refitted,
        found.tolerance,
        kind="vanish",
        columns=tuple(row["columns"]),
        section="missing",
        **place,
    )


def worst(found: Result) -> Mapping[str, Any] | None:
    """Find the column whose loss costs the deployed model most."""
    if found.columns.empty:
        return None
    mine = found.columns[found.columns["model"] == found.deployed]
    return None if mine.empty else mine.iloc[0].to_dict()


def own_columns(found: Result) -> pd.DataFrame:
    if found.columns.empty:
        return found.columns
    return found.columns[found.columns["model"] == found.deployed]


def backup(found: Result, **place: Any) -> claims.Condition:
    """Say which columns to back up for the tolerated loss, and what may then fail."""
    mine = list(found.backup or ())
    limit = f"{found.protect or 0.0:.12g} {found.title}"
    rest = all_columns(found) - len(mine)
    which, paired = _may_fail(found, rest, " other" if mine else " column")
    template = (
        "With {columns} backed up, {which} may fail at a loss of at most {limit}."
    )
    if not mine:
        template = "Without a backup, {which} may fail at a loss of at most {limit}."
    elif not rest:
        template = "Every column needs a backup for a loss of at most {limit}."
    named = pages.names(mine, most=6)
    return claims.Condition(
        sentence=pages.say(template, columns=named, which=which, limit=limit),
        counts=(found.protect or 0.0, paired),
        kind="protect",
        section="protect",
        columns=tuple(mine),
        **place,
    )


def _may_fail(found: Result, rest: int, more: str) -> tuple[str, int]:
    """Say what was lost to find a backup: any two columns, or pairs of some only.

    Returns
    -------
    words, paired
        `paired`: how many columns were taken away two at a time.
    """
    pairs = found.pairs
    if rest == 1:
        return "the" + more, 0
    paired = 0 if pairs.empty else len({*pairs["left"], *pairs["right"]})
    if paired and paired >= all_columns(found):
        return f"any one or two{more}s", paired
    one = f"any one{more}"
    if unpriced(found):
        one += " that was priced"
    if not paired:
        return one, paired
    return (
        f"{one}, or two of the {paired} that correlate most with the target,",
        paired,
    )


def unpriced(found: Result) -> str:
    """Say which columns of a wide table were not taken away alone; '' if all were."""
    priced, there = len(own_columns(found)), all_columns(found)
    if priced >= there:
        return ""
    return (
        f" Priced were the {priced} of {there} columns that correlate most with the"
        " target; of the others nothing is known."
    )


def all_columns(found: Result) -> int:
    """Count the columns of the table, also those that were not priced alone."""
    mine = found.decay
    return len(own_columns(found)) if mine.empty else int(mine["k"].max())


def row_of(frame: pd.DataFrame, **wanted: Any) -> dict[str, Any]:
    """Find the row with these values."""
    chosen = frame
    for name, value in wanted.items():
        chosen = chosen[chosen[name] == value]
    return chosen.iloc[0].to_dict()


def cell(value: Any, places: int, tone: str = "") -> pages.Cell:
    if not known(value):
        return pages.Cell("–", tone="muted")
    return pages.Cell(pages.fixed(float(value), places), value=float(value), tone=tone)


def sign_cell(value: Any, places: int) -> pages.Cell:
    """Write a number whose sign decides something, in digits that show it."""
    while known(value) and value and not round(float(value), places) and places < 9:
        places += 1
    return cell(value, places)


def floor_cell(found: Result) -> pages.Cell:
    """Write what a constant answer reaches."""
    return cell(found.floor, Estimate(found.floor).places)


def filling(found: Result) -> str:
    """Say how columns are filled in that nobody asked for."""
    if found.filled_by == TOLD:
        return "The model is told which columns are gone"
    if leaves_missing(found.filled_by):
        return "Cells are left missing"
    return f"Filled in by {found.filled_by}"


def filled_in(found: Result) -> str:
    """Say how single columns are filled in, where that is not how the title does it."""
    chosen = found.filled_by
    if len(found.asked) and chosen != TOLD:
        own = found.asked["model"] == found.deployed
        chosen = str(found.asked.loc[own, "imputer"].iloc[0])
    beside = ", not by the filling chosen above" * (chosen != found.filled_by)
    return f"{filling(found)}{beside}."


def unchanged(loss: Mapping[str, Any]) -> bool:
    """Whether a loss is 0 in every resample: no row makes a difference."""
    return bool(loss["low"] == loss["high"] == 0)


def known(value: Any) -> bool:
    return value is not None and math.isfinite(float(value))


def number(value: Any) -> float | None:
    return float(value) if known(value) else None


def positive(value: Any) -> bool:
    return known(value) and float(value) > 0


def in_order(found: Result) -> pd.DataFrame:
    """Give the models as the table has them, the first one first."""
    sign = 1 if found.larger_is_better else -1
    return found.models.assign(at=sign * found.models["value"]).sort_values(
        "at", ascending=False, kind="stable"
    )
