"""The table of bad input for partial labels, line by line, through `fit`."""

import numpy as np
import pytest
import torch
from scipy.io import savemat

from caveat.candidates import (
    Annotations,
    CandidateSets,
    PartialLabelClassifier,
    advise,
    flip_candidates,
    noisy_candidates,
    oracle_accuracy,
)
from caveat.candidates._classifier import make_algorithm
from caveat.datasets import read
from caveat.exceptions import DataError, InvalidInput
from caveat.study import Ledger, run
from caveat.training import Diverged, adam, mlp, train

ROWS = 40
X = np.random.default_rng(0).normal(size=(ROWS, 3))


def fit(candidates, **settings):
    how = {"hidden": (4,), "max_steps": 3, "random_state": 0, **settings}
    return PartialLabelClassifier("cc", **how).fit(X, candidates)


def matrix(entry=None, *, rows=(3, 17), columns=slice(None)):
    """Sets of one or two classes, with some entries replaced."""
    found = np.eye(3)[np.arange(ROWS) % 3]
    found[:, 0] = 1
    places = [(row, columns) for row in rows if entry is not None]
    for place in places:
        found[place] = entry
    return found


def test_rows_without_a_candidate_are_listed():
    with pytest.raises(InvalidInput, match="rows 3, 17 have no candidate"):
        fit(matrix(0))


def test_rows_with_all_classes_are_counted_and_kept():
    with pytest.warns(UserWarning, match="2 of 40 items have all 3 classes"):
        model = fit(matrix(1))
    assert len(model.predict(X)) == ROWS


@pytest.mark.parametrize("entry", [2.0, 0.5, -1.0, np.nan, np.inf])
def test_entries_other_than_0_and_1_are_named_with_their_place(entry):
    with pytest.raises(InvalidInput, match=f"entry {entry} in row 3, column 1"):
        fit(matrix(entry, rows=[3], columns=1))


def test_a_class_that_is_none_is_named_with_its_row():
    with pytest.raises(InvalidInput, match="row 1 holds 'z', which is not a class"):
        CandidateSets.from_sets([{"a"}, {"b", "z"}], classes=["a", "b"])


def test_text_in_place_of_a_set_is_told_how_to_be_written():
    with pytest.raises(InvalidInput, match=r"row 20: got text; write {'dog'}"):
        fit([{"cat", "dog"}] * 20 + ["dog"] * 20)


def test_one_text_for_every_item_is_one_class():
    with pytest.raises(InvalidInput, match="found one class, 'cat'; a classifier"):
        fit(["cat"] * ROWS)


@pytest.mark.parametrize("rate", [1, 1.0, -0.1, 1.5, np.nan, np.inf, "0.3", True])
def test_a_flipping_probability_outside_its_range_is_refused(rate):
    with pytest.raises(InvalidInput, match=r"rate is .*; pass"):
        flip_candidates(np.arange(ROWS) % 3, rate=rate, random_state=0)


@pytest.mark.parametrize("rate", [1.5, -0.1, np.nan])
def test_a_share_of_noise_outside_its_range_is_refused(rate):
    labels = np.arange(ROWS) % 3
    with pytest.raises(InvalidInput, match=r"rate is .*; pass"):
        noisy_candidates(np.eye(3)[labels], labels, rate=rate, random_state=0)


def test_single_labels_are_allowed_and_called_ordinary():
    with pytest.warns(UserWarning, match="ordinary supervised data"):
        fit(np.eye(3)[np.arange(ROWS) % 3])


def test_the_oracle_needs_true_labels_and_says_what_does_not():
    with pytest.raises(
        InvalidInput,
        match=r"needs y_true.*available.*covering_rate, approximated_accuracy",
    ):
        oracle_accuracy(np.zeros((3, 2)), None)


def test_a_mat_file_of_other_fields_is_described(tmp_path):
    file = tmp_path / "other.mat"
    savemat(file, {"features": np.zeros((4, 2)), "labels": np.ones((4, 1))})
    with pytest.raises(DataError, match=r"'features \(4, 2\)', 'labels \(4, 1\)'"):
        read(file)


@pytest.mark.parametrize("make", ["aggregate", "vaguest"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[[0], [1]], [[2], 3]], "item 1, annotator 1 has 3"),
        ([[[0], [1]], [[2], [[0, 1]]]], "item 1, annotator 1 gave"),
        ([[[0], [1]], []], "item 1 has no annotator"),
    ],
)
def test_annotators_who_disagree_on_the_shape_are_named(make, given, message):
    with pytest.raises(InvalidInput, match=message):
        Annotations.from_lists(given, 3).combine(make)


@pytest.mark.thorough
def test_a_study_records_a_diverging_run_as_diverged(tmp_path):
    study = {
        "study": "too-fast",
        "topic": "candidates",
        "datasets": ["iris"],
        "scenario": {"candidates": "flip", "rate": 0.3},
        "learners": [{"name": "cc", "learning_rate": 1e30}],
        "search": {"configurations": 1, "steps": 20, "checkpoint-every": 10},
        "repeats": 1,
        "baseline": "none",
    }
    file = tmp_path / "ledger.db"
    run(study, ledger=file, engine="serial")
    with Ledger(file) as ledger:
        records = ledger.records()
    assert records.rows.empty
    assert records.trials["state"].tolist() == ["failed"]
    assert records.trials["reason"].tolist() == ["Diverged"]


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["paper", "plench"])
def test_an_encoder_that_left_the_finite_numbers_ends_the_run(variant):
    class Broken(type(make_algorithm("valen"))):
        def _build(self, run):
            super()._build(run)
            torch.nn.init.constant_(self.encoder[0].bias, torch.nan)

    algorithm = Broken(warm_up=2, variant=variant)
    data = {"x": torch.as_tensor(X), "candidates": torch.as_tensor(matrix()).bool()}
    with pytest.raises(Diverged, match="encoder's answer is not finite after 2"):
        train(mlp(3, [4], 3, seed=0), algorithm, data, steps=5, optimiser=adam())


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, float("nan")])
def test_advice_needs_rows_that_nobody_learnt_from(share):
    with pytest.raises(InvalidInput, match=r"validation_fraction is .*a share between"):
        advise(X, matrix(), validation_fraction=share)
