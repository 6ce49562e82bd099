"""How to make a page again: the command, and the section that says so."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from caveat import pages as kit

_LEFT_OUT = ("file", "out", "as_json", "jobs", "export")
"""Options that do not change the page."""
_FILES = ("test", "predictions", "scores", "decisions")


def command_again(context: click.Context, file: str, out: str) -> str:
    """Write the command that makes the page again, paths without their folders."""
    words = ["caveat", str(context.command.name), Path(file).name]
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if source is not click.core.ParameterSource.COMMANDLINE or name in _LEFT_OUT:
            continue
        value = context.params.get(name)
        for one in value if isinstance(value, tuple) else (value,):
            said = Path(str(one)).name if name in _FILES else str(one)
            words += [option.opts[-1]] if one is True else [option.opts[-1], said]
    return shlex.join([*words, "--out", Path(out).name])


def again_section(conditions: str, command: str) -> kit.Section:
    """Close a page that one command makes from one file."""
    from caveat import __version__
    from caveat import pages as kit

    return kit.Section(
        "again",
        "Do it again",
        "The same file, command and seed give the same page, byte for byte",
        blocks=[
            kit.Facts(
                [("Conditions", conditions), ("caveat", __version__)], command=command
            )
        ],
    )
