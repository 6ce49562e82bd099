"""A library that is not there is named, with a command that fits this copy."""

import subprocess
import sys

import pytest

from caveat import _extras
from caveat._lazy import attach
from caveat.exceptions import MissingExtra


@pytest.fixture
def wheel(monkeypatch):
    """Make this copy an installed wheel: no checkout, only its metadata."""
    stated = [
        "numpy>=2.0",
        "torch>=2.4; extra == 'deep'",
        'psycopg[binary]>=3.2 ; extra == "postgres"',
        "dask>=2024.8; extra == 'cluster'",
        "dask-jobqueue>=0.9; extra == 'cluster'",
        "torch>=2.4; extra == 'all'",
    ]
    monkeypatch.setattr(_extras, "checkout", lambda: None)
    monkeypatch.setattr(_extras, "requires", lambda name: stated)
    caches = (_extras._stated, _extras._extras_by_library)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def missing(library):
    return ModuleNotFoundError(f"No module named {library!r}", name=library)


@pytest.mark.parametrize(
    ("library", "command"),
    [
        ("torch", "pip install 'torch>=2.4'"),
        ("psycopg", "pip install 'psycopg[binary]>=3.2'"),
        ("dask_jobqueue", "pip install 'dask>=2024.8' 'dask-jobqueue>=0.9'"),
    ],
)
def test_a_wheel_names_the_libraries_and_never_itself(wheel, library, command):
    told = str(_extras.explain(missing(library), "the page"))
    assert told == (
        f"the page needs {library!r}, which is not installed; "
        f"install it with: {command}"
    )


def test_a_checkout_installs_an_extra_of_its_own():
    told = str(_extras.explain(missing("torch"), "the page"))
    assert told.endswith(f"pip install '.[deep]' (in {_extras.checkout()})")


@pytest.mark.parametrize(
    "error",
    [
        missing("numpy"),
        missing("torch.no_such_part"),
        missing("caveat.no_such_module"),
        ImportError("cannot import name 'x' from 'torch'", name="torch"),
    ],
    ids=["always needed", "a part of it", "ours", "not the library but a name in it"],
)
def test_what_no_extra_would_mend_stays_an_error(error):
    assert _extras.explain(error, "the page") is None


def test_a_public_name_says_what_it_lacks(tmp_path, monkeypatch):
    package = tmp_path / "lacking"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_deep.py").write_text("raise ModuleNotFoundError(name='torch')")
    (package / "_broken.py").write_text("import no_such_module_of_anybody")
    monkeypatch.syspath_prepend(tmp_path)
    find, _, _ = attach("lacking", {"_deep": ["Network"], "_broken": ["Other"]})
    with pytest.raises(MissingExtra, match=r"lacking\.Network needs 'torch'"):
        find("Network")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_anybody"):
        find("Other")


WITHOUT = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.replace("_", "-") in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Nowhere())
from caveat.cli import caveat
for what in ("learners", "scenarios", "rules", "measures", "topics"):
    caveat.main(["list", what], standalone_mode=False)
"""


@pytest.mark.long
@pytest.mark.thorough
def test_everything_is_listed_without_any_extra():
    code = WITHOUT.format(names=sorted(_extras._extras_by_library()))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "proden" in done.stdout
