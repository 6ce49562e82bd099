import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.bags import bag_proportions, check_feasibility, make_bags
from caveat.bags.worlds._bags import VARIANTS
from caveat.exceptions import CaveatError, InvalidInput


def labelled(n=400, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, 3)) + 2.0 * y[:, None], y


def quiet(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_bags(*args, **kwargs)


@pytest.mark.thorough
@given(
    variant=st.sampled_from(VARIANTS),
    n_bags=st.integers(1, 7),
    sizes=st.sampled_from(["equal", "not-equal"]),
    n_classes=st.integers(2, 4),
    seed=st.integers(0, 1000),
)
@settings(max_examples=25, deadline=None)
def test_every_item_is_in_one_bag_and_sizes_add_up(
    variant, n_bags, sizes, n_classes, seed
):
    X, y = labelled(200, n_classes, seed)
    clusters = (X[:, 0] > 1).astype(int) + 2 * (X[:, 1] > 1)
    clusters = np.unique(clusters, return_inverse=True)[1]
    bags = quiet(
        X,
        y,
        variant=variant,
        n_bags=n_bags,
        sizes=sizes,
        clusters=clusters,
        random_state=seed,
    )
    assert bags.sizes.sum() == len(y)
    assert bags.sizes.min() > 0
    np.testing.assert_array_equal(bags.sizes, np.bincount(bags.assignment))
    np.testing.assert_allclose(bags.proportions, bag_proportions(y, bags.assignment))
    np.testing.assert_array_equal(bags.targets.sizes.sum(), len(y))


@pytest.mark.parametrize("variant", ["simple", "hard"])
def test_targets_that_agree_are_met_to_the_item(variant):
    X, y = labelled()
    share = y.mean()
    wanted = [share - 0.2, share + 0.2]
    bags = make_bags(X, y, variant=variant, proportions=wanted, random_state=0)
    gap = (bags.proportions[:, 1] - wanted) * bags.sizes
    assert np.abs(gap).max() <= 1
    assert bags.notes == ()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_seed_gives_the_same_bags(variant):
    X, y = labelled()
    first = quiet(X, y, variant=variant, random_state=3).assignment
    second = quiet(X, y, variant=variant, random_state=3).assignment
    other = quiet(X, y, variant=variant, random_state=4).assignment
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_size_times_share_is_rounded_and_both_margins_hold():
    bags = make_bags(
        None, [0, 0, 0, 1, 1, 1], variant="simple", sizes=[3, 3], proportions=[0.5, 0.5]
    )
    np.testing.assert_array_equal(bags.sizes, [3, 3])
    assert sorted(bags.proportions[:, 1].round(3)) == [0.333, 0.667]


def test_targets_that_cannot_be_had_are_told_before_and_after():
    y = [0, 1] * 50
    before = check_feasibility(None, y, variant="simple", proportions=[0.9, 0.8])
    assert not before.exact
    with pytest.warns(UserWarning, match="miss their targets"):
        after = make_bags(None, y, variant="simple", proportions=[0.9, 0.8])
    np.testing.assert_allclose(before.reachable, after.proportions)
    assert before.residual == pytest.approx(after.residual)


def test_intermediate_bags_depend_on_clusters_only():
    rng = np.random.default_rng(0)
    clusters = np.repeat([0, 1], 500)
    y = (rng.random(1000) < np.where(clusters == 1, 0.7, 0.3)).astype(int)
    bags = quiet(
        None, y, variant="intermediate", proportions=[0.35, 0.65], clusters=clusters
    ).assignment
    for cluster in (0, 1):
        inside = clusters == cluster
        by_label = [np.mean(bags[inside & (y == c)]) for c in (0, 1)]
        assert abs(by_label[0] - by_label[1]) < 0.12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sizes": [1, 0]}, ["sizes", "0", "bag 1"]),
        ({"sizes": [1, -2]}, ["sizes", "-2"]),
        ({"sizes": [1, 2, 3], "proportions": [0.5, 0.5]}, ["sizes 3", "proportions 2"]),
        ({"n_bags": 0}, ["n_bags", "0"]),
        ({"n_bags": 1000}, ["n_bags", "1000"]),
        ({"sizes": [1000, 1e-9]}, ["bag 1", "none"]),
        ({"proportions": "far"}, ["far-global"]),
        ({"variant": "simpel"}, ["simple"]),
        ({"proportions": [[0.5, 0.6]]}, ["bag 0", "1.1"]),
        ({"proportions": [1.5]}, ["bag 0", "class"]),
        ({"proportions": 0.5}, ["proportions", "per bag"]),
        ({"proportions": [0.0, 0.0]}, ["class 1"]),
        ({"variant": "hard", "X": None}, ["X", "none"]),
        ({"variant": "hard", "clusters": [0, 2] * 50}, ["cluster 1"]),
        ({"variant": "hard", "n_clusters": 1000}, ["n_clusters", "1000"]),
        ({"variant": "hard", "X": [["a"]] * 100}, ["X", "TableEncoder"]),
        ({"legacy": True, "random_state": None}, ["random_state"]),
        ({"y": [1] * 100}, ["y", "one class"]),
        ({"y": [1.0, np.nan] * 50}, ["y", "row 1"]),
    ],
)
def test_bad_requests_are_named(change, words):
    X, y = labelled(100)
    given = {"X": X, "y": y, "variant": "simple", **change}
    with pytest.raises((CaveatError, ValueError)) as caught:
        make_bags(given.pop("X"), given.pop("y"), **given)
    for word in words:
        assert word in str(caught.value)


def test_a_legacy_draw_that_leaves_a_bag_empty_is_an_error_or_tried_again():
    y = [0, 1] * 4
    tight = {"variant": "naive", "n_bags": 7, "legacy": True, "random_state": 0}
    with pytest.raises(InvalidInput, match="got no item"):
        make_bags(None, y, **tight)
    assert make_bags(None, y, retries=5000, **tight).sizes.min() == 1


def test_the_frame_shows_targets_beside_what_came_of_them():
    frame = make_bags(None, [0, 1] * 10, variant="simple", n_bags=2).to_frame()
    assert {"size", "share of 1", "target size", "target share of 1"} <= set(frame)
