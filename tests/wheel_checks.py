"""What must hold for an installed caveat, without its source tree and its extras.

Runs inside an environment that `wheels.py` made, with the standard library and caveat
alone: every public name, every command, every `--help`, every `list`. What needs a
library that is not there says so in one sentence, with a command that installs it.
"""

from __future__ import annotations

import csv
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

CAVEAT = str(Path(sys.executable).with_name("caveat"))
SENTENCE = re.compile(
    r".+ needs '(?P<library>\w+)', which is not installed; install it with: "
    r"pip install '[^']+'"
)
STUDY = """study: small
topic: supervised
datasets: [iris]
learners: [dummy, logistic-regression]
repeats: 2
"""
DEEP_STUDY = """study: deep
topic: candidates
datasets: [iris]
scenario: {candidates: flip, rate: 0.3}
learners: [{name: proden, learning_rate: 0.001}]
"""
#: A run of every command, in an order in which one finds what the last one left.
RUNS = {
    "run": "run small.yaml --ledger small.ledger --engine serial",
    "status": "status small.ledger",
    "report": "report small.ledger --out report",
    "serve": "serve small.ledger --minutes 0.02",
    "export": "export small.ledger --out small.csv",
    "diff": "diff small.ledger small.ledger",
    "prune": "prune small.ledger",
    "list": "list topics",
    "data": "data verify",
    "eapp": "eapp loans.csv --target default --k-max 3 --folds 3 --shuffles 9",
    "bags": "bags loans.csv --target default --by region --repeats 1",
    "candidates": "candidates loans.csv --candidates heard --steps 20",
    "multilabel": "multilabel loans.csv --targets late,fraud --resamples 9",
    "shift": "shift loans.csv --target default --models logistic-regression",
    "audit": "audit loans.csv --target default --minutes 0.3",
    "demo": "demo --out demo",
    "doctor": "doctor",
    "sample": "sample loans samples",
    "verify": "verify small.ledger",
}
#: What else people meet when something is missing.
NO_SERVER = "127.0.0.1:1"
MORE = [
    "--version",
    "candidates loans.csv --candidates heard --no-model",
    "run deep.yaml --dry-run",
    "run small.yaml --dry-run --engine dask",
    "run small.yaml --ledger d.ledger --engine dask",
    f"run small.yaml --ledger postgresql+psycopg://me@{NO_SERVER}/none",
    "eapp loans.csv --target default --representation cae --k-max 3 --folds 3",
    "shift loans.csv --target default --models lightgbm",
    "audit loans.csv --target default --models xgboost --minutes 0.3 --out other",
]
#: What a plan must name where it is not there.
TOLD = {
    "run deep.yaml --dry-run": "torch",
    "run small.yaml --dry-run --engine dask": "dask",
}


class Wrong(Exception):
    """Something that an installed caveat must not do."""


def is_about_something_missing(text: str) -> bool:
    """Whether a sentence names a library; it must be absent, and never caveat."""
    found = SENTENCE.search(text)
    if found is None:
        return False
    if find_spec(found["library"]) is not None:
        raise Wrong(f"{found['library']} is installed, but: {text}")
    if "'caveat" in text:
        raise Wrong(f"an index may know another caveat: {text}")
    return True


def public_names(module: ModuleType) -> Iterator[tuple[ModuleType, str]]:
    """Yield every public name of a package and of the packages in it."""
    for name in getattr(module, "__all__", ()):
        yield module, name
        folder = f"{module.__name__}.{name}"
        if module.__name__ == "caveat" and find_spec(folder) is not None:
            yield from public_names(import_module(folder))


def check_names() -> str:
    """Import every public name, or read which library it lacks."""
    import caveat

    if not Path(caveat.__file__).is_relative_to(sys.prefix):
        raise Wrong(f"caveat comes from {caveat.__file__}, not from {sys.prefix}")
    there, missing = 0, 0
    for module, name in public_names(caveat):
        try:
            getattr(module, name)
            there += 1
        except ImportError as error:
            if not is_about_something_missing(str(error)):
                raise Wrong(f"{module.__name__}.{name}: {error}") from error
            missing += 1
    return f"{there} public names, {missing} that need more"


def call(words: str) -> str:
    """Run a command; it must end well, or say in one sentence what is missing."""
    done = subprocess.run(
        [CAVEAT, *words.split()], capture_output=True, text=True, timeout=900
    )
    said = done.stdout + done.stderr
    if "Traceback" in said or "this is a bug" in said:
        raise Wrong(f"caveat {words}: {said[-1500:]}")
    if done.returncode == 0:
        library = TOLD.get(words)
        if library and find_spec(library) is None and f"needs {library!r}" not in said:
            raise Wrong(f"caveat {words} does not say that {library} is missing")
        return "done"
    last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
    if done.returncode == 2 and is_about_something_missing(last):
        return last
    if done.returncode == 2 and NO_SERVER in words and "cannot be used" in last:
        return last
    raise Wrong(f"caveat {words}: exit code {done.returncode}: {said[-1500:]}")


def subcommands() -> Iterator[str]:
    """Yield every command, and every command of a command."""
    import click

    from caveat.cli import caveat as root

    context = click.Context(root)
    for name in root.list_commands(context):
        yield name
        found = root.get_command(context, name)
        if isinstance(found, click.Group):
            yield from (f"{name} {item}" for item in found.list_commands(context))


def write_files() -> None:
    """Put a table and two studies into the present folder."""
    rng = random.Random(0)
    columns = ["income", "age", "region", "heard", "late", "fraud", "default"]
    with open("loans.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for _ in range(240):
            age, income = rng.randint(18, 80), rng.gauss(0, 1)
            late, fraud = int(income + rng.gauss(0, 1) > 0), int(age > 40)
            heard = "low|high" if rng.random() < 0.3 else ("high" if late else "low")
            region = rng.choice("nesw")
            writer.writerow([income, age, region, heard, late, fraud, late])
    Path("small.yaml").write_text(STUDY)
    Path("deep.yaml").write_text(DEEP_STUDY)


def main() -> int:
    """Check everything; 1 if something was wrong."""
    from caveat.cli._list import WHAT

    write_files()
    known = list(subcommands())
    calls = [f"{name} --help" for name in ["", *known]]
    calls += [f"list {what}" for what in WHAT]
    calls += [words for name, words in RUNS.items() if name in known] + MORE
    wrong = 0
    try:
        print(check_names())
    except Wrong as error:
        wrong += 1
        print(f"WRONG {error}")
    for words in calls:
        try:
            outcome = call(words)
            if outcome != "done":
                print(f"caveat {words}: {outcome}")
        except Wrong as error:
            wrong += 1
            print(f"WRONG {error}")
    only_help = [name for name in known if " " not in name and name not in RUNS]
    print(f"{len(calls)} commands, {wrong} wrong; --help only: {only_help or 'none'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
