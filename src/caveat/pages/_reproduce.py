"""The last section of every look: how to make it again, and what that holds for."""

from __future__ import annotations

from caveat import __version__
from caveat.pages._about import About
from caveat.pages._model import Facts, Section, Words


def again_section(
    about: About, conditions: Words, *, repeatable: bool = True
) -> Section:
    """Say how to make a look again.

    Parameters
    ----------
    about : About
    conditions : Prose, Span or str
        Settings and seed under which the numbers hold.
    repeatable : bool
        False where a clock decided how much was done: then other numbers may come.
    """
    heading = "The same file, command and seed give the same page on the same machine"
    if not repeatable:
        heading = "The clock decided how much was done; more time may change numbers"
    return Section(
        "again",
        "Do it again",
        heading,
        blocks=[
            Facts(
                [
                    ("Conditions", conditions),
                    *about.reading(),
                    ("caveat", __version__),
                ],
                command=about.command,
            )
        ],
    )
