"""Learned representations: no labels, no collapse, step by step, same seed."""

import sys
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits
from threadpoolctl import threadpool_limits

from caveat.eapp import EAPP
from caveat.eapp._inputs import read_input
from caveat.eapp.clusters._clusters import Clusters
from caveat.exceptions import MissingExtra, UnknownName

pytestmark = pytest.mark.thorough

torch = pytest.importorskip("torch")

from caveat.eapp.representations._autoencoders import (  # noqa: E402
    LearnedFeatures,
    VariationalFeatures,
    batches,
    mean_variance,
)
from caveat.eapp.representations._clustered_autoencoder import (  # noqa: E402
    Gathering,
    KMeansFeatures,
    clustering_loss,
)
from caveat.eapp.representations._networks import autoencoder  # noqa: E402

FEW = {"epochs": 3, "rounds": 3}
LONG = {"epochs": 50, "rounds": 3, "learning_rate": 0.01}
NAMES = ("cae", "vae", "kmeans_ae")


@pytest.fixture(scope="module")
def table():
    """Two groups along one direction of five, 60 : 60."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], 60))
    return rng.normal(size=(120, 5)) + 3 * y[:, None] * [1, 1, 0, 0, 0], y


@pytest.fixture(scope="module")
def cancer():
    X, _ = load_breast_cancer(return_X_y=True)
    data = read_input(X, "auto", "auto", None)
    rows = np.arange(len(X))
    return data.fit(rows).encode(rows)[:192]


def quick(name, **options):
    small = {"folds": 2, "k_max": 3, "shuffles": 0, "random_state": 0}
    return EAPP(name, **{**small, "training": FEW, **options})


@pytest.mark.parametrize(
    # The noise of its codes makes the variational one need more rows than sixty.
    ("name", "least"),
    [("cae", 0.8), ("kmeans_ae", 0.8), ("vae", 0.6)],
)
def test_every_network_finds_what_clusters_can_find(name, least, table):
    found = quick(name, training=LONG).fit(*table)
    assert found.value_ > least
    drivers = found.drivers(repeats=1, random_state=0)
    assert drivers["column"][0] in ("x0", "x1")
    assert found.curve_["exact"].all()


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_numbers_on_any_number_of_threads(name, table):
    before = torch.get_rng_state(), torch.get_num_threads()
    one, other = (quick(name, n_jobs=jobs).fit(*table) for jobs in (1, 2))
    for clusters, again in zip(one.clusters_, other.clusters_, strict=True):
        for k in (2, 3):
            np.testing.assert_array_equal(clusters[k], again[k])
    assert one.value_ == other.value_
    assert torch.equal(torch.get_rng_state(), before[0])
    assert torch.get_num_threads() == before[1]


def clusters_of(name, y):
    """Fit on the same 20 rows with these labels: all centroids, for every k."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    rows = np.arange(20)
    model = quick(
        name,
        folds=[(rows[:10], rows[10:]), (rows[10:], rows[:10])],
        selection="train",
        training={"epochs": 1, "rounds": 1},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X, y).clusters_


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_labels_never_reach_the_networks(name):
    # Five of either class in both parts, in any order: shares may be known, they
    # choose k.
    half = [0, 1] * 5
    first = clusters_of(name, half + half)

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.permutations(half), st.permutations(half))
    def law(one, other):
        for clusters, again in zip(first, clusters_of(name, one + other), strict=True):
            for k in (2, 3):
                np.testing.assert_array_equal(clusters[k], again[k])

    law()


@pytest.mark.parametrize("name", NAMES)
def test_images_go_through_convolutions(name):
    digits = load_digits()
    kept = np.flatnonzero(np.isin(digits.target, [0, 1]))[:20]
    found = quick(name, k_max=3, training={"epochs": 1, "rounds": 1}, latent=4)
    found.fit(digits.images[kept], digits.target[kept])
    assert found.clusters_[0][2].shape == (2, 4)


@pytest.mark.parametrize(
    ("shape", "latent", "inner", "flat"),
    [
        ((8, 8, 1), 5, 4, 2048),
        ((28, 28, 3), 64, 4, 2048),
        ((128, 128, 1), 64, 8, 16384),
        ((50, 50, 1), 2, 4, 4096),
    ],
)
def test_image_networks_have_the_layers_of_the_specification(
    shape, latent, inner, flat
):
    network = autoencoder(int(np.prod(shape)), latent, shape, seed=0)
    linear = network.encoder[-1]
    assert (linear.in_features, linear.out_features) == (flat, latent)
    assert network.decoder[2].unflattened_size[1] == inner
    x = torch.rand(2, int(np.prod(shape)))
    guess = network(x)
    assert guess.shape == x.shape
    assert 0 <= guess.min() < guess.max() <= 1


def test_pixels_come_back_where_they_were():
    from caveat.eapp.representations._networks import OffCanvas, OnCanvas

    x = torch.arange(2 * 5 * 5 * 3.0).view(2, -1)
    there, back = OnCanvas((5, 5, 3), 32), OffCanvas((5, 5, 3), 32)
    canvas = there(x)
    assert canvas.shape == (2, 3, 32, 32)
    assert canvas.sum() == x.sum()
    assert torch.equal(back(canvas), x)


def test_latent_features_are_at_most_as_many_as_columns_and_rows():
    X = np.random.default_rng(0).normal(size=(6, 20))
    assert LearnedFeatures(64, settings=FEW).fit(X).transform(X).shape == (6, 5)
    assert VariationalFeatures(64, settings=FEW).fit(X.T).transform(X.T).shape[1] == 6


def test_training_stops_when_the_loss_no_longer_falls():
    X = np.zeros((80, 3))
    found = LearnedFeatures(2, settings={"epochs": 50}).fit(X)
    assert found.training_.stopped in ("patience", "budget")
    flat = LearnedFeatures(2, settings={"learning_rate": 1e-12}).fit(
        np.random.default_rng(0).normal(size=(64, 3))
    )
    assert flat.training_.stopped == "patience"
    assert flat.training_.epochs == 101


def test_a_small_table_has_a_thousand_updates_and_patience_for_a_hundred():
    assert LearnedFeatures(2).passes(100) == (1000, 100)
    assert LearnedFeatures(2).passes(64 * 40) == (50, 5)
    assert LearnedFeatures(2).passes(64 * 10) == (100, 10)
    assert LearnedFeatures(2, settings={"epochs": 7}).passes(100) == (7, 100)
    assert LearnedFeatures(2, shape=(8, 8, 1)).passes(100) == (50, 5)


def test_batches_have_the_sizes_of_the_specification():
    assert batches(4999) == {"batch_size": 64, "drop_last": True}
    assert batches(5000) == {"batch_size": 256, "drop_last": True}
    assert not batches(64)["drop_last"]


def test_the_clustering_loss_does_not_depend_on_the_scale():
    z = torch.tensor(np.random.default_rng(0).normal(size=(30, 2)))
    centroids = z[:3]
    loss = clustering_loss(z, centroids)
    assert clustering_loss(1000 * z, 1000 * centroids) == pytest.approx(float(loss))
    # Its gradient has no part along z itself: shrinking gains nothing.
    grown = z.clone().requires_grad_()
    clustering_loss(grown, centroids).backward()
    within = (z - centroids[torch.cdist(z, centroids).argmin(1)]).square().sum(1).mean()
    spread = (z - z.mean(0)).square().sum(1).mean()
    assert float(loss) == pytest.approx(float(within / spread), rel=1e-6)


def test_the_latent_space_does_not_collapse(cancer):
    model = KMeansFeatures(2, settings={"epochs": 10, "rounds": 5, "lam": 0.1})
    with threadpool_limits(1):
        spreads = {
            k: encoder.transform(cancer).var(axis=0).sum()
            for k, _, encoder in model.path(cancer, list(range(2, 9)))
        }
    assert min(spreads.values()) > 0.5 * spreads[2]


def test_every_k_keeps_its_own_encoder_and_its_own_centroids(table):
    X, _ = table
    model = KMeansFeatures(2, settings=FEW)
    steps = {k: (c, e) for k, c, e in model.path(X, [2, 3, 5])}
    assert list(steps) == [2, 3, 5]
    for k, (clusters, encoder) in steps.items():
        Z = encoder.transform(X)
        nearest = clusters.distances(Z).argmin(axis=1)
        assert len(clusters.centroids) == k
        means = [Z[nearest == j].mean(axis=0) for j in range(k)]
        np.testing.assert_allclose(clusters.centroids, means, atol=0.5)
    one, other = (steps[k][1].transform(X) for k in (2, 5))
    assert not np.allclose(one, other)


def test_growing_stops_where_no_cluster_can_be_split():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    steps = {
        k: found for k, found, _ in KMeansFeatures(1, settings=FEW).path(X, [2, 3])
    }
    assert isinstance(steps[2], Clusters)
    assert steps[3] == "no cluster of k = 2 can be split"


def test_rounds_end_when_no_point_moves_but_not_before_the_third():
    Z = np.array([[0.0], [1.0], [9.0], [10.0]])
    gathering = Gathering(Z, np.array([[0.0], [1.0]]), unit=1.0, lam=0.01)
    assert gathering.nearest.tolist() == [0, 1, 1, 1]
    gathering.move(Z)
    np.testing.assert_allclose(gathering.centroids.ravel(), [0.5, 9.5])
    assert gathering.moved == 0.25
    gathering.move(Z)
    assert (gathering.moved, gathering.has_settled()) == (0.0, False)
    gathering.move(Z)
    assert gathering.has_settled()
    gathering.move(10 - Z)
    assert (gathering.moved, gathering.has_settled()) == (1.0, False)


def test_errors_are_counted_in_units_of_the_columns_variance():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1, 10, 100, 0]
    assert mean_variance(X) == pytest.approx(X.var(axis=0).mean())
    assert mean_variance(np.ones((3, 2))) == 1.0


def test_progress_counts_training_too(table):
    seen = []
    quick("kmeans_ae", k_max=2).fit(
        *table, progress=lambda done, total: seen.append((done, total))
    )
    fold = [1666, 3333, 5000, 6666, 8333, 10_000, 10_001]
    both = [*fold, *(10_001 + done for done in fold)]
    assert seen == [(done, 20_002) for done in both]


def test_progress_is_told_after_every_batch():
    told = []
    X = np.random.default_rng(0).normal(size=(130, 3))
    LearnedFeatures(2, tick=told.append, settings={"epochs": 2}).fit(X)
    assert told == [2500] * 4


def test_progress_is_whole_where_no_cluster_can_be_split():
    told = []
    X = np.repeat(np.eye(3), 5, axis=0)
    features = KMeansFeatures(2, tick=told.append, settings=FEW)
    reasons = {k: found for k, found, _ in features.path(X, [2, 3, 4, 5])}
    assert "can be split" in reasons[5]
    assert sum(told) == 10_000


def test_without_torch_one_sentence_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in ("_autoencoders", "_clustered_autoencoder", "_networks"):
        monkeypatch.delitem(sys.modules, f"caveat.eapp.representations.{module}")
    for name in [name for name in sys.modules if name.startswith("caveat.training.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[deep\]'"):
        quick("kmeans_ae").fit(*table)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clusterer": "ward"}, "brings its own growing k-means"),
        ({"scheme": "incremental"}, "leave both out"),
        ({"training": {"epohs": 3}}, "did you mean 'epochs'"),
        ({"training": {"epochs": 0}}, "epochs is 0; pass a whole number from 1"),
        ({"training": {"rounds": 1.5}}, r"rounds is 1\.5"),
        ({"training": {"lam": -1}}, "lam is -1; pass a number from 0"),
        ({"training": {"lam": float("nan")}}, "lam is nan"),
        ({"training": 3}, "training: found 3"),
    ],
)
def test_bad_settings_are_refused(options, words, table):
    with pytest.raises((ValueError, UnknownName), match=words):
        quick("kmeans_ae", **options).fit(*table)
