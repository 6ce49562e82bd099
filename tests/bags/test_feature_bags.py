import numpy as np
import pandas as pd
import pytest

from caveat.bags import feature_bags, random_bags
from caveat.exceptions import CaveatError

FRAME = pd.DataFrame(
    {"town": [*list("aabbbbccccccd"), None], "job": list("xyxyxyxyxyxyxy")}
)
Y = [0, 1] * 7


def test_random_bags_have_one_size_and_leave_the_rest_out():
    bags = random_bags(Y, 4, random_state=0)
    np.testing.assert_array_equal(bags.sizes, [4, 4, 4])
    assert (bags.assignment == -1).sum() == 2
    np.testing.assert_array_equal(bags.kept, np.flatnonzero(bags.assignment >= 0))


def test_there_is_a_bag_per_value_within_the_limits():
    bags = feature_bags(FRAME, Y, "town", smallest=2, largest=4)
    np.testing.assert_array_equal(bags.sizes, [2, 4])
    np.testing.assert_array_equal(bags.assignment[:6], [0, 0, 1, 1, 1, 1])
    assert (bags.assignment[6:] == -1).all()


def test_a_missing_value_is_a_value():
    bags = feature_bags(FRAME, Y, "town", smallest=1, largest=None)
    assert len(bags.sizes) == 5
    assert bags.assignment[-1] == 4


def test_pairs_of_columns_group_together():
    bags = feature_bags(FRAME, Y, ["town", "job"], smallest=2)
    groups = FRAME.groupby(["town", "job"], dropna=False).size()
    assert sorted(bags.sizes) == sorted(groups[groups >= 2])


def test_groups_are_cut_to_pieces_of_one_size():
    bags = feature_bags(FRAME, Y, "town", smallest=2, size=2, random_state=0)
    np.testing.assert_array_equal(bags.sizes, [2] * 6)
    for bag in range(6):
        assert FRAME["town"][bags.assignment == bag].nunique() == 1


def test_realised_proportions_are_those_of_the_kept_items():
    bags = feature_bags(FRAME, Y, "town", smallest=2)
    shares = pd.Series(Y).groupby(bags.assignment).mean()
    np.testing.assert_allclose(bags.proportions[:, 1], shares[shares.index >= 0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: random_bags(Y, 100), ["size", "100"]),
        (lambda: random_bags(Y, 0), ["size", "0"]),
        (lambda: feature_bags(FRAME, Y, "twon"), ["twon", "town"]),
        (lambda: feature_bags(FRAME, Y, []), ["columns"]),
        (lambda: feature_bags(FRAME, Y, "town"), ["0.0%", "has 6", "smallest is 50"]),
        (
            lambda: feature_bags(FRAME, Y, "town", smallest=6, min_kept_share=0.9),
            ["90%"],
        ),
        (lambda: feature_bags(FRAME, Y[:3], "town"), ["14", "3"]),
        (lambda: feature_bags(FRAME.to_numpy(), Y, "town"), ["DataFrame"]),
        (lambda: feature_bags(FRAME, Y, "town", smallest=9, largest=2), ["largest"]),
    ],
)
def test_bad_requests_are_named(call, words):
    with pytest.raises(CaveatError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
