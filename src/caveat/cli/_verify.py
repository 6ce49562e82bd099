"""`caveat verify`: whether records still say what was written."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import note, print_json, say, table

if TYPE_CHECKING:
    from caveat.study import Damage, Rerun

_MOST_SHOWN = 20


@click.command(epilog="Example:  caveat verify demo.ledger --rerun 3")
@click.argument("ledger", required=False)
@click.option(
    "--rerun",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N trials again, drawn by lot, and compare what they give.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Largest difference of a number run again that counts as equal [1e-6].",
)
@click.option(
    "--allow-import",
    is_flag=True,
    help="Permit learners given as module:Class to be imported for --rerun.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object only.")
@click.pass_context
def verify(
    ctx: click.Context,
    ledger: str | None,
    rerun: int | None,
    tolerance: float | None,
    allow_import: bool,
    as_json: bool,
) -> None:
    """Check every record of LEDGER against its digest; exit 1 if one is damaged.

    It names what is damaged and whether running the study again mends it. On the same
    machine, with the same versions, a trial that is run again gives the same bits.
    """
    from caveat.cli._status import find_ledger
    from caveat.exceptions import DamagedLedger
    from caveat.study import RERUN_TOLERANCE, Damage, Ledger, whole
    from caveat.study import rerun as run_again

    where = find_ledger(ledger)
    limit = RERUN_TOLERANCE if tolerance is None else tolerance
    facts: dict[str, Any] = {"records": None, "digest": None, "schema": None}
    found: Rerun | None = None
    try:
        with Ledger(where) as book:
            facts["schema"] = book.schema
            damaged = book.damage()
            if not any(item.key == "" for item in damaged):
                facts |= whole(book)
                if rerun:
                    found = run_again(
                        book, rerun, tolerance=limit, allow_import=allow_import
                    )
                    damaged = damaged + found.differing
    except DamagedLedger as error:
        damaged = [Damage("", str(error), rerun=False)]
    if as_json:
        _print_json(where, facts, damaged, found, limit)
    else:
        _show(where, facts, damaged, found, limit)
    if damaged:
        ctx.exit(1)


def _print_json(
    where: str,
    facts: dict[str, Any],
    damaged: list[Damage],
    found: Rerun | None,
    tolerance: float,
) -> None:
    from caveat.study import masked

    print_json(
        "verify",
        ledger=masked(where),
        ledger_schema=facts["schema"],
        records=facts["records"],
        damaged=[{**asdict(item), "key": item.key or None} for item in damaged],
        digest=facts["digest"],
        studies=facts.get("studies", {}),
        rerun=found and {**asdict(found), "tolerance": tolerance},
    )


def _show(
    where: str,
    facts: dict[str, Any],
    damaged: list[Damage],
    found: Rerun | None,
    tolerance: float,
) -> None:
    if facts["schema"] == 1:
        note("an old ledger: its records carry no digests, so nothing proves them")
    if damaged:
        rows = [
            [item.key[:64] or "the file", item.reason, "yes" if item.rerun else "no"]
            for item in damaged[:_MOST_SHOWN]
        ]
        table(["damaged", "reason", "run again?"], rows)
        if len(damaged) > _MOST_SHOWN:
            say(f"and {len(damaged) - _MOST_SHOWN:,} more")
    if found is not None:
        say(
            f"{found.drawn:,} trials run again: {found.equal:,} gave the same bits, "
            f"{found.close:,} the same within {tolerance:g}, "
            f"{len(found.differing):,} something else; "
            f"largest difference {found.largest:g}"
        )
    if facts["digest"] is None:
        say(f"{where} is damaged")
        return
    if any(item.rerun for item in damaged):
        say("Running the study again mends these: caveat run STUDY.yaml")
    say(
        f"{facts['records']:,} records are whole, {len(damaged):,} damaged; "
        f"digest {facts['digest']}"
    )
