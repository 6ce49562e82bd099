"""Ranks, relative performance, profiles, pictures, the synthetic data."""

import io

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import CaveatError
from caveat.multilabel import (
    bootstrap_intervals,
    evaluate,
    margin_profile,
)
from papers.multilabel.figures import (
    plot_average_ranks,
    plot_margin_profile,
    plot_relative_performance,
)
from papers.multilabel.ranks import average_ranks, relative_performance

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def frame():
    rows = [
        ("a", "LIMO", "macro_auc", 0.9), ("a", "BR", "macro_auc", 0.8),
        ("a", "GFM", "macro_auc", 0.7), ("b", "LIMO", "macro_auc", 0.6),
        ("b", "BR", "macro_auc", 0.5), ("b", "GFM", "macro_auc", 0.5),
        ("a", "LIMO", "coverage", 3.0), ("a", "LIMO", "coverage", 1.0),
        ("a", "BR", "coverage", 2.5), ("a", "GFM", "coverage", 4.0),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["dataset", "method", "measure", "value"])


def test_ranks_follow_direction_mean_and_ties(frame):
    ranks = average_ranks(frame)
    assert ranks.loc["macro_auc"].to_dict() == {"LIMO": 1.0, "BR": 2.25, "GFM": 2.75}
    assert ranks.loc["coverage"].to_dict() == {"LIMO": 1.0, "BR": 2.0, "GFM": 3.0}
    assert list(ranks.index) == ["coverage", "macro_auc"]


def test_relative_performance_runs_from_worst_to_best(frame):
    table = relative_performance(frame[frame["dataset"] == "a"])
    coverage = table[table["measure"] == "coverage"].set_index("method")
    assert coverage["relative"].to_dict() == {"BR": 0.75, "GFM": 0.0, "LIMO": 1.0}
    assert (coverage["worst"] == 4.0).all()


def test_equal_methods_are_all_best():
    same = pd.DataFrame({"method": ["a", "b"], "measure": ["one-error"] * 2,
                         "value": [0.2, 0.2]})  # fmt: skip
    assert (relative_performance(same)["relative"] == 1).all()
    assert (average_ranks(same).loc["one_error"] == 1.5).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.drop(columns="value"),
        lambda frame: frame.assign(measure="accuracy"),
        lambda frame: frame.assign(value=np.nan),
        lambda frame: frame.iloc[:0],
    ],
)
def test_bad_frames_are_refused(frame, change):
    with pytest.raises(CaveatError):
        average_ranks(change(frame))


def test_relative_performance_takes_one_data_set(frame):
    with pytest.raises(CaveatError, match="2 data sets"):
        relative_performance(frame)


def svg(figure):
    target = io.StringIO()
    figure.savefig(target, format="svg")
    return target.getvalue()


@pytest.mark.thorough
def test_pictures_are_drawn(frame):
    assert "<svg" in svg(plot_average_ranks(frame))
    assert "<svg" in svg(plot_relative_performance(frame[frame["dataset"] == "a"]))
    Y, S = np.eye(3, dtype=int), np.eye(3) + 0.1 * np.arange(3)
    assert "<svg" in svg(plot_margin_profile(margin_profile(Y, S, S > 0.5)))
    with pytest.raises(CaveatError, match="margin_profile"):
        plot_margin_profile(frame)


@pytest.fixture(scope="module")
def truth():
    rng = np.random.default_rng(0)
    return (rng.random((400, 12)) < np.linspace(0.05, 0.9, 12)).astype(int)


def test_popularity_serves_the_label_wise_margin_only(truth):
    profile = margin_profile(truth, np.tile(truth.mean(axis=0), (400, 1)))
    assert profile.verdict == "label-wise"
    assert profile.instance_wise.order == 0.5
    assert profile.label_wise.order == pytest.approx(profile.popularity)
    promised = profile.table["promised"]
    assert promised["ranking_loss"]
    assert not promised["macro_auc"]
    assert not promised["micro_auc"]
    assert "macro-AUC and macro-F1 are not promised" in profile.sentence


def test_scores_shifted_by_label_serve_the_instance_wise_margin_only(truth):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=truth.shape)
    profile = margin_profile(truth, truth + noise - 20 * truth.mean(axis=0) * 12)
    assert profile.verdict == "instance-wise"
    both = margin_profile(truth, 3 * truth + noise)
    assert both.verdict == "both"
    assert both.table["promised"].all()


def test_the_reference_is_what_constant_scores_get(truth):
    profile = margin_profile(
        truth, 3 * truth + np.random.default_rng(2).random((400, 12))
    )
    constant = evaluate(truth, np.zeros(truth.shape), np.zeros(truth.shape, dtype=int))
    shown = profile.table["reference"]
    for name in shown.index:
        assert shown[name] == pytest.approx(constant[name]), name


def test_intervals_of_both_sides_agree_with_the_bootstrap(truth):
    rng = np.random.default_rng(5)
    scores = np.round(truth + rng.normal(size=truth.shape), 1)
    profile = margin_profile(truth, scores)
    table = bootstrap_intervals(
        truth, scores, measures=["instance_auc", "macro_auc"], n_resamples=400,
        random_state=0,
    )  # fmt: skip
    for side, name in (
        (profile.label_wise, "instance_auc"),
        (profile.instance_wise, "macro_auc"),
    ):
        width = table.loc[name, "high"] - table.loc[name, "low"]
        assert side.order == pytest.approx(table.loc[name, "value"])
        assert side.high - side.low == pytest.approx(width, rel=0.15)


def test_popularity_may_come_from_training(truth):
    given = margin_profile(truth, truth + 0.1, popularity=np.arange(12.0))
    assert given.popularity == margin_profile(truth, truth + 0.1).popularity
    with pytest.raises(CaveatError, match="12 shares"):
        margin_profile(truth, truth + 0.1, popularity=[0.5])
