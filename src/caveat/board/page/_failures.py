"""Section *Failures*: what gave no value, and why."""

from __future__ import annotations

import pandas as pd

from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._context import Context
from caveat.board.page._study import FAILED_STATES, Study
from caveat.pages import (
    Caveat,
    Cell,
    Column,
    Paragraph,
    Row,
    Section,
    Table,
    count,
    name,
    shorten,
)

_WORDS = {"timeout": "time", "oom": "memory", "crashed": "killed", "failed": "error"}
_MOST_ROWS = 40
_MOST_PLACES = 3
_MOST_LETTERS = 160


def failed_trials(study: Study) -> pd.DataFrame:
    """Trials that failed, the baseline's too, with their reason as one word."""
    trials = pd.concat([study.trials, study.baseline])
    failed = trials[trials["state"].isin(FAILED_STATES)]
    reason = failed["reason"].fillna("").astype(str)
    # A state of its own says more than the name of an exception does.
    word = failed["state"].map(_WORDS).where(failed["state"] != "failed", reason)
    return failed.assign(why=word.where(word != "", failed["state"].map(_WORDS)))


def failures_section(study: Study, context: Context | None) -> Section:
    """List the failures by reason and learner.

    Parameters
    ----------
    study : Study
    context : Context or None
        None if no trial gave a value, so that there is nothing else to say.
    """
    failed = failed_trials(study)
    heading = sentences.failures_heading(len(failed), failed["why"].nunique())
    blocks = [_table(study, failed, context)] if len(failed) else []
    return Section(
        name="failures",
        eyebrow="Failures",
        heading=sentences.so_far(heading, study.is_running),
        blocks=blocks
        or [
            Paragraph(
                "A failed trial would stand here with its reason and its message."
            )
        ],
        caveats=_notes(study, failed, context),
        wide=True,
    )


def _table(study: Study, failed: pd.DataFrame, context: Context | None) -> Table:
    grouped = failed.groupby(["why", "learner"], sort=True, observed=True)
    found = sorted(grouped, key=lambda item: -len(item[1]))
    rows = [
        Row(
            [
                Cell(name(why), value=str(why), tone="serious"),
                Cell(count(len(part)), value=float(len(part))),
                Cell(name(study.title("learner", str(learner))), value=str(learner)),
                Cell(_places(study, part), value=_places(study, part)),
                Cell(_message(part), value=_message(part), tone="muted"),
            ]
        )
        for (why, learner), part in found[:_MOST_ROWS]
    ]
    files = []
    if context is not None:
        columns = ["study", "dataset", "world", "learner", "repeat", "state", "reason"]
        files = [context.csv("failures", failed[[*columns, "message", "key"]])]
    left = len(found) - len(rows)
    return Table(
        name=f"{context.prefix if context else ''}failed",
        caption="Failed trials by reason and learner",
        columns=[
            Column("Reason", "text", best="min"),
            Column("Trials", best="max", sorted=True),
            Column("Learner", "text", best="min"),
            Column(study.noun.many.capitalize(), "text", best="min"),
            Column("What happened", "text", best="min"),
        ],
        rows=rows,
        conditions=f"{count(left)} more rows are in the CSV file." if left > 0 else "",
        downloads=files,
    )


def _places(study: Study, part: pd.DataFrame) -> str:
    """Where it happened: a few names, or how many of how many."""
    pairs = dict.fromkeys(zip(part["dataset"], part["world"], strict=True))
    if len(pairs) > _MOST_PLACES:
        blocks = len(study.blocks)
        return f"{count(len(pairs))} of {count(blocks)} {study.noun(blocks)}"
    labels = [study.labels.get((str(d), str(w)), str(d)) for d, w in pairs]
    return "; ".join(shorten(label, 60) for label in labels)


def _message(part: pd.DataFrame) -> str:
    """Return the most frequent message, and how many others there are."""
    messages = part["message"].fillna("").astype(str)
    counts = messages.value_counts(sort=False)
    first = min(counts.index, key=lambda text: (-counts[text], text))
    others = len(counts) - 1
    more = f" (and {count(others)} other messages)" if others else ""
    return shorten(first, _MOST_LETTERS) + more


def _notes(study: Study, failed: pd.DataFrame, context: Context | None) -> list[Caveat]:
    if context is None:
        return []
    ours = failed[failed["key"].isin(study.trials["key"])]
    by_learner = ours["learner"].astype(str).value_counts(sort=False)
    worst = str(by_learner.idxmax()) if len(by_learner) else ""
    searches = study.table.groups[
        ~study.table.groups["baseline"].fillna(False).astype(bool)
    ]
    # Failed members only: what has not been run yet is said elsewhere.
    incomplete = (searches["failed"] > 0) & (searches["present"] > 0)
    found = [
        caveats.failed_trials(
            failed=len(ours),
            planned=len(study.trials),
            worst=study.title("learner", worst) if worst else "",
            by_worst=int(by_learner.max()) if len(by_learner) else 0,
            left_out=_left_out(context, worst),
            many=study.noun.many,
        ),
        caveats.incomplete_searches(int(incomplete.sum()), len(searches)),
    ]
    return [one for one in found if one is not None]


def _left_out(context: Context, learner: str) -> int:
    """Blocks that the mean of a learner leaves out; none if there is no mean."""
    counted = context.scores.count(learner)
    return counted.planned - counted.given if counted.given else 0
