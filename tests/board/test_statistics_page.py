import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_every_example_on_the_page_runs_as_it_stands():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS)
    assert found.attempted > 20
    assert found.failed == 0
