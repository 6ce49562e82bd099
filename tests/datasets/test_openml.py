"""OpenML through scikit-learn: one verified snapshot, shape checked."""

import time
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import fingerprint, import_files, load
from caveat.datasets.sources import _openml
from caveat.exceptions import DataError

ROWS = 1000


def bunch(rows=ROWS, columns=20):
    data = pd.DataFrame(np.arange(rows * columns).reshape(rows, columns).astype(float))
    data.columns = [f"c{j}" for j in range(columns)]
    data["c0"] = pd.Categorical(np.where(data["c0"] % 3 == 0, "no", "yes"))
    data.loc[0, "c0"] = None
    target = pd.Series(pd.Categorical(["good", "bad"] * (rows // 2)), name="class")
    return SimpleNamespace(data=data, target=target)


@pytest.fixture
def openml(monkeypatch):
    """Stand in for scikit-learn's fetch_openml; counts its calls."""
    calls = []

    def stand_in(answer):
        def fetch_openml(**options):
            calls.append(options)
            return answer() if callable(answer) else answer

        monkeypatch.setattr(_openml, "fetch_openml", fetch_openml)
        return calls

    return stand_in


def test_a_data_set_is_fetched_once_and_kept_with_its_types(openml, tmp_path):
    calls = openml(bunch())
    first = load("credit", data_home=tmp_path)
    again = load("credit", data_home=tmp_path)
    assert len(calls) == 1
    assert calls[0]["data_id"] == 31
    pd.testing.assert_frame_equal(first.X, again.X)
    assert first.kinds["c0"] == "categorical"
    assert first.X["c0"].isna().tolist()[:2] == [True, False]
    assert first.classes == ("bad", "good")


def test_the_snapshot_is_verified_on_every_use(openml, tmp_path, monkeypatch):
    openml(bunch())
    load("credit", data_home=tmp_path)
    file = tmp_path / "credit" / "openml-31.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    with pytest.raises(DataError, match="is not the file it should be"):
        load("credit", data_home=tmp_path)


def test_another_shape_is_refused_and_not_kept(openml, tmp_path):
    openml(bunch(columns=19))
    with pytest.raises(DataError, match="columns 20, but what was loaded has 19"):
        load("credit", data_home=tmp_path)
    assert not (tmp_path / "credit" / "openml-31.parquet").exists()


def test_the_same_table_from_a_file_is_the_same_data(openml, tmp_path):
    openml(bunch())
    load("credit", data_home=tmp_path / "one")
    table = bunch().data.assign(**{"class": bunch().target})
    table.to_csv(tmp_path / "mine.csv", index=False)
    import_files("credit", [tmp_path / "mine.csv"], data_home=tmp_path / "two")
    assert fingerprint("credit", data_home=tmp_path / "one") == fingerprint(
        "credit", data_home=tmp_path / "two"
    )


def test_no_connection_is_told_with_the_way_by_hand(openml, tmp_path):
    def unplugged():
        raise URLError("unplugged")

    openml(unplugged)
    with pytest.raises(DataError, match=r"unplugged.*caveat data import credit"):
        load("credit", data_home=tmp_path)


def test_a_server_that_never_answers_is_left(openml):
    openml(lambda: time.sleep(5))
    with pytest.raises(DataError, match=r"longer than 0\.1 s"):
        _openml.openml_snapshot(31, deadline=0.1)


def test_two_targets_are_refused(openml):
    both = bunch()
    both.target = both.data[["c1", "c2"]]
    openml(both)
    with pytest.raises(DataError, match="exactly one target"):
        _openml.openml_snapshot(31)
