"""Several classes named at once, many labels a row, and numbers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from caveat.eapp import EAPP, bias_probe
from caveat.eapp.folds._splits import stratify_labels
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import sums_by_mask
from caveat.eapp.labelings._neighbours import neighbours
from caveat.eapp.labelings._scores import labeling_scores
from caveat.eapp.labelings._several_classes import best_partition, name_jointly
from caveat.eapp.target._prediction import Pair, ShuffledNumbers, cluster_means
from caveat.exceptions import CaveatError
from caveat.ranking import concordance, roc_auc

QUICK = {"folds": 3, "k_max": 4, "shuffles": 9, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def labelled():
    """Three labels a row: one that clusters see, its opposite in part, and noise."""
    rng = np.random.default_rng(0)
    seen = rng.random(120) < 0.4
    Y = pd.DataFrame({"seen": seen, "noise": rng.random(120) < 0.5, "rare": False})
    Y.loc[:1, "rare"] = True
    return rng.normal(size=(120, 3)) + 3 * seen[:, None], Y.astype(int)


@pytest.fixture(scope="module")
def measured():
    """A price that follows the first of three columns."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3)) * [3, 1, 1]
    return X, X[:, 0] + 0.3 * rng.normal(size=150)


def naive_macro(distances, y, classes, score):
    """Best macro AUC over all C^k ways to name clusters that use every class."""
    best = -1.0
    for names in product(range(classes), repeat=distances.shape[1]):
        if len(set(names)) == classes:
            aucs = [
                roc_auc(y == c, labeling_scores(distances, np.array(names) == c, score))
                for c in range(classes)
            ]
            best = max(best, float(np.mean(aucs)))
    return best


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), k=st.integers(3, 5), classes=st.integers(2, 3))
def test_joint_names_equal_a_loop_over_all_ways(seed, k, classes):
    rng = np.random.default_rng(seed)
    distances = [rng.random((14, k)), rng.integers(0, 4, (14, k)) * 1.0][seed % 2]
    y = rng.permutation(np.arange(14) % classes)
    near = neighbours(distances, "ratio")
    vectors = LabelVectors.of(y[:, None] == np.arange(classes))
    labels, aucs = name_jointly(near, vectors, classes)
    assert np.mean(aucs) == pytest.approx(
        naive_macro(distances, y, classes, "ratio"), abs=1e-12
    )
    np.testing.assert_array_equal(labels.sum(axis=0), 1)
    assert labels.any(axis=1).all()
    found = [
        roc_auc(y == c, labeling_scores(distances, labels[c])) for c in range(classes)
    ]
    assert found == pytest.approx(aucs, abs=1e-12)


def test_two_parts_of_a_set_are_a_labeling_and_its_complement():
    gains = np.zeros((2, 8))
    gains[0, 3] = gains[1, 4] = 1.0
    assert best_partition(gains).tolist() == [3, 4]


def test_sums_of_all_masks_change_sign_with_the_names():
    rng = np.random.default_rng(0)
    near = neighbours(rng.random((20, 4)), "diff")
    sums = sums_by_mask(near, LabelVectors.of(rng.random((20, 3)) < 0.5))
    np.testing.assert_array_equal(sums, -sums[::-1])
    assert (sums[0] == 0).all()


def test_classes_named_at_once_share_the_clusters_and_one_place(iris):
    found = EAPP(**QUICK, multiclass="joint").fit(*iris)
    assert found.k_star_ == 3
    assert (found.per_class_["k_star"] == 3).all()
    assert found.value_ == pytest.approx(found.per_class_["value"].mean())
    assert found.value_ > 0.9
    for fold in found.labelings_["honest"]:
        for k, masks in fold.items():
            assert sum(masks) == 2**k - 1
    rest = EAPP(**QUICK).fit(*iris)
    assert (found.curve_["paper"] <= rest.curve_["paper"] + 1e-12).all()
    assert "at 1/p0 = 3" in str(found)


@pytest.mark.thorough
def test_two_classes_are_the_same_either_way(measured):
    X, numbers = measured
    y = numbers > 0
    one, other = (EAPP(**QUICK, multiclass=how).fit(X, y) for how in ("rest", "joint"))
    pd.testing.assert_frame_equal(one.curve_, other.curve_)


def test_a_class_too_rare_to_be_named_at_once_is_refused(iris):
    X, y = iris
    kept = np.concatenate([np.arange(104), np.arange(145, 150)])
    with pytest.raises(CaveatError, match="'joint' goes to 12; use multiclass='rest'"):
        EAPP(**QUICK, multiclass="joint").fit(X[kept], y[kept])


@pytest.mark.thorough
def test_every_label_is_a_task_of_its_own(labelled):
    X, Y = labelled
    with pytest.warns(UserWarning, match="class 'rare' has 2; use folds=2.*left out"):
        found = EAPP(**QUICK).fit(X, Y)
    table = found.per_class_.set_index("label")
    assert list(table.index) == ["seen", "noise"]
    assert table.loc["seen", "value"] > 0.85 > 0.7 > table.loc["noise", "value"]
    assert found.value_ == pytest.approx(table["value"].mean())
    assert "mean of 2 labels" in str(found)
    assert found.drivers("permute", repeats=1, random_state=0)["column"].size == 3
    assert found.drivers("single", random_state=0)["value"].notna().all()


def test_a_label_equals_its_own_binary_task(labelled):
    X, Y = labelled
    rows = np.random.default_rng(0).permutation(120)
    settings = {**QUICK, "folds": [(rows[:80], rows[80:])]}
    together = EAPP(**settings).fit(X, Y[["seen", "noise"]])
    alone = EAPP(**settings).fit(X, Y["noise"])
    assert together.per_class_["value"][1] == alone.value_
    assert together.per_class_["value_paper"][1] == alone.value_paper_


def test_a_label_that_never_changes_is_left_out_and_named(labelled):
    X, Y = labelled
    always = Y[["seen", "noise"]].assign(always=1)
    with pytest.warns(UserWarning, match="label 'always' is the same in all rows"):
        found = EAPP(**{**QUICK, "shuffles": 0}).fit(X, always)
    assert found.per_class_["label"].tolist() == ["seen", "noise"]


def test_folds_share_every_label_out():
    rng = np.random.default_rng(0)
    hits = rng.random((200, 6)) < [0.5, 0.3, 0.1, 0.05, 0.95, 0.02]
    splits = stratify_labels(hits, 4, seed=0)
    held_out = np.concatenate([test for _, test in splits])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(200))
    counts = np.array([hits[test].sum(axis=0) for _, test in splits])
    assert (np.ptp(counts, axis=0) <= [6, 4, 2, 1, 6, 1]).all()
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 8


def test_numbers_are_predicted_by_the_two_nearest_clusters():
    distances = np.array([[1.0, 3.0, 9.0], [2.0, 2.0, 1.0], [0.0, 5.0, 5.0], [0, 0, 1]])
    guess = Pair.of(distances).predict(np.array([10.0, 20.0, 40.0]))
    # Weights 1/d: (10/1 + 20/3) / (1 + 1/3), (40/1 + 10/2) / (1 + 1/2), ...
    np.testing.assert_allclose(guess, [12.5, 30.0, 10.0, 15.0])


@pytest.mark.thorough
def test_numbers_have_a_concordance_and_its_null(measured):
    X, y = measured
    found = EAPP(**QUICK, task="regression", representation="none").fit(X, y)
    assert found.measure_ == "concordance"
    assert 0.7 < found.value_ < 1
    assert found.k_star_ == 2
    assert found.value_ == found.curve_["honest"].iloc[0]
    assert found.curve_["paper"].isna().all()
    assert found.null_["honest"].shape == (9, 3)
    assert abs(found.null_at_k_star_["mean"] - 0.5) < 0.1
    fold = found._folds[0]
    train, test = found._splits[0]
    Z = [fold.encoder.encode(rows) for rows in (train, test)]
    clusters = fold.clusters[3]
    means = cluster_means(y[train], clusters.distances(Z[0]).argmin(axis=1), 3)
    guess = Pair.of(clusters.distances(Z[1])).predict(means)
    assert found.fold_values_["honest"][0][1] == concordance(y[test], guess)
    assert "concordance" in str(found)
    for method in ("permute", "single"):
        assert found.drivers(method, random_state=0)["column"][0] == "x0"


def test_loadings_of_numbers_point_from_low_to_high_clusters(measured):
    found = EAPP(**{**QUICK, "shuffles": 0}, task="regression", latent=3).fit(*measured)
    assert found.drivers("loading")["share"].sum() == pytest.approx(1)


def test_two_numbers_are_two_classes(measured):
    X, numbers = measured
    y = (numbers > 0).astype(int)
    rows = np.random.default_rng(0).permutation(150)
    settings = {**QUICK, "folds": [(rows[:90], rows[90:])], "k_max": 3}
    as_numbers, as_classes = (
        EAPP(**settings, task=task).fit(X, y).curve_["honest"][0]
        for task in ("regression", "classification")
    )
    # With two clusters, weights 1/d order the points as the ratio of distances does.
    assert as_numbers == pytest.approx(as_classes, abs=1e-9)


def test_shuffled_numbers_stay_within_their_fold():
    strata = [np.arange(5), np.arange(5, 9)]
    shuffled = ShuffledNumbers(np.arange(9.0), strata, shuffles=3, seed=0)
    np.testing.assert_array_equal(shuffled.vector(3), np.arange(9.0))
    for index in range(3):
        vector = shuffled.vector(index)
        np.testing.assert_array_equal(np.sort(vector[:5]), np.arange(5))
    assert not np.array_equal(shuffled.vector(0), shuffled.vector(1))


X = np.random.default_rng(0).normal(size=(40, 3))
NUMBERS = np.random.default_rng(1).normal(size=40)


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        (NUMBERS, {}, r"pass task='regression'"),
        (np.full(40, 2.0), {"task": "regression"}, "all numbers are 2"),
        ([*NUMBERS[:39], np.nan], {"task": "regression"}, "row 39 first"),
        ([*NUMBERS[:39], np.inf], {"task": "regression"}, "row 39 first"),
        (["a"] * 40, {"task": "regression"}, "y: not numbers"),
        (NUMBERS[:39], {"task": "regression"}, "39 numbers for 40 rows"),
        (NUMBERS, {"task": "regression", "pos_label": 1}, "pos_label: found 1"),
        (NUMBERS, {"task": "regression", "selection": "test"}, "numbers have no names"),
        (NUMBERS, {"task": "regression", "aggregate": "pooled"}, "is for classes"),
        (NUMBERS, {"task": "regression", "folds": 30}, "use folds=20"),
        (NUMBERS > 0, {"task": "regresion"}, "did you mean 'regression'"),
        (NUMBERS > 0, {"multiclass": "all"}, "no multiclass is called 'all'"),
        (np.eye(40)[:, :3] * 2, {}, "label '0' is .*2.* in row 0"),
        (np.zeros((40, 2)), {}, "every label is the same"),
        (np.eye(40)[:39, :3], {}, "39 labels for 40 rows"),
        (np.eye(40), {"folds": 3}, "none of 40 classes in 40 rows can be judged"),
        (np.arange(40) % 20, {}, "none of 20 classes in 40 rows"),
        (NUMBERS > 0, {"random_state": -3}, "random_state: found -3"),
        (NUMBERS > 0, {"random_state": "x"}, "random_state: found 'x'"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(y, options, words):
    with pytest.raises(CaveatError, match=words) as refusal:
        EAPP(**{"k_max": 40, **options}).fit(X, y)
    assert "\n" not in str(refusal.value)


def test_the_probe_is_for_two_classes(measured):
    with pytest.raises(CaveatError, match="shifts one of two"):
        bias_probe(measured[0], np.arange(150) % 3)


def test_doubtful_columns_are_named(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["a"] = frame["a"].astype(str).where(np.arange(150) != 7, "n/k")
    frame["id"] = [f"r{i}" for i in range(150)]
    frame["same"] = 1.0
    with pytest.warns(UserWarning, match="X: ") as caught:
        EAPP(**{**QUICK, "shuffles": 0}).fit(frame, y)
    said = " ".join(str(warning.message) for warning in caught)
    assert "column 'a' is taken as words, for 1 of 150" in said
    assert "'same'" in said
