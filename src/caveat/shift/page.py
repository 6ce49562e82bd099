"""What feature shift's result says: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from caveat import pages
from caveat.measures import get as get_measure
from caveat.pages import claims, figures
from caveat.pages.claims import Estimate
from caveat.shift.result import Result

CONSTANT = "a constant answer"
_MOST_ROWS = 25
_ADVICE = {
    "fill": "Keep {model} and fill in by {imputer}",
    "refit": "Fit {model} again without {what}",
    "change": "Change the model: another one does better without {what}",
    "open": "Undecided at this size: measure {model} on more rows before you choose "
    "between filling in and fitting again",
}


@dataclass(frozen=True)
class Price(claims.Loss):
    """A loss that somebody asked for: it leads also where no loss is seen."""

    @property
    def may_lead(self) -> bool:
        """Whether every number in it has its interval."""
        return all(one.may_lead for one in self.estimates)


def look(found: Result, about: pages.About, *, rules: Sequence[str] = ()) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : Result
    about : About
        The file or data set it was found on.
    rules : sequence of str
        Rules for ``--fail-on``.
    """
    one = score(found)
    return pages.Look(
        "shift",
        about.eyebrow("Feature shift"),
        list(_claims(found)),
        [*sections(found), pages.again_section(about, found.conditions)],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": found.measure,
            "score": one.value,
            "low": one.low,
            "high": one.high,
            "floor": found.floor,
            "worst_loss": _worst_loss(found),
        },
        extra={"losses": losses(found)},
        tables=_tables(found),
        checks="Each column was taken away alone, and any number of them.",
        rules=rules,
    )


def losses(found: Result) -> list[dict[str, Any]]:
    """Give the asked losses as JSON values: one per loss and model, in that order."""
    rows = found.asked
    if rows.empty:
        return []
    names = {"columns": "missing", "outage": "outage", "kind": "kind"}
    kept = [
        *("missing", "model", "imputer", "measure", "all", "after", "loss", "low"),
        *("high", "refitted", "refitted_low", "refitted_high", "advice"),
        *("outage", "kind", "gain", "gain_low", "gain_high", "by"),
    ]
    renamed = rows.rename(columns=names).assign(measure=found.measure)
    return [
        {name: _null(row[name]) for name in kept}
        for row in renamed.astype(object).to_dict("records")
    ]


def score(found: Result) -> Estimate:
    """Give the deployed model's score with all columns."""
    return found.estimate(_row(found.models, model=found.deployed))


def against_floor(found: Result, **place: Any) -> claims.Claim:
    """Hold the deployed model against a constant answer."""
    return claims.AgainstFloor(
        pages.name(found.deployed),
        score(found),
        Estimate(found.floor, found.title),
        CONSTANT,
        sign=1 if found.larger_is_better else -1,
        section="models",
        **place,
    )


def price(found: Result, row: Mapping[str, Any], **place: Any) -> Price:
    """Say what one outage costs one model."""
    refitted = found.estimate(row, "refitted") if _known(row["refitted"]) else None
    what: pages.Words = pages.name(str(row["outage"]).removeprefix("without "))
    if row["kind"] != "vanish":
        what = pages.say("a remedy for {what}", what=what)
    return Price(
        pages.name(str(row["model"])),
        what,
        found.estimate(_row(found.models, model=row["model"])),
        found.estimate(row, "after"),
        found.estimate(row, "loss"),
        refitted,
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


def _worst_loss(found: Result) -> float | None:
    asked = found.asked
    if not asked.empty:
        return float(asked["loss"].max())
    row = worst(found)
    return None if row is None else float(row["loss"])


def _claims(found: Result) -> Iterator[claims.Claim]:
    asked = found.asked
    mine = asked[asked["model"] == found.deployed] if len(asked) else asked
    floor = against_floor(found)
    if len(mine):
        # What was asked is the finding; the score then stands beside it.
        place = "note" if floor.standing == "above" else "careful"  # type: ignore[attr-defined]
        yield against_floor(found, severity=place, kind="chance")
        for number, row in enumerate(mine.to_dict("records")):
            advice = advice_words(found, row)
            yield price(found, row, how=advice + ".", fix=advice + ".")
            yield from _earned(found, row, size=1.0 / (1 + number))
            yield from _fillings(found, row)
    else:
        yield floor
        yield from _column(found)
    yield from _others(found)
    for note in found.notes:
        words = pages.sentence(note)
        yield claims.Condition(sentence=words, severity="note", section="again")


def advice_words(found: Result, row: Mapping[str, Any]) -> pages.Prose:
    """Say what to do, as far as the intervals carry."""
    what = pages.names(list(row["columns"]), most=4)
    model = pages.name(str(row["model"]))
    parts = {"model": model, "what": what, "imputer": str(row["imputer"])}
    if row["kind"] != "vanish" and row["advice"] == "fill":
        return pages.say("Nothing to do for {model} beyond watching {what}", **parts)
    words = pages.say(_ADVICE[str(row["advice"])], **parts)
    if row["advice"] == "refit" and row["by"] != row["model"]:
        words += pages.say("; {by} stood in for it here", by=str(row["by"]))
    return words


def _earned(
    found: Result, row: Mapping[str, Any], *, size: float
) -> Iterator[claims.Claim]:
    """Hold the loss against what the model has over a constant answer."""
    earned = abs(float(row["all"]) - found.floor)
    low = row["low"]
    if not _known(low) or float(low) <= 0 or not earned > 0:
        return
    share, sure = float(row["loss"]) / earned, float(low) / earned
    severity = _severity(sure)
    loss = found.estimate(row, "loss")
    yield claims.Condition(
        sentence=pages.say(
            "Losing {what} costs {share} of what {model} has over a constant answer.",
            what=pages.names(list(row["columns"]), most=4),
            share=pages.strong(pages.percent(min(share, 9.99))),
            model=pages.name(str(row["model"])),
        ),
        counts=(100 * min(share, 9.99), min(share, 9.99)),
        severity=severity,
        kind="vanish",
        section="missing",
        size=size + sure,
        columns=tuple(row["columns"]),
        how=f"{loss.text} of {pages.fixed(earned, loss.places)}; by the careful end of "
        f"the interval {pages.percent(sure)}.",
    )


def _severity(sure: float) -> Any:
    return "serious" if sure >= 0.5 else "careful" if sure >= 0.15 else "note"


def _fillings(found: Result, row: Mapping[str, Any]) -> Iterator[claims.Claim]:
    """Say which way to fill in was chosen, and what the test rows would have chosen."""
    same = found.losses[
        (found.losses["model"] == row["model"])
        & (found.losses["outage"] == row["outage"])
    ]
    if len(same) < 2:
        return
    regret = None
    top = same[same["oracle"].astype(bool)].iloc[0]
    if top["imputer"] != row["imputer"]:
        pair = _row(
            found.comparisons,
            what=f"{row['outage']}: {row['model']}",
            left=row["imputer"],
            right=top["imputer"],
        )
        less = found.estimate(pair, "difference")
        ends = (less.high, less.low)
        low, high = (None if end is None else -end for end in ends)
        regret = Estimate(-less.value, found.title, low, high, less.basis, less.n)
    yield claims.Chosen(
        str(row["imputer"]),
        pages.say(
            "{what}, the filling that changes the answers least, without labels,",
            what=str(row["outage"]),
        ),
        regret,
        severity="note",
        section="missing",
        kind="filling",
    )


def _column(found: Result) -> Iterator[claims.Claim]:
    """Say what the dearest column costs; corrected, as it was picked from all."""
    row = worst(found)
    if row is None:
        return
    earned = abs(score(found).value - found.floor)
    sure = row["sure_low"]
    loss = Estimate(
        row["loss"], found.title, _number(sure), _number(row["high"]),
        found.basis, found.rows,
    )  # fmt: skip
    after = found.estimate(row, "after")
    sound = loss.has_interval and after.has_interval and score(found).has_interval
    share = float(sure) / earned if sound and earned > 0 else 0.0
    name = pages.code(str(row["column"]))
    yield claims.Loss(
        pages.name(found.deployed),
        name,
        score(found),
        after,
        loss,
        severity=_severity(share) if share > 0 else "note",
        kind="vanish",
        section="columns",
        columns=(str(row["column"]),),
        size=share,
        how=f"Lower end corrected for {len(_mine(found))} columns.",
        fix=pages.say("Price a plan for losing {name}: --missing {name}.", name=name),
    )


def _mine(found: Result) -> pd.DataFrame:
    return found.columns[found.columns["model"] == found.deployed]


def _others(found: Result) -> Iterator[claims.Claim]:
    """Compare the models with all columns: paired, corrected."""
    if found.comparisons.empty:
        return
    rows = found.comparisons[found.comparisons["what"] == ""]
    told = []
    for row in rows.to_dict("records"):
        claim = claims.Comparison(
            pages.name(row["left"]),
            pages.name(row["right"]),
            found.estimate(row, "difference"),
            "paired bootstrap",
            int(row["corrected_for"]),
            severity="note",
            section="models",
            kind="models",
        )
        if claim.decided:
            told.append(claim)
    if told:
        yield from told[:3]
    elif len(rows):
        yield claims.Tie(
            tuple(found.models["model"]),
            "paired bootstrap, corrected for all pairs",
            severity="note",
            section="models",
            kind="tie",
        )


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: what was asked, each column, the decay, the models."""
    parts = []
    if not found.losses.empty:
        parts.append(_missing(found))
    if not found.columns.empty:
        parts.append(_columns_section(found))
    if not found.decay.empty:
        parts.append(_decay_section(found))
    parts.append(_models(found))
    return parts


def _missing(found: Result) -> pages.Section:
    first = found.asked[found.asked["model"] == found.deployed].iloc[0].to_dict()
    columns = [
        pages.Column("Lost", "name"),
        pages.Column("Model", "text"),
        pages.Column("Filled in by", "text"),
        pages.Column("All columns"),
        pages.Column("Filled in"),
        pages.Column("Loss", best="max"),
        pages.Column("95 %"),
        pages.Column("Refitted"),
        pages.Column("Advice", "text"),
    ]
    rows = []
    shown = found.losses[
        found.losses["chosen"].astype(bool) | (found.losses["model"] == found.deployed)
    ]
    for row in shown.to_dict("records"):
        loss = found.estimate(row, "loss")
        again = found.estimate(row, "refitted") if _known(row["refitted"]) else None
        how = str(row["imputer"])
        how += " (chosen)" if row["chosen"] else ""
        how += " (oracle)" if row["oracle"] and not row["chosen"] else ""
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["outage"]).removeprefix("without ")),
                    pages.Cell(str(row["model"])),
                    pages.Cell(how, tone="" if row["chosen"] else "muted"),
                    _cell(row["all"], loss.places),
                    _cell(row["after"], loss.places),
                    _cell(row["loss"], loss.places, "strong"),
                    pages.Cell(loss.interval),
                    _cell(row["refitted"], again.places if again else 2),
                    pages.Cell(str(row["advice"]) if row["chosen"] else ""),
                ]
            )
        )
    table = pages.Table(
        "missing",
        pages.say("{measure} before and after the loss", measure=found.title),
        columns,
        rows,
        conditions=found.conditions,
        brief=True,
        downloads=[pages.Download.csv("losses.csv", found.losses)],
    )
    return pages.Section(
        "missing",
        "About to be lost",
        price(found, first),
        lead="Filled in: the fitted model, other values in the lost columns. Refitted: "
        "a fresh model that never had them. Chosen: the filling that changes the "
        "model's answers least, without labels.",
        blocks=[table],
        wide=True,
    )


def _columns_section(found: Result) -> pages.Section:
    mine = _mine(found)
    shown = mine.head(_MOST_ROWS).to_dict("records")
    rows = [figures.Dot(str(row["column"]), found.estimate(row, "loss"),
                        "serious" if _positive(row["sure_low"]) else "faint")
            for row in shown]  # fmt: skip
    sure = int(sum(_positive(row["sure_low"]) for row in mine.to_dict("records")))
    words = pages.say(
        "{sure} of {all} columns cost {model} something for sure when they vanish",
        sure=pages.strong(str(sure)),
        all=str(len(mine)),
        model=pages.name(found.deployed),
    )
    figure = figures.score_dots(
        rows,
        name="columns",
        title=words,
        label=str(words) + ".",
        unit=f"{found.title} lost when the column vanishes",
        zero=0.0,
        conditions=f"{found.conditions} Filled in by the first imputer. Coloured: "
        f"above 0 also when corrected for {len(mine)} columns.",
        downloads=[pages.Download.csv("columns.csv", found.columns)],
    )
    return pages.Section(
        "columns", "What carries it", words, blocks=[figure, _column_table(found)]
    )


def _column_table(found: Result) -> pages.Table:
    """List the dearest columns for a terminal, too."""
    rows = []
    for row in _mine(found).head(_MOST_ROWS).to_dict("records"):
        loss = found.estimate(row, "loss")
        rows.append(
            pages.Row(
                [
                    pages.Cell(pages.code(str(row["column"]))),
                    _cell(row["after"], loss.places),
                    _cell(row["loss"], loss.places, "strong"),
                    pages.Cell(loss.interval),
                ]
            )
        )
    return pages.Table(
        "columns",
        pages.say("What each column is worth to {model}", model=found.deployed),
        [
            pages.Column("When it vanishes", "name"),
            pages.Column(found.title),
            pages.Column("Loss", best="max", sorted=True),
            pages.Column("95 %"),
        ],
        rows,
        brief=True,
    )


def _decay_section(found: Result) -> pages.Section:
    lines = []
    for name in found.models["model"]:
        mine = found.decay[found.decay["model"] == name].to_dict("records")
        values = [found.estimate(row) for row in mine]
        lines.append(
            figures.Curve(str(name), [float(row["k"]) for row in mine], values)
        )
    count = int(found.decay["k"].max())
    mine = found.decay[found.decay["model"] == found.deployed]
    last = mine.iloc[-1].to_dict()
    half = mine.iloc[len(mine) // 2].to_dict()
    middle = found.estimate(half)
    words = pages.say(
        "With {k} of {all} columns gone, {model} is left with {value}",
        k=str(int(half["k"])),
        all=str(count),
        model=pages.name(found.deployed),
        value=claims.written(middle),
    )
    floor = Estimate(found.floor, found.title)
    figure = figures.decay(
        lines,
        columns=count,
        name="decay",
        title=words,
        label=f"{words}; with all gone {found.estimate(last).text}.",
        unit=found.title,
        floor=figures.Mark("constant", floor) if math.isfinite(found.floor) else None,
        limits=get_measure(found.measure).range,
        conditions=f"{found.conditions} Mean over up to 8 subsets of each size. Band: "
        "95 % interval over rows and splits.",
        downloads=[pages.Download.csv("decay.csv", found.decay)],
    )
    return pages.Section("decay", "How they decay", words, blocks=[figure])


def _models(found: Result) -> pages.Section:
    sign = 1 if found.larger_is_better else -1
    order = found.models.assign(at=sign * found.models["value"]).sort_values(
        "at", ascending=False, kind="stable"
    )
    rows = []
    for row in order.to_dict("records"):
        one = found.estimate(row)
        mark = " (chosen)" if row["model"] == found.deployed else ""
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["model"]) + mark),
                    _cell(one.value, one.places, "strong"),
                    pages.Cell(one.interval),
                ]
            )
        )
    rows.append(
        pages.Row([pages.Cell(CONSTANT), _cell(found.floor, 2), pages.Cell()], "bottom")
    )
    table = pages.Table(
        "models",
        pages.say("{measure} with all columns", measure=found.title),
        [
            pages.Column("Model", "name"),
            pages.Column(found.title, best="max" if sign > 0 else "min", sorted=True),
            pages.Column("95 %"),
        ],
        rows,
        brief=True,
        conditions=found.conditions,
        downloads=[pages.Download.csv("models.csv", found.models)],
    )
    lead = "Chosen on held-out training rows." if len(found.models) > 1 else ""
    return pages.Section(
        "models", "All columns", against_floor(found), lead=lead, blocks=[table]
    )


def _line(found: Result) -> pages.Figure | None:
    """Draw the first figure: all columns, filled in, refitted, beside the floor."""
    one = score(found)
    if not math.isfinite(one.value):
        return None
    rows = [figures.Dot("all columns", one)]
    asked = found.asked
    mine = asked[asked["model"] == found.deployed] if len(asked) else asked
    label = str(against_floor(found).words)
    if len(mine):
        row = mine.iloc[0].to_dict()
        label = str(price(found, row).words)
        how = f"filled in by {row['imputer']}"
        if row["kind"] != "vanish":
            how = "as it arrives"
        rows.append(figures.Dot(how, found.estimate(row, "after"), "serious"))
        if _known(row["refitted"]):
            rows.append(figures.Dot("refitted", found.estimate(row, "refitted"), "c3"))
    elif (row := worst(found)) is not None:
        gone = found.estimate(row, "after")
        rows.append(figures.Dot(f"without {row['column']}", gone, "serious"))
    floor = Estimate(found.floor, found.title)
    drawn = figures.score_dots(
        rows,
        name="line",
        title="",
        label=label,
        floor=floor if found.larger_is_better and math.isfinite(found.floor) else None,
        limits=get_measure(found.measure).range,
        conditions=f"{pages.capital(found.title)} of {found.deployed}, hatched up to "
        f"{CONSTANT}. {found.conditions}",
    )
    return replace(drawn, size=(10.5, drawn.size[1]), one_line=True)


def _tables(found: Result) -> dict[str, pd.DataFrame]:
    frames = {
        "models": found.models,
        "losses": found.losses,
        "columns": found.columns,
        "decay": found.decay,
        "comparisons": found.comparisons,
        "values": found.values,
        "pairs": found.pairs,
        "monitors": found.monitors,
    }
    return {name: frame for name, frame in frames.items() if not frame.empty}


def _row(frame: pd.DataFrame, **wanted: Any) -> dict[str, Any]:
    """Find the row with these values."""
    chosen = frame
    for name, value in wanted.items():
        chosen = chosen[chosen[name] == value]
    return chosen.iloc[0].to_dict()


def _cell(value: Any, places: int, tone: str = "") -> pages.Cell:
    if not _known(value):
        return pages.Cell("–", tone="muted")
    return pages.Cell(pages.fixed(float(value), places), value=float(value), tone=tone)


def _known(value: Any) -> bool:
    return value is not None and math.isfinite(float(value))


def _number(value: Any) -> float | None:
    return float(value) if _known(value) else None


def _positive(value: Any) -> bool:
    return _known(value) and float(value) > 0


def _null(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
