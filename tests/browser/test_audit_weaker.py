"""The sections on weaker labels in a browser: several targets, shares, candidates."""

import numpy as np
import pandas as pd
import pytest

from caveat.audit import Settings, _plan_weaker, _sets, audit

pytestmark = pytest.mark.browser

PARTS = ["targets", "shares", "sets"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Audit a table with all three kinds of weaker labels, and hostile names."""
    pytest.importorskip("torch")
    place = tmp_path_factory.mktemp("weaker")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 3)) + 1.5 * np.eye(3)[y]
    words = np.array(["ash", "<i>birch</i>", "cedar & co"])
    pd.DataFrame(
        {
            **{f"x{i}": X[:, i] for i in range(3)},
            "<img src=x> town": [f"t{n}" for n in (y + rng.integers(0, 3, 200)) % 4],
            "is_warm_and_has_a_very_long_name_indeed": (X[:, 0] > 0.5).astype(int),
            "calm": (X[:, 1] > 0).astype(int),
            "seen": [f"{words[a]}|{words[(a + 1) % 3]}" for a in y],
            "tree": words[y],
        }
    ).to_csv(place / "trees.csv", index=False)
    settings = Settings(
        str(place / "trees.csv"),
        "tree",
        targets=("is_warm_and_has_a_very_long_name_indeed", "calm"),
        bags="<img src=x> town",
        candidates="seen",
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
    )
    few = [{"name": "mm", "lam": [1, 100]}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_plan_weaker, "share_learners", lambda groups: few)
        patch.setattr(_plan_weaker, "SETS", ("proden", "cc"))
        patch.setattr(_sets, "_STEPS", 60)
        made = audit(settings, place / "out", engine="serial", command="caveat audit")
    assert made.reading.failures == []
    return made.index.as_uri()


@pytest.fixture
def opened(browser, address):
    """Return what opens the page."""
    contexts = []

    def make(width=1280, **given):
        context = browser.new_context(viewport={"width": width, "height": 900}, **given)
        contexts.append(context)
        page = context.new_page()
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()


def test_each_part_has_a_finding_a_figure_and_a_table(opened):
    page = opened()
    assert page.locator("img").count() == 0
    for name in PARTS:
        section = page.locator(f"section#{name}")
        assert 0 < len(section.locator("h2").inner_text().split()) <= 25
        assert section.locator("figure").count() >= 1
        assert section.locator("table").count() >= 1


def test_ids_are_unique_and_links_lead_somewhere(opened):
    page = opened()
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = page.eval_on_selector_all(
        "a[href^='#']", "all => all.map(one => one.getAttribute('href').slice(1))"
    )
    assert [one for one in links if one not in ids] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way(opened, axe, scheme):
    page = opened(color_scheme=scheme, bypass_csp=True)
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    bad = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert bad == []


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("table", "term", "word"),
    [
        ("measures", "margin", "Label-wise"),
        ("share-scores", "regret", "without labels"),
        ("set-scores", "unsure", "candidates"),
    ],
)
def test_terms_are_explained_on_hover(opened, table, term, word):
    page = opened()
    page.locator(f"#table-{table} th[data-term='term-{term}']").first.hover()
    page.wait_for_selector("#card:not([hidden])")
    assert word in page.inner_text("#card")
