"""EAPP as a whole: the checks of its specification, and the laws it must keep."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from caveat.eapp import EAPP, best_labeling
from caveat.eapp._inputs import read_input
from caveat.eapp._null_band import Reading
from caveat.eapp.clusters._clusters import Clusters
from caveat.eapp.representations._representation import PrincipalComponents
from caveat.eapp.target._target import Task

QUICK = {"folds": 3, "k_max": 4, "shuffles": 19, "random_state": 0}


@pytest.fixture(scope="module")
def overlapping():
    """Two classes that clusters tell apart only in part, 60 : 40."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [72, 48])
    return rng.normal(size=(120, 3)) + 0.8 * y[:, None], y


@pytest.fixture(scope="module")
def fitted(overlapping):
    return EAPP(**QUICK).fit(*overlapping)


# Values of the whole data without folds, from the prototype of the method:
# (data, columns) -> {k: AUC}; tolerance 0.001.
WHOLE_DATA = {
    "breast cancer": {2: 0.9687, 3: 0.9326, 4: 0.9511},
    "digits 8 against 1 and 7": {3: 0.7698, 4: 0.9844},
    "wine 0 against the rest": {3: 0.9895, 4: 0.9786},
}


def whole_data(name):
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return X, 1 - y, 2
    if name == "wine 0 against the rest":
        X, y = load_wine(return_X_y=True)
        return X, y == 0, 2
    digits = load_digits()
    kept = np.isin(digits.target, [1, 7, 8])
    return digits.images[kept] / 16, digits.target[kept] == 8, 64


@pytest.mark.thorough
@pytest.mark.parametrize("name", WHOLE_DATA)
def test_whole_data_sets_give_the_known_values(name):
    X, y, latent = whole_data(name)
    data = read_input(X, "auto", "auto", None, scaling="standard")
    rows = np.arange(len(data))
    encoded = data.fit(rows).encode(rows)
    Z = PrincipalComponents(latent).fit(encoded).transform(encoded)
    for k, expected in WHOLE_DATA[name].items():
        with threadpool_limits(1):
            centroids = KMeans(k, n_init=50, random_state=0).fit(Z).cluster_centers_
        auc, _ = best_labeling(Clusters(centroids).distances(Z), y)
        assert auc == pytest.approx(expected, abs=0.001)


def test_xor_needs_four_clusters():
    rng = np.random.default_rng(0)
    corner = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    X = np.repeat(corner, 25, axis=0) + 0.05 * rng.normal(size=(100, 2))
    y = np.repeat([0, 1], 50)
    curve = EAPP(**QUICK).fit(X, y).curve_.set_index("k")
    assert curve.loc[2, "honest"] == pytest.approx(0.5, abs=0.15)
    assert curve.loc[4, "honest"] == 1.0
    assert curve.loc[4, "paper"] == 1.0


def test_one_over_p0_is_computed_in_whole_numbers():
    task = Task(label=1, code=1, n=535, n_positive=174)
    assert task.k_floor == 3
    assert task.fraction == 13 / 174
    tenth = Task(label=1, code=1, n=10, n_positive=1)
    assert (tenth.k_floor, tenth.fraction, tenth.k_ceil) == (10, 0.0, 10)


@pytest.mark.thorough
def test_swapping_the_classes_changes_nothing(overlapping, fitted):
    X, y = overlapping
    swapped = EAPP(**QUICK).fit(X, 1 - y)
    pd.testing.assert_frame_equal(swapped.curve_, fitted.curve_, check_exact=True)
    assert swapped.value_ == fitted.value_
    assert swapped.p_value_ == fitted.p_value_


def test_same_seed_same_numbers_on_any_number_of_threads(overlapping, fitted):
    again = EAPP(**QUICK, n_jobs=2).fit(*overlapping)
    pd.testing.assert_frame_equal(again.curve_, fitted.curve_, check_exact=True)
    assert again.labelings_ == fitted.labelings_


def test_global_randomness_is_left_alone(overlapping):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    EAPP(**{**QUICK, "random_state": None}).fit(*overlapping)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_curve_has_the_promised_columns(fitted):
    assert list(fitted.curve_.columns) == [
        "k", "honest", "paper", "null_mean", "null_low", "null_high",
        "paper_null_mean", "paper_null_low", "paper_null_high", "exact",
    ]  # fmt: skip
    assert fitted.curve_["k"].tolist() == [2, 3, 4]
    assert fitted.curve_["exact"].all()


def test_the_value_is_interpolated_between_the_two_nearest_k(fitted):
    honest = fitted.curve_["honest"]
    assert fitted.k_star_ == 2.5
    assert fitted.value_ == pytest.approx((honest[0] + honest[1]) / 2, rel=1e-15)
    assert fitted.below_min_k_.tolist() == [True, False, False]


def test_choosing_on_the_test_part_never_looks_worse(fitted):
    folds = fitted.fold_values_
    assert (folds["paper"] >= folds["honest"]).all()
    assert fitted.null_["paper"].mean() > fitted.null_["honest"].mean()
    assert folds["honest"].shape == (3, 3)
    assert all(
        0 < mask < 7 for fold in fitted.labelings_["honest"] for mask in [fold[3]]
    )


def test_null_p_value_and_skill_follow_their_definitions(fitted):
    null = fitted._tasks[0].at_k_star(fitted.null_["honest"], [2, 3, 4])
    assert null.shape == (19,)
    expected = (1 + (null >= fitted.value_).sum()) / 20
    assert fitted.p_value_ == expected
    mean = null.mean()
    assert fitted.skill_ == pytest.approx((fitted.value_ - mean) / (1 - mean))
    low, high = np.quantile(null, [0.025, 0.975])
    assert fitted.null_at_k_star_ == pytest.approx(
        {"mean": mean, "low": low, "high": high}
    )
    assert fitted.verdict_ == "partly trivial"


def test_the_band_of_the_mean_is_narrower(overlapping, fitted):
    narrow = EAPP(**QUICK, band="mean_ci").fit(*overlapping).curve_
    width = fitted.curve_["null_high"] - fitted.curve_["null_low"]
    assert ((narrow["null_high"] - narrow["null_low"]) < width).all()


def test_labels_never_reach_the_clusters(overlapping):
    X, y = overlapping
    rows = np.arange(120)
    folds = [(rows[rows % 2 == part], rows[rows % 2 != part]) for part in (0, 1)]
    settings = {**QUICK, "folds": folds}
    plain = EAPP(**settings).fit(X, y)
    permuted = EAPP(**settings).fit(X, np.random.default_rng(0).permutation(y))
    for one, other in zip(plain.clusters_, permuted.clusters_, strict=True):
        for k in (2, 3, 4):
            np.testing.assert_array_equal(one[k], other[k])


def test_held_out_rows_never_reach_the_clusters(overlapping):
    X, y = overlapping
    rows = np.random.default_rng(1).permutation(120)
    settings = {**QUICK, "folds": [(rows[:80], rows[80:])]}
    changed = X.copy()
    changed[rows[80:]] *= 1000
    one, other = (EAPP(**settings).fit(data, y) for data in (X, changed))
    np.testing.assert_array_equal(one.clusters_[0][3], other.clusters_[0][3])
    assert one.labelings_["honest"] == other.labelings_["honest"]


def test_every_class_against_the_rest_equals_its_own_fit():
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(150)
    settings = {**QUICK, "folds": [(rows[:90], rows[90:])], "shuffles": 8}
    together = EAPP(**settings).fit(X, y)
    alone = [EAPP(**settings, pos_label=c).fit(X, y) for c in range(3)]
    np.testing.assert_array_equal(
        together.per_class_["value"], [model.value_ for model in alone]
    )
    np.testing.assert_array_equal(
        together.per_class_["value_paper"], [model.value_paper_ for model in alone]
    )
    assert together.value_ == pytest.approx(np.mean(together.per_class_["value"]))
    assert together.value_weighted_ == pytest.approx(together.value_)
    assert together.fold_values_["paper"].shape == (3, 1, 2)
    assert together.null_["honest"].shape == (3, 8, 2)
    assert together.labelings_["honest"][0][3] == [
        model.labelings_["honest"][0][3] for model in alone
    ]
    assert together.curve_["honest"].iloc[0] == pytest.approx(
        np.mean([model.curve_["honest"].iloc[0] for model in alone])
    )


def test_classes_too_rare_to_be_judged_are_left_out_and_named():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="class '9' has 2.*left out"):
        found = EAPP(**{**QUICK, "shuffles": 0}).fit(X, [9, 9, *y[2:]])
    assert found.per_class_["label"].tolist() == [0, 1, 2]
    assert len(found.notes_) == 1
    rows = np.arange(150)
    settings = {"shuffles": 0, "k_max": 4, "folds": [(rows[1::2], rows[::2])]}
    with pytest.warns(UserWarning, match="train part of pair 0 holds no row of"):
        found = EAPP(**settings).fit(X, [9, *y[1:]])
    assert found.per_class_["label"].tolist() == [0, 1, 2]


@pytest.mark.thorough
def test_small_folds_are_pooled_unless_told_otherwise(overlapping):
    X, y = overlapping
    few = np.concatenate([np.flatnonzero(y == 0)[:30], np.flatnonzero(y == 1)[:12]])
    settings = {**QUICK, "shuffles": 5, "random_state": 1}
    auto = EAPP(**settings).fit(X[few], y[few])
    pooled = EAPP(**settings, aggregate="pooled").fit(X[few], y[few])
    mean = EAPP(**settings, aggregate="mean").fit(X[few], y[few])
    assert auto.value_ == pooled.value_ != mean.value_
    assert auto.value_paper_ == mean.value_paper_
    folds = mean.fold_values_["honest"]
    np.testing.assert_allclose(folds.mean(axis=0), mean.curve_["honest"])


@pytest.mark.thorough
@pytest.mark.parametrize("labeling", ["greedy", "contribution"])
def test_cheaper_labelings_fit_no_better_than_the_exact_one(
    labeling, overlapping, fitted
):
    cheap = EAPP(**QUICK, labeling=labeling).fit(*overlapping)
    assert not cheap.curve_["exact"].any()
    assert cheap.train_value_ <= fitted.train_value_
    assert cheap.value_ == pytest.approx(fitted.value_, abs=0.1)
    assert (cheap.curve_["paper"] <= fitted.curve_["paper"]).all()


@pytest.mark.parametrize(
    "options",
    [
        {"clusterer": "ward"},
        {"clusterer": "spectral"},
        {"clusterer": "gmm"},
        {"clusterer": "gmm", "gmm_distance": "mahalanobis"},
        {"scheme": "incremental"},
        {"representation": "none"},
        {"representation": TruncatedSVD(2)},
        {"score": "diff"},
        {"score": "sqdiff"},
        {"selection": "train"},
        {"latent": 1},
    ],
    ids=str,
)
def test_every_option_finds_the_classes(options, overlapping):
    settings = {**QUICK, "folds": 2, "k_max": 3, "shuffles": 0}
    found = EAPP(**{**settings, **options}).fit(*overlapping)
    assert 0.65 < found.value_ < 0.95


def test_the_papers_selection_judges_where_it_chose(overlapping):
    published = EAPP(
        k_max=3, folds=3, selection="test", aggregate="mean", random_state=0
    ).fit(*overlapping)
    assert np.isnan(published.value_)
    assert published.null_["paper"].shape == (200, 2)
    assert published.verdict_ == "partly trivial"
    assert published.headroom(1.0) == 1.0


@pytest.mark.thorough
def test_a_rare_class_asks_for_many_clusters(overlapping):
    X, _ = overlapping
    rare = np.arange(120) < 6
    with pytest.warns(UserWarning, match="k_max: 4 is below 1/p0 = 20"):
        found = EAPP(**QUICK).fit(X, rare)
    assert found.curve_["k"].tolist() == [20]
    assert not found.curve_["exact"].any()
    assert found.notes_ == ["k_max: 4 is below 1/p0 = 20; up to 20 clusters are made"]
    lone = EAPP(**{**QUICK, "shuffles": 0, "k_max": 20, "folds": 2}).fit(X, rare)
    assert lone.curve_["exact"].all()


def test_a_very_rare_class_is_labelled_by_contribution():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(268, 2)), rng.normal(8, 0.1, size=(4, 2))])
    y = np.repeat([0, 1], [268, 4])
    found = EAPP(k_max=68, folds=2, shuffles=3, random_state=0).fit(X, y)
    assert found.curve_["k"].tolist() == [68]
    assert found.value_ == 1.0


def test_too_few_distinct_points_leave_gaps_with_a_reason(overlapping):
    _, y = overlapping
    coarse = np.repeat([[0.0], [1.0], [2.0]], 40, axis=0)
    with pytest.warns(UserWarning, match="k = 4 to 5 have no value: .* 3 distinct"):
        found = EAPP(**{**QUICK, "k_max": 5}).fit(coarse, np.roll(y, 40))
    assert found.curve_["honest"].isna().tolist() == [False, False, True, True]
    assert not np.isnan(found.value_)


def test_no_value_at_one_over_p0_is_said_and_not_judged(overlapping):
    _, y = overlapping
    coarse = np.arange(120)[:, None] % 2
    with pytest.warns(UserWarning, match="k = 3 has no value"):
        found = EAPP(**{**QUICK, "k_max": 3}).fit(coarse, y)
    assert found.verdict_ == "undefined"
    assert np.isnan([found.value_, found.p_value_]).all()
    assert "There is no value" in str(found)


@pytest.mark.parametrize("shuffles", [0, 1])
def test_without_shuffles_there_is_no_band(shuffles, overlapping):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = EAPP(**{**QUICK, "shuffles": shuffles}).fit(*overlapping)
    assert found.verdict_ == "not tested"
    assert found.curve_[["null_low", "null_high"]].isna().all(axis=None)
    assert len(caught) == shuffles


def test_above_too_few_shuffles_nothing_is_said_of_chance():
    shuffled = np.full(18, 0.5)
    assert Reading(0.9, shuffled).verdict(0.05) == "not tested"
    assert (
        Reading(0.9, np.append(shuffled, 0.5)).verdict(0.05)
        == "trivially separable or biased"
    )
    assert Reading(0.9, np.append(shuffled, 0.95)).verdict(0.05) == "chance"


@pytest.mark.thorough
def test_images_are_taken_as_images():
    digits = load_digits()
    kept = np.flatnonzero(np.isin(digits.target, [1, 7, 8]))[:150]
    found = EAPP(**{**QUICK, "shuffles": 0}).fit(
        digits.images[kept], digits.target[kept] == 8
    )
    flat = EAPP(**{**QUICK, "shuffles": 0}, kind="table").fit(
        digits.data[kept], digits.target[kept] == 8
    )
    assert found._folds[0].representations[3].latent == 64
    assert found.value_ != flat.value_
    colour = np.repeat(digits.images[kept][..., None], 3, axis=3)
    assert EAPP(**{**QUICK, "shuffles": 0}).fit(
        colour, digits.target[kept] == 8
    ).value_ == pytest.approx(found.value_, abs=0.05)


def test_tables_may_hold_text_gaps_and_odd_indices(overlapping):
    X, y = overlapping
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(120) // 2)
    frame["job"] = np.where(y == 1, "x", None)
    frame["when"] = pd.date_range("2020", periods=120)
    frame.iloc[:5, 0] = np.nan
    labels = pd.Series(np.where(y == 1, "yes", "no"), index=range(500, 620))
    found = EAPP(**QUICK, latent=5).fit(frame, labels)
    assert found.value_ > 0.6
    assert found.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (lambda y: y.astype(bool), [False, True]),
        (lambda y: y.astype(float), [0.0, 1.0]),
        (lambda y: np.where(y, "b", "a"), ["a", "b"]),
        (lambda y: pd.Categorical(np.where(y, "b", "a"), ["c", "b", "a"]), ["a", "b"]),
        (lambda y: pd.array(y, dtype="Int64"), [0, 1]),
        (lambda y: np.array([7 if v else "a" for v in y], object), [7, "a"]),
        (lambda y: y.tolist(), [0, 1]),
    ],
)
def test_labels_may_be_of_any_type(labels, classes, overlapping):
    X, y = overlapping
    found = EAPP(folds=2, k_max=3, shuffles=0, clusterer="ward").fit(X, labels(y))
    assert list(found.classes_) == classes


def test_headroom_is_the_share_of_what_clusters_leave(fitted):
    value = fitted.value_
    assert fitted.headroom(value) == 0
    assert fitted.headroom(1.0) == 1
    assert fitted.headroom(0.5) < 0
    with pytest.raises(ValueError, match=r"model_auc: found 1\.2"):
        fitted.headroom(1.2)


def test_perfect_clusters_leave_no_headroom():
    X = np.repeat([[0.0], [9.0]], 20, axis=0) + np.arange(40)[:, None] / 1000
    perfect = EAPP(folds=2, k_max=2, shuffles=0).fit(X, np.repeat([0, 1], 20))
    assert perfect.value_ == 1
    assert (perfect.headroom(1.0), perfect.headroom(0.9)) == (0.0, -np.inf)


def test_results_can_be_read_by_people_and_by_machines(fitted):
    assert len(str(fitted).splitlines()) == 5
    assert "partly trivial" in str(fitted)
    assert str(EAPP(k_max=3)) == "EAPP(k_max=3)"
    plain = json.loads(json.dumps(fitted.to_dict(), allow_nan=False))
    assert plain["value"] == fitted.value_
    assert plain["curve"]["k"] == [2, 3, 4]
    pd.testing.assert_frame_equal(fitted.to_frame(), fitted.curve_)
    assert clone(fitted).get_params()["k_max"] == 4


def test_progress_is_told(overlapping):
    seen = []
    EAPP(**{**QUICK, "shuffles": 0}).fit(
        *overlapping, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(number, 9) for number in range(1, 10)]


# Honest AUC on breast cancer at k = 2, 3, 6, 8, from the prototype of the method with
# other folds; hence the tolerance.
CLUSTERERS = {
    "kmeans": [0.971, 0.920, 0.964, 0.958],
    "ward": [0.969, 0.947, 0.952, 0.947],
    "average": [0.832, 0.855, 0.943, 0.960],
    "spectral": [0.970, 0.977, 0.926, 0.956],
    "gmm": [0.969, 0.948, 0.966, 0.956],
}


@pytest.mark.slow
@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_clusterers_give_the_known_curves(clusterer):
    X, y = load_breast_cancer(return_X_y=True)
    found = EAPP(clusterer=clusterer, k_max=8, shuffles=0, random_state=0).fit(X, 1 - y)
    honest = found.curve_.set_index("k")["honest"]
    np.testing.assert_allclose(honest[[2, 3, 6, 8]], CLUSTERERS[clusterer], atol=0.03)


@pytest.mark.slow
def test_noise_gives_uniform_p_values_and_stays_in_the_band():
    rng = np.random.default_rng(0)
    p_values, inside = [], []
    for _ in range(100):
        X, y = rng.normal(size=(120, 4)), rng.permutation(np.repeat([0, 1], 60))
        found = EAPP(folds=5, k_max=3, shuffles=199, random_state=0).fit(X, y)
        p_values.append(found.p_value_)
        curve = found.curve_
        inside.append(
            (curve["honest"] >= curve["null_low"])
            & (curve["honest"] <= curve["null_high"])
        )
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
