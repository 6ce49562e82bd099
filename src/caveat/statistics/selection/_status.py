"""What a search was to hold, what became of it, and the words for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FAILED = ("failed", "timeout", "oom", "crashed")


class Plan(NamedTuple):
    """Per group: configurations planned, failed and finished, and why they failed."""

    size: NDArray[np.float64]
    failed: NDArray[np.float64]
    finished: NDArray[np.float64]
    why: Mapping[int, str]


def plan_of(trials: pd.DataFrame, group: NDArray[np.intp], n_groups: int) -> Plan:
    """Read the plan off the trials; `group` is the position of each one's group.

    A trial that does not say how many configurations it holds, or how many its
    group has, adds nothing to the plan; a failed one counts for one at least.
    """
    held = _numbers(trials, "configurations")
    size = np.zeros(n_groups)
    np.maximum.at(size, group, _numbers(trials, "group_size"))
    size = np.maximum(size, np.bincount(group, held, minlength=n_groups))
    if "state" not in trials.columns:
        return Plan(size, np.zeros(n_groups), np.zeros(n_groups), {})
    state = trials["state"].astype(str).to_numpy()
    broken = np.isin(state, FAILED)
    lost = np.maximum(held[broken], 1.0)
    failed = np.bincount(group[broken], lost, minlength=n_groups).astype(np.float64)
    told = state[broken]
    if "reason" in trials.columns:
        reason = trials["reason"].astype(object).to_numpy()[broken]
        told = np.where(pd.isna(reason) | (reason == ""), told, reason).astype(str)
    why = _reasons(group[broken], told, lost)
    done = state == "done"
    finished = np.bincount(group[done], held[done], minlength=n_groups)
    return Plan(np.maximum(size, failed), failed, finished.astype(np.float64), why)


def status_of(plan: Plan, present: NDArray[np.intp]) -> dict[str, Any]:
    """Columns that say what is there, what is missing, what failed, and why.

    A trial that trains several configurations ends well if one of them does: those
    that are not among its rows have failed, and its notes say why.
    """
    size = np.maximum(plan.size, present)
    spoilt = np.maximum(plan.finished - present, 0.0)
    failed = np.minimum(plan.failed + spoilt, size - present)
    missing = size - present - failed
    complete = (missing == 0) & (failed == 0) & (present > 0)
    reason = np.full(len(size), "", dtype=object)
    for i in np.flatnonzero(~complete).tolist():
        why = plan.why.get(i, "")
        if spoilt[i]:
            why = ", ".join(
                filter(None, [why, f"in finished trials: {int(spoilt[i])}"])
            )
        reason[i] = _sentence(int(size[i]), int(missing[i]), int(failed[i]), why)
    return {
        "configurations": size.astype(np.int64),
        "present": present.astype(np.int64),
        "missing": missing.astype(np.int64),
        "failed": failed.astype(np.int64),
        "complete": complete,
        "reason": reason,
    }


def _sentence(size: int, missing: int, failed: int, why: str) -> str:
    parts = []
    noun = "configuration" if size == 1 else "configurations"
    if failed:
        parts.append(f"{failed} of {size} {noun} failed ({why})")
    if missing:
        parts.append(f"{missing} of {size} {noun} without a result yet")
    return "; ".join(parts) or "there are no rows"


def _reasons(
    group: NDArray[np.intp], told: NDArray[Any], lost: NDArray[np.float64]
) -> dict[int, str]:
    """Per group, the reasons of failures with their counts, the most frequent first."""
    if not len(group):
        return {}
    frame = pd.DataFrame({"group": group, "why": told, "n": lost})
    counts = frame.groupby(["group", "why"])["n"].sum().reset_index()
    counts = counts.sort_values(["group", "n", "why"], ascending=[True, False, True])
    texts: dict[int, list[str]] = {}
    for i, why, n in zip(counts["group"], counts["why"], counts["n"], strict=True):
        texts.setdefault(int(i), []).append(f"{why}: {int(n)}")
    return {i: ", ".join(parts) for i, parts in texts.items()}


def _numbers(trials: pd.DataFrame, name: str) -> NDArray[np.float64]:
    if name not in trials.columns:
        return np.zeros(len(trials))
    values = pd.to_numeric(trials[name]).to_numpy(dtype=np.float64, na_value=np.nan)
    return np.nan_to_num(values)
