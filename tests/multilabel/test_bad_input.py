"""What cannot be evaluated is refused in one sentence that names it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.multilabel import coverage, evaluate, hamming_loss, macro_f1

Y = np.array([[1, 0, 1], [0, 1, 0]])
S = np.array([[0.9, 0.1, 0.4], [0.2, 0.8, 0.3]])


def with_value(array, value, row=1, label=2):
    changed = array.astype(type(value) if isinstance(value, str) else float)
    changed[row, label] = value
    return changed


REFUSED = {
    "1-D truth": ([1, 0, 1], S, None, r"shape \(3,\).*\(n, l\).*reshape\(-1, 1\)"),
    "3-D truth": (np.ones((2, 2, 2)), S, None, r"Y has shape \(2, 2, 2\)"),
    "scalar scores": (Y, 0.5, None, r"scores has shape \(\)"),
    "transposed": (Y, S.T, None, r"\(3, 2\).*\(2, 3\).*transposed"),
    "other shape": (Y, S[:, :2], None, r"scores has shape \(2, 2\).*must agree"),
    "no rows": (np.empty((0, 3)), np.empty((0, 3)), None, "Y has no rows"),
    "no labels": (np.empty((2, 0)), np.empty((2, 0)), None, "Y has no columns"),
    "ragged": ([[1, 0], [1]], S, None, "rows of different lengths"),
    "NaN score": (Y, with_value(S, np.nan), None, "nan at row 1, label 2"),
    "infinite score": (Y, with_value(S, -np.inf), None, "-inf at row 1, label 2"),
    "NaN truth": (with_value(Y, np.nan), S, None, r"Y: found nan at .*\(1, 2\)"),
    "2 in truth": (with_value(Y, 2.0), S, None, r"Y: found 2.0 at .*\(1, 2\)"),
    "-1 beside 0": (with_value(Y, -1.0), S, None, r"Y: found -1.0 at .*\(1, 2\)"),
    "half": (Y, None, with_value(Y, 0.5), r"decisions: found 0.5 .*threshold="),
    "scores as decisions": (Y, None, S, r"decisions needs 0/1 .*threshold="),
    "sparse scores as decisions": (
        Y, None, sparse.csr_array(S), r"decisions: found 0.9 .*threshold=",
    ),
    "sparse NaN": (sparse.csr_array(with_value(Y, np.nan)), S, None, "Y: found nan"),
    "text": (Y.astype(str), S, None, "Y holds values of type"),
    "text scores": (Y, S.astype(str), None, "scores holds values of type"),
    "text frame": (
        pd.DataFrame({"a": ["yes", "no"], "b": [0, 1], "c": [1, 0]}), S, None, "'a'",
    ),
    "complex": (Y, S + 1j, None, "complex"),
    "complex sparse": (Y, sparse.csr_array(S + 1j), None, "complex"),
    "dates": (Y, S.astype("datetime64[s]"), None, "datetime64"),
    "objects": (Y, np.array([[{}, 1, 2], [1, 2, 3]]), None, "object"),
    "masked": (Y, np.ma.masked_greater(S, 0.8), None, "masked"),
    "missing value": (
        pd.DataFrame(Y).astype("Int64").mask(Y == 1), S, None, "Y: found nan",
    ),
    "nothing": (Y, None, None, "neither scores nor decisions"),
    "no truth": (None, S, None, "Y is None"),
    "callable truth": (lambda a, b: Y[a:b], S, None, "Y is a function"),
    "callable of another shape": (
        Y, lambda a, b: S[a:b, :1], None, r"scores\(0, 2\) returned .*\(2, 1\)",
    ),
    "callable of text": (Y, lambda a, b: S[a:b].astype(str), None, "scores holds"),
    "columns in another order": (
        pd.DataFrame(Y, columns=list("abc")), pd.DataFrame(S, columns=list("bac")),
        None, "another order",
    ),
    "a column missing": (
        pd.DataFrame(Y, columns=list("abc")), pd.DataFrame(S, columns=list("abd")),
        None, "lacks the labels 'c'.*has 'd'",
    ),
    "rows in another order": (
        pd.DataFrame(Y, index=["x", "y"]), pd.DataFrame(S, index=["y", "x"]), None,
        "row 0 is named 'y'",
    ),
    "a name twice": (pd.DataFrame(Y, columns=list("aba")), S, None, "'a' occur"),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_argument_value_and_place(case):
    truth, scores, decisions, message = REFUSED[case]
    with pytest.raises(InvalidInput, match=message):
        evaluate(truth, scores, decisions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "hlaf"}, "did you mean 'half'"),
        ({"degenerate": "drop"}, "no rule for degenerate rows is called 'drop'"),
        ({"measures": ["macro-acu"]}, "did you mean 'macro_auc'"),
        ({"measures": []}, "measures is empty"),
        ({"measures": ["macro_f1"]}, "macro_f1 needs decisions"),
        ({"zero_division": 2}, "zero_division is 2"),
        ({"zero_division": "warn"}, "zero_division is 'warn'"),
        ({"zero_division": float("nan")}, "zero_division is nan"),
    ],
)
def test_unknown_options_are_named(options, message):
    with pytest.raises(CaveatError, match=message):
        evaluate(Y, S, **options)


def test_an_unknown_name_is_also_a_lookup_error():
    with pytest.raises(LookupError):
        evaluate(Y, S, ties="random")
    with pytest.raises(UnknownName):
        evaluate(Y, S, measures="auc")


@pytest.mark.parametrize("threshold", [np.nan, [0.1, 0.2], np.zeros((3, 1))])
def test_a_threshold_that_does_not_fit_is_refused(threshold):
    with pytest.raises(InvalidInput, match="threshold has shape"):
        macro_f1(Y, S, threshold=threshold)


def test_single_functions_refuse_missing_input():
    with pytest.raises(InvalidInput, match="scores is None"):
        coverage(Y, None)
    with pytest.raises(InvalidInput, match="decisions is None"):
        hamming_loss(Y, None)


def test_many_places_are_cut_after_five():
    with pytest.raises(InvalidInput, match="and 1 more"):
        evaluate(np.full((2, 3), 7), S)
