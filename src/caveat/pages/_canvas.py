"""A sheet to draw on, in inches, with colours by token.

Every figure is drawn by one function, once wide and once for phones; the sheet
says which. Axes are placed by hand: automatic layout depends on font widths. Title and
conditions stand beyond the edges of the sheet: a file shows them, a page does not.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Sheet
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.transforms import Bbox

from caveat.pages._theme import RC, Palette, light, sentinel

Draw = Callable[["Canvas"], None]
_LINE = 0.155  # inches from one line of a file's title or conditions to the next
_PNG_DPI = 144
FRAME = "frame"
"""Marks the texts beyond the edges of a sheet."""
# On top of matplotlib's own settings: a user's style must not change a report.
_STYLE: dict[Any, Any] = {
    key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"
} | RC


class Canvas:
    """One sheet of a figure.

    Parameters
    ----------
    width, height : float
        Inches of the part that the figure may draw on.
    phone : bool
        Whether this is the narrow drawing.
    palette : callable
        Token to colour.
    title, conditions : str
        What a file carries inside, above and below the drawing.
    """

    def __init__(
        self,
        width: float,
        height: float,
        *,
        phone: bool = False,
        palette: Palette = sentinel,
        title: str = "",
        conditions: str = "",
    ) -> None:
        self.width, self.height, self.phone = width, height, phone
        self.colour = palette
        self.sheet = Sheet(figsize=(width, height))
        above, below = _frame(width, title, conditions)
        top = margins(width, title, conditions)[0]
        for number, line in enumerate(above):
            y = height + top - 0.06 - _LINE * 1.2 * number
            self.text(0.06, y, line, size=9.5, weight="bold", va="top", gid=FRAME)
        for number, line in enumerate(below):
            y = -0.04 - _LINE * number
            self.text(0.06, y, line, size=7.5, token="muted", va="top", gid=FRAME)

    def axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        """Add axes at a place in inches, from the lower left corner."""
        box = (
            left / self.width,
            bottom / self.height,
            width / self.width,
            height / self.height,
        )
        axes = self.sheet.add_axes(box)
        axes.tick_params(colors=self.colour("muted"), color=self.colour("faint"))
        for spine in axes.spines.values():
            spine.set_color(self.colour("faint"))
        return axes

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 8.5,
        weight: str = "normal",
        token: str = "ink",
        ha: str = "left",
        va: str = "center",
        gid: str | None = None,
    ) -> None:
        """Write at a place in inches, from the lower left corner."""
        self.sheet.text(
            x / self.width,
            y / self.height,
            text,
            fontsize=size,
            fontweight=weight,
            color=self.colour(token),
            ha=ha,
            va=va,
            gid=gid,
        )


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = 8.5, weight: str = "normal") -> float:
    """Inches that a text takes in DejaVu Sans, wider than what readers will see."""
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    with _quietly():
        width, _, _ = TextToPath().get_text_width_height_descent(text, font, False)
    return width / 72


def draw_svg(
    draw: Draw,
    size: tuple[float, float],
    *,
    phone: bool = False,
    title: str = "",
    conditions: str = "",
) -> str:
    """Draw with sentinel colours and return matplotlib's SVG."""
    with _quietly():
        canvas = Canvas(*size, phone=phone, title=title, conditions=conditions)
        draw(canvas)
        FigureCanvasSVG(canvas.sheet)
        buffer = BytesIO()
        canvas.sheet.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue().decode("utf-8")


def draw_png(
    draw: Draw, size: tuple[float, float], *, title: str = "", conditions: str = ""
) -> bytes:
    """Draw in light colours and return a PNG, the same bytes every time."""
    above, below = margins(size[0], title, conditions)
    with _quietly():
        canvas = Canvas(*size, palette=light, title=title, conditions=conditions)
        draw(canvas)
        FigureCanvasAgg(canvas.sheet)
        buffer = BytesIO()
        canvas.sheet.savefig(
            buffer,
            format="png",
            dpi=_PNG_DPI,
            bbox_inches=Bbox([[0, -below], [size[0], size[1] + above]]),
            facecolor=light("page"),
            metadata={"Software": None},
        )
    return buffer.getvalue()


def draw_axes(draw: Draw, size: tuple[float, float]) -> Axes:
    """Draw in light colours on a sheet of its own and return the axes."""
    with _quietly():
        canvas = Canvas(*size, palette=light)
        draw(canvas)
    return canvas.sheet.axes[0]


@contextmanager
def _quietly() -> Iterator[None]:
    """Set our style; readers' fonts have the glyphs that DejaVu lacks."""
    with warnings.catch_warnings(), mpl.rc_context(_STYLE):
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not")
        yield


def margins(width: float, title: str, conditions: str) -> tuple[float, float]:
    """Inches that a file takes above and below its drawing."""
    above, below = _frame(width, title, conditions)
    return (
        _LINE * 1.2 * len(above) + 0.15 if above else 0.0,
        _LINE * len(below) + 0.1 if below else 0.0,
    )


def _frame(width: float, title: str, conditions: str) -> tuple[list[str], list[str]]:
    return _wrapped(title, width, 9.5), _wrapped(conditions, width, 7.5)


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """Break a text into lines that fit, by the mean width of its characters."""
    if not text:
        return []
    each = max(text_width(text, size) / len(text), 1e-3)
    return textwrap.wrap(text, max(10, int((width - 0.15) / each * 0.95)))
