"""`caveat status`: what is done, running, failed, and why."""

from __future__ import annotations

from pathlib import Path

import click

from caveat.cli._console import say, table


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


@click.command(epilog="Example:  caveat status demo.ledger")
@click.argument("ledger", required=False)
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
def status(ledger: str | None, study: str | None) -> None:
    """Show what is done, running and failed in LEDGER, and why.

    Without LEDGER, the only one in this folder is taken.
    """
    from caveat.exceptions import UnknownName
    from caveat.study import Ledger

    with Ledger(find_ledger(ledger)) as book:
        studies = book.studies()
        if study is not None and study not in studies:
            raise UnknownName.among("study", study, studies)
        names = [study] if study is not None else list(studies)
        if not names:
            say("Nothing has been run yet. Begin with: caveat run STUDY.yaml")
            return
        states = ["done", "running", "pending", "failed", "timeout", "oom", "crashed"]
        rows = []
        for name in names:
            counts = book.counts(name)
            rows.append([name, *(f"{counts.get(state, 0):,}" for state in states)])
        table(["study", *states], rows, right=range(1, 8), bold=(1,))
        orphans = book.orphans()
        trials = book.records(study).trials
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
