"""What a look says before it ends: how long it may take, and the first numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caveat.models import MODELS
from caveat.pages import duration
from caveat.shift._costs import pace
from caveat.shift._look_rows import Rows
from caveat.shift.prices._folds import Contender, Tried
from caveat.shift.prices._prices import ALL, Book, Task, expected_seconds

_FEWEST = 250
_LARGE = 100


def forecast(seconds: Mapping[str, float], splits: int) -> str:
    """Say how long it may take, once every model was tried."""
    return f"up to {_listed(seconds, splits)}"


def _listed(seconds: Mapping[str, float], splits: int) -> str:
    """List what each model may take; for a terminal, so without NBSP."""
    each = sorted(seconds.items(), key=lambda item: -item[1])
    listed = ", ".join(
        f"{name} {duration(one) if one >= 1 else 'under 1 s'}" for name, one in each
    )
    over = f"{splits} splits" if splits > 1 else "1 split"
    told = f"{duration(max(1.0, sum(seconds.values())))} for {over}: {listed}"
    return told.replace("\xa0", " ")


def guess_pace(contenders: Sequence[Contender], rows: Rows) -> dict[str, Tried]:
    """Give what the registry knows of the models' pace: rows and columns alone."""
    count, columns = rows.folds[0].X_train.shape
    # Below a few hundred rows a fit takes no less: passes and rounds stay as many.
    learnt = round(1_000 * count / max(count, _FEWEST))
    known = {
        one.name: pace(MODELS[one.name], count, columns, rows.task)
        for one in contenders
        if one.name in MODELS
    }
    return {
        name: Tried(*each, learnt, 100_000)
        for name, each in known.items()
        if each is not None
    }


def rough_forecast(
    guess: Mapping[str, Tried],
    contenders: Sequence[Contender],
    rows: Rows,
    task: Task,
    chosen: bool,
) -> str:
    """Say about how long it may take, before the first fit."""
    seconds = expected_seconds(guess, rows.folds, task)
    if chosen:
        # All are tried first, on three quarters of the training rows.
        fits = {name: 0.75 * one.fit / one.learnt for name, one in guess.items()}
        rows_learnt = len(rows.folds[0].X_train)
        seconds = {
            name: each + rows_learnt * fits[name] for name, each in seconds.items()
        }
    told = f"about {_listed(seconds, len(rows.folds))}; a rough guess from rows and "
    told += "columns, for one idle core, before the first fit"
    unknown = [one.name for one in contenders if one.name not in guess]
    if unknown:
        told += f"; without {', '.join(unknown)}, of which nothing is known"
    better = "; a better one follows when every model was tried once"
    return told + better * chosen


def first_numbers(book: Book, who: str) -> str:
    """Say what is known of the first split; intervals come later."""
    one = len(book.resampling.tests) == 1
    over = "the only split" if one else "first of several splits"
    told = f"{over}: {who} {_brief(book.values[who, ALL, ''][0])}"
    for what in dict.fromkeys(what for name, what, _ in book.values if name == who):
        if what:
            told += f"; {what} " + ", ".join(
                f"{how} {_brief(book.values[who, what, how][0])}"
                for how in book.ways(who, what)
            )
    return told


def _brief(value: float) -> str:
    """Write a first number for a terminal: 0.913, but 24,112."""
    return f"{value:.3f}" if abs(value) < _LARGE else f"{value:,.0f}"
