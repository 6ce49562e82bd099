"""What `caveat audit` prints of weaker labels, as tables and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from caveat.cli._console import say, table

if TYPE_CHECKING:
    from caveat.audit import Reading


def show_weaker(reading: Reading) -> None:
    """Print a small table per part that was asked for."""
    if reading.targets is not None:
        free = reading.targets.free
        every = [*reading.targets.models.values(), *([free] if free else [])]
        cells = [
            [
                one.title,
                _number(one.measures["average-precision"][0]),
                _number(one.labels[0]),
                _number(one.instances[0]),
                one.serves,
            ]
            for one in every
            if "average-precision" in one.measures
        ]
        header = ["several targets", "avg prec", "labels", "rows", "serves"]
        table(header, cells, right=(1, 2, 3), bold=(1,))
        say("")
    if reading.shares is not None and reading.shares.models:
        cells = [
            [one.title, _number(one.auc[0]), _number(one.top), _number(one.regret)]
            for one in reading.shares.models.values()
        ]
        header = ["from shares of groups", "AUC", "best setting", "regret"]
        table(header, cells, right=(1, 2, 3), bold=(1,))
        say("")
    if reading.sets is not None and reading.sets.models:
        cells = [
            [
                one.title,
                _number(one.criterion),
                _number(one.covered),
                _number(one.right),
            ]
            for one in reading.sets.models.values()
        ]
        header = ["from candidates", "criterion", "covered", "right"]
        table(header, cells, right=(1, 2, 3), bold=(1,))
        say("")


def weaker_json(reading: Reading) -> dict[str, Any]:
    """Return the numbers of the parts that were asked for."""
    found: dict[str, Any] = {}
    if reading.targets is not None:
        targets = reading.targets
        every = [*targets.models.values(), *([targets.free] if targets.free else [])]
        found["targets"] = {
            "count": targets.count,
            "popularity-order": known(targets.popularity),
            "models": [
                {
                    "name": one.name,
                    "serves": one.serves,
                    "label-order": known(one.labels[0]),
                    "row-order": known(one.instances[0]),
                    **{name: known(means[0]) for name, means in one.measures.items()},
                }
                for one in every
            ],
        }
    if reading.shares is not None:
        shares = reading.shares
        found["bags"] = {
            "groups": shares.facts.get("groups"),
            "variant": shares.facts.get("variant"),
            "spread": shares.facts.get("spread"),
            "models": [
                {
                    "name": one.name,
                    "auc": known(one.auc[0]),
                    "low": known(one.auc[1]),
                    "high": known(one.auc[2]),
                    "regret": known(one.regret),
                }
                for one in shares.models.values()
            ],
            "regret": {str(rule): known(value) for rule, value in shares.rules.items()},
        }
    if reading.sets is not None:
        sets = reading.sets
        found["candidates"] = {
            "classes": sets.facts.get("classes"),
            "mean-size": sets.facts.get("mean-size"),
            "noise": sets.facts.get("noise"),
            "ambiguity": sets.facts.get("ambiguity"),
            "criterion": sets.facts.get("criterion"),
            "models": [
                {
                    "name": one.name,
                    "criterion": known(one.criterion),
                    "covered": known(one.covered),
                    "unsure": known(one.unsure),
                    "right": known(one.right),
                    "accuracy": known(one.accuracy),
                }
                for one in sets.models.values()
            ],
        }
    return found


def known(value: Any) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(value) if math.isfinite(float(value)) else None


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
