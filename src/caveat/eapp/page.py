"""What EAPP's result says: claims, figures and tables, as one Look."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat import pages
from caveat.eapp._null_band import (
    CHANCE,
    PARTLY,
    TRIVIAL,
    UNDEFINED,
    UNTESTED,
    in_words,
)
from caveat.eapp._plot import plot_curve
from caveat.eapp.result import CLUSTERS, MEANS, Result
from caveat.pages import claims, figures

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAD = (
    "EAPP sorts the rows into k clusters by their features alone; labels then name "
    "each cluster 0 or 1. It is the bar a classifier has to clear, as the majority "
    "class is for accuracy."
)
_LEAD_NUMBERS = (
    "EAPP sorts the rows into k clusters by their features alone, then predicts the "
    "means of the two nearest. Concordance is the share of pairs in the right order."
)
_HOW_NAMED = (
    " Solid: clusters named on training rows. Dashed: named on the rows they are "
    "scored on, as published."
)
_HOW_MEANS = " Solid: cluster means taken from training rows."
_TOKENS = (
    *("earned", "published", "null", "faint", "muted", "panel", "rule"),
    *("ink", "page"),
)


@dataclass(frozen=True)
class Verdict(claims.Condition):
    """What a value means: a title has its first clause, the caveat below all of it."""

    @property
    def short(self) -> pages.Prose:
        """The first clause."""
        return pages.prose(str(self.words).partition(":")[0] + ".")


def look(
    found: Result,
    about: pages.About,
    *,
    model_auc: float | None = None,
    rules: Sequence[str] = (),
) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : Result
    about : About
        The file or data set it was found on.
    model_auc : float, optional
        A model's AUC, to compare.
    rules : sequence of str
        Rules for ``--fail-on``.
    """
    one = found.estimate
    return pages.Look(
        "eapp",
        about.eyebrow("EAPP"),
        list(_claims(found, model_auc)),
        [*sections(found, model_auc), pages.again_section(about, found.conditions)],
        figure=_line(found, model_auc),
        facts={
            **about.facts(),
            "measure": found.measure,
            **claims.score_facts(one),
            "floor": found.floor.value,
            "free": one.value,
            "p_value": found.p_value,
        },
        extra={"eapp": found.to_dict()},
        tables=_tables(found),
        checks="The value at 1/p₀ was held against shuffled labels.",
        rules=rules,
    )


def against_chance(found: Result) -> claims.Claim:
    """Hold the value against shuffled labels: the finding of every EAPP look."""
    subject = MEANS if found.of_numbers else CLUSTERS
    if found.verdict == UNDEFINED:
        return claims.Condition(sentence=in_words(UNDEFINED), section="eapp")
    if found.verdict == UNTESTED:
        return claims.Value(subject, found.estimate, "reach", section="eapp")
    return claims.AgainstFloor(
        subject,
        found.estimate,
        found.floor,
        "shuffled labels",
        p_value=found.p_value,
        alpha=found.alpha,
        many=True,
        section="eapp",
        how=f"{pages.p_value(found.p_value)}, {found.shuffles} shuffles.",
    )


def _claims(found: Result, model_auc: float | None) -> Iterator[claims.Claim]:
    yield against_chance(found)
    yield from _verdict(found)
    if model_auc is not None:
        yield _compared(found, model_auc)
    if math.isfinite(found.value_paper) and math.isfinite(found.paper_null[1]):
        yield claims.Condition(
            sentence=pages.say(
                "Named on the rows they are scored on, as published, they would show "
                "{value}; shuffled labels reach {null} that way.",
                value=pages.strong(f"{found.value_paper:.2f}"),
                null=pages.ends(*found.paper_null[1:], 2),
            ),
            counts=(found.value_paper, *found.paper_null[1:]),
            severity="note",
            kind="published",
            section="eapp",
            how="Compare models with the honest value.",
        )
    if found.probe is not None:
        yield probed(found.probe)
    yield from claims.remarks(found.notes, section="eapp")


def _skill_ends(found: Result) -> tuple[float, ...]:
    """Carry the interval of the value to the way from shuffled labels to 1."""
    one, mean = found.estimate, found.null[0]
    if one.low is None or one.high is None or not mean < 1:
        return ()
    return tuple((end - mean) / (1 - mean) for end in (one.low, one.high))


def _verdict(found: Result) -> Iterator[claims.Claim]:
    """Say what the value means; how much is known is decided by the lower end."""
    numbers = found.of_numbers
    if found.verdict == CHANCE:
        yield claims.Condition(
            sentence="That does not prove that nothing gives the "
            f"{'target' if numbers else 'classes'} away.",
            severity="note",
            kind="chance",
            section="eapp",
            how="A single telling column stays unseen here.",
            fix="Look at single columns with --drivers.",
        )
    if found.verdict == UNTESTED:
        least = math.ceil(1 / found.alpha) - 1
        yield claims.Condition(
            sentence=in_words(UNTESTED),
            kind="chance",
            severity="careful",
            section="eapp",
            how=f"{found.shuffles} shuffles; it takes {least} at least.",
            fix=f"Run it again with --shuffles {max(200, least)}.",
            counts=(found.shuffles, least),
        )
    if found.verdict not in (PARTLY, TRIVIAL):
        return
    mean, low = found.null[0], found.estimate.low
    surely = low is not None and low - mean >= 0.6 * (1 - mean)
    verdict = TRIVIAL if surely else PARTLY
    ends = _skill_ends(found)
    shown = f" ({' to '.join(pages.fixed(end, 2) for end in ends)})" if ends else ""
    skill = pages.fixed(found.skill, 2)
    yield Verdict(
        sentence=in_words(verdict, numbers=numbers),
        severity="careful",  # an easy task is no fault; the title does not mislead
        kind="free",
        section="eapp",
        size=found.skill,
        how=f"{skill}{shown} of the way from shuffled labels to 1.",
        counts=(found.skill, 1, *ends),
        estimate=found.estimate,
        fix=_driver_advice(found),
    )


def _driver_advice(found: Result) -> pages.Words:
    if found.drivers is None:
        return "Ask which columns it rests on: --drivers."
    best = found.drivers.sort_values("alone", ascending=False).iloc[0]
    name = pages.code(str(best["column"]))
    return pages.say("Ask first whether {name} would be known in time.", name=name)


def _compared(found: Result, auc: float) -> claims.Claim:
    """Place a model's AUC, which comes without an interval, beside that of clusters."""
    one = found.estimate
    low, high = (one.low, one.high) if one.has_interval else (one.value, one.value)
    assert low is not None
    assert high is not None
    if auc > high:
        words, severity = "lies above what clusters reach", "note"
    elif auc < low:
        words, severity = "lies below what clusters reach", "serious"
    else:
        words, severity = "cannot be told from what clusters reach", "careful"
    return claims.Condition(
        sentence=pages.say(
            "The model's {auc} {words}, {clusters}.",
            auc=pages.strong(f"{auc:.2f}"),
            words=words,
            clusters=claims.written(one),
        ),
        counts=(auc, *one.numbers),
        severity=severity,  # type: ignore[arg-type]
        kind="model",
        section="eapp",
        how="The model's number was given without an interval.",
    )


def probed(probe: pd.DataFrame) -> claims.Claim:
    """Say how coarse a planted bias had to be to be seen."""
    largest = float(probe["s"].max())
    seen = probe.loc[probe["detected"].astype(bool), "s"]
    how = "Class 1 of shuffled labels was shifted and EAPP computed again."
    if not len(seen):
        words = f"A planted shift of {largest:g} standard deviations stays unseen."
        place = {"severity": "careful", "counts": (largest,)}
    elif seen.min() == 0:
        words = "Shuffled labels lay above their band without any shift, by chance."
        place = {"severity": "note", "fix": "Probe again with another --seed."}
    else:
        least = float(seen.min())
        words = f"A planted shift of {least:g} standard deviations was seen."
        place = {"severity": "note", "counts": (least,)}
    return claims.Condition(
        sentence=words, how=how, kind="probe", section="probe", **place
    )


def sections(found: Result, model_auc: float | None = None) -> list[pages.Section]:
    """Give the evidence: the curve, every class, the columns, the probe."""
    parts = [
        pages.Section(
            "eapp",
            "What clusters reach",
            against_chance(found),
            lead=_LEAD_NUMBERS if found.of_numbers else _LEAD,
            blocks=[_curve(found, model_auc), _curve_table(found)],
        )
    ]
    if len(found.classes) > 1:
        parts.append(_classes(found.classes))
    if found.drivers is not None:
        parts.append(_drivers(found.drivers))
    if found.probe is not None:
        parts.append(_probe(found.probe))
    return parts


def _curve(found: Result, model_auc: float | None) -> pages.Figure:
    def draw(canvas: pages.Canvas) -> None:
        axes = canvas.axes(0.45, 0.5, canvas.width - 0.5, canvas.height - 0.85)
        palette = {name: canvas.colour(name) for name in _TOKENS}
        palette["slate"] = canvas.colour("c8")
        plot_curve(
            found,
            axes,
            palette=palette,
            title=False,
            narrow=canvas.phone,
            model_auc=model_auc,
        )

    inside = found.curve["honest"] > found.curve["null_high"]
    title = "What clusters reach, for every number of clusters"
    if found.curve["null_high"].notna().all():
        title = (
            f"At {inside.sum()} of {len(inside)} numbers of clusters they lie above "
            "95 % of shuffled labels"
        )
    how = _HOW_MEANS if found.of_numbers else _HOW_NAMED
    low, high = found.curve["honest"].min(), found.curve["honest"].max()
    return pages.Figure(
        "curve",
        title,
        f"{title}. Clusters reach {low:.2f} to {high:.2f} {found.measure}.",
        draw,
        size=(7.0, 3.2),
        phone_size=(3.6, 3.4),
        conditions=found.conditions + how,
        downloads=[pages.Download.csv("curve.csv", found.curve)],
    )


def _curve_table(found: Result) -> pages.Table:
    columns: list[Any] = ["Clusters", "Honest", "Shuffled, 95 %"]
    rows: list[list[Any]] = [
        [
            pages.Cell(str(row.k), value=float(row.k)),
            pages.Cell.number(row.honest, tone="strong"),
            pages.ends(row.null_low, row.null_high, 2),
        ]
        for row in found.curve.itertuples()
    ]
    read = pages.Cell.number(found.value, tone="strong")
    rows.append([_where_read(found), read, pages.ends(*found.null[1:], 2)])
    if not found.of_numbers:
        labeling = pages.Column("Labeling", "text")
        columns += ["As published", "Published, shuffled", labeling]
        for cells, row in zip(rows[:-1], found.curve.itertuples(), strict=True):
            cells += [
                pages.Cell.number(row.paper),
                pages.ends(row.paper_null_low, row.paper_null_high, 2),
                pages.Cell("exact" if row.exact else "searched", tone="muted"),
            ]
        published = pages.Cell.number(found.value_paper)
        rows[-1] += [published, pages.ends(*found.paper_null[1:], 2), ""]
    return pages.Table.of(
        "values",
        "The curve in numbers",
        columns,
        [*rows[:-1], pages.Row(rows[-1], "bottom")],
        titled=True,
        brief=True,
    )


def _where_read(found: Result) -> str:
    """Say at which number of clusters the value is read."""
    if found.of_numbers:
        return "at k = 2"
    several = found.classes["k_star"].nunique() > 1
    return "1/p₀, each class" if several else f"1/p₀ = {found.k_star:.4g}"


def _classes(classes: pd.DataFrame) -> pages.Section:
    order = classes.sort_values("value", ascending=False)
    rows = [
        [
            pages.code(str(row.label)),
            pages.Cell(pages.percent(row.share), value=row.share),
            pages.Cell(f"{row.k_star:.4g}", value=row.k_star),
            pages.Cell.number(row.value, tone="strong"),
            pages.ends(row.null_low, row.null_high, 2),
            pages.Cell(row.verdict, tone="muted"),
        ]
        for row in order.itertuples()
    ]
    columns = [
        "Class",
        "Share",
        "1/p₀",
        pages.Column("Honest", best="max", sorted=True),
        "Shuffled, 95 %",
        pages.Column("Verdict", "text"),
    ]
    return pages.Section(
        "classes",
        "The classes",
        "Every class against the others, each read at its own 1/p₀",
        blocks=[
            pages.Table.of("by-class", "EAPP of every class", columns, rows, brief=True)
        ],
    )


def _drivers(drivers: pd.DataFrame) -> pages.Section:
    # A column that tells a lot alone may be hidden among many: it is always shown.
    best = drivers.sort_values("alone", ascending=False).head(1)
    shown = pd.concat([drivers.head(20), best]).drop_duplicates("column")
    rows = [
        [
            pages.code(str(row.column)),
            pages.Cell(pages.signed(row.drop, 3), value=row.drop, tone="strong"),
            pages.Cell.number(row.alone),
        ]
        for row in shown.itertuples()
    ]
    return pages.Section(
        "drivers",
        "What drives it",
        "What each column carries, among the others and alone",
        lead=(
            "Lost: held-out values of one column change places; names and centroids "
            "stay. Alone: what clusters of that column reach. Two columns that say the "
            "same hide each other from shuffling."
        ),
        blocks=[
            pages.Table.of(
                "drivers",
                "What each column carries",
                [
                    "Column",
                    pages.Column("Lost when shuffled", best="max", sorted=True),
                    pages.Column("Alone", best="max"),
                ],
                rows,
                brief=True,
                downloads=[pages.Download.csv("drivers.csv", drivers)],
            )
        ],
    )


def _probe(probe: pd.DataFrame) -> pages.Section:
    rows = [
        [
            pages.Cell(f"{row.s:g}", value=row.s),
            pages.Cell.number(row.eapp, tone="strong"),
            pages.Cell.number(row.null_high),
            pages.Cell("yes" if row.detected else "no", tone="muted"),
        ]
        for row in probe.itertuples()
    ]
    return pages.Section(
        "probe",
        "How coarse a bias must be",
        probed(probe),
        lead=(
            "Labels are shuffled, so that they know nothing; then class 1 is shifted "
            "by so many standard deviations, and EAPP computed again."
        ),
        blocks=[
            pages.Table.of(
                "probe",
                "EAPP after a planted shift",
                [
                    "Shift, sd",
                    "Value",
                    "Shuffled, 97.5 %",
                    pages.Column("Seen", "text"),
                ],
                rows,
                brief=True,
                downloads=[pages.Download.csv("probe.csv", probe)],
            )
        ],
    )


def _line(found: Result, model_auc: float | None) -> pages.Figure | None:
    if math.isnan(found.value):
        return None
    _, low, high = found.null
    clusters = figures.Mark("clusters", found.estimate, "free")
    model = []
    if model_auc is not None:
        model = [figures.Mark("model", claims.Estimate(model_auc, found.measure))]
    return figures.score_line(
        [clusters, *model],
        label=str(against_chance(found).words),
        floor=clusters,
        band=None if math.isnan(low) else (low, high),
        limits=(0.0, 1.0),
        conditions=f"{pages.capital(found.measure)} on held-out rows. Line: 95 % "
        f"interval over {len(found.folds)} folds. Grey: 95 % of shuffled labels.",
    )


def _tables(found: Result) -> dict[str, pd.DataFrame]:
    frames: dict[str, Any] = {
        "curve": found.curve,
        "classes": found.classes if len(found.classes) > 1 else None,
        "drivers": found.drivers,
        "probe": found.probe,
    }
    return {name: frame for name, frame in frames.items() if frame is not None}
