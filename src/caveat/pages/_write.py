"""Files that are there whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from caveat._files import write_whole
from caveat.exceptions import InvalidInput
from caveat.pages._drawn import Drawn, draw_figures, page_figures
from caveat.pages._files import block_files
from caveat.pages._model import Download, Page
from caveat.pages._render import render

INDEX = "index.html"
# A name beside the page: never a way out of its folder.
_DOWNLOAD = re.compile(r'download="([\w-][\w.-]*)"')


def write(page: Page, out_dir: str | Path) -> Path:
    """Write a page and everything beside it.

    Parameters
    ----------
    page : Page
    out_dir : path
        Made if it is not there. Tables and figures that a page here before it offered
        and this one does not have go; all other files are left alone.

    Returns
    -------
    Path of ``index.html``, which is written last: a page that can be seen has all
    of its files.
    """
    folder = Path(out_dir)
    files = contents(page, png=True)
    before = _offered(folder / INDEX)
    for name, content in files.items():
        write_file(folder / name, content)
    for name in before - set(files):
        (folder / name).unlink(missing_ok=True)
    return folder / INDEX


def _offered(index: Path) -> set[str]:
    """Return the tables and figures that a page offers, as they lie beside it."""
    try:
        names = set(_DOWNLOAD.findall(index.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return set()
    stems = {Path(name).stem for name in names}
    return names | {
        f"figures/{stem}{end}" for stem in stems for end in (".svg", ".png")
    }


def contents(page: Page, *, png: bool) -> dict[str, bytes]:
    """Give every file of a page by name; the page itself is the last.

    Parameters
    ----------
    page : Page
    png : bool
        Whether to draw figures as PNG files too.
    """
    drawn = draw_figures(page, png=png)
    text = render(page, drawn)
    found = {file.name: file.content for file in page_files(page, drawn)}
    return {**found, INDEX: text.encode("utf-8")}


def page_files(page: Page, drawn: Mapping[str, Drawn]) -> list[Download]:
    """Every file beside the page: figures, their data, tables."""
    found = [*page.files, *(file for one in drawn.values() for file in one.files)]
    found.extend(file for one in page_figures(page) for file in one.downloads)
    for chapter in page.chapters:
        found.extend(chapter.files)
        found.extend(block_files(chapter.sections))
    return found


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and its folder before it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"cannot write into {str(path.parent)!r} ({error.strerror}); "
            "choose another folder with --out"
        ) from error
    write_whole(path, content)
