"""The root command: finds subcommands lazily, turns errors into one sentence.

A traceback is shown only with ``--debug``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from caveat.cli._errors import exit_code, is_expected
from caveat.exceptions import hint

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
    except BaseException as error:
        if "--debug" in given and not is_expected(error):
            raise
        code = exit_code(error)
    sys.exit(code if isinstance(code, int) else 0)
