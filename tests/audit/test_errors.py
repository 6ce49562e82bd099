"""What answers give away: doubtful labels, weak segments, calibration."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from caveat.audit._errors import calibration, doubtful_labels, weak_segments
from caveat.audit._table import make_table
from caveat.datasets import from_frame

LOOK = {"aside": {}, "dates": [], "test": None, "seed": 0}


def world(seed, rows=1500, strength=3.0):
    """Draw a score, the truth it belongs to, and a column without meaning."""
    rng = np.random.default_rng(seed)
    score = strength * rng.normal(size=rows)
    truth = rng.random(rows) < expit(score)
    frame = pd.DataFrame({"x": score, "shop": rng.choice(list("abcd"), rows)})
    return rng, frame, truth, score


def table_of(frame, y):
    return make_table(from_frame(frame.assign(y=y.astype(int)), "y"), LOOK)


def answers(score):
    return np.column_stack([expit(-score), expit(score)])


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_flipped_labels_are_found_and_overlap_is_not(seed):
    rng, frame, truth, score = world(seed)
    assert doubtful_labels(table_of(frame, truth), answers(score)) is None
    flipped = rng.random(len(truth)) < 0.15
    found = doubtful_labels(table_of(frame, truth ^ flipped), answers(score))
    assert found.share.low < 0.15 < found.share.high
    assert flipped[list(found.rows)].mean() > 0.8


def test_a_slice_where_the_model_is_wrong_is_found_and_others_not():
    _, frame, truth, score = world(0)
    assert weak_segments(table_of(frame, truth), answers(score), 0) == ()
    turned = frame["shop"] == "b"
    wrong = np.where(turned, ~truth, truth)
    (first, *_) = weak_segments(table_of(frame, wrong), answers(score), 0)
    assert "shop" in first.columns
    assert first.right.high < first.promised


def test_probabilities_that_shout_are_found_and_true_ones_not():
    _, frame, truth, score = world(0)
    table = table_of(frame, truth)
    fair = calibration(table, answers(score), "m", 0)
    loud = calibration(table, answers(4 * score), "m", 0)
    assert fair.gain.low < 0.01
    assert loud.gain.low > 0.1
