"""What a page is made of. Nothing here knows HTML, and nothing here computes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

from caveat.pages._canvas import Draw, draw_axes
from caveat.pages._numbers import fixed
from caveat.pages._prose import Prose, Span, prose, strong

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Severity = Literal["serious", "careful", "note"]
SEVERITIES: tuple[Severity, ...] = ("serious", "careful", "note")
Words: TypeAlias = Prose | Span | str


@dataclass(frozen=True)
class Download:
    """A file that belongs to a figure or a table.

    Attributes
    ----------
    name : str
        Path below the report's folder, chosen by us, never by a data set.
    label : str
        What the link says: ``CSV``, ``LaTeX``, ``SVG``.
    content : bytes
    """

    name: str
    label: str
    content: bytes

    @classmethod
    def csv(cls, name: str, frame: pd.DataFrame) -> Download:
        """Offer a table as it is."""
        return cls(name, "CSV", frame.to_csv(index=False).encode("utf-8"))


@dataclass(frozen=True)
class Caveat:
    """A sentence made from a number on the page.

    Attributes
    ----------
    severity : {"serious", "careful", "note"}
        *Serious*: the headline would mislead. *Careful*: could change a decision.
        *Note*: a condition to know.
    sentence : Prose, Span or str
        One sentence. In a plain string the first `number` is set in bold.
    number : str
        The number that the sentence is about, as it is written there.
    how : Prose, Span or str
        How it was measured, or the option that acts on it.
    name : str
        Its id on the page; a cell with the same `star` links to it.
    size : float
        How much of the result is at stake; orders caveats of one severity.
    """

    severity: Severity
    sentence: Words
    number: str = ""
    how: Words = ""
    name: str = ""
    size: float = 0.0

    @property
    def words(self) -> Prose:
        """The sentence with its number in bold."""
        plain = self.sentence if isinstance(self.sentence, str) else ""
        if self.number and self.number in plain:
            before, _, after = plain.partition(self.number)
            return prose(before) + strong(self.number) + after
        return prose(self.sentence)


@dataclass(frozen=True)
class Figure:
    """A drawing with its finding, its conditions and its data.

    Attributes
    ----------
    name : str
        Short and unique on the page; names its files.
    title : Claim, Prose, Span or str
        The finding, shown above the figure.
    label : str
        The finding with its numbers, for those who cannot see the drawing.
    draw : callable or None
        Draws on a `Canvas`; called for wide, phone and files. None if there is
        nothing to draw.
    size, phone_size : (float, float)
        Inches.
    conditions : Prose, Span or str
    downloads : sequence of Download
        The data behind it.
    cannot : Prose, Span or str
        Why there is nothing to draw.
    one_line : bool
        Whether it is the figure at the top of the page, without title.
    """

    name: str
    title: Any
    label: str
    draw: Draw | None
    size: tuple[float, float] = (7.0, 2.6)
    phone_size: tuple[float, float] = (3.6, 3.0)
    conditions: Words = ""
    downloads: Sequence[Download] = ()
    cannot: Words = ""
    one_line: bool = False

    @classmethod
    def of_rows(
        cls, rows: int, draw: Draw, *, above: float = 0.62, **words: Any
    ) -> Self:
        """Make a figure as high as its rows need, with room above and below them."""
        height = above + 0.3 * rows
        sizes = {"size": (7.0, height), "phone_size": (3.6, height)}
        return cls(draw=draw, **sizes, **words)  # type: ignore[arg-type]

    def axes(self) -> Axes:
        """Draw it alone, wide and in light colours; the axes know their figure."""
        assert self.draw is not None, self.cannot
        return draw_axes(self.draw, self.size)


@dataclass(frozen=True)
class Strip:
    """A plot within a table row: places from 0 to 1, None if not known.

    A value beyond is off the scale and becomes an arrow at the edge.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    free: float | None = None
    reference: float | None = None
    marker: Literal["dot", "free", "reference"] = "dot"


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes
    ----------
    text : Prose, Span or str
        What it shows.
    value : float, str or None
        What it is sorted by; None comes last.
    heat : int
        1, 2, 3 for first, second, third in its column; 0 for no colour.
    before : str
        Shown small before the text, such as ``4/6``.
    state : str
        ``""``, ``partial``, ``failed``, ``running`` or ``missing``.
    star : str
        Name of the caveat that qualifies it.
    term : str
        Name of the term that explains it.
    how, caveat : str
        Second and third line of its conditions card.
    strip : Strip or None
        A plot in place of text.
    tone : str
        ``""``, ``serious``, ``muted`` or ``strong``.
    """

    text: Words = ""
    value: float | str | None = None
    heat: int = 0
    before: str = ""
    state: str = ""
    star: str = ""
    term: str = ""
    how: str = ""
    caveat: str = ""
    strip: Strip | None = None
    tone: str = ""

    @classmethod
    def number(cls, value: float | None, places: int = 3, **more: Any) -> Self:
        """Show a number, and sort by it; a dash comes last."""
        known = None if value is None or not math.isfinite(value) else float(value)
        return cls(fixed(known, places), value=known, **more)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    title : Prose, Span or str
    kind : {"name", "text", "number", "strip"}
        Names and text stand left, numbers right.
    best : {"", "max", "min"}
        Which end comes first when it is sorted; empty if it cannot be sorted.
    sorted : bool
        Whether the rows come in its order.
    term : str
        Name of the term that explains it.
    below : str
        A second line of the title, muted.
    """

    title: Words
    kind: Literal["name", "text", "number", "strip"] = "number"
    best: Literal["", "max", "min"] = ""
    sorted: bool = False
    term: str = ""
    below: str = ""


@dataclass(frozen=True)
class Row:
    """One row of a table; `place` keeps reference rows at the top or bottom."""

    cells: Sequence[Any]
    place: Literal["", "top", "bottom"] = ""

    def filled(self) -> Row:
        """Put what is no cell yet into one."""
        cells = [one if isinstance(one, Cell) else Cell(one) for one in self.cells]
        return Row(cells, self.place)


@dataclass(frozen=True)
class Table:
    """A table that sorts and filters in the browser.

    Attributes
    ----------
    name : str
        Short and unique on the page.
    caption : Prose, Span or str
        Read out before the table; shown above it if `titled`.
    columns : sequence of Column
    rows : sequence of Row
    groups : sequence of (str, int)
        Titles above the columns after the first, with how many they span.
    how : str
        What all conditions cards of the table say last.
    unit : str
        What a card puts after a number.
    legend : sequence of (str, str)
        Sign and meaning: ``rank-1``, ``rank-2``, ``rank-3``, ``partial``,
        ``failed``, ``free``, ``reference``, ``count``.
    conditions : Prose, Span or str
    downloads : sequence of Download
    look : {"plain", "board", "matrix"}
    titled : bool
    brief : bool
        Whether a terminal shows it, too.
    """

    name: str
    caption: Words
    columns: Sequence[Column]
    rows: Sequence[Row]
    groups: Sequence[tuple[str, int]] = ()
    how: str = ""
    unit: str = ""
    legend: Sequence[tuple[str, str]] = ()
    conditions: Words = ""
    downloads: Sequence[Download] = ()
    look: Literal["plain", "board", "matrix"] = "plain"
    titled: bool = False
    brief: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        caption: Words,
        columns: Sequence[Any],
        rows: Iterable[Any],
        **more: Any,
    ) -> Self:
        """Make a table of plain parts.

        Words in place of a `Column` title one of numbers, of names if it is the first.
        A list in place of a `Row` is its cells, and words fill a `Cell`.
        """
        heads = [
            one
            if isinstance(one, Column)
            else Column(one, "number" if place else "name")
            for place, one in enumerate(columns)
        ]
        made = [one if isinstance(one, Row) else Row(one) for one in rows]
        return cls(name, caption, heads, [row.filled() for row in made], **more)


@dataclass(frozen=True)
class Switch:
    """Several tables of one shape, of which the reader picks one.

    Attributes
    ----------
    name : str
    find : str
        What the filter box looks for, such as ``learner``.
    choices : sequence of str
        Labels of the controls, such as ``Measure`` and ``Chosen by``.
    tables : sequence of (tuple of str, Table)
        What each control says, and the table; the first is shown.
    """

    name: str
    find: str
    choices: Sequence[str]
    tables: Sequence[tuple[tuple[str, ...], Table]]


@dataclass(frozen=True)
class Progress:
    """One thin bar, then counts.

    Attributes
    ----------
    parts : sequence of (str, float)
        ``done``, ``failed``, ``damaged``, ``running`` or ``pending``, and how many.
    label : str
        The bar in words.
    facts : sequence of (str, str)
        A number and what it counts.
    """

    parts: Sequence[tuple[str, float]]
    label: str
    facts: Sequence[tuple[str, Words]] = ()


@dataclass(frozen=True)
class Term:
    """A name, what it stands for, and when it misleads (its own `Warnings`)."""

    name: str
    title: str
    summary: Words = ""
    warnings: Words = ""


@dataclass(frozen=True)
class Terms:
    """Names explained beside the numbers that they belong to."""

    title: str
    terms: Sequence[Term]


@dataclass(frozen=True)
class Facts:
    """Pairs of a word and what it is: provenance, settings."""

    pairs: Sequence[tuple[str, Words]]
    command: str = ""


@dataclass(frozen=True)
class Notice:
    """A dashed box with one line: not asked for, or not possible, and why.

    `files` are written beside the page, where they are too large to be in it.
    """

    words: Words
    files: Sequence[Download] = ()


@dataclass(frozen=True)
class Paragraph:
    """Plain words between two blocks."""

    words: Words


@dataclass(frozen=True)
class Details:
    """Blocks that open on a click: what few readers need, or what is long."""

    summary: Words
    blocks: Sequence[Any]


Block: TypeAlias = (
    Figure | Table | Switch | Progress | Terms | Facts | Notice | Paragraph | Details
)


def flat_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """Give every block, those that open on a click too."""
    for block in blocks:
        if isinstance(block, Details):
            yield from flat_blocks(block.blocks)
        else:
            yield block


@dataclass(frozen=True)
class Section:
    """A numbered part of a page.

    Attributes
    ----------
    name : str
        Its id on the page.
    eyebrow : str
        What it is about, in a word or two.
    heading : Claim, Prose, Span or str
        Its finding: a claim, shown in its short form without full stop.
    lead : Prose, Span or str
        At most two sentences of explanation.
    blocks : sequence of blocks
    caveats : sequence of Caveat
        Shown in the margin, at most three of them.
    wide : bool
        Whether its blocks take both columns and its caveats stand below.
    """

    name: str
    eyebrow: str
    heading: Any
    lead: Words = ""
    blocks: Sequence[Block] = ()
    caveats: Sequence[Any] = ()
    wide: bool = False


@dataclass(frozen=True)
class Chapter:
    """A finding with its evidence: the whole page, or one study of several.

    Attributes
    ----------
    name : str
        Begins the ids of its sections; empty if it is the whole page.
    eyebrow, title, lede : Prose, Span or str
    figure : Figure or None
        The one-line figure.
    sections : sequence of Section
    checks : Prose, Span or str
        What was looked for, said where no caveat was found.
    """

    name: str
    eyebrow: Words
    title: Words
    lede: Words = ""
    figure: Figure | None = None
    sections: Sequence[Section] = ()
    checks: Words = ""

    files: ClassVar[tuple[Download, ...]] = ()

    @property
    def headline(self) -> Words:
        """The title."""
        return self.title

    @property
    def action(self) -> Words:
        """Pages that are no looks yet name no action."""
        return ""

    @property
    def caveats(self) -> list[tuple[Section, int, Caveat]]:
        """Every caveat with its section and the section's number, worst first."""
        found = [
            (section, number, caveat)
            for number, section in enumerate(self.sections, start=1)
            for caveat in section.caveats
        ]
        return sorted(
            found, key=lambda item: (SEVERITIES.index(item[2].severity), -item[2].size)
        )


@dataclass(frozen=True)
class Page:
    """A whole page.

    Attributes
    ----------
    chapters : sequence of Chapter
        One is shown as the page itself, several each under the page's own title.
    title, eyebrow, lede : Prose, Span or str
        Of a page with several chapters.
    footer : str
    files : sequence of Download
        Further files to be written beside the page.
    """

    chapters: Sequence[Any]
    eyebrow: Words = ""
    title: Words = ""
    lede: Words = ""
    footer: str = "A score without its conditions is half a result."
    files: Sequence[Download] = field(default_factory=tuple)
