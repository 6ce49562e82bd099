"""Every example that people see is run: in guides, in the README, in help texts."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

import caveat.candidates
from caveat.cli import main
from caveat.cli._root import COMMANDS
from caveat.cli._root import caveat as group
from caveat.datasets.samples import write_sample
from caveat.study import load_study, plan, run

ROOT = Path(__file__).parents[1]
GUIDES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])

PAGES = [*GUIDES, ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/reproduction/*.md"))]

FIRST = """\
study: first
topic: supervised
datasets: [breast_cancer, wine]
learners: [dummy, logistic-regression, {name: k-nn, n_neighbors: [5, 15]}]
selection: [cross-validation, oracle]
repeats: 3
"""

FIRST_AUDIT = "caveat audit loans.csv --target default"
"""Runs its trials in processes, as everybody's; the other audits have no need to."""


def blocks(language):
    return [
        pytest.param(text, id=f"{guide.name}-{number}")
        for guide in GUIDES
        for number, text in enumerate(
            re.findall(rf"```{language}\n(.*?)```", guide.read_text(), flags=re.DOTALL)
        )
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a folder with the files that examples speak of."""
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_tables()
    return folder


@pytest.fixture
def files(folder, monkeypatch):
    """Try the examples one after the other in one folder, as a reader would.

    Live pages end as soon as they are up.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setattr("caveat.cli._serve._follow", lambda *_: None)
    return folder


def write_tables():
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
    birds = pd.DataFrame(rng.normal(size=(120, 3)), columns=["pitch", "length", "hour"])
    birds["species"] = np.array(["finch", "owl", "wren"])[rng.integers(3, size=120)]
    birds["pitch"] += 3 * birds["species"].eq("finch")
    also = np.where(rng.random(120) < 0.4, "|owl", "")
    birds["heard"] = birds["species"] + np.where(birds["species"] == "owl", "", also)
    for person, error in (("anna", 0.1), ("ben", 0.2), ("carl", 0.5)):
        guess = rng.choice(birds["species"].unique(), 120)
        birds[person] = np.where(rng.random(120) < error, guess, birds["species"])
    birds.to_csv("birds.csv", index=False)
    told = birds.rename_axis("item").reset_index()
    told[["item", "species"]].to_csv("truth.csv", index=False)
    told = told.melt("item", ["anna", "ben", "carl"], "annotator", "label")
    told.to_csv("answers.csv", index=False)
    pets = birds[["pitch", "length"]].assign(label=birds["species"])
    for person in ("person_1", "person_2"):
        pets[person] = np.where(rng.random(120) < 0.9, birds["species"], "owl")
    pets["labels"] = birds["heard"].str.replace("|", ";")
    pets.to_csv("pets.csv", index=False)
    truth = np.eye(3, dtype=np.uint8)[birds["species"].factorize()[0]].T
    sets = truth | (rng.random(truth.shape) < 0.2)
    mat = {"data": pets[["pitch", "length"]], "target": truth, "partial_target": sets}
    savemat("lost.mat", mat)
    write_sample("shops", ".")
    Path("about.json").write_text('{"description": "Loans of a bank."}')
    for name in ("first", "adult-bags"):
        Path(f"{name}.yaml").write_text(FIRST.replace("first", name))
    # The reader copies these two from the README.
    readme = (ROOT / "README.md").read_text()
    _, _, own = readme.partition("### Your own learner")
    for name, language in (("mine.py", "python"), ("mine.yaml", "yaml")):
        text = re.search(rf"```{language}\n(.*?)```", own, flags=re.DOTALL)
        Path(name).write_text(text.group(1))


@pytest.fixture(scope="module")
def ledgers(folder):
    """Add the ledgers that examples read, all of one small study."""
    small = {
        "study": "first",
        "topic": "supervised",
        "datasets": ["wine"],
        "learners": ["dummy", "k-nn"],
        "baseline": "none",
    }
    first = folder / "first.ledger"
    run(small, first, "serial")
    others = ("demo", "mine", "adult-bags", "laptop", "cluster", "breast-cancer-bags")
    for name in others:
        shutil.copy(first, folder / f"{name}.ledger")


@pytest.mark.parametrize("text", blocks("yaml"))
def test_studies_in_guides_can_be_planned(text, files):
    path = files / "guide.yaml"
    path.write_text(text)
    assert plan(load_study(path))


def test_commands_and_code_in_guides_stand_where_they_are_run():
    for guide in GUIDES:
        for language, text in re.findall(
            r"```(\w*)\n(.*?)```", guide.read_text(), flags=re.DOTALL
        ):
            if any(line.startswith("caveat ") for line in text.splitlines()):
                assert language == "sh", (guide.name, text)
            if re.search(r"^(import|from) \w", text, flags=re.MULTILINE):
                assert language == "python", (guide.name, text)


def sections(guide):
    """Give the names by which the headings of a guide are linked to."""
    for title in re.findall(r"^#+ (.*)", guide.read_text(), flags=re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize("guide", PAGES, ids=lambda guide: guide.name)
def test_links_in_guides_lead_somewhere(guide):
    text = re.sub(r"```.*?```", "", guide.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, section = link.partition("#")
        if "://" in link:
            continue
        target = (guide.parent / path).resolve() if path else guide
        assert target.exists(), (guide.name, link)
        assert not section or section in sections(target), (guide.name, link)


def test_numbers_among_the_findings_stand_on_their_pages():
    text = (ROOT / "docs/findings.md").read_text()
    for topic in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        for finding in re.split(r"^- ", topic, flags=re.MULTILINE)[1:]:
            # A finding without a link speaks of the first page of its topic.
            linked = re.findall(r"\((reproduction/[\w-]+\.md)", finding)
            pages = linked or re.findall(r"\((reproduction/[\w-]+\.md)", topic)[:1]
            told = "".join((ROOT / "docs" / page).read_text() for page in pages)
            for number in re.findall(r"\d+\.\d+", re.sub(r"\]\(.*?\)", "", finding)):
                assert number.removeprefix("0") in told, (pages, number)


def test_every_command_has_an_example_in_its_help():
    for name in COMMANDS:
        command = group.get_command(None, name)
        texts = [command.epilog or ""]
        texts += [sub.epilog or "" for sub in getattr(command, "commands", {}).values()]
        assert any(f"caveat {name}" in text for text in texts), name


def needs(line):
    """Mark the examples that download something, or read what was downloaded."""
    if line.startswith("caveat demo"):
        return [pytest.mark.long]
    downloads = "data fetch" in line or "data export" in line
    return [pytest.mark.network] if downloads else []


def help_examples():
    for name in COMMANDS:
        command = group.get_command(None, name)
        for one in [command, *getattr(command, "commands", {}).values()]:
            for line in re.findall(r"caveat .*", one.epilog or ""):
                yield pytest.param(line, id=line, marks=needs(line))


def guide_examples():
    for parameter in blocks("sh"):
        for line in parameter.values[0].splitlines():
            if line.startswith("caveat "):
                yield pytest.param(line, id=f"{parameter.id} {line}", marks=needs(line))


def examples():
    """Give every command once, wherever it is shown."""
    found = {one.values: one for one in [*guide_examples(), *help_examples()]}
    return list(found.values())


@pytest.mark.example
@pytest.mark.parametrize("line", examples())
def test_commands_in_help_texts_and_guides_run(
    line, files, ledgers, capsys, request, monkeypatch, tmp_path
):
    if line.startswith("caveat sample "):
        # The other commands have files of these names already.
        monkeypatch.chdir(tmp_path)
    if line.startswith("caveat audit ") and line != FIRST_AUDIT:
        request.getfixturevalue("inline")
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line, comments=True)[1:])
    # An endpoint is not asked without a budget; the sentence says what it would take.
    is_dear, told = "http://" in line, capsys.readouterr().err
    assert stop.value.code == (2 if is_dear else 0), told
    assert ("nothing was asked" in told) == is_dear


def scripts():
    """Give every guide whose code is not shown as a dialogue, and that code."""
    for guide in GUIDES:
        found = re.findall(r"```python\n(.*?)```", guide.read_text(), flags=re.DOTALL)
        texts = [text for text in found if ">>>" not in text]
        if texts:
            yield pytest.param(texts, id=guide.name)


@pytest.fixture
def spoken(files):
    """What the code in guides speaks of without making it."""
    import torch
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :3]
    pets = pd.read_csv("pets.csv")
    items = pets[["pitch", "length"]]
    model = caveat.candidates.PartialLabelClassifier(max_steps=5, random_state=0)
    sets = pets["labels"].str.split(";").tolist()
    Path("pets").mkdir(exist_ok=True)
    caveat.candidates.save_model(model.fit(items, sets), "pets/model.caveat")
    x = torch.randn(40, 30, generator=torch.Generator().manual_seed(0))
    return {
        "caveat": caveat,
        "X_train": X[::2],
        "y_train": y[::2],
        "X_test": X[1::2],
        "y_test": y[1::2],
        "model": DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2]),
        "new_items": items,
        "x": x,
        "y": (x[:, 0] > 0).long(),
        "x_validation": x,
        "y_validation": (x[:, 0] > 0).long(),
    }


@pytest.mark.example
@pytest.mark.parametrize("texts", list(scripts()))
def test_code_in_guides_runs(texts, files, ledgers, spoken, inline):
    if any("bags-72.ledger" in text for text in texts):
        few = [{"name": "mm", "lam": [1, 10]}, "inverse-calibration"]
        bags = {"study": "bags-72", "topic": "bags", "learners": few}
        run({**bags, "datasets": ["wine"], "baseline": "none"}, "bags-72.ledger")
    for text in texts:
        exec(compile(text, "guide", "exec"), spoken)
