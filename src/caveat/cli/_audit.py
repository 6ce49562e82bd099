"""`caveat audit`: the page about one file."""

from __future__ import annotations

import json
import math
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._again import command_again
from caveat.cli._audit_weaker import known, show_weaker, weaker_json
from caveat.cli._console import Progress, duration, note, say, table
from caveat.cli._folder import Folder
from caveat.cli._remark import show_caveat
from caveat.exceptions import InvalidInput, UnknownName

if TYPE_CHECKING:
    from caveat.audit import Audit, Reading

_MOST_CAVEATS = 5
_RULE = re.compile(r"\s*([a-z-]+)\s*(<=|>=|<|>)\s*([-+]?[0-9.]+(?:e[-+]?\d+)?)\s*")
_COMPARE = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


@click.command(epilog="Example:  caveat audit loans.csv --target default")
@click.argument("file", metavar="FILE")
@click.option(
    "--target", metavar="COL", help="Column to predict; the last if not given."
)
@click.option(
    "--targets", metavar="A,B,C", help="Yes-or-no columns to predict together."
)
@click.option("--bags", metavar="COL", help="Groups: what do their shares alone teach?")
@click.option(
    "--candidates",
    metavar="COL",
    help="Labels a row may have, such as cat|dog; --target is then the truth.",
)
@click.option("--out", type=Folder(), help="Folder for the page [FILE-audit].")
@click.option("--groups", metavar="COL", help="Rows of a group stay in one fold.")
@click.option("--time", "when", metavar="COL", help="Judge on later rows than learnt.")
@click.option("--weights", metavar="COL", help="Rows count by this in every score.")
@click.option("--positive", metavar="LABEL", help="Class 1; all others are the rest.")
@click.option("--test", metavar="FILE", help="Rows to be judged on.")
@click.option("--predictions", metavar="FILE", help="Scores made elsewhere, by a key.")
@click.option("--models", metavar="A,B", help="Models, see: caveat list learners.")
@click.option(
    "--model", "own", metavar="MODULE:OBJECT", multiple=True, help="A model of yours."
)
@click.option("--allow-import", is_flag=True, help="Permit importing it.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--keep", metavar="COL", multiple=True, help="Column not to set aside.")
@click.option(
    "--kinds",
    metavar="COL=KIND",
    multiple=True,
    help="numerical, categorical or boolean, where detection errs.",
)
@click.option("--task", metavar="TASK", help="binary, multiclass or regression.")
@click.option(
    "--minutes",
    metavar="M",
    type=float,
    default=5.0,
    show_default=True,
    help="Time there is; what does not fit is left out, and said so.",
)
@click.option("--folds", metavar="N", type=int, default=5, show_default=True)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, metavar="N", help="Number of workers [all cores].")
@click.option(
    "--fail-on",
    metavar="RULE",
    multiple=True,
    help="Exit 1 if it holds, such as 'headroom<0.05'.",
)
@click.option("--no-names", is_flag=True, help="Leave names out of everything written.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
@click.pass_context
def audit(context: click.Context, file: str, **given: Any) -> None:
    """Write one page on what a score on FILE is worth.

    How much of it is free, how far models rise above that, whether their differences
    are real, what breaks when columns vanish, and what looks like a leak. FILE is CSV
    or Parquet. With --targets, --bags or --candidates the page also says what weaker
    labels would support. Beside the page lie the study and the ledger it is made from;
    calling it again goes on where it stopped.
    """
    started = time.monotonic()
    from caveat.audit import Settings
    from caveat.audit import audit as make_audit

    rules = [_rule(text) for text in given["fail_on"]]
    settings = Settings(
        file=file,
        target=given["target"],
        targets=_words(given["targets"]),
        bags=given["bags"],
        candidates=given["candidates"],
        groups=given["groups"],
        time=given["when"],
        weights=given["weights"],
        positive=given["positive"],
        test=given["test"],
        predictions=given["predictions"],
        models=_words(given["models"]),
        imported=given["own"],
        drop=given["drop"],
        keep=given["keep"],
        kinds=_kinds(given["kinds"]),
        task=given["task"],
        minutes=given["minutes"],
        folds=given["folds"],
        seed=given["seed"],
        hide_names=given["no_names"],
    )
    stem = "file" if given["no_names"] else Path(file).name.partition(".")[0]
    out = given["out"] or f"{stem or 'file'}-audit"
    progress = Progress("audit")
    made = make_audit(
        settings,
        out,
        command=_command(context, file, out, given["no_names"]),
        allow_import=given["allow_import"],
        jobs=given["jobs"],
        progress=progress.update,
        note=note,
        started=started,
    )
    progress.close()
    numbers = key_numbers(made)
    if given["as_json"]:
        click.echo(json.dumps(_plain(made, numbers), indent=2, allow_nan=False))
        note(f"Page: {made.index}")
    else:
        _show(made)
        _say_end(made)
    if made.interrupted:
        context.exit(130)
    fired = [
        text for text, holds in ((r[0], _holds(r, numbers)) for r in rules) if holds
    ]
    for text in fired:
        say(f"fails on {text}", "red")
    if fired:
        context.exit(1)


def key_numbers(made: Audit) -> dict[str, float]:
    """Return the numbers that a rule of --fail-on can be about."""
    reading = made.reading
    best, free = reading.best, reading.free
    shifted = reading.shifted.get(best.name) if best is not None else None
    loss = math.nan
    if shifted is not None:
        loss = reading.sign * (shifted.closed - shifted.worst)
    severities = [remark.severity for remark in made.remarks]
    return {
        "score": best.value if best is not None else math.nan,
        "free": free.value if free is not None else math.nan,
        "headroom": reading.headroom,
        "worst-loss": loss,
        "serious": float(severities.count("serious")),
        "careful": float(severities.count("careful")),
        "caveats": float(len(severities)),
        "failed": float(len(reading.failures)),
    }


_NAMES = (
    *("score", "free", "headroom", "worst-loss"),
    *("serious", "careful", "caveats", "failed"),
)


def _rule(text: str) -> tuple[str, str, str, float]:
    found = _RULE.fullmatch(text)
    if found is None:
        raise InvalidInput(
            f"--fail-on: {text!r} is no rule; write NAME<NUMBER or NAME>NUMBER, such "
            "as headroom<0.05"
        )
    name, sign, number = found.groups()
    if name not in _NAMES:
        raise UnknownName.among("number of an audit", name, _NAMES)
    return text.strip(), name, sign, float(number)


def _holds(rule: tuple[str, str, str, float], numbers: dict[str, float]) -> bool:
    """Whether a rule fires; a number that is not known fires, too."""
    _, name, sign, limit = rule
    value = numbers[name]
    return math.isnan(value) or _COMPARE[sign](value, limit)


def _kinds(written: tuple[str, ...]) -> dict[str, str]:
    kinds = {}
    for text in written:
        column, parted, kind = text.rpartition("=")
        if not parted or not column:
            raise InvalidInput(
                f"--kinds: {text!r} is not understood; write COLUMN=KIND, such as "
                "zip=categorical"
            )
        kinds[column] = kind
    return kinds


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _show(made: Audit) -> None:
    reading = made.reading
    rows = []
    free = reading.free
    over = not reading.regression and free is not None and free.value == free.value
    for one in reading.scores.values():
        cells = [one.title, _number(one.value), _range(one.low, one.high)]
        if over and free is not None:
            cells.append(f"{one.value - free.value:+.2f}")
        rows.append(cells)
    if over and free is not None:
        null = f"shuffled labels {_range(free.low, free.high, 2)}"
        rows.append(["free part (EAPP)", _number(free.value), null, ""])
    elif reading.constant is not None:
        rows.append(["constant answer", _number(reading.constant.value), ""])
    header = ["model", reading.unit, "95 % interval"] + ["over free"] * over
    if rows:
        table(header, rows, right=(1, 2, 3)[: len(header) - 1], bold=(1,))
        say("")
    show_weaker(reading)
    _show_caveats(made)


def _show_caveats(made: Audit) -> None:
    for remark in made.remarks[:_MOST_CAVEATS]:
        show_caveat(remark.severity, remark.sentence)


def _say_end(made: Audit) -> None:
    from caveat.pages import plural

    total = sum(made.reading.states.values())
    failed = len(made.reading.failures)
    left = sum(made.reading.open_parts.values())
    parts = [plural(len(made.remarks), "caveat"), plural(total, "trial")]
    parts.append(f"{failed or 'none'} failed")
    if left:
        parts.append(f"{left} cut short")
    say(f"{', '.join(parts)}, {duration(made.seconds)}. Page: {made.index}")


def _command(context: click.Context, file: str, out: str, hide: bool) -> str:
    """Write the command that makes the page again, without names if they are hidden."""
    if hide:
        return "caveat audit FILE --target COL --no-names"
    return command_again(context, file, out)


def _plain(made: Audit, numbers: dict[str, float]) -> dict[str, Any]:
    """Return everything worth knowing as JSON: names, numbers, sentences, no cell."""
    from caveat.pages import NBSP

    reading: Reading = made.reading
    free = reading.free
    return {
        "file": reading.facts["file"],
        "target": reading.facts["target"],
        "task": reading.facts["task"],
        "rows": known(reading.table.get("rows", math.nan)),
        "measure": reading.measure,
        **{name: known(value) for name, value in numbers.items()},
        "p-value": known(free.p) if free is not None else None,
        "verdict": free.verdict if free is not None else None,
        "models": [
            {
                "name": one.name,
                "value": known(one.value),
                "low": known(one.low),
                "high": known(one.high),
                "folds": one.folds,
                **{name: known(value) for name, value in one.further.items()},
            }
            for one in reading.scores.values()
        ],
        "vanishing": [
            {
                "model": one.name,
                "column": one.most_used,
                "with": known(one.closed),
                "without": known(one.worst),
            }
            for one in reading.shifted.values()
        ],
        "caveat-list": [
            {
                "severity": remark.severity,
                "kind": remark.kind,
                "section": remark.section,
                "sentence": str(remark.sentence).replace(NBSP, " "),
                "number": remark.number.replace(NBSP, " "),
            }
            for remark in made.remarks
        ],
        **weaker_json(reading),
        "trials": reading.states,
        "cut-short": sum(reading.open_parts.values()),
        "page": str(made.index),
    }


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def _range(low: float, high: float, places: int = 3) -> str:
    if math.isnan(low) or math.isnan(high):
        return "–"
    if abs(high) >= 10:
        places = 1
    return f"{low:.{places}f} to {high:.{places}f}"
