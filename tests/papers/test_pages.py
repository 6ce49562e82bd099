"""Every page of a reproduction is what its script makes of the committed tables."""

import importlib

import pytest

from papers import PAGES

TOPICS = ("eapp", "bags", "candidates", "multilabel", "shift")


@pytest.mark.thorough
@pytest.mark.parametrize("topic", TOPICS)
def test_the_committed_page_is_what_its_script_gives(topic):
    script = importlib.import_module(f"papers.{topic}.page")
    for name, text in script.files().items():
        written = (PAGES / name).read_text(encoding="utf-8")
        assert text == written, f"{name} is not what {script.__name__} gives; run it"


def test_every_topic_has_a_page():
    assert {path.stem for path in PAGES.glob("*.md")} == set(TOPICS)
