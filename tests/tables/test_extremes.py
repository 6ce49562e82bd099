"""Degenerate tables: a finite, documented result or one sentence; never a crash."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from caveat.exceptions import CaveatError, InvalidInput
from caveat.tables import ConstantImputer, TableEncoder, column_constants

STRANGE_NAMES = [
    "😀",
    "\u200fright to left",
    "line\nend",
    "x" * 10_000,
    "",
    "-x",
    "..",
    "/",
    "a\0b",
    "CON",
    "blank ",
    "A",
    "a",
    "é",
    "e\u0301",
]


def test_strange_names_are_only_names():
    frame = pd.DataFrame({name: [1.0, 2.0] for name in STRANGE_NAMES})
    encoder = TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == STRANGE_NAMES
    assert np.isfinite(encoder.transform(frame[STRANGE_NAMES[::-1]])).all()


def test_a_column_without_any_value_becomes_zero_with_a_warning():
    frame = pd.DataFrame({"a": [np.nan, np.nan], "b": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="'a'"):
        encoder = TableEncoder().fit(frame)
    assert encoder.transform(frame)[:, 0].tolist() == [0.0, 0.0]
    assert np.isfinite(encoder.transform(frame.fillna(5.0))).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_with_column_and_row(value):
    frame = pd.DataFrame({"a": [1.0, value]})
    with pytest.raises(InvalidInput, match=r"'a' holds infinity in 1 rows \(row 1"):
        TableEncoder().fit(frame)
    with pytest.raises(InvalidInput, match="infinity"):
        TableEncoder().fit(frame[:1]).transform(frame)


@pytest.mark.parametrize(
    "column",
    [
        np.array([1, 2, 3], dtype=">f8"),
        np.array([1, 2, 3], dtype=">i2"),
        np.array([1, 2, 3], dtype=np.float16),
        np.array([100, 120, 127], dtype=np.int8),
        np.array([0, 2**63, 2**64 - 1], dtype=np.uint64),
        np.arange(9.0)[::3],
        pd.array([1, None, 3], dtype="Int64"),
        pd.array([1.5, None, 3], dtype="Float64"),
        pd.array([True, None, False], dtype="boolean"),
        pd.array(["a", None, "b"], dtype="string"),
        pd.array([1, None, 3], dtype="int64[pyarrow]"),
        pd.Categorical(["a", None, "b"], ["a", "b", "unused"]),
        pd.arrays.SparseArray([0, 0, 1.5]),
        pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
        pd.to_datetime(["2020-01-01", None, "2021-01-01"], utc=True),
        pd.to_timedelta(["1D", None, "2D"]),
        pd.period_range("2020", periods=3, freq="Y"),
        pd.Series([1, "a", None], dtype=object),
        pd.Series([1, True, 1.0], dtype=object),
        pd.Series([8e307, -8e307, 8e307]),
        pd.Series([5e-324, 0.0, 1e-310]),
        pd.Series([0.1, 0.1, 0.1]),
    ],
    ids=lambda column: str(getattr(column, "dtype", column)),
)
def test_every_type_of_column_becomes_finite_numbers(column):
    frame = pd.DataFrame({"a": column, "b": [1, 2, 3]}).set_axis([7, 7, 7], axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for scale in ("standard", "minmax", None):
            found = TableEncoder(scale=scale).fit_transform(frame)
            assert np.isfinite(found).all()
            assert len(found) == 3


@pytest.mark.parametrize("categories", ["onehot", "ordinal", "keep"])
@pytest.mark.parametrize(
    "cells",
    [[1, "a", None, 2.5, True], [1, 2, 3, 2.0, None], ["1", "a", 1, None, "2"]],
    ids=["mixed", "whole numbers", "digits"],
)
def test_a_level_is_the_same_in_a_row_alone(cells, categories):
    kinds = {"a": "categorical"}
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    encoder = TableEncoder(kinds=kinds, categories=categories).fit(frame)
    together = np.asarray(encoder.transform(frame))
    for row in range(len(frame)):
        alone = frame.iloc[[row]]
        np.testing.assert_array_equal(encoder.transform(alone), together[[row]])
    # Numbers become floats where one cell is missing; among text they stay numbers.
    strange = frame.assign(a=[cells[0], None, None, None, "strange"])
    np.testing.assert_array_equal(
        np.asarray(encoder.transform(strange))[0], together[0]
    )


def test_whole_numbers_are_the_same_levels_beside_a_missing_cell():
    kinds = {"a": "categorical"}
    encoder = TableEncoder(kinds=kinds, categories="keep")
    encoder.fit(pd.DataFrame({"a": [1, 2, 3]}))
    told = encoder.transform(pd.DataFrame({"a": [1.0, np.nan]}))
    assert told["a"].tolist() == ["1", "missing"]


def test_numbers_too_large_to_scale_are_refused():
    frame = pd.DataFrame({"a": [1.7e308, -1.7e308]})
    with pytest.raises(InvalidInput, match="'a' hold numbers too large"):
        TableEncoder(scale="minmax").fit(frame)


@pytest.mark.parametrize("impute", ["mean", "median"])
def test_the_largest_numbers_fill_gaps_by_a_finite_number(impute):
    largest = np.finfo(float).max
    frame = pd.DataFrame({"a": [largest, largest, np.nan], "b": [1.0, 2.0, 3.0]})
    found = TableEncoder(scale=None, impute=impute).fit_transform(frame)
    assert found[2, 0] == largest


def test_read_only_and_memory_mapped_tables_are_not_written_to(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert TableEncoder().fit_transform(mapped).shape == (3, 2)
    assert TableEncoder().fit_transform(pd.DataFrame(mapped)).shape == (3, 2)


def test_the_table_stays_as_it_was():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", None, "y"]})
    before = frame.copy()
    TableEncoder().fit_transform(frame)
    ConstantImputer().fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (sparse.csr_array(np.eye(3)), "sparse matrix"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
        (pd.DataFrame([[1, 2]], columns=[["a", "b"], ["c", "d"]]), "2 header levels"),
        (pd.DataFrame([[1, 2]], columns=["a", 0]), "several types"),
        (pd.DataFrame({"a": []}), "0 sample"),
        (pd.DataFrame(index=[0, 1]), "0 feature"),
        (pd.DataFrame({"a": [[1], [2]]}), "'a' holds list"),
        (pd.DataFrame({"a": [1j]}), "complex"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(table, words):
    with pytest.raises(InvalidInput, match=words) as told:
        TableEncoder().fit(table)
    assert "\n" not in str(told.value)


def test_numbers_as_column_names_are_names():
    frame = pd.DataFrame({2: [1.0, 2.0], 10: ["x", "y"]})
    encoder = TableEncoder(kinds={2: "numerical"}, scale=None).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["2", "10=x", "10=y"]
    assert encoder.transform(frame[[10, 2]]).tolist() == [[1, 1, 0], [2, 0, 1]]


@pytest.mark.parametrize(
    "levels", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]
)
def test_a_column_of_names_is_coded_and_never_spread_out(levels):
    names = np.random.default_rng(0).permutation(levels)
    frame = pd.DataFrame({"id": pd.array(names, dtype="int64")})
    encoder = TableEncoder({"id": "categorical"}, "ordinal").fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame).ravel(), names)
    encoder.set_params(categories="onehot")
    with pytest.raises(InvalidInput, match=rf"{levels} of them from column 'id'"):
        encoder.transform(frame)


def test_one_row_is_enough():
    frame = pd.DataFrame({"a": [3.0], "b": ["x"]})
    assert TableEncoder().fit_transform(frame).tolist() == [[0.0, 1.0]]


def test_no_rows_can_be_encoded_by_a_fitted_encoder():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [3.0], "b": ["x"]}))
    assert encoder.transform(pd.DataFrame({"a": [], "b": []})).shape == (0, 2)


columns = st.one_of(
    arrays.arrays(np.float64, 4, elements=st.floats(allow_infinity=False)),
    arrays.arrays(np.int8, 4),
    arrays.arrays(np.uint64, 4),
    arrays.arrays(np.float16, 4, elements=st.floats(width=16, allow_infinity=False)),
    arrays.arrays(np.bool_, 4),
    st.lists(st.none() | st.text(max_size=2), min_size=4, max_size=4),
    st.lists(
        st.none() | st.booleans() | st.integers() | st.text(max_size=2),
        min_size=4,
        max_size=4,
    ),
)


options = st.fixed_dictionaries(
    {
        "categories": st.sampled_from(["onehot", "ordinal", "keep"]),
        "scale": st.sampled_from([None, "standard", "minmax"]),
        "impute": st.sampled_from(["mean", "median", "mode", "zero"]),
        "missing_level": st.sampled_from(["own", "mode"]),
        "unseen": st.sampled_from(["ignore", "mode"]),
        "indicator": st.sampled_from([None, 0.1]),
        "rare": st.sampled_from([None, 0.3]),
        "drop_constant": st.booleans(),
    }
)


@pytest.mark.thorough
def test_any_table_is_encoded_to_finite_numbers_or_refused(holds):
    holds(encoded_or_refused, st.lists(columns, min_size=1, max_size=2), options)


def encoded_or_refused(parts, options):
    frame = pd.DataFrame({f"c{j}": part for j, part in enumerate(parts)})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("error", RuntimeWarning)
            encoder = TableEncoder(**options).fit(frame[:3])
            found = encoder.transform(frame)
    except CaveatError:
        return
    numbers = found if isinstance(found, np.ndarray) else found.select_dtypes("number")
    assert np.isfinite(np.asarray(numbers, dtype=float)).all()
    assert found.shape == (4, len(encoder.get_feature_names_out()))
    assert list(column_constants(frame, "mode")) == list(frame.columns)


def test_rows_far_outside_the_training_range_are_held_at_the_ends():
    encoder = TableEncoder(dtype="float32").fit(pd.DataFrame({"a": [0.0, 1e-300]}))
    found = encoder.transform(pd.DataFrame({"a": [1e300, -1e300]}))
    assert np.isfinite(found).all()
    assert found[0, 0] > 1e38
