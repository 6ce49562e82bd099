"""A log of a run: one JSON object a line, added to the end of a file."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat._files import append_line
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.study._run import Event, Summary
    from caveat.study.trials._trial import Trial

log = logging.getLogger(__name__)


class EventLog:
    """Writes down when trials begin and how they end.

    Lines have ``time`` (UTC), ``event`` (``begin``, ``trial-begins``, ``trial-ends``,
    ``end``) and what belongs to it. Every end has its line; a trial that takes less
    than a moment may lack that of its beginning. Runners may share a file. If it cannot
    be written any more, one warning says so and the study goes on: results are in the
    ledger.

    Parameters
    ----------
    path : path
    study : str
        Name of the study, in every line.
    """

    def __init__(self, path: str | Path, study: str) -> None:
        self._path = Path(path)
        self._study = study
        self._begun: set[str] = set()
        self._works = True
        try:
            self._write("begin")
        except OSError as error:
            raise InvalidInput(
                f"--log {str(path)!r} cannot be written ({error.strerror or error}); "
                "name another file"
            ) from error

    def __call__(self, event: Event) -> None:
        """Write down what is new in an event of the run."""
        for trial in event.running:
            if trial.key not in self._begun:
                self._begun.add(trial.key)
                self._try("trial-begins", **_which(trial))
        if event.ended is None or event.trial is None:
            return
        # It may be tried again, and begins anew then.
        self._begun.discard(event.trial.key)
        ended = event.ended
        self._try(
            "trial-ends",
            **_which(event.trial),
            state=ended.state,
            reason=ended.reason,
            message=ended.message,
            seconds=ended.seconds,
            rss=ended.rss,
            host=ended.host,
            done=event.done,
            total=event.total,
        )

    def close(self, summary: Summary) -> None:
        """Write down how the run ended."""
        facts = {key: value for key, value in asdict(summary).items() if key != "study"}
        self._try("end", **facts)

    def _try(self, event: str, **facts: Any) -> None:
        if not self._works:
            return
        try:
            self._write(event, **facts)
        except OSError as error:
            self._works = False
            why = error.strerror or error
            log.warning("the log %s is no longer written: %s", self._path, why)

    def _write(self, event: str, **facts: Any) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "event": event, "study": self._study, **facts}
        append_line(self._path, json.dumps(line))


def _which(trial: Trial) -> dict[str, Any]:
    spec = trial.spec
    return {
        "key": trial.key,
        "topic": spec["topic"],
        "trial": trial.title,
        "configurations": [index for index, _ in spec["configurations"]],
    }
