"""The guide runs as it stands."""

import doctest
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
