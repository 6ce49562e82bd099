"""Records of a study that never ran: known quality, known failures, known rules.

The value of a row is quality(learner) + shift(block) - penalty(configuration) + noise.
A rule's criterion is the value plus noise of the rule's own, so a noisier rule has
a larger regret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from caveat.study import Records

LEARNERS = {
    "em-lr": 0.852,
    "lmm": 0.852,
    "amm": 0.847,
    "bag-forward-correction": 0.843,
    "llp-vat": 0.822,
    "dllp": 0.813,
    "easy-llp": 0.803,
    "inverse-calibration": 0.786,
    "mm": 0.764,
}
RULES = {
    "split-bag-bootstrap": 0.004,
    "split-bag-shuffle": 0.005,
    "split-bag-kfold": 0.007,
    "full-bag-kfold": 0.06,
}
WORLDS = [
    {"variant": variant, "n_bags": bags, "proportions": shares}
    for variant in ("naive", "simple", "intermediate", "hard")
    for bags in (5, 10)
    for shares in (("close", "far") if variant != "naive" else ("close",))
]
VERSIONS = '{"caveat":"0.1.0","numpy":"2.4.0","scikit-learn":"1.9.0"}'


def world_text(world: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in world.items())


def make_records(
    *,
    learners: Mapping[str, float] = LEARNERS,
    datasets: Sequence[str] = ("adult",),
    worlds: Sequence[Mapping[str, Any]] = tuple(WORLDS),
    rules: Mapping[str, float] = RULES,
    oracle: bool = True,
    repeats: int = 5,
    configurations: int = 6,
    measures: Sequence[str] = ("auc", "f1"),
    direction: str = "max",
    baseline: float | None = 0.742,
    noise: float = 0.006,
    spread: float = 0.03,
    fail: Callable[[dict[str, Any]], tuple[str, str, str] | None] = lambda trial: None,
    state: Callable[[dict[str, Any]], str | None] = lambda trial: None,
    shift: Callable[[str, str, Mapping[str, Any]], float] = lambda *_: 0.0,
    study: str = "adult-bags",
    topic: str = "bags",
    warnings: Mapping[str, str] | None = None,
    hosts: Sequence[str] = ("node-1",),
    seed: int = 0,
) -> Records:
    """Build records; `fail` gives (state, reason, message) for a trial that failed."""
    random = np.random.default_rng(seed)
    trials: list[dict[str, Any]] = []
    tables: list[pd.DataFrame] = []
    seconds = {name: 0.2 * 2.3**place for place, name in enumerate(learners)}
    for name, data, world, repeat in product(
        learners, datasets, worlds, range(repeats)
    ):
        text = world_text(world)
        key = f"{len(trials):08x}"
        trial: dict[str, Any] = {
            "key": key,
            "group": f"g{key}",
            "study": study,
            "topic": topic,
            "dataset": data,
            "learner": name,
            "params": "{}",
            "repeat": repeat,
            "world": text,
            "protocol": "caveat",
            "state": "done",
            "reason": "",
            "message": "",
            "frames": "",
            "configurations": configurations,
            "group_size": configurations,
            "seconds": float(seconds[name] * random.uniform(0.9, 1.2)),
            "rss": 1e8,
            "host": hosts[len(trials) % len(hosts)],
            "versions": VERSIONS,
            **{f"scenario.{key}": value for key, value in world.items()},
            "baseline": False,
        }
        failed = fail(trial)
        if failed is not None:
            trial["state"], trial["reason"], trial["message"] = failed
        trial["state"] = state(trial) or trial["state"]
        trials.append(trial)
        if trial["state"] != "done":
            continue
        sign = 1 if direction == "max" else -1
        centre = learners[name] + sign * shift(name, data, world)
        penalty = np.linspace(0, spread, configurations)
        value = centre - sign * penalty + random.normal(0, noise, configurations)
        table: dict[str, Any] = {
            **{k: trial[k] for k in ("key", "group", "study", "topic", "dataset")},
            **{k: trial[k] for k in ("learner", "repeat", "world")},
            "params": [f'{{"C":{number}}}' for number in range(configurations)],
            "config": np.arange(configurations),
            "checkpoint": np.nan,
        }
        for rule, error in rules.items():
            table[f"criterion.{rule}"] = sign * value + random.normal(
                0, error, configurations
            )
        if oracle and rules:
            table["oracle.accuracy"] = sign * value + random.normal(
                0, 0.001, configurations
            )
        for place, measure in enumerate(measures):
            table[f"test.{measure}"] = value - 0.05 * place * (1 + place * (name < "f"))
        tables.append(pd.DataFrame(table))
    if baseline is not None:
        for data, repeat in product(datasets, range(repeats)):
            key = f"b{len(trials):07x}"
            trials.append(
                {
                    **dict.fromkeys(("reason", "message", "frames", "world"), ""),
                    "key": key,
                    "group": f"g{key}",
                    "study": study,
                    "topic": "eapp",
                    "dataset": data,
                    "learner": "eapp",
                    "params": "{}",
                    "repeat": repeat,
                    "protocol": "caveat",
                    "state": "done",
                    "configurations": 1,
                    "group_size": 1,
                    "seconds": 0.8,
                    "rss": 1e8,
                    "host": hosts[0],
                    "versions": VERSIONS,
                    "baseline": True,
                }
            )
            tables.append(
                pd.DataFrame(
                    {
                        **{
                            k: trials[-1][k] for k in ("key", "group", "study", "topic")
                        },
                        **{k: trials[-1][k] for k in ("dataset", "learner", "repeat")},
                        "world": "",
                        "params": "{}",
                        "config": [0],
                        "checkpoint": np.nan,
                        f"test.{measures[0]}": baseline + 0.001 * (repeat % 3),
                    }
                )
            )
    return Records(
        trials=pd.DataFrame(trials, columns=None if trials else TRIAL_COLUMNS),
        rows=pd.concat(tables, ignore_index=True)
        if tables
        else pd.DataFrame(columns=ROWS),
        glossary=make_glossary(
            learners,
            rules,
            measures,
            direction,
            datasets,
            oracle=oracle,
            warnings=warnings or {},
        ),
        studies={
            study: {
                "study": study,
                "topic": topic,
                "datasets": list(datasets),
                "learners": list(learners),
                "selection": [*rules, *(["oracle"] if oracle and rules else [])],
                "measures": list(measures),
                "repeats": repeats,
                "scenario": {
                    name: list(
                        dict.fromkeys(one[name] for one in worlds if name in one)
                    )
                    for name in dict.fromkeys(key for one in worlds for key in one)
                },
            }
        },
    )


TRIAL_COLUMNS = [
    "key",
    "group",
    "study",
    "topic",
    "dataset",
    "learner",
    "params",
    "repeat",
    "world",
    "protocol",
    "state",
    "reason",
    "message",
    "frames",
    "configurations",
    "group_size",
    "seconds",
    "rss",
    "host",
    "versions",
    "baseline",
]
ROWS = [
    "key",
    "group",
    "study",
    "topic",
    "dataset",
    "learner",
    "repeat",
    "world",
    "params",
    "config",
    "checkpoint",
]


def make_glossary(
    learners: Mapping[str, float],
    rules: Mapping[str, float],
    measures: Sequence[str],
    direction: str,
    datasets: Sequence[str],
    *,
    oracle: bool,
    warnings: Mapping[str, str],
) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {
        ("topic", "bags"): {"title": "label proportions"},
    }
    for name in learners:
        found["learner", name] = {
            "title": name,
            "summary": f"The learner called {name}.",
            "paper": "Nobody (2020)",
            "warnings": warnings.get(
                name, "Assumes that labels depend on the features only, not on the bag."
            ),
        }
    for name in measures:
        found["measure", f"test.{name}"] = {
            "title": {"auc": "AUC", "f1": "F1"}.get(name, name),
            "summary": f"The measure called {name}.",
            "direction": direction,
            "warnings": warnings.get(
                name, "Blind to calibration: any monotone change of scores keeps it."
            ),
        }
    for name in rules:
        found["rule", name] = {
            "title": name,
            "summary": f"Chooses by {name}.",
            "column": f"criterion.{name}",
            "checkpoint": "best",
            "oracle": False,
        }
        found["criterion", f"criterion.{name}"] = {"direction": "max"}
    if oracle and rules:
        found["rule", "oracle"] = {
            "title": "oracle",
            "summary": "Chooses by true labels of a validation part.",
            "column": "oracle.accuracy",
            "direction": "max",
            "checkpoint": "best",
            "oracle": True,
        }
    for name in datasets:
        found["dataset", name] = {"rows": 48842, "columns": 14, "task": "binary"}
    return found
