"""Every command meets every degenerate file: a result, or one sentence, and no ruins.

The commands run in this process, trials too, with budgets as small as they go. Some
files meet some commands in every run of the tests, all files meet every command in
`make test`, and variants of a command meet the rarer files in `pytest -m slow`.
"""

import gzip
import io
import json
import random
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from caveat.cli import caveat, main

ROWS = 36
CODES = {0, 1, 2, 3}
"""The exit codes of all commands; 130 needs somebody who interrupts."""


def table(rows=ROWS, **columns):
    """Make a sound table that every command has something to do with."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    frame = pd.DataFrame(
        {
            "a": (rng.normal(size=rows) + y).round(3),
            "b": rng.normal(size=rows).round(3),
            "g": [f"group {i % 3}" for i in range(rows)],
            "c": ["yes|no" if i % 3 else ("no", "yes")[i % 2] for i in range(rows)],
            "l1": rng.integers(0, 2, rows),
            "l2": rng.integers(0, 2, rows),
            "y": np.where(y, "yes", "no"),
        }
    )
    return frame.assign(**columns)


def text(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def everywhere(values):
    """Put the same values into every column."""
    return table(**dict.fromkeys(table().columns, values))


def features(values):
    return table(a=values, b=values)


def distinct(word="w"):
    return [f"{word}{i}" for i in range(ROWS)]


def parquet(frame):
    target = io.BytesIO()
    frame.to_parquet(target)
    return target.getvalue()


def wide(columns):
    rng = np.random.default_rng(1)
    more = pd.DataFrame(
        rng.integers(0, 9, (ROWS, columns)), columns=[f"x{j}" for j in range(columns)]
    )
    return pd.concat([more, table()], axis=1)


def rubbish(size=3000):
    return random.Random(7).randbytes(size)


DATES = pd.date_range("2020-01-30", periods=ROWS).strftime("%Y-%m-%d")
MIXED = (["1", "two", "3.5", "", "2020-01-01", "true"] * ROWS)[:ROWS]

QUICK = {
    "empty.csv": lambda: b"",
    "header.csv": lambda: text(table(0)),
    "one-row.csv": lambda: text(table(1)),
    "one-column.csv": lambda: text(table()[["y"]]),
    "no-target.csv": lambda: text(table()[["a"]]),
    "all-missing.csv": lambda: text(everywhere(None)),
    "features-missing.csv": lambda: text(features(None)),
    "constant-features.csv": lambda: text(features(1)),
    "distinct-text.csv": lambda: text(everywhere(distinct())),
    "one-class.csv": lambda: text(table(y="yes", c="yes", l1=1, l2=1)),
    "infinite.csv": lambda: text(features((["inf", "-inf", "nan"] * ROWS)[:ROWS])),
    "huge.csv": lambda: text(features(([1e308, -1e308, 0] * ROWS)[:ROWS])),
    "mixed.csv": lambda: text(everywhere(MIXED)),
    "rubbish.csv": rubbish,
    "nul.csv": lambda: text(table()).replace(b"yes", b"y\0s", 1),
}
"""Files that meet some commands in every run of the tests."""

MORE = {
    "blank.csv": lambda: b"\n\n  \n",
    "two-rows.csv": lambda: text(table(2)),
    "three-rows.csv": lambda: text(table(3)),
    "nine-rows.csv": lambda: text(table(9)),
    "only-labels.csv": lambda: text(table()[["l1", "l2"]]),
    "target-missing.csv": lambda: text(table(y=None, c=None, l1=None, l2=None)),
    "half-missing.csv": lambda: text(
        table().where(np.arange(ROWS * 7).reshape(-1, 7) % 2 == 0)
    ),
    "constant.csv": lambda: text(everywhere(1)),
    "constant-text.csv": lambda: text(everywhere("x")),
    "one-text.csv": lambda: text(table()[["g", "y"]].assign(g=distinct())),
    "distinct-target.csv": lambda: text(table(y=distinct(), c=distinct())),
    "number-target.csv": lambda: text(table(y=np.linspace(0, 1, ROWS))),
    "constant-number-target.csv": lambda: text(table(y=0.5)),
    "lonely-class.csv": lambda: text(table(y=["yes"] + ["no"] * (ROWS - 1))),
    "lonely-group.csv": lambda: text(table(g=distinct())),
    "one-group.csv": lambda: text(table(g="all")),
    "300-classes.csv": lambda: text(
        table(600).assign(y=[f"k{i % 300}" for i in range(600)], c="k1|k2")
    ),
    "same-names.csv": lambda: text(table()).replace(b"a,b,", b"a,a,", 1),
    "same-rows.csv": lambda: text(pd.concat([table(2)] * 18)),
    "tiny.csv": lambda: text(features(([5e-324, 1e-320, 0] * ROWS)[:ROWS])),
    "long-numbers.csv": lambda: text(features([str(10**30 + i) for i in range(ROWS)])),
    "too-large.csv": lambda: text(features((["1e999", "-1e999", "0"] * ROWS)[:ROWS])),
    "huge-target.csv": lambda: text(table(y=[-1e308, 1e308, 0.5] * 12)),
    "inf-target.csv": lambda: text(table(y=["inf", "1.5", "nan", "2"] * 9)),
    "truth-words.csv": lambda: text(everywhere(["true", "false"] * (ROWS // 2))),
    "yes-words.csv": lambda: text(table(l1=["Yes", "no"] * 18, y=["T", "F"] * 18)),
    "dates.csv": lambda: text(everywhere(DATES)),
    "date-features.csv": lambda: text(features(DATES)),
    "mixed-features.csv": lambda: text(features(MIXED)),
    "bom.csv": lambda: b"\xef\xbb\xbf" + text(table()),
    "crlf.csv": lambda: text(table(), lineterminator="\r\n"),
    "cr.csv": lambda: text(table(), lineterminator="\r"),
    "semicolons.csv": lambda: text(table(), sep=";"),
    "utf-16.csv": lambda: text(table()).decode().encode("utf-16"),
    "latin-1.csv": lambda: text(table()).replace(b"group", b"gr\xfcppe"),
    "ragged.csv": lambda: text(table()) + b"1,2\n",
    "open-quote.csv": lambda: text(table()) + b'"1,2,3',
    "long-cell.csv": lambda: text(table(g=["x" * 100_000] + ["y"] * (ROWS - 1))),
    "odd-names.csv": lambda: text(table()).replace(b"a,b,", b'"[a\n]\x1b[31m",,', 1),
    "numbers-as-names.csv": lambda: text(table()).replace(
        b"a,b,g,c,l1,l2,y", b"1,2,3,4,5,6,7"
    ),
    "formulas.csv": lambda: text(table(g="=1+1", y=["@a", "+b"] * 18)),
    "emoji.csv": lambda: text(table(y=["😀", "\u202ex"] * 18)),
    "markup.csv": lambda: text(table(y=["<b>&", "[red]"] * 18, c="<b>&|[red]")),
    "wide.csv": lambda: text(wide(10_000)),
    "json.csv": lambda: b'{"a": [1, 2, 3]}',
    "binary.parquet": rubbish,
    "empty.parquet": lambda: b"",
    "cut.parquet": lambda: parquet(table())[:-20],
    "no-rows.parquet": lambda: parquet(table(0)),
    "objects.parquet": lambda: parquet(table(a=[[1, 2]] * ROWS)),
    "times.parquet": lambda: parquet(table(a=pd.Timestamp("2020"), b=pd.Timedelta(1))),
    "infinite.parquet": lambda: parquet(features([np.inf, -np.inf, np.nan] * 12)),
    "same.parquet": lambda: parquet(table()),
    "binary.arff": rubbish,
    "empty.arff": lambda: b"",
    "header.arff": lambda: b"@relation r\n@attribute a numeric\n@data\n",
    "binary.npz": rubbish,
    "binary.mat": rubbish,
    "binary-idx3-ubyte.idx": rubbish,
    "cut.csv.gz": lambda: gzip.compress(text(table()))[:-30],
    "binary.gz": rubbish,
    "text.txt": lambda: text(table()),
    "study.yaml": lambda: b"study: [\n",
    "absent.csv": lambda: None,
}
"""Files that meet every command in `make test`."""

FILES = {**QUICK, **MORE}

LOOKS = {
    "audit": "audit {file} --target y --models dummy --folds 2 --json",
    "eapp": "eapp {file} --target y --shuffles 2 --folds 2 --k-max 2 --json",
    "bags": "bags {file} --target y --by g --repeats 1 --learner mm --json",
    "candidates": "candidates {file} --candidates c --steps 2 --algorithm proden",
    "candidates-sets": "candidates {file} --candidates c --truth y --no-model --json",
    "multilabel": "multilabel {file} --targets l1,l2 --models ml-knn --resamples 2",
    "multilabel-scores": "multilabel {good} --targets l1,l2 --scores {file} --json",
    "shift": "shift {file} --target y --models dummy --imputers mean --json",
}
VARIANTS = {
    "eapp-classes": "eapp {file} --classes --shuffles 2 --folds 2 --k-max 2",
    "eapp-numbers": "eapp {file} --target y --regression --shuffles 2 --folds 2",
    "eapp-labels": "eapp {file} --targets l1,l2 --shuffles 2 --folds 2 --k-max 2",
    "bags-small": "bags {file} --target y --by g --repeats 1 --learner mm --smallest 1",
    "candidates-people": "candidates {file} --annotators c,y --steps 2 --algorithm cc",
    "multilabel-prefix": "multilabel {file} --targets-prefix l --models gfm --json",
    "shift-missing": "shift {file} --models k-nn --imputers mean --missing a",
    "audit-targets": "audit {file} --targets l1,l2 --folds 2 --json",
    "audit-bags": "audit {file} --target y --bags g --folds 2 --models dummy --json",
    "audit-candidates": "audit {file} --candidates c --target y --folds 2 --json"
    " --models dummy",
    "audit-test": "audit {good} --target y --test {file} --folds 2 --models dummy",
    "audit-predictions": "audit {good} --target y --predictions {file} --folds 2",
    "audit-no-names": "audit {file} --folds 2 --models dummy --no-names",
    "eapp-drivers": "eapp {file} --shuffles 2 --folds 2 --k-max 2 --drivers --probe",
    "shift-trees": "shift {file} --models hist-gradient-boosting",
}
OTHERS = {
    "run": "run {study} --ledger {out}/ledger --engine inline",
    "dry-run": "run {study} --dry-run",
    "run-file": "run {file} --ledger {out}/ledger",
    "run-into": "run demo --ledger {file} --dry-run",
    "status": "status {file}",
    "report": "report {file} --out {out}",
    "serve": "serve {file} --minutes 0.001",
    "export": "export {file} --out {out}/export.csv",
    "diff": "diff {file} {file}",
    "verify": "verify {file} --rerun 1 --json",
    "prune": "prune {file} --yes",
    "import": "data import own {file} --target y --data-home {out}",
    "import-published": "data import yeast {file} --data-home {out}",
    "digest": "data digest {file} --target y",
    "fetch": "data fetch {file} --data-home {out}",
}
WITHOUT_FILES = {"demo", "sample", "list", "doctor", "data export", "data verify"}


def out(lines):
    return {name: f"{line} --out {{out}}" for name, line in lines.items()}


COMMANDS = {**out(LOOKS), **OTHERS, **out(VARIANTS)}
FIRST = ["run", "dry-run", "status", "export", "import"]
"""Commands that are quick enough for every run of the tests."""

STUDY = """\
study: degenerate
topic: supervised
datasets: [{{file: {file}, target: y}}]
learners: [dummy]
resampling: {{folds: 2}}
baseline: none
"""


@pytest.fixture
def call(inline, capsys, tmp_path, monkeypatch):
    """Call a command on a file; give exit code, what was said, and what was left."""

    def run(command, name, content):
        file, good, out = tmp_path / name, tmp_path / "good.csv", tmp_path / "out"
        good.write_bytes(text(table()))
        if content is not None:
            file.write_bytes(content)
        study = tmp_path / "study-of-it.yaml"
        study.write_text(STUDY.format(file=name))
        if command in OTHERS and "{out}/" in COMMANDS[command]:
            out.mkdir()
        places = {"file": file, "good": good, "out": out, "study": study}
        words = [word.format(**places) for word in COMMANDS[command].split()]
        monkeypatch.chdir(tmp_path)
        # What examines weaker labels within an audit has its own commands here.
        monkeypatch.setattr("caveat.audit._topics.BAG_LEARNERS", ("mm",))
        monkeypatch.setattr("caveat.audit._topics._STEPS", 20)
        # The same function draws a figure's other files, and they take as long.
        monkeypatch.setattr("caveat.pages._drawn.draw_png", lambda *_, **__: b"")
        warnings.simplefilter("ignore")
        with pytest.raises(SystemExit) as stop:
            main(words)
        said = capsys.readouterr()
        return stop.value.code, said, out

    return run


def check(code, said, out):
    """Demand what every command owes, whatever it was given."""
    assert code in CODES, said.err
    assert "Traceback" not in said.out + said.err
    assert "this is a bug" not in said.err
    left = [path for path in out.rglob("*") if path.is_file()] if out.exists() else []
    assert [path for path in left if re.search(r"\.(tmp|part)|~$", path.name)] == []
    if code == 2:
        complaint = said.err.splitlines()[-1]
        assert complaint.startswith("caveat: ")
        assert said.out == ""
        assert left == []
    for path in left:
        if path.suffix == ".html":
            assert path.read_text().rstrip().endswith("</html>")
        if path.suffix == ".json":
            strict(path.read_text())


def strict(written):
    """Read JSON as everybody else does: without NaN and Infinity."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(written, parse_constant=refuse)


def cases():
    """Pair commands with files: some always, most in `make test`, the rest if asked."""
    for command in COMMANDS:
        for name in FILES:
            first = command in FIRST and name in QUICK
            long = command in LOOKS and name == "wide.csv"
            long |= command == "bags" and name == "300-classes.csv"
            asked = long or (command in VARIANTS and name not in QUICK)
            thorough = pytest.mark.slow if asked else pytest.mark.thorough
            mark = [] if first else [thorough]
            yield pytest.param(command, name, marks=mark, id=f"{command}-{name}")


def test_every_command_that_reads_a_file_is_among_them():
    there = set()
    for name in caveat.list_commands(None):
        command = caveat.get_command(None, name)
        parts = getattr(command, "commands", None)
        there |= {f"{name} {part}" for part in parts} if parts else {name}
    met = {
        " ".join(line.split()[: 2 if line.startswith("data ") else 1])
        for line in COMMANDS.values()
    }
    assert met | WITHOUT_FILES == there


@pytest.mark.thorough
@pytest.mark.parametrize(("command", "name"), list(cases()))
def test_a_degenerate_file_gives_a_result_or_one_sentence(call, command, name):
    code, said, out = call(command, name, FILES[name]())
    check(code, said, out)
    if code in (0, 1, 3) and "--json" in COMMANDS[command]:
        strict(said.out)
