import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.bags.criteria import bag_kl, bag_l1, bag_l1_weighted
from caveat.bags.registry import RULES
from caveat.exceptions import InvalidInput
from caveat.measures import MEASURES
from caveat.shift.registry import RULES as SHIFT_RULES

ALL = [bag_l1, bag_l1_weighted, bag_kl]


def problem(seed, n_classes=2, n=40, n_bags=4):
    rng = np.random.default_rng(seed)
    bags = rng.integers(0, n_bags, n)
    proba = rng.dirichlet(np.ones(n_classes), size=n)
    return proba, bags, rng.dirichlet(np.ones(n_classes), size=n_bags)


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_they_equal_a_plain_loop_over_bags(seed, n_classes):
    proba, bags, shares = problem(seed, n_classes)
    total = weighted = divergence = 0.0
    present = np.unique(bags)
    for bag in present:
        mean, p = proba[bags == bag].mean(axis=0), shares[bag]
        gap = abs(mean[1] - p[1]) if n_classes == 2 else np.abs(mean - p).sum()
        total += gap
        weighted += gap * np.mean(bags == bag)
        divergence += np.sum(p * np.log(p / mean)) / len(present)
    assert bag_l1(proba, bags, shares) == pytest.approx(total)
    assert bag_l1_weighted(proba, bags, shares) == pytest.approx(weighted)
    assert bag_kl(proba, bags, shares) == pytest.approx(divergence)


@pytest.mark.parametrize("criterion", ALL)
@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_they_do_not_depend_on_the_order_of_items_or_names_of_bags(criterion, seed):
    proba, bags, shares = problem(seed)
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(bags)), rng.permutation(len(shares))
    renamed = np.argsort(names)[bags]
    assert criterion(proba[order], renamed[order], shares[names]) == pytest.approx(
        criterion(proba, bags, shares)
    )


@pytest.mark.parametrize("criterion", ALL)
def test_the_right_shares_have_criterion_zero_whatever_the_items(criterion):
    labels, bags = np.array([0, 1, 1, 1]), [0, 0, 1, 1]
    assert criterion(labels, bags, [0.5, 1.0]) == pytest.approx(0, abs=1e-5)
    assert criterion(labels[[1, 0, 2, 3]], bags, [0.5, 1.0]) == pytest.approx(
        0, abs=1e-5
    )


@pytest.mark.parametrize("criterion", ALL)
def test_labels_count_like_certain_probabilities(criterion):
    labels = np.array([0, 1, 1, 0, 1])
    bags, shares = [0, 0, 1, 1, 1], [[0.3, 0.7], [0.2, 0.8]]
    assert criterion(labels, bags, shares) == criterion(np.eye(2)[labels], bags, shares)


def test_bags_without_items_count_nothing():
    assert bag_l1([1, 1], [0, 0], [1.0, 0.3, np.nan]) == 0


def test_bags_without_proportions_are_refused():
    with pytest.raises(InvalidInput, match="proportions has 1"):
        bag_l1([0, 1], [0, 1], [0.5])


@pytest.mark.parametrize("rules", [RULES, SHIFT_RULES], ids=["bags", "shift"])
def test_a_rule_warns_of_itself_and_borrows_from_no_measure(rules):
    borrowed = {one.target for one in MEASURES.values()}
    warned = {one.warnings for one in rules.values() if not one.facts["oracle"]}
    for one in rules.values():
        assert one.target not in borrowed, one.name
        if one.facts["oracle"]:
            assert "not what a user will get" in one.warnings
            assert one.warnings not in warned, one.name
