"""`caveat demo`: a complete example without network: a study, an audit, every look."""

from __future__ import annotations

import io
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caveat.cli._console import Progress, duration, say
from caveat.cli._folder import Folder

if TYPE_CHECKING:
    from caveat.pages import Look

LOOKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "audit": ("patients", ("--target", "ill", "--minutes", "1")),
    "eapp": ("loans", ("--target", "default")),
    "shift": ("sensors", ("--target", "fault", "--missing", "vibration,current")),
    "bags": (
        "shops",
        ("--by", "shop", "--shares", "shop-shares.csv", "--positive", "returns"),
    ),
    "candidates": ("birds", ("--annotators", "anna,ben,carl", "--no-model")),
    "multilabel": ("songs", ("--targets", "calm,sad,happy,angry")),
}
"""Every look with the sample it is shown on, as `caveat sample` suggests it."""


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
    """Run a small study from end to end, then every look on a file made on the spot.

    The study: six models on three data sets that come with scikit-learn. The audit:
    visits of patients, several each, and a code that is written too late. Calling it
    again resumes the study: what was run is kept in the ledger.
    """
    from caveat.cli._report import tell
    from caveat.exceptions import InvalidInput

    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"--out {out!r} cannot be made: {error.strerror}; name another folder"
        ) from error
    say(f"Report: {_study(folder, jobs)}")
    for command in LOOKS:
        say(f"{command.capitalize()}: {folder / command / 'index.html'}", "bold")
        tell(_look(folder, command))
    say(f"Begin with the page of the audit: {folder / 'audit' / 'index.html'}", "bold")


def _study(folder: Path, jobs: int | None) -> Path:
    """Plan, run, select, report."""
    from caveat.board import build_page
    from caveat.cli._report import tell
    from caveat.pages import write
    from caveat.study import Ledger, run

    ledger = folder / "demo.ledger"
    progress, started = Progress("demo study"), time.monotonic()
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
    took = duration(time.monotonic() - started)
    failed = summary.failed or "none"
    say(f"{summary.total} trials, {failed} failed, {took}. Ledger: {ledger}")
    command = f"caveat report {ledger} --out {folder}/report"
    page = build_page(records, command=command)
    for look in page.chapters:
        tell(look)
    return write(page, folder / "report")


def _look(folder: Path, command: str) -> Look:
    """Run a command on its sample as a person would, and return what it shows."""
    from caveat.cli._root import caveat
    from caveat.datasets.samples import write_sample

    name, options = LOOKS[command]
    samples = folder / "samples"
    file = samples / f"{name}.csv"
    if not file.exists():
        file = write_sample(name, samples)
    words = [str(samples / one) if one.endswith(".csv") else one for one in options]
    page = ["--out", str(folder / command), "--json"]
    with redirect_stdout(io.StringIO()):
        look: Look = caveat.main(
            [command, str(file), *words, *page],
            prog_name="caveat",
            standalone_mode=False,
        )
    return look
