"""The root command: finds subcommands lazily, turns errors into one sentence.

Exit codes: 0 done, 1 trials failed, a rule fired or a ledger is damaged (or a bug),
2 bad input, 130 interrupted. A traceback is shown only with ``--debug``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from caveat.exceptions import CaveatError, DamagedLedger, hint

#: Name of every command, where it is defined, and its line in the help text.
COMMANDS = {
    "demo": ("_demo:demo", "a complete example on embedded data, without network"),
    "sample": ("_sample:sample", "a file to try things on, with a story"),
    "audit": ("_audit:audit", "the page about one file"),
    "eapp": ("_eapp:eapp", "how much of a score is free"),
    "bags": ("_bags:bags", "what can be learnt from group shares alone"),
    "candidates": ("_candidates:candidates", "several candidate labels for every item"),
    "multilabel": ("_multilabel:multilabel", "eleven measures for many labels"),
    "shift": ("_shift:shift", "what happens when columns vanish"),
    "run": ("_run:run", "run a study, or go on where it stopped"),
    "status": ("_status:status", "what is done, running, failed, and why"),
    "report": ("_report:report", "tables, figures, statistics and a page"),
    "serve": ("_serve:serve", "the report of a running study, live in a browser"),
    "list": ("_list:list_", "data sets, learners, measures, scenarios, studies"),
    "data": ("_data:data", "the local data folder: fetch, import, verify"),
    "export": ("_export:export", "a ledger as one tidy CSV or Parquet file"),
    "diff": ("_diff:diff", "compare two ledgers"),
    "verify": ("_verify:verify", "whether records still say what was written"),
    "prune": ("_prune:prune", "remove trials that no study wants any more"),
    "doctor": ("_doctor:doctor", "what is installed, missing, or would not work"),
}


class _LazyGroup(click.Group):
    """Imports a subcommand when it is called, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        return getattr(import_module(f"caveat.cli.{module}"), attribute)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(
                f"no command is called {args[0]!r}; {hint(args[0], COMMANDS)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from caveat.study import library_versions

    for name, found in library_versions().items():
        click.echo(f"{name} {found}")
    ctx.exit()


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example:  caveat audit loans.csv --target default",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the versions of caveat and its libraries, for bug reports.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show results and errors only.")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
def caveat(quiet: bool, debug: bool) -> None:
    """Tell what a classifier's score is really worth."""
    if quiet:
        os.environ["CAVEAT_QUIET"] = "1"


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave with the right exit code."""
    given = list(sys.argv[1:] if args is None else args)
    # These two belong to all commands: they may stand anywhere.
    common = [word for word in given if word in ("--debug", "--quiet")]
    ordered = common + [word for word in given if word not in common]
    try:
        code = caveat.main(ordered, prog_name="caveat", standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        code = 130
    except click.ClickException as error:
        _complain(_usage_sentence(error))
        code = 2
    except CaveatError as error:
        if "--debug" in given:
            raise
        _complain(str(error))
        code = 1 if isinstance(error, DamagedLedger) else 2
    except BrokenPipeError:
        # Whoever read our output has seen enough; say nothing more to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        # A full disk, too many open files, a broken pipe to a worker: not our doing.
        if "--debug" in given:
            raise
        what = f" ({error.filename})" if error.filename else ""
        _complain(
            f"the system refused something: {error.strerror or error}{what}; mend "
            "that and run the same command again"
        )
        code = 2
    except Exception as error:
        if "--debug" in given:
            raise
        code = _unexpected(error)
    sys.exit(code if isinstance(code, int) else 0)


def _unexpected(error: Exception) -> int:
    """Tell of an optional library that is not there, or else of a bug."""
    from caveat._extras import explain

    if isinstance(error, ImportError) and (missing := explain(error, "this command")):
        _complain(str(missing))
        return 2
    _complain(
        f"unexpected {type(error).__name__}: {error}; this is a bug, "
        "run again with --debug and report what it prints"
    )
    return 1


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


def _complain(sentence: str) -> None:
    from caveat._text import terminal_text

    click.echo(f"caveat: {terminal_text(sentence)}", err=True)
