"""The page of every topic's command in a browser: whole, quiet, readable."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.cli._root import caveat

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x> “a”, 'b' 😀"
COMMANDS = {
    "eapp": ["--target", "tree", "--shuffles", "5"],
    "bags": ["--target", "tree", "--by", "town", "--learner", "mm", "--repeats", "1"],
    "candidates": ["--candidates", "seen", "--truth", "tree", "--steps", "20"],
    "multilabel": ["--targets", "warm,calm", "--models", "br-logistic"],
    "shift": ["--target", "tree", "--models", "logistic-regression", "--drop", "seen"],
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write one table that every topic can use, with hostile names."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 160)
    X = rng.normal(size=(160, 3)) + 1.5 * y[:, None]
    words = np.array(["ash", "<i>birch</i> & co, a very long name of a class indeed"])
    frame = pd.DataFrame(
        {
            HOSTILE: X[:, 0],
            **{f"x{i}": X[:, i] for i in (1, 2)},
            "town": [f"t{n}" for n in (y + rng.integers(0, 3, 160)) % 4],
            "warm": (X[:, 0] > 0.5).astype(int),
            "calm": (X[:, 1] > 0).astype(int),
            "seen": np.where(rng.random(160) < 0.5, "|".join(words), words[y]),
            "tree": words[y],
        }
    )
    path = tmp_path_factory.mktemp("topics") / "trees.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module", params=COMMANDS)
def address(request, table):
    """Run one command once for all tests."""
    pytest.importorskip("torch")
    out = table.parent / request.param
    words = [request.param, str(table), *COMMANDS[request.param], "--out", str(out)]
    found = CliRunner().invoke(caveat, words)
    assert found.exit_code == 0, found.output
    return out / "index.html"


def test_it_opens_whole_and_asks_for_nothing(visit, address):
    page = visit(address)
    assert page.complaints == []
    assert len(page.asked) == 1
    assert page.locator("img").count() == 0
    assert page.locator("section:not(:has(figure, table, dl, .notice))").count() == 0
    headings = [one.inner_text() for one in page.locator("section h2").all()]
    assert [one for one in headings if not 0 < len(one.split()) <= 25] == []


def test_ids_are_unique_and_links_lead_somewhere(visit, address):
    page = visit(address)
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = page.eval_on_selector_all(
        "a[href^='#']", "all => all.map(one => one.getAttribute('href').slice(1))"
    )
    assert [one for one in links if one not in ids] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way(visit, address, axe, scheme):
    page = visit(address, scheme=scheme, guarded=False)
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    bad = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert bad == []


@pytest.mark.parametrize("width", [1280, 320])
def test_it_never_scrolls_sideways(visit, address, width):
    page = visit(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
