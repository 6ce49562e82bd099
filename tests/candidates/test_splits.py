"""Cross-validation with candidate sets: nothing is cut unshuffled in silence."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from caveat.candidates import (
    CandidateKFold,
    CandidateSets,
    PartialLabelClassifier,
    flip_candidates,
)

X, Y = load_iris(return_X_y=True)
# No set is full, which would be warned of.
SETS = flip_candidates(Y, rate=0.4, random_state=0) & ~np.eye(3, dtype=bool)[Y - 1]
FORMS = {
    "matrix": SETS,
    "container": CandidateSets(SETS),
    "sets": [set(np.flatnonzero(row).tolist()) for row in SETS],
}


def model():
    return PartialLabelClassifier(
        "cc", hidden=(8,), max_steps=40, learning_rate=0.03, random_state=0
    )


@pytest.mark.parametrize("form", ["matrix", "sets"])
def test_sorted_rows_that_are_cut_unshuffled_are_warned_of(form):
    with pytest.warns(UserWarning, match="CandidateKFold"):
        cross_val_score(model(), X, FORMS[form], cv=3)


@pytest.mark.parametrize("form", FORMS)
def test_folds_for_candidates_keep_every_class_in_training(form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(
            model(), X, FORMS[form], cv=CandidateKFold(3, random_state=0)
        )
    assert scores.min() > 0.6


def test_folds_are_a_partition_and_the_same_for_every_form():
    found = [
        np.concatenate([t for _, t in CandidateKFold(4, random_state=1).split(X, y)])
        for y in FORMS.values()
    ]
    assert sorted(found[0].tolist()) == list(range(len(X)))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.parametrize("form", FORMS)
def test_score_takes_what_fit_takes(form):
    fitted = model().fit(X, FORMS[form])
    wanted = SETS[np.arange(len(X)), fitted.predict(X)].mean()
    assert fitted.score(X, FORMS[form]) == pytest.approx(wanted)


def test_score_finds_classes_by_name():
    names = ("setosa", "versicolor", "virginica")
    fitted = model().fit(X, CandidateSets(SETS, names))
    turned = CandidateSets(SETS[:, ::-1], names[::-1])
    assert fitted.score(X, turned) == fitted.score(X, CandidateSets(SETS, names))
    weight = np.arange(len(X))
    hits = SETS[np.arange(len(X)), [names.index(name) for name in fitted.predict(X)]]
    assert fitted.score(X, turned, weight) == np.average(hits, weights=weight)
