"""Label vectors, shuffles and the matrix product at its limits."""

import tracemalloc

import numpy as np
import pytest

from caveat.eapp.folds._curves import pooled_aucs
from caveat.eapp.folds._splits import make_folds, strata_of
from caveat.eapp.labelings import _many_vectors
from caveat.eapp.labelings._enumeration import search_all
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import best_for_each
from caveat.eapp.labelings._neighbours import neighbours
from caveat.eapp.labelings._scores import labeling_scores
from caveat.eapp.target._read import read_target
from caveat.eapp.target._shuffles import ShuffledLabels
from caveat.ranking import roc_auc


@pytest.fixture
def labels():
    return np.random.default_rng(0).integers(0, 3, 90)


def shuffled(y, shuffles, folds=3):
    target = read_target(y, len(y))
    splits, _ = make_folds(folds, target, seed=0)
    return (
        splits,
        ShuffledLabels(target, strata_of(splits, len(y)), shuffles, 7),
    )


def test_packing_loses_nothing():
    columns = np.random.default_rng(0).random((50, 21)) < 0.3
    vectors = LabelVectors.of(columns)
    np.testing.assert_array_equal(vectors.unpack(), columns)
    np.testing.assert_array_equal(vectors.positives, columns.sum(axis=0))
    rows = np.array([3, 1, 40])
    np.testing.assert_array_equal(vectors.take(rows).vector(20), columns[rows, 20])


def test_shuffles_stay_within_their_fold_and_the_observed_labels_come_last(labels):
    splits, shuffles = shuffled(labels, 13)
    (vectors,) = shuffles.blocks()
    columns = vectors.unpack().reshape(90, 14, 3)
    np.testing.assert_array_equal(columns[:, -1], labels[:, None] == [0, 1, 2])
    np.testing.assert_array_equal(columns.sum(axis=2), 1)
    for _, test in splits:
        counts = columns[test].sum(axis=0)
        np.testing.assert_array_equal(counts, np.broadcast_to(counts[-1], (14, 3)))
    assert len({columns[:, s].tobytes() for s in range(14)}) == 14


def test_the_size_of_blocks_does_not_change_the_shuffles(labels):
    _, shuffles = shuffled(labels, 21)
    (whole,) = shuffles.blocks()
    parts = list(shuffles.blocks(limit=1))
    assert len(parts) == 3
    together = np.hstack([part.unpack() for part in parts])
    np.testing.assert_array_equal(together, whole.unpack())


def test_rows_outside_all_test_parts_are_shuffled_among_themselves(labels):
    target = read_target(labels, 90)
    splits, _ = make_folds([(np.arange(30, 90), np.arange(30))], target, seed=0)
    strata = strata_of(splits, 90)
    np.testing.assert_array_equal(np.sort(np.concatenate(strata)), np.arange(90))
    assert [len(rows) for rows in strata] == [30, 60]


@pytest.mark.parametrize("n", [8192, 9000, 70_000])
def test_products_are_exact_in_single_and_double_precision(n):
    rng = np.random.default_rng(n)
    distances = rng.random((n, 3))
    labels = rng.random((n, 2)) < [0.5, 0.01]
    near = neighbours(distances, "ratio")
    sums, masks = best_for_each(near, LabelVectors.of(labels))
    for vector, positive in enumerate(labels.T):
        pairs = int(positive.sum()) * int((~positive).sum())
        assert (sums[vector] + pairs, masks[vector]) == search_all(near, positive)


def test_small_blocks_of_labelings_give_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    near = neighbours(rng.integers(0, 9, (40, 6)).astype(float), "diff")
    vectors = LabelVectors.of(rng.random((40, 9)) < 0.5)
    whole = best_for_each(near, vectors)
    monkeypatch.setattr(_many_vectors, "RANK_BYTES", 3 * 4 * 40)
    for one, other in zip(best_for_each(near, vectors), whole, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_memory_of_two_hundred_shuffles_is_bounded():
    n, k = 1_000_000, 4
    rng = np.random.default_rng(0)
    near = neighbours(rng.random((n, k)), "ratio")
    tracemalloc.start()
    shuffles = ShuffledLabels(
        read_target(rng.random(n) < 0.5, n), [np.arange(n)], shuffles=200, seed=0
    )
    for vectors in shuffles.blocks():
        best_for_each(near, vectors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500e6


def test_pooling_is_one_auc_over_all_folds():
    rng = np.random.default_rng(4)
    labels = rng.random((30, 2)) < 0.5
    distances = [rng.random((12, 4)), rng.random((18, 4))]
    chosen = rng.random((2, 2, 4)) < 0.5
    chosen[:, :, 0], chosen[:, :, 1] = True, False
    parts = [
        (neighbours(d, "ratio"), c) for d, c in zip(distances, chosen, strict=True)
    ]
    pooled = pooled_aucs(parts, LabelVectors.of(labels))
    for v in range(2):
        scores = [labeling_scores(distances[f], chosen[f, v]) for f in range(2)]
        assert pooled[v] == roc_auc(labels[:, v], np.concatenate(scores))
