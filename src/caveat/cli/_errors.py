"""What went wrong, as one sentence on standard error and an exit code.

0 done, 1 trials failed, a rule fired or a ledger is damaged (or a bug), 2 bad input,
3 a rule could not be answered, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from caveat.exceptions import CaveatError, DamagedLedger, hint


def is_expected(error: BaseException) -> bool:
    """Whether an error is the command line's way to end: no traceback would help."""
    ways = (click.exceptions.Exit, click.Abort, click.ClickException)
    return isinstance(error, (*ways, KeyboardInterrupt, SystemExit, BrokenPipeError))


def exit_code(error: BaseException) -> int:
    """Tell what went wrong, if there is anything to tell, and give the exit code."""
    match error:
        case SystemExit():
            raise error
        case click.exceptions.Exit():
            return error.exit_code
        case click.Abort() | KeyboardInterrupt():
            return _told("interrupted", 130)
        case click.ClickException():
            return _told(_usage_sentence(error), 2)
        case CaveatError():
            return _told(str(error), 1 if isinstance(error, DamagedLedger) else 2)
        case BrokenPipeError():
            # Whoever read our output has seen enough; say nothing more to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case OSError():
            # A full disk, too many open files, a pipe to a worker: not our doing.
            what = f" ({error.filename})" if error.filename else ""
            return _told(
                f"the system refused something: {error.strerror or error}{what}; mend "
                "that and run the same command again",
                2,
            )
    return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    """Tell of an optional library that is not there, or else of a bug."""
    from caveat._extras import explain

    if isinstance(error, ImportError) and (missing := explain(error, "this command")):
        return _told(str(missing), 2)
    return _told(
        f"unexpected {type(error).__name__}: {error}; this is a bug, "
        "run again with --debug and report what it prints",
        1,
    )


def _usage_sentence(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".?")
    known: Any = getattr(error, "possibilities", None)
    if isinstance(error, click.NoSuchOption) and not known and error.ctx is not None:
        options = [name for item in error.ctx.command.params for name in item.opts]
        return f"no option is called {error.option_name!r}; " + hint(
            error.option_name, options
        )
    context = getattr(error, "ctx", None)
    advice = f"; see {context.command_path} --help" if context is not None else ""
    return " ".join(message.split()) + advice


def _told(sentence: str, code: int) -> int:
    from caveat._text import terminal_text

    click.echo(f"caveat: {terminal_text(sentence)}", err=True)
    return code
