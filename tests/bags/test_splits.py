import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.bags import (
    FullBagKFold,
    SplitBagBootstrap,
    SplitBagKFold,
    SplitBagShuffle,
)
from caveat.exceptions import InvalidInput

SPLITTERS = [FullBagKFold, SplitBagKFold, SplitBagShuffle, SplitBagBootstrap]


def random_bags(seed, n=80, n_bags=6, n_classes=2):
    rng = np.random.default_rng(seed)
    bags = np.concatenate([np.repeat(np.arange(n_bags), 5), rng.integers(0, n_bags, n)])
    return bags, rng.dirichlet(np.ones(n_classes), size=n_bags)


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_full_bag_folds_divide_the_bags(seed, k, n_classes):
    bags, shares = random_bags(seed, n_classes=n_classes)
    folds = list(FullBagKFold(k, random_state=seed).split(None, None, bags, shares))
    assert len(folds) == k
    held = np.concatenate([validation for _, validation in folds])
    np.testing.assert_array_equal(np.sort(held), np.arange(len(bags)))
    for train, validation in folds:
        assert not set(bags[train]) & set(bags[validation])
        assert len(train) + len(validation) == len(bags)


def test_as_many_folds_as_bags_leave_one_out_each():
    bags, shares = random_bags(0)
    folds = FullBagKFold(6, random_state=0).split(None, None, bags, shares)
    held = sorted(set(bags[rows].tolist()).pop() for _, rows in folds)
    assert held == list(range(6))


def test_folds_lean_towards_the_global_share():
    bags = np.repeat(np.arange(20), 10)
    shares = np.tile([0.05, 0.25, 0.9, 0.1], 5)
    rng = np.random.default_rng(0)

    def spread(fold_of):
        return np.std([shares[fold_of == fold].mean() for fold in range(5)])

    found, blind = [], []
    for seed in range(60):
        folds = FullBagKFold(5, random_state=seed).split(None, None, bags, shares)
        found.append(np.std([shares[bags[held]].mean() for _, held in folds]))
        blind.append(spread(rng.permutation(np.repeat(np.arange(5), 4))))
    assert np.mean(found) < np.mean(blind)


@given(st.integers(0, 1000), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_split_bag_folds_cut_every_bag_evenly(seed, k):
    bags, shares = random_bags(seed)
    folds = list(SplitBagKFold(k, random_state=seed).split(None, None, bags, shares))
    held = np.concatenate([validation for _, validation in folds])
    np.testing.assert_array_equal(np.sort(held), np.arange(len(bags)))
    sizes = np.bincount(bags)
    for train, validation in folds:
        inside = np.bincount(bags[validation], minlength=6)
        assert (np.abs(inside - sizes / k) < 1).all()
        assert len(set(train) & set(validation)) == 0


@given(st.integers(0, 1000), st.floats(0.05, 0.95))
@settings(max_examples=25, deadline=None)
def test_shuffled_halves_take_the_same_share_of_every_bag(seed, share):
    bags, shares = random_bags(seed)
    splitter = SplitBagShuffle(2, validation_size=share, random_state=seed)
    sizes = np.bincount(bags)
    for train, validation in splitter.split(None, None, bags, shares):
        wanted = np.minimum(np.rint(share * sizes), sizes - 1)
        np.testing.assert_array_equal(
            np.bincount(bags[validation], minlength=6), wanted
        )
        np.testing.assert_array_equal(
            np.sort(np.concatenate([train, validation])), np.arange(len(bags))
        )


def test_shares_of_validation_may_differ_from_bag_to_bag():
    bags, shares = np.repeat([0, 1], 10), [0.2, 0.8]
    splitter = SplitBagShuffle(1, validation_size=[0.0, 0.9])
    ((_, validation),) = splitter.split(None, None, bags, shares)
    np.testing.assert_array_equal(bags[validation], np.ones(9))


def test_bootstrap_parts_have_the_right_sizes_and_may_share_items():
    bags, shares = np.repeat([0, 1], [10, 21]), [0.2, 0.8]
    for train, validation in SplitBagBootstrap(4, random_state=0).split(
        None, None, bags, shares
    ):
        np.testing.assert_array_equal(np.bincount(bags[validation]), [5, 10])
        np.testing.assert_array_equal(np.bincount(bags[train]), [5, 11])
        assert len(np.unique(train)) < len(train)


def test_disjoint_bootstraps_validate_on_what_they_missed():
    bags, shares = np.repeat([0, 1], [10, 21]), [0.2, 0.8]
    splitter = SplitBagBootstrap(4, disjoint=True, random_state=0)
    for train, validation in splitter.split(None, None, bags, shares):
        assert not set(train) & set(validation)
        assert len(train) == 31


@pytest.mark.parametrize("kind", SPLITTERS)
def test_the_same_seed_gives_the_same_splits(kind):
    bags, shares = random_bags(0)
    first = list(kind(3, random_state=1).split(None, None, bags, shares))
    second = list(kind(3, random_state=1).split(None, None, bags, shares))
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, [0.5], [0.5, 1.0]])
def test_validation_shares_that_leave_no_training_are_refused(share):
    with pytest.raises(InvalidInput, match="validation_size"):
        list(
            SplitBagShuffle(1, validation_size=share).split(
                None, None, [0, 1], [0.2, 0.8]
            )
        )
