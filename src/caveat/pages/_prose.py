"""Sentences with a little structure: words, a bold number, a typed name, a link.

Names come from data sets, study files and error texts, so a sentence keeps them
apart from the words around them and escapes them when it becomes HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

from markupsafe import Markup, escape

from caveat._text import terminal_text

_TAGS = {
    "plain": "{}",
    "name": "{}",
    "strong": "<b>{}</b>",
    "code": "<code>{}</code>",
}
NBSP = "\u00a0"
_LONGEST = 2000  # characters of one piece of text; error messages can have millions
_TYPED = re.compile(r"``(.+?)``|`(.+?)`")


def visible(text: object) -> str:
    r"""Spell out characters that cannot be seen, so that no text can hide or reorder.

    Examples
    --------
    >>> visible("two\nlines"), visible("safe\u202etxt"), visible("naïve 世界")
    ('two\\nlines', 'safe\\u202etxt', 'naïve 世界')
    """
    # Our own words hold no-break spaces between a number and its unit.
    return NBSP.join(terminal_text(part) for part in str(text).split(NBSP))


def shorten(text: object, most: int = 60) -> str:
    """Cut the middle out of a long text; the ends tell names apart.

    Examples
    --------
    >>> shorten("bag-forward-correction-with-a-very-long-name", 20)
    'bag-forwar…long-name'
    """
    shown = visible(text)
    if len(shown) <= most:
        return shown
    tail = (most - 1) // 2
    return f"{shown[: most - 1 - tail]}…{shown[len(shown) - tail :]}"


@dataclass(frozen=True)
class Span:
    """A piece of a sentence.

    Attributes
    ----------
    text : str
        What it says.
    kind : {"plain", "name", "strong", "code", "link"}
        How it is shown.
    target : str
        Where a link leads: an id on the page.
    """

    text: str
    kind: str = "plain"
    target: str = ""

    def __html__(self) -> str:
        text = escape(shorten(self.text, _LONGEST))
        if self.kind == "link":
            return Markup('<a href="#{}">{}</a>').format(self.target, text)
        return Markup(_TAGS[self.kind]).format(text)


@dataclass(frozen=True)
class Prose:
    """A sentence: an immutable row of spans that knows its plain text and its HTML.

    Examples
    --------
    >>> sentence = say("{n} of 9 runs of {who} failed", n=strong("4"), who="a<b")
    >>> str(sentence)
    '4 of 9 runs of a<b failed'
    >>> print(sentence.__html__())
    <b>4</b> of 9 runs of a&lt;b failed
    """

    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        return "".join(shorten(span.text, _LONGEST) for span in self.spans)

    def __html__(self) -> str:
        return Markup("").join(Markup(span.__html__()) for span in self.spans)

    def __bool__(self) -> bool:
        return any(span.text for span in self.spans)

    def __add__(self, other: Prose | Span | str) -> Prose:
        return Prose(self.spans + prose(other).spans)


def prose(text: Prose | Span | str) -> Prose:
    """Make a sentence of whatever is given."""
    if isinstance(text, Prose):
        return text
    return Prose((text if isinstance(text, Span) else Span(text),))


def say(template: str, **parts: Prose | Span | str) -> Prose:
    """Fill a sentence: ``{name}`` in the template is replaced by the part.

    Only the template is read for braces, never a part.
    """
    return Prose(tuple(_filled(template, parts)))


def _filled(template: str, parts: dict[str, Prose | Span | str]) -> Iterator[Span]:
    for words, name, _, _ in Formatter().parse(template):
        if words:
            yield Span(words)
        if name:
            yield from prose(parts[name]).spans


def join(parts: Iterable[Prose | Span | str], separator: str = " ") -> Prose:
    """Put sentences one after another; empty ones leave no gap."""
    spans: list[Span] = []
    for part in filter(None, map(prose, parts)):
        if spans:
            spans.append(Span(separator))
        spans.extend(part.spans)
    return Prose(tuple(spans))


def names(texts: Sequence[str], most: int = 4) -> Prose:
    """Join names with commas and a final "and"; many are counted.

    Examples
    --------
    >>> str(names(["a", "b", "c"])), str(names(list("abcdefg"), most=2))
    ('a, b and c', 'a, b and 5 others')
    """
    shown = [name(text) for text in texts]
    if len(shown) > most + 1:
        rest = len(shown) - most
        return join(shown[:most], ", ") + f" and {rest} others"
    if len(shown) < 2:
        return join(shown)
    return join(shown[:-1], ", ") + " and " + shown[-1]


def strong(text: str) -> Span:
    """Return the number that a sentence turns on."""
    return Span(text, "strong")


def name(text: str) -> Span:
    """Return a name of somebody else's making; long ones lose their middle."""
    return Span(shorten(text, 40), "name")


def code(text: str) -> Span:
    """Return something that is typed: a file, a column, an option."""
    return Span(text, "code")


def typed(text: str) -> Prose:
    """Set what stands between backticks as something that is typed.

    Examples
    --------
    >>> print(typed("With `k=1` all is 0 or 1.").__html__())
    With <code>k=1</code> all is 0 or 1.
    """
    spans, at = [], 0
    for hit in _TYPED.finditer(text):
        spans += [Span(text[at : hit.start()]), code(hit.group(1) or hit.group(2))]
        at = hit.end()
    return Prose(tuple(span for span in (*spans, Span(text[at:])) if span.text))


def link(text: str, target: str) -> Span:
    """Return a link to an id on the page."""
    return Span(text, "link", target)
