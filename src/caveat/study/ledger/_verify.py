"""Whether a ledger still says what was written, and whether trials still give it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json

from caveat.exceptions import DamagedLedger
from caveat.study.ledger._damage import Proofs, in_parts, trials_query
from caveat.study.ledger._digests import Damage
from caveat.study.ledger._ledger import Ledger
from caveat.study.ledger._schema import plan, trial
from caveat.study.registry import ENGINES
from caveat.study.trials._trial import Trial

#: Largest difference of two numbers that libraries of other versions, or another
#: machine's, may make; the same code on the same machine gives the same bits.
RERUN_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Rerun:
    """What came out when drawn trials were run again.

    Attributes
    ----------
    drawn : int
    equal : int
        Trials that gave the same record to the last bit.
    close : int
        Those that gave other numbers, but none further off than the tolerance.
    largest : float
        Largest difference of two numbers.
    differing : list of Damage
        Those that gave something else, or nothing.
    """

    drawn: int
    equal: int
    close: int
    largest: float
    differing: list[Damage] = field(default_factory=list)


def rerun(
    ledger: Ledger,
    count: int,
    *,
    tolerance: float = RERUN_TOLERANCE,
    allow_import: bool = False,
    engine: str = "serial",
    rng: random.Random | None = None,
) -> Rerun:
    """Draw trials that are done, run them again, and compare the records.

    Parameters
    ----------
    ledger : Ledger
    count : int
        How many; all if there are fewer.
    tolerance : float
        Largest absolute difference of two numbers that counts as equal.
    allow_import : bool
        Permit learners given as ``module:Class``.
    engine : str
        Where to run them.
    rng : random.Random, optional
        Who draws.

    Warnings
    --------
    Numbers may differ between machines and versions of libraries without anything
    being wrong; the versions of every trial are in the ledger.
    """
    known = dict(whole_records(ledger))
    drawn = (rng or random.Random()).sample(sorted(known), min(count, len(known)))
    trials = {key: Trial(from_json(known[key][0])) for key in drawn}
    topics = sorted({item.spec["topic"] for item in trials.values()})
    made = ENGINES[engine].make(
        trial_seconds=None, trial_memory=None, allow_import=allow_import, topics=topics
    )
    equal = close = 0
    largest = 0.0
    differing = []
    with made as workers:
        for key in drawn:
            workers.submit(trials[key])
            ended = next(iter(_wait(workers)))
            recorded = from_json(known[key][1])
            if ended.record is None:
                why = f"run again, it ends {ended.state}: {ended.message}"
                differing.append(Damage(key, why, rerun=True))
                continue
            found = {name: ended.record[name] for name in recorded}
            where, most = furthest(recorded, found)
            largest = max(largest, most if math.isfinite(most) else 0.0)
            if not where:
                equal += 1
            elif most <= tolerance:
                close += 1
            else:
                why = f"run again, it gives something else at {where}"
                differing.append(Damage(key, why, rerun=True))
    return Rerun(len(drawn), equal, close, largest, differing)


def whole(ledger: Ledger) -> dict[str, Any]:
    """Count the records that are whole, and give the digests of ledger and studies.

    Returns
    -------
    dict
        ``records``, ``digest``, and ``studies`` by name; None where it is damaged.
    """
    studies: dict[str, str | None] = {}
    for name in ledger.studies():
        try:
            studies[name] = ledger.digest(name)
        except DamagedLedger:
            studies[name] = None
    if None in studies.values():
        return {"records": None, "digest": None, "studies": studies}
    records = ledger.records()
    count = int((records.trials["digest"] != "").sum())
    return {"records": count, "digest": records.digest, "studies": studies}


def _wait(workers: Any) -> list[Any]:
    while True:
        ended = workers.wait(1.0)
        if ended:
            return ended


def whole_records(ledger: Ledger) -> Iterator[tuple[str, tuple[str, str]]]:
    """Spec and record of every wanted trial that is done and whole."""
    wanted = sa.select(plan.c.key).where(plan.c.place.is_not(None))
    query = trials_query().where(trial.c.key.in_(wanted))
    with ledger._read() as connection:
        proofs = Proofs(connection, proven=ledger.proven)
        for row in connection.execute(in_parts(query)):
            if row.state == "done" and not proofs.fault(row):
                yield row[0], (row.spec, row.record)


def furthest(first: Any, second: Any, where: str = "the record") -> tuple[str, float]:
    """Say where two JSON values are furthest apart, and how far; '' if nowhere.

    Values that are no numbers, and shapes that differ, are infinitely far apart.

    Examples
    --------
    >>> furthest({"a": [1.0, 2.0]}, {"a": [1.0, 2.5]})
    ('a[1]', 0.5)
    """
    numbers = [type(one) in (int, float) for one in (first, second)]
    if all(numbers):
        return (where, abs(first - second)) if first != second else ("", 0.0)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            return where, math.inf
        inside = "" if where == "the record" else f"{where}."
        pairs = [(f"{inside}{name}", first[name], second[name]) for name in first]
    elif isinstance(first, list) and isinstance(second, list):
        if len(first) != len(second):
            return where, math.inf
        pairs = [
            (f"{where}[{at}]", *both)
            for at, both in enumerate(zip(first, second, strict=True))
        ]
    else:
        return ("", 0.0) if first == second else (where, math.inf)
    found = [furthest(one, other, place) for place, one, other in pairs]
    return max(found, key=lambda pair: pair[1], default=("", 0.0))
