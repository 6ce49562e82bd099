"""Files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from caveat._files import write_whole
from caveat.exceptions import InvalidInput
from caveat.pages._drawn import Drawn, draw_figures, page_figures
from caveat.pages._files import block_files
from caveat.pages._model import Download, Page
from caveat.pages._render import render

INDEX = "index.html"


def write(page: Page, out_dir: str | Path) -> Path:
    """Write a page and everything beside it.

    Parameters
    ----------
    page : Page
    out_dir : path
        Made if it is not there. Files of other names in it are left alone.

    Returns
    -------
    Path of ``index.html``, which is written last: a page that can be seen has all
    of its files.
    """
    folder = Path(out_dir)
    for name, content in contents(page, png=True).items():
        write_file(folder / name, content)
    return folder / INDEX


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
