import pytest

from caveat._registry import Entry, Registry
from caveat.exceptions import InvalidInput, MissingExtra, UnknownName

HALF = Entry(name="half", target="fractions:Fraction", params={"denominator": 2})


def test_an_entry_is_imported_on_first_use_with_its_fixed_parameters():
    assert HALF.make(numerator=1) == 0.5
    assert HALF.title == "half"


def test_an_unknown_name_gets_a_hint():
    things = Registry("thing", [HALF])
    with pytest.raises(UnknownName, match="no thing is called 'hafl'"):
        things["hafl"]
    assert "hafl" not in things
    assert list(things) == ["half"]
    assert len(things) == 1


def test_a_name_can_be_taken_only_once():
    with pytest.raises(InvalidInput, match="registered already"):
        Registry("thing", [HALF, HALF])


def test_a_missing_library_is_one_sentence_with_the_command():
    entry = Entry(name="deep", target="no_such_library:Thing", extra="deep")
    with pytest.raises(MissingExtra, match=r"pip install '\.\[deep\]' \(in /"):
        entry.load()


def test_a_broken_module_of_ours_is_never_taken_for_a_missing_extra():
    entry = Entry(name="x", target="caveat.no_such_module:Thing", extra="deep")
    with pytest.raises(ModuleNotFoundError) as caught:
        entry.load()
    assert not isinstance(caught.value, MissingExtra)


@pytest.mark.parametrize(
    "body", ["raise ImportError('gone')", "def broken(:", "raise SystemExit(3)"]
)
def test_a_broken_plug_in_is_named_and_harms_nobody(tmp_path, monkeypatch, body):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text("[caveat.things]\nbad = broken_plugin:X\n")
    (tmp_path / "broken_plugin.py").write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    things = Registry("thing", [HALF], entry_points_group="caveat.things")
    reasons = {entry.name: reason for entry, reason in things.available()}
    assert reasons["half"] == ""
    assert "broken_plugin" in reasons["bad"]


def plain():
    """Do nothing."""


def misleading():
    """Do nothing.

    Warnings
    --------
    It looks as if it did
    something.

    Not at all.

    Examples
    --------
    >>> 1
    1
    """


@pytest.mark.parametrize(
    ("name", "text"),
    [("plain", ""), ("misleading", "It looks as if it did something. Not at all.")],
)
def test_warnings_are_read_from_the_docstring(name, text):
    assert Entry(name=name, target=f"{__name__}:{name}").warnings == text


def test_a_learner_is_told_what_it_takes_and_nobody_set():
    row = Entry(name="x", target="caveat._registry:Entry", params={"paper": "own"})
    made = row.make_for(
        {"name": "y", "target": "a:b"}, name="told", paper="told", summary="told", z=1
    )
    assert (made.name, made.paper, made.summary) == ("y", "own", "told")
