"""Guide and reproduction page say what the code and the tables say."""

import doctest
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_guide_runs():
    failed, tried = doctest.testfile(str(DOCS / "baseline.md"), module_relative=False)
    assert (failed, tried > 4) == (0, True)


@pytest.mark.skipif(
    not (DOCS / "reproduction" / "eapp.md").exists(), reason="needs the docs folder"
)
def test_the_page_is_what_its_tables_give():
    script = runpy.run_path(str(DOCS / "reproduction" / "eapp_page.py"))
    written = (DOCS / "reproduction" / "eapp.md").read_text(encoding="utf-8")
    assert script["page"]() == written
