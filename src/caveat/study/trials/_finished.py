"""How a trial ended: what travels from a worker back to the runner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finished:
    """How a trial ended.

    Attributes
    ----------
    key : str
    state : {"done", "failed", "timeout", "oom", "crashed"}
    record : dict or None
        What `run_trial` gave, if it was done.
    reason, message, frames : str, str, list of str
        Why it was not.
    seconds, rss, host, versions
        What it cost and where; never part of the result.
    """

    key: str
    state: str
    record: dict[str, Any] | None = None
    reason: str = ""
    message: str = ""
    frames: list[str] = field(default_factory=list)
    seconds: float | None = None
    rss: int | None = None
    host: str = ""
    versions: dict[str, str] = field(default_factory=dict)
