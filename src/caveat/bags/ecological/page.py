"""What shares alone tell about items: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from caveat import pages
from caveat.bags.ecological._effects import ASSUMED, assumed_ends, stars
from caveat.bags.ecological._labelled import SHARES
from caveat.bags.ecological.result import SharesResult
from caveat.bags.page import alike_groups, share_table
from caveat.bags.registry import LEARNERS
from caveat.pages import claims, figures
from caveat.statistics import share_interval

_TO_LABEL = 100
"""How many labels the page asks for; their half width is then about 0.1."""
_MANY_CHANGED = 0.1
_FEW_GROUPS = 5
_MOST_COLUMNS = 25
_ROUNDING = 1e-9


def look(
    found: SharesResult,
    about: pages.About,
    predictions: pd.DataFrame | None = None,
    *,
    rules: Sequence[str] = (),
    seconds: float = 0.0,
) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : SharesResult
    about : About
        The file it was found on.
    predictions : DataFrame, optional
        The answers, item by item; written beside the page.
    rules : sequence of str
        Rules for ``--fail-on``.
    seconds : float
    """
    checked = _checked(found)
    files = {} if predictions is None else {"predictions": predictions}
    return pages.Look(
        "bags",
        about.eyebrow("Bags") + pages.say(", by {by}", by=pages.code(found.by)),
        list(say_found(found)),
        [*sections(found), pages.again_section(about, _conditions(found))],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": "accuracy",
            "score": None if checked is None else checked.value,
            "low": found.low if checked is None else checked.low,
            "high": found.high if checked is None else checked.high,
            "floor": found.majority if checked is None else _floor(found).value,
        },
        extra={
            "by": found.by,
            "learner": found.learner,
            "params": found.params,
            "criterion": found.rule,
            "bounds": {"accuracy": [found.low, found.high]},
            "effects": found.effects.to_dict("records"),
            "classes": list(found.classes),
            "used": found.used,
            "seconds": seconds,
        },
        tables={
            **files,
            "groups": found.groups,
            "criteria": found.criteria,
            "effects": found.effects,
        },
        checks="Answers were held against the shares they were learnt from.",
        nothing_to_do=pages.say(
            "Use {file}: its answers are right more often than the majority of each "
            "group.",
            file=pages.code("predictions.csv"),
        ),
        rules=rules,
    )


def say_found(found: SharesResult) -> Iterator[claims.Claim]:
    """Make every claim on the answers."""
    yield from _right(found)
    yield claims.Chosen(
        _title(found.learner),
        pages.code(found.rule),
        section="learners",
        how="Learner and settings by the smallest distance between predicted and "
        "known shares; no label was used.",
    )
    yield from _sensitivity(found)
    yield from _directions(found)
    if found.n_groups < _FEW_GROUPS:
        yield claims.Condition(
            sentence=pages.say(
                "There are {n} groups only: what differs between them may have other "
                "reasons.",
                n=pages.strong(str(found.n_groups)),
            ),
            counts=(found.n_groups,),
            severity="careful",
            kind="small",
            section="groups",
        )
    yield from alike_groups(found.spread)
    yield from claims.remarks(found.notes, section="learners")


def _right(found: SharesResult) -> Iterator[claims.Claim]:
    """Say how many answers are right: by labels if there are any, and by bounds."""
    checked = _checked(found)
    if checked is not None:
        row = _used(found)
        claim = claims.AgainstFloor(
            f"answers from {found.used}",
            checked,
            _floor(found),
            "the majority of a row's group",
            difference=claims.Estimate(
                float(row["majority_more"]),
                "accuracy",
                float(row["majority_low"]),
                float(row["majority_high"]),
                "the same rows, score interval (Tango)",
                checked.n,
            ),
            many=True,
            section="labelled",
            how=f"Measured on {checked.n} labelled rows, both on the same.",
        )
        fix = {
            "at": f"Label more rows: {checked.n} cannot tell these answers from the "
            "majority of each group.",
            "below": "Answer with the majority of each group.",
        }
        yield replace(claim, fix=fix.get(claim.standing, ""))
    yield bounds_claim(found, caveat=checked is not None)


def bounds_claim(found: SharesResult, *, caveat: bool = False) -> claims.Claim:
    """Say what the shares alone fix of the accuracy, beside the group's majority."""
    low, high = (pages.strong(f"{end:.2f}") for end in (found.low, found.high))
    ends = [f"{end:.2f}" for end in (found.majority_low, found.majority_high)]
    bar = " to ".join(dict.fromkeys(ends))
    # Sums over groups end a rounding error apart: a tie is no win.
    above = found.low - found.majority_high > _ROUNDING
    if low == high:
        template = (
            "The answers have an accuracy of {low}, whatever the labels are; the "
            "majority of each group would have {bar}."
        )
    elif above:
        template = (
            "The answers have an accuracy of at least {low}, whatever the labels are; "
            "the majority of each group would have {bar}."
        )
    elif found.high < found.majority_low:
        template = (
            "The answers have an accuracy of at most {high}; the majority of each "
            "group would have {bar}."
        )
    else:
        template = (
            "The accuracy of the answers lies between {low} and {high}: shares cannot "
            "say more; the majority of each group would have {bar}."
        )
    words = pages.say(template, low=low, high=high, bar=bar)
    half = f"{1.96 * math.sqrt(0.25 / _TO_LABEL):.2f}"
    fix = f"Label {_TO_LABEL} rows drawn at random and add them with --labelled: the "
    fix += f"accuracy is then known to within {half}."
    if found.high - found.majority_low <= _ROUNDING:
        fix = "Answer with the majority of each group: whatever the labels are, these "
        fix += "answers are not right more often."
    margins = " Margins were widened to hold for all groups at once."
    return claims.Condition(
        sentence=words,
        counts=(found.low, found.high, found.majority_low, found.majority_high),
        severity="note" if caveat else None,
        kind="bounds",
        section="bounds",
        how="Sharp bounds: some labels that meet all shares reach each end."
        + (margins if found.uncertain else ""),
        fix="" if above or caveat else fix,
    )


def _sensitivity(found: SharesResult) -> Iterator[claims.Claim]:
    changed = found.changed
    yield claims.Condition(
        sentence=pages.say(
            "{share} of the answers rest on the group: by its own columns alone, such "
            "a row would get another label. No share can tell which is right.",
            share=pages.strong(pages.percent(changed)),
        ),
        counts=(changed, 100 * changed),
        severity="careful" if changed > _MANY_CHANGED else "note",
        kind="variant",
        section="effects",
        size=changed,
        how="The learner's odds were shifted in every group until its mean probability "
        "meets the share; each answer is the likelier label, so counts of answers may "
        "not.",
    )


def _directions(found: SharesResult) -> Iterator[claims.Claim]:
    """Say of how many columns the direction is fixed, and where it hangs in the air."""
    frame = found.effects
    if not len(frame):
        return
    fixed = (frame["low"] > 0) | (frame["high"] < 0)
    yield claims.Condition(
        sentence=pages.say(
            "The shares alone fix the direction of {n} of {all} effects.",
            n=pages.strong(str(int(fixed.sum()))),
            all=str(len(frame)),
        ),
        counts=(int(fixed.sum()), len(frame)),
        severity="note",
        kind="effects",
        section="effects",
    )
    # Two numbers that are not told from 0 do not contradict one another.
    (low, high), (lower, higher) = (assumed_ends(frame, one) for one in ASSUMED)
    turned = frame[((low > 0) & (higher < 0)) | ((high < 0) & (lower > 0))]
    if len(turned):
        names = list(dict.fromkeys(turned["column"]))
        yield claims.Condition(
            sentence=pages.say(
                "The direction of {names} hangs on whether groups depend on labels or "
                "on items, which no share can tell.",
                names=pages.names(names, most=3),
            ),
            how="Both numbers are told from 0, and have opposite signs.",
            severity="careful",
            kind="variant",
            section="effects",
            columns=tuple(names),
        )


def _checked(found: SharesResult) -> claims.Estimate | None:
    """Give the accuracy on labelled rows, with Wilson's interval."""
    if not len(found.labelled):
        return None
    row = _used(found)
    n = int(row["n"])
    hits = round(float(row["right"]) * n)
    low, high = share_interval(hits / n, n)
    basis = f"{n} labelled rows, Wilson"
    value = float(row["right"])
    return claims.Estimate(value, "accuracy", low, high, basis, n)


def _used(found: SharesResult) -> pd.Series:
    """Give the row of the way that the answers come from."""
    return found.labelled.set_index("way").loc[found.used]


def _floor(found: SharesResult) -> claims.Estimate:
    """Give the accuracy of the groups' majorities on the labelled rows."""
    return claims.Estimate(float(_used(found)["majority"]), "accuracy")


def sections(found: SharesResult) -> list[pages.Section]:
    """Give the evidence: bounds, labels, effects, the choice, the groups."""
    parts = [_bounds(found)]
    if len(found.labelled):
        parts.append(_labelled(found))
    if len(found.effects):
        parts.append(_effects(found))
    return [*parts, _learners(found), _groups(found)]


def _bounds(found: SharesResult) -> pages.Section:
    def ends(name: str, low: float, high: float) -> list[Any]:
        return [name, pages.Cell.number(low, tone="strong"), pages.Cell.number(high)]

    majority = ends("majority of each group", found.majority_low, found.majority_high)
    constant = ends("one answer for all", found.constant_low, found.constant_high)
    return pages.Section(
        "bounds",
        "How many are right",
        bounds_claim(found),
        lead="Who answers with the majority of each group is right as often as the "
        "shares say: that needs no learning, and no label to check.",
        blocks=[
            pages.Table.of(
                "bounds",
                "Accuracy, as far as it is known",
                ["Answer", "At least", "At most"],
                [
                    ends("answers, as far as shares tell", found.low, found.high),
                    pages.Row(majority, "bottom"),
                    pages.Row(constant, "bottom"),
                ],
                titled=True,
                brief=True,
            )
        ],
    )


def _labelled(found: SharesResult) -> pages.Section:
    rows: list[Any] = []
    for row in found.labelled.itertuples():
        paired = "" if row.way == SHARES else _ends(row, 3)
        more = "" if row.way == SHARES else pages.signed(row.more, 3)
        right = pages.Cell.number(row.right)
        rows.append([row.way, right, more, pages.Cell(paired, tone="muted")])
    bar = pages.Cell.number(_floor(found).value)
    rows.append(pages.Row(["majority of each group", bar, "", ""], "bottom"))
    return pages.Section(
        "labelled",
        "With a few labels",
        f"The answers come from {found.used}",
        lead="Each way was checked on labelled rows that it had not seen. Another way "
        "than shares alone is used only if it is right more often beyond its interval; "
        "the two intervals hold together. The majority of each group is measured on "
        "the same rows.",
        blocks=[
            pages.Table.of(
                "labelled",
                "Accuracy on labelled rows",
                [
                    "Learnt from",
                    pages.Column("Accuracy", best="max"),
                    "More than shares",
                    "95 % in all, paired",
                ],
                rows,
                titled=True,
                brief=True,
            )
        ],
    )


def _effects(found: SharesResult) -> pages.Section:
    frame = found.effects
    shown = frame.reindex(frame["learner"].abs().sort_values(ascending=False).index)
    several = frame["class"].nunique() > 1
    marked = stars(frame)
    rows = [
        [
            pages.code(row.column),
            _written(row.contrast) + f", {row[3]}" * several,
            pages.Cell(pages.signed(row.learner, 2), value=row.learner),
            *(_assumed(frame, row.Index, one, marked) for one in ASSUMED),
            pages.Cell(_ends(row, 2), value=row.low),
        ]
        for row in shown.head(_MOST_COLUMNS).itertuples()
    ]
    label = "each class" if several else f"“{found.classes[-1]}”"
    return pages.Section(
        "effects",
        "What the columns do",
        f"How much more often {label} is found, as far as shares tell",
        lead="The difference in the share of the class between rows with the property "
        "and the others. No share can tell why rows are in their group. If the label "
        "alone decides that (Simple), or all columns together do and nothing else "
        "(Intermediate, with log-odds that are linear in them), the shares give an "
        "estimate with a 95 % interval; if label and columns do (Hard), only the "
        "bounds hold. A star: the number lies further outside of the bounds than "
        "sampling explains, so that assumption is hard to square with the shares. A "
        "number without a star says nothing for its assumption.",
        blocks=[
            pages.Table.of(
                "effects",
                "Differences between rows with a property and the others",
                [
                    "Column",
                    pages.Column("Property", "text"),
                    "Learner",
                    "If Simple",
                    "If Intermediate",
                    "Whatever holds",
                ],
                rows,
                titled=True,
                brief=True,
                downloads=[pages.Download.csv("effects.csv", frame)],
            )
        ],
        wide=True,
    )


def _ends(row: Any, digits: int) -> str:
    return f"{pages.signed(row.low, digits)} to {pages.signed(row.high, digits)}"


def _assumed(
    frame: pd.DataFrame, place: Any, which: str, marked: pd.DataFrame
) -> pages.Cell:
    """Show a number under an assumption with its interval, cut off at 1."""
    value = float(frame.loc[place, which])
    if not math.isfinite(value):
        return pages.Cell()
    low, high = (float(ends[place]) for ends in assumed_ends(frame, which))
    shown = pages.signed(min(max(value, -1.0), 1.0), 2)
    star = "*" if marked.loc[place, which] else ""
    ends = f"{pages.signed(low, 2)} to {pages.signed(high, 2)}"
    return pages.Cell(f"{shown}{star} ({ends})")


def _learners(found: SharesResult) -> pages.Section:
    rows = [
        [
            _title(row.learner),
            pages.Cell.number(row.criterion, 4),
            pages.Cell(_settings(row.params), tone="muted"),
        ]
        for row in found.criteria.itertuples()
    ]
    return pages.Section(
        "learners",
        "Choosing without labels",
        pages.say(
            "{rule} chooses {who}",
            rule=pages.code(found.rule),
            who=_title(found.learner),
        ),
        lead="Distance between predicted and known shares on halves of the groups that "
        "were held out. A model that answers the right share of wrong items has 0, "
        "too: the criterion can choose, it cannot vouch.",
        blocks=[
            pages.Table.of(
                "criteria",
                "What the rule looked at",
                [
                    "Learner",
                    pages.Column("Distance", best="min", sorted=True),
                    pages.Column("Settings", "text"),
                ],
                rows,
                titled=True,
                brief=True,
            )
        ],
    )


def _groups(found: SharesResult) -> pages.Section:
    told = [found.classes[-1]] if len(found.classes) == 2 else list(found.classes[:3])
    shown = [name for label in told for name in (label, f"{label}, answered")]
    return pages.Section(
        "groups",
        "The groups",
        f"{pages.count(found.n_groups)} groups, {pages.count(found.rows)} rows in all",
        lead="The known share of every group beside that of the answers.",
        blocks=[share_table(found.groups, shown)],
    )


def _line(found: SharesResult) -> pages.Figure:
    checked = _checked(found)
    marks = [
        figures.Mark("at least", claims.Estimate(found.low, "accuracy"), "muted"),
        figures.Mark("at most", claims.Estimate(found.high, "accuracy"), "muted"),
    ]
    told = "Accuracy. Grey: the least and the most that the shares allow."
    floor = claims.Estimate(found.majority, "accuracy")
    if checked is not None:
        marks, floor = [figures.Mark(found.used, checked)], _floor(found)
        told = f"Accuracy on {checked.n} labelled rows, with its 95 % interval."
    return figures.score_line(
        marks,
        label=str(bounds_claim(found).words),
        floor=figures.Mark("group majority", floor, "free"),
        limits=(0.0, 1.0),
        conditions=told,
    )


def _title(name: str) -> str:
    return LEARNERS[name].title if name in LEARNERS else name


def _settings(params: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in params.items())


def _conditions(found: SharesResult) -> str:
    labels = "no label was seen"
    if len(found.labelled):
        labels = f"{int(found.labelled['n'].max()):,} labelled rows"
    return (
        f"{found.rows:,} rows in {found.n_groups:,} groups; settings chosen by "
        f"{found.rule}; {labels}."
    )


def _written(contrast: str) -> str:
    """Write a contrast such as "above -0.3" with a true minus."""
    return contrast.replace("above -", "above \u2212")
