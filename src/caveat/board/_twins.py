"""One learner that a study holds twice, with other settings: two rows, two names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd

from caveat.statistics._rules import Glossary


def tell_twins_apart(records: Any) -> Any:
    """Give a learner that occurs with several settings a name for each of them.

    A study may list ``nn`` and ``{name: nn, variant: plench}``, or be run under two
    protocols. Their scores must not be averaged, so the second is called
    ``nn (variant=plench)`` wherever learners are named. Plain settings keep the plain
    name.

    Parameters
    ----------
    records : Records
        Of one study.

    Returns
    -------
    Records; the same object if no learner has a twin.
    """
    trials, rows = records.trials, records.rows
    if not len(trials) or not {"key", "learner", "params"} <= set(trials.columns):
        return records
    name = trials["learner"].astype(str)
    kinds = pd.DataFrame(
        {
            "learner": name,
            "params": trials["params"].fillna("{}").astype(str),
            "protocol": trials["protocol"].fillna("").astype(str),
        }
    ).drop_duplicates()
    if kinds["learner"].is_unique:
        return records
    labels = {
        kind: label
        for _, group in kinds.groupby("learner", sort=False)
        for kind, label in _labels(group).items()
    }
    # Positions, not labels of the index: trials may be a part of a larger frame.
    key = zip(
        name,
        trials["params"].fillna("{}").astype(str),
        trials["protocol"].fillna("").astype(str),
        strict=True,
    )
    called = pd.Series([labels[one] for one in key], index=trials.index)
    changed = {"trials": trials.assign(learner=called)}
    if len(rows):
        by_key = pd.Series(called.to_numpy(), index=trials["key"].astype(str))
        changed["rows"] = rows.assign(
            learner=rows["key"].astype(str).map(by_key).astype("category")
        )
    glossary = _with_titles(records.glossary, labels)
    return replace(records, **changed, glossary=glossary)


def _labels(kinds: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """Name the kinds of one learner by what tells them apart."""
    found = [tuple(map(str, row)) for row in kinds.itertuples(index=False)]
    if len(found) == 1:
        return {(one[0], one[1], one[2]): one[0] for one in found}
    settings = [json.loads(params) for _, params, _ in found]
    shared = {
        key
        for key in settings[0]
        if all(key in one and one[key] == settings[0][key] for one in settings)
    }
    several_protocols = len({protocol for _, _, protocol in found}) > 1
    labels = {}
    for (name, params, protocol), given in zip(found, settings, strict=True):
        parts = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in given.items()
            if key not in shared
        ]
        if several_protocols and protocol:
            parts.append(f"protocol={protocol}")
        labels[name, params, protocol] = (
            f"{name} ({', '.join(parts)})" if parts else name
        )
    return labels


def _with_titles(
    glossary: Glossary, labels: dict[tuple[str, str, str], str]
) -> dict[tuple[str, str], Any]:
    words = dict(glossary)
    for (name, _, _), label in labels.items():
        facts = glossary.get(("learner", name))
        if label != name and facts is not None:
            title = str(facts.get("title") or name) + label.removeprefix(name)
            words["learner", label] = {**facts, "title": title}
    return words
