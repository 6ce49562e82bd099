"""What caveat can use but need not have, and the command that installs it here.

The command fits the copy that runs. A checkout installs an extra of its own. An
installed wheel names the libraries themselves: an index may not know caveat, or know
another package by that name.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.metadata import requires
from pathlib import Path

from caveat.exceptions import MissingExtra

_STATED = re.compile(r"(?P<wanted>[^;]+?)\s*;\s*extra\s*==\s*['\"](?P<extra>[^'\"]+)")
#: Extras that repeat others, or that only serve the tests.
_NOT_OURS = ("all", "dev")


def explain(
    error: ImportError, who: str, extra: str | None = None
) -> MissingExtra | None:
    """Turn a failed import of an optional library into one sentence; others stay.

    Parameters
    ----------
    error : ImportError
    who : str
        What cannot be used without the library.
    extra : str or None
        The extra that installs it, if no extra names the library itself.

    Examples
    --------
    >>> print(explain(ModuleNotFoundError(name="jsn"), "the page"))
    None
    """
    if isinstance(error, MissingExtra):
        return error
    library = error.name or ""
    # A part of a library that is there, or of ours, is a bug and not an extra.
    if not isinstance(error, ModuleNotFoundError) or "." in library:
        return None
    extra = _extras_by_library().get(_plain(library), extra)
    if extra is None:
        return None
    return MissingExtra(
        f"{who} needs {library!r}, which is not installed; install it with: "
        f"{install_command(extra)}",
        name=library,
    )


def install_command(extra: str) -> str:
    """Give the command that installs all libraries of an extra for this copy."""
    folder = checkout()
    if folder is not None:
        return f"pip install '.[{extra}]' (in {folder})"
    libraries = [f"'{item}'" for name, item in _stated() if name == extra]
    return " ".join(["pip install", *libraries])


def extras() -> dict[str, list[str]]:
    """List the optional libraries that each extra installs, by their plain names."""
    found: dict[str, list[str]] = {}
    for library, extra in _extras_by_library().items():
        found.setdefault(extra, []).append(library)
    return found


def checkout() -> Path | None:
    """Find the folder of the checkout that this copy runs from, if it is one."""
    source = Path(__file__).resolve().parents[1]
    is_one = source.name == "src" and (source.parent / "pyproject.toml").is_file()
    return source.parent if is_one else None


@cache
def _extras_by_library() -> dict[str, str]:
    """Map the name of every optional library to its extra."""
    found: dict[str, str] = {}
    for extra, item in _stated():
        # The extra that names a library first is the smaller one: torch is `deep`.
        found.setdefault(_plain(re.split(r"[^\w.-]", item, maxsplit=1)[0]), extra)
    return found


@cache
def _stated() -> list[tuple[str, str]]:
    """List the extras' requirements as the project file or the metadata say."""
    folder = checkout()
    if folder is not None:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        extras = tomllib.loads(text)["project"]["optional-dependencies"]
        pairs = [(extra, item) for extra, items in extras.items() for item in items]
    else:
        matches = map(_STATED.match, requires("caveat") or [])
        pairs = [(match["extra"], match["wanted"]) for match in matches if match]
    return [(extra, item) for extra, item in pairs if extra not in _NOT_OURS]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
