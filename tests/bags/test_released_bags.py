"""Bag for bag what was released, on the twenty sets with five bags."""

import numpy as np
import pytest

from caveat.bags import bag_hardness, bag_proportions, make_bags, standard_bags
from caveat.bags.worlds._clusters import cluster_items
from caveat.bags.worlds._standard import SEED

SMALL = [one for one in standard_bags("adult") if one.bags == "small"]
QUICK = [one for one in SMALL if one.variant != "intermediate"]
SLOW = [one for one in SMALL if one.variant == "intermediate"]


def assert_as_released(adult, one):
    made = one.make(adult.X, adult.y, clusters=adult.clusters)
    np.testing.assert_array_equal(made.assignment, adult.bags(one.name))


def test_there_are_seventy_two_standard_sets():
    assert len({one.name for one in standard_bags()}) == 72


@pytest.mark.thorough
@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_legacy_bags_equal_the_released_ones(adult, one):
    assert_as_released(adult, one)


@pytest.mark.slow
@pytest.mark.parametrize("one", SLOW, ids=lambda one: one.name)
def test_legacy_intermediate_bags_equal_the_released_ones(adult, one):
    assert_as_released(adult, one)


@pytest.mark.slow
def test_legacy_clusters_equal_those_behind_the_released_bags(adult):
    found = cluster_items(adult.X, 5, SEED, legacy=True)
    np.testing.assert_array_equal(found, adult.clusters)


def test_exact_mixtures_come_much_closer_than_the_released_descent(adult):
    residuals = []
    for one in SLOW:
        with pytest.warns(UserWarning, match="miss"):
            made = make_bags(
                None,
                adult.y,
                variant="intermediate",
                sizes=one.target_sizes,
                proportions=one.target_proportions,
                clusters=adult.clusters,
                random_state=0,
            )
        residuals.append(made.residual)
    assert min(residuals) > 20
    assert max(residuals) < 310


@pytest.mark.parametrize(
    ("name", "std", "inter", "intra", "separation"),
    [
        ("hard-small-equal-mixed-cluster-kmeans-5", 0.0934, 10.6287, 10.4415, 1.01793),
        (
            "intermediate-small-not-equal-far-global-cluster-kmeans-5",
            0.0789,
            10.6442,
            10.1966,
            1.04390,
        ),
        (
            "naive-small-equal-None-cluster-None-None",
            0.0050,
            10.5897,
            10.5884,
            1.00012,
        ),
        (
            "simple-small-equal-far-global-cluster-None-None",
            0.1147,
            10.5955,
            10.5637,
            1.00302,
        ),
    ],
)
def test_hardness_of_released_bags(adult, name, std, inter, intra, separation):
    bags = adult.bags(f"adult-{name}")
    found = bag_hardness(adult.X, bags, bag_proportions(adult.y, bags))
    assert found.proportion_std == pytest.approx(std, abs=5e-5)
    assert found.inter["mean"] == pytest.approx(inter, abs=5e-5)
    assert found.intra["mean"] == pytest.approx(intra, abs=5e-5)
    assert found.separation == pytest.approx(separation, abs=5e-6)
    assert found.size_mean == pytest.approx(9768.4)
