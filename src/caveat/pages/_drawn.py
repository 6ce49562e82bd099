"""Every figure of a page drawn: inline for screens, and as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caveat.pages._canvas import draw_png, draw_svg, margins
from caveat.pages._model import Download, Figure, Page, flat_blocks
from caveat.pages._prose import prose
from caveat.pages._svg import file_svg, inline_svg
from caveat.pages.claims import heading


@dataclass(frozen=True)
class Drawn:
    """A figure's two inline drawings and its files, SVG first."""

    inline: str
    files: tuple[Download, ...]


def page_figures(page: Page) -> Iterator[Figure]:
    """Every figure of a page, in reading order."""
    for chapter in page.chapters:
        if chapter.figure is not None:
            yield chapter.figure
        for section in chapter.sections:
            for block in flat_blocks(section.blocks):
                if isinstance(block, Figure):
                    yield block


def draw_figures(page: Page, *, png: bool) -> dict[str, Drawn]:
    """Draw every figure that can be drawn, by name.

    Parameters
    ----------
    page : Page
    png : bool
        Whether PNG files are wanted too; a page itself does not hold them.
    """
    return {
        figure.name: _drawn(figure, png=png)
        for figure in page_figures(page)
        if figure.draw is not None
    }


def _drawn(figure: Figure, *, png: bool) -> Drawn:
    assert figure.draw is not None
    title, conditions = str(heading(figure.title)), str(prose(figure.conditions))
    wide = draw_svg(figure.draw, figure.size, title=title, conditions=conditions)
    phone = draw_svg(figure.draw, figure.phone_size, phone=True)
    inline = inline_svg(wide, name=f"{figure.name}-w", css_class="wide") + inline_svg(
        phone, name=f"{figure.name}-p", css_class="phone"
    )
    taken = margins(figure.size[0], title, conditions)
    svg = file_svg(wide, name=figure.name, label=figure.label, margins=taken)
    path = f"figures/{figure.name}"
    files = [Download(f"{path}.svg", "SVG", svg.encode("utf-8"))]
    if png:
        image = draw_png(figure.draw, figure.size, title=title, conditions=conditions)
        files.append(Download(f"{path}.png", "PNG", image))
    return Drawn(inline, tuple(files))
