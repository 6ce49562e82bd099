"""From a study to its trials: pure specs in a fixed order, nothing run or imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from caveat._registry import Entry
from caveat.exceptions import InvalidInput
from caveat.study.files._learners import LearnerSpec, parse_learner
from caveat.study.files._spec import Study, load_study
from caveat.study.registry import BASELINE, TOPICS
from caveat.study.topic import Topic, dataset_name
from caveat.study.trials._search import grid_configurations, random_configurations
from caveat.study.trials._trial import Trial

MOST_TRIALS = 1_000_000


def plan(
    study: Study | str | Path | Mapping[str, Any],
    *,
    yes: bool = False,
    digest: Callable[[Any], str] | None = None,
) -> list[Trial]:
    """Expand a study into its trials, each once, in a fixed order.

    Parameters
    ----------
    study : Study, or whatever `load_study` takes
    yes : bool
        Agree to more than a million trials.
    digest : callable, optional
        From a data set's reference to its digest; `fingerprint`, which needs the data,
        if not given.

    Returns
    -------
    list of Trial

    Examples
    --------
    >>> trials = plan({"study": "s", "topic": "supervised", "datasets": ["iris"],
    ...                "learners": ["dummy"], "repeats": 3, "baseline": "none"})
    >>> [trial.spec["repeat"] for trial in trials]
    [0, 1, 2]
    """
    checked = study if isinstance(study, Study) else load_study(study)
    planned: dict[str, Trial] = {}
    reasons = _reasons(checked)
    left_out = _left_out(checked, reasons)
    if len(left_out) == len(checked.datasets) * len(checked.learners):
        dataset, learner, reason = left_out[0]
        raise InvalidInput(
            f"study {checked.study!r} has nothing to run: "
            f"{learner} on {dataset} {reason}"
        )
    for spec in _specs(checked, reasons, digest):
        trial = Trial(spec)
        planned.setdefault(trial.key, trial)
        if len(planned) > MOST_TRIALS and not yes:
            raise InvalidInput(
                f"study {checked.study!r} has more than {MOST_TRIALS:,} trials; "
                "make the grid smaller, or add --yes"
            )
    return list(planned.values())


def skipped(study: Study) -> list[tuple[str, str, str]]:
    """Say which learner cannot do which data set, and why.

    Returns
    -------
    list of (data set, learner, reason)
    """
    return _left_out(study, _reasons(study))


def _left_out(study: Study, reasons: list[list[str]]) -> list[tuple[str, str, str]]:
    names = [parse_learner(written).name for written in study.learners]
    return [
        (dataset_name(reference), name, reason)
        for reference, row in zip(study.datasets, reasons, strict=True)
        for name, reason in zip(names, row, strict=True)
        if reason
    ]


def _reasons(study: Study) -> list[list[str]]:
    """Say by data set and learner why it cannot be done, "" if it can."""
    from caveat.datasets import describe

    topic: Topic = TOPICS[study.topic].load()
    learners = [parse_learner(written) for written in study.learners]
    skip = getattr(topic, "skip", None)
    if skip is None or all(learner.is_imported for learner in learners):
        return [[""] * len(learners) for _ in study.datasets]
    # To describe somebody's file is to read it: once for all learners.
    return [
        [
            "" if learner.is_imported else skip(facts, topic.learners[learner.name])
            for learner in learners
        ]
        for facts in map(describe, study.datasets)
    ]


def _specs(
    study: Study, reasons: list[list[str]], digest: Callable[[Any], str] | None
) -> Iterator[dict[str, Any]]:
    from caveat.datasets import fingerprint

    digested = fingerprint if digest is None else digest
    topic: Topic = TOPICS[study.topic].load()
    protocol = study.protocol or topic.protocols[0]
    learners = [parse_learner(written) for written in study.learners]
    for reference, row in zip(study.datasets, reasons, strict=True):
        dataset = {"reference": reference, "digest": digested(reference)}
        base = {
            "topic": study.topic,
            "dataset": dataset,
            "protocol": protocol,
            "split": study.split.model_dump(by_alias=True),
            "resampling": study.resampling,
            "training": study.search.training(),
            "then": study.then,
        }
        if study.baseline != "none" and _takes_baseline(study.topic, reference):
            yield from _baseline_specs(study, dataset)
        worlds = topic.worlds(study.scenario, dataset_name(reference))
        wanted = getattr(topic, "wanted", lambda world, learner, repeat: True)
        able = [one for one, no in zip(learners, row, strict=True) if not no]
        # Neighbours share a data set and a world, so that workers can keep both.
        for world in worlds:
            for repeat, seed in study.all_repeats:
                for learner in able:
                    if not wanted(world, learner.name, repeat):
                        continue
                    shared = {
                        **base,
                        "world": world,
                        "learner": {"name": learner.name, "params": learner.fixed},
                        "repeat": repeat,
                        "seed": seed,
                    }
                    yield from _cut(study, topic, learner, shared)


def _cut(
    study: Study, topic: Topic, learner: LearnerSpec, shared: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Cut one search into trials of one or a few configurations."""
    entry = None if learner.is_imported else topic.learners[learner.name]
    kind, found = configurations(study, topic, learner, entry, shared["repeat"])
    size = study.search.per_trial
    if size is None:
        size = topic.configurations_per_trial(entry, len(found)) if entry else 1
    for start in range(0, len(found), max(1, size)):
        chunk = found[start : start + max(1, size)]
        yield {
            **shared,
            "search": {"kind": kind, "size": len(found)},
            "configurations": [
                [start + offset, params] for offset, params in enumerate(chunk)
            ],
        }


def configurations(
    study: Study,
    topic: Topic,
    learner: LearnerSpec,
    entry: Entry | None,
    repeat: int,
) -> tuple[str, list[dict[str, Any]]]:
    """All configurations of one search, and what kind of search it is."""
    count = study.search.configurations
    if learner.grid:
        return "grid", grid_configurations(learner.grid)
    if count is not None and entry is not None:
        draw = getattr(topic, "draw", None)
        if draw is not None:
            protocol = study.protocol or topic.protocols[0]
            return "random", [draw(entry, i, repeat, protocol) for i in range(count)]
        if space := _searched(entry.space, learner):
            return "random", random_configurations(entry.name, space, count)
    if study.search.grid == "default" and entry is not None:
        usual = _searched(entry.grid, learner)
        return ("grid", grid_configurations(usual)) if usual else ("none", [{}])
    return "none", [{}]


def _searched(space: Mapping[str, Any], learner: LearnerSpec) -> dict[str, Any]:
    """Leave out of a registered space what the study file fixes."""
    return {name: one for name, one in space.items() if name not in learner.fixed}


def _takes_baseline(topic: str, reference: Any) -> bool:
    from caveat.datasets import describe

    return topic != BASELINE and describe(reference)["task"] in (
        "binary",
        "multiclass",
    )


def _baseline_specs(
    study: Study, dataset: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """One baseline trial per data set and split: how far clustering gets alone."""
    for repeat, seed in study.all_repeats:
        yield {
            "topic": BASELINE,
            "dataset": dataset,
            "protocol": "caveat",
            "split": study.split.model_dump(by_alias=True),
            "resampling": {},
            "training": {},
            "then": {},
            "world": {},
            "learner": {"name": BASELINE, "params": {}},
            "repeat": repeat,
            "seed": seed,
            "search": {"kind": "none", "size": 1},
            "configurations": [[0, {}]],
        }
