"""CONTRIBUTING by doing: its additions, made in a copy of the tree, are found."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
#: Where a row goes: right behind the beginning of its table.
TABLES = {
    "src/caveat/bags/registry.py": 'LEARNERS = Registry(\n    "learner",\n    [\n',
    "src/caveat/bags/__init__.py": "    __name__,\n    {\n",
    "src/caveat/measures/registry.py": 'MEASURES = Registry(\n    "measure",\n    [\n',
    "src/caveat/models/registry.py": "_BUILT = [\n",
    "src/caveat/models/__init__.py": "    __name__,\n    {\n",
    "src/caveat/pages/_rules.py": "KINDS = (\n",
}
STUDIES = {
    "bags": """\
study: bags
topic: bags
datasets: [loans]
learners: [ecological]
scenario: {variant: naive, n_bags: 5}
resampling: {splits: 2}
baseline: none
""",
    "supervised": """\
study: supervised
topic: supervised
datasets: [loans]
learners: [dummy, naive-bayes]
measures: [specificity]
resampling: {folds: 0}
baseline: none
""",
}
USE = """
import sys
import numpy as np
import caveat.measures
from caveat.bags import EcologicalRegression
from caveat.cli import main
from caveat.supervised import evaluate

def call(*words):
    try:
        main(list(words))
    except SystemExit as stop:
        assert stop.code == 0, (words, stop.code)

y, answers = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
assert caveat.measures.get("specificity")(y, answers) == 0.5
import pandas as pd
from caveat.audit.scan import scan
from caveat.datasets import from_frame
from caveat.pages import check_rules
table = pd.DataFrame({"age": [-999.0, 30.0, 40.0, 50.0] * 30, "y": [0, 1] * 60})
kinds = {one.kind: one.columns for one in scan(from_frame(table, "y")).findings}
assert kinds["placeholder"] == ("age",)
check_rules(["placeholder>0"])
call("data", "import", "loans", "loans.csv")
for what in ("learners", "measures", "datasets"):
    call("list", what)
for name in ("bags", "supervised"):
    call("run", f"{name}.yaml", "--engine", "serial")
    call("report", f"{name}.ledger", "--out", name)
"""


def block(after, text=GUIDE):
    """Give the first block of code behind some words of the guide."""
    _, found, rest = text.partition(after) if after else ("", text, text)
    assert found, after
    return re.search(r"```\w*\n(.*?)```", rest, flags=re.DOTALL).group(1)


def add_row(tree, name, row):
    path, begin = tree / name, TABLES[name]
    text = path.read_text()
    assert text.count(begin) == 1, name
    path.write_text(text.replace(begin, begin + row))


@pytest.fixture
def tree(tmp_path):
    """Copy the source and add what the guide says, where it says so."""
    source = tmp_path / "tree" / "src" / "caveat"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "caveat", source, ignore=leave)
    tree = tmp_path / "tree"
    shutil.copy(ROOT / "pyproject.toml", tree)
    for words in ("Its module, `", "what the scan has read, `"):
        for part in GUIDE.split(words)[1:]:
            (tree / part.partition("`")[0]).write_text(block("", part))
    for name in TABLES:
        add_row(tree, name, block(f"in `{name}`"))
    scan = tree / "src/caveat/audit/scan/_scan.py"
    line = block("`src/caveat/audit/scan/_scan.py`").strip()
    called = "    found += shape(evidence, rows)\n"
    text = scan.read_text().replace(called, f"{called}    {line}\n")
    imported = "from caveat.audit.scan._placeholders import placeholders\n"
    future = "from __future__ import annotations\n"
    scan.write_text(text.replace(future, future + imported))
    measure = "src/caveat/measures/_classes.py"
    with (tree / measure).open("a") as file:
        file.write("\n\n" + block(f"in `{measure}`"))
    row = block("prints it; add what people should know:")
    with (tree / "src/caveat/datasets/catalogue/shift.toml").open("a") as file:
        file.write(f'\n{row}\n[files."loans.csv"]\n')
    return tree


@pytest.fixture
def folder(tmp_path):
    """Make a folder with the table and the studies that speak of the additions."""
    folder = tmp_path / "folder"
    folder.mkdir()
    numbers = pd.DataFrame({name: range(200) for name in ("income", "age", "sum")})
    numbers = numbers.mul([7, 5, 3]).mod([97, 61, 31])
    numbers["default"] = (numbers["income"] > 60).map({True: "yes", False: "no"})
    numbers.to_csv(folder / "loans.csv", index=False)
    for name, text in STUDIES.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.long
@pytest.mark.thorough
def test_what_the_guide_adds_is_found_everywhere(tree, folder):
    here = {"PYTHONPATH": str(tree / "src"), "CAVEAT_DATA": str(folder / "home")}
    done = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=folder,
        env={**os.environ, **here},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for name in ("ecological", "naive-bayes", "specificity", "loans"):
        assert re.search(rf"\b{name}\b", done.stdout), name
    page = (folder / "bags" / "index.html").read_text()
    assert "ecological" in page
    assert "depends on its features only, not on its bag" in page
    page = (folder / "supervised" / "index.html").read_text()
    assert "Answering no to everything is perfect" in page
    assert "its probabilities are too sure" in page
    assert "loans" in page
