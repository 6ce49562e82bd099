"""What can be fetched is still there, and still what it was."""

import pytest

from caveat.datasets import fetch
from caveat.datasets.registry import DATASETS

FETCHED = [
    entry.name
    for entry in DATASETS.values()
    if entry.facts["files"] and all(file.urls for file in entry.facts["files"])
]


@pytest.mark.network
@pytest.mark.parametrize("name", FETCHED)
def test_it_can_be_fetched(name, tmp_path):
    assert fetch(name, data_home=tmp_path).name == name
