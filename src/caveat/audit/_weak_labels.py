"""Weaker labels in an audit: several targets, groups, candidates; read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat.audit._table import Table
from caveat.candidates import CandidateSets, check_several, labels_of
from caveat.datasets import from_frame
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.audit._plan import Settings

SEPARATOR = "|"
SMALLEST = 10
"""Groups of fewer rows teach nothing."""


def has_single_target(settings: Settings) -> bool:
    """Whether the audit is about one column: named, or the last by default."""
    return settings.target is not None or not (settings.targets or settings.candidates)


def check_weaker(settings: Settings) -> None:
    """Refuse roles that cannot be meant, before the file is read."""
    if settings.bags is not None and not has_single_target(settings):
        raise InvalidInput(
            "--bags asks what shares of one target teach; name it with --target"
        )
    if len(settings.targets) == 1:
        raise InvalidInput(
            f"--targets names one column, {settings.targets[0]!r}; name two or more, "
            "or use --target"
        )
    if len(set(settings.targets)) < len(settings.targets):
        raise InvalidInput("--targets names a column twice; name each once")
    roles = {
        "--target": settings.target,
        "--bags": settings.bags,
        "--candidates": settings.candidates,
        "--weights": settings.weights,
        "--time": settings.time,
        "--groups": settings.groups,
    }
    taken: dict[str, str] = {}
    for option, column in roles.items():
        # Rows of a group may stay together and be known by their shares, too.
        if column is None or (option, taken.get(column)) == ("--groups", "--bags"):
            continue
        if column in taken:
            raise InvalidInput(
                f"{taken[column]} and {option} both name {column!r}; choose one"
            )
        if column in settings.targets and option != "--target":
            raise InvalidInput(
                f"--targets and {option} both name {column!r}; choose one"
            )
        taken[column] = option


def weaker_reference(settings: Settings) -> dict[str, Any]:
    """Say how the file is to be read: which target, or which targets."""
    if has_single_target(settings):
        return {} if settings.target is None else {"target": settings.target}
    if settings.targets:
        return {"targets": list(settings.targets)}
    return {"target": settings.candidates, "task": "multiclass"}


def set_aside(settings: Settings, target: str) -> dict[str, str]:
    """Name the columns that would tell the target: models do not get them."""
    found = {}
    if has_single_target(settings):
        others = [name for name in settings.targets if name != target]
        found = dict.fromkeys(others, "another target")
    if settings.bags is not None:
        found[settings.bags] = "makes the groups"
    if settings.candidates is not None and settings.candidates != target:
        found[settings.candidates] = "holds candidates"
    return {name: why for name, why in found.items() if name not in settings.keep}


def weaker_scenario(settings: Settings) -> dict[str, Any]:
    """Return the settings of a study file that weaker labels need."""
    return {
        "single": has_single_target(settings),
        "targets": list(settings.targets),
        "bags": settings.bags,
        "candidates": settings.candidates,
    }


def try_weaker(table: Table, scenario: Mapping[str, Any]) -> None:
    """Let every part refuse what it cannot use."""
    if scenario["targets"]:
        _, labels = label_table(table, scenario["targets"])
        if (labels.nunique(axis=1) < 2).all():
            raise InvalidInput(
                "--targets: in every row all of them hold or none does, so there is "
                "nothing to tell apart; name other columns, or one with --target"
            )
    if scenario["bags"]:
        if not table.classes:
            raise InvalidInput(
                "--bags: the target holds numbers; shares are about classes, name "
                "another target"
            )
        _check_groups(table, scenario["bags"])
    if scenario["candidates"]:
        candidate_sets(table, scenario["candidates"])


def _check_groups(table: Table, column: str) -> None:
    """Refuse a column that does not make two groups of some size."""
    sizes = table.whole.loc[~table.held, column].value_counts(dropna=False)
    large = int((sizes >= SMALLEST).sum())
    if large < 2:
        groups = "one group" if large == 1 else "no group"
        raise InvalidInput(
            f"--bags: {column!r} makes {groups} of at least {SMALLEST} rows; shares "
            "need two, name another column"
        )


def label_table(
    table: Table, targets: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the features that no target is among, and the targets as 0 and 1."""
    features = table.X.drop(columns=[one for one in targets if one in table.X.columns])
    if not features.shape[1]:
        raise InvalidInput(
            "--targets: no column is left to learn from besides the targets"
        )
    if table.labels is not None:
        return features, table.labels[list(targets)]
    parts = [
        table.target if one == table.target.name else table.whole[one]
        for one in targets
    ]
    # The reader of data sets knows what counts as yes and no.
    frame = pd.concat([features.iloc[:, :1], *parts], axis=1)
    labels = from_frame(frame, targets=list(targets)).Y
    assert labels is not None
    return features, labels


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
