"""Weaker labels as part of an audit's page, or as all of it."""

from __future__ import annotations

from collections.abc import Sequence

from caveat import pages
from caveat.audit._reading import Reading
from caveat.audit._remarks_sets import candidate_labels
from caveat.audit._remarks_weaker import several_targets, shares_of_groups
from caveat.audit._section_sets import sets_section
from caveat.audit._section_shares import shares_section
from caveat.audit._section_targets import targets_section
from caveat.pages import claims

_SECTIONS = {
    "targets": targets_section,
    "bags": shares_section,
    "candidates": sets_section,
}
_CHECKS = (several_targets, shares_of_groups, candidate_labels)


def weaker_part(reading: Reading) -> pages.Part:
    """Give sections and claims of what was asked for."""
    found = [remark.claim() for check in _CHECKS for remark in check(reading)]
    return pages.Part(found, [_SECTIONS[one](reading) for one in reading.asked], {})


def weaker_look(
    reading: Reading, about: pages.About, rules: Sequence[str], digest: str
) -> pages.Look:
    """Make the page of an audit that has no single target."""
    part = weaker_part(reading)
    done, planned = reading.states.get("done", 0), sum(reading.states.values())
    found = list(part.claims)
    if done < planned:
        found.append(
            claims.Unfinished(
                "trials",
                done,
                planned,
                severity="note",
                kind="unfinished",
                section=part.sections[0].name,
                fix="Run the same command again: it goes on where it stopped.",
            )
        )
    again = pages.again_section(
        about, f"{done} of {planned} trials.{digest}", repeatable=done == planned
    )
    title = claims.Condition(sentence=pages.sentence(str(part.sections[0].heading)))
    return pages.Look(
        "audit",
        about.eyebrow("Audit"),
        [title, *found],
        [*part.sections, again],
        facts=about.facts(),
        checks="Looked at what the labels that there are support.",
        rules=rules,
    )
