"""What group shares teach where labels are known: claims, figures, tables as a Look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from caveat import pages
from caveat.bags.registry import LEARNERS, RULE, RULES
from caveat.bags.result import (
    CONSTANT,
    FEWEST,
    FLOORS,
    MEASURES,
    SHARE,
    Result,
    no_test,
)
from caveat.pages import claims, figures

SHARES = "shares alone"
"""What is called so: the learner that bag criteria choose, as --shares answers."""
_SHIFTED = "shares alone, shifted to the group's share"
MOST_GROUPS = 200
MOST_CLASSES = 6
_FLOOR_WORDS = {
    CONSTANT: "one answer for all rows",
    SHARE: "the share of a row's group",
}
_INSTEAD = {
    "at": "Use {floor}, or get labels: at this size no gain by learning from shares is "
    "seen.",
    "below": "Use {floor}, or get labels: what is learnt from shares stays below it.",
    "open": "Ask for five divisions with --repeats 5 before you learn from shares: "
    "{few}.",
}
"""What to do where shares are not seen above their floor."""
# Groups that differ by less have shares that differ by chance.
_SMALL_SPREAD = 0.02


def look(found: Result, about: pages.About, *, rules: Sequence[str] = ()) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : Result
    about : About
        The file it was found on.
    rules : sequence of str
        Rules for ``--fail-on``.
    """
    chosen, answers = found.chosen(), found.answers()
    lead = found.estimate(answers["auc"]) if len(answers) else None
    floor = found.of_floor(found.highest_floor()).mean()
    return pages.Look(
        "bags",
        about.eyebrow("Bags") + pages.say(", groups {by}", by=pages.code(found.by)),
        list(say_found(found)),
        [*sections(found), pages.again_section(about, conditions(found))],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": "AUC",
            **claims.score_facts(lead),
            "floor": float(floor),
        },
        extra={"by": found.by, **_choice(chosen), "bags": found.to_dict()},
        tables={
            "scores": found.scores,
            "floors": found.floors,
            "ceiling": found.ceiling,
        },
        checks="Shares were held against labels on rows that no learner saw.",
        nothing_to_do=pages.say(
            "Choose learner and settings by {rule} when you have shares only.",
            rule=pages.code(RULE),
        ),
        rules=rules,
    )


def _choice(chosen: pd.DataFrame) -> dict[str, Any]:
    """Name the learner and settings of the JSON: the choice made most often."""
    if not len(chosen):
        return {"learner": None, "params": None, "criterion": RULE}
    name = chosen["learner"].mode().iloc[0]
    first = chosen[chosen["learner"] == name].iloc[0]
    return {"learner": name, "params": first["params"], "criterion": RULE}


def say_found(found: Result) -> Iterator[claims.Claim]:
    """Make every claim on shares, as an audit repeats them, too."""
    chosen = found.chosen()
    if not len(chosen):
        yield claims.Condition(
            sentence="No learner could use these groups.", section="learners"
        )
    else:
        yield against_floor(found)
        yield from _price(found)
        yield _rule_choice(found)
    done = len(found.learners)
    if done < found.planned:
        yield claims.Unfinished(
            "learners",
            done,
            found.planned,
            severity="careful",
            kind="unfinished",
            section="learners",
        )
    yield from _about_groups(found)
    yield from claims.remarks(found.notes, section="learners")


def against_floor(found: Result) -> claims.AgainstFloor:
    """Hold what --shares would answer against the best answer without learning."""
    name = found.highest_floor()
    own, free = found.answers().set_index("repeat")["auc"], found.of_floor(name)
    gap, _ = found.difference(own, free)
    words = _FLOOR_WORDS.get(name, name)
    claim = claims.AgainstFloor(
        pages.say("{shares}, by {who},", shares=SHARES, who=_names(found.chosen())),
        found.estimate(own),
        claims.Estimate(found.estimate(free).value, "AUC"),
        words,
        # Without a spread of the differences the score's own interval decides.
        difference=gap if gap.has_interval else None,
        many=True,
        section="learners",
        how=f"Learner and settings chosen by {RULE}, which needs no label; its odds "
        "shifted in every group to meet the share, as --shares answers; "
        f"{pages.plural(found.repeats, 'division')}.",
    )
    if claim.standing == "above":
        return claim
    few = no_test(found.repeats)
    return replace(claim, fix=_INSTEAD[claim.standing].format(floor=words, few=few))


def _above(found: Result) -> bool:
    return against_floor(found).standing == "above"


def _price(found: Result) -> Iterator[claims.Claim]:
    """Say what labels would add; the careful end decides how bad that is."""
    own = found.answers().set_index("repeat")["auc"]
    gap, _ = found.difference(found.of_ceiling(), own)
    floor = float(found.of_floor(found.highest_floor()).mean())
    room = float(found.of_ceiling().mean()) - floor
    low = gap.low if gap.low is not None else 0.0
    severity = "serious" if low > 0.5 * room > 0 else "careful" if low > 0 else None
    yield claims.Comparison(
        "a model with every label",
        SHARES,
        gap,
        gap.basis,
        severity=severity,  # type: ignore[arg-type]
        kind="shares",
        section="learners",
        size=max(low, 0.0),
        how="Logistic regression, tuned on the same halves of the same rows, shifted "
        "to the same shares and cut alike: the likeliest class.",
        fix="Label a few rows: shares and labels together are learnt from with "
        "--shares and --labelled."
        if severity and _above(found)
        else "",
    )


def _rule_choice(found: Result) -> claims.Claim:
    """Say what the rule chose, and what a choice by test labels would have more."""
    names = _names(found.chosen())
    gap = found.estimate(found.regret(RULE))
    careful = gap.low is not None and gap.low > 0.02
    return claims.Chosen(
        names,
        pages.code(RULE),
        gap if gap.has_interval else None,
        severity="careful" if careful else None,
        kind="regret",
        section="rules",
        how="Learner and settings by the smallest distance between predicted and known "
        "shares.",
    )


def _names(chosen: pd.DataFrame) -> pages.Prose:
    """Name the learners that a rule chose, the most frequent first."""
    counts = chosen["learner"].value_counts()
    return pages.names([_title(name) for name in counts.index], most=3)


def alike_groups(spread: float, **more: Any) -> Iterator[claims.Claim]:
    """Say that shares hardly differ, where they do not."""
    if spread < _SMALL_SPREAD:
        yield claims.Condition(
            sentence=pages.say(
                "The groups have almost the same shares: their standard deviation is "
                "{spread}.",
                spread=pages.strong(f"{spread:.3f}"),
            ),
            counts=(spread,),
            severity="careful",
            kind="spread",
            section="groups",
            **more,
        )


def _about_groups(found: Result) -> Iterator[claims.Claim]:
    yield from alike_groups(
        found.spread,
        how="What differs between such groups is mostly chance.",
        fix="Group by a column whose groups differ more in their shares.",
    )
    if found.variant in ("intermediate", "hard"):
        yield claims.Condition(
            sentence="Groups differ in more than their labels; mean maps and forward "
            "correction assume that they do not.",
            severity="careful",
            kind="variant",
            section="variant",
        )


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: groups, variant, learners beside their floors, rules."""
    parts = [_groups(found), _variant(found)]
    if len(found.chosen()):
        parts += [_learners(found), _rules(found)]
    return parts


def told_classes(found: Result) -> list[str]:
    """Classes whose shares are shown: the second of two, else those that vary most."""
    if len(found.classes) == 2:
        return [found.classes[1]]
    if not len(found.groups):
        return []
    spread = found.groups[list(found.classes)].std(ddof=0)
    return spread.sort_values(ascending=False).index.tolist()[:MOST_CLASSES]


def _groups(found: Result) -> pages.Section:
    sizes = f"{found.smallest:,} to {found.largest:,}, {found.mean_size:.0f} on average"
    facts: list[tuple[str, Any]] = [
        ("Rows in a group", sizes),
        ("Spread of the shares", f"{found.spread:.3f} (standard deviation)"),
        ("Separation", f"{found.separation:.3f} (1: groups look alike)"),
    ]
    blocks: list[Any] = [pages.Facts(facts)]
    if len(found.groups):
        blocks.append(share_table(found.groups, told_classes(found)))
    return pages.Section(
        "groups",
        "The groups",
        f"{pages.count(found.n_groups)} groups, {pages.count(found.rows)} rows in all",
        lead="The larger the spread of the shares, and the smaller the groups, the "
        "more they tell.",
        blocks=blocks,
    )


def share_table(groups: pd.DataFrame, told: Sequence[str]) -> pages.Table:
    """Show the share of every group, largest first."""
    order = groups.sort_values(told[0], ascending=False, kind="stable")
    columns = ["Group", "Rows"]
    columns += [
        pages.Column(pages.say("Share of {it}", it=name), sorted=name == told[0])
        for name in told
    ]
    rows = [
        [
            pages.code(str(row["group"])),
            pages.Cell(pages.count(int(row["rows"])), value=float(row["rows"])),
            *(pages.Cell.number(row[label]) for label in told),
        ]
        for _, row in order.head(MOST_GROUPS).iterrows()
    ]
    return pages.Table.of(
        "shares",
        "Share in every group",
        columns,
        rows,
        titled=True,
        downloads=[pages.Download.csv("groups.csv", groups)],
    )


def _variant(found: Result) -> pages.Section:
    rows = [
        [
            row.question,
            pages.Cell(_decision(row.decision), tone="muted"),
            pages.Cell(pages.p_value(float(row.p_value)), value=float(row.p_value)),
            pages.Cell(
                pages.fixed(row.seen, 3) if pd.notna(row.seen) else "",
                value=float(row.seen),
            ),
        ]
        for row in found.tests.itertuples()
    ]
    return pages.Section(
        "variant",
        "The variant",
        pages.prose(found.variant_sentence.rstrip(".")),
        lead=pages.say(
            "How groups depend on rows and labels decides which learners can work. "
            "{rows} rows were looked at. Four of the five p-values are approximate: "
            "read them as decisions. The last column is the weakest dependence that "
            "would have been seen in four of five tables of this size: Cramér's V of "
            "label and bag, for the others the share of the prediction error that "
            "the trees of the test explain, which is less than there is to explain.",
            rows=pages.count(found.looked_at),
        ),
        blocks=[
            pages.Table.of(
                "tests",
                "Five tests",
                ["Related?", pages.Column("Decision", "text"), "p", "Would have seen"],
                rows,
                titled=True,
                brief=True,
            )
        ],
    )


def _decision(word: str) -> str:
    """Absence of evidence is no fact: nothing was told apart."""
    return "related" if word == "dependent" else "not told apart"


def _title(name: str) -> str:
    return LEARNERS[name].title if name in LEARNERS else str(name)


def _measures(found: Result) -> list[str]:
    return [name for name in MEASURES if name in found.ceiling]


def _head(found: Result) -> list[pages.Column]:
    titles = {name: pages.capital(text) for name, text in MEASURES.items()}
    last = found.classes[-1]
    titles["f1"] = f"F1 of {last}" if len(found.classes) == 2 else "F1, mean of classes"
    first, *rest = (
        pages.Column(titles[name], best="max", sorted=not place)
        for place, name in enumerate(_measures(found))
    )
    return [pages.Column("Answer", "name"), first, pages.Column("95 %"), *rest]


def _score_row(found: Result, name: Any, frame: pd.DataFrame, place: Any = "") -> Any:
    """One row of the table: the means of all measures, the interval of the first."""
    lead = found.estimate(frame["auc"])
    cells = [
        name,
        pages.Cell(lead.text, value=lead.value, tone="strong"),
        pages.Cell(lead.interval, tone="muted"),
        *(pages.Cell.number(frame[one].mean()) for one in _measures(found)[1:]),
    ]
    return pages.Row(cells, place)


def _learners(found: Result) -> pages.Section:
    frame = found.scores
    order, adjusted = found.ranking()
    rows = [_score_row(found, "every label", found.labels(), "top")]
    if found.is_shifted:
        rows = [_score_row(found, "every label, shifted alike", found.labels(), "top")]
        rows.append(_score_row(found, "every label, as it is", found.ceiling, "top"))
    oracle = frame[~frame["rule"].isin(found.rules())]
    top = oracle.loc[oracle.groupby("repeat")["auc"].idxmax()]
    rows.append(_score_row(found, "oracle: chosen by test labels", top, "top"))
    rows.append(_score_row(found, _SHIFTED, found.answers()))
    rows.append(_score_row(found, f"chosen by {RULE}, as it is", found.chosen()))
    for name in order:
        mine = frame[(frame["learner"] == name) & (frame["rule"] == RULE)]
        rows.append(_score_row(found, _title(name), mine))
    for name in dict.fromkeys(found.floors["floor"]):
        mine = found.floors[found.floors["floor"] == name]
        rows.append(_score_row(found, name, mine, "bottom"))
    told = "Shares alone: the learner that the rule chooses, its odds shifted in every "
    told += (
        "group until the told share is met; so answers --shares. Below it a row per "
    )
    told += "learner as it is, its settings chosen without labels. "
    return pages.Section(
        "learners",
        "The learners",
        against_floor(found),
        lead=told + str(_ties(found, order, adjusted).words),
        blocks=[
            _dots(found, order),
            pages.Table.of(
                "learners",
                "Scores on rows that no learner saw",
                _head(found),
                rows,
                titled=True,
                brief=True,
            ),
        ],
    )


def _ties(found: Result, order: list[str], adjusted: list[float]) -> claims.Claim:
    """Who cannot be told from the first learner of the table."""
    test = f"corrected resampled t, {found.repeats} divisions, Holm"
    if found.repeats < FEWEST:
        test = no_test(found.repeats)
    tied = [name for name, p in zip(order, adjusted, strict=True) if not p <= 0.05]
    if len(tied) > 1 or len(order) == 1:
        return claims.Tie(tuple(_title(name) for name in tied), test, "AUC")
    first, second = order[:2]
    gap, _ = found.difference(found.of_learner(first), found.of_learner(second))
    names = pages.name(_title(first)), pages.name(_title(second))
    return claims.Comparison(*names, gap, test, corrected_for=len(order) - 1)


def _dots(found: Result, order: list[str]) -> pages.Figure:
    rows = [figures.Dot("every label", found.estimate(found.of_ceiling()), "c8")]
    best = found.estimate(found.best_by_test())
    rows.append(figures.Dot("oracle", best, filled=False))
    rows.append(figures.Dot(SHARES, found.estimate(found.answers()["auc"])))
    own = found.estimate(found.chosen()["auc"])
    rows.append(figures.Dot("chosen, as it is", own, "muted"))
    rows += [
        figures.Dot(_title(name), found.estimate(found.of_learner(name)), "muted")
        for name in order
    ]
    rows += [
        figures.Dot(name, found.estimate(found.of_floor(name)), "free")
        for name in FLOORS
        if name in set(found.floors["floor"])
    ]
    floor = found.estimate(found.of_floor(found.highest_floor()))
    claim = against_floor(found)
    return figures.score_dots(
        rows,
        name="learners",
        title=claim,
        label=str(claim.words),
        unit="AUC",
        floor=floor,
        limits=(0.0, 1.0),
        conditions=f"95 % interval over {found.repeats} divisions, corrected for the "
        "rows that they share. Hatched: reached without learning.",
    )


def _rules(found: Result) -> pages.Section:
    rows = []
    for rule in found.rules():
        regret = found.regret(rule)
        own = found.chosen(rule)
        gap = found.estimate(regret)
        summary = RULES[rule].summary if rule in RULES else ""
        rows.append(
            [
                rule,
                pages.Cell.number(regret.mean()),
                pages.Cell(gap.interval, tone="muted"),
                _names(own),
                pages.Cell(summary, tone="muted"),
            ]
        )
    return pages.Section(
        "rules",
        "Choosing without labels",
        _rule_choice(found),
        lead="Regret: the AUC that a choice by test labels has more, of learners as "
        "they are. Such a choice also picks what was lucky on these rows.",
        blocks=[
            pages.Table.of(
                "rules",
                "What each rule gives up",
                [
                    "Rule",
                    pages.Column("Regret", best="min", sorted=True),
                    "95 %",
                    pages.Column("Chooses", "text", below="most often first"),
                    pages.Column("Looks at", "text"),
                ],
                rows,
                titled=True,
                brief=True,
            )
        ],
    )


def _line(found: Result) -> pages.Figure | None:
    chosen = found.chosen()
    if not len(chosen):
        return None
    floor = found.highest_floor()
    return figures.score_line(
        [
            figures.Mark(SHARES, found.estimate(found.answers()["auc"])),
            figures.Mark("every label", found.estimate(found.of_ceiling()), "c8"),
        ],
        label=str(against_floor(found).words),
        floor=figures.Mark(floor, found.estimate(found.of_floor(floor)), "free"),
        limits=(0.0, 1.0),
        conditions=f"AUC on test rows. Line: 95 % interval over {found.repeats} "
        "divisions.",
    )


def conditions(found: Result) -> str:
    """Say under which conditions the numbers hold."""
    return (
        f"{found.rows:,} rows in {found.n_groups:,} groups, "
        f"{pages.plural(found.repeats, 'division')}, a quarter of the rows for the "
        "test."
    )
