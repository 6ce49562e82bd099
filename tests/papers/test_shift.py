"""Tables and observations: hand-made examples, and the published numbers again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput, UnknownName
from papers.shift.observations import closed_and_shifted, decay, importance_and_loss
from papers.shift.summaries import (
    column_types,
    gap_table,
    imputation_table,
    rank_summary,
    rank_table,
    runtime_table,
    type_table,
)

PUBLISHED = Path(__file__).resolve().parents[2] / "papers/shift"


def tidy(dataset, n_columns, models, task="binary", measure="accuracy"):
    """A curve per model: closed value, and a function of k."""
    rows = [
        (task, dataset, model, "random", measure, k, k / n_columns, curve(k))
        for model, curve in models.items()
        for k in range(n_columns + 1)
    ]
    names = ["task", "dataset", "model", "scenario", "measure", "k", "degree", "value"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture(scope="module")
def three_sizes():
    """Data sets with 4, 8 and 22 columns; the gap of model a at k is -k/100."""
    parts = [
        tidy(
            f"d{n}",
            n,
            {"a": lambda k: 1 - k / 100, "b": lambda k, n=n: 0.5 * (1 - k / n)},
        )
        for n in (4, 8, 22)
    ]
    return pd.concat(parts, ignore_index=True)


def test_points_go_into_bins_of_a_fifth_and_are_averaged(three_sizes):
    # (0, 20 %]: none of 4; k = 1 of 8; k = 1..4 of 22. (20, 40]: 1; 2, 3; 5..8.
    # (40, 60]: 2; 4; 9..13. (60, 80]: 3; 5, 6; 14..17. (80, 100]: 4; 7, 8; 18..22.
    members = {
        "20%": [[], [1], [1, 2, 3, 4]],
        "40%": [[1], [2, 3], [5, 6, 7, 8]],
        "60%": [[2], [4], [9, 10, 11, 12, 13]],
        "80%": [[3], [5, 6], [14, 15, 16, 17]],
        "100%": [[4], [7, 8], [18, 19, 20, 21, 22]],
    }
    by_points = gap_table(three_sizes, weighting="points").loc[("binary", "a")]
    by_sets = gap_table(three_sizes).loc[("binary", "a")]
    for name, ks in members.items():
        assert by_points[name] == pytest.approx(-np.mean(np.concatenate(ks)) / 100)
        assert by_sets[name] == pytest.approx(
            -np.mean([np.mean(k) for k in ks if k]) / 100
        )
    assert by_points.index.tolist() == list(members)


def test_ranks_are_taken_within_data_sets_or_of_pooled_means(three_sizes):
    within = rank_table(three_sizes)
    pooled = rank_table(three_sizes, method="pooled")
    assert within.loc[("binary", "a")].tolist() == [1.0] * 6
    assert pooled.loc[("binary", "b")].tolist() == [2.0] * 6
    assert pooled.columns.tolist() == ["0%", "20%", "40%", "60%", "80%", "100%"]


def test_small_errors_rank_first_and_pooling_can_be_scaled():
    small = tidy(
        "s", 4, {"a": lambda k: 1 + k, "b": lambda k: 2 + k}, "regression", "rmse"
    )
    large = tidy(
        "l", 4, {"a": lambda k: 900, "b": lambda k: 500 + k}, "regression", "rmse"
    )
    frame = pd.concat([small, large])
    assert rank_table(frame).loc[("regression", "a"), "0%"] == 1.5
    raw = rank_table(frame, method="pooled")
    scaled = rank_table(frame, method="pooled", scale="minmax")
    assert raw.loc[("regression", "b"), "0%"] == 1
    # a: 0 and 1; b: 1/5 and 0, so b still leads once both data sets weigh alike.
    assert scaled.loc[("regression", "b"), "0%"] == 1


def test_equal_means_share_the_smaller_rank():
    frame = tidy("d", 4, dict.fromkeys("abc", lambda k: 0.5))
    assert rank_table(frame, method="pooled")["0%"].tolist() == [1, 1, 1]


def test_seeds_are_averaged_before_the_gap():
    one = tidy("d", 4, {"a": lambda k: 1.0 - 0.1 * k})
    two = tidy("d", 4, {"a": lambda k: 0.8 - 0.1 * k})
    found = gap_table(pd.concat([one, two])).loc[("binary", "a"), "40%"]
    assert found == pytest.approx((0.8 - 0.9) / 0.9)


@pytest.fixture(scope="module")
def random():
    frame = pd.read_csv(PUBLISHED / "published-random.csv").assign(scenario="random")
    most = frame.groupby("dataset")["k"].transform("max")
    return frame.assign(degree=frame["k"] / most)


class TestPublished:
    def test_average_rank_and_top_three(self):
        ranks = pd.read_csv(PUBLISHED / "published-ranks.csv")
        table = ranks.pivot(index=["task", "model"], columns="bin", values="rank")
        found = rank_summary(table).round(1)
        assert found["average_rank"].to_dict() == {
            "CatBoost": 4.8,
            "FT-T": 14.2,
            "LightGBM": 13.1,
            "MLP": 8.8,
            "ResNet": 9.6,
            "XGBoost": 13.6,
        }
        assert found["top_3"].to_dict() == {
            "CatBoost": 9,
            "FT-T": 0,
            "LightGBM": 4,
            "MLP": 1,
            "ResNet": 1,
            "XGBoost": 2,
        }

    def test_the_four_correlations_of_observation_three(self, random):
        main = random[random["measure"].isin(["accuracy", "rmse"])]
        found = closed_and_shifted(main)["pearson"].round(2)
        assert found.to_dict() == {
            "iris": 0.76,
            "heart": 0.90,
            "abalone": 0.07,
            "concrete": 0.94,
        }

    def test_types_of_columns(self):
        single = pd.read_csv(PUBLISHED / "published-single.csv").assign(
            scenario="single"
        )
        heart = single[single["dataset"] == "heart"]
        types = {
            **dict.fromkeys(heart["column"].dropna(), "numerical"),
            **dict.fromkeys(["ChestPainType", "RestingECG", "ST_Slope"], "categorical"),
            **dict.fromkeys(["Sex", "ExerciseAngina"], "boolean"),
        }
        found = type_table(heart, types).round(3)
        expected = pd.read_csv(PUBLISHED / "published-types.csv", index_col="model")
        pd.testing.assert_frame_equal(
            found, expected.loc[found.index], check_names=False, check_like=True
        )

    def test_imputation_by_the_mean_is_the_random_scenario(self, random):
        imputed = pd.read_csv(PUBLISHED / "published-imputation.csv")
        table = imputation_table(imputed.assign(scenario="random", measure="accuracy"))
        heart = random[
            (random["dataset"] == "heart") & (random["measure"] == "accuracy")
        ]
        catboost = heart[heart["model"] == "CatBoost"].set_index("k")["value"]
        assert table[("CatBoost", "mean")].to_dict() == catboost.loc[1:10].to_dict()

    def test_random_with_one_column_gone_is_the_mean_of_the_single_values(self, random):
        single = pd.read_csv(PUBLISHED / "published-single.csv")
        one = single[(single["k"] == 1) & (single["model"] == "LightGBM")]
        means = one.groupby("dataset")["value"].mean()
        rows = random[(random["k"] == 1) & (random["model"] == "LightGBM")]
        rows = rows[rows["measure"].isin(["accuracy", "rmse"])].set_index("dataset")[
            "value"
        ]
        np.testing.assert_allclose(
            means[["heart", "abalone"]], rows[["heart", "abalone"]], atol=6e-4
        )


def test_loss_that_follows_importance_is_found():
    importance = {"d": pd.Series({"a": 0.1, "b": -0.2, "c": 0.7})}
    sizes = np.array([0.1, 0.2, 0.7])
    frames = []
    for scenario, order in (("most", sizes[::-1]), ("least", sizes)):
        lost = np.concatenate([[0.0], np.cumsum(order)])
        frame = tidy("d", 3, {"m": lambda k, lost=lost: 0.9 * (1 - lost[k] / 2)})
        frames.append(frame.assign(scenario=scenario))
    found = importance_and_loss(pd.concat(frames), importance)
    assert found.pooled == pytest.approx(1.0)
    assert found.by_dataset["d"] == pytest.approx(1.0)
    assert found.points["x"].tolist() == pytest.approx([0.7, 0.9, 1.0, 0.1, 0.3, 1.0])


def test_the_single_scenario_is_correlated_column_by_column():
    importance = {"d": pd.Series({"a": 0.1, "b": -0.2, "c": 0.7})}
    rows = [(0, None, 1.0), (1, "a", 0.9), (1, "b", 0.95), (1, "c", 0.5)]
    frame = pd.DataFrame(rows, columns=["k", "column", "value"]).assign(
        dataset="d", model="m", measure="accuracy", scenario="single", degree=0.3
    )
    found = importance_and_loss(frame, importance, scenarios=("single",))
    expected = np.corrcoef([0.1, 0.2, 0.7], [0.1, 0.05, 0.5])[0, 1]
    assert found.pooled == pytest.approx(expected)
    with pytest.raises(InvalidInput, match="lacks the data set 'd'"):
        importance_and_loss(frame, {}, scenarios=("single",))


def test_decay_has_an_interval_over_data_sets(three_sizes):
    found = decay(three_sizes)
    assert (found["low"] <= found["loss"]).all()
    assert (found["loss"] <= found["high"]).all()
    assert found["share"].tolist() == [1.0] * 5
    assert found["loss"].is_monotonic_increasing


def test_types_are_told_by_training_values(mixed):
    X, _, _, _ = mixed()
    found = column_types(X.assign(flag=np.arange(len(X)) % 2), {"left": "numerical"})
    assert found.to_dict() == {
        "size": "numerical",
        "count": "numerical",
        "colour": "categorical",
        "left": "numerical",
        "flag": "boolean",
    }
    with pytest.raises(UnknownName, match="did you mean 'left'"):
        column_types(X, {"lift": "boolean"})


def test_runtime_counts_memory_if_it_is_known():
    runs = pd.DataFrame(
        {
            "model": ["a", "a"],
            "fit_seconds": [1.0, 3.0],
            "predict_seconds": [1.0, 1.0],
            "rows_masked": [10**6, 10**6],
            "peak_bytes": [5, 7],
        }
    )
    found = runtime_table(runs).loc["a"]
    assert found.tolist() == [2.0, 1.0, 7]


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: gap_table(frame, weighting="rows"),
        lambda frame: rank_table(frame, method="mean"),
        lambda frame: rank_table(frame, scale="log"),
        lambda frame: gap_table(frame.drop(columns="degree")),
        lambda frame: gap_table(frame[frame["k"] > 0]),
        lambda frame: gap_table(frame, scenario="most"),
        lambda frame: closed_and_shifted(frame[:0]),
    ],
)
def test_frames_and_settings_that_do_not_fit_are_refused(call, three_sizes):
    with pytest.raises(InvalidInput):
        call(three_sizes)
