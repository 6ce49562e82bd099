"""Nothing in the package can run what a file or another process says."""

import pickle
import re
from pathlib import Path

import pytest

import caveat
from caveat.datasets import available, import_files, load, read, verify
from caveat.exceptions import CaveatError

SOURCE = Path(caveat.__file__).parent
FORBIDDEN = re.compile(
    r"import (pickle|marshal|shelve|dill|cloudpickle)\b|from pickle|pickle\.loads?\("
    r"|joblib\.load|allow_pickle=True|weights_only=False|torch\.load|read_pickle"
    r"|yaml\.load\(|(?<!\.)\beval\(|\bexec\(|shell=True|extractall\(|os\.system"
    r"|__import__\("
)
#: A model that the user says to trust: `--trust`, and nothing else gets there.
TRUSTED = {"models/files/_load.py": ["joblib.load"]}


@pytest.mark.thorough
def test_no_module_loads_or_runs_foreign_code():
    found = {}
    for file in SOURCE.rglob("*.py"):
        code = re.sub(r'"""[\s\S]*?"""', "", file.read_text(encoding="utf-8"))
        if words := [match.group() for match in FORBIDDEN.finditer(code)]:
            found[file.relative_to(SOURCE).as_posix()] = words
    assert found == TRUSTED


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
