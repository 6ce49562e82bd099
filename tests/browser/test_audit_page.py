"""The page of an audit in a browser: whole, quiet, readable, on every width."""

import pytest

from caveat.audit import Settings, audit
from caveat.datasets import load

pytestmark = pytest.mark.browser

WIDTHS = [1280, 390, 320]
SECTIONS = ["data", "free", "models", "tomorrow", "caveats", "again"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Audit iris with hostile names once for all tests."""
    place = tmp_path_factory.mktemp("audit")
    data = load("iris")
    frame = data.X.rename(columns={data.X.columns[0]: "<img src=x> “a”, 'b' 😀"})
    frame.assign(kind=data.y).to_csv(place / "iris.csv", index=False)
    settings = Settings(
        str(place / "iris.csv"),
        "kind",
        models=("logistic-regression", "k-nn"),
        shuffles=20,
    )
    made = audit(settings, place / "out", command="caveat audit iris.csv")
    return made.index.as_uri()


@pytest.fixture
def opened(browser, address):
    """Return what opens the page and notes what it asks for and complains of."""
    contexts = []

    def make(width=1280, **given):
        context = browser.new_context(viewport={"width": width, "height": 900}, **given)
        contexts.append(context)
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()


def test_the_page_opens_whole_and_asks_for_nothing(opened):
    page = opened()
    assert page.complaints == []
    assert len(page.asked) == 1
    assert [
        page.locator(f"section#{name} h2").inner_text() != "" for name in SECTIONS
    ] == [True] * 6
    assert page.locator("section:not(:has(figure, table, dl, .notice))").count() == 0
    assert page.locator("img").count() == 0


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


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_terms_are_explained_on_hover(opened):
    page = opened()
    page.locator("#table-models th[data-term='term-headroom']").hover()
    page.wait_for_selector("#card:not([hidden])")
    assert "free part" in page.inner_text("#card")


def test_it_prints(opened):
    page = opened()
    page.emulate_media(media="print")
    assert page.pdf(format="A4")[:4] == b"%PDF"
