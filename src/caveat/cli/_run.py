"""`caveat run`: plan, run, resume."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, duration, note, say, table

if TYPE_CHECKING:
    from caveat.study import Event


@click.command(
    epilog="Example:  caveat run adult-bags.yaml --engine processes --jobs 2"
)
@click.argument("study")
@click.option(
    "--ledger", metavar="FILE|URL", help="Where records live [STUDY's name.ledger]."
)
@click.option("--engine", metavar="NAME", help="serial or processes [processes].")
@click.option("--jobs", type=int, metavar="N", help="Number of workers [all cores].")
@click.option(
    "--dry-run", is_flag=True, help="Show the grid and an estimate, run nothing."
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first trial that fails.")
@click.option("--retry-failed", is_flag=True, help="Try again what failed before.")
@click.option(
    "--allow-import",
    is_flag=True,
    help="Permit learners given as module:Class to be imported.",
)
@click.option("--yes", is_flag=True, help="Agree to more than a million trials.")
@click.pass_context
def run(
    ctx: click.Context,
    study: str,
    ledger: str | None,
    engine: str | None,
    jobs: int | None,
    dry_run: bool,
    fail_fast: bool,
    retry_failed: bool,
    allow_import: bool,
    yes: bool,
) -> None:
    """Run STUDY, a YAML file or a registered name; go on where it stopped.

    Every finished trial is kept in a ledger, so the same command resumes after
    any interruption and runs only what is missing.
    """
    from caveat.study import check_jobs, load_study, skipped
    from caveat.study import run as run_study

    check_jobs(jobs)
    loaded = load_study(study)
    where = ledger or f"{loaded.study}.ledger"
    for dataset, learner, reason in skipped(loaded):
        note(f"skipped: {learner} on {dataset}, {reason}")
    limit = ""
    if loaded.budget.is_default_time:
        limit = (
            f"a trial may take {loaded.budget.trial_minutes:g} minutes; write budget: "
            "{trial-minutes: ...} in the study for another limit, null for none"
        )
    if dry_run:
        _show_plan(loaded, where, yes=yes)
        for sentence in filter(None, [limit, *_missing(loaded, engine)]):
            note(sentence)
        return
    for name in _imported(loaded) if allow_import else ():
        note(f"{name} is imported from a module of yours")
    progress = Progress(loaded.study)
    limits = iter([limit] if limit else [])

    def follow(event: Event) -> None:
        # What is refused at the start is one sentence: the limit is told after that.
        for sentence in limits:
            note(sentence)
        failed = sum(event.states.values()) - event.states["done"]
        progress.update(event.done, event.total, failed)

    summary = run_study(
        loaded,
        where,
        engine,
        allow_import,
        jobs=jobs,
        fail_fast=fail_fast,
        retry_failed=retry_failed,
        yes=yes,
        on_event=follow,
    )
    progress.close()
    counts = ", ".join(f"{count:,} {state}" for state, count in summary.states.items())
    say(
        f"{summary.study}: {summary.total:,} trials, {counts}; "
        f"{summary.executed:,} run now in {duration(summary.seconds)}. Ledger: {where}"
    )
    if summary.mended:
        note(
            f"run again because the ledger was damaged: {summary.mended:,} "
            + ("trial" if summary.mended == 1 else "trials")
        )
    if summary.orphans:
        note(
            f"{summary.orphans:,} recorded trials are no longer wanted by the study; "
            "'caveat prune' removes them"
        )
    if summary.interrupted:
        say(f"Interrupted. Go on with: caveat run {study} --ledger {where}")
        ctx.exit(130)
    if summary.failed:
        say(f"Why trials failed: caveat status {where}")
        ctx.exit(1)


def _imported(study: Any) -> list[str]:
    from caveat.study import parse_learner

    learners = map(parse_learner, study.learners)
    return [learner.name for learner in learners if learner.is_imported]


def _missing(study: Any, engine: str | None) -> list[str]:
    """Say what is not installed that the study's trials or its engine need."""
    from caveat.exceptions import MissingExtra
    from caveat.study import ENGINES, TOPICS, parse_learner

    named = study.engine if engine is None else engine
    name = named.get("name") if isinstance(named, dict) else named
    learners = map(parse_learner, study.learners)
    wanted = [
        TOPICS[study.topic].load().learners[learner.name]
        for learner in learners
        if not learner.is_imported
    ]
    found = []
    for entry in [*wanted, *([ENGINES[name]] if name else [])]:
        try:
            entry.load()
        except MissingExtra as error:
            found.append(f"missing: {error}")
    return found


def _show_plan(study: Any, where: str, *, yes: bool) -> None:
    """Show the grid, and how long it may take as far as the ledger knows."""
    from caveat.study import dataset_name, plan

    trials = plan(study, yes=yes)
    grid: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        spec = trial.spec
        cell = (dataset_name(spec["dataset"]["reference"]), spec["learner"]["name"])
        grid[cell] += 1
        sizes[cell] += len(spec["configurations"])
    known = _mean_seconds(where)
    rows = []
    total, unknown = 0.0, 0
    for (dataset, learner), count in grid.items():
        seconds = known.get((dataset, learner))
        unknown += count if seconds is None else 0
        total += count * (seconds or 0.0)
        shown = "not run yet" if seconds is None else duration(seconds)
        rows.append(
            [dataset, learner, f"{count:,}", f"{sizes[dataset, learner]:,}", shown]
        )
    table(
        ["data set", "learner", "trials", "configurations", "a trial"],
        rows,
        right=(2, 3, 4),
        bold=(2,),
    )
    worlds = len({str(trial.spec["world"]) for trial in trials})
    say(
        f"{study.study}: {len(trials):,} trials, {worlds:,} worlds, "
        f"{len(study.all_repeats):,} repeats. Nothing was run."
    )
    if total:
        rest = f"; {unknown:,} trials of unknown length not counted" if unknown else ""
        say(f"About {duration(total)} of one core, by the trials in {where}{rest}.")
    else:
        say("How long a trial takes is known once the first have run.")


def _mean_seconds(where: str) -> dict[tuple[str, str], float]:
    from caveat.study import Ledger, NoLedgerYet

    try:
        with Ledger(where) as book:
            trials = book.records().trials
    except NoLedgerYet:
        return {}
    done = trials[trials["state"] == "done"]
    return done.groupby(["dataset", "learner"])["seconds"].mean().to_dict()
