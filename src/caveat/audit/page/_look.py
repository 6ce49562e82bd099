"""From a result to a Look: the ladder first, then section after section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caveat import pages
from caveat.audit.page._caveats import all_claims, floor_estimate, floor_name, reported
from caveat.audit.page._sections import ladder, sections
from caveat.audit.page._terms import terms
from caveat.audit.result import Result
from caveat.pages.claims import score_facts

CHECKS = (
    "Looked for: columns, pairs and gaps that tell the target, rows that belong "
    "together, copies, order and time, doubtful labels, what needs no learning, "
    "columns that vanish, weak segments, calibration."
)


def look(
    found: Result,
    about: pages.About,
    *,
    rules: Sequence[str] = (),
    further: pages.Part | None = None,
    digest: str = "",
) -> pages.Look:
    """Show what an audit found.

    Parameters
    ----------
    found : Result
    about : About
        The file.
    rules : sequence of str
        Rules for ``--fail-on``.
    further : Part, optional
        Sections and claims of other topics' looks.
    digest : str
        Of the data, in words.
    """
    made = all_claims(found)
    more = further or pages.Part([], [], {})
    floor = floor_estimate(found)
    conditions = (
        f"{found.done} of {found.planned} trials, {_folds(found)}, "
        f"seed {found.seed}.{digest}"
    )
    again = pages.again_section(
        about, conditions, repeatable=found.done == found.planned
    )
    again = replace(again, blocks=[*again.blocks, terms(found)])
    return pages.Look(
        "audit",
        about.eyebrow("Audit"),
        [*made, *more.claims],
        [*sections(found, made), *more.sections, again],
        figure=ladder(found, floor, floor_name(found)),
        facts={**about.facts(), **_facts(found)},
        extra={"ladder": found.to_frame().to_dict("records")},
        tables={"columns": found.columns, "ladder": found.to_frame(), **more.tables},
        checks=CHECKS,
        nothing_to_do=_nothing_to_do(found),
        rules=rules,
    )


def _folds(found: Result) -> str:
    """Say how many folds judged: those of a round, and of further rounds."""
    most = max((rung.score.n for rung in found.rungs), default=0)
    words, rounds = pages.plural(found.folds, "fold"), most / found.folds
    if rounds <= 1:
        return words
    if rounds.is_integer():
        return f"{rounds:.0f} rounds of {words}"
    return f"rounds of {words}, {most} in all"


def _facts(found: Result) -> dict[str, object]:
    clusters = columns = None
    if found.floor is not None:
        ways = {way.way: way for way in found.floor.ways}
        clusters, columns = ways.get("clusters"), ways.get("column")
    worst = found.vanished[0].loss.value if found.vanished else None
    return {
        "rows": found.rows,
        "measure": found.measure,
        **score_facts(found.score),
        "floor": None if found.floor is None else found.floor.top.score.value,
        "free": None if clusters is None else clusters.score.value,
        "best_column": None if columns is None else columns.column,
        "p_value": None if found.floor is None else found.floor.p_value,
        "worst_loss": worst,
    }


def _nothing_to_do(found: Result) -> pages.Words:
    if found.score is None:
        return "Give it more time with --minutes."
    return pages.say(
        "Nothing to mend: report {score}, with the conditions below.",
        score=reported(found.score, floor_estimate(found)),
    )
