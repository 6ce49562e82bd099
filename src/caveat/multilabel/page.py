"""What a result about many labels says: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from caveat import pages
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel.registry import LEARNERS
from caveat.multilabel.result import MAIN, Model, Result
from caveat.pages import claims, figures
from caveat.statistics import holm

ORDER = (
    *("average_precision", "macro_auc", "micro_auc", "instance_auc", "ranking_loss"),
    *("one_error", "coverage", "instance_f1", "micro_f1", "macro_f1", "hamming_loss"),
)
RULE = "the score on held-out training rows"
TEST = "paired bootstrap over the test rows"
#: Which pairs a measure of order compares.
ORDERS = {"instance_auc": "labels within a row", "macro_auc": "rows within a label"}
_SERVED = {
    "both": "labels within a row and rows within a label",
    "label-wise": "labels within a row only",
    "instance-wise": "rows within a label only",
    "neither": "neither kind of pairs",
}
_LEAD = pages.prose(
    "Each measure compares something else, so a model can be good by one and poor by "
    "another. Italic rows look at no feature."
)
_TUNED = "tuned on the test rows"
_WORTH_SAYING = 0.02


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
    first = found.chosen
    one = found.estimate(first, MAIN) if MAIN in first.draws else None
    free, flat = found.floors[0], found.floors[-1]
    return pages.Look(
        "multilabel",
        about.eyebrow("Many labels"),
        list(_claims(found)),
        [*sections(found), pages.again_section(about, found.conditions)],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": MEASURES[MAIN].title,
            "score": one.value if one else None,
            "low": one.low if one else None,
            "high": one.high if one else None,
            "floor": flat.values.get(MAIN),
            "free": free.values.get(MAIN),
            "p_value": found.p_value(first, free, MAIN) if one else None,
        },
        extra=found.to_dict(),
        tables={"measures": found.to_frame()},
        checks="Popularity, ties, absent labels and thresholds were looked at.",
        nothing_to_do=pages.say(
            "Nothing to do: report {who} with the measure that your use asks for, "
            "beside popularity.",
            who=pages.name(first.name),
        ),
        rules=rules,
    )


def against_popularity(found: Result, measure: str = MAIN) -> claims.Claim:
    """Hold the chosen model against what looks at no feature, row by row."""
    first, free = found.chosen, found.floor(measure)
    title = MEASURES[measure].title
    if free is None or measure not in first.draws:
        return claims.Condition(
            sentence=f"The {title} is not defined on these rows.", section="measures"
        )
    gap, p_value = found.difference(first, free, measure), None
    if gap.has_interval and gap.value > 0:
        p_value = found.p_value(first, free, measure)
    return claims.AgainstFloor(
        _subject(found),
        found.estimate(first, measure),
        found.estimate(free, measure),
        f"{free.name} alone" if free.name in LEARNERS else f"{free.name} for all",
        sign=1 if MEASURES[measure].larger_is_better else -1,
        p_value=p_value,
        section="measures",
        how=pages.sentence(f"{TEST}, {_count(found.n_test)} of them"),
    )


def _subject(found: Result) -> pages.Words:
    if len(found.models) < 2 or not found.chosen.held_out > 0:
        return pages.name(found.chosen.name)
    who = pages.name(found.chosen.name)
    return pages.say("{who}, chosen on held-out training rows,", who=who)


def _claims(found: Result) -> Iterator[claims.Claim]:
    yield against_popularity(found)
    yield from _not_above(found)
    yield from _among(found)
    yield from _disagreement(found)
    yield from _orders(found)
    yield from _thresholds(found)
    yield from _scores(found)
    for note in found.notes:
        words = pages.sentence(note)
        yield claims.Condition(
            sentence=words, severity="careful", kind="small", section="measures"
        )
    if found.failed:
        planned = len(found.models) + len(found.failed)
        yield claims.Unfinished("models", len(found.models), planned)
    for name, why in found.failed.items():
        yield claims.Condition(
            sentence=pages.sentence(f"{name} gave no value: {why}"),
            severity="careful",
            kind="unfinished",
            section="measures",
        )


def _not_above(found: Result) -> Iterator[claims.Claim]:
    """Name the measures on which the chosen model is not above the free rows."""
    missed = []
    for measure in found.measures:
        claim = against_popularity(found, measure)
        if isinstance(claim, claims.AgainstFloor) and claim.standing in ("at", "below"):
            missed.append(MEASURES[measure].title)
    if missed:
        count, all_ = len(missed), len(found.measures)
        yield claims.Condition(
            sentence=pages.say(
                "On {count} of {all} measures {who} is not above what looks at no "
                "feature: {names}.",
                count=pages.strong(str(count)),
                all=str(all_),
                who=pages.name(found.chosen.name),
                names=pages.names(missed, most=11),
            ),
            counts=(count, all_),
            severity="serious" if 2 * count > all_ else "careful",
            kind="free",
            section="measures",
            size=count / all_,
            how=f"Each by its own {TEST}.",
            fix="Report these measures beside popularity, or not at all.",
        )


def _among(found: Result) -> Iterator[claims.Claim]:
    """Say which models cannot be told from the chosen one, and what the choice cost."""
    first = found.chosen
    if len(found.models) < 2 or MAIN not in first.draws:
        return
    tests = f"{TEST}, Holm's correction for {len(found.against_chosen)} comparisons"
    tied = {name for name, p in found.against_chosen.items() if not p <= 0.05}
    if tied:
        together = [m.name for m in _in_order(found) if m.name in {first.name, *tied}]
        yield claims.Tie(tuple(together), tests, section="measures")
    if first.held_out > 0:
        oracle = found.oracle
        regret = found.difference(oracle, first, MAIN) if oracle is not first else None
        yield claims.Chosen(pages.name(first.name), RULE, regret, section="measures")


def _disagreement(found: Result) -> Iterator[claims.Claim]:
    """Say where no model holds its own on every measure."""
    if len(found.models) < 2:
        return
    behind = {measure: found.behind(measure) for measure in found.measures}
    never = [
        model.name
        for model in found.models
        if not any(behind[measure].get(model.name, True) for measure in behind)
    ]
    if not never:
        yield claims.Condition(
            sentence="Every model falls behind another on some measure: the measures "
            "ask different things.",
            severity="note",
            kind="measures",
            section="measures",
            how=f"{TEST}, Holm's correction within each measure.".capitalize(),
            fix="Choose the measure by the use first, the model second.",
        )


def _orders(found: Result) -> Iterator[claims.Claim]:
    """Say which kind of pairs the chosen model puts in order."""
    first = found.chosen
    if "macro_auc" not in first.draws:
        return
    one = found.estimate(first, "macro_auc")
    if one.has_interval and one.low is not None and one.low <= 0.5:
        yield claims.Condition(
            sentence=pages.say(
                "Within a label, {who} orders rows no better than chance as far as "
                "these rows tell: {score}.",
                who=pages.name(first.name),
                score=claims.written(one),
            ),
            severity="serious" if (one.high or 1) < 0.55 else "careful",
            kind="chance",
            section="margins",
            estimate=one,
            counts=(0.5,),
            how="What it has on other measures comes from how common labels are.",
            fix="Look for features that tell rows apart, not labels.",
        )


def _thresholds(found: Result) -> Iterator[claims.Claim]:
    """Say what thresholds tuned on the test rows would pretend."""
    if not found.tuned:
        return
    draws = [float("nan") if d is None else d for d in found.tuned["draws"]]
    gain = _from_draws(draws, found.n_test)
    if gain.low is None or gain.low < _WORTH_SAYING:
        return
    yield claims.Condition(
        sentence=pages.say(
            "Thresholds tuned on the test rows would add {gain} to the macro-F1 of "
            "{who}, from {honest}, without any merit.",
            gain=claims.written(replace(gain, measure="")),
            who=pages.name(found.chosen.name),
            honest=pages.fixed(found.tuned["honest"]),
        ),
        counts=(found.tuned["honest"], found.tuned["tuned"]),
        estimate=gain,
        severity="careful",
        kind="thresholds",
        section="thresholds",
        fix="Ask every published macro-F1 where its thresholds come from.",
    )


def _from_draws(draws: Sequence[float], rows: int) -> claims.Estimate:
    rest = sorted(value for value in draws[1:] if math.isfinite(value))
    if len(rest) < 2:
        return claims.Estimate(draws[0], "macro-F1")
    last = math.ceil(0.975 * len(rest)) - 1
    ends = (min(rest[int(0.025 * len(rest))], draws[0]), max(rest[last], draws[0]))
    return claims.Estimate(draws[0], "macro-F1", *ends, f"{rows:,} test rows", rows)


def _scores(found: Result) -> Iterator[claims.Claim]:
    """Say where scores are decisions in disguise, or tied."""
    for model in found.models:
        who = pages.name(model.name)
        if model.two_valued:
            yield claims.Condition(
                sentence=pages.say(
                    "The scores of {who} take two values at most: decisions used as "
                    "scores, whose order is a matter of ties.",
                    who=who,
                ),
                severity="careful",
                kind="tie",
                section="measures",
                fix="Judge real-valued scores, before they are cut.",
            )
        elif model.tie_share > 0.01:
            share = pages.percent(model.tie_share)
            yield claims.Condition(
                sentence=pages.say(
                    "{share} of the pairs that {who} should order have equal scores.",
                    share=pages.strong(share),
                    who=who,
                ),
                counts=(100 * model.tie_share,),
                severity="note",
                kind="tie",
                section="measures",
                how="Counted one half; literal definitions would count them as right.",
            )


def sections(found: Result) -> list[pages.Section]:
    """Give the evidence: measures, margins, thresholds, labels."""
    return [
        pages.Section(
            "measures",
            "The measures",
            against_popularity(found),
            lead=pages.join([_LEAD, *(claim.words for claim in _among(found))]),
            blocks=[_measure_table(found), _terms(found)],
            wide=True,
        ),
        _margins(found),
        _threshold_section(found),
        _labels(found),
    ]


def _in_order(found: Result) -> list[Model]:
    """Give the models as the table has them."""
    return sorted(found.models, key=lambda m: -_known(m.values.get(MAIN)))


def _measure_table(found: Result) -> pages.Table:
    names = [name for name in ORDER if name in found.measures]
    heading = [pages.Column("Model", "name")] + [
        pages.Column(
            MEASURES[name].title,
            best="max" if MEASURES[name].larger_is_better else "min",
            term=name.replace("_", "-"),
        )
        for name in names
    ]
    behind = {name: found.behind(name) for name in names}

    def row(model: Model, place: str = "") -> pages.Row:
        cells = [pages.Cell(pages.name(model.name))]
        for name in names:
            told = behind[name].get(model.name)
            cells.append(_cell(found, model, name, strong=told is False))
        return pages.Row(cells, place=place)  # type: ignore[arg-type]

    shown = _in_order(found)
    return pages.Table(
        "values",
        "All measures; bold where no other model is ahead beyond doubt",
        heading,
        [row(model) for model in shown] + [row(m, "bottom") for m in found.floors],
        conditions=pages.say(
            "{conditions} Decisions: {cut}. Bold: not behind the first by a {test}, "
            "Holm's correction within a measure.",
            conditions=found.conditions,
            cut=found.cut or "none were given",
            test=TEST,
        ),
        look="board",
        titled=True,
        brief=True,
        downloads=[pages.Download.csv("measures.csv", found.to_frame())],
    )


def _cell(found: Result, model: Model, name: str, *, strong: bool) -> pages.Cell:
    value = model.values.get(name, math.nan)
    if not math.isfinite(value):
        return pages.Cell("–", state="missing", how="nothing to compare")
    one = found.estimate(model, name)
    return pages.Cell(
        _digits(value),
        value=value,
        tone="strong" if strong else "",
        how=f"95 % interval {one.interval}" if one.interval else "",
    )


def _terms(found: Result) -> pages.Terms:
    terms = [
        pages.Term(
            name.replace("_", "-"),
            MEASURES[name].title,
            MEASURES[name].summary,
            MEASURES[name].warnings.replace("`", ""),
        )
        for name in ORDER
        if name in found.measures
    ]
    return pages.Terms("What the measures compare, and when they mislead", terms)


def _margins(found: Result) -> pages.Section:
    served = len(_serving(found))
    heading = pages.say(
        "{who} puts in order: {what}",
        who=pages.name(found.chosen.name),
        what=_SERVED[found.chosen.verdict],
    )
    if len(found.models) > 1:
        heading = pages.prose(
            f"{pages.capital(pages.word(served))} of {pages.word(len(found.models))} "
            "models order labels within a row and rows within a label better than "
            "scores that look at no feature"
        )
    return pages.Section(
        "margins",
        "The margins",
        heading,
        lead="A measure that compares labels within a row is served by the label-wise "
        "margin, one that compares rows within a label by the instance-wise margin; "
        "micro-AUC needs both (Wu and Zhou, 2017). Against scores that look at no "
        f"feature: {TEST}, Holm's correction for all of them.",
        blocks=[_dots(found, name) for name in ORDERS if name in found.measures],
    )


def _serving(found: Result) -> list[str]:
    """Name the models whose two orders both lie above what needs no feature."""
    pairs = []
    for model in found.models:
        for measure in ORDERS:
            free = found.floor(measure)
            if measure not in found.measures or free is None:
                return []
            gap = found.difference(model, free, measure).value
            p = found.p_value(model, free, measure)
            pairs.append((model.name, p if gap > 0 else 1.0))
    adjusted = holm([p for _, p in pairs])
    short = {
        name for (name, _), p in zip(pairs, adjusted, strict=True) if not p <= 0.05
    }
    return [model.name for model in found.models if model.name not in short]


def _dots(found: Result, measure: str) -> pages.Figure:
    """Draw every model's share of pairs in order, beside what needs no feature."""
    known = [m for m in found.models if math.isfinite(_known(m.values.get(measure)))]
    shown = sorted(known, key=lambda m: -m.values[measure])
    free = found.floor(measure)
    floor = None if free is None else found.estimate(free, measure)
    pairs = ORDERS[measure]
    values = "; ".join(f"{m.name} {m.values[measure]:.2f}" for m in shown)
    without = "" if floor is None else f", {floor.text} without looking at a feature"
    title = f"Pairs of {pairs} in the right order{without}"
    return figures.score_dots(
        [figures.Dot(m.name, found.estimate(m, measure)) for m in shown],
        name=measure.replace("_", "-"),
        title=title,
        label=f"{title}. {values}.",
        unit=f"share of pairs of {pairs} in order",
        floor=floor,
        limits=(0, 1),
        conditions=f"Lines are 95 % intervals: {TEST}. Hatched: reached without "
        "looking at a feature.",
    )


def _threshold_section(found: Result) -> pages.Section:
    table = found.chosen.thresholds
    if table.empty:
        return pages.Section(
            "thresholds",
            "The thresholds",
            "Thresholds were not estimated: the scores came without training rows",
            blocks=[
                pages.Notice(
                    "Thresholds tuned on the rows they are judged on flatter every "
                    "F-measure; estimate them on training rows, with "
                    "caveat.multilabel.LabelThreshold or InstanceThreshold."
                )
            ],
        )
    columns = [pages.Column("Threshold", "name")] + [
        pages.Column(MEASURES[name].title) for name in table.columns
    ]
    rows = [
        pages.Row(
            [pages.Cell(str(name))]
            + [pages.Cell(pages.fixed(value), value=value) for value in row],
            place="bottom" if name == _TUNED else "",
        )
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    rows += [
        pages.Row(
            [pages.Cell(f"{one.name}, no feature")]
            + [pages.Cell(pages.fixed(one.values.get(name))) for name in table.columns],
            place="bottom",
        )
        for one in found.floors
    ]
    return pages.Section(
        "thresholds",
        "The thresholds",
        pages.say(
            "{n} ways to cut the scores of {who}, on the same test rows",
            n=pages.capital(pages.word(len(table) - 1)),
            who=pages.name(found.chosen.name),
        ),
        lead="A label is given if its score is above a threshold. Each row is one way "
        f"to find thresholds on held-out training scores; “{_TUNED}” looked at the "
        "test rows and is no result. The last rows look at no feature.",
        blocks=[pages.Table("cuts", "Decision measures by threshold", columns, rows)],
    )


def _labels(found: Result) -> pages.Section:
    first = found.chosen
    known = first.labels.dropna(subset=["auc"]).sort_values("auc", kind="stable")
    columns = [
        pages.Column("Label", "name"),
        pages.Column("Positives", best="max"),
        pages.Column("AUC", best="min", sorted=True),
    ]
    # A model with scores only has no such column: nothing was decided.
    decided = "f1" in known.columns
    if decided:
        columns += [pages.Column("F1", best="max"), pages.Column("F1 of always yes")]
    rows = []
    for name, row in known.head(15).iterrows():
        cells = [
            pages.Cell(pages.code(str(name))),
            pages.Cell(pages.count(int(row["positives"])), value=row["positives"]),
            pages.Cell(pages.fixed(row["auc"]), value=row["auc"], tone="strong"),
        ]
        if decided:
            share = row["positives"] / found.n_test
            always = 2 * share / (1 + share)
            cells.append(pages.Cell(pages.fixed(row["f1"]), value=row["f1"]))
            cells.append(pages.Cell(pages.fixed(always), value=always, tone="muted"))
        rows.append(pages.Row(cells))
    csv = first.labels.to_csv().encode()
    return pages.Section(
        "labels",
        "The labels",
        pages.say(
            "{count} of {all} labels have both classes among the test rows",
            count=_count(len(known)),
            all=_count(found.n_labels),
        ),
        lead="From the lowest AUC up; a label with few positives is a small sample. "
        "All of them are in the CSV.",
        blocks=[
            pages.Table(
                "labels-table",
                pages.say("Labels of {who}", who=first.name),
                columns,
                rows,
                downloads=[pages.Download("labels.csv", "CSV", csv)],
            )
        ]
        if rows
        else [],
    )


def _line(found: Result) -> pages.Figure | None:
    first, free = found.chosen, found.floor(MAIN)
    if MAIN not in first.draws or free is None:
        return None
    if not math.isfinite(_known(first.values[MAIN])):
        return None
    one = found.estimate(first, MAIN)
    floor = found.estimate(free, MAIN)
    return figures.score_line(
        [figures.Mark(first.name, one)],
        label=str(against_popularity(found).words),
        floor=figures.Mark(free.name, floor, "free"),
        limits=(0, 1),
        conditions=f"Average precision, 95 % interval: {TEST}.",
    )


def _digits(value: float) -> str:
    return pages.fixed(value, 3 if abs(value) < 10 else 1)


def _count(number: int) -> str:
    return pages.count(number)


def _known(value: float | None) -> float:
    return math.nan if value is None else value
