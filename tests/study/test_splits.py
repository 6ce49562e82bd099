import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.datasets import from_frame
from caveat.exceptions import CaveatError
from caveat.study.trials._splits import split_rows

SETTINGS = {"test-size": 0.25, "stratify": True, "groups": None, "order": None}


def dataset(labels, **columns):
    frame = pd.DataFrame({"x": np.arange(len(labels)), **columns})
    return from_frame(
        frame.assign(y=labels), target="y", name="small", task="multiclass"
    )


@pytest.mark.thorough
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    labels=st.lists(st.sampled_from("abc"), min_size=4, max_size=60),
    share=st.floats(0.05, 0.9),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_row_is_on_exactly_one_side_and_classes_keep_their_shares(
    labels, share, seed
):
    data = dataset(["a", "b", *labels])
    found = split_rows(data, {**SETTINGS, "test-size": share}, seed)
    together = np.sort(np.concatenate([found.train, found.test]))
    np.testing.assert_array_equal(together, np.arange(len(data.X)))
    assert len(found.train) > 0
    assert len(found.test) > 0
    y = data.y.to_numpy()
    for name in np.unique(y):
        size = (y == name).sum()
        wanted = min(share * size, size - 1)
        assert abs((y[found.test] == name).sum() - wanted) <= 1
    again = split_rows(data, {**SETTINGS, "test-size": share}, seed)
    assert again.digest == found.digest


def test_a_class_of_one_item_stays_in_the_training_part():
    data = dataset(["a"] * 10 + ["b"] * 9 + ["c"])
    found = split_rows(data, SETTINGS, 0)
    assert 19 in found.train


def test_no_group_is_on_both_sides():
    groups = np.repeat(list("pqrst"), 4)
    data = dataset(list("ab") * 10, group=groups)
    found = split_rows(data, {**SETTINGS, "groups": "group"}, 0)
    assert set(groups[found.train]).isdisjoint(groups[found.test])


def test_the_last_rows_by_order_are_the_test_part():
    when = np.arange(20)[::-1]
    data = dataset(list("ab") * 10, when=when)
    found = split_rows(data, {**SETTINGS, "order": "when"}, 0)
    assert when[found.test].min() > when[found.train].max()


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"groups": "gruop"}, "did you mean 'group'"),
        ({"groups": "one"}, "one group only"),
        ({"order": "holes"}, "missing values"),
    ],
)
def test_columns_that_cannot_divide_rows_are_refused(settings_, words):
    labels = list("ab") * 5
    data = dataset(
        labels, group=np.arange(10), one="same", holes=[np.nan, *range(1, 10)]
    )
    with pytest.raises(CaveatError, match=words):
        split_rows(data, {**SETTINGS, **settings_}, 0)
