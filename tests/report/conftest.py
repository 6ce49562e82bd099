"""Records that never ran, for everybody who tests what is made of records."""

import importlib.util
import sys
from pathlib import Path

import pytest

_PATH = Path(__file__).parent / "synthetic_records.py"


def _load():
    name = "synthetic_records"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _PATH)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def synthetic():
    """Return the module that makes records up."""
    return _load()


@pytest.fixture(scope="session")
def make_records():
    """Return the function that makes records up."""
    return _load().make_records
