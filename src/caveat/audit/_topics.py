"""Other topics on the table of an audit: each examines it, and shows itself.

A trial lets the topic examine the table and keeps its result in the ledger; the page
makes the topic's own Look of it. Nothing is measured or worded a second time here.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat import pages
from caveat.audit._table import Table
from caveat.audit._weak_labels import candidate_sets, label_table
from caveat.pages import claims

if TYPE_CHECKING:
    from caveat.study import Records

CURVE = "examined"
"""Under which name a topic's result lies in the ledger."""
# An audit asks for more than one thing within its minutes: few learners, none slow.
TARGET_LEARNERS = ("br-logistic", "ml-knn", "limo", "forest")
BAG_LEARNERS = ("em-lr", "mm", "lmm", "bag-forward-correction", "inverse-calibration")
ALGORITHMS = ("proden",)
MOST_ROWS = 5_000
_REPEATS, _STEPS = 3, 1_000
_OWN_SPLITS = {
    "groups": "--groups",
    "time": "--time",
    "weights": "--weights",
    "test": "--test",
}


def examine_targets(table: Table, targets: Sequence[str], *, seed: int) -> Any:
    """Compare learners of several targets."""
    from caveat.multilabel import compare

    features, labels = label_table(table, targets)
    rows = _rows(table, seed)
    return compare(
        features.iloc[rows],
        labels.iloc[rows],
        learners=TARGET_LEARNERS,
        kinds={name: table.kinds[name] for name in features.columns},
        random_state=seed,
    )


def examine_groups(table: Table, column: str, *, seed: int) -> Any:
    """Hide the labels, keep the shares of groups, and see what can be learnt."""
    from caveat.bags import examine_bags

    learnt = np.flatnonzero(~table.held)
    X = table.X.assign(**{column: table.whole[column]}).iloc[learnt]
    found = examine_bags(
        X,
        np.array(table.classes, dtype=object)[table.y[learnt]],
        column,
        kinds={name: table.kinds[name] for name in X.columns},
        positive=table.classes[-1],
        learners=BAG_LEARNERS,
        repeats=_REPEATS,
        max_items=MOST_ROWS,
        random_state=seed,
    )
    # The name of a group is a cell of the table; and a record says nothing of time.
    return replace(found, groups=found.groups.iloc[:0], seconds=0.0)


def examine_sets(table: Table, column: str, *, seed: int) -> Any:
    """Label the rows from their candidates, judged by the truth where it is known."""
    from caveat.candidates import examine_candidates, read_candidates
    from caveat.datasets import Dataset

    sets, truth = candidate_sets(table, column)
    rows = _rows(table, seed)
    dataset = Dataset(
        name="table",
        X=table.X.iloc[rows].rename(columns=str).reset_index(drop=True),
        task="candidates",
        y=None if truth is None else pd.Series([truth[row] for row in rows]),
        candidates=np.asarray(sets.matrix[rows], dtype=bool),
        classes=tuple(sets.classes),
    )
    return examine_candidates(
        read_candidates(dataset),
        algorithms=ALGORITHMS,
        steps=_STEPS,
        random_state=seed,
    )


@dataclass(frozen=True)
class TopicPart:
    """A topic as part of an audit: who examines, and who shows."""

    topic: str
    examine: Callable[..., Any]

    def look(self, record: Mapping[str, Any], about: pages.About) -> pages.Look:
        """Make the topic's own Look of what the ledger holds."""
        package = import_module(f"caveat.{self.topic}")
        page = import_module(f"caveat.{self.topic}.page")
        found: pages.Look = page.look(package.Result.from_record(record), about)
        return found


PARTS = {
    "targets": TopicPart("multilabel", examine_targets),
    "bags": TopicPart("bags", examine_groups),
    "candidates": TopicPart("candidates", examine_sets),
}
"""What may be asked of an audit beside its one target."""


def examined(part: str, table: Table, of: Any, *, seed: int) -> dict[str, str]:
    """Let a topic examine the table; give its result as a row of the ledger."""
    with warnings.catch_warnings():
        # What they warn of stands in their results.
        warnings.simplefilter("ignore")
        found = PARTS[part].examine(table, of, seed=seed)
    return {"record": json.dumps(found.to_record(), default=lambda one: one.item())}


def topic_looks(
    records: Records, scenario: Mapping[str, Any], about: pages.About
) -> dict[str, pages.Look]:
    """Show every topic that was asked for and has been examined."""
    curve = records.curves(CURVE)
    written = (
        dict(zip(curve["learner"], curve["record"], strict=True)) if len(curve) else {}
    )
    looks = {}
    for name, part in PARTS.items():
        if scenario[name] and part.topic in written:
            looks[part.topic] = part.look(json.loads(written[part.topic]), about)
    return looks


def topics_part(
    looks: Mapping[str, pages.Look], scenario: Mapping[str, Any]
) -> pages.Part:
    """Put the topics' Looks together, and say which options they do not follow."""
    whole = pages.combined([pages.part(look) for look in looks.values()])
    given = [option for name, option in _OWN_SPLITS.items() if scenario[name]]
    if given and whole.sections:
        sentence = (
            f"{pages.capital(' and '.join(looks))}: rows of the file are divided at "
            f"random there; {', '.join(given)} changes nothing in these parts."
        )
        whole.claims.append(
            claims.Condition(
                sentence=sentence,
                severity="note",
                kind="split",
                section=whole.sections[0].name,
            )
        )
    return whole


def topics_only(
    looks: Mapping[str, pages.Look],
    records: Records,
    scenario: Mapping[str, Any],
    about: pages.About,
    rules: Sequence[str],
    digest: str,
) -> pages.Look:
    """Make the page of an audit that has no single target."""
    whole = topics_part(looks, scenario)
    first = next(iter(looks.values()), None)
    done = int((records.trials["state"] == "done").sum())
    planned = len(records.trials)
    found = list(whole.claims)
    if done < planned:
        found.append(
            claims.Unfinished(
                "trials",
                done,
                planned,
                severity="note",
                kind="unfinished",
                section=whole.sections[0].name if whole.sections else "again",
                fix="Run the same command again: it goes on where it stopped.",
            )
        )
    again = pages.again_section(
        about, f"{done} of {planned} trials.{digest}", repeatable=done == planned
    )
    return pages.Look(
        "audit",
        about.eyebrow("Audit"),
        found,
        [*whole.sections, again],
        figure=None if first is None else first.figure,
        facts={**({} if first is None else first.facts), **about.facts()},
        tables=whole.tables,
        checks="Looked at what the labels that there are support.",
        rules=rules,
    )


def _rows(table: Table, seed: int) -> NDArray[np.intp]:
    """Choose the rows that a topic sees: not those of a test file, and not too many."""
    rows = np.flatnonzero(~table.held)
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([seed, 5])
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    return rows
