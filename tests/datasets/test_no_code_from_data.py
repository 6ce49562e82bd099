"""Nothing in the data packages can run what a data file says."""

import pickle
import re
from pathlib import Path

import pytest

import caveat
from caveat.datasets import available, import_files, load, read, verify
from caveat.exceptions import CaveatError

SOURCE = Path(caveat.__file__).parent
FORBIDDEN = re.compile(
    r"pickle\.loads?\(|joblib\.load|allow_pickle=True|weights_only=False|read_pickle"
    r"|yaml\.load\(|\beval\(|\bexec\(|shell=True|extractall\(|os\.system|__import__\("
)


@pytest.mark.parametrize(
    "file",
    sorted([*SOURCE.glob("datasets/**/*.py"), *SOURCE.glob("tables/*.py")]),
    ids=lambda path: path.relative_to(SOURCE).as_posix(),
)
def test_no_module_loads_or_runs_foreign_code(file):
    code = re.sub(r'"""[\s\S]*?"""', "", file.read_text())
    assert not FORBIDDEN.search(code)


class Canary:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_a_pickle_in_the_data_folder_is_never_unpickled(tmp_path):
    marker = tmp_path / "marker"
    (tmp_path / "own.csv").write_text("a,t\n1,x\n2,y\n")
    import_files("mine", [tmp_path / "own.csv"], data_home=tmp_path / "home")
    for file in (tmp_path / "home" / "mine").iterdir():
        file.write_bytes(pickle.dumps(Canary(marker)))
    (tmp_path / "home" / "lost").mkdir()
    (tmp_path / "home" / "lost" / "lost.mat").write_bytes(pickle.dumps(Canary(marker)))
    for name in ("mine", "lost"):
        with pytest.raises(CaveatError):
            load(name, data_home=tmp_path / "home")
    verify(data_home=tmp_path / "home")
    available(data_home=tmp_path / "home")
    assert not marker.exists()


@pytest.mark.parametrize(
    "ending",
    [".csv", ".parquet", ".arff", ".mat", ".npz", ".npy", "-images-idx3-ubyte"],
)
def test_a_pickle_under_any_name_is_never_unpickled(tmp_path, ending):
    marker = tmp_path / "marker"
    file = tmp_path / f"canary{ending}"
    file.write_bytes(pickle.dumps(Canary(marker)))
    (tmp_path / "canary-labels-idx1-ubyte").write_bytes(pickle.dumps(Canary(marker)))
    with pytest.raises(CaveatError):
        read(file)
    assert not marker.exists()
