import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat._text import terminal_text

HOSTILE = json.loads((Path(__file__).parent / "hostile.json").read_text())


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_name_is_printable_and_one_line(name):
    shown = terminal_text(name)
    assert shown.isprintable()
    assert len(shown.splitlines()) <= 1
    assert shown.encode("utf-8").decode("utf-8") == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\tc", r"a\nb\tc"),
        ("a\u202eb", r"a\u202eb"),
        ("\x9b2J", r"\x9b2J"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("[red]wine[/red]", "[red]wine[/red]"),
        ("日本語 ñ 🧪 \\", "日本語 ñ 🧪 \\"),
        ("", ""),
        (7, "7"),
        (None, "None"),
    ],
)
def test_what_is_invisible_is_spelt_out_and_the_rest_stays(name, shown):
    assert terminal_text(name) == shown


@pytest.mark.parametrize(
    ("name", "limit", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("\n\n\n", 4, r"\n\…")],
)
def test_a_long_name_ends_in_an_ellipsis(name, limit, shown):
    assert terminal_text(name, limit=limit) == shown


def test_a_very_long_name_is_cut_before_it_is_escaped():
    assert len(terminal_text("\x00" * 1_000_000, limit=40)) == 40


@settings(max_examples=60, deadline=None)
@given(st.text(), st.integers(1, 20))
def test_any_text_is_printable_and_within_its_limit(name, limit):
    shown = terminal_text(name, limit=limit)
    assert shown.isprintable()
    assert len(shown) <= limit
    assert terminal_text(terminal_text(name)) == terminal_text(name)
