"""Honest selection: what every rule gives up against the best row."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from caveat.board._scores import OVER_REPEATS, Context, score
from caveat.board._sections import told
from caveat.pages import (
    Block,
    Notice,
    Section,
    capital,
    code,
    figures,
    name,
    say,
    shorten,
)
from caveat.pages.claims import Condition, Estimate, Tie, Value
from caveat.statistics import bounded_interval, corrected_resampled_t_test, holm


class Regrets:
    """What every rule gives up against the best row, per repeat."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.rules = [one for one in context.study.choices if one.name is not None]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Mean regret over learners and blocks: a row per repeat, a column per rule."""
        columns = {}
        for choice in self.rules:
            cells = score(self.context.scorer, self.context.measure, choice).cells
            by_repeat = pd.Series(cells.search_regret).groupby(cells.layout.repeat)
            columns[choice.title] = by_repeat.mean()
        return pd.DataFrame(columns)

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Mean regret of every rule that has one, the smallest first."""
        share, unit = self.context.study.test_share, self.context.unit
        found = {}
        for rule, values in self.table.items():
            if values.notna().any():
                one = bounded_interval(values, range=(0.0, np.inf), test_share=share)
                found[str(rule)] = Estimate.of(one, unit, f"{one.n} repeats, corrected")
        return dict(sorted(found.items(), key=lambda item: item[1].value))

    @property
    def honest(self) -> list[str]:
        """Rules that anybody could use, the smallest regret first."""
        oracles = {one.title for one in self.rules if one.oracle}
        return [rule for rule in self.estimates if rule not in oracles]

    def finding(self) -> Condition | Tie | Value | None:
        """Say what tuning without true labels costs, and whether the rule matters."""
        honest = self.honest
        if not honest:
            return None
        first, *others = honest
        place = {"section": "selection"}
        if not others:
            who = say("tuning by {rule}", rule=name(first))
            return Value(who, self.estimates[first], "costs", **place)
        share = self.context.study.test_share
        tests = {
            rule: corrected_resampled_t_test(
                self.table[rule],
                self.table[first],
                test_train_ratio=share / (1 - share),
            )
            for rule in others
        }
        corrected = holm(np.array([one.p_value for one in tests.values()]))
        pairs = zip(tests.items(), corrected, strict=True)
        # Equal differences have no spread, and so no interval that could speak.
        apart = [r for (r, one), p in pairs if p <= 0.05 and one.low < one.high]
        if not apart:
            return Tie(tuple(honest), OVER_REPEATS, **place)
        worst, found = apart[-1], tests[apart[-1]]
        gap = Estimate(
            found.difference, self.context.unit, found.low, found.high, OVER_REPEATS,
            found.n_folds,
        )  # fmt: skip
        return Condition(
            sentence=say(
                "Tuned by {worst}, a learner gives up {gap} {unit} more than "
                "by {first}.",
                worst=name(worst),
                gap=f"{gap.text} ({gap.interval})",
                unit=self.context.unit,
                first=name(first),
            ),
            estimate=gap,
            severity="careful",
            kind="rules",
            size=abs(gap.value),
            how=f"{capital(OVER_REPEATS)}; regret against the oracle's row.",
            fix=say("Tune by {first}.", first=name(first)),
            **place,
        )


def selection_section(context: Context, regrets: Regrets) -> Section:
    """Say what tuning without true labels costs."""
    study, finding = context.study, regrets.finding()
    blocks: list[Block] = []
    if regrets.estimates:
        oracles = {one.title for one in regrets.rules if one.oracle}
        dots = [
            figures.Dot(rule, one, filled=rule not in oracles)
            for rule, one in regrets.estimates.items()
        ]
        listed = ", ".join(f"{rule} {e.text}" for rule, e in regrets.estimates.items())
        rows = [
            {"rule": r, "oracle": r in oracles, **e.to_dict()}
            for r, e in regrets.estimates.items()
        ]
        figure = figures.score_dots(
            dots,
            name=f"{context.prefix}regret",
            title="What each rule gives up against the row that test labels choose",
            label=f"{context.unit} given up by each rule: {listed}.",
            unit=f"{shorten(context.unit, 20)} given up",
            conditions="Mean over learners, worlds and repeats, 95\u00a0% interval "
            "over repeats. Open: reads true labels.",
            downloads=[context.csv("regret", pd.DataFrame(rows))],
        )
        blocks = [figure]
    else:
        words = "Not asked. A search ({search}) and {rules} in the study file add it."
        parts = {"search": code("search:"), "rules": code("selection:")}
        blocks = [Notice(say(words, **parts))]
    nothing = "There was nothing to choose: one row per search"
    if regrets.estimates:
        nothing = "Only rules that read true labels were recorded"
    return Section(
        name="selection",
        eyebrow="Honest selection",
        heading=told(study, finding if finding is not None else nothing),
        blocks=blocks,
    )
