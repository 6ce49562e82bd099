"""Data sets by name: found however they are spelt, and what their rows promise."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from caveat._registry import Entry
from caveat.datasets import (
    available,
    content_digest,
    describe,
    fetch,
    fingerprint,
    load,
    register,
    verify,
)
from caveat.datasets.catalogue._row import check_id
from caveat.datasets.registry import DATASETS
from caveat.exceptions import DataError, InvalidInput, UnknownName

EMBEDDED = [entry for entry in DATASETS.values() if not entry.facts["files"]]
WITH_FILES = [entry for entry in DATASETS.values() if entry.facts["files"]]
PAPERS = (
    "adult cifar10-grey "
    "lost msrcv2 mirflickr birdsong malagasy soccer-player italian yahoo-news english "
    "plcifar10-aggregate plcifar10-vaguest "
    "cal500 enron medical corel5k bibtex "
    "credit electricity heart miniboone iris penguins eyemovements jannis abalone "
    "bike concrete laptop madelon nomao "
    "mnist imagenet-mushroom-wedding bimcv-padchest ncov2019"
)


@pytest.mark.parametrize("name", PAPERS.split(" "))
def test_every_data_set_of_the_five_papers_has_its_row(name):
    facts = DATASETS[name].facts
    assert all(facts[fact] for fact in ("task", "source", "licence"))


@pytest.mark.parametrize("entry", EMBEDDED, ids=lambda entry: entry.name)
def test_embedded_data_sets_hold_what_their_row_says(entry):
    dataset = load(entry.name)
    assert content_digest(dataset) == entry.facts["content"]
    assert (dataset.source, dataset.licence) == (
        entry.facts["source"],
        entry.facts["licence"],
    )


@pytest.mark.parametrize("entry", WITH_FILES, ids=lambda entry: entry.name)
def test_rows_state_digests_addresses_and_a_way_to_bring_files(entry):
    fetched = [file for file in entry.facts["files"] if file.urls]
    for file in entry.facts["files"]:
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in file.sha256)
        assert all(url.startswith(("https://", "openml:")) for url in file.urls)
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", file.name)
    assert fetched or entry.facts["bring"]
    assert all(
        name in {file.name for file in entry.facts["files"]}
        for form in entry.facts["forms"]
        for name in form
    )


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("IRIS", "iris"),
        ("breast-cancer", "breast_cancer"),
        ("Breast_Cancer", "breast_cancer"),
    ],
)
def test_case_and_punctuation_of_a_name_do_not_matter(typed, name):
    assert load(typed).name == name


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'digits'"):
        load("digit")


@pytest.mark.parametrize("name", ["CON", "nul.txt", "-x", "a b", "x.", "ä", "a\n"])
def test_names_that_some_file_system_would_twist_are_refused(name):
    with pytest.raises(InvalidInput, match="cannot name a data set"):
        load(name)


@pytest.mark.parametrize(
    "name",
    ["../../x", "/etc/x", "a/b", "a\\b", "C:x", "~", ".", "", "x" * 5000, "a\0b"],
)
def test_what_cannot_be_a_folder_name_cannot_name_a_data_set(name):
    with pytest.raises(InvalidInput, match="cannot name a data set"):
        load(name)


@pytest.mark.parametrize("name", ["a", "A.b-c_9", "x" * 128, "console"])
def test_other_ids_are_fine(name):
    assert check_id(name) == name


def test_missing_data_says_what_from_where_and_where_to_put_it(tmp_path):
    with pytest.raises(DataError) as told:
        load("bike", data_home=tmp_path)
    for word in (
        "bike.csv",
        "kaggle.com",
        str(tmp_path / "bike"),
        "caveat data import",
    ):
        assert word in str(told.value)


def test_offline_nothing_is_fetched_and_the_command_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    with pytest.raises(DataError, match="caveat data fetch cal500"):
        load("cal500", data_home=tmp_path)


def test_available_lists_name_task_shape_source_and_presence():
    frame = available()
    assert list(frame.columns) == [
        "name",
        "task",
        "rows",
        "columns",
        "source",
        "cached",
    ]
    assert frame.set_index("name").loc["iris", ["rows", "columns"]].tolist() == [150, 4]
    assert not frame.set_index("name").loc["heart", "cached"]


def test_a_registered_loader_is_found_checked_and_named():
    register(
        "own-loader",
        lambda: (pd.DataFrame({"a": [1, 2, 3]}), ["x", "y", "x"]),
        task="binary",
        rows=3,
        source="a test",
        notes=("a trap",),
    )
    dataset = load("own-loader")
    assert (dataset.name, dataset.source, dataset.notes) == (
        "own-loader",
        "a test",
        ("a trap",),
    )


def test_a_data_set_of_another_package_works_like_ours(monkeypatch):
    plugged = Entry(name="plugged", target="caveat.datasets.sources._generators:xor")
    monkeypatch.setitem(DATASETS._entries, "plugged", plugged)
    assert load("plugged").task == "binary"
    assert fetch("plugged").name == "plugged"
    assert describe("plugged")["name"] == "plugged"
    assert fingerprint("plugged") == fingerprint("xor")
    assert available().set_index("name").loc["plugged", "cached"]
    assert verify(["plugged"]) == []


def test_a_loader_that_does_not_keep_its_promise_is_refused():
    register("own-liar", lambda: load("iris"), task="multiclass", rows=151)
    with pytest.raises(DataError, match="rows 151, but what was loaded has 150"):
        load("own-liar")


def test_a_loader_may_not_give_anything_else():
    register("own-nothing", lambda: None, task="binary")
    with pytest.raises(InvalidInput, match="NoneType"):
        load("own-nothing")


def test_a_name_can_be_taken_once_whatever_its_case():
    with pytest.raises(InvalidInput, match="registered already"):
        register("Iris", lambda: None, task="binary")


def accuracy(model, dataset):
    half = len(dataset) // 2
    X, y = dataset.X.to_numpy(), dataset.y.to_numpy()
    return model.fit(X[:half], y[:half]).score(X[half:], y[half:])


def test_the_drawn_worlds_are_what_they_are_called():
    line, nearest = LogisticRegression(max_iter=500), KNeighborsClassifier(5)
    assert abs(accuracy(line, load("noise")) - 0.5) < 0.08
    assert accuracy(line, load("blobs")) > 0.99
    assert accuracy(line, load("xor")) < 0.65 < 0.99 < accuracy(nearest, load("xor"))
    assert accuracy(line, load("moons")) < accuracy(nearest, load("moons"))
    assert accuracy(line, load("leak")) > 0.95
    leak = load("leak")
    without = accuracy(line, pd_replace(leak, leak.X.drop(columns="receipt")))
    assert 0.55 < without < 0.75


def pd_replace(dataset, X):
    import dataclasses

    return dataclasses.replace(dataset, X=X, kinds={})


def test_the_true_label_is_always_a_candidate_in_doubtful():
    dataset = load("doubtful")
    assert dataset.candidates[np.arange(len(dataset)), dataset.y].all()


def test_the_sectors_carry_the_sets_of_the_paper():
    dataset = load("sectors")
    right = dataset.X.x1 > dataset.X.x2.abs() + 1e-6
    assert dataset.Y[right].drop_duplicates().to_numpy().tolist() == [[1, 0, 0, 0]]
    assert abs(dataset.Y.to_numpy().sum(axis=1).mean() - 2.5) < 0.1


def test_nobody_is_without_a_tag_and_one_tag_is_rare():
    Y = load("tags").Y
    assert Y.sum(axis=1).min() >= 1
    assert Y.mean().min() < 0.05


def test_listing_and_fingerprints_import_nothing_heavy():
    code = (
        "import sys, caveat.datasets as d, caveat.tables;"
        "d.fingerprint('iris'); d.describe('heart'); d.check_reference('lost');"
        "print([m for m in ('pandas', 'numpy', 'scipy', 'sklearn', 'torch') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
