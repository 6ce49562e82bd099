"""`caveat serve`: the report of a running study, live, for a browser on this machine.

The page is built in memory from the ledger, which is only read, and built again when
results have arrived; the browser asks for it anew by itself while trials are open.
"""

from __future__ import annotations

import shlex
import threading
import time
from typing import TYPE_CHECKING

import click

from caveat.cli._console import note, say
from caveat.cli._report import read_ledger
from caveat.cli._status import find_ledger

if TYPE_CHECKING:
    from caveat.pages import PageServer

# A page that takes long to build is built seldom: a tenth of the time at most.
_PAUSE_PER_BUILD = 9


@click.command(epilog="Example:  caveat serve demo.ledger")
@click.argument("ledger", required=False)
@click.option("--study", metavar="NAME", help="One study of the ledger only.")
@click.option("--measure", metavar="NAME", help="Measure that comes first.")
@click.option("--rule", metavar="NAME", help="Selection rule that comes first.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port to listen at; a free one is taken if none is given.",
)
@click.option(
    "--every",
    type=click.IntRange(1, 3600),
    default=5,
    show_default=True,
    metavar="SECONDS",
    help="How often to look for new results.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="M",
    help="Stop after so many minutes; without it, stop with Ctrl-C.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen at; another than this machine's own needs --allow-remote.",
)
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Let others on the network read the page; there is no password.",
)
def serve(
    ledger: str | None,
    study: str | None,
    measure: str | None,
    rule: str | None,
    port: int,
    every: int,
    minutes: float | None,
    host: str,
    allow_remote: bool,
) -> None:
    """Show the report of LEDGER in a browser, and keep it up to date.

    Without LEDGER, the only one in this folder is taken. Only this machine can
    reach the page, which has the figures and tables of `caveat report`.
    """
    from caveat.exceptions import InvalidInput
    from caveat.pages import PageServer, is_loopback

    if not is_loopback(host) and not allow_remote:
        raise InvalidInput(
            f"--host {host} lets others on the network read the page; add "
            "--allow-remote if that is meant"
        )
    live = _Live(find_ledger(ledger), study, measure, rule)
    pages = live.pages()
    with PageServer(pages, host, port) as server:
        server.show(pages, refresh=every if live.is_open else None)
        answering = threading.Thread(target=server.serve_forever, daemon=True)
        answering.start()
        try:
            say(f"Live page: {server.url}")
            note("Stop with Ctrl-C; the study is not affected.")
            _follow(live, server, every, minutes)
        finally:
            server.shutdown()


def _follow(live: _Live, server: PageServer, every: int, minutes: float | None) -> None:
    """Build the page again whenever results have arrived, until time is up."""
    end = time.monotonic() + 60 * minutes if minutes is not None else float("inf")
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, max(every, _PAUSE_PER_BUILD * live.seconds)))
        if live.has_changed():
            pages = live.pages()
            server.show(pages, refresh=every if live.is_open else None)


class _Live:
    """A ledger, and the page about it as it was when last built."""

    def __init__(
        self, where: str, study: str | None, measure: str | None, rule: str | None
    ) -> None:
        self.where, self.study, self.measure, self.rule = where, study, measure, rule
        self.seconds = 0.0
        self._counts: dict[str, int] = {}

    @property
    def is_open(self) -> bool:
        """Whether trials were still to be run."""
        return any(self._counts.get(state) for state in ("pending", "running"))

    def has_changed(self) -> bool:
        """Whether the ledger holds other results than the page."""
        return self._count() != self._counts

    def pages(self) -> dict[str, bytes]:
        """Build the page and all files beside it."""
        from caveat.board import build_page
        from caveat.pages import contents

        started = time.perf_counter()
        counts = self._count()
        records, shown = read_ledger(self.where, self.study)
        page = build_page(
            records,
            measure=self.measure,
            rule=self.rule,
            command=shlex.join(["caveat", "serve", shown]),
        )
        found = contents(page, png=True)
        self._counts = counts
        self.seconds = time.perf_counter() - started
        return found

    def _count(self) -> dict[str, int]:
        from caveat.study import Ledger

        with Ledger(self.where) as book:
            return book.counts(self.study)
