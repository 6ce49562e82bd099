"""Images, representations, clusterers and the split rule, each by itself."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.cluster.hierarchy import cut_tree as scipy_cut_tree
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import DBSCAN
from sklearn.decomposition import PCA

from caveat.eapp._inputs import Table
from caveat.eapp.clusters import _clusterers
from caveat.eapp.clusters._clusterers import (
    cut_tree,
    gmm_mahalanobis_path,
    incremental_path,
)
from caveat.eapp.clusters._clusters import Clusters, has_distinct, member_means
from caveat.eapp.clusters._dbscan import DensityTree
from caveat.eapp.clusters._split_largest import split_largest
from caveat.eapp.registry import CLUSTERERS
from caveat.eapp.representations._images import (
    crop_square,
    prepare_images,
    resize_weights,
)
from caveat.eapp.representations._representation import PrincipalComponents


@pytest.fixture(scope="module")
def blobs():
    centres = np.array([[0.0, 0], [9, 0], [0, 9], [9, 9]])
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(4), [40, 30, 20, 10])
    return centres[cluster] + 0.3 * rng.normal(size=(100, 2)), cluster


def test_crop_takes_the_centre():
    image = np.arange(15).reshape(1, 3, 5, 1)
    np.testing.assert_array_equal(crop_square(image)[0, :, :, 0], image[0, :, 1:4, 0])


@pytest.mark.parametrize(("size", "wanted"), [(40, 128), (200, 128), (33, 7)])
def test_resizing_equals_pillow(size, wanted):
    images = np.random.default_rng(0).random((2, size, size)).astype(np.float32)
    expected = [
        np.asarray(Image.fromarray(image).resize((wanted, wanted), Image.BILINEAR))
        for image in images
    ]
    found = prepare_images(images, wanted).reshape(2, wanted, wanted)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(resize_weights(size, wanted).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("shape", "size", "columns"),
    [
        ((2, 28, 28), "auto", 784),
        ((2, 28, 40), 128, 128 * 128),
        ((2, 33, 64), "auto", 128 * 128),
        ((2, 32, 32, 3), "auto", 32 * 32 * 3),
        ((2, 8, 8), 4, 16),
    ],
)
def test_small_images_stay_and_large_ones_take_the_papers_size(shape, size, columns):
    images = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    prepared = prepare_images(images, size)
    assert prepared.shape == (2, columns)
    assert prepared.min() >= 0
    assert prepared.max() <= 1


@pytest.mark.parametrize(
    ("pixels", "expected"),
    [
        (np.array([[0, 255]], np.uint8), [0, 1]),
        (np.array([[0, 255]], np.int64), [0, 1]),
        (np.array([[0, 65535]], np.uint16), [0, 1]),
        (np.array([[False, True]]), [0, 1]),
        (np.array([[0.25, 0.5]]), [0.25, 0.5]),
        (np.array([[-1.0, 3.0]]), [0, 1]),
        (np.array([[7.0, 7.0]]), [0, 0]),
    ],
)
def test_pixels_end_between_0_and_1(pixels, expected):
    stack = np.repeat(pixels[:, :, None], 1, axis=2).reshape(2, 1, 1)
    np.testing.assert_allclose(prepare_images(stack).ravel(), expected)


@pytest.mark.parametrize("shape", [(50, 6), (6, 50), (20, 20)])
def test_principal_components_equal_scikit_learns(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1)
    ours = PrincipalComponents(4).fit(X)
    theirs = PCA(4, svd_solver="full").fit(X)
    np.testing.assert_allclose(
        np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-8
    )
    largest = np.abs(ours.components_).argmax(axis=1)
    assert (ours.components_[np.arange(4), largest] > 0).all()


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_components_without_variance_are_left_out(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    assert PrincipalComponents(64).fit(X).components_.shape == (2, shape[1])


def test_tables_are_encoded_as_the_specification_says():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, 400)
    age[:20] = np.nan
    levels = np.array(["a"] * 250 + ["b"] * 148 + ["rare"] * 2)
    rng.shuffle(levels)
    frame = pd.DataFrame({"age": age, "job": levels, "same": 1.0})
    fitted = Table(frame, None).fit(np.arange(400))
    encoded = fitted.encode(np.arange(400))
    names = list(fitted.encoder.get_feature_names_out())
    assert names == ["age", "age is missing", "job=a", "job=b", "job is rare"]
    np.testing.assert_allclose(encoded.mean(axis=0), 0, atol=1e-12)
    # One variable, numerical or categorical, has total variance 1.
    variances = encoded.var(axis=0)
    np.testing.assert_allclose(
        [variances[0], variances[1], variances[2:].sum()], 1, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize(
    "name", ["kmeans", "ward", "average", "complete", "spectral", "gmm"]
)
def test_every_clusterer_finds_the_blobs(name, blobs):
    Z, cluster = blobs
    paths = dict(CLUSTERERS[name].load()(Z, [3, 4, 5], 0))
    assert list(paths) == [3, 4, 5]
    assert all(paths[k].n_distinct() == k for k in paths)
    nearest = paths[4].distances(Z).argmin(axis=1)
    pairs = {(int(a), int(b)) for a, b in zip(nearest, cluster, strict=True)}
    assert len(pairs) == 4


@pytest.mark.parametrize("seed", range(4))
def test_all_radii_at_once_equal_scikit_learns_dbscan_one_by_one(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(120, 2)) * rng.choice([0.2, 1, 3], (120, 1))
    Z[:10] = Z[10:20]  # copies have distance 0
    tree = DensityTree.of(Z, min_samples=5)
    for radius in np.quantile(tree.core, [0.02, 0.3, 0.6, 0.9, 1.0]) * 1.0001:
        expected = DBSCAN(eps=radius, min_samples=5).fit(Z)
        members = tree.members(radius)
        theirs = expected.labels_
        assert tree.counts(radius) == (theirs.max() + 1, (theirs < 0).sum())
        np.testing.assert_array_equal(members < 0, theirs < 0)
        cores = expected.core_sample_indices_
        pairs = {*zip(members[cores], theirs[cores], strict=True)}
        assert len(pairs) == theirs.max() + 1
        # A point at the border goes with a core within reach.
        for point in np.flatnonzero((members >= 0) & (tree.core > radius)):
            near = cores[np.linalg.norm(Z[cores] - Z[point], axis=1) <= radius]
            assert members[point] in members[near]


def test_dbscan_says_where_no_radius_will_do(blobs):
    Z, _ = blobs
    paths = dict(CLUSTERERS["dbscan"].load()(Z, [4, 50], 0))
    assert paths[4].n_distinct() == 4
    assert "no radius gives 50" in paths[50]
    same = dict(CLUSTERERS["dbscan"].load()(np.zeros((20, 2)), [2], 0))
    assert "no radius" in same[2]
    two = dict(CLUSTERERS["dbscan"].load()(np.array([[0.0], [1.0]]), [2], 0))
    assert "no radius" in two[2]


def test_trees_are_cut_as_scipy_cuts_them():
    Z = np.random.default_rng(0).normal(size=(40, 3))
    tree = linkage(Z, "average")
    ours = cut_tree(tree[:, :2].astype(int), 7)
    theirs = scipy_cut_tree(tree, 7).ravel()
    assert len({*zip(ours, theirs, strict=True)}) == 7


def test_mahalanobis_distances_are_in_units_of_spread(blobs):
    Z, _ = blobs
    ((_, found),) = gmm_mahalanobis_path(Z, [4], 0)
    expected = np.linalg.norm((Z - found.centroids[2]) / found.spreads[2], axis=1)
    np.testing.assert_allclose(found.distances(Z)[:, 2], expected)


def test_growing_k_means_passes_through_the_k_it_is_not_asked_for(blobs):
    Z, _ = blobs
    asked = dict(incremental_path(Z, [2, 4], 0))
    every = dict(incremental_path(Z, [2, 3, 4], 0))
    np.testing.assert_array_equal(asked[4].centroids, every[4].centroids)
    inertia = (every[4].distances(Z).min(axis=1) ** 2).sum()
    best = dict(CLUSTERERS["kmeans"].load()(Z, [4], 0))[4]
    assert inertia == pytest.approx((best.distances(Z).min(axis=1) ** 2).sum())


def test_growing_stops_where_no_cluster_can_be_split():
    Z = np.repeat([[0.0], [1.0]], 5, axis=0)
    paths = dict(incremental_path(Z, [2, 3, 4], 0))
    assert isinstance(paths[2], Clusters)
    assert paths[3] == paths[4] == "no cluster of k = 2 can be split"


def test_the_largest_cluster_is_split_across_its_longest_axis():
    Z = np.array([[0.0, 0], [4, 1], [8, 0], [20, 0], [20, 1]])
    grown = split_largest(
        Z, np.array([0, 0, 0, 1, 1]), np.array([[4, 1 / 3], [20, 0.5]])
    )
    np.testing.assert_allclose(grown, [[6, 0.5], [20, 0.5], [0, 0]])


def test_a_cluster_of_equal_points_is_passed_over():
    Z = np.array([[5.0]] * 4 + [[0.0], [1.0]])
    grown = split_largest(Z, np.array([0] * 4 + [1, 1]), np.array([[5.0], [0.5]]))
    np.testing.assert_allclose(grown, [[5.0], [1.0], [0.0]])


def test_many_rows_are_sampled_for_the_starts_and_used_for_the_end(monkeypatch, blobs):
    Z, _ = blobs
    expected = dict(CLUSTERERS["kmeans"].load()(Z, [4], 0))[4]
    monkeypatch.setattr(_clusterers, "KMEANS_POINTS", 80)
    monkeypatch.setattr(_clusterers, "KMEANS_SAMPLE", 60)
    monkeypatch.setattr(_clusterers, "PAIRWISE_POINTS", 60)
    found = dict(CLUSTERERS["kmeans"].load()(Z, [4], 0))[4]
    order = [np.lexsort(c.centroids.T) for c in (found, expected)]
    np.testing.assert_allclose(
        found.centroids[order[0]], expected.centroids[order[1]], atol=1e-6
    )
    assert dict(CLUSTERERS["ward"].load()(Z, [4], 0))[4].n_distinct() == 4


def test_clusters_are_ordered_by_size_then_by_place():
    Z = np.array([[0.0], [0.1], [5.0], [9.0], [5.1], [9.1], [5.2]])
    clusters = Clusters(np.array([[9.05], [0.05], [5.1]]))
    ordered, distances = clusters.ordered(clusters.distances(Z))
    np.testing.assert_array_equal(ordered.centroids.ravel(), [5.1, 0.05, 9.05])
    np.testing.assert_array_equal(ordered.sizes, [3, 2, 2])
    np.testing.assert_allclose(distances, ordered.distances(Z), rtol=1e-12)


def test_noise_belongs_to_no_cluster():
    means = member_means(np.array([[1.0], [3.0], [100.0]]), np.array([0, 0, -1]), 1)
    np.testing.assert_array_equal(means, [[2.0]])


def test_distinct_rows_are_counted_as_far_as_needed():
    Z = np.repeat(np.arange(5.0), 100)[:, None]
    assert has_distinct(Z, 3) == 3
    assert has_distinct(Z, 9) == 5
