"""`caveat status`: what is done, running, failed, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caveat._text import terminal_text
from caveat.cli._console import say, table

if TYPE_CHECKING:
    from caveat.study import Damage


_STATES = (
    *("done", "running", "pending", "failed", "timeout", "oom", "crashed", "damaged"),
)


def find_ledger(given: str | None) -> str:
    """Return the ledger that was named, or the only one in this folder."""
    from caveat.exceptions import InvalidInput, listing

    if given is not None:
        return given
    found = sorted(path.name for path in Path.cwd().glob("*.ledger"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise InvalidInput(
            "there is no ledger in this folder; name one, or run a study first: "
            "caveat run STUDY.yaml"
        )
    raise InvalidInput(
        f"there are {len(found)} ledgers in this folder, {listing(found)}; name one"
    )


def tell_damage(damaged: Sequence[Damage], where: str) -> bool:
    """Say on stderr how much of a ledger is damaged; return whether anything is."""
    from caveat.study import masked

    if damaged:
        rows = "1 row" if len(damaged) == 1 else f"{len(damaged):,} rows"
        told = (
            f"caveat: damaged and left out: {rows} of {masked(where)}; "
            "see caveat verify, and run the study again to mend it"
        )
        click.echo(terminal_text(told), err=True)
    return bool(damaged)


@click.command(epilog="Example:  caveat status demo.ledger")
@click.argument("ledger", required=False)
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
@click.pass_context
def status(ctx: click.Context, ledger: str | None, study: str | None) -> None:
    """Show what is done, running and failed in LEDGER, and why.

    Without LEDGER, the only one in this folder is taken.
    """
    import pandas as pd

    from caveat.exceptions import UnknownName
    from caveat.study import Ledger

    where = find_ledger(ledger)
    with Ledger(where) as book:
        studies = book.studies()
        if study is not None and study not in studies:
            raise UnknownName.among("study", study, studies)
        names = [study] if study is not None else list(studies)
        if not names:
            say("Nothing has been run yet. Begin with: caveat run STUDY.yaml")
            return
        found = {name: book.records(name) for name in names}
        orphans = book.orphans()
    rows = []
    for name, records in found.items():
        counts = records.trials["state"].value_counts()
        shown = [f"{counts.get(state, 0):,}" for state in _STATES]
        rows.append([name, *shown, records.digest[:12]])
    last = len(_STATES)
    table(["study", *_STATES, "digest"], rows, right=range(1, last + 1), bold=(1,))
    damaged = [item for records in found.values() for item in records.damaged]
    trials = pd.concat([records.trials for records in found.values()])
    trials = trials.drop_duplicates("key")
    bad = trials[~trials["state"].isin(["done", "pending", "running"])]
    if len(bad):
        say("")
        reasons = bad.groupby(["learner", "state", "reason"], sort=True)
        rows = [
            [learner, state, reason, f"{len(part):,}", part["message"].iloc[0][:80]]
            for (learner, state, reason), part in reasons
        ]
        table(
            ["learner", "state", "reason", "trials", "first message"], rows, right=(3,)
        )
    if orphans:
        say(f"{len(orphans):,} trials are wanted by no study any more: caveat prune")
    if tell_damage(damaged, where):
        ctx.exit(1)
