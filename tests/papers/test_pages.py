"""Every page of a reproduction is what its script makes of the committed tables."""

import importlib

import pytest

from papers import PAGES

SCRIPTS = {
    **{topic: f"papers.{topic}.page" for topic in ("eapp", "bags", "candidates")},
    **{topic: f"papers.{topic}.page" for topic in ("multilabel", "shift")},
    "shift-networks": "papers.shift.page_networks",
}


@pytest.mark.thorough
@pytest.mark.parametrize("topic", SCRIPTS)
def test_the_committed_page_is_what_its_script_gives(topic):
    script = importlib.import_module(SCRIPTS[topic])
    for name, text in script.files().items():
        written = (PAGES / name).read_text(encoding="utf-8")
        assert text == written, f"{name} is not what {script.__name__} gives; run it"


def test_every_page_has_a_script():
    assert {path.stem for path in PAGES.glob("*.md")} == set(SCRIPTS)
