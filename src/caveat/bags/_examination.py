"""What an examination of groups found, as tables and plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.bags.variants._hardness import Hardness
from caveat.bags.variants._identify import VariantReport
from caveat.bags.worlds._bags import Bags

BEST = "best possible"
"""The rule that looks at the test items; every other rule's regret is against it."""


@dataclass(frozen=True)
class BagExamination:
    """What could be learnt from the shares of groups.

    Attributes
    ----------
    bags : Bags
        Groups as bags; items of groups that are too small are left out.
    bag_names : list
        What the bags are called.
    classes : ndarray
    variant : VariantReport
    hardness : Hardness
    scores : DataFrame
        One row per repeat, learner and rule: ``f1``, ``accuracy``, ``auc`` on test
        items, ``regret`` in F1, and the chosen ``params``. The rule ``best
        possible`` looked at the test items.
    supervised : DataFrame
        One row per repeat: logistic regression with every label, and the largest
        class.
    notes : list of str
    seconds : float
    """

    bags: Bags
    bag_names: list[Any]
    classes: NDArray
    variant: VariantReport
    hardness: Hardness
    scores: pd.DataFrame
    supervised: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def by_learner(self, rule: str) -> pd.DataFrame:
        """Mean scores of every learner as a rule chooses it, best first."""
        chosen = self.scores[self.scores["rule"] == rule]
        means = chosen.groupby("learner", sort=False)[
            ["f1", "accuracy", "auc", "regret"]
        ]
        return means.mean().sort_values("f1", ascending=False)

    def by_rule(self) -> pd.Series:
        """Mean regret of every rule over learners and repeats, smallest first."""
        rules = self.scores[self.scores["rule"] != BEST]
        return rules.groupby("rule", sort=False)["regret"].mean().sort_values()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "variant": self.variant.variant,
            "p_values": self.variant.p_values,
            "hardness": {
                "proportion_std": self.hardness.proportion_std,
                "separation": _finite(self.hardness.separation),
                "mean_size": self.hardness.size_mean,
            },
            "bags": [
                {"name": str(name), "size": int(size), "shares": shares.tolist()}
                for name, size, shares in zip(
                    self.bag_names, self.bags.sizes, self.bags.proportions, strict=True
                )
            ],
            "classes": [str(label) for label in self.classes],
            "scores": self.scores.to_dict("records"),
            "supervised": self.supervised.to_dict("records"),
            "regret": {
                str(rule): float(value) for rule, value in self.by_rule().items()
            },
            "notes": self.notes,
        }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
