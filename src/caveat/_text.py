"""Names of other people's making, made safe to look at.

Data set, column, class and host names come from files that anybody can write.
Printed as they are, they can move the cursor, recolour or retitle a terminal,
break a log record in two, or show a text in an order in which it is not stored.
"""

from __future__ import annotations


def terminal_text(name: object, *, limit: int | None = None) -> str:
    r"""Show a name on one line, with everything invisible spelt out.

    Every character that Unicode does not call printable becomes an escape:
    control characters (so also ANSI sequences, tabs and line ends), bidirectional
    overrides, zero-width and other format characters, line separators, blanks
    other than the plain one, lone surrogates and unassigned code points.
    All other characters, also backslashes and brackets, stay as they are.

    Parameters
    ----------
    name : object
        Anything; what is not a string is turned into one first.
    limit : int, optional
        Longest text to return, at least 1; what is beyond ends in an ellipsis.

    Returns
    -------
    str, for which `str.isprintable` holds.

    Warnings
    --------
    The result is for eyes, not for reading back: a name that holds the four
    characters ``\x1b`` looks like one that holds the control character.
    Markup of `rich` (``[red]``, ``:smile:``) is plain text here and stays; hand the
    result to `rich.text.Text`, never to a printer that interprets markup.

    Examples
    --------
    >>> from caveat._text import terminal_text
    >>> print(terminal_text("wine\x1b[2J\n"))
    wine\x1b[2J\n
    >>> print(terminal_text("a\u202eb"), terminal_text("abcdef", limit=4))
    a\u202eb abc…
    """
    text = name if type(name) is str else str(name)
    # Far more than fits is cut before the work, an escape is never shorter
    # than its character.
    if limit is not None:
        text = text[: max(limit, 1) + 1]
    if not text.isprintable():
        text = "".join(
            character if character.isprintable() else _escape(character)
            for character in text
        )
    if limit is not None and len(text) > limit:
        text = text[: max(limit, 1) - 1] + "…"
    return text


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
