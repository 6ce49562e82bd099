"""Other topics in an audit: several targets, shares of groups, candidates."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from caveat import bags, multilabel
from caveat.audit import Settings, _topics, audit
from caveat.audit._plan import prepare
from caveat.audit._weak_labels import label_table
from caveat.exceptions import CaveatError
from caveat.study import Ledger

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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_topics, "BAG_LEARNERS", ("mm", "lmm"))
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
        patch.setattr(_topics, "_STEPS", 60)
        return [
            audit(one, file.parent / name, engine=here, command="caveat")
            for one, name in ((settings, "truth"), (alone, "alone"))
        ]


def headings_of(made):
    page = made.save().read_text("utf-8")
    found = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', page)
    return {name: re.sub("<[^>]+>", "", words) for name, words in found}


def sections_of(made):
    return re.findall(r'<section id="([^"]+)"', made.save().read_text("utf-8"))


@pytest.mark.long
def test_several_targets_alone_make_a_page_of_the_topic_s_own_sections(several):
    page = several.save().read_text("utf-8")
    own = several.topics["multilabel"].sections
    shown = [f"multilabel-{one.name}" for one in own if one.name != "again"]
    assert sections_of(several) == [*shown, "again"]
    words = headings_of(several).values()
    assert all(0 < len(one.split()) <= 25 for one in words)
    assert "popularity" in page
    assert set(several.states) == {"done"}
    # Every link leads somewhere.
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(re.findall(r'id="([^"]+)"', page))


def test_the_topic_says_in_an_audit_what_it_says_by_itself(several, frame):
    table = frame.drop(columns=["seen", "town", "tree"])
    labels = ["warm", "calm", "rare"]
    alone = multilabel.look(table, labels, models=_topics.TARGET_LEARNERS)
    inside = several.topics["multilabel"]
    assert set(inside.extra["models"]) == set(alone.extra["models"])
    assert {len(one["measures"]) for one in inside.extra["models"].values()} == {11}
    assert [one.name for one in inside.sections] == [one.name for one in alone.sections]
    assert {one["kind"] for one in inside.caveats} <= {
        one["kind"] for one in several.look.caveats
    }
    assert several.look.facts["score"] == inside.facts["score"]


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


@pytest.mark.long
def test_shares_of_groups_stand_beside_every_label_and_the_free_part(grouped):
    sections = sections_of(grouped)
    assert {"bags-learners", "bags-groups"} <= set(sections)
    assert sections.index("models") < sections.index("bags-learners")
    found = bags.Result.from_record(_record(grouped, "bags"))
    assert set(found.learners) == {"mm", "lmm"}
    assert (found.by, found.n_groups) == ("town", 4)
    top = found.best_by_test().mean()
    assert 0.5 < found.chosen()["auc"].mean() <= top <= 1
    assert len(found.rules()) >= 3
    assert set(grouped.states) == {"done"}


def _record(made, topic):
    with Ledger(made.folder / "audit.ledger") as book:
        curve = book.records().curves(_topics.CURVE)
    return json.loads(curve.set_index("learner")["record"][topic])


def test_columns_of_groups_and_candidates_are_no_features(file):
    asked = {"target": "tree", "bags": "town", "candidates": "seen"}
    aside = prepare(Settings(str(file), **asked)).study["scenario"]["aside"]
    assert aside == {"town": "makes the groups", "seen": "holds candidates"}


def test_options_that_a_topic_does_not_follow_are_named(grouped):
    scenario = dict.fromkeys(["groups", "time", "weights", "test"])
    looks = grouped.topics
    silent = _topics.topics_part(looks, scenario).claims
    told = _topics.topics_part(looks, {**scenario, "time": "x0"}).claims
    assert len(told) == len(silent) + 1
    assert "--time changes nothing" in str(told[-1].words)


def test_no_group_is_named_anywhere(grouped):
    written = [path for path in grouped.save().parent.rglob("*") if path.is_file()]
    for name in (b"t0", b"t1", b"t3"):
        pattern = re.compile(rb'[>"\s]' + name + rb'[<"\s,]')
        assert not [path for path in written if pattern.search(path.read_bytes())]


def test_candidates_are_judged_by_the_truth_that_chose_nothing(ambiguous):
    made, alone = ambiguous
    found = made.topics["candidates"]
    assert found.extra["chosen"] == "proden"
    assert found.extra["items"] == ROWS
    assert 0.5 < found.facts["score"] <= 1
    assert "unchecked" not in [one["kind"] for one in found.caveats]
    assert set(made.states) == set(alone.states) == {"done"}


def test_candidates_alone_make_a_page_that_says_nobody_checked(ambiguous):
    _, alone = ambiguous
    sections = sections_of(alone)
    assert {one.partition("-")[0] for one in sections} == {"candidates", "again"}
    assert all(0 < len(one.split()) <= 25 for one in headings_of(alone).values())
    assert "unchecked" in [one["kind"] for one in alone.look.caveats]
    accuracies = [
        one["accuracy"] for one in alone.topics["candidates"].extra["methods"]
    ]
    assert np.isnan(accuracies).all()


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
