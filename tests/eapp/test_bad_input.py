"""Bad input: one sentence that says what, where, and what to do."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest

from caveat.eapp import EAPP
from caveat.exceptions import CaveatError

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.repeat([0, 1], 20)
ROWS = np.arange(40)


def with_value(array, value):
    changed = np.array(array, float)
    changed.flat[5] = value
    return changed


@pytest.mark.parametrize(
    ("rows", "y", "options", "words"),
    [
        (X, np.zeros(40), {}, "found 1 class"),
        (X, with_value(Y, np.nan), {}, "1 labels are missing .row 5 first"),
        (X, [None, *Y[1:]], {}, "row 0 first"),
        (X, Y[:39], {}, "39 labels for 40 rows"),
        (X, Y[:, None], {}, r"shape \(40, 1\)"),
        (X, X[:, 0], {}, "numbers with decimals.*needs classes"),
        (X, np.arange(40), {"k_max": 40}, "class '0' has 1"),
        (X, np.repeat([0, 1], [36, 4]), {}, r"10 folds.*has 4; use folds=4"),
        (X, np.repeat([0, 1], [39, 1]), {"k_max": 40}, "one row cannot be both"),
        (X, Y, {"pos_label": 2}, "no label is 2; there are '0', '1'"),
        (with_value(X, np.inf), Y, {}, "x2.*infinity"),
        (np.sign(X) * 1.7e308, Y, {}, "too large"),
        (np.ones((40, 3)), Y, {}, "no column varies"),
        (ROWS[:, None] % 2, np.repeat([0, 1], [27, 13]), {},
         "no number of clusters from 3 to 10 gives a value .*2 distinct points"),
        (X[:, :0], Y, {}, "40 rows and 0 columns"),
        (X[:, 0], Y, {}, r"shape \(40,\)"),
        (sparse.csr_matrix(X), Y, {}, "sparse"),
        (X.astype(complex), Y, {}, "complex"),
        (pd.DataFrame(X, columns=["a", "a", "b"]), Y, {}, "'a' occurs more than once"),
        (X, Y, {"kind": "picture"}, "kind: found 'picture'"),
        (X, Y, {"kind": "images"}, "kind='images'"),
        (pd.DataFrame(X), Y, {"kind": "images"}, "X is a DataFrame"),
        (np.zeros((40, 0, 3)), Y, {}, "no pixel"),
        (with_value(np.ones((40, 3, 3)), np.nan), Y, {}, "image 0 .* not finite"),
        (np.full((40, 3, 3), "a"), Y, {}, "images of type"),
        (np.ones((40, 3, 3)), Y, {"image_size": 0}, "image_size: found 0"),
        (np.ones((40, 3, 3)), Y, {"image_size": "big"}, "image_size: found 'big'"),
        (X, Y, {"kinds": {"x9": "numerical"}}, "no column is called 'x9'"),
        (X, Y, {"representation": "pcaa"}, "did you mean 'pca'"),
        (X, Y, {"representation": 3}, "representation: found 3"),
        (X, Y, {"representation": LinearDiscriminantAnalysis()}, "must not see labels"),
        (X, Y, {"representation": SelectKBest(k=2)}, "must not see labels"),
        (X, Y, {"clusterer": "k-means"}, "did you mean 'kmeans'"),
        (X, Y, {"clusterer": None}, "no clusterer is called 'None'"),
        (X, Y, {"labeling": "exakt"}, "did you mean 'exact'"),
        (X, Y, {"selection": "tset"}, "did you mean 'test'"),
        (X, Y, {"score": 1}, "no score is called '1'"),
        (X, Y, {"scheme": "grow"}, "no scheme is called"),
        (X, Y, {"scheme": "incremental", "clusterer": "ward"}, "grows k-means"),
        (X, Y, {"aggregate": "median"}, "no aggregate is called"),
        (X, Y, {"aggregate": "pooled", "selection": "test"}, "not defined"),
        (X, Y, {"band": "wide"}, "no band is called"),
        (X, Y, {"gmm_distance": "l1"}, "no gmm_distance is called"),
        (X, Y, {"k_max": 1}, "k_max: found 1"),
        (X, Y, {"k_max": 2.5}, r"k_max: found 2\.5"),
        (X, Y, {"shuffles": -1}, "shuffles: found -1"),
        (X, Y, {"shuffles": True}, "shuffles: found True"),
        (X, Y, {"latent": 0}, "latent: found 0"),
        (X, Y, {"n_jobs": 0}, "n_jobs: found 0"),
        (X, Y, {"alpha": 1}, "alpha: found 1"),
        (X, Y, {"folds": 1}, "folds: found 1"),
        (X, Y, {"folds": "ten"}, "folds: found 'ten'"),
        (X, Y, {"folds": []}, "found no pair"),
        (X, Y, {"folds": [(ROWS[:30], ROWS[20:])]}, "row 20 is in both"),
        (X, Y, {"folds": [(ROWS[::2], ROWS[1::2])] * 2}, "row 1 is held out more"),
        (X, Y, {"folds": [(ROWS[:20], ROWS[20:])]}, "train part of pair 0"),
        (X, Y, {"folds": [(ROWS[::2], [99])]}, "row 99"),
        (X, Y, {"folds": [(ROWS[::2], [-1])]}, "row -1"),
        (X, Y, {"folds": [(ROWS[::2], [1, 1])]}, "a row twice"),
        (X, Y, {"folds": [(ROWS[::2], [0.5])]}, "type float64"),
        (X, Y, {"folds": [3]}, "pair 0 is not two lists"),
        (X, Y, {"folds": [(Y == 0, np.ones(3, bool))]}, "a mask of 3 rows"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(rows, y, options, words):
    with np.errstate(all="ignore"), pytest.raises(CaveatError, match=words) as refusal:
        EAPP(**options).fit(rows, y)
    assert "\n" not in str(refusal.value)


def test_too_rare_a_class_is_refused_before_any_work():
    y = np.arange(30_000) < 20
    with pytest.raises(CaveatError, match="1,500 clusters"):
        EAPP().fit(np.zeros((30_000, 1)), y)


@pytest.mark.parametrize("method", ["headroom", "drivers", "plot", "to_dict"])
def test_nothing_can_be_asked_before_fit(method):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        getattr(EAPP(), method)(*[0.5][: method == "headroom"])


def test_a_representation_must_give_a_finite_row_for_each():
    class Broken:
        def __init__(self, result=None):
            self.result = result

        def get_params(self, deep=True):
            return {"result": self.result}

        def fit(self, X):
            return self

        def transform(self, X):
            return self.result

    from caveat.eapp.representations._representation import Transformer

    for result, words in (
        (np.zeros((1, 2)), "a row for each"),
        (np.full((3, 2), np.nan), "not finite"),
    ):
        wrapped = Transformer.__new__(Transformer)
        wrapped.transformer = Broken(result)
        with pytest.raises(CaveatError, match=words):
            wrapped.fit(X).transform(X[:3])


def test_more_clusters_than_training_rows_are_not_tried():
    model = EAPP(k_max=10**6, folds=2, shuffles=0, random_state=0)
    with pytest.warns(UserWarning, match="k_max: 1000000 is above .* training rows, 6"):
        model.fit(X[14:26], Y[14:26])
    assert model.curve_["k"].max() == 6


@pytest.mark.parametrize("rows", [20, 400])
def test_a_column_of_distinct_words_is_nothing_to_cluster(rows):
    words = pd.DataFrame({"name": [f"w{row}" for row in range(rows)]})
    with pytest.raises(CaveatError, match="a different word in almost every one"):
        EAPP(folds=2, shuffles=0).fit(words, np.arange(rows) % 2)


def test_a_column_of_distinct_words_beside_others_is_left_out_and_told():
    table = pd.DataFrame(X).rename(columns=str)
    told = EAPP(folds=2, shuffles=0, k_max=2, random_state=0)
    with pytest.warns(UserWarning, match="'name' left out"):
        told.fit(table.assign(name=[f"w{row}" for row in ROWS]), Y)
    plain = EAPP(folds=2, shuffles=0, k_max=2, random_state=0).fit(table, Y)
    assert told.value_ == plain.value_
