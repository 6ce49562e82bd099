"""What feature shift found: plain numbers that go into a record and come back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat.measures import get as get_measure
from caveat.pages.claims import Estimate
from caveat.pages.recorded import Recorded
from caveat.shift.prices._advice import advise, may_gain
from caveat.shift.prices._outages import Outage
from caveat.shift.prices._prices import ALL, REFITTED, Book, decay_degrees

if TYPE_CHECKING:
    from caveat.shift.prices._resampling import Score

UNNAMED = "the model"
"""How a model is called that was given as an object."""


@dataclass(frozen=True)
class Result(Recorded):
    """Scores, prices and differences, each with its interval and the splits behind it.

    Attributes
    ----------
    measure : str
        Its registered name; `title` is how people say it.
    floor : float
        What the best constant answer reaches on the test rows.
    tolerance : float
        A loss or gain below it does not matter, in the measure's units.
    deployed : str
        The model that held-out training rows chose, or the one that was given.
    given : bool
        Whether it was given.
    models : DataFrame
        A row per model: `model`, `value`, `low`, `high` with all columns.
    losses : DataFrame
        A row per outage, model and way to fill in: `outage`, `kind`, `columns`,
        `model`, `imputer`, `all`, `after`, `after_low`, `after_high`, `loss`, `low`,
        `high`, `refitted`, `refitted_low`, `refitted_high`, `gain`, `gain_low`,
        `gain_high` (refitted against filled in; `corrected_for` how many that were
        fitted in its place), `by` (who was refitted), `chosen`
        (by the change of the answers, without labels), `oracle` (by the test rows),
        `advice`, `better` (the model to change to), and what more rows could still
        show to be better: `again` (fitting again), `rivals` (other models). A model
        that is told which columns are gone has one row per outage, and `imputer` says
        so.
    columns : DataFrame
        A row per model and column: `after`, `after_low`, `after_high`, `loss`, `low`,
        `high`, and `sure_low`, the lower end where the intervals of all columns hold
        together.
    decay : DataFrame
        A row per model and number of missing columns: `k`, `value`, `low`, `high`.
    comparisons : DataFrame
        Paired differences: `what`, `left`, `right`, `difference`, `low`, `high`,
        `corrected_for`.
    values : DataFrame
        Every number of every split: `model`, `what`, `how`, `split`, `value`.
    pairs, monitors, curves : DataFrame
        Prices of pairs of columns; what would notice an outage, and when; curves of
        one scenario, tidy. Empty where nobody asked.
    filled_by : str
        How cells of the deployed model's `columns`, `pairs` and `decay` are filled in:
        the first way asked, or that the model is told which columns are gone.
    clusters : (value, low, high) or None
        What clusters of the training rows reach on the same splits: by AUC EAPP, else
        the majority of the nearest cluster, or the means of the two nearest.
    over_clusters : (value, low, high) or None
        How much better the deployed model is than they are, paired.
    backup : tuple of str or None
        The cheapest columns to back up for the tolerated loss `protect`.
    splits, test_rows, training_rows, rows : int
        Splits, rows tested in one, rows learnt from in one, distinct rows tested.
    conditions : str
    notes : tuple of str
    seconds : float
    """

    _topic = "shift"

    measure: str
    floor: float
    tolerance: float
    deployed: str
    models: pd.DataFrame
    losses: pd.DataFrame
    columns: pd.DataFrame
    decay: pd.DataFrame
    comparisons: pd.DataFrame
    values: pd.DataFrame
    pairs: pd.DataFrame
    monitors: pd.DataFrame
    curves: pd.DataFrame
    splits: int
    test_rows: int
    training_rows: int
    rows: int
    filled_by: str = "mean"
    given: bool = False
    clusters: tuple[float, float | None, float | None] | None = None
    over_clusters: tuple[float, float | None, float | None] | None = None
    backup: tuple[str, ...] | None = None
    protect: float | None = None
    conditions: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def title(self) -> str:
        """The measure as people say it."""
        entry = get_measure(self.measure)
        return str(entry.display or entry.name)

    @property
    def larger_is_better(self) -> bool:
        """The direction of the measure."""
        return bool(get_measure(self.measure).larger_is_better)

    def estimate(self, row: Mapping[str, Any], name: str = "value") -> Estimate:
        """Read a number with its interval off a row of one of the tables."""
        ends = {
            "value": ("low", "high"),
            "loss": ("low", "high"),
            "difference": ("low", "high"),
        }.get(name, (f"{name}_low", f"{name}_high"))
        low, high = (_known(row.get(end)) for end in ends)
        return Estimate(float(row[name]), self.title, low, high, self.basis, self.rows)

    @property
    def basis(self) -> str:
        """What the intervals rest on."""
        over = f"{self.splits} splits" if self.splits > 1 else "1 split"
        return f"{over}, {self.rows} test rows, paired bootstrap"

    @property
    def asked(self) -> pd.DataFrame:
        """The chosen row of every outage and model, in the order asked."""
        if self.losses.empty:
            return self.losses
        return self.losses[self.losses["chosen"].astype(bool)]

    def to_frame(self) -> pd.DataFrame:
        """Return the prices; without any asked for, the columns."""
        return self.columns if self.losses.empty else self.losses


def read_book(
    book: Book,
    models: Sequence[str],
    outages: Sequence[Outage],
    *,
    columns: Sequence[str],
    tolerance: float | None = None,
) -> dict[str, Any]:
    """Turn what was measured into the tables of a `Result`."""
    measure = book.measure
    limit = _tolerance(book, models, tolerance)
    losses, between = _losses(book, models, outages, limit)
    return {
        "measure": measure.name,
        "tolerance": limit,
        "models": pd.DataFrame(
            [{"model": name, **_ends(book.score((name, ALL, "")))} for name in models]
        ),
        "losses": losses,
        "columns": pd.DataFrame(
            [row for name in models for row in _columns(book, name, columns)]
        ),
        "decay": pd.DataFrame(
            [row for name in models for row in _decay(book, name, len(columns))]
        ),
        "comparisons": pd.DataFrame(
            [*_model_pairs(book, models, ALL, dict.fromkeys(models, "")), *between]
        ),
        "values": pd.DataFrame(
            [
                {"model": who, "what": what, "how": how, "split": n, "value": value}
                for (who, what, how), each in book.values.items()
                for n, value in enumerate(each)
            ]
        ),
    }


def _tolerance(book: Book, models: Sequence[str], given: float | None) -> float:
    """Give what does not matter: 0.01 of a bounded measure, 1 % of an error."""
    share = 0.01 if given is None else given
    bottom, top = book.measure.range
    if math.isfinite(top - bottom):
        return share * (top - bottom)
    if math.isfinite(bottom):
        return share * abs(book.score((models[0], ALL, "")).value)
    return share


def _ends(score: Score, corrected_for: int = 1) -> dict[str, Any]:
    one = score.estimate("", corrected_for=corrected_for)
    return {"value": one.value, "low": one.low, "high": one.high}


def _losses(
    book: Book, models: Sequence[str], outages: Sequence[Outage], tolerance: float
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    between: list[dict[str, Any]] = []
    for outage in outages:
        remedies: dict[str, str] = {}
        mine: list[dict[str, Any]] = []
        for name in models:
            found = _loss_rows(book, name, outage)
            mine += found
            chosen = next(row for row in found if row["chosen"])
            sure = chosen["by"] == name and (chosen["gain_low"] or 0) > 0
            remedies[name] = REFITTED if sure else chosen["imputer"]
        for row in mine:
            row |= _advice(book, row, remedies, outage, tolerance)
        rows += mine
        between += _model_pairs(book, models, outage.words, remedies)
        between += [one for name in models for one in _imputers(book, name, outage)]
    return pd.DataFrame(rows), between


def _loss_rows(book: Book, name: str, outage: Outage) -> list[dict[str, Any]]:
    """Price every way to fill one outage of one model in."""
    measure, label = book.measure, outage.words
    ways = book.keys(name, label)
    fills = [how for how in ways if not how.startswith(REFITTED)]
    chosen = book.closest(name, label, fills)
    sign = 1 if measure.larger_is_better else -1
    values = {how: sign * book.score((name, label, how)).value for how in fills}
    top = max(fills, key=lambda how: values[how])
    if math.isclose(values[top], values[chosen], rel_tol=1e-12, abs_tol=1e-12):
        top = chosen  # by the test rows it is as good as any
    intact = book.score((name, ALL, ""))
    rows = []
    for how in fills:
        key = (name, label, how)
        loss = _ends(book.loss((name, ALL, ""), key))
        after = _ends(book.score(key))
        row = {
            "outage": label,
            "kind": outage.kind,
            "columns": list(outage.columns),
            "model": name,
            "imputer": how,
            "all": intact.value,
            "after": after["value"],
            "after_low": after["low"],
            "after_high": after["high"],
            "loss": loss["value"],
            "low": loss["low"],
            "high": loss["high"],
            **_gain(book, key),
            "chosen": how == chosen,
            "oracle": how == top,
        }
        rows.append(row)
    return rows


def _gains(book: Book, key: tuple[str, str, str]) -> dict[str, Estimate]:
    """Say what each model that was fitted without the columns has more, corrected."""
    name, label, _ = key
    fitted = [how for how in book.keys(name, label) if how.startswith(REFITTED)]
    return {
        how: book.loss((name, label, how), key).estimate("", corrected_for=len(fitted))
        for how in fitted
    }


def _gain(book: Book, key: tuple[str, str, str]) -> dict[str, Any]:
    """Hold a filled model against those that were fitted without the columns."""
    name, label, _ = key
    empty = dict.fromkeys(
        [
            *("refitted", "refitted_low", "refitted_high"),
            *("gain", "gain_low", "gain_high", "by", "corrected_for"),
        ]
    )
    gains = _gains(book, key)
    if not gains:
        return empty
    # Several stand-ins are several comparisons; the one with the largest lower end
    # speaks for them.
    how = max(gains, key=lambda one: _low(gains[one]))
    gain, again = gains[how], _ends(book.score((name, label, how)))
    own = how == REFITTED
    known = again if own else dict.fromkeys(again)
    return {
        "refitted": known["value"],
        "refitted_low": known["low"],
        "refitted_high": known["high"],
        "gain": gain.value,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "by": name if own else how.removeprefix(f"{REFITTED} "),
        "corrected_for": len(gains),
    }


def _advice(
    book: Book,
    row: Mapping[str, Any],
    remedies: Mapping[str, str],
    outage: Outage,
    tolerance: float,
) -> dict[str, Any]:
    """Say what to do, which model to change to, and what the intervals leave open."""
    name = str(row["model"])
    gains = list(_gains(book, (name, outage.words, row["imputer"])).values())
    loss = book.loss((name, ALL, ""), (name, outage.words, row["imputer"]))
    mine = (name, outage.words, remedies[name])
    others = {
        other: book.loss((other, outage.words, how), mine).estimate(
            "", corrected_for=len(remedies) - 1
        )
        for other, how in remedies.items()
        if other != name
    }
    advice = advise(
        loss.estimate(""),
        gains,
        list(others.values()),
        tolerance=tolerance,
        told=name in book.told,
        unread=(name, outage.words) in book.unread,
    )
    better = None
    if advice == "change":
        better = max(others, key=lambda other: _low(others[other]))
    return {
        "advice": advice,
        "better": better,
        "again": any(may_gain(one, tolerance) for one in gains),
        "rivals": [other for other, one in others.items() if may_gain(one, tolerance)],
    }


def _model_pairs(
    book: Book, models: Sequence[str], what: str, how: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Compare all models with one another, corrected for all pairs."""
    pairs = [(a, b) for place, a in enumerate(models) for b in models[place + 1 :]]
    rows = []
    for left, right in pairs:
        found = book.loss((left, what, how[left]), (right, what, how[right]))
        one = found.estimate("", corrected_for=len(pairs))
        rows.append(
            {
                "what": what,
                "left": left,
                "right": right,
                "difference": one.value,
                "low": one.low,
                "high": one.high,
                "corrected_for": len(pairs),
            }
        )
    return rows


def _imputers(book: Book, name: str, outage: Outage) -> list[dict[str, Any]]:
    """Compare the chosen way to fill in with every other one."""
    ways = book.keys(name, outage.words)
    fills = [how for how in ways if not how.startswith(REFITTED)]
    chosen = book.closest(name, outage.words, fills)
    rows = []
    for other in fills:
        if other == chosen:
            continue
        found = book.loss((name, outage.words, chosen), (name, outage.words, other))
        one = found.estimate("", corrected_for=len(fills) - 1)
        rows.append(
            {
                "what": f"{outage.words}: {name}",
                "left": chosen,
                "right": other,
                "difference": one.value,
                "low": one.low,
                "high": one.high,
                "corrected_for": len(fills) - 1,
            }
        )
    return rows


def _columns(book: Book, name: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Price each column alone, dearest first."""
    asked = [c for c in columns if book.complete((name, f"column {c}", ""))]
    rows = []
    for column in asked:
        key = (name, f"column {column}", "")
        loss = book.loss((name, ALL, ""), key)
        one, after = _ends(loss), _ends(book.score(key))
        rows.append(
            {
                "model": name,
                "column": column,
                "after": after["value"],
                "after_low": after["low"],
                "after_high": after["high"],
                "loss": one["value"],
                "low": one["low"],
                "high": one["high"],
                "sure_low": _ends(loss, len(asked))["low"],
            }
        )
    return sorted(rows, key=lambda row: -row["loss"])


def _decay(book: Book, name: str, n_columns: int) -> list[dict[str, Any]]:
    keys = [(k, (name, f"any {k}", "")) for k in decay_degrees(n_columns)]
    asked = [(k, key) for k, key in keys if book.complete(key)]
    if not asked:
        return []
    return [
        {"model": name, "k": k, **_ends(book.score(key))}
        for k, key in [(0, (name, ALL, "")), *asked]
    ]


def _low(one: Estimate) -> float:
    return -math.inf if one.low is None else one.low


def _known(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
