"""Candidate labels: how ambiguous they are, and what can be learnt from them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from caveat._registry import Entry
from caveat.audit._folds import Fold, thinned
from caveat.audit._table import Table
from caveat.candidates import (
    UNSURE,
    CandidateSets,
    candidate_statistics,
    check_several,
    confused_pairs,
    labels_of,
)
from caveat.exceptions import InvalidInput
from caveat.measures import evaluate, get
from caveat.tables import TableEncoder

Row = dict[str, Any]

SEPARATOR = "|"
_MOST_ROWS = 5_000
_MOST_LEVELS = 100
_STEPS, _CHECKPOINTS = 1_000, 10
_VALIDATION = 0.2


def candidate_sets(table: Table, column: str) -> tuple[CandidateSets, list[str] | None]:
    """Read the sets of a column, and the true labels where the audit has a target."""
    given = table.target.name == column
    cells = table.target if given else table.whole[column]
    sets = [labels_of(cell, SEPARATOR) for cell in cells]
    empty = [row for row, found in enumerate(sets) if not found]
    if empty:
        raise InvalidInput(
            f"--candidates: column {column!r} names no label in {len(empty):,} rows "
            f"(the first is row {empty[0]}); drop these rows or name all labels there"
        )
    check_several(column, sets, SEPARATOR)
    truth = None if given or table.labels is not None else _truth(table)
    named = {label for found in sets for label in found}
    return CandidateSets.from_sets(sets, sorted(named | set(truth or ()))), truth


def _truth(table: Table) -> list[str]:
    if not table.classes:
        raise InvalidInput(
            "--candidates: the target holds numbers; candidates are classes, so name "
            "the column of the true class with --target, or none"
        )
    return [str(label).strip() for label in table.target]


def look_at_sets(table: Table, column: str) -> tuple[Row, dict[str, list[Row]]]:
    """Say how ambiguous the sets are, and how noisy where the truth is known."""
    from caveat.candidates import choose_criterion

    sets, truth = candidate_sets(table, column)
    found = candidate_statistics(sets, truth)
    criterion, reason = choose_criterion(sets)
    row: Row = {
        "fact.items": found.n_items,
        "fact.classes": found.n_classes,
        "fact.mean-size": found.mean_size,
        "fact.single": found.singletons,
        "fact.full": found.full,
        "fact.guess": float(sets.matrix.mean()),
        "fact.noise": found.noise_rate,
        "fact.ambiguity": found.ambiguity,
        "fact.criterion": criterion,
        "fact.reason": reason,
    }
    curves: dict[str, list[Row]] = {
        "sizes": [{"size": size, "rows": n} for size, n in found.histogram.items()]
    }
    if found.flipping is not None:
        pairs = confused_pairs(found.flipping, sets.classes)
        curves["confusions"] = [
            {"true": true, "other": other, "share": share}
            for true, other, share in pairs
        ]
    return row, curves


def learn_sets(
    entry: Entry,
    params: Mapping[str, Any],
    table: Table,
    fold: Fold,
    column: str,
    *,
    seed: int,
) -> list[Row]:
    """Train an algorithm on the sets of one fold; one row per checkpoint.

    A part of the training rows is held out: their sets, not their labels, choose.
    """
    from caveat.candidates import CRITERIA, PartialLabelClassifier, suggest_labels

    sets, truth = candidate_sets(table, column)
    train, test = thinned(fold, _MOST_ROWS, seed)
    order = np.random.default_rng([seed, 5]).permutation(train)
    count = max(1, round(_VALIDATION * len(train)))
    held, learn = np.sort(order[:count]), np.sort(order[count:])
    frame = table.X.rename(columns=str)
    kinds = {str(name): table.kinds[name] for name in table.X.columns}
    encoder = TableEncoder(kinds, dtype="float32", max_levels=_MOST_LEVELS)
    codes = None
    if truth is not None:
        place = {label: number for number, label in enumerate(sets.classes)}
        codes = np.array([place[label] for label in truth], dtype=np.intp)

    def watch(now: Any) -> dict[str, Any]:
        logits = now._logits(frame.iloc[held]).numpy()
        row = {
            f"criterion.{name}": float(judge(logits, sets[held]))
            for name, judge in CRITERIA.items()
        }
        told = suggest_labels(now, frame.iloc[test], sets[test])
        row["test.covered"] = float(told["covered"].mean())
        row["fact.unsure"] = float((told["probability"] < UNSURE).mean())
        if codes is None or truth is None:
            return row
        proba = now.predict_proba(frame.iloc[test])
        right = np.array([str(label) for label in told["suggestion"]])
        found = evaluate(
            [get("auc"), get("accuracy")],
            codes[test],
            {"probabilities": proba},
            classes=range(len(sets.classes)),
        )
        return row | {
            **{f"test.{name}": value for name, value in found.items()},
            "test.right": get("accuracy")(np.array(truth)[test], right),
        }

    model = PartialLabelClassifier(
        entry.name,
        params=dict(params) or None,
        max_steps=_STEPS,
        checkpoint_every=_STEPS // _CHECKPOINTS,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(
            frame.iloc[learn],
            sets[learn],
            encoder=encoder.fit(frame.iloc[learn]),
            watch=watch,
        )
    facts = {"fact.training-rows": len(learn), "fact.test-rows": len(test)}
    return [
        {
            "config": 0,
            "checkpoint": int(found["updates"]),
            **{name: value for name, value in found.items() if "." in name},
            **facts,
        }
        for found in model.history_
    ]
