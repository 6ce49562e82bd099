"""What candidate labels and crowds are worth, as one Look."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caveat import pages
from caveat.candidates._claims import against_vote, all_claims, worth
from caveat.candidates.crowd._sections import sections
from caveat.candidates.result import ONE_LABEL, VOTE, Result
from caveat.pages import claims, figures

__all__ = ["look", "sections"]


def look(
    found: Result,
    about: pages.About,
    *,
    model: bytes | None = None,
    rules: Sequence[str] = (),
) -> pages.Look:
    """Show what was found.

    Parameters
    ----------
    found : Result
    about : About
        The file it was found in.
    model : bytes, optional
        A network for new items, as a file.
    rules : sequence of str
        Rules for ``--fail-on``.
    """
    return pages.Look(
        "candidates",
        about.eyebrow("Candidate labels"),
        list(all_claims(found)),
        [
            *sections(found),
            *([_new_items(model)] if model else []),
            pages.again_section(about, found.conditions),
        ],
        figure=_line(found),
        facts={
            **about.facts(),
            "measure": "accuracy",
            **claims.score_facts(found.estimate),
            "floor": found.floor.value,
        },
        extra=found.to_dict(),
        tables={
            "suggestions": found.suggestions,
            "annotators": found.people,
            "ask_again": found.ask_again,
            "methods": found.methods,
        },
        checks="People, agreement, and labels against those of a vote were looked at.",
        nothing_to_do="Nothing to do: use the suggested labels.",
        rules=rules,
    )


def _new_items(model: bytes) -> pages.Section:
    return pages.Section(
        "new-items",
        "New items",
        "A network that was trained on all sets labels items that nobody has seen",
        blocks=[
            pages.Notice(
                pages.say("It is in {file}.", file=pages.code("model.caveat")),
                files=[pages.Download("model.caveat", "model", model)],
            ),
            pages.Facts(
                [("In Python", "features as in the file, one row per item")],
                command='caveat.candidates.load_model("model.caveat").predict(new)',
            ),
        ],
    )


def _line(found: Result) -> pages.Figure | None:
    if not math.isfinite(found.estimate.value):
        return None
    compared = against_vote(found)
    if compared is not None:
        return _foreseen(found, str(compared.words))
    floor = figures.Mark("vote" if found.vote else ONE_LABEL, found.floor, "free")
    marks = [floor, figures.Mark(found.chosen, found.estimate)]
    if found.vote:
        marks.append(figures.Mark(ONE_LABEL, found.one_label, "c8"))
    by = "by the truth" if found.known else "by the methods' own probabilities"
    return figures.score_line(
        marks,
        label=str(worth(found).words),
        floor=floor,
        limits=(0.0, 1.0),
        conditions=f"Share of labels that are right, {by}. Line: 95 % interval.",
    )


def _foreseen(found: Result, words: str) -> pages.Figure:
    """Draw what nobody has to check: answers that were left out, and who names them."""
    floor = figures.Mark("vote", found.predicts(VOTE), "free")
    marks = [figures.Mark(found.chosen, found.predicts(found.chosen))]
    marks.append(figures.Mark(ONE_LABEL, found.predicts(ONE_LABEL), "c8"))
    return figures.score_line(
        [floor, *marks],
        label=words,
        floor=floor,
        limits=(0.0, 1.0),
        conditions="Share of left-out answers that the labels name; people err, too. "
        "Line: 95 % interval.",
    )
