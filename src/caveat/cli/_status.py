"""`caveat status`: what is done, running, failed, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat._text import terminal_text
from caveat.cli._console import print_json, say, table

if TYPE_CHECKING:
    from caveat.study import Damage, Ledger, Records


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


def one_study(book: Ledger, study: str | None) -> str | None:
    """Return the study that was named, or refuse a name that the ledger lacks."""
    from caveat.exceptions import UnknownName

    if study is not None and study not in (known := book.studies()):
        raise UnknownName.among("study", study, known)
    return study


@click.command(epilog="Example:  caveat status demo.ledger")
@click.argument("ledger", required=False)
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object only.")
@click.pass_context
def status(
    ctx: click.Context, ledger: str | None, study: str | None, as_json: bool
) -> None:
    """Show what is done, running and failed in LEDGER, and why.

    Without LEDGER, the only one in this folder is taken.
    """
    from caveat.study import Ledger, masked

    where = find_ledger(ledger)
    with Ledger(where) as book:
        wanted = one_study(book, study)
        names = [wanted] if wanted is not None else list(book.studies())
        found = {name: book.records(name) for name in names}
        orphans = len(book.orphans()) if names else 0
    counts = [_counts(name, records) for name, records in found.items()]
    failures = _failures(list(found.values()))
    damaged = [item for records in found.values() for item in records.damaged]
    if as_json:
        facts = {"studies": counts, "failures": failures, "orphans": orphans}
        print_json("status", ledger=masked(where), **facts, damaged=len(damaged))
    else:
        _show(counts, failures, orphans)
    if tell_damage(damaged, where):
        ctx.exit(1)


def _counts(name: str, records: Records) -> dict[str, Any]:
    """Count the trials of a study by state."""
    found = records.trials["state"].value_counts()
    states = {state: int(found.get(state, 0)) for state in _STATES}
    return {"study": name, **states, "digest": records.digest}


def _failures(found: list[Records]) -> list[dict[str, Any]]:
    """Group the trials without a value by learner and reason."""
    import pandas as pd

    if not found:
        return []
    trials = pd.concat([records.trials for records in found]).drop_duplicates("key")
    bad = trials[~trials["state"].isin(["done", "pending", "running"])]
    names = ["learner", "state", "reason"]
    return [
        {
            **dict(zip(names, group, strict=True)),
            "trials": len(part),
            "message": part["message"].iloc[0],
        }
        for group, part in bad.groupby(names, sort=True)
    ]


def _show(
    counts: list[dict[str, Any]], failures: list[dict[str, Any]], orphans: int
) -> None:
    if not counts:
        say("Nothing has been run yet. Begin with: caveat run STUDY.yaml")
        return
    rows = [
        [one["study"], *(f"{one[state]:,}" for state in _STATES), one["digest"][:12]]
        for one in counts
    ]
    right = range(1, len(_STATES) + 1)
    table(["study", *_STATES, "digest"], rows, right=right, bold=(1,))
    if failures:
        say("")
        reasons = [
            [*list(one.values())[:3], f"{one['trials']:,}", one["message"][:80]]
            for one in failures
        ]
        header = ["learner", "state", "reason", "trials", "first message"]
        table(header, reasons, right=(3,))
    if orphans:
        say(f"{orphans:,} trials are wanted by no study any more: caveat prune")
