"""Weaker labels in an audit: several targets, shares of groups, candidates."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from caveat.audit import Settings, _plan_weaker, _sets, audit
from caveat.audit._plan import prepare
from caveat.audit._shares import share_learners
from caveat.audit._targets import label_table
from caveat.audit.registry import SHARES
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
        folds=4,
        minutes=1,
    )
    return audit(settings, file.parent / "several", engine=here, command="caveat audit")


@pytest.fixture(scope="module")
def grouped(file, here):
    """Audit one target, and what the shares of towns teach of it."""
    settings = Settings(
        str(file),
        "tree",
        bags="town",
        drop=("seen", "warm", "calm", "rare"),
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
        minutes=1,
    )
    few = [{"name": "mm", "lam": [1, 100]}, {"name": "lmm", "lam": [1], "gamma": [0.1]}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_plan_weaker, "share_learners", lambda groups: few)
        return audit(settings, file.parent / "grouped", engine=here, command="caveat")


@pytest.fixture(scope="module")
def ambiguous(file, here):
    """Audit candidates twice: with the truth, and alone."""
    pytest.importorskip("torch")
    settings = Settings(
        str(file),
        "tree",
        candidates="seen",
        drop=("town", "warm", "calm", "rare"),
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
        minutes=1,
    )
    alone = replace(settings, target=None, drop=(*settings.drop, "tree"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sets, "_STEPS", 60)
        patch.setattr(_plan_weaker, "SETS", ("proden", "cc"))
        return [
            audit(one, file.parent / name, engine=here, command="caveat")
            for one, name in ((settings, "truth"), (alone, "alone"))
        ]


def headings_of(made):
    page = made.save().read_text("utf-8")
    found = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', page)
    return {name: re.sub("<[^>]+>", "", words) for name, words in found}


def test_several_targets_alone_make_a_page_of_two_sections(several):
    page = several.save().read_text("utf-8")
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert sections == ["targets", "again"]
    words = headings_of(several).values()
    assert all(0 < len(one.split()) <= 25 for one in words)
    assert "popularity" in page
    assert set(several.states) == {"done"}
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


def test_shares_of_groups_stand_beside_every_label_and_the_free_part(grouped):
    page = grouped.save().read_text("utf-8")
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert "shares" in sections
    assert "town" in headings_of(grouped)["shares-h"]
    assert grouped.reading.scenario["aside"]["town"] == "makes the groups"
    found = grouped.reading.shares
    assert set(found.models) == {"mm", "lmm"}
    assert found.facts["groups"] == 4
    assert 0.5 < found.best.auc[0] <= found.best.top <= 1
    assert len(found.rules) >= 3
    assert set(grouped.states) == {"done"}


def test_learners_from_shares_bring_their_grids_and_pairs_have_a_limit():
    few, many = share_learners(12), share_learners(5_000)
    assert [one["name"] for one in few] == list(SHARES)
    assert {"name": "mm", "lam": [1, 10, 100]} in few
    assert "lmm" not in [one["name"] for one in many]


def test_no_group_is_named_anywhere(grouped):
    written = [path for path in grouped.save().parent.rglob("*") if path.is_file()]
    for name in (b"t0", b"t1", b"t3"):
        pattern = re.compile(rb'[>"\s]' + name + rb'[<"\s,]')
        assert not [path for path in written if pattern.search(path.read_bytes())]


def test_candidates_are_judged_by_the_truth_that_chose_nothing(ambiguous):
    made, alone = ambiguous
    found = made.reading.sets
    assert made.reading.scenario["aside"]["seen"] == "holds candidates"
    assert found.facts["mean-size"] == 2.0
    assert found.facts["noise"] == 0.0
    assert found.facts["guess"] == pytest.approx(2 / 3)
    assert found.facts["criterion"] == "approximated-accuracy"
    assert set(found.models) == {"proden", "cc"}
    assert found.best.criterion == max(one.criterion for one in found.models.values())
    assert 0.5 < found.best.right <= 1
    assert set(made.states) == set(alone.states) == {"done"}


def test_candidates_alone_make_a_page_that_says_nobody_checked(ambiguous):
    _, alone = ambiguous
    page = alone.save().read_text("utf-8")
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert sections == ["sets", "again"]
    assert all(0 < len(one.split()) <= 25 for one in headings_of(alone).values())
    assert "unchecked" in [one["kind"] for one in alone.look.caveats]
    assert np.isnan(alone.reading.sets.best.right)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"target": "seen", "candidates": "seen"}, "both name 'seen'"),
        ({"target": "x0", "candidates": "seen"}, "target holds numbers"),
        ({"candidates": "x0"}, "names one label in every row.* --target"),
        ({"target": "tree", "candidates": "town"}, "one label in every row"),
        ({"bags": "town", "targets": ("warm", "calm")}, "name it with --target"),
        ({"target": "tree", "bags": "tree"}, "both name 'tree'"),
        ({"target": "tree", "bags": "x0"}, "no group of at least 10 rows"),
        ({"target": "x0", "bags": "town"}, "target holds numbers"),
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
