"""From a file to a page: prepare, run within the time there is, read, write."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from caveat.audit._names import check_folder, without_names
from caveat.audit._page import Again, make_page
from caveat.audit._plan import Prepared, Settings, prepare
from caveat.audit._plan_weaker import has_single_target
from caveat.audit._reading import Reading, read_audit
from caveat.audit._remark import Remark
from caveat.audit._remarks import make_remarks
from caveat.datasets import fingerprint
from caveat.exceptions import InvalidInput
from caveat.pages import Page, write, write_file

LEDGER = "audit.ledger"
STUDY = "study.yaml"
# Reading the ledger, drawing and writing the page.
_RESERVE_SECONDS = 8.0
_SHORTEST_RUN = 10.0


@dataclass(frozen=True)
class Audit:
    """An audit that has been made.

    Attributes
    ----------
    reading : Reading
        Its numbers.
    remarks : list of Remark
        Its caveats, worst first.
    page : Page
    index : Path
        The page.
    out_of_time : bool
        Whether something was cut short.
    interrupted : bool
    seconds : float
    """

    reading: Reading
    remarks: list[Remark]
    page: Page
    index: Path
    out_of_time: bool
    interrupted: bool
    seconds: float


def audit(
    settings: Settings,
    out: str | Path,
    *,
    command: str = "",
    allow_import: bool = False,
    engine: str | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int, int], None] = lambda done, total, failed: None,
    note: Callable[[str], None] = lambda sentence: None,
    started: float | None = None,
) -> Audit:
    """Audit a file: find out what a score on it is worth.

    Parameters
    ----------
    settings : Settings
    out : path
        Folder for the page, the study file and the ledger.
    command : str
        What makes the page again.
    allow_import : bool
        Permit models of the user's own modules.
    engine, jobs
        As for `caveat.study.run`.
    progress : callable
        Gets done, total and failed trials.
    note : callable
        Gets a sentence on what is taken for granted, before the first trial.
    started : float, optional
        When the clock of the budget began, by `time.monotonic`.

    Returns
    -------
    Audit

    Warnings
    --------
    Checks find what they look for. A page without a caveat is no proof that there is
    none.
    """
    begun = time.monotonic() if started is None else started
    if settings.imported and not allow_import:
        raise InvalidInput(
            f"--model {settings.imported[0]} would import a module of yours; add "
            "--allow-import if you trust it"
        )
    prepared = prepare(settings)
    folder = Path(out)
    with ExitStack() as stack:
        if settings.hide_names:
            check_folder(folder, STUDY)
            place = stack.enter_context(TemporaryDirectory(prefix="caveat-"))
            prepared = without_names(prepared, Path(place))
        if settings.target is None and has_single_target(settings):
            target = prepared.facts["target"]
            note(f"No --target was given: the last column, {target!r}, is taken.")
        return _made(
            settings,
            prepared,
            folder,
            command=command,
            allow_import=allow_import,
            engine=engine,
            jobs=jobs,
            progress=progress,
            begun=begun,
        )


def _made(
    settings: Settings,
    prepared: Prepared,
    folder: Path,
    *,
    command: str,
    allow_import: bool,
    engine: str | None,
    jobs: int | None,
    progress: Callable[[int, int, int], None],
    begun: float,
) -> Audit:
    """Run the trials of a prepared audit, read them, and write the page."""
    from caveat.study import Ledger, run

    _write_study(folder, prepared.study)
    left = settings.minutes * 60 - (time.monotonic() - begun) - _RESERVE_SECONDS
    summary = run(
        folder / STUDY,
        folder / LEDGER,
        engine,
        allow_import,
        jobs=jobs,
        seconds=max(_SHORTEST_RUN, left),
        retry_failed=True,
        on_event=lambda event: progress(
            event.done, event.total, sum(event.states.values()) - event.states["done"]
        ),
    )
    with Ledger(folder / LEDGER) as book:
        records = book.records(summary.study)
    reading = read_audit(records, prepared.facts, prepared.study)
    reading = _with_digest(reading, prepared.study["datasets"][0])
    if settings.hide_names:
        # The copy is about to go; the study file keeps its name, not its place.
        _write_study(folder, prepared.study, beside=True)
    remarks = make_remarks(reading)
    page = make_page(reading, remarks, Again(command, (STUDY, LEDGER)))
    index = write(page, folder)
    return Audit(
        reading=reading,
        remarks=remarks,
        page=page,
        index=index,
        out_of_time=summary.out_of_time,
        interrupted=summary.interrupted,
        seconds=time.monotonic() - begun,
    )


def _with_digest(reading: Reading, reference: Mapping[str, Any]) -> Reading:
    from dataclasses import replace

    return replace(reading, digest=fingerprint(reference))


def _write_study(
    folder: Path, study: Mapping[str, Any], *, beside: bool = False
) -> None:
    """Write the study file; the data file is named by its place from there."""
    from ruamel.yaml import YAML

    reference = dict(study["datasets"][0])
    place = Path(reference["file"])
    reference["file"] = place.name if beside else os.path.relpath(place, folder)
    yaml = YAML(typ="safe")
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    text = StringIO()
    yaml.dump({**study, "datasets": [reference]}, text)
    write_file(folder / STUDY, text.getvalue().encode("utf-8"))
