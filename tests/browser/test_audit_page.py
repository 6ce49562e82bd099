"""The page of an audit in a browser: what it has beyond the laws of all pages."""

import pytest

pytestmark = pytest.mark.browser

SECTIONS = ["data", "survives", "floor", "models", "vanish", "again"]
WEAKER = ["targets", "shares", "sets"]


def test_every_section_has_a_heading(visit, page_of):
    page = visit(page_of("audit"))
    for name in SECTIONS:
        assert page.locator(f"section#{name} h2").inner_text() != ""


def test_terms_are_explained_on_hover(visit, page_of):
    page = visit(page_of("audit"))
    page.locator("#table-models th[data-term='term-interval']").hover()
    page.wait_for_selector("#card:not([hidden])")
    assert "folds" in page.inner_text("#card")


def test_it_prints(visit, page_of):
    page = visit(page_of("audit"))
    page.emulate_media(media="print")
    assert page.pdf(format="A4")[:4] == b"%PDF"


def test_each_part_on_weaker_labels_has_a_finding_a_figure_and_a_table(visit, page_of):
    page = visit(page_of("audit-weaker"))
    for name in WEAKER:
        section = page.locator(f"section#{name}")
        assert 0 < len(section.locator("h2").inner_text().split()) <= 25
        assert section.locator("figure").count() >= 1
        assert section.locator("table").count() >= 1
