"""`caveat audit`: the page about one file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._console import Progress, duration, note, say
from caveat.cli._options import column_options, seed_option, whole_number
from caveat.cli._show import command_line, listed, look_options, paired, show

if TYPE_CHECKING:
    from caveat.pages import Look

#: Options that are called as the fields of `Settings`.
_SAME = (
    *("target", "bags", "candidates", "groups", "weights", "positive", "test"),
    *("predictions", "embeddings", "drop", "keep", "task", "minutes", "folds", "seed"),
)


@click.command(epilog="Example:  caveat audit loans.csv --target default")
@click.argument("file", metavar="FILE")
@click.option("--target", metavar="COL", help="Column to predict [the last].")
@click.option("--targets", metavar="A,B", help="Yes-or-no columns, predicted together.")
@click.option("--bags", metavar="COL", help="Groups: what do their shares alone teach?")
@click.option(
    "--candidates",
    metavar="COL",
    help="Labels a row may have, such as cat|dog; --target is then the truth.",
)
@click.option("--groups", metavar="COL", help="Rows of a group stay in one fold.")
@click.option("--time", "when", metavar="COL", help="Judge by rows that came later.")
@click.option("--weights", metavar="COL", help="How much each row counts in scores.")
@click.option("--positive", metavar="LABEL", help="Class 1; others are negative.")
@click.option("--test", metavar="FILE", help="Other rows, to judge models by.")
@click.option("--predictions", metavar="FILE", help="Scores of yours, a column each.")
@click.option(
    "--embeddings",
    metavar="FILE",
    help="For a folder of pictures: numbers to cluster instead of the pixels.",
)
@click.option("--models", metavar="A,B", help="Models, see: caveat list learners.")
@click.option(
    "--model",
    "own",
    metavar="SPEC",
    multiple=True,
    help="A model of yours: module:object, ONNX, a native file of a booster, skops.",
)
@click.option("--allow-import", is_flag=True, help="Permit importing module:object.")
@click.option("--trust", is_flag=True, help="Permit joblib and pickle: they run code.")
@column_options
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
    help="How long it may take; the page names what was left out for want of time.",
)
@whole_number("--folds", 5, "Parts of the rows: each judges models of the others.")
@seed_option
@click.option("--jobs", type=int, metavar="N", help="Number of workers [all cores].")
@click.option("--sarif", metavar="FILE", help="Write caveats for code hosts, too.")
@click.option("--no-names", is_flag=True, help="Leave names out of everything written.")
@look_options
def audit(file: str, out: str | None, as_json: bool, **given: Any) -> Look:
    """Write one page on what a score on FILE is worth.

    The scan asks in seconds which columns, pairs, gaps and orders tell the target;
    then models show what survives each remedy, beside what needs no learning. FILE is
    CSV or Parquet, or a folder with a folder of pictures per class. With --targets,
    --bags or --candidates the page also says what weaker labels would support.
    Beside the page lie the study and the ledger it is made from; calling it again goes
    on where it stopped.
    """
    started = time.monotonic()
    from caveat.audit import Settings
    from caveat.audit import audit as make_audit
    from caveat.pages import check_rules

    rules = check_rules(given["fail_on"])
    stem = "file" if given["no_names"] else Path(file).name.partition(".")[0]
    place = out or f"{stem or 'file'}-audit"
    hidden = "caveat audit FILE --target COL --no-names"
    progress = Progress("audit")
    settings = Settings(
        file,
        **{name: given[name] for name in _SAME},
        time=given["when"],
        targets=tuple(listed(given["targets"])),
        models=tuple(listed(given["models"])),
        imported=given["own"],
        trust=given["allow_import"] or given["trust"],
        kinds=paired("--kinds", given["kinds"], "COLUMN=KIND, such as zip=categorical"),
        hide_names=given["no_names"],
    )
    made = make_audit(
        settings,
        place,
        rules=rules,
        command=hidden if given["no_names"] else command_line(file, place),
        jobs=given["jobs"],
        progress=progress.update,
        note=note,
        started=started,
    )
    progress.close()
    if given["sarif"]:
        from caveat.pages import write_file

        text = json.dumps(made.look.to_sarif(), indent=2, ensure_ascii=False)
        write_file(Path(given["sarif"]), text.encode("utf-8"))
    if made.states and not as_json:
        done, trials = made.states.get("done", 0), sum(made.states.values())
        say(f"{done} of {trials} trials, {duration(made.seconds)}.")
    if made.interrupted:
        made.save()
        raise SystemExit(130)
    return show(made.look, str(made.folder), as_json=as_json)
