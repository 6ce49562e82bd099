"""Numbers as pages write them: digits follow the interval, words up to twelve."""

from __future__ import annotations

import math

from caveat.pages._prose import NBSP

MINUS = "\u2212"
_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_SHARES = (
    (0.75, "three quarters"),
    (2 / 3, "two thirds"),
    (0.5, "half"),
    (1 / 3, "a third"),
    (0.25, "a quarter"),
    (0.2, "a fifth"),
    (0.1, "a tenth"),
    (0.01, "a hundredth"),
)


def decimals(half_width: float | None, most: int = 3) -> int:
    """How many decimals an interval of this half width supports, at most `most`.

    Examples
    --------
    >>> decimals(0.008), decimals(0.03), decimals(4.2), decimals(None)
    (3, 2, 0, 3)
    """
    if half_width is None or not math.isfinite(half_width) or half_width <= 0:
        return most
    # Rounding to one significant digit first: 0.0096 becomes 0.01, two decimals.
    rounded = float(f"{half_width:.0e}")
    return min(most, max(0, -math.floor(math.log10(rounded))))


def fixed(value: float | None, places: int = 3) -> str:
    """Write a number with fixed decimals and a true minus; "–" if there is none.

    Examples
    --------
    >>> fixed(0.8494), fixed(-0.25, 2), fixed(-0.0001, 2), fixed(1234.5, 1)
    ('0.849', '−0.25', '0.00', '1,234.5')
    """
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:,.{places}f}"
    if text.startswith("-"):
        text = text[1:] if float(text[1:].replace(",", "")) == 0 else MINUS + text[1:]
    return text


def signed(value: float, places: int = 2) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> signed(0.1), signed(-0.1), signed(0.001)
    ('+0.10', '−0.10', '0.00')
    """
    text = fixed(value, places)
    zero = float(f"{value:.{places}f}") == 0
    return text if zero or text.startswith(MINUS) else f"+{text}"


def ends(low: float | None, high: float | None, places: int = 3) -> str:
    """Write the ends of an interval; nothing where one is not known.

    Examples
    --------
    >>> ends(0.81, 0.9, 2), ends(0.81, None)
    ('0.81 to 0.90', '')
    """
    if low is None or high is None or not math.isfinite(low + high):
        return ""
    return f"{fixed(low, places)} to {fixed(high, places)}"


def significant(value: float | None, digits: int = 2) -> str:
    """Write a number with that many significant digits, whole ones in full.

    Examples
    --------
    >>> significant(0.1234), significant(2.91), significant(118.2), significant(4321)
    ('0.12', '2.9', '118', '4,321')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    return fixed(rounded if places > 0 else value, max(0, min(places, 9)))


def count(number: int) -> str:
    """Write a count with commas.

    Examples
    --------
    >>> count(2700)
    '2,700'
    """
    return f"{number:,}"


def word(number: int) -> str:
    """Write a small count as a word.

    Examples
    --------
    >>> word(4), word(0), word(13)
    ('four', 'no', '13')
    """
    return _WORDS[number] if 0 <= number < len(_WORDS) else count(number)


def plural(number: int, one: str, many: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "learner"), plural(1200, "trial"), plural(2, "search", "searches")
    ('1 learner', '1,200 trials', '2 searches')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{count(number)} {noun}"


def capital(text: str) -> str:
    """Begin a sentence with it.

    Examples
    --------
    >>> capital("four learners")
    'Four learners'
    """
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Make a sentence of a phrase.

    Examples
    --------
    >>> sentence("share of pairs in the right order"), sentence("")
    ('Share of pairs in the right order.', '')
    """
    return f"{capital(text.rstrip('.'))}." if text else ""


def p_value(p: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_value(0.0049), p_value(1e-9), p_value(0.42)
    ('p = 0.005', 'p < 0.001', 'p = 0.420')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def percent(ratio: float) -> str:
    """Write a share, with a decimal where it is small.

    Examples
    --------
    >>> [percent(ratio).replace(NBSP, " ") for ratio in (0.372, 0.0104, 0)]
    ['37 %', '1.0 %', '0 %']
    """
    places = 0 if ratio >= 0.1 or ratio == 0 else 1
    return f"{100 * ratio:.{places}f}{NBSP}%"


def share(ratio: float) -> str:
    """Name the nearest plain fraction of a ratio below one.

    Examples
    --------
    >>> share(0.31), share(0.52), share(0.004)
    ('a third', 'half', 'a hundredth')
    """
    if ratio <= 0.005:
        return "less than a hundredth" if ratio < 0.004 else "a hundredth"
    return min(_SHARES, key=lambda pair: abs(math.log(pair[0] / ratio)))[1]


def duration(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> [duration(t).replace(NBSP, " ") for t in (0.42, 75, 292.3, 7200, 4e5)]
    ['0.42 s', '1 min 15 s', '4 min 52 s', '2.0 h', '111 h']
    """
    if seconds < 59.5:
        return f"{significant(seconds)}{NBSP}s"
    if seconds < 3600:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}{NBSP}min" + (f" {rest}{NBSP}s" if rest else "")
    return f"{significant(seconds / 3600)}{NBSP}h"
