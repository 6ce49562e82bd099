"""What group shares teach where labels are known: plain numbers and small frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from caveat.bags.registry import RULE, RULES
from caveat.pages.claims import Estimate
from caveat.pages.recorded import Recorded
from caveat.statistics import bounded_interval, corrected_resampled_t_test, holm

ORACLE = "oracle"
"""The rule that looks at the test rows; every other rule's regret is against it."""
MEASURES = {
    "auc": "AUC",
    "balanced-accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "f1": "F1",
}
CONSTANT, MAJORITY, SHARE = "constant answer", "group majority", "group share"
FLOORS = (CONSTANT, MAJORITY, SHARE)
FEWEST = 3
"""Divisions that an interval can be over: two that come out alike by luck would make
one of no width."""
SHIFTED = "shifted-"
"""Begins the measures of a learner whose answers meet the shares of their groups."""
SCORE_COLUMNS = ["repeat", "learner", "rule", "criterion", "params", *MEASURES]
SCORE_COLUMNS += [SHIFTED + name for name in MEASURES]


def _shifted(frame: pd.DataFrame) -> pd.DataFrame:
    """Put shifted measures in the place of those of the model as it is."""
    names = [name for name in MEASURES if SHIFTED + name in frame]
    return frame.assign(**{name: frame[SHIFTED + name] for name in names})


def no_test(divisions: int) -> str:
    """Say that so few divisions tell nothing apart."""
    return "one division is no test" if divisions == 1 else "two divisions are no test"


@dataclass(frozen=True)
class Result(Recorded):
    """How far shares alone get, beside what needs no learning and what has labels.

    Attributes
    ----------
    by : str
        The column that makes groups.
    classes : tuple of str
        The class that F1 is about comes last, if there are two.
    rows, n_groups : int
        Rows in groups that are large enough, and how many groups those are.
    spread, separation : float
        Standard deviation of the shares; distance between groups over that within.
    smallest, mean_size, largest : float
        Rows of a group.
    variant, variant_sentence : str
    looked_at : int
        Rows that the five tests saw.
    tests : DataFrame
        ``test``, ``question``, ``p_value``, ``decision``, ``seen`` (the weakest planted
        dependence that the test found at this size, if it was asked for).
    groups : DataFrame
        ``group``, ``rows`` and a column per class with its share; may be empty, where
        names of groups must not be told.
    scores : DataFrame
        A row per repeat, learner and rule: ``criterion`` (what the rule looked at),
        the measures on test rows, and ``params``. The rule ``oracle`` looked at the
        test rows. Measures that begin with ``shifted-`` are of the same model with its
        odds shifted in every group to meet the group's share, as `--shares` answers;
        the rule that `--shares` chooses by has them.
    floors : DataFrame
        A row per repeat and ``floor``, with the measures.
    ceiling : DataFrame
        A row per repeat: logistic regression with every label, its settings chosen on
        the same halves of the same rows, and shifted alike (``shifted-``).
    test_share : float
        Share of the rows in a test part.
    smaller : int
        Rows of the smallest class.
    planned : int
        How many learners were to be run.
    notes : tuple of str
    seconds : float
    """

    _topic = "bags"
    _columns = (("scores", SCORE_COLUMNS),)

    by: str
    classes: tuple[str, ...]
    rows: int
    n_groups: int
    spread: float
    separation: float
    smallest: int
    mean_size: float
    largest: int
    variant: str
    variant_sentence: str
    looked_at: int
    tests: pd.DataFrame
    groups: pd.DataFrame
    scores: pd.DataFrame
    floors: pd.DataFrame
    ceiling: pd.DataFrame
    test_share: float = 0.25
    smaller: int = 0
    planned: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def repeats(self) -> int:
        """How many divisions into training and test rows there were."""
        return int(self.ceiling["repeat"].nunique())

    @property
    def learners(self) -> list[str]:
        """The learners that gave a value, in the order of their turns."""
        return list(dict.fromkeys(self.scores["learner"]))

    def estimate(self, values: Sequence[float], measure: str = "auc") -> Estimate:
        """Give a mean over divisions with its interval, inside the measure's range."""
        found = bounded_interval(values, test_share=self.test_share, rows=self.smaller)
        known = found.n >= FEWEST and np.isfinite([found.low, found.high]).all()
        return Estimate(
            float(found.mean),
            MEASURES[measure],
            float(found.low) if known else None,
            float(found.high) if known else None,
            f"{found.n} divisions, corrected for shared rows",
            found.n,
        )

    def difference(
        self, one: pd.Series, other: pd.Series, measure: str = "auc"
    ) -> tuple[Estimate, float]:
        """One minus the other, division by division, and the p-value of its test.

        Fewer than three divisions are no test: no interval, and a p-value of NaN.
        """
        one, other = one.align(other, join="inner")
        ratio = self.test_share / (1 - self.test_share)
        found = corrected_resampled_t_test(one, other, test_train_ratio=ratio)
        inside = bounded_interval(
            one - other, range=(-1.0, 1.0), test_share=self.test_share
        )
        tested = found.n_folds >= FEWEST
        known = tested and np.isfinite([inside.low, inside.high]).all()
        ends = (float(inside.low), float(inside.high)) if known else (None, None)
        basis = f"corrected resampled t, {found.n_folds} divisions"
        if not tested:
            basis = no_test(found.n_folds)
        name = MEASURES[measure]
        value = float(found.difference)
        p_value = float(found.p_value) if tested else np.nan
        return Estimate(value, name, *ends, basis, found.n_folds), p_value

    def of_learner(
        self, learner: str, rule: str = RULE, measure: str = "auc"
    ) -> pd.Series:
        """Scores of a learner as a rule sets it, by repeat."""
        frame = self.scores
        mine = frame[(frame["learner"] == learner) & (frame["rule"] == rule)]
        return mine.set_index("repeat")[measure]

    def of_floor(self, floor: str, measure: str = "auc") -> pd.Series:
        """Scores of an answer that nothing was learnt for, by repeat."""
        mine = self.floors[self.floors["floor"] == floor]
        return mine.set_index("repeat")[measure]

    def of_ceiling(self) -> pd.Series:
        """Scores with every label, by repeat, shifted like the answers."""
        return self.labels().set_index("repeat")["auc"]

    def chosen(self, rule: str = RULE) -> pd.DataFrame:
        """Pick learner and settings by a criterion: one row of `scores` per repeat."""
        return self._chosen.get(rule, self.scores.head(0))

    def answers(self) -> pd.DataFrame:
        """Scores of what `--shares` would answer, one row per repeat.

        The learner chosen by the rule, shifted to the groups' shares.
        """
        chosen = self.chosen()
        return _shifted(chosen) if self.is_shifted else chosen

    def labels(self) -> pd.DataFrame:
        """Scores with every label, shifted like the answers; one row per repeat."""
        return _shifted(self.ceiling) if self.is_shifted else self.ceiling

    @property
    def is_shifted(self) -> bool:
        """Whether answers were shifted to their groups' shares; old records lack it."""
        first = SHIFTED + next(iter(MEASURES))
        parts = (self.chosen(), self.ceiling)
        return all(first in part and part[first].notna().all() for part in parts)

    @cached_property
    def _chosen(self) -> dict[str, pd.DataFrame]:
        usable = self.scores.dropna(subset="criterion")
        if not len(usable):
            return {}
        places = usable.groupby(["rule", "repeat"])["criterion"].idxmin()
        picked = usable.loc[places]
        return {
            str(rule): part.reset_index(drop=True)
            for rule, part in picked.groupby("rule", sort=False)
        }

    def best_by_test(self) -> pd.Series:
        """Give the best test score of any learner and setting, by repeat."""
        oracle = self.scores[~self.scores["rule"].isin(self.rules())]
        return oracle.groupby("repeat")["auc"].max()

    def highest_floor(self) -> str:
        """Name the answer without learning that scores highest on average."""
        means = self.floors.groupby("floor", sort=False)["auc"].mean()
        return str(means.idxmax())

    def regret(self, rule: str) -> pd.Series:
        """Give what the oracle has more than a rule's own choice, by repeat."""
        own = self.chosen(rule).set_index("repeat")["auc"]
        best = self.best_by_test()
        return (best.reindex(own.index) - own).clip(lower=0.0)

    def rules(self) -> list[str]:
        """Rules that chose without labels."""
        used = dict.fromkeys(self.scores["rule"])
        return [rule for rule in used if not RULES[rule].facts["oracle"]]

    def ranking(self) -> tuple[list[str], list[float]]:
        """Order learners by mean, with p-values against the first, by Holm."""
        means = {one: float(self.of_learner(one).mean()) for one in self.learners}
        order = sorted(means, key=lambda one: -means[one])
        first = self.of_learner(order[0])
        raw = [self.difference(first, self.of_learner(one))[1] for one in order[1:]]
        return order, [1.0, *holm(raw).tolist()] if raw else [1.0]

    def to_frame(self) -> pd.DataFrame:
        """Return the scores, a row per repeat, learner and rule."""
        return self.scores
