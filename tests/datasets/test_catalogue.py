"""A data set is one row of the catalogue: added, it is found everywhere."""

import re
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.cli import caveat as root
from caveat.datasets import available, digest, load
from caveat.datasets.catalogue._catalogue import read_catalogue
from caveat.datasets.registry import CATALOGUE, DATASETS, TOPICS
from caveat.exceptions import DataError, InvalidInput

NEEDED = 'task = "binary"\nsource = "here"\nlicence = "CC0"\nsummary = "made up"\n'
LOADER = 'loader = "caveat.datasets.sources._generators:xor"\n'


@pytest.fixture
def add(tmp_path):
    """Add the data sets of some TOML text, until the test is over."""
    names = []

    def added(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        for entry in read_catalogue([path]):
            DATASETS.add(entry)
            names.append(entry.name)

    yield added
    for name in names:
        del DATASETS._entries[name]


@pytest.fixture
def loans(tmp_path):
    """A file to be made a data set of."""
    path = tmp_path / "made-up.csv"
    table = pd.DataFrame({"age": range(30), "default": ["no", "yes", "no"] * 10})
    table.to_csv(path, index=False)
    return path


def test_every_file_of_the_catalogue_is_read():
    assert {path.stem for path in CATALOGUE.glob("*.toml")} == set(TOPICS)


def test_one_row_from_the_digest_command_makes_a_data_set(add, loans, tmp_path):
    run = CliRunner().invoke
    told = run(root, ["data", "digest", str(loans), "--target", "default"])
    assert told.exit_code == 0
    add(told.output + 'source = "here"\nlicence = "CC0"\nsummary = "made up"\n')
    home = tmp_path / "home"
    (home / "made-up").mkdir(parents=True)
    shutil.copy(loans, home / "made-up")
    dataset = load("made-up", data_home=home)
    assert (dataset.X.shape, dataset.classes) == ((30, 1), ("no", "yes"))
    assert (dataset.source, dataset.licence) == ("here", "CC0")
    listed = available(data_home=home).set_index("name").loc["made-up"]
    assert (listed["rows"], listed["cached"]) == (30, True)
    shown = run(root, ["list", "datasets", "--data-home", str(home)])
    assert "made-up" in shown.output


def test_another_file_than_the_row_means_is_refused(add, loans, tmp_path):
    add(digest(loans, target="default") + f"\n{NEEDED.partition(chr(10))[2]}")
    home = tmp_path / "home"
    (home / "made-up").mkdir(parents=True)
    (home / "made-up" / "made-up.csv").write_bytes(loans.read_bytes() + b"7,no\n")
    with pytest.raises(DataError, match="made-up"):
        load("made-up", data_home=home)


def test_a_row_without_its_digest_gives_a_sentence_that_says_how_to_get_it(add):
    add(f"[datasets.four-clouds]\n{NEEDED}{LOADER}")
    with pytest.raises(DataError, match="run caveat data digest four-clouds"):
        load("four-clouds")
    found = CliRunner().invoke(root, ["data", "digest", "four-clouds"])
    [content] = re.findall(r'content = "([0-9a-f]{64})"', found.output)
    assert content == DATASETS["xor"].facts["content"]
    add(f'[datasets.four-more]\n{NEEDED}{LOADER}content = "{content}"')
    assert len(load("four-more")) == 400


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NEEDED.replace("licence", "lizenz") + LOADER, "no key is called 'lizenz'"),
        (NEEDED.replace('"CC0"', '""') + LOADER, "has no licence; add it"),
        (NEEDED + "rows = ", "mine.toml is not TOML"),
        (NEEDED, "neither files nor a loader"),
        (NEEDED + LOADER + 'like = "others"', "there is no .common.others."),
        (NEEDED + 'files = ["a.csv"]\n[files."a.csv"]\nmd6 = "1"', "called 'md6'"),
    ],
)
def test_a_row_that_is_not_whole_is_refused_in_one_sentence(add, text, words):
    with pytest.raises(InvalidInput, match=words):
        add(f"[datasets.broken]\n{text}")
