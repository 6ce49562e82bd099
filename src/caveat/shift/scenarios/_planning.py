"""From a scenario's name to the masks of every step."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from caveat.exceptions import InvalidInput
from caveat.shift.importance._importance import ascending, check_importance
from caveat.shift.scenarios._scenarios import (
    Plan,
    Random,
    Scenario,
    Step,
    check_scenario,
)
from caveat.shift.scenarios._subsets import counts_of

CAP = 10_000
"""The paper's largest number of subsets of one size."""


@dataclass(frozen=True)
class Planned:
    """A scenario with its steps.

    Attributes
    ----------
    scenario : Scenario
    name : str
    importance : Series or None
        What ordered the columns, if the scenario needs an order.
    columns : list of str
    steps : list of Step
        Without the closed environment.
    """

    scenario: Scenario
    name: str
    importance: pd.Series | None
    columns: list[str]
    steps: list[Step]


def plan_steps(
    scenario: Any,
    rows: pd.DataFrame,
    labels: Any,
    *,
    n_test: int,
    importance: Any,
    degrees: Any,
    max_subsets: int,
    seed: int,
    model: Any = None,
    task: str | None = None,
    may_stop: bool = False,
    usual: int = CAP,
) -> Planned:
    """Order the columns if need be, and list the steps of a scenario.

    Parameters
    ----------
    scenario, importance, degrees, max_subsets
        As for `shift_curve`.
    rows, labels : DataFrame and array-like
        What importance is computed on; the columns are those that can vanish.
    n_test : int
        How many test rows there are.
    seed : int
    model, task
        For importance by the model.
    may_stop : bool
        Whether the curve may stop before the last subset.
    usual : int
        The cap that nobody asked for, and that nobody is warned of.
    """
    if (
        isinstance(max_subsets, bool)
        or not isinstance(max_subsets, int | np.integer)
        or max_subsets < 1
    ):
        raise InvalidInput(f"max_subsets is {max_subsets!r}; use 1 or more")
    chosen = check_scenario(scenario)
    n_columns = rows.shape[1]
    ranking = None
    if chosen.ordered:
        ranking = check_importance(
            importance, rows, labels, model=model, task=task, random_state=seed
        )
    plan = Plan(
        columns=[str(name) for name in rows.columns],
        order=np.arange(n_columns) if ranking is None else ascending(ranking),
        counts=counts_of(degrees, n_columns),
        max_subsets=int(max_subsets),
        seed=seed,
        may_stop=may_stop,
        n_rows=n_test,
    )
    if plan.max_subsets != usual:
        _warn_of_cap(chosen, plan)
    return Planned(
        scenario=chosen,
        name=name_of(scenario),
        importance=ranking,
        columns=list(plan.columns),
        steps=chosen.steps(plan),
    )


def name_of(thing: Any) -> str:
    """Name a scenario or imputer: as it was asked for, or by its class."""
    return thing if isinstance(thing, str) else type(thing).__name__.lower()


def check_seed(random_state: Any) -> int:
    """Turn any random state into a whole number, 0 or more."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    whole = isinstance(random_state, int | np.integer)
    if whole and not isinstance(random_state, bool):
        if random_state < 0:
            raise InvalidInput(f"random_state is {random_state}; use 0 or more")
        return int(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError:
        raise InvalidInput(
            f"random_state is {random_state!r}; use a whole number, a generator or None"
        ) from None


def _warn_of_cap(scenario: Scenario, plan: Plan) -> None:
    """Warn of more subsets than there are, if somebody asked for them."""
    if not isinstance(scenario, Random) or not plan.counts:
        return
    most = max(comb(len(plan.columns), k) for k in plan.counts)
    if plan.max_subsets > most:
        warnings.warn(
            f"there are no more than {most} subsets of one size, fewer than "
            f"max_subsets={plan.max_subsets}: all of them are taken",
            stacklevel=4,
        )
