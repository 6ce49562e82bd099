"""The options of `caveat shift` that say what fails, where, and what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from caveat.cli._folder import Folder

OUTAGES = (
    *("missing", "source", "where", "since", "share"),
    *("freeze", "drift", "unit", "swap"),
)
ASKING = ("budget", "shots", "describe", "price", "key_variable")
_SCENARIOS = click.Choice(["single", "most", "least", "random"])
_SEVERAL = {
    "--missing A,B": "Columns about to be lost together; may be repeated.",
    "--source NAME=A,B": "A source's columns; 'found': those missing together.",
    "--freeze A,B": "Columns that stand still.",
    "--drift A[=SD]": "Columns that move away, by so many standard deviations.",
    "--unit A=FACTOR": "A column that changes its unit.",
    "--swap A,B": "Two columns that change places.",
    "--cost COL=X": "What it costs to back a column up; 1 if not given.",
}
_ONCE = {
    "--where COL=VALUE": "Only these rows fail.",
    "--since COL=VALUE": "Only rows from this date or number on fail.",
    "--degree all|K": "How many columns vanish in --scenario: a number, or a share.",
}


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a language model at an endpoint."""
    made = [
        click.option(
            "--budget",
            metavar="TOKENS",
            type=click.IntRange(min=0),
            help="At most so many for --model http://host/v1#NAME.",
        ),
        click.option(
            "--shots", metavar="N", type=click.IntRange(min=0),
            help="Training rows shown to it as examples; 4 if not given.",
        ),
        click.option(
            "--describe", metavar="FILE", help="What the table is about, for it."
        ),
        click.option(
            "--price", metavar="IN,OUT",
            help="What a million tokens cost, asked and answered.",
        ),
        click.option(
            "--key-variable", metavar="NAME",
            help="Environment variable with its key; OPENAI_API_KEY if not given.",
        ),
    ]  # fmt: skip
    for option in reversed(made):
        command = option(command)
    return command


def outage_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    made = [
        click.option(
            words.split()[0], metavar=words.split()[1], multiple=True, help=text
        )
        for words, text in _SEVERAL.items()
    ]
    made += [
        click.option(words.split()[0], metavar=words.split()[1], help=text)
        for words, text in _ONCE.items()
    ]
    made += [
        click.option(
            "--share", metavar="X", type=float, help="Only this share of rows fails."
        ),
        click.option(
            "--protect",
            metavar="LOSS",
            type=float,
            help="Which columns to back up, for this tolerated loss.",
        ),
        click.option("--scenario", type=_SCENARIOS, help="A published scenario, too."),
        click.option("--export", type=Folder(), help="Folder for shifted test sets."),
    ]
    for option in reversed(made):
        command = option(command)
    return command
