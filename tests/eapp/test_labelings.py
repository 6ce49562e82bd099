"""The exact search and its kin against a naive twin that tries every labeling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.eapp import best_labeling
from caveat.eapp.labelings._branch_and_bound import branch_and_bound
from caveat.eapp.labelings._choice import Part, as_aucs, choose, judge
from caveat.eapp.labelings._contribution import contribution_for_each
from caveat.eapp.labelings._enumeration import search_all
from caveat.eapp.labelings._evaluation import evaluate_each, labels_of, masks_of
from caveat.eapp.labelings._greedy import greedy_for_each, prefix_and_climb
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import best_for_each
from caveat.eapp.labelings._neighbours import neighbours
from caveat.eapp.labelings._rank_table import rank_table
from caveat.eapp.labelings._scores import labeling_scores
from caveat.exceptions import CaveatError
from caveat.ranking import roc_auc

SCORES = ("ratio", "diff", "sqdiff")

# Example by hand: distances of six points to three centroids, y = 1 0 1 0 1 0.
HAND = np.array(
    [[1, 4, 9], [2, 3, 8], [5, 1, 6], [7, 2, 2], [9, 6, 1], [4, 4, 4]], float
)
HAND_Y = np.array([1, 0, 1, 0, 1, 0], bool)


def naive_aucs(distances, positive, score):
    """AUC of masks 1 .. 2^k - 2, by comparing all pairs of points."""
    k = distances.shape[1]
    masks = np.arange(1, 2**k - 1)
    chosen = (masks[:, None] >> np.arange(k)) & 1 == 1
    plus = np.where(chosen[:, None], distances, np.inf).min(axis=2)
    minus = np.where(chosen[:, None], np.inf, distances).min(axis=2)
    with np.errstate(invalid="ignore"):
        t = {
            "ratio": np.nan_to_num(np.round((minus - plus) / (minus + plus), 12)),
            "diff": minus - plus,
            "sqdiff": minus**2 - plus**2,
        }[score]
    up, down = t[:, positive][:, :, None], t[:, ~positive][:, None, :]
    wins = (up > down).sum(axis=(1, 2)) + 0.5 * (up == down).sum(axis=(1, 2))
    return masks, wins / (positive.sum() * (~positive).sum())


def random_case(k, seed):
    """A small random problem; every other one full of ties and zeros."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 22 if k < 8 else 13))
    distances = [rng.random((n, k)), rng.integers(0, 4, (n, k)).astype(float)][seed % 2]
    labels = rng.random((n, 3)) < rng.uniform(0.1, 0.9, 3)
    labels[0], labels[1] = False, True
    return distances, labels, SCORES[seed % 3]


def check_exact_methods(k, seed):
    distances, labels, score = random_case(k, seed)
    near = neighbours(distances, score)
    sums, found = best_for_each(near, LabelVectors.of(labels))
    for vector, positive in enumerate(labels.T):
        masks, aucs = naive_aucs(distances, positive, score)
        best = aucs.max()
        equals = masks[aucs >= best - 1e-12]
        pairs = int(positive.sum() * (~positive).sum())
        assert abs((sums[vector] + pairs) / (2 * pairs) - best) < 1e-12
        assert found[vector] == min(equals, key=lambda m: min(m, 2**k - 1 - m))
    # The other methods take one label vector, here the last.
    auc, mask = best_labeling(distances, positive, score=score)
    assert abs(auc - best) < 1e-12
    assert mask == equals[0]
    assert search_all(near, positive, blind=True)[1] == found[vector]
    assert branch_and_bound(near, positive) == (sums[vector] + pairs, mask, True)


@pytest.mark.parametrize("k", range(2, 11))
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_all_exact_methods_equal_the_naive_loop(k, seed):
    check_exact_methods(k, seed)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(2, 11))
def test_all_exact_methods_equal_the_naive_loop_a_thousand_times(k):
    for seed in range(1000):
        check_exact_methods(k, seed)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), k=st.integers(2, 8))
def test_every_labeling_is_judged_as_by_the_naive_loop(seed, k):
    distances, labels, score = random_case(k, seed)
    positive = labels[:, 0]
    masks, aucs = naive_aucs(distances, positive, score)
    part = Part(distances, score)
    vectors = LabelVectors.of(np.repeat(labels[:, :1], len(masks), axis=1))
    judged = judge(part, vectors, labels_of(masks, k))
    np.testing.assert_allclose(judged, aucs, rtol=0, atol=1e-12)
    # AUC(S) + AUC(not S) = 1, exactly: sums of ranks only change their sign.
    sums = evaluate_each(part.near, part.table, vectors, labels_of(masks, k))
    np.testing.assert_array_equal(sums, -sums[::-1])


def test_the_example_by_hand():
    masks, aucs = naive_aucs(HAND, HAND_Y, "ratio")
    vectors = LabelVectors.of(np.repeat(HAND_Y[:, None], 6, axis=1))
    judged = judge(Part(HAND, "ratio"), vectors, labels_of(masks, 3))
    np.testing.assert_allclose(judged, np.array([1, 1, 2, 1, 2, 2]) / 3, rtol=1e-15)
    np.testing.assert_allclose(aucs, judged, rtol=1e-15)
    assert best_labeling(HAND, HAND_Y) == (2 / 3, 3)


@pytest.mark.parametrize("score", SCORES)
def test_scores_by_state_equal_scores_by_distance(score):
    rng = np.random.default_rng(5)
    distances = rng.integers(0, 5, (50, 6)).astype(float)
    positive = rng.random(50) < 0.4
    labels = np.array([0, 1, 1, 0, 0, 1], bool)
    part = Part(distances, score)
    judged = judge(part, LabelVectors.of(positive[:, None]), labels[None])
    scores = labeling_scores(distances, labels, score)
    assert judged[0] == roc_auc(positive, scores)
    np.testing.assert_array_equal(labeling_scores(distances, ~labels, score), -scores)


def test_equal_ratios_tie_in_spite_of_rounding():
    scale = np.array([[1.0], [3.0], [7.0], [0.1]])
    scores = labeling_scores(np.array([[0.1, 0.3]]) * scale, [True, False])
    assert len(set(scores)) == 1


def test_threads_find_the_same_as_one():
    rng = np.random.default_rng(0)
    distances, positive = rng.random((300, 9)), rng.random(300) < 0.3
    alone = best_labeling(distances, positive)
    assert all(best_labeling(distances, positive, n_jobs=j) == alone for j in (2, 5))


def test_branch_and_bound_is_exact_where_enumeration_would_be_long():
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(17, 3)) * 3
    cluster = rng.integers(0, 17, 250)
    points = centres[cluster] + rng.normal(size=(250, 3))
    distances = np.linalg.norm(points[:, None] - centres, axis=2)
    positive = rng.random(250) < np.where(cluster % 2, 0.9, 0.1)
    near = neighbours(distances, "ratio")
    doubled, mask, exact = branch_and_bound(near, positive)
    assert exact
    assert (doubled, mask) == search_all(near, positive)
    assert best_labeling(distances, positive)[1] == mask
    assert not branch_and_bound(near, positive, budget=10)[2]


@pytest.mark.parametrize("k", [4, 12, 40, 70])
def test_greedy_labelings_are_worth_what_they_say(k):
    rng = np.random.default_rng(k)
    distances = rng.random((120, k))
    labels = rng.random((120, 4)) < 0.4
    part = Part(distances, "ratio")
    vectors = LabelVectors.of(labels)
    sums, found = greedy_for_each(part.near, vectors)
    np.testing.assert_array_equal(
        sums, evaluate_each(part.near, part.table, vectors, found)
    )
    assert (as_aucs(sums, vectors) >= 0.5).all()
    assert found.any(axis=1).all()
    assert not found.all(axis=1).any()


def test_greedy_comes_close_to_exact_on_noisy_labels():
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(9, 2)) * 2
    cluster = rng.integers(0, 9, 500)
    points = centres[cluster] + rng.normal(size=(500, 2))
    distances = np.linalg.norm(points[:, None] - centres, axis=2)
    near = neighbours(distances, "ratio")
    gaps = []
    for _ in range(10):
        positive = rng.random(500) < np.where(cluster % 3 == 0, 0.65, 0.35)
        pairs = 2 * positive.sum() * (~positive).sum()
        exact = search_all(near, positive)[0]
        gaps.append((exact - prefix_and_climb(near, positive)[0]) / pairs)
    assert min(gaps) >= 0
    assert np.mean(gaps) < 0.001


def test_contribution_follows_its_formula():
    rng = np.random.default_rng(3)
    distances, labels = rng.random((80, 5)), rng.random((80, 3)) < 0.5
    found = contribution_for_each(distances, LabelVectors.of(labels))
    first, second = np.sort(distances, axis=1)[:, :2].T
    weight = (second - first) / (second + first)
    inside = np.eye(5)[distances.argmin(axis=1)] * weight[:, None]
    for v, positive in enumerate(labels.T):
        share = inside[positive].sum(0) / weight[positive].sum()
        other = inside[~positive].sum(0) / weight[~positive].sum()
        np.testing.assert_array_equal(found[v], share > other)


@pytest.mark.parametrize("flip", [False, True])
def test_contribution_never_names_all_clusters_alike(flip):
    # All points sit on the first centroid: no margin tells them apart otherwise.
    distances = np.zeros((6, 3))
    labels = np.array([0, 1, 0, 1, 0, 1], bool) ^ flip
    found = contribution_for_each(distances, LabelVectors.of(labels[:, None]))
    assert found.sum() == 1


@pytest.mark.parametrize(
    ("k", "alone", "exact"), [(16, False, True), (17, False, False), (17, True, True)]
)
def test_beyond_sixteen_clusters_only_lone_labels_are_searched_exactly(k, alone, exact):
    rng = np.random.default_rng(k)
    cluster = rng.integers(0, k, 60)
    distances = 1 - 0.9 * np.eye(k)[cluster] + 0.01 * rng.random((60, k))
    labels = np.column_stack([cluster % 2 == 0] * (1 if alone else 2))
    part = Part(distances, "ratio")
    choice = choose("exact", part, LabelVectors.of(labels), alone=alone)
    assert choice.exact == exact
    np.testing.assert_allclose(
        choice.aucs, judge(part, LabelVectors.of(labels), choice.labels)
    )


def test_masks_of_any_length_survive_the_round_trip():
    labels = np.random.default_rng(0).random((3, 70)) < 0.5
    masks = masks_of(labels)
    spelt = [[(mask >> j) & 1 for j in range(70)] for mask in masks]
    np.testing.assert_array_equal(np.array(spelt, bool), labels)


def test_a_rank_table_without_ties_needs_one_table():
    distances = np.random.default_rng(0).random((30, 4))
    assert not rank_table(neighbours(distances, "ratio")).ties
    assert rank_table(neighbours(np.round(distances, 1), "ratio")).ties


@pytest.mark.parametrize(
    ("distances", "y", "options", "words"),
    [
        (HAND, HAND_Y, {"score": "ration"}, "did you mean 'ratio'"),
        (HAND, HAND_Y[:5], {}, r"shape \(5,\) for 6"),
        (HAND, np.ones(6), {}, "1 distinct"),
        (HAND, np.arange(6), {}, "6 distinct"),
        (HAND, [0, 1, np.nan, 1, 0, 1], {}, "NaN at point 2"),
        (HAND, np.array(["a", 1] * 3, dtype=object), {}, "different types"),
        (HAND[:, :1], HAND_Y, {}, "1 clusters"),
        (np.ones((6, 25)), HAND_Y, {}, "25 clusters.*greedy"),
        (HAND[0], HAND_Y, {}, "shape"),
        (-HAND, HAND_Y, {}, "-1 at point 0, centroid 0"),
        (HAND + np.inf, HAND_Y, {}, "inf"),
        (HAND * np.nan, HAND_Y, {}, "nan"),
        ([["x", "y"]] * 6, HAND_Y, {}, "not a matrix"),
        (HAND, HAND_Y, {"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(distances, y, options, words):
    with pytest.raises(CaveatError, match=words):
        best_labeling(distances, y, **options)
