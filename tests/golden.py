"""What the commands show, kept in a folder: before a change and after it.

    python tests/golden.py keep FOLDER [NAME...]
    python tests/golden.py compare BEFORE AFTER

`keep` runs every command on small files of its own and writes what it printed, its exit
code, its JSON, pages, figures and tables below FOLDER/NAME. Seconds, dates, versions
and folders differ from run to run and are masked. `compare` shows each line that is
not the same and ends with 1 if there is one: who moves code around looks at every
difference, or sees that there is none. The folders are no part of the repository: what
is right today is what the tests say.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner

STUDY = """\
study: small
topic: supervised
datasets: [{file: loans.csv, target: default}]
learners: [dummy, k-nn, {name: logistic-regression, C: [0.1, 1]}]
repeats: 3
measures: [accuracy, auc]
"""
#: Name of a case, and the words of its command. Later ones may read what earlier made.
CASES = {
    "eapp": "eapp loans.csv --target default --shuffles 50 --drivers --out OUT",
    "eapp-json": "eapp loans.csv --target default --shuffles 50 --json",
    "eapp-classes": "eapp three.csv --target kind --shuffles 50 --out OUT",
    "eapp-numbers": "eapp loans.csv --target income --regression --shuffles 50 "
    "--out OUT",
    "bags": "bags loans.csv --by region --target default --repeats 2 --out OUT",
    "bags-shares": "bags shops.csv --by shop --shares shop-shares.csv "
    "--positive returns --learner mm --out OUT",
    "candidates": "candidates birds.csv --annotators anna,ben,carl --truth species "
    "--no-model --out OUT",
    "candidates-sets": "candidates three.csv --candidates either --truth kind "
    "--steps 50 --out OUT",
    "multilabel": "multilabel songs.csv --targets calm,sad,happy,angry "
    "--models br-logistic --resamples 50 --out OUT",
    "shift": "shift loans.csv --target default --missing income --models k-nn "
    "--imputers mean --repeats 2 --out OUT",
    "shift-json": "shift loans.csv --target default --missing income,age --models k-nn "
    "--imputers mean --repeats 2 --json",
    "audit": "audit loans.csv --target default --models k-nn --jobs 1 --minutes 60 "
    "--out OUT",
    "audit-numbers": "audit loans.csv --target income --models k-nn --jobs 1 "
    "--minutes 60 --out OUT",
    "run-plan": "run small.yaml --dry-run",
    "run": "run small.yaml --engine serial",
    "status": "status small.ledger",
    "report": "report small.ledger --out OUT",
    "export": "export small.ledger --out OUT.csv",
    "verify": "verify small.ledger",
    "diff": "diff small.ledger small.ledger",
    "list-datasets": "list datasets",
    "list-learners": "list learners",
    "list-measures": "list measures",
    "list-scenarios": "list scenarios",
    "list-studies": "list studies",
    "sample": "sample",
    "digest": "data digest loans.csv --target default",
    "no-file": "eapp nowhere.csv --target y",
    "no-column": "shift loans.csv --target defualt",
    "no-command": "adit loans.csv",
}
#: What differs from run to run, and what is written in its place.
MASKS = [
    (r"(?m)^.*[━─]{20}.*$\n?", ""),  # how far it is, which only a clock tells
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+\d\d:\d\d|Z)?", "DATE"),
    (r"\b\d+(\.\d+)?( |&nbsp;|\u00a0|\u202f)?(seconds?|minutes?|min|ms|s)\b", "TIME"),
    (r"\b\d+(\.\d+)? ?(MB|GB|KB|kB)\b", "SIZE"),
    (r"\b[0-9a-f]{32,64}\b", "DIGEST"),
    (r"\b0\.\d+\.\d+(\.dev\d*)?(\+\w+)?\b", "VERSION"),
]
TEXTS = {".txt", ".html", ".json", ".csv", ".svg", ".md", ".tex"}


def files(folder: Path) -> None:
    """Write the files that the cases read."""
    from caveat.cli import caveat

    for name in ("loans", "songs", "birds", "shops"):
        CliRunner().invoke(caveat, ["sample", name, str(folder)])
    for name, rows in (("loans", 300), ("songs", 200), ("birds", 150)):
        path = folder / f"{name}.csv"
        pd.read_csv(path).head(rows).to_csv(path, index=False)
    rng = np.random.default_rng(0)
    kinds = np.array(["ash", "birch", "cedar"])
    kind = rng.integers(0, 3, 120)
    other = kinds[(kind + rng.integers(1, 3, 120)) % 3]
    table = pd.DataFrame(rng.normal(kind[:, None], 1.0, (120, 3)), columns=[*"abc"])
    table["kind"] = kinds[kind]
    table["either"] = table["kind"] + "|" + other
    table.to_csv(folder / "three.csv", index=False)
    (folder / "small.yaml").write_text(STUDY)


def keep(folder: Path, wanted: list[str]) -> None:
    """Run the cases and write down what they show."""
    from caveat.cli import caveat
    from caveat.cli._errors import exit_code

    folder.mkdir(parents=True, exist_ok=True)
    kept = folder.resolve()
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        files(Path())
        for name in wanted or CASES:
            words = CASES[name].replace("OUT", f"out/{name}").split()
            shown = CliRunner().invoke(caveat, words, standalone_mode=False)
            # A command gives back its Look, or the number that it ends with.
            given = shown.return_value if isinstance(shown.return_value, int) else 0
            code = exit_code(shown.exception) if shown.exception else given
            here = kept / name
            here.mkdir(exist_ok=True)
            told = f"exit code {code}\n{shown.stdout}\n--- errors\n{shown.stderr}"
            (here / "terminal.txt").write_text(masked(told, place))
            written = sorted(Path("out", name).rglob("*"))
            for path in [*written, Path("out", f"{name}.csv")]:
                if path.suffix in TEXTS and path.exists():
                    target = here / "_".join(path.parts[1:])
                    target.write_text(masked(path.read_text(), place))
            print(name, code, flush=True)  # noqa: T201


def masked(text: str, place: str) -> str:
    """Hide what no two runs have in common."""
    text = text.replace(place, "PLACE")
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return text


def differences(before: Path, after: Path) -> Iterator[str]:
    """Give the lines in which two folders differ."""
    names = {
        str(path.relative_to(folder))
        for folder in (before, after)
        for path in folder.rglob("*")
        if path.is_file()
    }
    for name in sorted(names):
        old, new = (
            re.sub(r"(?<=>)(?=<)", "\n", path.read_text()).splitlines()
            if (path := folder / name).exists()
            else []
            for folder in (before, after)
        )
        yield from difflib.unified_diff(
            old, new, f"before/{name}", f"after/{name}", lineterm="", n=0
        )


def main() -> None:
    """Keep or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["keep", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("more", nargs="*")
    given = parser.parse_args()
    if given.what == "keep":
        keep(given.folder, given.more)
        return
    found = list(differences(given.folder, Path(given.more[0])))
    print("\n".join(found) or "no difference")  # noqa: T201
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
