"""Colours by name: one drawing serves light, dark and files.

Figures are drawn with one sentinel colour per token. In the SVG text the sentinel
then becomes ``var(--token)`` on a page and the light value in a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

TOKENS: dict[str, tuple[str, str]] = {
    "page": ("#fdfcf9", "#14171b"),
    "panel": ("#f5f3ec", "#1d2126"),
    "ink": ("#1d2126", "#e8e6e1"),
    "muted": ("#585e66", "#a3a9b1"),
    "faint": ("#868b92", "#747b84"),
    "rule": ("#dcd8ce", "#343a42"),
    "earned": ("#0d448e", "#92d4ff"),
    "earned-fill": ("#0d448e", "#4f9fd0"),
    "free": ("#a84c04", "#fc9f30"),
    "published": ("#6e113a", "#d58ac6"),
    "serious": ("#850f25", "#ff5c74"),
    "null": ("#dfe2e6", "#333940"),
    "earned-tint": ("#e2eaf5", "#1b3042"),
    "free-tint": ("#f8e8d6", "#3a2812"),
    "serious-tint": ("#f9e4e1", "#42201d"),
    "rank-1": ("#b9cfec", "#2c5472"),
    "rank-2": ("#d3e1f3", "#22405a"),
    "rank-3": ("#e8eff8", "#1c2f40"),
    "c1": ("#0d448e", "#92d4ff"),
    "c2": ("#b55508", "#fc9f30"),
    "c3": ("#1d8071", "#459173"),
    "c4": ("#6e113a", "#b566a5"),
    "c5": ("#413801", "#c6daa8"),
    "c6": ("#855bdc", "#968dfd"),
    "c7": ("#854b45", "#d25e3c"),
    "c8": ("#4c5264", "#ababab"),
}

#: Markers of the eight categorical colours, in the same order.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "o")

SERIF = (
    '"Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, '
    '"Book Antiqua", Georgia, serif'
)
SANS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", '
    '"Liberation Sans", Arial, sans-serif'
)
MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

RC: dict[str, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "caveat",
    "text.parse_math": False,  # a name may hold a dollar sign
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.labelpad": 5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.75,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.75,
    "lines.markersize": 5,
    "lines.solid_capstyle": "round",
    "hatch.linewidth": 0.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "path.simplify": True,
}

Palette = Callable[[str], str]

_SENTINELS = {token: f"#fa1e{number:02x}" for number, token in enumerate(TOKENS)}
_TOKEN_OF = {sentinel: token for token, sentinel in _SENTINELS.items()}
_SENTINEL = re.compile(r"#fa1e[0-9a-f]{2}")


def sentinel(token: str) -> str:
    """Return the colour that stands for a token while a figure is drawn."""
    return _SENTINELS[token]


def light(token: str) -> str:
    """Return the token's colour on light pages, in print and in files."""
    return TOKENS[token][0]


def to_variables(text: str) -> str:
    """Replace every sentinel by its CSS variable.

    Examples
    --------
    >>> to_variables(f"fill: {sentinel('ink')}")
    'fill: var(--ink)'
    """
    return _SENTINEL.sub(lambda hit: f"var(--{_TOKEN_OF[hit.group()]})", text)


def to_light(text: str) -> str:
    """Replace every sentinel by its light value.

    Examples
    --------
    >>> to_light(f"fill: {sentinel('ink')}")
    'fill: #1d2126'
    """
    return _SENTINEL.sub(lambda hit: light(_TOKEN_OF[hit.group()]), text)


def css_variables(column: int) -> str:
    """Declare all colours: column 0 for light pages, 1 for dark ones."""
    return "".join(f"--{token}:{values[column]};" for token, values in TOKENS.items())
