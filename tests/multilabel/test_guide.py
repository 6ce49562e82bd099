"""The guide runs as it stands, and the reproduction page is what its script writes."""

import doctest
import runpy
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_guide_runs_as_it_stands():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with warnings.catch_warnings():
        found = doctest.testfile(
            str(ROOT / "docs/multilabel.md"), module_relative=False, optionflags=flags
        )
    assert found.attempted > 20
    assert found.failed == 0


def test_the_reproduction_page_is_what_its_script_writes():
    folder = ROOT / "docs/reproduction"
    names = ["multi-label.md", "multi-label-ranks.svg", "multi-label-synthetic.svg"]
    before = [(folder / name).read_bytes() for name in names]
    runpy.run_path(str(folder / "multi_label_page.py"), run_name="__main__")
    assert [(folder / name).read_bytes() for name in names] == before
