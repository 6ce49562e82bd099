"""What is free: clusters of the training rows, on the splits of the models."""

import numpy as np
import pandas as pd
import pytest

from caveat.eapp import EAPP
from caveat.pages.claims import AgainstFloor
from caveat.shift import _free_answers, look

QUICK = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 2}


@pytest.fixture
def blobs():
    """Two lumps of rows; the label follows the lump in nine of ten rows."""
    rng = np.random.default_rng(0)
    lump = np.repeat([0, 1], 60)
    X = pd.DataFrame({"a": 20.0 * lump, "b": 20.0 * lump}, dtype=float)
    X += rng.normal(scale=0.01, size=X.shape)
    flipped = np.arange(120) % 10 == 0
    return X.assign(y=np.where((lump == 1) ^ flipped, "yes", "no")), lump


def parts(table, lump):
    """Every third row is for testing."""
    test = np.arange(len(table)) % 3 == 0
    return {"train": table[~test], "test": table[test]}, lump[test]


def models_of(seen):
    [table] = [b for s in seen.sections if s.name == "models" for b in s.blocks]
    return {str(row.cells[0].text): row.cells for row in table.rows}


def test_by_accuracy_it_is_the_majority_of_the_nearest_cluster(blobs):
    table, lump = blobs
    rows, where = parts(table, lump)
    seen = look(None, "y", **rows, **QUICK, metric="accuracy")
    right = (rows["test"]["y"] == np.where(where == 1, "yes", "no")).mean()
    assert seen.facts["free"] == pytest.approx(right)
    assert "clusters that labels only had to name" in models_of(seen)


def test_of_numbers_it_is_the_means_of_clusters(blobs):
    table, lump = blobs
    noise = np.random.default_rng(1).normal(size=120)
    rows, where = parts(table.assign(y=5.0 * lump + noise), lump)
    models = {**QUICK, "models": ["ridge"]}
    seen = look(None, "y", **rows, **models)
    learnt = rows["train"].groupby(rows["train"]["a"] > 10)["y"].mean().to_numpy()
    error = np.sqrt(((rows["test"]["y"] - learnt[where]) ** 2).mean())
    # The farther of two clusters weighs a little: a thousandth of the distance.
    assert seen.facts["free"] == pytest.approx(error, rel=5e-3)
    assert "the means of clusters" in models_of(seen)


@pytest.mark.parametrize(
    ("role", "splits", "apart"),
    [
        ("groups", 2, lambda train, test: set(train).isdisjoint(test)),
        ("order", 1, lambda train, test: train.max() <= test.min()),
    ],
)
def test_clusters_are_made_of_the_rows_that_the_models_learn_from(
    role, splits, apart, monkeypatch
):
    seen = []

    class Spy(EAPP):
        def fit(self, X, y, **more):
            places = X["a"].round().to_numpy()
            seen.append([places[part] for part in self.folds[0]])
            return super().fit(X, y, **more)

    monkeypatch.setattr(_free_answers, "EAPP", Spy)
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(12), 10)
    table = pd.DataFrame({"a": unit + 0.1 * rng.random(120), "unit": unit})
    table["y"] = np.where(rng.random(120) < 0.5, "yes", "no")
    look(table, "y", **QUICK, **{role: "unit"})
    assert [apart(*parts) for parts in seen] == [True] * splits


def test_clusters_that_cannot_be_made_are_told(blobs):
    table, _ = blobs
    flat = table.assign(a=1.0, b=1.0)
    seen = look(flat, "y", keep=["a", "b"], **QUICK)
    assert seen.facts["free"] is None
    told = [str(claim.words) for claim in seen.claims]
    assert any("clusters reach is not known" in one for one in told)


def test_a_title_is_held_against_the_better_of_what_is_free(blobs):
    table, lump = blobs
    rows, _ = parts(table, lump)
    seen = look(None, "y", **rows, **QUICK, metric="accuracy")
    # The model knows no more than the two lumps do, far above the constant answer.
    assert seen.facts["floor"] < 0.7 < seen.facts["free"]
    assert "clusters" in str(seen.title)


@pytest.mark.parametrize(
    ("metric", "seed", "above_a_line"), [("auc", 12, True), ("accuracy", 8, False)]
)
def test_a_model_is_held_against_clusters_in_pairs(metric, seed, above_a_line):
    """Where clusters fall out otherwise in every split, a lead in the mean is open."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    table["y"] = np.where(table["a"] + rng.normal(size=60) > 0, "yes", "no")
    seen = look(table, "y", **{**QUICK, "repeats": 3}, metric=metric)
    [claim] = [one for one in seen.claims if isinstance(one, AgainstFloor)]
    gap = claim.difference
    assert gap.value == pytest.approx(claim.score.value - seen.facts["free"])
    assert (claim.score.low > claim.floor.value) == above_a_line
    assert gap.low < 0 < gap.value
    assert claim.standing == "at"
    assert "cannot be told from clusters" in seen.title
