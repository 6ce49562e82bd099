"""From a `Page` to one HTML text that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from caveat.pages._drawn import Drawn, draw_figures
from caveat.pages._files import other_files
from caveat.pages._model import Chapter, Download, Page, Row, Section, Table
from caveat.pages._numbers import capital, plural, word
from caveat.pages._prose import Prose, prose, visible
from caveat.pages._theme import MONO, SANS, SERIF, css_variables
from caveat.pages.claims import heading

if TYPE_CHECKING:
    from caveat.pages._look import Look

_MEDIA = {
    "csv": "text/csv;charset=utf-8",
    "tex": "text/plain;charset=utf-8",
    "svg": "image/svg+xml;charset=utf-8",
}
_MOST_BYTES_INSIDE = 200_000
_MOST_TOP_CAVEATS = 3
_MOST_MARGIN_CAVEATS = 3


def render(page: Page, drawn: Mapping[str, Drawn] | None = None) -> str:
    """Render a page: self-contained, names escaped, the same text every time.

    Parameters
    ----------
    page : Page
    drawn : mapping of figure name to Drawn, optional
        Its figures, if they have been drawn already.

    Returns
    -------
    str, an HTML document with inline figures, style and script, and a content
    security policy that admits that script and nothing else.
    """
    script = _resource("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            drawn=draw_figures(page, png=False) if drawn is None else drawn,
            several=len(page.chapters) > 1,
            style=Markup(_style()),
            script=Markup(script),
            policy=content_security_policy(script),
            document_title=str(prose(_title(page))).rstrip("."),
        )
    )


def content_security_policy(script: str) -> str:
    """Return the policy: our script by its digest, inline style, nothing from anywhere.

    Examples
    --------
    >>> content_security_policy("")
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'"
    )


def _title(page: Page) -> Prose:
    return prose(page.title if len(page.chapters) != 1 else page.chapters[0].headline)


def _address(download: Download) -> str:
    """Return a link that works wherever the page is opened.

    A large file would make the page heavy; it is linked where it lies, beside it.
    """
    if len(download.content) > _MOST_BYTES_INSIDE:
        return download.name
    ending = download.name.rsplit(".", 1)[-1]
    # Safe in an attribute and in a URL; '%', '#', '"', '<' and '&' are not.
    return f"data:{_MEDIA[ending]},{quote(download.content, safe=_PLAIN)}"


_PLAIN = "-_.!~*'()/:;,=+@$?"


def _file_name(download: Download) -> str:
    return download.name.rsplit("/", 1)[-1]


def _ordered_caveats(look: Look | Chapter) -> list[tuple[Section, int, Any]]:
    """Every caveat with its section and the section's number, worst first."""
    if isinstance(look, Chapter):
        return list(look.caveats)
    numbered = {s.name: (s, n) for n, s in enumerate(look.sections, start=1)}
    first = next(iter(numbered.values()))
    return [(*numbered.get(one.section, first), one) for one in look.ordered]


def _sections(look: Look | Chapter) -> Sequence[Section]:
    return look.sections if isinstance(look, Chapter) else look.filled_sections()


def _more_files(look: Look | Chapter) -> list[Download]:
    return other_files(look.files, look.sections)


def _top_caveats(look: Look | Chapter) -> list[tuple[Section, int, Any]]:
    ordered = _ordered_caveats(look)
    if isinstance(look, Chapter):
        return ordered[:_MOST_TOP_CAVEATS]
    return [one for one in ordered if one[-1] in look.top]


def _more_caveats(look: Look | Chapter) -> str:
    """Say where the caveats stand that are not at the top."""
    top = _top_caveats(look)
    rest = [one for one in _ordered_caveats(look) if one not in top]
    if not rest:
        return ""
    numbers = sorted({number for _, number, _ in rest})
    where = ", ".join(map(str, numbers[:-1]))
    where = f"{where} and {numbers[-1]}" if where else str(numbers[0])
    noun = "section" if len(numbers) == 1 else "sections"
    return f"{capital(word(len(rest)))} more in {noun} {where}."


def _body_rows(table: Table) -> list[tuple[str, list[Row]]]:
    """Rows by place, so that sorting leaves references at the top and bottom."""
    parts = [
        (place, [row for row in table.rows if row.place == place])
        for place in ("top", "", "bottom")
    ]
    return [(place, rows) for place, rows in parts if rows or place == ""]


def _group_starts(table: Table) -> set[int]:
    """Positions of the columns that begin a group."""
    spans = [span for _, span in table.groups]
    return {1 + sum(spans[:number]) for number in range(len(spans))}


def _label_width(table: Table) -> int:
    """Pixels that the names of a matrix's rows take, within limits."""
    longest = max((len(str(prose(row.cells[0].text))) for row in table.rows), default=0)
    return min(max(150, 8 * longest), 300)


def _shown(value: object) -> object:
    """Spell out unseen characters in every plain text that a template prints."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("caveat.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        prose=prose,
        heading=heading,
        address=_address,
        file_name=_file_name,
        word=word,
        plural=plural,
    )
    environment.globals.update(
        sections_of=_sections,
        top_caveats=_top_caveats,
        more_caveats=_more_caveats,
        more_files=_more_files,
        body_rows=_body_rows,
        group_starts=_group_starts,
        label_width=_label_width,
        most_in_margin=_MOST_MARGIN_CAVEATS,
    )
    return environment


@lru_cache(maxsize=1)
def _style() -> str:
    fonts = f"--serif:{SERIF};--sans:{SANS};--mono:{MONO};"
    light, dark = css_variables(0), css_variables(1)
    return (
        f":root{{color-scheme:light;{fonts}{light}}}\n"
        "@media screen{\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        "@media (prefers-color-scheme:dark){"
        f":root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        "}\n" + _resource("page.css")
    )


def _resource(name: str) -> str:
    return (files("caveat.pages") / "templates" / name).read_text("utf-8")
