"""Samples: the same files every time, and what their stories plant is really there."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from caveat.cli import main
from caveat.datasets.samples import SAMPLES, write_sample
from caveat.exceptions import InvalidInput


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("samples")
    for name in SAMPLES:
        write_sample(name, place)
    return place


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_the_same_every_time(name, folder, tmp_path):
    again = write_sample(name, tmp_path)
    for path in again.parent.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_can_be_written_twice_but_never_over_something_else(name, tmp_path):
    path = write_sample(name, tmp_path)
    assert write_sample(name, tmp_path) == path
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="there already"):
        write_sample(name, tmp_path)
    assert path.read_text() == "mine"


def test_collection_calls_know_who_defaults(folder):
    table = pd.read_csv(folder / "loans.csv", keep_default_na=False)
    ill = table["default"] == "yes"
    assert roc_auc_score(ill, table["collection_calls"]) > 0.9
    assert roc_auc_score(ill, table["debt_ratio"]) < 0.75
    missing = table["employer_years"] == ""
    assert missing[ill].mean() > 2 * missing[~ill].mean()


def test_patients_come_back_and_their_code_is_written_late(folder):
    table = pd.read_csv(folder / "patients.csv")
    assert table["patient"].value_counts().eq(6).all()
    assert table.groupby("patient")["ill"].nunique().eq(1).all()
    late = table["billing_code"].str.startswith("K")
    assert roc_auc_score(table["ill"] == "yes", late) > 0.9


def test_two_sensors_say_the_same(folder):
    table = pd.read_csv(folder / "sensors.csv")
    assert np.corrcoef(table["vibration"], table["current"])[0, 1] > 0.95


def test_one_sensor_can_go_and_two_cannot(folder):
    table = pd.read_csv(folder / "sensors.csv")
    X, y = table[["load", "vibration", "current", "heat"]], table["fault"] == "yes"
    test = np.random.default_rng(0).random(len(X)) < 0.3
    model = LogisticRegression().fit(X[~test], y[~test])

    def without(*lost):
        filled = X[test].assign(**X[~test].mean()[list(lost)])
        return roc_auc_score(y[test], model.predict_proba(filled)[:, 1])

    whole = without()
    assert whole - min(without("vibration"), without("current")) < 0.04
    # What is left when both are filled in by what the others tell.
    left = LogisticRegression().fit(X.loc[~test, ["load", "heat"]], y[~test])
    score = left.predict_proba(X.loc[test, ["load", "heat"]])[:, 1]
    assert (whole - roc_auc_score(y[test], score)) / (whole - 0.5) > 0.35


@pytest.mark.long
@pytest.mark.thorough
def test_one_model_orders_moods_and_the_other_songs(folder):
    moods = pd.read_csv(folder / "songs.csv")[["calm", "sad", "happy", "angry"]]
    by_label, by_song = {}, {}
    for name in ("steady", "moody"):
        scores = pd.read_csv(folder / f"songs-scores-{name}.csv")
        by_label[name] = np.mean([roc_auc_score(moods[m], scores[m]) for m in moods])
        mixed = (moods.sum(axis=1) > 0) & (moods.sum(axis=1) < 4)
        by_song[name] = np.mean(
            [roc_auc_score(moods.loc[i], scores.loc[i]) for i in moods.index[mixed]]
        )
    assert by_label["steady"] > by_label["moody"] + 0.1
    assert abs(by_song["steady"] - by_song["moody"]) < 0.05


def test_carl_guesses_half_of_the_time(folder):
    table = pd.read_csv(folder / "birds.csv")
    right = {
        name: np.mean([bird in said for bird, said in table[["species", name]].values])
        for name in ("anna", "ben", "carl")
    }
    assert right["anna"] == pytest.approx(0.9, abs=0.03)
    assert right["ben"] == pytest.approx(0.85, abs=0.03)
    assert right["carl"] == pytest.approx(0.6, abs=0.03)
    assert "Carl is right in six of ten" in (folder / "birds-story.txt").read_text()


def test_shares_of_shops_are_those_of_their_customers(folder):
    table = pd.read_csv(folder / "shops.csv")
    truth = pd.read_csv(folder / "shop-truth.csv")
    found = (truth["label"] == "returns").groupby(table["shop"]).mean().round(4)
    shares = pd.read_csv(folder / "shop-shares.csv").set_index("shop")["share"]
    pd.testing.assert_series_equal(found, shares, check_names=False)


def test_the_command_lists_and_writes(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["sample"])
    listed = capsys.readouterr().out
    assert all(name in listed for name in SAMPLES)
    with pytest.raises(SystemExit) as stop:
        main(["sample", "birds", str(tmp_path)])
    assert stop.value.code == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "birds.csv")
    with pytest.raises(SystemExit) as stop:
        main(["sample", "brids"])
    assert stop.value.code == 2
    assert "did you mean 'birds'" in capsys.readouterr().err
