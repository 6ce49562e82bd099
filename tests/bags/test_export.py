"""The standard bags as files."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.bags import export_standard_bags, standard_bags
from caveat.bags.worlds import _export
from caveat.cli._data import data
from caveat.datasets import from_frame
from caveat.exceptions import DataError


@pytest.fixture
def small(monkeypatch):
    """Adult in small, and no CIFAR; Naive and Simple bags only."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((2000, 3)), columns=["a", "b", "c"])
    frame["y"] = np.where(rng.random(2000) < 0.24, ">50K", "<=50K")

    def load(name, data_home=None):
        if name != "adult":
            raise DataError(f"{name} is not in the data folder")
        return from_frame(frame, "y", name=name)

    monkeypatch.setattr(_export, "load", load)
    wanted = [one for one in standard_bags() if one.variant in ("naive", "simple")]
    monkeypatch.setattr(
        _export,
        "standard_bags",
        lambda base=None: [one for one in wanted if base in (None, one.base)],
    )


def test_every_file_holds_the_bag_of_every_row(small, tmp_path):
    written, missing = export_standard_bags(tmp_path)
    assert len(written) == 16
    assert len(missing) == 1
    assert "16 of cifar10-grey are not written" in missing[0]
    digests = pd.read_csv(tmp_path / "digests.csv").set_index("file")["sha256"]
    for path in written:
        table = pd.read_csv(path)
        assert table["row"].tolist() == list(range(2000))
        assert table["bag"].nunique() == (5 if "-small-" in path.name else 10)
        assert digests[path.name] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_command_says_what_is_not_there(small, tmp_path):
    folder = str(tmp_path / "bags")
    result = CliRunner().invoke(data, ["export", "standard-bags", folder])
    assert result.exit_code == 1
    assert "16 data sets" in result.output
    one = CliRunner().invoke(data, ["export", "standard-bags", folder, "--base=adult"])
    assert one.exit_code == 0
