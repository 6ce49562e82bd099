"""The page of an audit in a browser: what it has beyond the laws of all pages."""

import pytest

pytestmark = pytest.mark.browser

SECTIONS = ["data", "survives", "floor", "models", "vanish", "again"]
TOPICS = ["multilabel", "bags", "candidates"]


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


@pytest.mark.long
def test_each_topic_within_an_audit_has_findings_and_tables(visit, page_of):
    page = visit(page_of("audit-topics"))
    for name in TOPICS:
        sections = page.locator(f"section[id^='{name}-']")
        headings = sections.locator("h2").all_inner_texts()
        assert all(0 < len(words.split()) <= 25 for words in headings)
        assert sections.locator("table").count() >= 1
