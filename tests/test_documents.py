"""Every example that people see is run: in guides, in the README, in help texts."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat.cli import main
from caveat.cli._root import COMMANDS, caveat
from caveat.study import load_study, plan

ROOT = Path(__file__).parents[1]
GUIDES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])

FIRST = """\
study: first
topic: supervised
datasets: [breast_cancer, wine]
learners: [dummy, logistic-regression, {name: k-nn, n_neighbors: [5, 15]}]
selection: [cross-validation, oracle]
repeats: 3
"""


def blocks(language):
    return [
        pytest.param(text, id=f"{guide.name}-{number}")
        for guide in GUIDES
        for number, text in enumerate(
            re.findall(rf"```{language}\n(.*?)```", guide.read_text(), flags=re.DOTALL)
        )
    ]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that examples speak of; live pages end as soon as they are up."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("caveat.cli._serve._follow", lambda *_: None)
    rng = np.random.default_rng(0)
    income = rng.normal(size=200)
    region = rng.choice(list("NSEW"), size=200)
    default = (income + 0.5 * rng.normal(size=200) < -0.5).astype(int)
    frame = pd.DataFrame(
        {
            "income": income.round(3),
            "age": rng.integers(20, 70, size=200),
            "region": region,
            "default": default,
        }
    )
    frame.to_csv("loans.csv", index=False)
    labels = rng.random((200, 3)) < 0.4
    sounds = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    for number, name in enumerate(["calm", "happy", "sad"]):
        sounds[name] = labels[:, number].astype(int)
        sounds["abcd"[number]] += 2 * labels[:, number]
    for name in ("calm", "sad"):
        sounds[f"mood_{name}"] = sounds[name]
    sounds.to_csv("songs.csv", index=False)
    for name in ("first", "adult-bags"):
        Path(f"{name}.yaml").write_text(FIRST.replace("first", name))
    return tmp_path


@pytest.mark.parametrize("text", blocks("yaml"))
def test_studies_in_guides_can_be_planned(text, files):
    path = files / "guide.yaml"
    path.write_text(text)
    assert plan(load_study(path))


def test_every_command_has_an_example_in_its_help():
    for name in COMMANDS:
        command = caveat.get_command(None, name)
        texts = [command.epilog or ""]
        texts += [sub.epilog or "" for sub in getattr(command, "commands", {}).values()]
        assert any(f"caveat {name}" in text for text in texts), name


def needs(line):
    """Mark the examples that download something."""
    return [pytest.mark.network] if "data fetch" in line else []


def help_examples():
    for name in COMMANDS:
        command = caveat.get_command(None, name)
        for one in [command, *getattr(command, "commands", {}).values()]:
            for line in re.findall(r"caveat .*", one.epilog or ""):
                yield pytest.param(line, id=line, marks=needs(line))


def guide_examples():
    for parameter in blocks("sh"):
        for line in parameter.values[0].splitlines():
            if line.startswith("caveat "):
                yield pytest.param(line, id=f"{parameter.id} {line}", marks=needs(line))


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory):
    """Ledgers that examples read, made once."""
    from caveat.study import run

    folder = tmp_path_factory.mktemp("ledgers")
    small = {
        "study": "first",
        "topic": "supervised",
        "datasets": ["wine"],
        "learners": ["dummy", "k-nn"],
        "baseline": "none",
    }
    run(small, folder / "first.ledger", "serial")
    return folder


def examples():
    """Give every command once, wherever it is shown."""
    found = {one.values: one for one in [*guide_examples(), *help_examples()]}
    return list(found.values())


@pytest.mark.example
@pytest.mark.parametrize("line", examples())
def test_commands_in_help_texts_and_guides_run(line, files, ledgers, capsys):
    for name in ("first", "demo", "adult-bags", "laptop", "cluster"):
        target = files / f"{name}.ledger"
        target.write_bytes((ledgers / "first.ledger").read_bytes())
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line, comments=True)[1:])
    assert stop.value.code == 0, capsys.readouterr().err
