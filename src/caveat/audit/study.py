"""An audit as a topic of the study engine: the table, the free part, models, tomorrow.

A fold is a repeat. The parts of an audit are worlds, in the order in which they matter
if time runs out: the table itself, what is free, one round of folds, what happens when
columns vanish, other ways to split, further rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caveat._registry import Entry
from caveat.audit._columns import examine
from caveat.audit._folds import all_folds, make_fold
from caveat.audit._free import free_part
from caveat.audit._score import build, fit_and_judge, is_fitted_here
from caveat.audit._sets import learn_sets, look_at_sets
from caveat.audit._shares import learn_shares, look_at_groups
from caveat.audit._table import Table, make_table
from caveat.audit._targets import learn_targets
from caveat.audit._tomorrow import decay
from caveat.audit.registry import (
    CRITERIA,
    LEARNERS,
    MEASURES,
    RULES,
    SETS,
    SHARES,
    TARGETS,
)
from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.study.topic import Context, Outcome

DEFAULTS: dict[str, Any] = {
    "folds": 5,
    "rounds": 2,
    "seed": 0,
    "shuffles": 200,
    "aside": {},
    "dates": [],
    "strata": [],
    "groups": None,
    "time": None,
    "weights": None,
    "positive": None,
    "test": None,
    "predictions": None,
    "also": [],
    "screen": None,
    "single": True,
    "targets": [],
    "bags": None,
    "candidates": None,
}
_LOOK = (
    *("aside", "dates", "groups", "time", "weights", "positive", "test", "screen"),
    "seed",
)
_LOOK_AND_FOLDS = (*_LOOK, "folds")
# Learners of each part on weaker labels; the first is a look, done once.
_WEAKER = {
    "targets": TARGETS,
    "bags": ("groups", *SHARES),
    "candidates": ("sets", *SETS),
}
_LOOKS = ("groups", "sets")
# Folds of the parts whose learners take longest.
_FEWER_FOLDS = {"bags": 3, "candidates": 2}


class AuditTopic:
    """The page about a person's file, trial by trial.

    It is `private`: error messages and notes may quote cells, so they stay out of the
    ledger.
    """

    name = "audit"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = ()
    private = True
    # Every learner is tried in the topic that it comes from already.
    small: Mapping[str, Any] = {"datasets": []}

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """Lay out the parts of an audit, the most important first."""
        for name in scenario:
            if name not in DEFAULTS:
                raise UnknownName.among("setting of an audit", name, DEFAULTS)
        given = {**DEFAULTS, **scenario}
        _check_counts(given)
        look = {name: given[name] for name in _LOOK_AND_FOLDS}
        by = "groups" if given["groups"] else "time" if given["time"] else "rows"
        split = {"by": by, "column": given["groups"] or given["time"]}
        first = {"round": 0, **split, **look}
        scored = {"strata": given["strata"], "predictions": given["predictions"]}
        table = {name: given[name] for name in (*_LOOK, "single")}
        worlds = [{"part": "columns", **table}]
        weaker = [
            {"part": part, "of": given[part], **first}
            for part in _WEAKER
            if given[part]
        ]
        if not given["single"]:
            return worlds + weaker
        worlds += [
            {"part": "free", "shuffles": given["shuffles"], **first},
            {"part": "score", **first, **scored},
            *weaker,
            {"part": "tomorrow", **first},
        ]
        worlds += [
            {"part": "also", **first, "by": other["by"], "column": other["column"]}
            for other in given["also"]
        ]
        # Points in time and a file of test rows cannot be dealt out anew.
        again = 1 if by == "time" or given["test"] else given["rounds"]
        worlds += [
            {"part": "score", **first, **scored, "strata": [], "round": number}
            for number in range(1, again)
        ]
        return worlds

    def wanted(self, world: Mapping[str, Any], learner: str, repeat: int) -> bool:
        """Leave out what a part of the audit has no use for."""
        part = world["part"]
        if part in _WEAKER:
            folds = min(world["folds"], _FEWER_FOLDS.get(part, world["folds"]))
            most = 1 if learner in _LOOKS else folds
            return learner in _WEAKER[part] and repeat < most
        if part in ("columns", "free"):
            return learner == {"columns": "columns", "free": "eapp"}[part] and not (
                repeat
            )
        if part == "tomorrow":
            return is_fitted_here(learner) and repeat == 0
        if part == "also":
            return is_fitted_here(learner) and repeat < world["folds"]
        judged = is_fitted_here(learner) or learner in ("dummy", "predictions")
        return judged and repeat < world["folds"]

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Learners from shares judge their settings together, others have one."""
        return count if entry.name in SHARES else 1

    def run(self, context: Context) -> Outcome:
        """Do one part of an audit; what goes wrong is told without quoting cells."""
        try:
            return self._run(context)
        except CaveatError as error:
            raise InvalidInput(_kind_of(error)) from None
        except (MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            raise InvalidInput(_kind_of(error)) from None

    def _run(self, context: Context) -> Outcome:
        world = context.world
        table = make_table(context.dataset, world)
        outcome = Outcome(rows=[])
        if world["part"] in _WEAKER:
            return self._weaker(context, table)
        if world["part"] == "columns":
            facts, columns, classes = examine(table, world)
            row = {f"fact.{name}": value for name, value in facts.items()}
            outcome.curves.update(columns=columns, classes=classes)
        elif world["part"] == "free":
            row, curves, notes = free_part(
                table,
                all_folds(table, world),
                shuffles=world["shuffles"],
                seed=context.seed("learner"),
            )
            outcome.curves.update(curves)
            outcome.notes.extend(notes)
        elif world["part"] == "tomorrow":
            row = self._tomorrow(context, table, outcome)
        else:
            row = self._score(context, table, outcome)
        outcome.rows.append({"config": 0, "checkpoint": None, **row})
        return outcome

    def _weaker(self, context: Context, table: Table) -> Outcome:
        """Several targets, shares of groups, or sets of candidates."""
        part, of = context.world["part"], context.world["of"]
        outcome = Outcome(rows=[])
        seed = _model_seed(context)
        first = {"config": 0, "checkpoint": None}
        if context.entry.name in _LOOKS:
            row, curves = (
                look_at_groups(table, of, seed=seed)
                if part == "bags"
                else look_at_sets(table, of)
            )
            outcome.rows.append({**first, **row})
            outcome.curves.update(curves)
            return outcome
        fold = make_fold(table, context.world, context.repeat)
        given = (context.entry, _params(context), table, fold, of)
        if part == "targets":
            row, curves = learn_targets(*given, seed=seed)
            outcome.rows.append({**first, **row})
            outcome.curves.update(curves)
        elif part == "bags":
            configurations = context.configurations
            fixed = context.spec["learner"]["params"]
            rows = learn_shares(
                context.entry, configurations, fixed, table, fold, of, seed=seed
            )
            outcome.rows.extend(rows)
        else:
            outcome.rows.extend(learn_sets(*given, seed=seed))
        return outcome

    def _score(
        self, context: Context, table: Table, outcome: Outcome
    ) -> dict[str, Any]:
        fold = make_fold(table, context.world, context.repeat)
        scores, within = fit_and_judge(
            context.entry,
            _params(context),
            table,
            fold,
            seed=_model_seed(context),
            strata=list(context.world.get("strata", [])),
            predictions=context.world.get("predictions"),
        )
        if within:
            outcome.curves["within"] = within
        return {
            **{f"test.{name}": value for name, value in scores.items()},
            "fact.training-rows": len(fold[0]),
            "fact.test-rows": len(fold[1]),
        }

    def _tomorrow(
        self, context: Context, table: Table, outcome: Outcome
    ) -> dict[str, Any]:
        fold = make_fold(table, context.world, context.repeat)
        model = build(context.entry, _params(context), table, _model_seed(context))
        model.fit(table.X.iloc[fold[0]], table.y[fold[0]])
        row, curves, notes = decay(model, table, fold, seed=context.seed("scenario"))
        outcome.curves.update(curves)
        outcome.notes.extend(notes)
        return row


def _model_seed(context: Context) -> int:
    """Seed a model of a fold alike in every part, so that it is the same model."""
    return context.seed("split", learner=context.entry.name)


def _params(context: Context) -> dict[str, Any]:
    _, params = context.configurations[0]
    return {**context.spec["learner"]["params"], **params}


def _kind_of(error: Exception) -> str:
    return f"{type(error).__name__}; its message may quote cells, so it is not recorded"


_COUNTS = (
    ("folds", 2, 50),
    ("rounds", 1, 100),
    ("seed", 0, 2**32 - 1),
    ("shuffles", 0, 100_000),
)


def _check_counts(given: Mapping[str, Any]) -> None:
    for name, least, most in _COUNTS:
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(f"{name} is {value!r}; use a whole number")
        if not least <= value <= most:
            raise InvalidInput(f"{name} is {value}; use {least} to {most}")


TOPIC = AuditTopic()
