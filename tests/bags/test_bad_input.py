"""What is wrong with bags, shares and requests is said, line by line (L1 to L21)."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from caveat.bags import (
    FullBagKFold,
    InverseCalibration,
    LaplacianMeanMap,
    MeanMap,
    SplitBagBootstrap,
    SplitBagKFold,
    SplitBagShuffle,
    bag_hardness,
    bag_proportions,
    check_feasibility,
    identify_variant,
    make_bags,
    search,
)
from caveat.bags.registry import LEARNERS
from caveat.exceptions import InvalidInput, UnknownName

X = np.random.default_rng(0).normal(size=(40, 3))
BAGS = np.arange(40) % 4
Y = np.arange(40) % 2
SHARES = [0.1, 0.3, 0.5, 0.7]
FRAME, LATER = pd.DataFrame(X), pd.RangeIndex(1, 41)


def fit(proportions, bags=BAGS):
    return MeanMap().fit(X, bags=bags, proportions=proportions)


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_l1_shares_that_do_not_sum_to_one():
    table = [[0.5, 0.5], [0.5, 0.5], [0.5, 0.4], [0.5, 0.5]]
    refused(lambda: fit(table), "proportions: bag 2 sums to 0.9; expected 1", "1e-06")
    table[2] = [0.5, 0.5 + 5e-7]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(table)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_l3_shares_that_are_no_numbers_name_bag_and_class(value):
    table = [[0.5, 0.5], [0.5, 0.5], [value, 0.5], [0.5, 0.5]]
    refused(lambda: fit(table), "proportions: bag 2, class 0 is", str(value))
    refused(lambda: fit([0.5, value, 0.5, 0.5]), f"bag 1, class 1 is {value}")


def test_l5_a_row_without_items_is_skipped():
    longer = fit([*SHARES, np.nan])
    np.testing.assert_array_equal(longer.coef_, fit(SHARES).coef_)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda bags, _: fit_frame(bags), "bags"),
        (lambda bags, _: search(MeanMap(), {"lam": [1]}, FRAME, bags, SHARES), "bags"),
        (lambda bags, _: identify_variant(FRAME, Y, bags), "bags"),
        (lambda bags, _: bag_hardness(FRAME, bags, SHARES), "bags"),
        (
            lambda bags, _: list(FullBagKFold(2).split(FRAME, None, bags, SHARES)),
            "bags",
        ),
        (lambda bags, _: bag_proportions(pd.Series(Y), bags), "bags"),
        (lambda _, y: identify_variant(FRAME, y, BAGS), "y"),
        (lambda _, y: identify_variant(X, y, pd.Series(BAGS)), "y"),
        (lambda _, y: make_bags(FRAME, y, variant="simple"), "y"),
        (lambda _, y: check_feasibility(FRAME, y, variant="simple"), "y"),
    ],
)
def test_l7_another_index_is_refused_never_aligned(call, name):
    bags, y = pd.Series(BAGS, index=LATER), pd.Series(Y, index=LATER)
    refused(lambda: call(bags, y), f"{name}: the index differs", "row 0")


def fit_frame(bags):
    return MeanMap().fit(FRAME, bags=bags, proportions=SHARES)


@pytest.mark.parametrize("entry", LEARNERS.values(), ids=lambda entry: entry.name)
def test_l9_equal_shares_in_all_bags_are_told_by_every_learner(entry):
    learner = entry.load()(**entry.params)
    quick = {"hidden": (2,), "n_steps": 2, "epochs": None, "random_state": 0}
    known = learner.get_params()
    learner.set_params(**{name: quick[name] for name in quick.keys() & known.keys()})
    with pytest.warns(UserWarning, match="rank 1 < 2 classes") as told:
        model = clone(learner).fit(X, bags=BAGS, proportions=[0.3] * 4)
    assert type(learner).__name__ in str(told[0].message)
    assert np.isfinite(model.predict_proba(X)).all()


def test_l9_a_class_with_equal_shares_is_told_by_those_who_learn_one_by_one():
    table = np.array([[0.2, 0.5, 0.3], [0.2, 0.3, 0.5], [0.2, 0.1, 0.7], [0.2, 0, 0.8]])
    with pytest.warns(UserWarning, match="class '0' has the same share in every bag"):
        fit(table)


def test_l11_a_bag_of_one_item_is_never_without_training():
    bags, shares = [0, 1, 1, 1, 1], [0.0, 0.5]
    refused(
        lambda: list(SplitBagKFold(2).split(None, None, bags, shares)),
        "bag '0' has fewer",
    )
    for kind in (SplitBagShuffle, SplitBagBootstrap):
        splits = kind(20, validation_size=0.9, random_state=0).split(
            None, None, bags, shares
        )
        assert all(0 in train for train, _ in splits)
    disjoint = SplitBagBootstrap(20, disjoint=True, random_state=0)
    assert all(0 in train for train, _ in disjoint.split(None, None, bags, shares))


def test_l13_sizes_are_targets_and_the_result_says_what_came_of_them():
    bags = make_bags(None, Y, variant="naive", sizes=[3, 1], random_state=0)
    np.testing.assert_array_equal(bags.sizes, [30, 10])
    np.testing.assert_array_equal(bags.sizes, np.bincount(bags.assignment))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([5, 0], ["sizes", "0 for bag 1"]),
        ([5, -1], ["sizes", "-1 for bag 1"]),
        ([5, np.nan], ["sizes", "nan for bag 1"]),
        (["a", 1], ["sizes", "'a'"]),
        ([1, 2, 3], ["sizes 3", "proportions 2"]),
    ],
)
def test_l13_sizes_that_make_no_sense_are_refused(sizes, words):
    refused(
        lambda: make_bags(
            None, Y, variant="simple", sizes=sizes, proportions=[0.4, 0.6]
        ),
        *words,
    )


def test_l15_naive_takes_no_proportions():
    refused(
        lambda: make_bags(None, Y, variant="naive", proportions=[0.5, 0.5]),
        "Naive takes no proportions; use simple",
    )


def test_l17_parts_of_items_are_rounded_and_the_result_says_how():
    y = [0, 0, 0, 1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bags = make_bags(
            None, y, variant="simple", sizes=[3, 3], proportions=[0.5, 0.5]
        )
    assert sorted(bags.proportions[:, 1] * 3) == pytest.approx([1, 2])


def test_l17_more_than_an_item_off_is_told():
    with pytest.warns(UserWarning, match="miss their targets"):
        make_bags(None, Y, variant="simple", proportions=[0.9, 0.8], random_state=0)


@pytest.mark.parametrize("kind", [MeanMap, LaplacianMeanMap, InverseCalibration])
def test_l19_ten_classes_are_learnt_one_against_the_rest_or_refused(kind):
    table = np.random.default_rng(1).dirichlet(np.ones(10), size=4)
    with pytest.warns(UserWarning, match="with 10 it learns each against the rest"):
        model = kind().fit(X, bags=BAGS, proportions=table)
    assert model.predict_proba(X).shape == (40, 10)
    refused(
        lambda: kind(multiclass="error").fit(X, bags=BAGS, proportions=table),
        "proportions: found 10 classes",
    )


@pytest.mark.parametrize("k", [1, 0, "5", 2.5, True, None])
def test_l21_numbers_of_folds_that_make_no_sense_are_refused(k):
    refused(lambda: FullBagKFold(k), "n_splits", repr(k))
    refused(lambda: SplitBagKFold(k), "n_splits", repr(k))
    refused(
        lambda: search(MeanMap(), {"lam": [1]}, X, BAGS, SHARES, n_splits=k),
        "n_splits",
        repr(k),
    )


def test_l21_more_folds_than_bags_are_refused():
    refused(
        lambda: list(FullBagKFold(5).split(None, None, BAGS, SHARES)),
        "5 folds for 4 bags",
    )


@pytest.mark.parametrize(
    ("proportions", "bags", "words"),
    [
        ([30, 40, 50, 60], BAGS, ["bag 0, class 1 is 30", "not counts"]),
        ([[3, 7]] * 4, BAGS, ["bag 0, class 1 is 7", "not counts"]),
        (SHARES, BAGS.astype(str), ["'0'", "keyed by id"]),
        ({"0": 0.1, "1": 0.2}, BAGS % 2, ["numbers and text are different ids"]),
        (SHARES, np.where(BAGS == 1, np.nan, BAGS), ["bags", "nan"]),
        (SHARES, [None, *BAGS[1:]], ["bags", "None"]),
    ],
)
def test_what_else_is_mistyped_in_bags_and_shares(proportions, bags, words):
    refused(lambda: fit(proportions, bags), *words)


def test_labels_of_one_class_are_shown_as_they_were_given():
    refused(lambda: MeanMap().fit(X, np.zeros(40, int)), "one class, 0;")
    refused(lambda: make_bags(None, ["a"] * 9, variant="naive"), "one class, 'a';")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learner": "mm"}, ["learner", "'mm'"]),
        ({"strategies": "split-bag-kfold"}, ["strategies", "list"]),
        ({"grid": {"lam": []}}, ["grid: lam has no values"]),
        ({"grid": {"lam": 1}}, ["grid: lam is 1"]),
        ({"grid": []}, ["grid", "no configuration"]),
    ],
)
def test_searches_that_cannot_be_are_refused(change, words):
    asked = {"learner": MeanMap(), "grid": {"lam": [1]}, **change}
    given = {"X": X, "bags": BAGS, "proportions": SHARES}
    refused(lambda: search(**asked, **given), *words)


def test_a_mistyped_strategy_gets_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'split-bag-kfold'"):
        search(MeanMap(), {"lam": [1]}, X, BAGS, SHARES, strategies=["split-bag-kfol"])


def test_labels_of_items_are_no_proportions():
    refused(lambda: fit(Y), "which are labels", "one share per bag")
    refused(lambda: fit(Y.astype(float)), "which are labels")
    refused(lambda: fit(Y[:, None]), "which are labels")
    refused(lambda: fit(["no", "yes"] * 2), "'no', 'yes' for 4 bags, which are labels")


def test_whole_numbers_for_bags_of_many_items_are_warned_of():
    with pytest.warns(UserWarning, match="every bag is said to hold one class only"):
        fit([0, 1, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([0.0, 1.0, 1.0, 0.0])
        fit(Y, bags=np.arange(40))


@pytest.mark.parametrize("variant", ["intermediate", "hard"])
def test_one_cluster_is_warned_of(variant):
    with pytest.warns(UserWarning, match="bags cannot depend on the features"):
        make_bags(X, Y, variant=variant, n_bags=2, n_clusters=1, random_state=0)
