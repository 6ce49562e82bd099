"""Every page of a reproduction is what its script makes of the committed tables."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "reproduction"
SCRIPTS = [*sorted(FOLDER.glob("*_page.py")), FOLDER / "feature-shift" / "write.py"]


def name_of(script):
    return script.relative_to(FOLDER).as_posix()


@pytest.mark.thorough
@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_the_committed_page_is_what_its_script_gives(script, monkeypatch):
    monkeypatch.syspath_prepend(str(script.parent))
    for name, text in runpy.run_path(str(script))["files"]().items():
        written = (FOLDER / name).read_text(encoding="utf-8")
        assert text == written, f"{name} is not what {name_of(script)} gives; run it"


def test_every_topic_has_a_page_and_every_page_a_script():
    pages = {path.stem for path in FOLDER.glob("*.md")} - {"multi-label-words"}
    assert len(pages) == 5
    assert len(SCRIPTS) == 5
