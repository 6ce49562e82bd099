"""What a study file may say about feature shift, checked and completed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift.evaluation._metric import default_measure, usual_measures
from caveat.shift.registry import IMPORTANCES, IMPUTERS, MEASURES, SCENARIOS
from caveat.shift.scenarios._scenarios import Scenario
from caveat.shift.scenarios._subsets import counts_of

# A list of these is one world: the model is fitted once, and all curves follow.
_LISTS: dict[str, Any] = {
    "scenario": ["random"],
    "imputer": ["mean"],
    "degrees": None,
    "measures": None,
    "stages": None,
}
# A list of these is a grid of worlds.
_AXES: dict[str, Any] = {
    "importance": "pearson",
    "max_subsets": 10_000,
    "tolerance": None,
    "aggregate": "mean",
    "cumulative": False,
    "upper": 0,
}


def check_worlds(written: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Expand the ``scenario:`` part of a study file; every world is complete.

    Examples
    --------
    >>> worlds = check_worlds({"scenario": "most", "tolerance": [0.01, 0.02]})
    >>> [(world["scenario"], world["tolerance"]) for world in worlds]
    [(['most'], 0.01), (['most'], 0.02)]
    """
    known = {**_LISTS, **_AXES}
    given = {}
    for name, value in written.items():
        spelt = str(name).replace("-", "_")
        if spelt not in known:
            raise UnknownName.among("setting of feature shift", name, known)
        given[spelt] = value
    lists = {**_LISTS, **{key: given[key] for key in _LISTS if key in given}}
    for name in ("scenario", "imputer"):
        value = lists[name]
        lists[name] = list(value) if isinstance(value, list | tuple) else [value]
    axes = {**_AXES, **{key: given[key] for key in _AXES if key in given}}
    values = [value if isinstance(value, list) else [value] for value in axes.values()]
    worlds = [
        {**lists, **dict(zip(axes, chosen, strict=True))} for chosen in product(*values)
    ]
    for world in worlds:
        _check(world)
    return worlds


def _check(world: Mapping[str, Any]) -> None:
    for name in world["scenario"]:
        scenario_of(name, world)
    for name in world["imputer"]:
        IMPUTERS[name]
    IMPORTANCES[world["importance"]]
    for name in world["measures"] or []:
        MEASURES[name]
    if world["degrees"] not in (None, "all"):
        counts_of(world["degrees"], 1_000_000)
    for name, kinds in (("max_subsets", int), ("upper", int)):
        value, least = world[name], 1 if name == "max_subsets" else 0
        if isinstance(value, bool) or not isinstance(value, kinds) or value < least:
            raise InvalidInput(f"{name} is {value!r}; use a whole number from {least}")
    tolerance = world["tolerance"]
    if tolerance is not None and (
        isinstance(tolerance, bool)
        or not isinstance(tolerance, int | float)
        or not tolerance > 0
    ):
        raise InvalidInput(f"tolerance is {tolerance!r}; use a number above 0")
    for name, words in (
        ("aggregate", ("mean", "pooled")),
        ("cumulative", (False, True)),
    ):
        if world[name] not in words:
            raise InvalidInput(f"{name} is {world[name]!r}; use one of {words}")


def scenario_of(name: str, world: Mapping[str, Any]) -> Scenario:
    """Make a scenario of a study file."""
    entry = SCENARIOS[name]
    setting = entry.facts.get("setting")
    if setting and not world[setting]:
        raise InvalidInput(
            f"scenario {name!r} needs {entry.facts['needs']}; write "
            f"{entry.facts['written']}"
        )
    made: Scenario = entry.make_for(
        {}, stages=world["stages"], cumulative=world["cumulative"]
    )
    return made


def measures_of(world: Mapping[str, Any], task: str) -> list[str]:
    """Name the measures of a world: those that fit the task, the main one first."""
    main = default_measure(task)
    asked = world["measures"] or usual_measures(task)
    kind = "regression" if task == "regression" else "multiclass"
    fitting = [name for name in asked if kind in MEASURES[name].tasks]
    return [main, *(name for name in fitting if name != main)]
