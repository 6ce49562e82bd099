"""Nothing in the data packages can run what a data file says."""

import pickle
import re
from pathlib import Path

import pytest

import caveat
from caveat.datasets import read
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
