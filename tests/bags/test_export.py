"""The standard bags as files."""

import hashlib
import io
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.bags import export_standard_bags, standard_bags
from caveat.bags.worlds import _export
from caveat.cli._data import data
from caveat.datasets import from_frame
from caveat.datasets.sources._cifar import ARCHIVE, load_cifar10_grey
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


def cifar_archive(per_batch):
    """Make an archive in the shape of CIFAR-10's binary version: random pixels."""
    rng = np.random.default_rng(0)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for name in [*(f"data_batch_{k}" for k in range(1, 6)), "test_batch"]:
            batch = rng.integers(0, 256, (per_batch, 3073), dtype=np.uint8)
            batch[:, 0] = np.arange(per_batch) % 10
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}.bin")
            member.size = batch.nbytes
            archive.addfile(member, io.BytesIO(batch.tobytes()))
    return out.getvalue()


@pytest.fixture
def cifar(monkeypatch, tmp_path):
    """A made-up CIFAR-10 in the data folder, in place of the one of 170 MB."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ARCHIVE).write_bytes(cifar_archive(250))

    def load(name, data_home=None):
        assert name == "cifar10-grey"
        return load_cifar10_grey({ARCHIVE: (Path(data_home) / ARCHIVE).read_bytes()})

    monkeypatch.setattr(_export, "load", load)
    quick = ("naive", "simple", "hard")
    wanted = [one for one in standard_bags("cifar") if one.variant in quick]
    monkeypatch.setattr(_export, "standard_bags", lambda base=None: wanted)
    return home


def test_cifar_10_is_put_into_bags_of_its_targets(cifar, tmp_path):
    """Sizes and shares of animals are those that the standard asks for, scaled."""
    folder = tmp_path / "bags"
    home = str(cifar)
    written, missing = export_standard_bags(folder, base="cifar", data_home=home)
    assert missing == []
    animal = _export.load("cifar10-grey", home).y.to_numpy()
    assert len(animal) == 1500
    made = {one.name: one for one in standard_bags("cifar")}
    assert len(written) == 28
    shares = {}
    for path in written:
        bags = pd.read_csv(path)["bag"].to_numpy()
        one = made[path.stem]
        sizes = np.bincount(bags)
        wanted = np.array(one.target_sizes) / sum(one.target_sizes)
        # Released draws meet sizes in the mean: four standard deviations.
        assert (np.abs(sizes - 1500 * wanted) <= 4 * np.sqrt(1500 * wanted)).all()
        found = np.bincount(bags, animal) / sizes
        shares[one.variant, one.target_proportions, path.stem] = found
    free = [found for (variant, *_), found in shares.items() if variant == "naive"]
    assert max(np.ptp(found) for found in free) < 0.25
    # All shares move together, so that the whole holds the classes as it does.
    near = [
        np.corrcoef(found, target)[0, 1]
        for (variant, target, _), found in shares.items()
        if variant != "naive"
    ]
    assert len(near) == 24
    assert min(near) > 0.9
    digests = pd.read_csv(folder / "digests.csv")
    assert len(digests) == len(written)


def test_nothing_written_is_said_and_leaves_no_folder(monkeypatch, tmp_path):
    def load(name, data_home=None):
        raise DataError(f"{name} is not in the data folder")

    monkeypatch.setattr(_export, "load", load)
    folder = tmp_path / "bags"
    result = CliRunner().invoke(data, ["export", "standard-bags", str(folder)])
    assert result.exit_code == 1
    assert "no data set was written" in result.output
    assert "0 data sets" not in result.output
    assert not folder.exists()


def test_the_example_of_the_command_is_no_call_for_help():
    result = CliRunner().invoke(data, ["export", "--help"])
    assert "caveat data export standard-bags my-bags" in result.output


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
