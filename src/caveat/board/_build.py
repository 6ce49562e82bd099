"""From records to a report: one page, with its figures and tables beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from caveat.board.page._chapter import make_chapter
from caveat.board.page._read_study import read_study
from caveat.exceptions import UnknownName
from caveat.pages import Page, count, say, word, write
from caveat.statistics._rules import RecordsLike


def build_report(
    records: RecordsLike | Sequence[RecordsLike],
    out: str | Path,
    *,
    study: str | None = None,
    measure: str | None = None,
    rule: str | None = None,
    excel_safe: bool = False,
    command: str = "",
) -> Path:
    """Write the report on a ledger: ``index.html``, figures and tables.

    Parameters
    ----------
    records : Records, or a sequence of them
        What ``Ledger(url).records()`` gives. A trial that belongs to several studies
        is listed once; to have it in the chapter of each, read and pass the studies
        one by one.
    out : path
        Folder to write to, made if it is not there.
    study : str, optional
        Report on this one only.
    measure, rule : str, optional
        Measure and selection rule that come first; default: the study's own first
        ones.
    excel_safe : bool, default=False
        Put an apostrophe before text in CSV files that a spreadsheet would run.
    command : str
        The command that made the page, to be shown on it.

    Returns
    -------
    Path of ``index.html``.

    Warnings
    --------
    The page says what the records hold. What was never run, such as a baseline or a
    second data set, it can only name as missing.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from caveat.study import Records
    >>> empty = Records(trials=pd.DataFrame(), rows=pd.DataFrame())
    >>> page = build_report(empty, tempfile.mkdtemp())
    >>> "Nothing has been run yet" in page.read_text()
    True
    """
    page = build_page(
        records,
        study=study,
        measure=measure,
        rule=rule,
        excel_safe=excel_safe,
        command=command,
    )
    return write(page, out)


def build_page(
    records: RecordsLike | Sequence[RecordsLike],
    *,
    study: str | None = None,
    measure: str | None = None,
    rule: str | None = None,
    excel_safe: bool = False,
    command: str = "",
) -> Page:
    """Describe the page without writing it; parameters as in `build_report`."""
    several = records if isinstance(records, Sequence) else [records]
    parts = [part for one in several for part in _studies(one)]
    if study is not None:
        known = [name for name, _ in parts]
        parts = [(name, part) for name, part in parts if name == study]
        if not parts:
            raise UnknownName.among("study", study, known)
    chapters = [
        make_chapter(
            read_study(part, name=name, measure=measure, rule=rule),
            prefix=f"s{number}-" if len(parts) > 1 else "",
            excel_safe=excel_safe,
            command=command,
        )
        for number, (name, part) in enumerate(parts, start=1)
    ]
    if len(chapters) == 1:
        return Page(chapters)
    trials = sum(len(part.trials) for _, part in parts)
    return Page(
        chapters,
        eyebrow="Report on a ledger",
        title=f"{word(len(chapters)).capitalize()} studies, each with its own finding.",
        lede=say(
            "{n} trials in all. Scores of different studies are not compared: their "
            "protocols may differ.",
            n=count(trials),
        ),
    )


def _studies(records: RecordsLike) -> list[tuple[str, Any]]:
    """Cut records into studies, in the order of their names."""
    trials = records.trials
    known = dict.fromkeys(getattr(records, "studies", {}))
    if len(trials):
        known |= dict.fromkeys(sorted(trials["study"].astype(str).unique()))
    if len(known) < 2:
        name = next(iter(known), "")
        return [(name, _with_columns(records))]
    return [(name, _with_columns(_part(records, name))) for name in known]


def _part(records: RecordsLike, name: str) -> Any:
    trials, rows = records.trials, records.rows
    return _changed(
        records,
        trials[(trials["study"].astype(str) == name).to_numpy()],
        rows[(rows["study"].astype(str) == name).to_numpy()] if len(rows) else rows,
    )


_TRIAL_COLUMNS = [
    *["key", "group", "study", "topic", "dataset", "learner", "repeat", "world"],
    *["protocol", "state", "reason", "message", "configurations", "group_size"],
    *["seconds", "host", "versions"],
]


def _with_columns(records: Any) -> Any:
    """Add the columns that an empty frame lacks."""
    trials = records.trials
    missing = [name for name in _TRIAL_COLUMNS if name not in trials.columns]
    if not missing:
        return records
    filled = trials.reindex(columns=[*trials.columns, *missing])
    return _changed(records, filled, records.rows)


def _changed(records: Any, trials: pd.DataFrame, rows: pd.DataFrame) -> Any:
    return replace(records, trials=trials, rows=rows)
