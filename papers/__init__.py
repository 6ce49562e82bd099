"""The five papers, run again: what was run, what was printed, and what comes out.

One folder per topic. Each is run from the root of the checkout, as ``python -m
papers.bags.run``; its ``page.py`` writes the page in ``docs/reproduction`` from the
tables beside it and measures nothing. None of this is part of the installed package.
"""

from collections.abc import Mapping
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "reproduction"


def write_pages(files: Mapping[str, str]) -> None:
    """Write pages and figures, by name."""
    for name, text in files.items():
        (PAGES / name).write_text(text, encoding="utf-8")
