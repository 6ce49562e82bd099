"""`caveat demo`: a complete example on embedded data, without network."""

from __future__ import annotations

import time
from pathlib import Path

import click

from caveat.cli._console import Progress, duration, say
from caveat.cli._folder import Folder


@click.command(epilog="Example:  caveat demo --out demo")
@click.option(
    "--out",
    type=Folder(),
    default="caveat-demo",
    show_default=True,
    help="Folder for the ledger and the pages.",
)
@click.option("--jobs", type=int, metavar="N", help="Number of workers [all cores].")
def demo(out: str, jobs: int | None) -> None:
    """Run a small study from end to end: plan, run, select, report; then an audit.

    Six models on three data sets that come with scikit-learn, and the page about one
    of them. Calling it again resumes: what was run is kept in the ledgers.
    """
    from caveat.board import build_report
    from caveat.cli._leaderboard import show_leaderboard
    from caveat.exceptions import InvalidInput
    from caveat.study import Ledger, run

    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"--out {out!r} cannot be made: {error.strerror}; name another folder"
        ) from error
    ledger = folder / "demo.ledger"
    progress = Progress("demo study")
    started = time.monotonic()
    summary = run(
        "demo",
        ledger,
        jobs=jobs,
        on_event=lambda event: progress.update(
            event.done, event.total, sum(event.states.values()) - event.states["done"]
        ),
    )
    progress.close()
    with Ledger(ledger) as book:
        records = book.records()
    show_leaderboard(records, summary.study)
    page = build_report(
        records,
        folder / "report",
        command=f"caveat report {ledger} --out {folder}/report",
    )
    say(
        f"{summary.total} trials, {summary.failed or 'none'} failed, "
        f"{duration(time.monotonic() - started)}. Ledger: {ledger}"
    )
    say(f"Report: {page}")
    say(f"Audit: {_audit(folder, jobs)}")


def _audit(folder: Path, jobs: int | None) -> Path:
    """Audit a made-up table with a leak and repeated patients."""
    from caveat.audit import Settings, audit
    from caveat.datasets.samples import write_sample

    file = write_sample("patients", folder)
    progress = Progress("demo audit")
    settings = Settings(
        str(file),
        "ill",
        models=("logistic-regression", "random-forest"),
        minutes=1.0,
        shuffles=100,
    )
    made = audit(
        settings,
        folder / "audit",
        command="caveat audit patients.csv --target ill",
        jobs=jobs,
        progress=progress.update,
    )
    progress.close()
    return made.save()
