"""What weaker labels ask of the plan: roles of columns, checks, learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from caveat.audit._sets import candidate_sets
from caveat.audit._shares import group_numbers, share_learners
from caveat.audit._table import Table
from caveat.audit._targets import label_table
from caveat.audit.registry import LEARNERS, SETS, TARGETS
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.audit._plan import Settings


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


def try_weaker(table: Table, scenario: Mapping[str, Any]) -> list[Any]:
    """Let every part refuse what it cannot use; return the learners to run."""
    learners: list[Any] = []
    if scenario["targets"]:
        _, labels = label_table(table, scenario["targets"])
        if (labels.nunique(axis=1) < 2).all():
            raise InvalidInput(
                "--targets: in every row all of them hold or none does, so there is "
                "nothing to tell apart; name other columns, or one with --target"
            )
        learners += TARGETS
    if scenario["bags"]:
        if not table.classes:
            raise InvalidInput(
                "--bags: the target holds numbers; shares are about classes, name "
                "another target"
            )
        groups = group_numbers(table, scenario["bags"])
        learners += ["groups", *share_learners(int(groups.max()) + 1)]
    if scenario["candidates"]:
        candidate_sets(table, scenario["candidates"])
        for name in SETS:
            LEARNERS[name].load()
        learners += ["sets", *SETS]
    return learners
