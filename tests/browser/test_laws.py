"""What holds for every page in a browser: whole, quiet, readable, on every width."""

import pytest

pytestmark = pytest.mark.browser

TOPICS = ["eapp", "bags", "candidates", "multilabel", "shift"]


@pytest.fixture(params=[*TOPICS, "audit", "audit-topics", "report"])
def address(request, page_of):
    """Give every page in turn."""
    if request.param == "report":
        return request.getfixturevalue("folder") / "index.html"
    return page_of(request.param)


def test_it_opens_whole_and_asks_for_nothing(visit, address):
    page = visit(address)
    assert page.complaints == []
    assert len(page.asked) == 1
    assert page.locator("img").count() == 0
    shown = "figure, table, dl, .notice, .progress"
    assert page.locator(f"section:not(:has({shown}))").count() == 0
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


@pytest.mark.parametrize(
    ("scheme", "rules"),
    [("light", {}), ("dark", {"runOnly": ["color-contrast"]})],
    ids=["light", "dark"],
)
def test_nothing_serious_stands_in_anybodys_way(visit, address, axe, scheme, rules):
    page = visit(address, scheme=scheme, guarded=False)
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(rules)", rules)["violations"]
    bad = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert bad == []


CUT = """() => [...document.querySelectorAll("figure svg text, .line svg text")]
    .filter(one => one.getClientRects().length)
    .filter(one => {
        const word = one.getBoundingClientRect();
        const sheet = one.closest("svg").getBoundingClientRect();
        return word.left < sheet.left - 1 || word.right > sheet.right + 1;
    })
    .map(one => one.textContent)"""


def test_it_fits_every_screen(visit, address):
    """Nothing scrolls sideways, and no word leaves its figure."""
    page = visit(address)
    for width in (1280, 760, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        if width in (1280, 390):
            assert page.evaluate(CUT) == [], width
