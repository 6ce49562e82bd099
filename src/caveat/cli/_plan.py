"""What `caveat run --dry-run` shows: the grid, an estimate, and what is missing."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from caveat.cli._console import duration, note, print_json, say, table

if TYPE_CHECKING:
    from caveat.study import Preview, Study


def show_plan(study: Study, where: str, found: Preview, *, as_json: bool) -> None:
    """Show the grid, and how long it may take as far as the ledger knows."""
    if as_json:
        facts = {"seconds": found.seconds, "unknown": found.unknown, **asdict(found)}
        print_json("plan", study=study.study, **facts)
        return
    rows = [
        [
            *(cell.dataset, cell.learner),
            *(f"{cell.trials:,}", f"{cell.configurations:,}"),
            _expected(cell.seconds, cell.guess),
        ]
        for cell in found.cells
    ]
    header = ["data set", "learner", "trials", "configurations", "a trial"]
    table(header, rows, right=(2, 3, 4), bold=(2,))
    say(
        f"{study.study}: {found.trials:,} trials, {found.worlds:,} data sets, "
        f"{found.repeats:,} repeats. Nothing was run."
    )
    if found.seconds is None and found.guess is not None:
        say(
            f"About {duration(found.guess)} of one core, guessed from rows and "
            "columns; trials that have run correct it."
        )
    elif found.seconds is None:
        say("How long a trial takes is known once the first have run.")
    else:
        rest = f"; {found.unknown:,} trials of unknown length not counted"
        rest = rest if found.unknown else ""
        say(f"About {duration(found.seconds)} of one core, by {where}{rest}.")
    for sentence in [*time_limit(study), *(f"missing: {one}" for one in found.missing)]:
        note(sentence)


def _expected(seconds: float | None, guess: float | None) -> str:
    if seconds is not None:
        return duration(seconds)
    return "not run yet" if guess is None else f"about {duration(guess)}"


def time_limit(study: Study) -> list[str]:
    """Tell of the time limit of a trial, where the study does not set one."""
    if not study.budget.is_default_time:
        return []
    return [
        f"a trial may take {study.budget.trial_minutes:g} minutes; write budget: "
        "{trial-minutes: ...} in the study for another limit, null for none"
    ]
