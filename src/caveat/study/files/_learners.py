"""The learners of a study file: names, fixed parameters, grids, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from caveat._registry import Entry
from caveat.exceptions import InvalidInput, MissingExtra, hint
from caveat.study.trials._canonical import canonical

_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a word"),
    "None": ((type(None),), "null"),
}


@dataclass(frozen=True)
class LearnerSpec:
    """One learner of a study: its name, fixed parameters and grid."""

    name: str
    fixed: dict[str, Any]
    grid: dict[str, list[Any]]

    @property
    def is_imported(self) -> bool:
        """Whether it comes from the user's module rather than a registry."""
        return ":" in self.name


def parse_learner(written: str | Mapping[str, Any]) -> LearnerSpec:
    """Read one item of ``learners:``; lists are grids, everything else is fixed.

    Examples
    --------
    >>> parse_learner({"name": "lmm", "gamma": [0.1, 1], "sigma": 1})
    LearnerSpec(name='lmm', fixed={'sigma': 1}, grid={'gamma': [0.1, 1]})
    """
    if isinstance(written, str):
        return LearnerSpec(written, {}, {})
    name = written.get("name")
    if not isinstance(name, str):
        raise InvalidInput(
            f"learners: {dict(written)!r} has no name; "
            "write {name: ..., parameter: value}"
        )
    fixed: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    for key, value in written.items():
        if key == "name":
            continue
        if isinstance(value, list):
            if not value:
                raise InvalidInput(f"{name}: the list of {key!r} is empty")
            grid[key] = value
        else:
            fixed[key] = value
    return LearnerSpec(name, fixed, grid)


def check_twins(learner: LearnerSpec, seen: dict[str, str]) -> None:
    """Refuse a learner that is listed twice and differs in its grid only."""
    key, grid = canonical([learner.name, learner.fixed]), canonical(learner.grid)
    if seen.setdefault(key, grid) != grid:
        raise InvalidInput(
            f"{learner.name} is listed twice with the same fixed settings; write all "
            "values to search in one entry"
        )


def check_parameters(entry: Entry, learner: LearnerSpec) -> None:
    """Refuse a parameter that the learner does not have, and a value of another type.

    Types are those that the class declares; what it declares in other words than
    plain types is left for the learner itself to check.
    """
    given = {**{key: [value] for key, value in learner.fixed.items()}, **learner.grid}
    if not given:
        return
    try:
        known = parameter_types(entry.load())
    except MissingExtra:  # a plan needs no library, and the trials tell
        return
    for name, values in given.items():
        if known is not None and name not in known:
            raise InvalidInput(
                f"{learner.name} has no parameter {name!r}; {hint(name, known)}"
            )
        kinds = [kind.strip() for kind in (known or {}).get(name, "").split("|")]
        if not all(kind in _TYPES for kind in kinds):
            continue
        for value in values:
            if not any(_is(value, kind) for kind in kinds):
                wanted = " or ".join(_TYPES[kind][1] for kind in kinds)
                raise InvalidInput(
                    f"{learner.name}: {name} is {value!r}; write {wanted}"
                )


def _is(value: Any, kind: str) -> bool:
    # True and False are whole numbers to Python, not to whoever wrote the study.
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _TYPES[kind][0])


def parameter_types(made: Any) -> dict[str, str] | None:
    """Give the declared types of a class's keywords; None if it takes any."""
    parameters = signature(made).parameters.values()
    if any(item.kind is Parameter.VAR_KEYWORD for item in parameters):
        return getattr(made, "parameter_types", lambda: None)()
    return {
        item.name: _written(item.annotation)
        for item in parameters
        if item.name != "self"
    }


def _written(annotation: Any) -> str:
    if annotation is Parameter.empty:
        return ""
    return getattr(annotation, "__name__", "") or str(annotation)
