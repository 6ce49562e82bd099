"""The leaderboard of a study in the terminal: learners down, data sets across."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat.cli._console import say, table

if TYPE_CHECKING:
    import pandas as pd

    from caveat.study import Records


def show_leaderboard(records: Records, study: str) -> None:
    """Print the mean of the study's first measure, chosen by its first rule.

    Incomplete searches are counted below the table, never filled in.
    """
    from caveat.board import tell_twins_apart
    from caveat.statistics import average_ranks, direction_of, select
    from caveat.study import TOPICS

    records = tell_twins_apart(records)
    spec = records.studies[study]
    topic = TOPICS[spec["topic"]].load()
    rule = (spec["selection"] or list(topic.default_rules))[0]
    measure = f"test.{(spec['measures'] or list(topic.measures))[0]}"
    chosen = select(records, rule, measure=measure)
    chosen = chosen[~chosen["baseline"].astype(bool)]
    means = _pivot(chosen, "value")
    if means.empty:
        say("No trial gave a value.")
        return
    direction = direction_of(measure, glossary=records.glossary)
    ranks = average_ranks(means, direction=direction, missing="worst").ranks
    order = sorted(means.columns, key=lambda name: ranks[name])
    rows: list[list[Any]] = [
        [learner, f"{ranks[learner]:.2f}", *map(_number, means[learner])]
        for learner in order
    ]
    free = _free_part(records, measure)
    if free is not None:
        rows.append(
            ["clusters (EAPP)", "", *(_number(free.get(name)) for name in means.index)]
        )
    table(
        ["learner", "rank", *map(str, means.index)],
        rows,
        right=range(1, len(means.index) + 2),
        bold=(0,),
    )
    repeats = chosen["repeat"].nunique()
    name = measure.removeprefix("test.")
    say(f"Mean {name} over {repeats} repeats, settings chosen by {rule}.")
    incomplete = int((~chosen["complete"].astype(bool)).sum())
    if incomplete:
        say(f"{incomplete} of {len(chosen)} searches are incomplete; see caveat status")


def _pivot(chosen: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean over repeats and worlds: a row per data set, a column per learner."""
    part = chosen.dropna(subset=[value])
    cells = part.groupby(["dataset", "learner"], observed=True, sort=False)[
        value
    ].mean()
    return cells.unstack("learner")


def _free_part(records: Records, measure: str) -> dict[str, float] | None:
    """Mean baseline per data set, if the baseline has this measure."""
    if measure not in records.rows:
        return None
    rows = records.rows[records.rows["topic"] == "eapp"]
    means = rows.groupby("dataset", observed=True)[measure].mean().dropna()
    return means.to_dict() if len(means) else None


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"
