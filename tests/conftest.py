"""Property tests draw the same examples in every run, so that a red run is news.

`pytest --hypothesis-profile=explore` draws new ones.
"""

import importlib.util
import os
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, given, settings

# Small problems on several threads spend half of their time waiting for one another.
# Told before the libraries are imported; `make test-elsewhere` tries more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for no examples in tests.

    Where a test file cannot be imported, the search for examples would skip it and
    leave one half of it imported: all its tests would be gone without a word.
    """
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


#: Tests with many cases, of which a few tell nearly as much as all.
CROSSED = ("thorough", "example", "browser")
ONE_IN = 12


def pytest_addoption(parser):
    """Let `make test` take a few cases of every crossed test, and CI the rest, too."""
    parser.addoption(
        "--cases",
        choices=("all", "drawn", "rest"),
        default="all",
        help=f"of crossed tests every {ONE_IN}th case, or what that left",
    )


def pytest_collection_modifyitems(config, items):
    """Take the cases asked for; begin with what kills and waits.

    What kills leaves the cores to the others meanwhile.
    """
    asked = config.getoption("--cases")
    if asked != "all":
        drawn = _drawn(items)
        parts = {"drawn": [], "rest": []}
        for item in items:
            parts["drawn" if item in drawn else "rest"].append(item)
        items[:] = parts.pop(asked)
        (left,) = parts.values()
        config.hook.pytest_deselected(items=left)
    items.sort(key=lambda item: item.get_closest_marker("fault") is None)


def _drawn(items):
    """Draw cases by their names: the same on every machine, one of each test at least.

    A new case of a test may take another's place; none of the others move.
    """
    drawn, cases = set(), defaultdict(list)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks.isdisjoint((*CROSSED, "long")):
            drawn.add(item)
        elif "long" not in marks:
            cases[item.nodeid.partition("[")[0]].append(item)
    for several in cases.values():
        several.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        drawn.update(several[: -(-len(several) // ONE_IN)])
    return drawn


# No example has a time limit: a busy machine is not a mistake.
settings.register_profile("repeat", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile("repeat")


@pytest.fixture(
    params=[
        pytest.param(100, id="100"),
        pytest.param(2000, id="2000", marks=[pytest.mark.thorough, pytest.mark.long]),
    ]
)
def holds(request):
    """Try a law on drawn examples: 100 of them, and the promised 2,000 where CI runs.

    Call it as ``holds(law, strategy, ...)``; the law asserts what must be true.
    """

    def check(law, *strategies):
        unhurried = settings(
            max_examples=request.param,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        unhurried(given(*strategies)(law))()

    return check


@pytest.fixture
def inline(monkeypatch):
    """Run trials in this process, whatever engine is asked for."""
    from caveat._registry import Entry
    from caveat.study.registry import ENGINES, TOPICS

    len(TOPICS)  # Plug-ins are looked for before the fake one could be found.
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "study" / "plugin"))
    for name in ("inline", "processes", "serial"):
        made = Entry(name=name, target="caveat_fake:InlineEngine")
        monkeypatch.setitem(ENGINES._entries, name, made)


def _load():
    name = "synthetic_records"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).parent / "synthetic_records.py"
        )
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
