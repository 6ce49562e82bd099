"""From a file to a Look: prepare, run within the time there is, gather, show."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat import pages
from caveat._files import read_plain, write_whole
from caveat.audit import page
from caveat.audit._anonymous import check_folder, without_names
from caveat.audit._gather import gather
from caveat.audit._pictures import look_pictures
from caveat.audit._plan import Prepared, guesses, prepare
from caveat.audit._predictions import given_answers
from caveat.audit._settings import Settings
from caveat.audit._topics import topic_looks, topics_only, topics_part
from caveat.audit._weak_labels import has_single_target
from caveat.audit.result import Result
from caveat.datasets import Dataset, fingerprint

if TYPE_CHECKING:
    from caveat.study import Records

LEDGER = "audit.ledger"
STUDY = "study.yaml"
# Reading the ledger, drawing and writing the page.
_RESERVE_SECONDS = 8.0
_SHORTEST_RUN = 1.0
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Audit:
    """An audit that has been made.

    Attributes
    ----------
    look : Look
    result : Result or None
        Its numbers; None where there is no single target.
    topics : dict of str to Look
        What other topics show of the table, where they were asked for.
    folder : Path
        Where study file and ledger lie, and the page belongs.
    states : dict of str to int
        How many trials ended how.
    interrupted : bool
    seconds : float
    """

    look: pages.Look
    result: Result | None
    topics: Mapping[str, pages.Look]
    folder: Path
    states: Mapping[str, int]
    interrupted: bool
    seconds: float

    def save(self) -> Path:
        """Write the page; return its path."""
        return self.look.save(self.folder)


def look(
    data: str | Path | pd.DataFrame | Dataset,
    target: str | None = None,
    *,
    minutes: float = 5.0,
    rules: tuple[str, ...] | list[str] = (),
    out: str | Path | None = None,
    jobs: int | None = None,
    engine: str | None = None,
    **options: Any,
) -> pages.Look:
    """Find out what a score on somebody's data is worth.

    Parameters
    ----------
    data : path, DataFrame or Dataset
        A CSV or Parquet file, or a table; or a folder with a folder of pictures per
        class, where no model is fitted.
    target : str, optional
        Column to predict; the last if not given.
    minutes : float, default=5
        How long it may take. The scan of the table is always made; of the rest, what
        does not fit is left out, and the page names it.
    rules : sequence of str
        Such as ``leak>0`` or ``score<0.8``; see `Look.outcomes`.
    out : path, optional
        Folder for the study file and the ledger: with it, a second call goes on where
        the first one stopped.
    jobs, engine
        As for `caveat.study.run`.
    **options
        Further fields of `Settings`: ``groups``, ``time``, ``drop``, ``models``, ...

    Returns
    -------
    Look

    Warnings
    --------
    Checks find what they look for. A page without a caveat is no proof that there is
    none.
    """
    pages.check_rules(rules)
    if isinstance(data, str | Path) and Path(data).is_dir():
        return look_pictures(
            data,
            rules=rules,
            embeddings=options.get("embeddings"),
            seed=int(options.get("seed", 0)),
        )
    with ExitStack() as stack:
        place = stack.enter_context(TemporaryDirectory(prefix="caveat-"))
        file, named = _as_file(data, target, Path(place))
        settings = Settings(file, named, minutes=minutes, **options)
        folder = Path(place) / "audit" if out is None else Path(out)
        made = audit(settings, folder, rules=tuple(rules), jobs=jobs, engine=engine)
        return made.look


def audit(
    settings: Settings,
    out: str | Path,
    *,
    rules: tuple[str, ...] = (),
    command: str = "",
    engine: str | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int, int], None] = lambda done, total, failed: None,
    note: Callable[[str], None] = lambda sentence: None,
    started: float | None = None,
) -> Audit:
    """Audit a file, as `look` does, and keep what it was made from.

    Parameters
    ----------
    settings : Settings
    out : path
        Folder for the study file and the ledger; where another target's audit is
        there already, a folder within it.
    rules : tuple of str
    command : str
        What makes the page again.
    engine, jobs
        As for `caveat.study.run`.
    progress : callable
        Gets done, total and failed trials.
    note : callable
        Gets a sentence on what is taken for granted, before the first trial.
    started : float, optional
        When the clock of the budget began, by `time.monotonic`.
    """
    begun = time.monotonic() if started is None else started
    if Path(settings.file).is_dir():
        seen = look_pictures(
            settings.file,
            rules=rules,
            embeddings=settings.embeddings,
            seed=settings.seed,
            command=command,
            progress=lambda done, total: progress(done, total, 0),
        )
        took = time.monotonic() - begun
        return Audit(seen, None, {}, Path(out), {}, False, took)
    prepared = prepare(settings)
    # Said and not written: a note quotes cells, a page never does.
    for words in guesses(prepared.dataset):
        note(str(pages.sentence(words)))
    single = has_single_target(settings)
    given = given_answers(settings, prepared.table) if single else {}
    with ExitStack() as stack:
        folder = _folder(Path(out), prepared)
        if settings.hide_names:
            folder = Path(out)
            check_folder(folder, STUDY)
            place = stack.enter_context(TemporaryDirectory(prefix="caveat-"))
            prepared = without_names(prepared, Path(place))
            given = {
                f"score {n}": answers
                for n, answers in enumerate(given.values(), start=1)
            }
        if settings.target is None and single:
            last = repr(prepared.target)
            note(f"No --target was given: the last column, {last}, is taken.")
        _write_study(folder, prepared.study)
        left = settings.minutes * 60 - (time.monotonic() - begun) - _RESERVE_SECONDS
        records, interrupted = _trials(
            folder, settings, engine, jobs, max(_SHORTEST_RUN, left), progress
        )
        result, topics, shown = _shown(prepared, records, given, command, rules)
        if settings.hide_names:
            # The copy is about to go; the study file keeps its name, not its place.
            _write_study(folder, prepared.study, beside=True)
    states = records.trials["state"].value_counts()
    return Audit(
        look=shown,
        result=result,
        topics=topics,
        folder=folder,
        states={str(state): int(count) for state, count in states.items()},
        interrupted=interrupted,
        seconds=time.monotonic() - begun,
    )


def _as_file(data: Any, target: str | None, folder: Path) -> tuple[str, str | None]:
    """Give the path of a file; a table in memory becomes one, for the workers."""
    if isinstance(data, str | Path):
        return str(data), target
    name = "table"
    if isinstance(data, Dataset):
        name = _ODD.sub("-", data.name) or name
        frame = (
            data.X if data.y is None else data.X.assign(**{str(data.y.name): data.y})
        )
        target = target or (None if data.y is None else str(data.y.name))
    else:
        frame = data
    path = folder / f"{name}.parquet"
    write_whole(path, frame.rename(columns=str).to_parquet(index=False))
    return str(path), target


def _folder(out: Path, prepared: Prepared) -> Path:
    """Choose the folder of this target: a second never overwrites the first."""
    mine = _about(prepared.study)
    if _there(out) in (None, mine):
        return out
    stem = _ODD.sub("-", prepared.target).strip("-.") or "target"
    for number in range(1, 1000):
        folder = out / (stem if number == 1 else f"{stem}-{number}")
        if _there(folder) in (None, mine):
            return folder
    return out / f"{stem}-{os.getpid()}"


def _about(study: Mapping[str, Any]) -> tuple[str, str]:
    reference = study["datasets"][0]
    target = reference.get("target", reference.get("targets"))
    return Path(str(reference["file"])).name, str(target)


def _there(folder: Path) -> tuple[str, str] | None:
    """Say which file and target a folder holds an audit of."""
    from ruamel.yaml import YAML, YAMLError

    place = folder / STUDY
    if not place.is_file():
        return None
    try:
        return _about(YAML(typ="safe").load(read_plain(place).decode()))
    except (YAMLError, KeyError, TypeError, IndexError, UnicodeDecodeError):
        return "", ""


def _trials(
    folder: Path,
    settings: Settings,
    engine: str | None,
    jobs: int | None,
    seconds: float,
    progress: Callable[[int, int, int], None],
) -> tuple[Records, bool]:
    """Run the trials of a prepared audit."""
    from caveat.study import Ledger, run

    summary = run(
        folder / STUDY,
        folder / LEDGER,
        engine,
        bool(settings.addresses) and settings.trust,
        jobs=jobs,
        seconds=seconds,
        retry_failed=True,
        on_event=lambda event: progress(
            event.done, event.total, sum(event.states.values()) - event.states["done"]
        ),
    )
    with Ledger(folder / LEDGER) as book:
        return book.records(summary.study), summary.interrupted


def _shown(
    prepared: Prepared,
    records: Records,
    given: Mapping[str, NDArray[np.float64]],
    command: str,
    rules: tuple[str, ...],
) -> tuple[Result | None, dict[str, pages.Look], pages.Look]:
    """Make the result, the topics' Looks, and the Look of the whole."""
    about = replace(
        pages.About.of(prepared.dataset, file=prepared.file, command=command),
        rows=int((~prepared.table.held).sum()),
    )
    if prepared.target:
        about = replace(about, target=prepared.target)
    result = gather(records, prepared, given) if prepared.scan is not None else None
    scenario = prepared.study["scenario"]
    looks = topic_looks(records, scenario, about)
    digest = f" sha256 {fingerprint(prepared.study['datasets'][0])[:16]}."
    if result is None:
        shown = topics_only(looks, records, scenario, about, rules, digest)
        return None, looks, shown
    part = topics_part(looks, scenario)
    shown = page.look(result, about, rules=rules, further=part, digest=digest)
    return result, looks, shown


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
    pages.write_file(folder / STUDY, text.getvalue().encode("utf-8"))
