"""`caveat run`: plan, run, resume."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, duration, note, print_json, say
from caveat.cli._plan import show_plan, time_limit

if TYPE_CHECKING:
    from caveat.study import Event, Study, Summary


@click.command(
    epilog="Example:  caveat run adult-bags.yaml --engine processes --jobs 2"
)
@click.argument("study")
@click.option(
    "--ledger", metavar="FILE|URL", help="Where records live [STUDY's name.ledger]."
)
@click.option("--engine", metavar="NAME", help="serial, processes or dask [processes].")
@click.option("--jobs", type=int, metavar="N", help="Number of workers [all cores].")
@click.option("--limit", type=int, metavar="N", help="Run at most N trials now.")
@click.option(
    "--dry-run", is_flag=True, help="Show the grid and an estimate, run nothing."
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first trial that fails.")
@click.option("--retry-failed", is_flag=True, help="Try again what failed before.")
@click.option(
    "--allow-import",
    is_flag=True,
    help="Permit learners given as module:Class, installed or beside STUDY.",
)
@click.option("--yes", is_flag=True, help="Agree to more than a million trials.")
@click.option("--log", metavar="FILE", help="Add a JSON line for every step to FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object only.")
@click.pass_context
def run(
    ctx: click.Context,
    study: str,
    ledger: str | None,
    engine: str | None,
    dry_run: bool,
    allow_import: bool,
    log: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run STUDY, a YAML file or a registered name; go on where it stopped.

    Every finished trial is kept in a ledger, so the same command resumes after
    any interruption and runs only what is missing.
    """
    from caveat.study import check_jobs, load_study, masked, preview, skipped
    from caveat.study import run as run_study

    check_jobs(options["jobs"])
    loaded = load_study(study)
    where = ledger or f"{loaded.study}.ledger"
    for dataset, learner, reason in skipped(loaded):
        note(f"skipped: {learner} on {dataset}, {reason}")
    if dry_run:
        found = preview(loaded, where, engine=engine, yes=options["yes"])
        show_plan(loaded, where, found, as_json=as_json)
        return
    follow = _Follower(loaded, log, allow_import=allow_import)
    summary = run_study(loaded, where, engine, allow_import, on_event=follow, **options)
    follow.close(summary)
    if as_json:
        facts = {**asdict(summary), "failed": summary.failed, "open": summary.open}
        print_json("run", ledger=masked(where), **facts)
    else:
        again = f"caveat run {study} --ledger {where}"
        _show_summary(summary, where, again + " --allow-import" * allow_import)
    if summary.interrupted:
        ctx.exit(130)
    if summary.failed:
        ctx.exit(1)


class _Follower:
    """Shows progress and writes the log while a study runs."""

    def __init__(self, study: Study, log: str | None, *, allow_import: bool) -> None:
        from caveat.study import EventLog, parse_learner

        self._progress = Progress(study.study)
        self._log = None if log is None else EventLog(log, study.study)
        learners = map(parse_learner, study.learners)
        mine = [one.name for one in learners if one.is_imported and allow_import]
        # What is refused at the start is one sentence: these are told after that.
        self._first = [f"{name} is imported from a module of yours" for name in mine]
        self._first += time_limit(study)

    def __call__(self, event: Event) -> None:
        while self._first:
            note(self._first.pop(0))
        current = [trial.title for trial in event.running]
        self._progress.update(event.done, event.total, event.failed, current)
        if self._log is not None:
            self._log(event)

    def close(self, summary: Summary) -> None:
        """End the line of progress and the log."""
        self._progress.close()
        if self._log is not None:
            self._log.close(summary)


def _show_summary(summary: Summary, where: str, again: str) -> None:
    counts = ", ".join(f"{count:,} {state}" for state, count in summary.states.items())
    say(
        f"{summary.study}: {summary.total:,} trials, {counts}; "
        f"{summary.executed:,} run now in {duration(summary.seconds)}. Ledger: {where}"
    )
    if summary.mended:
        trials = "trial" if summary.mended == 1 else "trials"
        note(f"run again because the ledger was damaged: {summary.mended:,} {trials}")
    if summary.orphans:
        note(
            f"{summary.orphans:,} recorded trials are no longer wanted by the study; "
            "'caveat prune' removes them"
        )
    if summary.interrupted or summary.open:
        begin = "Interrupted. Go" if summary.interrupted else "Go"
        say(f"{begin} on with: {again}")
    if summary.failed and not summary.interrupted:
        say(f"Why trials failed: caveat status {where}")
