"""The guide to the data names every data set."""

from pathlib import Path

import pytest

from caveat.datasets.registry import DATASETS

GUIDE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text()


@pytest.mark.parametrize("name", list(DATASETS))
def test_the_guide_lists_it(name):
    assert f"| `{name}` |" in GUIDE
