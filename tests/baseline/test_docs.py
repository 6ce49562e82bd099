"""The reproduction page says what its tables say; the guide is a doctest itself."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.skipif(
    not (DOCS / "reproduction" / "eapp.md").exists(), reason="needs the docs folder"
)
def test_the_page_is_what_its_tables_give(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "reproduction"))
    script = runpy.run_path(str(DOCS / "reproduction" / "eapp_page.py"))
    written = (DOCS / "reproduction" / "eapp.md").read_text(encoding="utf-8")
    assert script["page"]() == written
