"""Which claims a result supports, and how serious they are.

Severity is decided by the careful end of an interval: what is surely lost, as a share
of what the score has above chance.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from caveat import pages
from caveat.audit._ladder import COPIES, LEAKS
from caveat.audit.page._claims import Found, Survives
from caveat.audit.page._constant import below_constant
from caveat.audit.result import Change, Result, Rung
from caveat.eapp.result import CLUSTERS
from caveat.pages import claims
from caveat.pages.claims import Estimate

SERIOUS_SHARE = 0.15
VANISH_SHARE = 0.15
_FREE_SHARE = 0.75
_REMEDY_OF = {
    **dict.fromkeys(LEAKS, "leak"),
    **dict.fromkeys(COPIES, "copies"),
    "group": "group",
    "time": "time",
}
_FIXES = {
    "leak": "drop {columns}",
    "group": "split by {columns}",
    "copies": "keep copies together",
    "time": "judge later rows by {columns}",
}
WORST = "the one that surely loses most"
_OPTIONS = {"leak": "--drop", "group": "--groups", "time": "--time"}
FLOORS = {
    "constant": "the constant answer",
    "column": "{column} alone",
    "clusters": CLUSTERS,
    "nearest": "the answer of the nearest row",
}


def all_claims(found: Result) -> list[claims.Claim]:
    """Say all that the result supports; the title first."""
    caveats = [
        *_findings(found),
        *_time(found),
        *_chance(found),
        *_floor(found),
        *_vanish(found),
        *_answers(found),
        *below_constant(found),
        *_ties(found),
        *_conditions(found),
    ]
    firm = all(claim.severity != "serious" for claim in caveats)
    return [*_survives(found, firm), *caveats]


def floor_name(found: Result) -> pages.Prose:
    """Name the way that sets the floor."""
    if found.floor is None:
        return pages.prose(FLOORS["constant"])
    top = found.floor.top
    return pages.say(FLOORS[top.way], column=pages.code(top.column))


def floor_estimate(found: Result) -> Estimate:
    """Give the floor: the way that gets furthest, else the constant answer."""
    if found.floor is not None:
        return found.floor.top.score
    return Estimate(found.chance, found.measure)


def _survives(found: Result, firm: bool) -> Iterator[claims.Claim]:
    if found.score is None or found.stands is None:
        return
    basis = (
        "Scored in every fold: the model that the other folds choose; "
        f"{found.score.basis}"
    )
    p_value = None if found.floor is None else found.floor.p_value
    if found.floor is not None and p_value is not None:
        basis += (
            f"; {pages.p_value(p_value)} for the floor, {found.floor.shuffles} shuffles"
        )
    yield Survives(
        "the model",
        found.score,
        floor_estimate(found),
        floor_name(found),
        sign=found.sign,
        difference=found.over_floor,
        stands=found.stands,
        mended=any(rung.decided for rung in found.rungs),
        steps=_steps(found),
        firm=firm,
        section="survives",
        how=f"{basis}.",
        fix=_action(found),
    )


def _needed(found: Result) -> list[Rung]:
    """Give the remedies that changed the score, and those of a leak in plain sight."""
    serious = [one.columns for one in found.findings if one.severity == "serious"]
    leaks = {column for columns in serious for column in columns}
    return [
        rung
        for rung in found.rungs
        if rung.decided or (rung.remedy == "leak" and leaks & set(rung.columns))
    ]


def _steps(found: Result) -> pages.Prose:
    return pages.join([_what(rung) for rung in _needed(found)], ", ")


def _action(found: Result) -> pages.Words:
    """Say what to do about all remedies that changed the score, and what to report."""
    steps = _needed(found)
    if not steps or found.score is None:
        return ""
    parts = [
        pages.say(_FIXES[rung.remedy], columns=_columns(rung.columns)) for rung in steps
    ]
    words = parts[0]
    for part in parts[1:]:
        words = words + ", " + part
    score = reported(found.score, floor_estimate(found))
    report = pages.say(", and report {score}.", score=score)
    return claims.started(words) + report + _same_command(steps)


def reported(score: Estimate, floor: Estimate) -> pages.Prose:
    """Write a score as it is to be reported: 0.59 (0.47 to 0.70), beside its floor."""
    ends = f" ({score.interval})" if score.interval else ""
    words = pages.prose(pages.strong(score.text)) + ends
    if not math.isfinite(floor.value):
        return words
    return words + f" beside the floor of {floor.text}"


def _same_command(steps: list[Rung]) -> pages.Words:
    """Name the options that make the page without these findings."""
    typed = [
        f"{_OPTIONS[rung.remedy]} {shlex.quote(','.join(rung.columns))}"
        for rung in steps
        if rung.remedy in _OPTIONS and rung.columns
    ]
    if not typed:
        return ""
    return pages.say(
        " The same command with {options} makes the page that begins there.",
        options=pages.code(" ".join(typed)),
    )


def _columns(names: tuple[str, ...]) -> pages.Prose:
    return pages.join([pages.code(name) for name in names[:3]], ", ")


def _findings(found: Result) -> Iterator[claims.Claim]:
    """Tell what the scan found, with the score before and after the remedy."""
    rungs = {rung.remedy: rung for rung in found.rungs}
    named = [one for one in found.findings if one.kind == "group"]
    owners = {column for one in named for column in one.columns}
    for one in found.findings:
        if one.kind == "chance" and (found.rungs and found.has_skill):
            continue
        if one.kind == "leak" and set(one.columns) <= owners:
            continue  # told as the group that it names
        if one.kind == "label-error" and one.severity == "note" and found.doubt:
            continue
        rung = rungs.get(_REMEDY_OF.get(one.kind, ""))
        if (
            rung is not None
            and rung.columns
            and not set(one.columns) & set(rung.columns)
        ):
            rung = None  # another column of the kind was mended
        remedy = None if rung is None else _remedy(found, rung)
        severity = one.severity
        if rung is not None and _REMEDY_OF[one.kind] != "leak":
            severity = _measured_severity(found, rung, one.severity)
            if one.kind == "time" and one.severity == "serious":
                severity = "serious"  # the scan saw it on all rows, the step on some
        elif one.kind == "group" and "group" in rungs:
            severity = "note"  # rows of one owner share what else is alike in them
        yield Found(
            one,
            remedy,
            basis=f"{found.rows} rows",
            n=found.rows,
            severity=severity,  # type: ignore[arg-type]
            kind=one.kind,
            section="survives" if remedy is not None else "data",
            columns=one.columns,
            rows=one.rows,
            fix=one.fix,
            size=one.size,
        )


def _remedy(found: Result, rung: Rung) -> claims.Remedy | None:
    """Tell a step by the chosen model, else by the one that surely loses most."""
    one, what = rung.shown, _what(rung)
    if one is None:
        return None
    if one is not rung.change:
        model = pages.name(one.model)
        what = pages.say(f"{{what}}, for {{model}}, {WORST}", what=what, model=model)
    elif _is_elsewhere(found, rung, one):
        what = pages.say("{what}, on the same rows", what=what)
    return claims.Remedy(
        what, one.before, one.after, one.change, sign=found.sign, section="survives"
    )


def _is_elsewhere(found: Result, rung: Rung, one: Change) -> bool:
    """Whether a change begins at another number than the ladder's step above shows.

    Steps that split the rows differently are paired on the rows of the lower one.
    """
    above = found.rungs[found.rungs.index(rung) - 1].score
    return one.before.text != above.text


def _what(rung: Rung) -> pages.Prose:
    words = {
        "leak": "without {columns}",
        "group": "with {columns} kept together",
        "copies": "with copies kept together",
        "time": "judged on later rows by {columns}",
    }
    return pages.say(words[rung.remedy], columns=_columns(rung.columns))


def _share_lost(found: Result, rung: Rung) -> float:
    """Give what is surely lost by any model, as a share of what was above chance."""
    shares = []
    for one in (rung.change, rung.worst):
        if one is None:
            continue
        earned = found.earned(one.before.value)
        if earned > 0:
            shares.append(one.lost / earned)
    return max(shares, default=0.0)


def _measured_severity(found: Result, rung: Rung, scanned: str) -> str:
    share = _share_lost(found, rung)
    if share >= SERIOUS_SHARE:
        return "serious"
    if share > 0:
        return "careful"
    # The models that were tried do not use it; another one might.
    return "careful" if scanned == "serious" else scanned


def _time(found: Result) -> Iterator[claims.Claim]:
    """Tell a loss on later rows that the scan had no sign of."""
    if any(one.kind == "time" for one in found.findings):
        return
    for rung in found.rungs:
        if rung.remedy != "time" or _share_lost(found, rung) <= 0:
            continue
        remedy = _remedy(found, rung)
        assert remedy is not None
        severity = _measured_severity(found, rung, "careful")
        if not all(one.has_interval for one in remedy.estimates):
            severity = "careful"
        yield claims.Remedy(
            remedy.what,
            remedy.before,
            remedy.after,
            remedy.change,
            sign=found.sign,
            severity=severity,  # type: ignore[arg-type]
            kind="time",
            section="survives",
            columns=rung.columns,
            how="What held before does not hold after; paired on the later rows.",
            fix=pages.say("Judge on later rows: --time {c}.", c=_columns(rung.columns)),
            size=_share_lost(found, rung),
        )


def _chance(found: Result) -> Iterator[claims.Claim]:
    """Say that nothing is told, unless a column alone tells something."""
    if found.score is None or found.has_skill or found.chance != found.chance:
        return
    # Columns that tell the opposite later tell something.
    known = any(
        one.kind == "chance" or (one.kind == "time" and one.severity == "serious")
        for one in found.findings
    )
    if known or _a_column_tells(found):
        return
    what = "0.50 is chance" if found.sign > 0 else "the constant answer errs as much"
    yield claims.Condition(
        sentence=pages.say(
            "There is no sign that these columns tell the target: {score}; {what}.",
            score=claims.written(found.score),
            what=what,
        ),
        counts=(0.5,),
        estimate=found.score,
        severity="serious" if found.score.has_interval else "careful",
        kind="chance",
        section="models",
        how="As shuffled labels would do.",
        fix="Look for columns that say more, or more rows, before you tune anything.",
        size=1.0,
    )


def _a_column_tells(found: Result) -> bool:
    """Whether some column alone lies above what shuffled targets reach."""
    known = found.columns
    if not len(known) or "null_high" not in known:
        return False
    low = known["low"].astype(float)
    return bool((low > known["null_high"].astype(float)).any())


def _floor(found: Result) -> Iterator[claims.Claim]:
    """Hold the score against what needs no learning."""
    if found.score is None or found.floor is None or not found.has_skill:
        return
    top = found.floor.top
    p_value = found.floor.p_value
    if top.way == "constant" or p_value is None or p_value > 0.05:
        return
    claim = claims.AgainstFloor(
        "the model",
        found.score,
        top.score,
        floor_name(found),
        sign=found.sign,
        difference=found.over_floor,
    )
    earned = found.earned(found.score.value)
    share = found.earned(found.careful(top.score)) / earned if earned > 0 else 0.0
    if claim.standing == "above" and share < _FREE_SHARE:
        return
    grades = {"above": "note", "at": "careful", "below": "serious", "open": "note"}
    yield replace(
        claim,
        severity=grades[claim.standing],  # type: ignore[arg-type]
        kind="free",
        section="floor",
        columns=(top.column,) if top.column else (),
        how="Either the task is easy, or something gives it away.",
        fix=pages.say(
            "Ask whether {column} is known before the target is.",
            column=pages.code(top.column),
        )
        if top.column
        else "Ask what parts the rows: a site, a device, a way of collecting.",
        size=0.3 + 0.1 * share,
    )


def _vanish(found: Result) -> Iterator[claims.Claim]:
    if not found.vanished or not found.has_skill:
        return
    one = found.vanished[0]
    earned = found.earned(one.before.value)
    low = one.loss.low
    if low is None or earned <= 0 or low / earned < VANISH_SHARE:
        return
    yield claims.Loss(
        one.model,
        pages.code(one.column),
        one.before,
        one.after,
        one.loss,
        one.refitted,
        VANISH_SHARE * earned,
        severity="careful",
        kind="vanish",
        section="vanish",
        columns=(one.column,),
        how="Filled in by its mean or most frequent value, over all folds.",
        fix=pages.say(
            "Plan for the day without {column}: caveat shift shows what helps.",
            column=pages.code(one.column),
        ),
        size=0.45 + 0.1 * min(1.0, low / earned),
    )


def _answers(found: Result) -> Iterator[claims.Claim]:
    """Tell what the models' own answers give away."""
    scanned = {one.kind for one in found.findings if one.severity != "note"}
    doubt = found.doubt
    if doubt is not None and "label-error" not in scanned:
        yield claims.Condition(
            sentence=pages.say(
                "About {share} ({low} to {high}) of the labels contradict answers that "
                "are sure, more than overlap of the classes explains.",
                share=pages.strong(pages.percent(doubt.share.value)),
                low=pages.percent(doubt.share.low or 0.0),
                high=pages.percent(doubt.share.high or 1.0),
            ),
            counts=tuple(100 * number for number in doubt.share.numbers),
            estimate=doubt.share,
            severity="serious" if (doubt.share.low or 0) >= 0.05 else "careful",
            kind="label-error",
            section="models",
            rows=doubt.rows,
            how="Answers for rows that the model had not seen; profile likelihood.",
            fix="Read the labels of the rows that are listed, the most doubtful first.",
            size=0.6 + doubt.share.value,
        )
    for one in found.segments[:1]:
        yield claims.Condition(
            sentence=pages.say(
                "In {rows} rows ({where}) the model is right in {right}{ends}; its "
                "probabilities promise {promised}.",
                rows=pages.count(one.rows),
                where=_where(one.columns, one.where),
                right=pages.strong(pages.percent(one.right.value)),
                ends=_percents(one.right),
                promised=pages.percent(one.promised),
            ),
            counts=(
                *(100 * number for number in one.right.numbers),
                100 * one.promised,
                one.rows,
            ),
            estimate=one.right,
            severity="careful",
            kind="segment",
            section="models",
            columns=one.columns,
            how=f"Corrected for {one.looked} slices.",
            fix="Judge the model on these rows apart, or collect more of them.",
            size=0.4 + one.promised - one.right.value,
        )
    yield from _calibration(found)


def _where(columns: tuple[str, ...], where: str) -> pages.Prose:
    """Name a slice column by column."""
    parts = [
        pages.prose(pages.code(column)) + f": {part}"
        for column, part in zip(columns, where.split(", "), strict=False)
    ]
    return pages.join(parts, "; ")


def _percents(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return ""
    return f" ({pages.percent(one.low)} to {pages.percent(one.high)})"


def _calibration(found: Result) -> Iterator[claims.Claim]:
    one = found.calibration
    if one is None or one.gain.low is None or one.gain.low < 0.1 * one.loss:
        return
    given = any(model.given for model in found.models)
    yield claims.Condition(
        sentence=pages.say(
            "The probabilities of {model} are off: mended, their log-loss of {loss} "
            "falls by {gain}.",
            model=one.model,
            loss=pages.fixed(one.loss, 2),
            gain=claims.written(one.gain),
        ),
        counts=(one.loss,),
        estimate=one.gain,
        # Models of ours are examples; probabilities of the user's are used.
        severity="careful" if given else "note",
        kind="calibration",
        section="models",
        how="A factor and a shift, learnt on the other half of the rows.",
        fix="Recalibrate before you use probabilities or thresholds.",
        size=0.1,
    )


def _ties(found: Result) -> Iterator[claims.Claim]:
    names = [found.models[0].title] if found.models else []
    for model in found.models[1:]:
        behind = model.behind
        if behind is not None and behind.low is not None and behind.low <= 0:
            names.append(model.title)
    if not found.has_skill:
        return
    if len(names) < 2:
        yield from _first(found)
        return
    yield claims.Tie(
        tuple(names),
        "paired over folds, corrected for shared rows and for all comparisons",
        measure=found.measure,
        severity="note",
        kind="tie",
        section="models",
        size=0.05,
    )


def _first(found: Result) -> Iterator[claims.Claim]:
    """Say by how much the first model leads the second, where a test says so."""
    if len(found.models) < 2 or found.models[1].behind is None:
        return
    claim = claims.Comparison(
        pages.name(found.models[0].title),
        pages.name(found.models[1].title),
        found.models[1].behind,
        "paired over folds",
        len(found.models) - 1,
        section="models",
    )
    if claim.standing == "above":
        yield claim


def _conditions(found: Result) -> Iterator[claims.Claim]:
    common: dict[str, Any] = {"severity": "note", "section": "data"}
    if found.planned > found.done:
        tail = f" {found.failed} failed." if found.failed else ""
        yield claims.Unfinished(
            "trials",
            found.done,
            found.planned,
            # Before the first step there is only the scan, and its findings stand.
            leads=found.ladder_open > 0 and bool(found.rungs),
            severity="careful" if found.ladder_open or not found.rungs else "note",
            kind="unfinished",
            section="again",
            how=f"What they could change is open.{tail}",
            fix="Run the same command again: it goes on where it stopped.",
        )
    if found.sampled:
        yield claims.Condition(sentence=pages.sentence(found.sampled), **common)
    if found.weights:
        yield claims.Condition(
            sentence=pages.say(
                "Rows count by {column} in every score; models are fitted with one "
                "weight for all.",
                column=pages.code(found.weights),
            ),
            **common,
        )
    for model in found.models:
        if model.given and found.sign > 0 and (model.score.high or 1.0) < 0.5:
            yield claims.Condition(
                sentence=pages.say(
                    "The scores {name} put the classes in the wrong order: {score}.",
                    name=pages.code(model.title),
                    score=claims.written(model.score),
                ),
                estimate=model.score,
                severity="serious",
                kind="turned",
                section="models",
                fix="Name the class that they are about with --positive.",
                size=2.0,
            )
