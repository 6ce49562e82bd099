"""Do a piece of work once for every operation in it that can fail, and look."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from injection import Injector

from caveat.exceptions import CaveatError

HANGS_SECONDS = 120
LEFT = ("*.part", "*.download")


class Work(Protocol):
    """Something that caveat does in a folder, and what must hold when it fails."""

    name: str
    kinds: tuple[str, ...]

    def prepare(self, folder: Path) -> None:
        """Lay out what the work needs, without faults."""

    def act(self, folder: Path) -> Any:
        """Do it; done again after a fault, it gives what it always gives."""

    def look(self, folder: Path, failed: bool) -> None:
        """Assert, right after a fault, that nothing is lost, doubled or half there."""


@dataclass(frozen=True)
class Ending:
    """How the work ended when its n-th operation failed."""

    n: int
    operation: str
    sentence: str
    trouble: str = ""


def count(work: Work, kind: str) -> tuple[int, Any]:
    """Count the operations of a kind that the work makes, and keep what it gives."""
    with tempfile.TemporaryDirectory() as place:
        # First without counting: modules are imported once, at the first use.
        work.prepare(Path(place))
        wanted = work.act(Path(place))
    with tempfile.TemporaryDirectory() as place:
        work.prepare(Path(place))
        with Injector(kind).on() as injector:
            work.act(Path(place))
    return injector.count, wanted


def spread(total: int, most: int) -> list[int]:
    """Pick the first and the last operations, and some in between."""
    if total <= most:
        return list(range(1, total + 1))
    steps = max(1, most - 1)
    return sorted({1 + round(step * (total - 1) / steps) for step in range(most)})


def sweep(
    work: Work, kind: str, numbers: Iterable[int], wanted: Any
) -> Iterator[Ending]:
    """Let each of these operations fail in a fresh folder, and tell what came of it."""
    for n in numbers:
        with tempfile.TemporaryDirectory() as place:
            yield _once(work, kind, n, wanted, Path(place))


def _once(work: Work, kind: str, n: int, wanted: Any, folder: Path) -> Ending:
    work.prepare(folder)
    sentence, trouble = "", ""
    injector = Injector(kind, n)
    dead: list[str] = []
    try:
        with _no_hang(), _threads_that_die(dead), injector.on():
            first = work.act(folder)
        if first != wanted:
            trouble = f"it gave {str(first)[:200]} and no error"
    except CaveatError as error:
        sentence = str(error)
        if not sentence or "\n" in sentence:
            trouble = f"the sentence is {sentence!r}"
    except Exception as error:
        trouble = f"{type(error).__name__}: {error}"
    try:
        work.look(folder, bool(sentence))
        with _no_hang():
            again = work.act(folder)
        if again != wanted:
            trouble = trouble or f"later it gave {str(again)[:200]}"
        if dead:
            trouble = trouble or f"a thread died: {dead[0]}"
        left = [path.name for form in LEFT for path in folder.rglob(form)]
        if left:
            trouble = trouble or f"it left {left}"
    except Exception as error:
        trouble = trouble or f"later {type(error).__name__}: {error}"
    return Ending(n, injector.fired, sentence, trouble)


@contextmanager
def _threads_that_die(dead: list[str]) -> Iterator[None]:
    """Note what ends a thread: whoever waits for it would wait for ever."""
    before = threading.excepthook
    threading.excepthook = lambda told: dead.append(repr(told.exc_value))
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _no_hang() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise RuntimeError(f"it hangs: {HANGS_SECONDS} s are over")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
