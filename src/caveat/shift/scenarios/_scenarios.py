"""Scenarios: the ways in which columns vanish, and the masks of each.

A scenario turns an order of the columns into steps. A step is one row of a curve: a
set of masks whose mean is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift.scenarios._subsets import Fixed, Subsets, mask_of


@dataclass(frozen=True)
class Plan:
    """What a scenario may know.

    Attributes
    ----------
    columns : sequence of str
        Names of the columns that may vanish.
    order : array of int
        Numbers of the columns in ascending importance.
    counts : sequence of int
        How many columns may be missing, ascending, without 0.
    max_subsets : int
        At most so many subsets of one size.
    seed : int
        Seed of all draws.
    may_stop : bool
        Whether the curve may stop before the last subset.
    n_rows : int
        How many test rows there are.
    """

    columns: Sequence[str]
    order: NDArray[np.intp]
    counts: Sequence[int]
    max_subsets: int
    seed: int
    may_stop: bool
    n_rows: int


@dataclass(frozen=True)
class Step:
    """One row of a curve.

    Attributes
    ----------
    k : int
        How many columns are missing (or, when columns are added, how many are new).
    masks : Subsets or Fixed
        Whose mean the row shows.
    label : str or None
        The missing column, or the name of the stage.
    rows : array of int or None
        The test rows it is about; None means all.
    arrival : callable or None
        How the test table arrives, if not as it was given.
    """

    k: int
    masks: Subsets | Fixed
    label: str | None = None
    rows: NDArray[np.intp] | None = None
    arrival: Callable[[pd.DataFrame], pd.DataFrame] | None = None


class Scenario(Protocol):
    """What `shift_curve` needs of a scenario."""

    ordered: ClassVar[bool]
    """Whether the order of the columns matters, so that it must be computed."""
    label: ClassVar[str | None]
    """Name of the table's further column: ``column``, ``stage`` or none."""

    def steps(self, plan: Plan) -> list[Step]:
        """List the rows of the curve after the closed environment."""
        ...


class Single:
    """One column vanishes at a time, the least important first.

    Parameters
    ----------
    most : int, optional
        Only so many of the most important columns; all if not given.

    Examples
    --------
    >>> import numpy as np
    >>> plan = Plan(["a", "b"], np.array([1, 0]), [1, 2], 10, 0, False, 5)
    >>> [(step.label, step.k) for step in Single().steps(plan)]
    [('b', 1), ('a', 1)]
    """

    ordered: ClassVar[bool] = True
    label: ClassVar[str | None] = "column"

    def __init__(self, most: int | None = None) -> None:
        if most is not None and (isinstance(most, bool) or most < 1):
            raise InvalidInput(f"most is {most!r}; use 1 or more columns")
        self.most = most

    def steps(self, plan: Plan) -> list[Step]:
        """Remove each column alone, in ascending importance."""
        if 1 not in plan.counts:
            return []
        n = len(plan.columns)
        chosen = plan.order if self.most is None else plan.order[-self.most :]
        return [
            Step(1, Fixed(mask_of([column], n)[None]), plan.columns[column])
            for column in chosen
        ]


class Least:
    """The least important columns vanish first, one after the other."""

    ordered: ClassVar[bool] = True
    label: ClassVar[str | None] = None

    def steps(self, plan: Plan) -> list[Step]:
        """Remove the k least important columns, for every k."""
        return _cumulative(plan.order, plan)


class Most:
    """The most important columns vanish first, one after the other."""

    ordered: ClassVar[bool] = True
    label: ClassVar[str | None] = None

    def steps(self, plan: Plan) -> list[Step]:
        """Remove the k most important columns, for every k."""
        return _cumulative(plan.order[::-1], plan)


def _cumulative(order: NDArray[np.intp], plan: Plan) -> list[Step]:
    n = len(plan.columns)
    return [Step(k, Fixed(mask_of(order[:k], n)[None])) for k in plan.counts]


class Random:
    """Any k columns vanish; the mean over subsets is shown for every k."""

    ordered: ClassVar[bool] = False
    label: ClassVar[str | None] = None

    def steps(self, plan: Plan) -> list[Step]:
        """Draw subsets of every size, or list them all."""
        n = len(plan.columns)
        return [
            Step(
                k,
                Subsets(
                    n,
                    k,
                    most=plan.max_subsets,
                    seed=plan.seed,
                    shuffled=plan.may_stop,
                ),
            )
            for k in plan.counts
        ]


class Stages:
    """Named groups of columns vanish, as whole steps of data collection do.

    Parameters
    ----------
    stages : mapping of str to sequence of str, or sequence of sequences of str
        The columns that are absent at each stage. Unnamed stages are called by
        their columns.
    cumulative : bool, default=False
        Whether what was absent at a stage stays absent at the later ones.
    disjoint : bool, default=False
        Whether each stage gets its own share of the test rows, at random, instead
        of all of them. The closed environment is measured on all rows.

    Examples
    --------
    The stages of the heart data: all, no electrocardiogram, no stress test.

    >>> heart = Stages({"no ECG": ["RestingECG", "ST_Slope"],
    ...                 "no stress test": ["ExerciseAngina", "Oldpeak"]})
    >>> list(heart.stages)
    ['no ECG', 'no stress test']
    """

    ordered: ClassVar[bool] = False
    label: ClassVar[str | None] = "stage"

    def __init__(
        self,
        stages: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        *,
        cumulative: bool = False,
        disjoint: bool = False,
    ) -> None:
        self.stages = _named(stages)
        self.cumulative = cumulative
        self.disjoint = disjoint

    def steps(self, plan: Plan) -> list[Step]:
        """Remove each group, from all test rows or from its own share of them."""
        absent: list[set[int]] = []
        for columns in self.stages.values():
            places = {_place(column, plan.columns) for column in columns}
            absent.append(places | absent[-1] if self.cumulative and absent else places)
        shares = self._shares(plan)
        n = len(plan.columns)
        return [
            Step(len(gone), Fixed(mask_of(gone, n)[None]), name, rows)
            for name, gone, rows in zip(self.stages, absent, shares, strict=True)
        ]

    def _shares(self, plan: Plan) -> list[NDArray[np.intp] | None]:
        if not self.disjoint:
            return [None] * len(self.stages)
        if len(self.stages) > plan.n_rows:
            raise InvalidInput(
                f"{len(self.stages)} stages need at least as many test rows, found "
                f"{plan.n_rows}; use disjoint=False"
            )
        shuffled = np.random.default_rng([plan.seed, 0]).permutation(plan.n_rows)
        return [np.sort(part) for part in np.array_split(shuffled, len(self.stages))]


def _named(
    stages: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
) -> dict[str, tuple[str, ...]]:
    groups = stages.values() if isinstance(stages, Mapping) else list(stages)
    wrong = [group for group in groups if isinstance(group, str)]
    if isinstance(stages, str) or wrong:
        found = stages if isinstance(stages, str) else wrong[0]
        raise InvalidInput(
            f"stages holds the text {found!r}; each stage is a list of column names"
        )
    if isinstance(stages, Mapping):
        named = {str(name): tuple(group) for name, group in stages.items()}
    else:
        named = {}
        for group in stages:
            name = "no " + ", ".join(map(str, group)) if group else "all columns"
            named.setdefault(name, tuple(group))
    if not named:
        raise InvalidInput("stages is empty; name at least one group of columns")
    return named


def _place(column: str, columns: Sequence[str]) -> int:
    for place, name in enumerate(columns):
        if name == column:
            return place
    raise UnknownName.among("column", column, columns)


class Increment:
    """New columns appear in the test table.

    What a model does not know it cannot use: columns are found by name, so the
    curve is flat. It is here to show that it is.

    Parameters
    ----------
    columns : int, default=3
        How many columns of noise appear, one after the other.
    """

    ordered: ClassVar[bool] = False
    label: ClassVar[str | None] = None

    def __init__(self, columns: int = 3) -> None:
        if isinstance(columns, bool) or not isinstance(columns, int) or columns < 1:
            raise InvalidInput(
                f"columns is {columns!r}; at least one column has to appear"
            )
        self.columns = columns

    def steps(self, plan: Plan) -> list[Step]:
        """Add 1, 2, ... columns at random places."""
        nothing_gone = np.zeros((1, len(plan.columns)), dtype=bool)
        return [
            Step(
                count,
                Fixed(nothing_gone),
                arrival=partial(_widened, count=count, seed=plan.seed),
            )
            for count in range(1, self.columns + 1)
        ]


def _widened(table: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """Add columns of noise under names of their own, and shuffle all columns."""
    rng = np.random.default_rng([seed, count])
    stem = "new"
    while any(str(name).startswith(stem) for name in table.columns):
        stem += "_"
    fresh = [f"{stem}{number}" for number in range(count)]
    noise = pd.DataFrame(
        rng.normal(size=(len(table), count)), columns=fresh, index=table.index
    )
    wide = pd.concat([table, noise], axis=1)
    return wide[[wide.columns[place] for place in rng.permutation(wide.shape[1])]]


HEART_STAGES: Mapping[str, Sequence[str]] = {
    "no ECG": ("RestingECG", "ST_Slope"),
    "no stress test": ("ExerciseAngina", "Oldpeak"),
}
"""Appendix C of the feature-shift paper: what a heart clinic may have to do without."""


def check_scenario(scenario: object) -> Scenario:
    """Accept a name from the registry or a scenario of the user's own."""
    if not isinstance(scenario, str):
        if all(hasattr(scenario, name) for name in ("steps", "ordered", "label")):
            return scenario  # type: ignore[return-value]
        raise InvalidInput(
            f"scenario is {scenario!r}; pass a name or an object such as Stages(...)"
        )
    from caveat.shift.registry import SCENARIOS

    entry = SCENARIOS[scenario]
    if entry.facts.get("needs"):
        raise InvalidInput(
            f"scenario {scenario!r} needs {entry.facts['needs']}; pass "
            f"{entry.facts['example']}"
        )
    made: Scenario = entry.make()
    return made
