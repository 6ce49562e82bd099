"""Options that several commands offer, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def whole_number(name: str, default: int, text: str) -> Callable[..., Any]:
    """Make an option that takes a whole number and shows its default."""
    return click.option(
        name, metavar="N", type=int, default=default, show_default=True, help=text
    )


seed_option = whole_number("--seed", 0, "Another seed draws other folds and samples.")


def column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every table may need said of its columns: --drop and --keep."""
    for name, text in (
        ("--keep", "Column to learn from that is else set aside, such as a date."),
        ("--drop", "Column to leave out."),
    ):
        command = click.option(name, metavar="COL", multiple=True, help=text)(command)
    return command
