"""Honest selection: what every rule gives up against the best row."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.board._scores import OVER_REPEATS, Context, score
from caveat.board._sections import told
from caveat.pages import (
    Block,
    Notice,
    Section,
    Words,
    capital,
    code,
    figures,
    name,
    plural,
    say,
    shorten,
)
from caveat.pages.claims import Condition, Estimate, Tie, Value, started, written
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
    def _searches(self) -> dict[str, NDArray[np.float64]]:
        """Regrets of all searches that gave a value, by rule."""
        found = {}
        for choice in self.rules:
            cells = score(self.context.scorer, self.context.measure, choice).cells
            found[choice.title] = cells.search_regret[np.isfinite(cells.search_regret)]
        return found

    @property
    def base(self) -> str:
        """What regret is against: the row that this measure itself would choose."""
        end = "highest" if self.context.measure.sign > 0 else "lowest"
        return f"the row of each search with the {end} test {self.context.unit}"

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Mean regret of every rule that has one, the smallest first."""
        share, unit = self.context.study.test_share, self.context.unit
        found = {}
        for rule, values in self.table.items():
            if values.notna().any():
                one = bounded_interval(values, range=self._range, test_share=share)
                found[str(rule)] = Estimate.of(one, unit, f"{one.n} repeats, corrected")
        return dict(sorted(found.items(), key=lambda item: item[1].value))

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Where regrets can lie: from 0 to the width of the measure's range.

        A measure without an end has none for its regret either. What is chosen from is
        known, though: nobody gives up more than the way from the best to the worst row
        of a search, and the widest of those ways is the end.
        """
        low, high = self.context.measure.range
        width = high - low
        return 0.0, width if np.isfinite(width) else self.context.widest_search

    def says_nothing(self, rule: str) -> bool:
        """Whether the interval of a rule leaves open half of what is possible."""
        one = self.estimates[rule]
        if not one.has_interval or one.low is None or one.high is None:
            return True
        return one.high - one.low > self._range[1] / 2

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
            return self._cost(first)
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
            how=f"{capital(OVER_REPEATS)}; against {self.base}.",
            fix=say("Tune by {first}.", first=name(first)),
            **place,
        )

    def _cost(self, rule: str) -> Condition | Value:
        """Say what the only honest rule costs, if its repeats tell that."""
        one, place = self.estimates[rule], {"section": "selection"}
        who = say("tuning by {rule}", rule=name(rule))
        regrets = self._searches[rule]
        if not one.has_interval and not np.any(np.abs(regrets) > 1e-12):
            words = say(
                "{who} gives up nothing in any of {n}.",
                who=started(who),
                n=plural(len(regrets), "search", "searches"),
            )
            return Condition(sentence=words, counts=(len(regrets),), **place)
        if not self.says_nothing(rule):
            return Value(who, one, "costs", **place)
        known: Words = ""
        if one.has_interval:
            known = say(": {value}", value=written(one))
        words = say(
            "{n} {do} not tell what {who} costs{known}.",
            n=plural(one.n, "repeat"),
            do="does" if one.n == 1 else "do",
            who=who,
            known=known,
        )
        return Condition(sentence=words, estimate=one, counts=(one.n,), **place)


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
            title=say("What each rule gives up against {base}", base=regrets.base),
            label=f"{context.unit} given up by each rule: {listed}.",
            unit=f"{shorten(context.unit, 30)} given up",
            conditions="Mean over learners, worlds and repeats, 95\u00a0% interval "
            "over repeats. Open: reads true labels, but chooses by a criterion of its "
            "own, so that it may give something up, too.",
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
