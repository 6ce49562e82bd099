"""One pass: golden numbers, conventions, containers, warnings."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import metrics as reference

import caveat.multilabel as ml
from caveat.measures.multilabel import _blocks as blocks
from caveat.multilabel import DegenerateWarning, TieWarning, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

Y = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 1, 0]])
S = np.array(
    [
        [0.9, 0.8, 0.4, 0.1],
        [0.5, 0.5, 0.2, 0.1],
        [0.3, 0.9, 0.6, 0.2],
        [0.1, 0.7, 0.2, 0.2],
        [0.6, 0.3, 0.6, 0.6],
    ]
)
H = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 1, 1]])

DECISIONS = {"hamming_loss": 0.35, "macro_f1": 0.5, "instance_f1": 0.466667,
             "micro_f1": 0.588235}  # fmt: skip
NAMES = ["ranking_loss", "average_precision", "one_error", "coverage", "instance_auc",
         "macro_auc", "micro_auc"]  # fmt: skip
GOLDEN = {
    "paper": [0.416667, 0.555556, 0, 1.25, 0.916667, 0.770833, 0.75],
    "half": [0.25, 0.731481, 0.291667, 1.625, 0.75, 0.739583, 0.703125],
    "sklearn": [0.416667, 0.555556, 0.5, 2.0, 0.75, 0.739583, 0.703125],
}


@pytest.fixture(scope="module")
def untied():
    rng = np.random.default_rng(0)
    truth = (rng.random((300, 12)) < 0.3).astype(int)
    truth[:, 0], truth[:, 1] = 1, 0
    truth[0, 0], truth[1, 1] = 0, 1
    return truth, rng.normal(size=truth.shape), (rng.random(truth.shape) < 0.3) * 1


@pytest.mark.parametrize("ties", GOLDEN)
def test_golden_vectors_hold(ties):
    result = evaluate(Y, S, H, ties=ties)
    expected = {**DECISIONS, **dict(zip(NAMES, GOLDEN[ties], strict=True))}
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, abs=5e-7)
    assert result.n_valid_rows == 3
    assert result.n_valid["one_error"] == result.n_valid["coverage"] == 4
    assert result.n_valid_labels == 4
    assert result.n_zero_division == {"macro_f1": 0, "instance_f1": 1}
    assert result.alt["half"]["coverage"] == 1.625
    assert result.tie_shares["rows"] == pytest.approx(0.3)


@pytest.mark.thorough
def test_scikit_learn_agrees_where_nothing_ties(untied):
    truth, scores, chosen = untied
    result = evaluate(truth, scores, chosen)
    auc, f1 = reference.roc_auc_score, reference.f1_score
    expected = {
        "hamming_loss": reference.hamming_loss(truth, chosen),
        "ranking_loss": reference.label_ranking_loss(truth, scores),
        "coverage": reference.coverage_error(truth, scores) - 1,
        "average_precision": reference.label_ranking_average_precision_score(
            truth, scores
        ),
        "macro_f1": f1(truth, chosen, average="macro", zero_division=0),
        "instance_f1": f1(truth, chosen, average="samples", zero_division=0),
        "micro_f1": f1(truth, chosen, average="micro", zero_division=0),
        "macro_auc": auc(truth, scores, average="macro"),
        "instance_auc": auc(truth, scores, average="samples"),
        "micro_auc": auc(truth, scores, average="micro"),
        "one_error": 1 - truth[np.arange(300), scores.argmax(axis=1)].mean(),
    }
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, abs=1e-12)


@pytest.mark.thorough
def test_scikit_learn_agrees_on_ties_and_degenerate_rows():
    rng = np.random.default_rng(5)
    for _ in range(30):
        truth = (rng.random((9, 4)) < 0.4).astype(int)
        scores = rng.integers(0, 4, size=truth.shape).astype(float)
        result = evaluate(truth, scores, ties="sklearn", degenerate="sklearn")
        assert result["ranking_loss"] == pytest.approx(
            reference.label_ranking_loss(truth, scores)
        )
        assert result["average_precision"] == pytest.approx(
            reference.label_ranking_average_precision_score(truth, scores)
        )
        assert result["coverage"] == pytest.approx(
            reference.coverage_error(truth, scores) - 1
        )
        assert result["micro_auc"] == pytest.approx(
            reference.roc_auc_score(truth.ravel(), scores.ravel())
        )


def test_degenerate_sklearn_leaves_the_aucs_undefined_as_scikit_learn_does():
    result = evaluate([[1, 1], [1, 0]], [[0.3, 0.1], [0.2, 0.4]], degenerate="sklearn")
    assert np.isnan(result["instance_auc"])
    assert np.isnan(result["macro_auc"])


def test_degenerate_authors_counts_an_empty_row_as_an_error():
    truth, scores = [[1, 0], [0, 0]], [[0.9, 0.1], [0.8, 0.3]]
    skip = evaluate(truth, scores)
    authors = evaluate(truth, scores, degenerate="authors")
    assert (skip["one_error"], authors["one_error"]) == (0.0, 0.5)
    assert (skip["coverage"], authors["coverage"]) == (0.0, -0.5)


@pytest.mark.parametrize(
    ("zero_division", "macro", "instance"),
    [(0.0, 0.5, 0.5), (1.0, 1.0, 1.0), ("skip", 1.0, 1.0)],
)
def test_zero_division_is_selectable(zero_division, macro, instance):
    truth = np.array([[1, 0], [0, 0]])
    result = evaluate(truth, None, truth, zero_division=zero_division)
    assert (result["macro_f1"], result["instance_f1"]) == (macro, instance)
    assert result.macro_f1_attainable == 0.5
    assert result.best["macro_f1"] == result["macro_f1"]


def test_nothing_is_thresholded_in_silence():
    assert list(evaluate(Y, None, H)) == list(DECISIONS)
    assert set(evaluate(Y, S)) == set(NAMES)


@pytest.mark.parametrize("name", [*DECISIONS, *NAMES])
def test_each_function_equals_its_value_in_one_pass(name):
    given = H if name in DECISIONS else S
    assert getattr(ml, name)(Y, given) == evaluate(Y, S, H)[name]


def test_coverage_can_be_normalised():
    assert ml.coverage(Y, S, normalize=True) == ml.coverage(Y, S) / 3


def test_a_threshold_may_be_one_number_one_per_label_or_one_per_instance():
    per_label = ml.macro_f1(Y, S, threshold=[0.5, 0.5, 0.5, 0.5])
    per_instance = ml.macro_f1(Y, S, threshold=np.full((5, 1), 0.5))
    assert ml.macro_f1(Y, S, threshold=0.5) == per_label == per_instance
    assert per_label == evaluate(Y, None, S > 0.5)["macro_f1"]


CONTAINERS = {
    "lists": (Y.tolist(), S.tolist(), H.tolist()),
    "bool": (Y == 1, S, H == 1),
    "float": (Y.astype(float), S, H.astype(float)),
    "signed": (2 * Y - 1, S, 2 * H - 1),
    "sparse truth": (sparse.csr_matrix(Y), S, sparse.coo_array(H)),
    "sparse scores": (Y, sparse.csc_matrix(S), H),
    "frames": (pd.DataFrame(Y, columns=list("abcd")), pd.DataFrame(S), H),
    "nullable": (pd.DataFrame(Y).astype("Int64"), pd.DataFrame(S).astype("Float64"), H),
    "boolean frame": (pd.DataFrame(Y == 1), S, pd.DataFrame(H == 1)),
    "fortran": (np.asfortranarray(Y), np.asfortranarray(S), np.asfortranarray(H)),
    "big endian": (Y.astype(">i4"), S.astype(">f8"), H.astype(">i2")),
    "strided": (np.repeat(Y, 2, 1)[:, ::2], np.repeat(S, 2, 0)[::2], H),
    "callable": (Y, lambda start, stop: S[start:stop], H),
    "stored zeros": (sparse.csr_array((np.array([1, 0, 1, 1, 1, 1, 1, 1, 1]),
                     (np.array([0, 0, 0, 1, 2, 2, 2, 2, 4]),
                      np.array([0, 1, 2, 1, 0, 1, 2, 3, 2]))), shape=(5, 4)), S, H),
}  # fmt: skip


@pytest.mark.parametrize("kind", CONTAINERS)
def test_every_container_gives_the_same_numbers(kind):
    truth, scores, chosen = CONTAINERS[kind]
    assert dict(evaluate(truth, scores, chosen)) == dict(evaluate(Y, S, H))


def test_single_precision_and_integer_scores_are_read_as_they_are():
    coarse = S.astype(np.float32)
    assert dict(evaluate(Y, coarse)) == dict(evaluate(Y, coarse.astype(float)))
    ranks = (10 * S).astype(np.int8)
    assert dict(evaluate(Y, ranks)) == dict(evaluate(Y, ranks.astype(float)))


def test_inputs_are_not_changed():
    truth = sparse.csr_array(Y)
    before = truth.copy()
    scores = S.copy()
    evaluate(truth, scores, H)
    assert (truth != before).nnz == 0
    np.testing.assert_array_equal(scores, S)


def test_memory_maps_and_functions_are_read_in_blocks(tmp_path, monkeypatch, untied):
    truth, scores, chosen = untied
    np.save(tmp_path / "scores.npy", scores.astype(np.float32))
    np.save(tmp_path / "truth.npy", (2 * truth - 1).astype(np.int8))
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    mapped_truth = np.load(tmp_path / "truth.npy", mmap_mode="r")
    expected = evaluate(truth, scores.astype(np.float32), chosen)
    monkeypatch.setattr(blocks.row_blocks, "__defaults__", (50,))
    reads = []

    def read(start, stop):
        reads.append((start, stop))
        return mapped[start:stop]

    assert dict(evaluate(mapped_truth, mapped, chosen)) == dict(expected)
    assert dict(evaluate(sparse.csr_array(truth), read, chosen)) == dict(expected)
    assert len(reads) == 2 * 75
    assert max(stop - start for start, stop in reads) == 4


def test_ties_are_announced_with_their_share():
    with pytest.warns(TieWarning, match=r"30\.0% of the pairs .*within rows"):
        result = evaluate(Y, S)
    assert result.tie_share == pytest.approx(0.3)


def test_decisions_used_as_scores_are_named_as_such():
    with pytest.warns(TieWarning, match="decisions used as scores"):
        result = evaluate(Y, H)
    assert result.few_values


def test_constant_scores_are_never_optimal():
    result = evaluate(Y, np.ones(Y.shape))
    assert result["macro_auc"] == result["instance_auc"] == result["micro_auc"] == 0.5
    assert result["one_error"] > 0
    assert result["ranking_loss"] == 0.5
    assert result["coverage"] > result.best["coverage"]


def test_constant_labels_are_left_out_and_listed():
    frame = pd.DataFrame(Y, columns=["tall", "old", "red", "wet"])
    frame["old"] = 0
    with pytest.warns(DegenerateWarning, match="1 of 4 labels .*'old'"):
        result = evaluate(frame, S)
    assert result.n_valid_labels == 3
    assert np.isfinite(result["macro_auc"])


def test_nothing_to_compare_is_nan_with_a_warning():
    with pytest.warns(DegenerateWarning, match="nothing is left to compare"):
        result = evaluate([[1], [0]], [[0.2], [0.1]])
    assert np.isnan(result["ranking_loss"])
    assert result["macro_auc"] == 1.0
    with pytest.warns(DegenerateWarning):
        result = evaluate([[0, 0]], [[0.2, 0.1]], [[0, 0]], zero_division="skip")
    assert np.isnan(list(result.values())).sum() == 10
    assert result["hamming_loss"] == 0


def test_extreme_scores_do_not_confuse_the_search():
    rng = np.random.default_rng(1)
    truth = (rng.random((200, 60)) < 0.5).astype(int)
    huge = rng.choice([-1.7e308, -1.0, 0.0, 5e-324, 1e-320, 1.0, 1.7e308], truth.shape)
    ranks = np.searchsorted(np.unique(huge), huge).astype(float)
    assert dict(evaluate(truth, huge)) == dict(evaluate(truth, ranks))


def test_the_frame_tells_value_direction_best_and_who_is_served():
    frame = evaluate(Y, S, H).to_frame()
    assert len(frame) == 11
    assert frame.loc["coverage", "best"] == 1.0
    assert frame.loc["micro_auc", "served_by"] == "double"
    assert frame.loc["macro_f1", "threshold"] == "per label"
    assert frame.loc["hamming_loss", "direction"] == "min"


@pytest.mark.parametrize("zero", [0.0, 1.0, "skip"])
def test_zero_by_zero_is_warned_of(zero):
    truth, chosen = Y.copy(), H.copy()
    truth[:, 3] = chosen[:, 3] = 0
    with pytest.warns(DegenerateWarning, match="1 of 4 terms of macro_f1") as told:
        evaluate(truth, None, chosen, zero_division=zero)
    assert f"zero_division={zero!r} decides" in str(told[0].message)


def test_no_zero_by_zero_is_not_warned_of():
    truth = np.array([[1, 0], [0, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(truth, None, truth)
