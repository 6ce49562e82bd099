"""`caveat doctor`: what is installed, what is missing, what would not work here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from caveat.cli._console import print_json, say, table

_USES = {
    "deep": "networks, candidate labels, learned representations",
    "trees": "boosted trees",
    "tune": "tuning",
    "cluster": "the engine dask",
    "postgres": "ledgers on a PostgreSQL server",
    "foundation": "in-context models",
    "realmlp": "RealMLP",
    "llm": "language models",
    "formats": "models saved as ONNX or by skops",
    "autofe": "columns that OpenFE makes of others",
}
_LOW_BYTES = 2**30


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it is, and what to do."""

    name: str
    state: Literal["ok", "missing", "warning"]
    text: str
    fix: str = ""


@click.command(epilog="Example:  caveat doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def doctor(as_json: bool) -> None:
    """Tell what is installed here, what is missing, and what would not work."""
    from caveat.study import library_versions

    versions, found = library_versions(), list(findings())
    if as_json:
        print_json("doctor", versions=versions, findings=list(map(asdict, found)))
        return
    say(", ".join(f"{name} {number}" for name, number in versions.items()))
    say("")
    rows = [[one.name, one.state, one.text, one.fix] for one in found]
    table(["what", "state", "", "to mend it"], rows, bold=(1,))


def findings() -> Iterator[Finding]:
    """Look at this machine: extras, data folder, disk, memory, engines."""
    yield from _extras()
    yield _data_folder()
    yield _disk(Path.cwd())
    yield _network_disk(Path.cwd())
    yield _processors()


def _extras() -> Iterator[Finding]:
    from caveat._extras import extras, install_command

    for extra, libraries in extras().items():
        modules = [name.replace("-", "_") for name in libraries]
        missing = [name for name in modules if find_spec(name) is None]
        use = _USES[extra]
        if not missing:
            yield Finding(f"extra {extra}", "ok", use)
        else:
            text = f"{use}: without {', '.join(missing)}"
            yield Finding(f"extra {extra}", "missing", text, install_command(extra))


def _data_folder() -> Finding:
    from caveat.datasets import data_home

    home = data_home()
    near = next(one for one in (home, *home.parents) if one.exists())
    if os.access(near, os.W_OK):
        return Finding("data folder", "ok", str(home))
    fix = "set CAVEAT_DATA to a folder that can be written"
    return Finding("data folder", "warning", f"{home} cannot be written", fix)


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free / 2**30:,.1f} GiB free"
    if free >= _LOW_BYTES:
        return Finding("disk", "ok", text)
    return Finding("disk", "warning", text, "free some space before a long study")


def _network_disk(folder: Path) -> Finding:
    from caveat.study import network_file_system

    kind = network_file_system(folder)
    if not kind:
        return Finding("ledgers here", "ok", "on a local disk")
    fix = "keep ledgers on a local disk, or use PostgreSQL"
    return Finding("ledgers here", "warning", f"on {kind}: SQLite would break", fix)


def _processors() -> Finding:
    import psutil

    cores, memory = os.cpu_count() or 1, psutil.virtual_memory().available / 2**30
    text = f"{cores} cores, {memory:,.1f} GiB of memory to use"
    return Finding("machine", "ok" if memory >= 2 else "warning", text)
