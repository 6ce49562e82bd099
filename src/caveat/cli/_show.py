"""How every command of one file shows its Look: terminal, page, JSON, exit code."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import console, note, say
from caveat.cli._folder import Folder
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from caveat.pages import Look

_LEFT_OUT = ("file", "out", "as_json", "jobs", "export", "fail_on", "budget")
"""Options that do not change the page."""
_FILES = (
    *("test", "predictions", "scores", "decisions", "shares", "answers", "train"),
    *("labelled", "describe"),
)


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every look offers: --out, --json and --fail-on."""
    for option in (
        click.option("--out", type=Folder(), help="Folder for the page and its files."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON only."),
        click.option(
            "--fail-on",
            metavar="RULE",
            multiple=True,
            help="Exit with 1 if it holds, such as 'score<0.8' or 'serious>0'.",
        ),
    ):
        command = option(command)
    return command


def show(look: Look, out: str | None, *, as_json: bool) -> Look:
    """Print a look, write its page, and exit as its rules say; else return it."""
    from caveat.pages import exit_code, terminal_lines

    index = None if out is None else look.save(out)
    if as_json:
        click.echo(look.to_json(page=None if index is None else str(index)))
    else:
        for line in terminal_lines(look):
            console().print(line)
    if index is not None:
        (note if as_json else say)(f"Page: {index}")
    for outcome in look.outcomes:
        if outcome.outcome != "held":
            value = "not known" if outcome.value is None else f"{outcome.value:g}"
            note(f"rule {outcome.rule!r} {outcome.outcome}: {value}")
    code = exit_code(look.outcomes)
    if code:
        raise SystemExit(code)
    return look


def command_line(file: str, out: str | None) -> str:
    """Write the command that makes the page again, paths without their folders."""
    context = click.get_current_context()
    words = ["caveat", str(context.command.name), *([Path(file).name] if file else [])]
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if source is not click.core.ParameterSource.COMMANDLINE or name in _LEFT_OUT:
            continue
        value = context.params.get(name)
        for one in value if isinstance(value, tuple) else (value,):
            said = Path(str(one)).name if name in _FILES else str(one)
            words += [option.opts[-1]] if one is True else [option.opts[-1], said]
    return shlex.join([*words, *(["--out", Path(out).name] if out else [])])


def paired(option: str, written: Sequence[str], form: str) -> dict[str, str]:
    """Split ``A=B`` at its last equals sign, once for each time it was given."""
    pairs = {}
    for text in written:
        name, parted, value = text.rpartition("=")
        if not parted or not name:
            raise InvalidInput(f"{option}: {text!r} is not understood; write {form}")
        pairs[name] = value
    return pairs


def listed(text: str | None) -> list[str]:
    """Split ``A,B,C`` into names."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
