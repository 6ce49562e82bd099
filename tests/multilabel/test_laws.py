"""Laws that the measures obey on any data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from caveat.multilabel import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
LABEL_WISE = ["ranking_loss", "one_error", "coverage", "average_precision",
              "instance_auc"]  # fmt: skip
laws = settings(max_examples=25, deadline=None, derandomize=True)


@st.composite
def cases(draw):
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 6)))
    truth = draw(arrays.arrays(np.int8, shape, elements=st.integers(0, 1)))
    levels = st.integers(-3, 3) | st.integers(-(10**6), 10**6)
    scores = draw(arrays.arrays(np.int64, shape, elements=levels))
    return truth, scores.astype(float)


def close(one, other, names=None):
    for name in names or one:
        assert one[name] == pytest.approx(other[name], abs=1e-12, nan_ok=True), name


@pytest.mark.thorough
@laws
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_instances_and_labels_does_not_matter(case, random):
    Y, S = case
    rows, labels = list(range(Y.shape[0])), list(range(Y.shape[1]))
    random.shuffle(rows)
    random.shuffle(labels)
    mixed = np.ix_(rows, labels)
    close(evaluate(Y, S, S > 0), evaluate(Y[mixed], S[mixed], S[mixed] > 0))


@laws
@given(cases())
def test_only_the_order_of_scores_counts(case):
    Y, S = case
    close(evaluate(Y, S), evaluate(Y, np.arctan(S) * 3 + S * 1e-3))


@laws
@given(cases())
def test_label_wise_measures_ignore_shifts_of_instances(case):
    Y, S = case
    shifted = S + np.arange(len(S))[:, None] * 7
    close(evaluate(Y, S), evaluate(Y, shifted), LABEL_WISE)


@laws
@given(cases())
def test_macro_auc_ignores_shifts_of_labels(case):
    Y, S = case
    shifted = S * 2 + np.arange(S.shape[1]) * 7
    close(evaluate(Y, S), evaluate(Y, shifted), ["macro_auc"])


@pytest.mark.thorough
@laws
@given(cases())
def test_turning_the_matrix_swaps_instance_and_macro_measures(case):
    Y, S = case
    one, other = evaluate(Y, S, S > 0), evaluate(Y.T, S.T, S.T > 0)
    swapped = {**other, "macro_auc": other["instance_auc"],
               "instance_auc": other["macro_auc"], "macro_f1": other["instance_f1"],
               "instance_f1": other["macro_f1"]}  # fmt: skip
    names = ["macro_auc", "instance_auc", "micro_auc", "macro_f1", "instance_f1",
             "micro_f1", "hamming_loss"]  # fmt: skip
    close(one, swapped, names)


@laws
@given(cases())
def test_ranking_loss_and_instance_auc_add_up_to_one(case):
    result = evaluate(*case)
    flipped = 1 - result["instance_auc"]
    assert result["ranking_loss"] == pytest.approx(flipped, nan_ok=True)


@pytest.mark.thorough
@laws
@given(cases())
def test_values_stay_within_their_ranges_and_never_beat_the_best(case):
    Y, S = case
    for ties in ("half", "sklearn"):
        result = evaluate(Y, S, S > 0, ties=ties)
        for name, value in result.items():
            top = Y.shape[1] - 1 if name == "coverage" else 1
            assert np.isnan(value) or -1e-12 <= value <= top + 1e-12
        frame = result.to_frame()
        gain = (frame["best"] - frame["value"]) * np.where(
            frame["direction"] == "max", 1, -1
        )
        assert (gain.dropna() >= -1e-12).all()


@pytest.mark.thorough
@laws
@given(cases())
def test_the_truth_as_scores_is_optimal(case):
    Y, _ = case
    result = evaluate(Y, Y.astype(float), Y)
    frame = result.to_frame().dropna(subset=["value"])
    assert frame["excess"].abs().max() < 1e-12
