"""Learners from registries and from modules of the user's, imported while planning.

A module of the user's is imported only with permission. It is found wherever Python
finds modules, and beside the study file: after everything that is installed, so that a
file called ``types.py`` there hides nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat._registry import Entry
from caveat.exceptions import CaveatError, InvalidInput, hint
from caveat.study.files._learners import LearnerSpec, check_parameters, parse_learner
from caveat.study.registry import TOPICS

if TYPE_CHECKING:
    from caveat.study.files._spec import Study
    from caveat.study.topic import Topic


@contextlib.contextmanager
def beside(folder: Path | None) -> Iterator[None]:
    """Let modules of a folder be imported, here and by workers that are started."""
    place = str(folder)
    if folder is None or place in sys.path:
        yield
        return
    sys.path.append(place)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(place)


def find_learner(topic: Topic, name: str, *, allow_import: bool) -> Entry:
    """Look a learner up, or take it from ``module:Class`` if that is allowed."""
    if ":" not in name:
        return topic.learners[name]
    if not allow_import:
        raise InvalidInput(
            f"learner {name!r} would import a module of yours; add --allow-import "
            "if you trust it"
        )
    return Entry(name=name, target=name)


def import_learners(study: Study, *, allow_import: bool) -> None:
    """Import every learner of a study once: what cannot be had is told before a trial.

    Raises
    ------
    CaveatError
        One sentence on the first learner that cannot be imported.
    """
    topic: Topic = TOPICS[study.topic].load()
    learners = list(map(parse_learner, study.learners))
    # What is not allowed is refused before anybody's code runs.
    entries = [
        find_learner(topic, learner.name, allow_import=allow_import)
        for learner in learners
    ]
    for learner, entry in zip(learners, entries, strict=True):
        _import(learner, entry, study.folder)


def _import(learner: LearnerSpec, entry: Entry, folder: Path | None) -> None:
    try:
        # Whatever a module prints is none of our results.
        with contextlib.redirect_stdout(sys.stderr):
            made = entry.load()
    except (CaveatError, KeyboardInterrupt):
        raise
    except AttributeError as error:
        raise InvalidInput(_no_such_name(entry, error)) from error
    except BaseException as error:
        module = entry.target.partition(":")[0]
        where = f"; looked beside the study, too: {folder}" if folder else ""
        missing = isinstance(error, ModuleNotFoundError) and error.name == module
        told = (
            f"no module is called {module!r}{where}"
            if missing
            else f"{type(error).__name__}: {error}"
        )
        raise InvalidInput(
            f"learner {learner.name!r} cannot be imported: {told}"
        ) from error
    if not callable(made):
        raise InvalidInput(
            f"learner {learner.name!r} is a {type(made).__name__}; name a class, or a "
            "function that makes the learner"
        )
    if learner.is_imported:
        check_parameters(entry, learner)


def _no_such_name(entry: Entry, error: AttributeError) -> str:
    module, _, name = entry.target.partition(":")
    found: Any = sys.modules.get(module)
    if found is None or hasattr(found, name):
        return f"learner {entry.name!r} cannot be imported: AttributeError: {error}"
    known = [item for item in dir(found) if not item.startswith("_")]
    return f"module {module!r} has no {name!r}; {hint(name, known)}"
