"""Weaker labels in an audit: several targets, shares of groups, candidates."""

import re

import numpy as np
import pandas as pd
import pytest

from caveat.audit import Settings, audit
from caveat.audit._plan import prepare
from caveat.audit._targets import label_table
from caveat.exceptions import CaveatError

pytestmark = pytest.mark.thorough

ROWS = 160


@pytest.fixture(scope="module")
def frame():
    """Two columns that say it, three labels, groups, candidates."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, ROWS)
    X = rng.normal(size=(ROWS, 3)) + 1.5 * np.eye(3)[y]
    words = np.array(["ash", "birch", "cedar"])
    wrong = (y + rng.integers(1, 3, ROWS)) % 3
    sets = [f"{words[a]}|{words[b]}" for a, b in zip(y, wrong, strict=True)]
    return pd.DataFrame(
        {
            **{f"x{i}": X[:, i] for i in range(3)},
            "town": [f"t{n}" for n in (y + rng.integers(0, 3, ROWS)) % 4],
            "warm": (X[:, 0] + X[:, 1] > 0.5).astype(int),
            "calm": np.where(X[:, 2] > 0, "yes", "no"),
            "rare": (rng.random(ROWS) < 0.2).astype(int),
            "seen": sets,
            "tree": words[y],
        }
    )


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("weaker") / "trees.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def several(file, here):
    """Audit three targets and no single one."""
    settings = Settings(
        str(file),
        targets=("warm", "calm", "rare"),
        drop=("seen", "town", "tree"),
        folds=2,
        minutes=1,
    )
    return audit(settings, file.parent / "several", engine=here, command="caveat audit")


def headings_of(made):
    page = made.index.read_text("utf-8")
    found = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', page)
    return {name: re.sub("<[^>]+>", "", words) for name, words in found}


def test_several_targets_alone_make_a_page_of_four_sections(several):
    page = several.index.read_text("utf-8")
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert sections == ["data", "targets", "caveats", "again"]
    words = headings_of(several).values()
    assert all(0 < len(one.split()) <= 25 for one in words)
    assert "popularity" in page
    assert several.reading.failures == []
    # Every link leads somewhere.
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(re.findall(r'id="([^"]+)"', page))


def test_all_eleven_measures_of_every_learner_are_read_from_the_ledger(several):
    found = several.reading.targets
    assert set(found.models) == {"br-logistic", "ml-knn", "limo", "forest"}
    assert {len(one.measures) for one in found.models.values()} == {11}
    assert found.count == 3
    assert found.best.labels[0] > found.popularity
    assert found.best.serves in ("both", "label-wise")
    assert found.free.instances[0] == 0.5


def test_other_targets_are_no_features_of_the_one(file):
    settings = Settings(str(file), "warm", targets=("warm", "calm", "rare"))
    prepared = prepare(settings)
    aside = prepared.study["scenario"]["aside"]
    assert aside["calm"] == aside["rare"] == "another target"
    assert not {"calm", "rare"} & set(prepared.table.X.columns)
    features, labels = label_table(prepared.table, ["warm", "calm", "rare"])
    assert list(labels.columns) == ["warm", "calm", "rare"]
    assert not {"warm", "calm", "rare"} & set(features.columns)
    kept = prepare(
        Settings(str(file), "warm", targets=("warm", "calm"), keep=("calm",))
    )
    assert "calm" in kept.table.X.columns
    assert "calm" not in label_table(kept.table, ["warm", "calm"])[0].columns


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"targets": ("warm",)}, "--targets names one column"),
        ({"targets": ("warm", "warm")}, "twice"),
        ({"targets": ("warm", "x0")}, "must be 0 or 1"),
        ({"targets": ("warm", "clam")}, "did you mean 'calm'"),
        ({"targets": ("warm", "calm"), "groups": "calm"}, "both name 'calm'"),
    ],
)
def test_roles_that_cannot_be_meant_are_refused_in_one_sentence(file, asked, expected):
    with pytest.raises(CaveatError, match=expected):
        prepare(Settings(str(file), **asked))
