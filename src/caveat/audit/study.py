"""An audit as a topic of the study engine: the floor, the ladder, columns that vanish.

A fold is a repeat. The parts of an audit are worlds, in the order in which they matter
if time runs out: what is free, one round of folds for every step of the ladder, what
happens when columns vanish, further rounds.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat._registry import Entry
from caveat.audit._floor import floor_of
from caveat.audit._folds import all_folds, make_fold, row_bonds
from caveat.audit._lost_columns import losses
from caveat.audit._models import build, fit_and_answer, is_fitted_here, measures_of
from caveat.audit._table import Table, make_table, without
from caveat.audit._topics import CURVE, PARTS, examined
from caveat.audit.registry import CRITERIA, LEARNERS, MEASURES, RULES
from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.models import fit_model, is_constant
from caveat.study.topic import Context, Outcome

DEFAULTS: dict[str, Any] = {
    "folds": 5,
    "rounds": 2,
    "seed": 0,
    "shuffles": 200,
    "aside": {},
    "dates": [],
    "groups": None,
    "time": None,
    "weights": None,
    "positive": None,
    "test": None,
    "ladder": [],
    "screen": None,
    "single": True,
    "targets": [],
    "bags": None,
    "candidates": None,
}
_LOOK = ("aside", "dates", "weights", "positive", "test", "screen", "seed", "folds")
_STEP = ("drop", "groups", "copies", "time")
# Answers beyond this many numbers stay out of the ledger: the step is then judged by
# its folds alone.
_MOST_ANSWERS = 400_000


class AuditTopic:
    """The page about a person's file, trial by trial.

    It is `private`: error messages and notes may quote cells, so they stay out of the
    ledger. It takes `whole_tables`: dates and names of rows order and group the folds.
    """

    name = "audit"
    learners = LEARNERS
    measures = MEASURES
    criteria = CRITERIA
    rules = RULES
    protocols = ("caveat",)
    default_rules = ()
    private = True
    whole_tables = True
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
        look = {name: given[name] for name in _LOOK}
        split = {"groups": given["groups"], "copies": False, "time": given["time"]}
        first = {"round": 0, "drop": [], **split, **look}
        worlds = [
            {"part": part, "of": given[part], **first} for part in PARTS if given[part]
        ]
        if not given["single"]:
            return worlds
        steps = given["ladder"] or [{"remedy": "stands", "drop": [], **split}]
        ladder = [
            {"step": step["remedy"], **{name: step[name] for name in _STEP}, **look}
            for step in steps
        ]
        last = {"round": 0, **ladder[-1]}
        again = [
            {"part": "score", **step, "round": number}
            for number in range(1, 1 if given["test"] else given["rounds"])
            for step in ladder
            # Points in time cannot be dealt out anew.
            if not step["time"]
        ]
        return [
            {"part": "score", **ladder[0], "round": 0},
            {"part": "floor", "shuffles": given["shuffles"], **last},
            *({"part": "score", **step, "round": 0} for step in ladder[1:]),
            *worlds,
            {"part": "vanish", **last},
            *again,
        ]

    def wanted(self, world: Mapping[str, Any], learner: str, repeat: int) -> bool:
        """Leave out what a part of the audit has no use for."""
        part = world["part"]
        if part in PARTS:
            return learner == PARTS[part].topic and not repeat
        if part == "floor":
            return learner == part and not repeat
        constant = part == "score" and is_constant(learner)
        return (constant or is_fitted_here(learner)) and repeat < world["folds"]

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """Give every learner a trial for each of its settings; there is one."""
        return 1

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
        if world["part"] in PARTS:
            found = examined(
                world["part"], table, world["of"], seed=_model_seed(context)
            )
            outcome.curves[CURVE] = [found]
            outcome.rows.append({"config": 0, "checkpoint": None})
            return outcome
        table = without(table, list(world["drop"]))
        if world["part"] == "floor":
            row, curves = floor_of(
                table,
                all_folds(table, world),
                shuffles=world["shuffles"],
                seed=int(world["seed"]),
            )
        elif world["part"] == "vanish":
            row, curves = self._vanish(context, table)
        else:
            row, curves = self._score(context, table)
        outcome.curves.update(curves)
        outcome.rows.append({"config": 0, "checkpoint": None, **row})
        return outcome

    def _score(self, context: Context, table: Table) -> tuple[dict[str, Any], Any]:
        train, test = fold = make_fold(table, context.world, context.repeat)
        seed = _model_seed(context)
        given = (context.entry, _params(context), table, fold)
        bonds = row_bonds(table, context.world)
        answers = fit_and_answer(*given, seed=seed, bonds=bonds)
        scores = measures_of(table, test, answers)
        row = {f"test.{name}": value for name, value in scores.items()}
        row |= {"fact.training-rows": len(train), "fact.test-rows": len(test)}
        fits = answers.size <= _MOST_ANSWERS and not is_constant(context.entry.name)
        return row, {"answers": [{"packed": pack(answers)}]} if fits else {}

    def _vanish(self, context: Context, table: Table) -> tuple[dict[str, Any], Any]:
        fold = make_fold(table, context.world, context.repeat)
        seed = _model_seed(context)
        bonds = row_bonds(table, context.world).of(fold[0])
        unfitted = build(context.entry, _params(context), table, seed)
        known = (table.X.iloc[fold[0]], table.y[fold[0]])
        model = fit_model(unfitted, *known, bonds)
        row, curve = losses(model, table, fold, seed=seed, bonds=bonds)
        return row, {"vanish": curve}


def pack(answers: NDArray[np.float64]) -> str:
    """Write answers as text, in single precision."""
    return base64.b64encode(answers.astype("<f4").tobytes()).decode("ascii")


def unpack(text: str, rows: int) -> NDArray[np.float64]:
    """Read back what `pack` wrote: a number, or a row of them, for every row."""
    found = np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)
    return found if len(found) == rows else found.reshape(rows, -1)


def _model_seed(context: Context) -> int:
    """Draw a model's chance alike in every part, so that it is the same model."""
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
