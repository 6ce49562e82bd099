"""A headless Chromium of the system, and reports for it to open."""

import importlib.util
import shutil
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

_SYNTHETIC = Path(__file__).parents[1] / "synthetic_records.py"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


def _load(name, path):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def browser():
    """Open the system's Chromium once for all tests."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("no Chromium was found on the PATH")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=_FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def axe():
    """Return the script that looks for barriers."""
    package = pytest.importorskip(
        "axe_playwright_python", reason="axe-playwright-python is not installed"
    )
    return (files(package) / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="session")
def once(tmp_path_factory, request):
    """Return what makes a folder by its name once for all processes."""
    home = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        home = home.parent

    def find(name, make):
        place = home / f"page-{name}"
        ended = place / "ended"
        try:
            place.mkdir()
        except FileExistsError:
            while not ended.exists():  # Another process makes it.
                time.sleep(0.1)
        else:
            try:
                make(place)
            finally:
                ended.touch()
        assert (place / "out").exists(), f"the page of {name} could not be made"
        return place / "out"

    return find


@pytest.fixture(scope="session")
def page_of(once):
    """Return what makes the page of a command, or an audit."""
    pytest.importorskip("torch")
    pages = _load("pages", Path(__file__).with_name("pages.py"))
    return lambda name: once(name, pages.PAGES[name]) / "index.html"


def _fail(trial):
    if trial["learner"] == "inverse-calibration" and "hard" in trial["world"]:
        return (
            "timeout",
            "timeout",
            "over 10 minutes; the budget says trial-minutes: 10",
        )
    if trial["learner"] == "dllp" and trial["repeat"] == 1:
        return "failed", "non-finite", "probability is NaN from epoch 212 on"
    return None


def _shift(learner, data, world):
    moved = {"naive": -0.14, "simple": 0.03, "intermediate": 0.01, "hard": -0.01}
    bonus = 0.01 if learner == "lmm" and world["variant"] == "intermediate" else 0.0
    return moved[world["variant"]] + bonus


@pytest.fixture(scope="session")
def rebuild():
    """Return what writes a report with everything that a report can have."""
    from caveat.board import build_report

    def build(out):
        synthetic = _load("synthetic_records", _SYNTHETIC)
        records = synthetic.make_records(fail=_fail, shift=_shift, hosts=("a", "b"))
        command = "caveat report adult-bags.ledger --out report"
        build_report(records, out, command=command)

    return build


@pytest.fixture(scope="session")
def folder(once, rebuild):
    """Write that report."""
    return once("full-report", lambda place: rebuild(place / "out"))


@pytest.fixture(scope="session")
def wide_folder(tmp_path_factory):
    """Write a report on 12 learners and 20 data sets."""
    from caveat.board import build_report

    synthetic = _load("synthetic_records", _SYNTHETIC)
    learners = {f"learner-{n:02d}": 0.9 - 0.01 * n for n in range(12)}
    records = synthetic.make_records(
        learners=learners,
        datasets=[f"data-set-{n:02d}" for n in range(20)],
        worlds=({},),
        repeats=3,
        measures=("auc", "f1", "accuracy"),
    )
    out = tmp_path_factory.mktemp("wide")
    build_report(records, out)
    return out


@pytest.fixture
def visit(browser, request):
    """Open a page; return it with everything that it complained about or asked for.

    Without a path it is the report of the fixture `folder`.
    """
    contexts = []

    def go(
        path=None,
        *,
        width=1280,
        scheme="light",
        scripts=True,
        height=900,
        guarded=True,
    ):
        context = browser.new_context(
            bypass_csp=not guarded,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=scripts,
            accept_downloads=True,
        )
        contexts.append(context)
        # However busy the machine is; but what is not there must fail, not hang.
        context.set_default_timeout(300_000)
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        if path is None:
            path = request.getfixturevalue("folder") / "index.html"
        page.goto(f"file://{path}")
        return page

    yield go
    for context in contexts:
        context.close()
