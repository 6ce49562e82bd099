"""What feature shift's result says: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from caveat import pages
from caveat.measures import get as get_measure
from caveat.pages import claims, figures
from caveat.pages.claims import Estimate
from caveat.shift.evaluation._evaluators import TOLD
from caveat.shift.imputers._imputers import leaves_missing
from caveat.shift.page._advice_words import advice_words
from caveat.shift.page._claims import (
    against_floor,
    all_columns,
    backup,
    called,
    finer,
    in_order,
    known,
    number,
    own_columns,
    price,
    row_of,
    score,
    unchanged,
    worst,
)
from caveat.shift.page._outage_sections import (
    backup_section,
    curve_section,
    monitor_section,
)
from caveat.shift.page._sections import (
    columns_section,
    decay_section,
    missing_section,
    models_section,
)
from caveat.shift.result import Result


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
        [*_claims(found), *_left_out(about)],
        [*sections(found), pages.again_section(about, found.conditions)],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": found.measure,
            "score": one.value,
            "low": one.low,
            "high": one.high,
            "floor": found.floor,
            "free": None if found.clusters is None else found.clusters[0],
            "worst_loss": _worst_loss(found),
        },
        extra={
            "losses": losses(found),
            "columns_at_risk": _records(found.columns),
            "monitors": _records(found.monitors),
            "pairs": _records(found.pairs),
            "backup": None if found.backup is None else list(found.backup),
            "curves": _records(found.curves),
        },
        tables=_tables(found),
        checks=_checks(found),
        rules=rules,
    )


def _checks(found: Result) -> str:
    """Say what was done beyond what was asked for."""
    if found.columns.empty:
        return "Only what was asked for was taken away."
    if found.decay.empty:
        return "Each column was taken away alone."
    return "Each column was taken away alone, and any number of them."


def losses(found: Result) -> list[dict[str, Any]]:
    """Give the asked losses as JSON values: one per loss and model, in that order."""
    rows = found.asked
    if rows.empty:
        return []
    names = {"columns": "missing", "outage": "outage", "kind": "kind"}
    kept = [
        *("missing", "model", "imputer", "measure", "all", "after", "loss", "low"),
        *("high", "refitted", "refitted_low", "refitted_high", "advice"),
        *("outage", "kind", "gain", "gain_low", "gain_high", "by", "better"),
    ]
    renamed = rows.rename(columns=names).assign(measure=found.measure)
    return [
        {name: _null(row[name]) for name in kept}
        for row in renamed.astype(object).to_dict("records")
    ]


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
    own = own_columns(found)
    read = list(own["column"]) if len(own) == all_columns(found) > 0 else []
    if len(mine):
        # What was asked is the finding; the score then stands beside it.
        level = "note" if floor.standing == "above" else "careful"
        yield against_floor(found, severity=level, kind="chance")
        for number, row in enumerate(mine.to_dict("records")):
            more = 0 if number else len(mine) - 1
            place = {"severity": "note"} if number else {"more": more}
            yield price(found, row, fix=advice_words(row, read) + ".", **place)
            yield from _earned(found, row, size=1.0 / (1 + number))
            yield from _fillings(found, row)
            yield from _again(found, row)
            yield from _after(found, row)
    else:
        yield floor
        yield from _column(found)
    yield from _others(found)
    if found.backup is not None:
        needed = pages.names(list(found.backup), most=6)
        asked_first = len(mine) or not found.backup
        yield backup(
            found,
            severity="careful" if found.backup else "note",
            fix="" if asked_first else pages.say("Back up {columns}.", columns=needed),
        )
    yield from _notes(found.notes)


def _left_out(about: pages.About) -> Iterator[claims.Claim]:
    """Say which columns the reader of the file left out, and why."""
    left = about.left_out.items()
    return _notes(f"column {name!r} was left out: {why}" for name, why in left)


def _notes(notes: Iterable[str]) -> Iterator[claims.Claim]:
    for note in notes:
        words = pages.sentence(note)
        yield claims.Condition(sentence=words, severity="note", section="again")


def _earned(
    found: Result, row: Mapping[str, Any], *, size: float
) -> Iterator[claims.Claim]:
    """Hold the loss against what the model has over a constant answer."""
    sign = 1 if found.larger_is_better else -1
    earned = sign * (float(row["all"]) - found.floor)
    low = row["low"]
    if not known(low) or float(low) <= 0 or not earned > 0:
        return
    if float(row["high"]) <= found.tolerance:
        return  # nobody minds
    share, sure = float(row["loss"]) / earned, float(low) / earned
    severity = _severity(sure)
    loss = found.estimate(row, "loss")
    yield claims.Condition(
        sentence=pages.say(
            "Losing {what} costs {share} of what {model} has over a constant answer."
            if row["kind"] == "vanish"
            else "With {what} it costs {share} of what {model} has over a constant "
            "answer.",
            what=str(row["outage"]).removeprefix("without "),
            share=pages.strong(pages.percent(min(share, 9.99))),
            model=called(row["model"]),
        ),
        counts=(100 * min(share, 9.99), min(share, 9.99), earned, sure),
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
    if len(same) < 2 or unchanged(row):
        return
    regret = None
    top = same[same["oracle"].astype(bool)].iloc[0]
    if top["imputer"] != row["imputer"]:
        pair = row_of(
            found.comparisons,
            what=f"{row['outage']}: {row['model']}",
            left=row["imputer"],
            right=top["imputer"],
        )
        less = found.estimate(pair, "difference")
        regret = less.turned
    yield claims.Chosen(
        str(row["imputer"]),
        pages.say(
            "{what}, the rule that needs no labels (change the answers least)",
            what=str(row["outage"]),
        ),
        regret,
        severity="note",
        section="missing",
        kind="filling",
    )


def _again(found: Result, row: Mapping[str, Any]) -> Iterator[claims.Claim]:
    """Say what fitting without the columns gains, by the model itself or another."""
    gain = found.estimate(row, "gain") if known(row["gain"]) else None
    if gain is None or gain.high is None or gain.high <= found.tolerance:
        return
    what = pages.names(list(row["columns"]), most=4)
    lost = str(row["outage"]).removeprefix("without ")
    parts = {"model": called(row["model"]), "lost": lost, "how": _met(row)}
    template = "{model} with {lost} {how}"
    if row["kind"] != "vanish":
        template = "{model} with {lost}"
    elif row["imputer"] == TOLD:
        template = "{model}, {how},"
    claim = claims.Comparison(
        pages.say("{by}, fitted without {what},", by=called(row["by"]), what=what),
        pages.say(template, **parts),
        gain,
        "paired bootstrap",
        int(row["corrected_for"]),
        severity="note",
        section="missing",
        kind="models",
    )
    if claim.standing == "above":
        yield claim


def _met(row: Mapping[str, Any]) -> str:
    """Say how a loss was met."""
    by = str(row["imputer"])
    if row["kind"] != "vanish" or by == TOLD:
        return by
    return "left missing" if leaves_missing(by) else f"filled in by {by}"


def _after(found: Result, row: Mapping[str, Any]) -> Iterator[claims.Claim]:
    """Say which models are better than the deployed one after the loss."""
    pairs = found.comparisons
    if pairs.empty:
        return
    mine = found.deployed
    beside = "with " * (row["kind"] != "vanish")
    both = pages.say(
        "{model}, both {beside}{what},",
        model=called(mine),
        beside=beside,
        what=row["outage"],
    )
    for pair in pairs[pairs["what"] == row["outage"]].to_dict("records"):
        if mine not in (pair["left"], pair["right"]):
            continue
        gap = found.estimate(pair, "difference")
        if pair["left"] == mine:
            gap = gap.turned
        other = pair["right"] if pair["left"] == mine else pair["left"]
        claim = claims.Comparison(
            called(other),
            both,
            gap,
            "paired bootstrap, each with its own remedy",
            int(pair["corrected_for"]),
            severity="note",
            section="missing",
            kind="models",
        )
        if claim.standing == "above":
            yield claim


def _column(found: Result) -> Iterator[claims.Claim]:
    """Say what the dearest column costs; corrected, as it was picked from all."""
    row = worst(found)
    if row is None:
        return
    earned = abs(score(found).value - found.floor)
    sure = row["sure_low"]
    loss = Estimate(
        row["loss"], found.title, number(sure), number(row["high"]),
        found.basis, found.rows,
    )  # fmt: skip
    after = finer(found.estimate(row, "after"), loss)
    sound = loss.has_interval and after.has_interval and score(found).has_interval
    share = float(sure) / earned if sound and earned > 0 else 0.0
    name = pages.code(str(row["column"]))
    yield claims.Loss(
        called(found.deployed),
        name,
        finer(score(found), loss),
        after,
        loss,
        tolerance=found.tolerance,
        severity=_severity(share) if share > 0 else "note",
        kind="vanish",
        section="columns",
        columns=(str(row["column"]),),
        size=share,
        how=f"Lower end corrected for {len(own_columns(found))} columns.",
        fix=""
        if found.backup
        else pages.say("Price a plan for losing {name}: --missing {name}.", name=name),
    )


def _others(found: Result) -> Iterator[claims.Claim]:
    """Compare the models with all columns: paired, corrected."""
    if found.comparisons.empty:
        return
    rows = found.comparisons[found.comparisons["what"] == ""]
    told = []
    for row in rows.to_dict("records"):
        claim = claims.Comparison(
            called(row["left"]),
            called(row["right"]),
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
            tuple(in_order(found)["model"]),
            "paired bootstrap, corrected for all pairs",
            severity="note",
            section="models",
            kind="tie",
        )


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: what was asked, each column, the decay, the models."""
    parts = []
    if not found.losses.empty:
        parts.append(missing_section(found))
    if not found.columns.empty:
        parts.append(columns_section(found))
    if found.backup is not None:
        parts.append(backup_section(found))
    if not found.monitors.empty:
        parts.append(monitor_section(found))
    if not found.decay.empty:
        parts.append(decay_section(found))
    parts.append(models_section(found))
    if not found.curves.empty:
        parts.append(curve_section(found))
    return parts


def _line(found: Result) -> pages.Figure | None:
    """Draw the first figure: all columns, filled in, refitted, beside the floor."""
    one = score(found)
    if not math.isfinite(one.value):
        return None
    rows = [figures.Dot("all columns", one)]
    asked = found.asked
    mine = asked[asked["model"] == found.deployed] if len(asked) else asked
    held = against_floor(found)
    label = str(held.words)
    if len(mine):
        row = mine.iloc[0].to_dict()
        label = str(price(found, row).words)
        rows.append(figures.Dot(_met(row), found.estimate(row, "after"), "serious"))
        if known(row["refitted"]):
            rows.append(figures.Dot("refitted", found.estimate(row, "refitted"), "c3"))
    elif (row := worst(found)) is not None:
        gone = found.estimate(row, "after")
        rows.append(figures.Dot(f"without {row['column']}", gone, "serious"))
    free = found.larger_is_better and math.isfinite(held.floor.value)
    up_to = f", hatched up to {held.floor_name}" if free else ""
    drawn = figures.score_dots(
        rows,
        name="line",
        title="",
        label=label,
        floor=held.floor if free else None,
        limits=get_measure(found.measure).range,
        conditions=f"{pages.capital(found.title)} of {found.deployed}{up_to}. "
        f"{found.conditions}",
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
        "curves": found.curves,
    }
    return {name: frame for name, frame in frames.items() if not frame.empty}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): _null(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def _null(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
