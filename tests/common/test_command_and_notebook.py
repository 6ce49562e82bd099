"""What a notebook shows is the page that the command writes, letter by letter."""

from html import unescape
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from caveat.cli import main

ROWS = 60
CASES = {
    "eapp": (
        ["--target", "y", "--k-max", "3", "--folds", "2", "--shuffles", "19"],
        {"target": "y", "k_max": 3, "folds": 2, "shuffles": 19},
    ),
    "bags": (
        ["--by", "town", "--target", "y", "--learner", "mm", "--repeats", "2"],
        {"by": "town", "target": "y", "learners": ["mm"], "repeats": 2},
    ),
    "candidates": (
        ["--annotators", "ann,ben,cy", "--truth", "y", "--no-model"],
        {"annotators": ["ann", "ben", "cy"], "truth": "y", "model": False},
    ),
    "multilabel": (
        ["--targets", "calm,loud", "--models", "popularity", "--resamples", "20"],
        {"targets": ["calm", "loud"], "models": ["popularity"], "resamples": 20},
    ),
    "shift": (
        ["--target", "y", "--missing", "a", "--models", "k-nn", "--imputers", "mean",
         "--repeats", "2"],
        {"target": "y", "missing": ["a"], "models": ["k-nn"], "imputers": ["mean"],
         "repeats": 2},
    ),
}  # fmt: skip


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(ROWS, 3)), columns=["a", "b", "c"])
    sick = table["a"] + rng.normal(0, 0.5, ROWS) > 0
    table["town"] = [f"t{number % 3}" for number in range(ROWS)]
    for name in ("ann", "ben", "cy"):
        wrong = rng.random(ROWS) < 0.2
        table[name] = np.where(sick ^ wrong, "ill", "well")
    for name in ("calm", "loud"):
        table[name] = (table["b"] + rng.normal(0, 1, ROWS) > 0).astype(int)
    table["y"] = np.where(sick, "ill", "well")
    table.to_csv(tmp_path / "ward.csv", index=False)
    return tmp_path / "ward.csv"


@pytest.mark.thorough
@pytest.mark.parametrize("topic", CASES)
def test_a_notebook_shows_what_the_command_writes(topic, file, monkeypatch):
    words, keywords = CASES[topic]
    monkeypatch.setattr(
        f"caveat.cli._{topic}.command_line", lambda *_: "the command", raising=True
    )
    out = file.parent / "out"
    with pytest.raises(SystemExit) as ended:
        main([topic, str(file), *words, "--out", str(out)])
    look = import_module(f"caveat.{topic}").look
    shown = look(file, **keywords, command="the command")._repr_html_()
    assert ended.value.code == 0
    assert (out / "index.html").read_text("utf-8") in unescape(shown)
