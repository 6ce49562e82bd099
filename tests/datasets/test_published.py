"""Published files give the numbers that were published about them."""

import gzip
import hashlib
import io
import pickle
import tarfile

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import import_files, load
from caveat.datasets.registry import DATASETS
from caveat.datasets.sources._adult import load_adult
from caveat.datasets.sources._cifar import (
    load_cifar10,
    load_cifar10_grey,
    load_plcifar10,
    swapped_grey,
)
from caveat.exceptions import DataError

pytestmark = pytest.mark.thorough

FILES = {
    "heart": ["feature-shift/heart.csv"],
    "penguins": ["feature-shift/penguins.csv"],
    "abalone": ["feature-shift/abalone.csv"],
    "concrete": ["feature-shift/concrete.csv"],
    "eyemovements": ["feature-shift/eyemovements.csv"],
    "cal500": ["multi-label/CAL500.arff", "multi-label/CAL500.xml"],
    "emotions": ["multi-label/emotions.arff", "multi-label/emotions.xml"],
    "medical": ["multi-label/medical.arff"],
    "lost": ["partial-labels/lost.mat"],
    "italian": ["partial-labels/italian.mat"],
    "mnist-test": ["eapp/t10k-images-idx3-ubyte.gz", "eapp/t10k-labels-idx1-ubyte.gz"],
}


@pytest.fixture(scope="module")
def imported(published, tmp_path_factory):
    """Import published files into one data folder, on first use."""
    home = tmp_path_factory.mktemp("home")
    done = {}

    def get(name):
        if name not in done:
            paths = [published / file for file in FILES[name]]
            done[name] = import_files(name, paths, data_home=home)
        return done[name]

    get.home = home
    return get


@pytest.mark.parametrize("name", ["heart", "abalone", "concrete", "penguins", "lost"])
def test_imported_files_load_by_name(imported, name):
    imported(name)
    dataset = load(name, data_home=imported.home)
    pd.testing.assert_frame_equal(dataset.X, imported(name).X)


def test_heart_has_its_kinds_and_the_trap_is_noted(imported):
    heart = imported("heart")
    kinds = list(heart.kinds.values())
    assert (kinds.count("numerical"), kinds.count("categorical")) == (6, 5)
    assert heart.y.value_counts().to_dict() == {"present": 508, "absent": 410}
    assert (heart.X.Cholesterol == 0).sum() == 172
    assert "172" in heart.notes[0]


def test_penguins_keep_their_gaps(imported):
    X = imported("penguins").X
    assert X.shape == (344, 6)
    assert X.drop(columns="sex").isna().any(axis=1).sum() == 2
    assert X.sex.isna().sum() == 11


def test_concrete_keeps_its_duplicates(imported):
    concrete = imported("concrete")
    assert concrete.X.assign(y=concrete.y).duplicated().sum() == 25


def test_eye_movements_name_their_groups(imported):
    eyes = imported("eyemovements")
    assert eyes.X[eyes.groups].nunique() == 336
    assert eyes.X[eyes.order].nunique() == 10936
    assert eyes.y.value_counts().sort_index().tolist() == [3804, 4262, 2870]


def test_rings_are_amounts(imported):
    abalone = imported("abalone")
    assert abalone.task == "regression"
    assert (abalone.y.min(), abalone.y.max()) == (1, 29)


@pytest.mark.parametrize(
    ("name", "cardinality", "density", "distinct", "rarest"),
    [
        ("cal500", 26.044, 0.1497, 502, 5),
        ("medical", 1.245, 0.0277, 94, 1),
        ("emotions", 1.868, 0.3114, 27, 148),
    ],
)
def test_label_sets_have_the_published_statistics(
    imported, published, name, cardinality, density, distinct, rarest
):
    dataset = imported(name)
    Y = dataset.Y.to_numpy()
    assert Y.sum(axis=1).mean() == pytest.approx(cardinality, abs=5e-4)
    assert Y.mean() == pytest.approx(density, abs=5e-5)
    assert len(np.unique(Y, axis=0)) == distinct
    assert Y.sum(axis=0).min() == rarest
    names = (
        published / "multi-label" / f"{FILES[name][0].split('/')[1][:-5]}.labels.txt"
    )
    assert list(dataset.classes) == names.read_text().splitlines()


@pytest.mark.parametrize(
    ("name", "size", "singletons", "never_true"),
    [("lost", 2.2317, 0.060, 2), ("italian", 1.5958, 0.608, 13)],
)
def test_candidate_sets_have_the_measured_statistics(
    imported, name, size, singletons, never_true
):
    dataset = imported(name)
    sizes = dataset.candidates.sum(axis=1)
    assert sizes.mean() == pytest.approx(size, abs=5e-5)
    assert (sizes == 1).mean() == pytest.approx(singletons, abs=5e-4)
    assert dataset.candidates[np.arange(len(dataset)), dataset.y].all()
    assert len(dataset.classes) - dataset.y.nunique() == never_true


def test_mnist_has_its_counts_and_mean(imported):
    digits = imported("mnist-test")
    assert digits.y.head(10).tolist() == [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]
    counts = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert digits.y.value_counts().sort_index().tolist() == counts
    assert digits.images.mean() == pytest.approx(33.7912, abs=5e-5)
    eights = load("mnist-8", data_home=imported.home)
    assert eights.y.value_counts().to_dict() == {"1 or 7": 2163, "8": 974}
    assert eights.classes[-1] == "8"


def uci_files(raw):
    """Write the two files of UCI from the table of all records."""
    text = raw.astype(object)
    test, train = text.iloc[:16281], text.iloc[16281:]
    lines = [", ".join(record) for record in train.itertuples(index=False)]
    marked = [", ".join(record) + "." for record in test.itertuples(index=False)]
    return {
        "adult.test": ("\n".join(["|1x3 Cross validator", *marked]) + "\n\n").encode(),
        "adult.data": ("\n".join(lines) + "\n\n").encode(),
    }


@pytest.fixture(scope="module")
def adult_files(published):
    folder = published / "label-proportions"
    return {"adult-raw.parquet": (folder / "adult-raw.parquet").read_bytes()}


@pytest.mark.long
def test_adult_is_the_table_of_the_bags_study(published, adult_files):
    folder = published / "label-proportions"
    adult = load_adult(adult_files, processed=True)
    released = pd.read_parquet(folder / "adult-processed.parquet")
    np.testing.assert_array_equal(adult.y, released.pop("y"))
    assert np.abs(adult.X.to_numpy() - released.to_numpy()).max() <= 1e-12
    names = pd.read_csv(folder / "adult-processed-columns.csv")["feature"]
    assert list(adult.X.columns) == names.tolist()
    assert adult.y.mean() == pytest.approx(0.239282, abs=5e-7)


@pytest.mark.slow
def test_adult_from_the_text_of_uci_is_the_same_table(adult_files):
    raw = pd.read_parquet(io.BytesIO(adult_files["adult-raw.parquet"]))
    text = uci_files(raw)
    for file in DATASETS["adult"].facts["files"][:2]:
        assert hashlib.sha256(text[file.name]).hexdigest() == file.sha256[0]
    for processed in (True, False):
        from_text = load_adult(text, processed=processed)
        from_table = load_adult(adult_files, processed=processed)
        pd.testing.assert_frame_equal(from_text.X, from_table.X)
        pd.testing.assert_series_equal(from_text.y, from_table.y)


def test_the_text_of_uci_is_read_with_its_blanks_and_dots():
    record = "25, Private, 226802, 11th, 7, Never-married, ?, Own-child, Black, Male"
    line = f"{record}, 0, 0, 40, United-States, "
    text = {
        "adult.test": f"|1x3 Cross validator\n{line}<=50K.\n\n".encode(),
        "adult.data": f"{line}>50K\n\n".encode(),
    }
    adult = load_adult(text, processed=False)
    assert adult.y.tolist() == ["<=50K", ">50K"]
    assert adult.X.loc[0, ["age", "workclass", "occupation"]].tolist() == [
        25,
        "Private",
        "?",
    ]


def test_adult_with_a_broken_line_is_refused():
    with pytest.raises(DataError, match="line 2: found 2 fields"):
        load_adult({"adult.test": b"|x\n1, 2\n", "adult.data": b""}, processed=False)


def cifar_archive(per_batch=4):
    """Make a small archive in the shape of CIFAR-10's binary version."""
    rng = np.random.default_rng(0)
    out = io.BytesIO()
    records = []
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in [f"data_batch_{k}.bin" for k in range(1, 6)] + ["test_batch.bin"]:
            batch = rng.integers(0, 256, (per_batch, 3073), dtype=np.uint8)
            batch[:, 0] %= 10
            records.append(batch)
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = batch.nbytes
            archive.addfile(member, io.BytesIO(batch.tobytes()))
    return gzip.compress(out.getvalue()), np.concatenate(records)


def test_cifar_10_planes_become_pixels():
    archive, records = cifar_archive()
    dataset = load_cifar10({"cifar-10-binary.tar.gz": archive})
    assert dataset.images.shape == (24, 32, 32, 3)
    assert dataset.images[3, 0, 5].tolist() == records[3, [6, 1030, 2054]].tolist()
    assert dataset.X.columns[3] == "r0c1-r"


def test_cifar_10_that_lacks_a_batch_or_ends_early_is_refused():
    archive, _ = cifar_archive()
    plain = gzip.decompress(archive)
    renamed = plain.replace(b"test_batch.bin", b"best_batch.bin")
    with pytest.raises(DataError, match="cifar-10-binary"):
        load_cifar10({"cifar-10-binary.tar.gz": renamed})


def test_grey_follows_the_interchanged_weights():
    colours = np.random.default_rng(0).integers(0, 256, (500, 3), dtype=np.uint8)
    exact = colours @ np.array([0.114, 0.587, 0.299])
    assert np.abs(swapped_grey(colours) - exact).max() <= 0.5 + 1e-2


def test_grey_cifar_10_is_scaled_and_tells_vehicles_from_animals():
    archive, records = cifar_archive()
    dataset = load_cifar10_grey({"cifar-10-binary.tar.gz": archive})
    assert dataset.X.shape == (24, 1024)
    assert dataset.X.min().min() == 0.0
    assert dataset.X.max().max() == 1.0
    assert dataset.y.sum() == (~np.isin(records[:, 0], (0, 1, 8, 9))).sum()


def test_annotators_are_aggregated_or_the_vaguest_is_taken(monkeypatch):
    monkeypatch.setattr("caveat.datasets.sources._cifar._TRAINING", 20)
    archive, _ = cifar_archive()
    sets = {item: [[1], [2, 3], [4, 3]] for item in range(20)}
    files = {
        "cifar-10-binary.tar.gz": archive,
        "plcifar10.pkl": pickle.dumps(sets),
    }
    union = load_plcifar10(files, rule="aggregate")
    vaguest = load_plcifar10(files, rule="vaguest")
    assert np.flatnonzero(union.candidates[0]).tolist() == [1, 2, 3, 4]
    assert np.flatnonzero(vaguest.candidates[7]).tolist() == [2, 3]  # the first of two
    assert union.images.shape == (24, 32, 32, 3)
    assert union.images.dtype == np.uint8
    assert union.n_test == 4
    assert union.annotations[3] == [[1], [2, 3], [4, 3]]
    np.testing.assert_array_equal(union.candidates[20:].argmax(1), union.y[20:])
    assert (union.candidates[20:].sum(1) == 1).all()
    part = load_plcifar10(files, rule="aggregate", part=(5, 2))
    assert (len(part), part.n_test, len(part.annotations)) == (7, 2, 5)
    kept = [0, 1, 2, 3, 4, 20, 21]
    np.testing.assert_array_equal(part.images, union.images[kept])
    np.testing.assert_array_equal(part.candidates, union.candidates[kept])
    short = {**files, "plcifar10.pkl": pickle.dumps({0: [[1]]})}
    with pytest.raises(DataError, match="annotates 1 images, not 20"):
        load_plcifar10(short, rule="vaguest")
