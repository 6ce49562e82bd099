"""From the ledger and the table to the result: every number gets its interval."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit._errors import calibration, doubtful_labels, weak_segments
from caveat.audit._floor import MOST_ROWS
from caveat.audit._plan import Prepared
from caveat.audit._scores import CONSTANT, Reader, Scores, packed_answers
from caveat.audit._table import without
from caveat.audit.result import Floor, Result, Rung, Vanished, Way
from caveat.eapp.result import Result as Clusters
from caveat.models import early_sentence
from caveat.models.registry import MODELS
from caveat.pages.claims import Estimate

if TYPE_CHECKING:
    from caveat.study import Records

Given = Mapping[str, NDArray[np.float64]]
# A linear model this much behind misses a bend of the classes: no judge of labels.
_MISSES_NOTHING = 0.02
_MOST_VANISHED = 10
_OPEN = ("pending", "running")


def gather(records: Records, prepared: Prepared, given: Given) -> Result:
    """Collect what the trials of an audit found.

    Parameters
    ----------
    records : Records
        Of the audit's study.
    prepared : Prepared
    given : mapping of str to array
        Answers that were made elsewhere.
    """
    table, scenario = prepared.table, prepared.study["scenario"]
    rows = trial_rows(records)
    titles = {
        name: str(known.get("title", name))
        for (kind, name), known in records.glossary.items()
        if kind == "learner"
    }
    reader = Reader(table, scenario, titles)
    part = rows["scenario.part"] if len(rows) else pd.Series(dtype=str)
    scored, packed = rows[part == "score"], packed_answers(records)
    ladder = [reader.scores(scored, packed, step) for step in prepared.ladder]
    rungs = reader.rungs(ladder)
    last = ladder[max(0, len(rungs) - 1)]
    judged = reader.with_given(last, given)
    floor = _floor(reader, rows[part == "floor"], records)
    evidence = _evidence(reader, ladder, given)
    states = records.trials["state"].value_counts()
    open_ = sum(int(states.get(state, 0)) for state in _OPEN)
    assert prepared.scan is not None
    screen = scenario["screen"]
    return Result(
        measure=reader.unit,
        sign=reader.sign,
        chance=_chance(reader, last),
        luck=_luck(reader),
        task=table.task,
        findings=prepared.scan.findings,
        columns=prepared.scan.columns,
        classes=_classes(prepared),
        aside=_aside(scenario),
        rungs=_over_floor(reader, ladder, rungs, floor),
        models=reader.models(judged, given),
        constant=reader.further(judged, CONSTANT),
        floor=floor or _scanned(reader, prepared),
        clusters=_clusters(records),
        vanished=_vanished(reader, rows[part == "vanish"], records, last),
        **evidence,
        done=int(states.get("done", 0)),
        planned=int(states.sum()),
        failed=int(states.sum()) - int(states.get("done", 0)) - open_,
        ladder_open=_ladder_open(records.trials),
        rows=int((~table.held).sum()),
        whole_rows=prepared.whole_rows,
        sampled=_sampled(prepared, screen),
        early=_early(prepared),
        weights=str(scenario["weights"] or ""),
        seed=int(scenario["seed"]),
        folds=int(scenario["folds"]),
    )


def _early(prepared: Prepared) -> str:
    """Say which models the plan lets stop early, as networks do."""
    learners = [one for one in prepared.study["learners"] if not isinstance(one, str)]
    return early_sentence(
        {one["name"]: {k: v for k, v in one.items() if k != "name"} for one in learners}
    )


def _ladder_open(trials: pd.DataFrame) -> int:
    """Count the trials of the first round of the ladder that have not ended."""
    if "scenario.step" not in trials:
        return 0
    scored = trials[trials["scenario.part"] == "score"]
    first = scored[scored["scenario.round"] == scored["scenario.round"].min()]
    return int(first["state"].isin(_OPEN).sum())


def trial_rows(records: Records) -> pd.DataFrame:
    trials = records.trials
    worlds = [name for name in map(str, trials.columns) if name.startswith("scenario.")]
    rows = records.rows.drop(columns=["world"], errors="ignore")
    rows = rows.merge(trials[["key", *worlds]], on="key")
    rows["learner"] = rows["learner"].astype(str)
    for name in ("scenario.part", "scenario.step", "scenario.round"):
        if name not in rows:
            rows[name] = None
    return rows


def _chance(reader: Reader, last: Scores) -> float:
    if reader.table.classes:
        return 0.5
    values = list(last.values.get(CONSTANT, {}).values())
    return float(np.mean(values)) if values else float("nan")


def _luck(reader: Reader) -> float:
    """Say how far above one half chance alone may take an AUC; 0 for numbers.

    Three standard errors of the rank sum over all rows that judge. Two would not do:
    labels that were shuffled once go with some column by chance, and every fold learns
    that.
    """
    table = reader.table
    if not table.classes:
        return 0.0
    judged = table.upper[table.held] if table.held.any() else table.upper
    sizes = np.bincount(judged).astype(float)
    rest = sizes.sum() - sizes
    known = (sizes > 0) & (rest > 0)
    spread = np.sqrt((sizes.sum() + 1) / (12 * sizes[known] * rest[known]))
    return 3.0 * float(spread.mean()) if len(spread) else 0.0


def _classes(prepared: Prepared) -> pd.DataFrame:
    table = prepared.table
    learnt = table.upper[~table.held]
    counts = np.bincount(learnt, minlength=len(table.classes))
    labels = table.classes
    return pd.DataFrame(
        {"label": labels, "rows": [int(counts[n]) for n in range(len(labels))]}
    )


def _aside(scenario: Mapping[str, Any]) -> dict[str, str]:
    roles = {scenario[role]: role for role in ("groups", "time", "weights")}
    return {
        **scenario["aside"],
        **{name: role for name, role in roles.items() if name is not None},
    }


def _sampled(prepared: Prepared, screen: Mapping[str, Any] | None) -> str:
    words = [prepared.scan.sampled] if prepared.scan and prepared.scan.sampled else []
    rows = len(prepared.dataset)
    if prepared.whole_rows > rows:
        words.append(
            f"{rows:,} of {prepared.whole_rows:,} rows were used, drawn at random"
        )
    if screen:
        words.append(
            f"models got {len(screen['only']):,} of {screen['of']:,} columns, chosen "
            f"by {screen['rows']:,} rows that judge nothing"
        )
    return "; ".join(words)


def _floor(reader: Reader, rows: pd.DataFrame, records: Records) -> Floor | None:
    curve = records.curves("floor")
    if not len(rows) or not len(curve):
        return None
    row = rows.iloc[0]
    test = float(row["fact.test-rows"])
    share = test / max(1.0, test + float(row["fact.training-rows"]))
    thin = float(row["fact.training-rows"]) >= MOST_ROWS or test >= MOST_ROWS // 4
    curve = curve.assign(column=curve["column"].fillna("").astype(str))
    ways = []
    for way, mine in curve.groupby("way", sort=False):
        wide = mine.pivot_table(index="fold", columns="column", values="value")
        column, values = _chosen_column(wide, reader.sign)
        score = reader.estimate(values, 0.0 if way == "constant" else share)
        if way == "constant" and reader.table.classes:
            # Not measured: a constant answer has this AUC on any rows.
            score, values = Estimate(0.5, reader.unit, 0.5, 0.5, "by definition", 2), []
        ways.append(Way(str(way), column, score, () if thin else tuple(values)))
    ways.sort(key=lambda one: -reader.sign * one.score.value)
    p_value = row.get("fact.p_value")
    known = p_value is not None and p_value == p_value
    return Floor(
        tuple(ways), float(p_value) if known else None, int(row["fact.shuffles"])
    )


def _over_floor(
    reader: Reader, ladder: list[Scores], rungs: tuple[Rung, ...], floor: Floor | None
) -> tuple[Rung, ...]:
    """Pair scores with the floor, which has the rows of the last step that is planned.

    A step above it that splits the rows alike can be paired, too.
    """
    if floor is None or not floor.top.folds:
        return rungs
    rows = ladder[-1].step.rows
    return tuple(
        replace(rung, over_floor=reader.over_floor(step, floor.top.folds))
        if step.step.rows == rows
        else rung
        for rung, step in zip(rungs, ladder, strict=False)
    )


def _scanned(reader: Reader, prepared: Prepared) -> Floor | None:
    """Take the floor of the scan where no trial has measured it."""
    assert prepared.scan is not None
    one = prepared.scan.floor
    if one.measure != reader.measure:
        return None  # R² of the scan cannot be held against RMSE
    basis, rows = "rows, by the scan", len(prepared.table.y)
    known = Estimate(one.value, reader.unit, one.low, one.high, basis, rows)
    way = "column" if one.column else "constant"
    return Floor((Way(way, one.column, known),), one.p_value, one.shuffles)


def _chosen_column(wide: pd.DataFrame, sign: int) -> tuple[str, list[float]]:
    """Choose the column of every fold on the other folds; name the most frequent."""
    signed = sign * wide.to_numpy(dtype=float)
    if signed.shape[0] < 2:
        top = int(signed.mean(axis=0).argmax())
        return str(wide.columns[top]), list(wide.iloc[:, top])
    others = signed.sum(axis=0) - signed
    chosen = others.argmax(axis=1)
    values = [float(wide.iat[fold, place]) for fold, place in enumerate(chosen)]
    return str(wide.columns[np.bincount(chosen).argmax()]), values


def _clusters(records: Records) -> Clusters | None:
    row = records.curves("eapp-row")
    if not len(row):
        return None
    found = json.loads(str(row["json"].iloc[0]))
    found = {
        name: float("nan") if value is None and name not in ("notes",) else value
        for name, value in found.items()
    }
    identity = [*records.trials.columns, "world"]
    curves = {}
    for name in ("eapp", "eapp-classes"):
        curve = records.curves(name)
        own = [one for one in curve.columns if one not in identity]
        curves[name] = curve[own].to_dict("records")
    return Clusters.from_record({"row": found, "curves": curves})


def _vanished(
    reader: Reader, rows: pd.DataFrame, records: Records, last: Scores
) -> tuple[Vanished, ...]:
    """Say what the model of the last step misses most, over all folds."""
    curve = records.curves("vanish")
    chosen = [name for name, _ in last.chosen(reader.sign, last.models).values()]
    there = (
        [name for name in chosen if name in set(rows["learner"])] if len(rows) else []
    )
    if not len(curve) or not there:
        return ()
    name = max(dict.fromkeys(there), key=there.count)
    mine = rows[rows["learner"] == name]
    whole = mine.set_index("key")[f"test.{reader.measure}"].astype(float)
    own = curve[curve["key"].isin(whole.index)]
    own = own.assign(before=own["key"].map(whole))
    test = float(mine["fact.test-rows"].mean())
    share = test / max(1.0, test + float(mine["fact.training-rows"].mean()))
    found = []
    for column, part in own.groupby("column", sort=False):
        lost = reader.sign * (part["before"] - part["value"])
        again = pd.to_numeric(part["refitted"], errors="coerce").dropna()
        most = len(again) == len(part) and len(again) > 1
        found.append(
            Vanished(
                str(column),
                reader.titles.get(name, name),
                reader.estimate(part["before"], share),
                reader.estimate(part["value"], share),
                reader.difference(lost, share),
                reader.estimate(again, share) if most else None,
            )
        )
    found.sort(key=lambda one: -one.loss.value)
    return tuple(found[:_MOST_VANISHED])


def _evidence(reader: Reader, ladder: list[Scores], given: Given) -> dict[str, Any]:
    """Ask the answers themselves: labels, segments, probabilities."""
    if not reader.table.classes or reader.table.held.any():
        return {}
    # Later rows are judged by few; the last step that judges all rows says more.
    steps = [one for one in ladder if one.answers and not one.step.time]
    if not steps:
        return {}
    step, seed = steps[-1], int(reader.scenario["seed"])
    order = sorted(
        step.answers,
        key=lambda name: -float(np.mean(list(step.values[name].values()))),
    )
    answered = {name: _mean_answers(step, name) for name in order}
    said = {name: one for name, one in answered.items() if one is not None}
    if not said:
        return {}
    found: dict[str, Any] = {}
    first = next(iter(said))
    means = {name: float(np.mean(list(step.values[name].values()))) for name in said}
    linear = next((name for name in said if _is_linear(name)), first)
    if _is_linear(linear) and means[first] - means[linear] <= _MISSES_NOTHING:
        found["doubt"] = doubtful_labels(reader.table, said[linear])
    table = without(reader.table, list(step.step.drop))
    found["segments"] = weak_segments(table, said[first], seed)
    mine = next(iter(given), None)
    probabilities = said[first] if mine is None else given[mine]
    title = reader.titles.get(first, first) if mine is None else mine
    found["calibration"] = calibration(table, probabilities, title, seed)
    return found


def _is_linear(name: str) -> bool:
    return name in MODELS and MODELS[name].facts.get("family") == "linear"


def _mean_answers(step: Scores, name: str) -> NDArray[np.float64] | None:
    """Average a learner's answers over rounds; None where some rows have none."""
    rounds = [one for one in step.answers[name].values() if np.isfinite(one).all()]
    return np.mean(rounds, axis=0) if rounds else None
