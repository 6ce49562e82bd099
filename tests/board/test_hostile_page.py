"""Hostile names in every place of a page: text, never markup."""

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from caveat import pages as kit
from caveat.board import build_page
from caveat.pages._canvas import draw_svg
from caveat.pages._drawn import Drawn, page_figures
from caveat.pages._svg import inline_svg
from caveat.pages._write import page_files

pytestmark = pytest.mark.thorough

ALL = json.loads((Path(__file__).parents[1] / "hostile.json").read_text())
LONG = ["x" * 10_000, "a" * 50 + "<b>" + "a" * 50]
# Text columns of pandas hold no lone surrogates, so no data set is called like that.
NAMES = [
    name for name in [*ALL, *LONG] if name == name.encode("utf-8", "ignore").decode()
]
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Structure(HTMLParser):
    """Collects which elements have which attributes, and all text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.shapes, self.text, self.open, self.balanced = set(), [], [], True
        self.ids = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.shapes |= {(tag, name) for name, _ in attrs} | {(tag, "")}
        self.ids += [value for name, value in attrs if name == "id"]
        self.open += [tag] if tag not in VOID else []

    def handle_startendtag(self, tag, attrs):
        self.shapes |= {(tag, name) for name, _ in attrs} | {(tag, "")}

    def handle_endtag(self, tag):
        self.balanced &= bool(self.open) and self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def pages_of(make_records, names):
    """Put every name into every place: one chapter for each kind of place."""
    few = {
        "repeats": 2,
        "configurations": 2,
        "worlds": ({},),
        "measures": ("auc",),
        "rules": {names[0]: 0.1},
        "oracle": False,
        "baseline": None,
    }
    two = {names[0]: 0.8, names[1]: 0.7}
    chapters = [
        {
            "learners": {name: 0.6 + 0.005 * n for n, name in enumerate(names[::-1])},
            "datasets": names[:2],
        },
        {"learners": two, "datasets": names},
        {"learners": two, "worlds": [{name: name} for name in names]},
        {"learners": two, "rules": {name: 0.01 * n for n, name in enumerate(names)}},
        {"learners": two, "measures": names},
    ]
    records = []
    for number, places in enumerate(chapters):
        made = make_records(
            **(few | places),
            study=f"{number} {' '.join(names[:-2])}",
            hosts=names,
            warnings={name: f"{name} is here" for name in names},
            fail=lambda trial: (
                ("failed", trial["learner"], trial["learner"])
                if trial["repeat"] == 1
                else None
            ),
        )
        made.trials["versions"] = json.dumps({name: name for name in names})
        next(iter(made.studies.values()))["description"] = " ".join(names[:-2])
        records.append(made)
    return build_page(records, command=" ".join(names))


def rendered(page):
    """Render; of the figures only those that show names are drawn, and once."""
    named = ("s1-field", "s1-critical-difference", "s1-cost", "s4-regret")
    file = kit.Download("figures/x.svg", "SVG", b"")
    drawn = dict.fromkeys((one.name for one in page_figures(page)), Drawn("", (file,)))
    for figure in page_figures(page):
        if figure.name in named:
            svg = inline_svg(
                draw_svg(figure.draw, figure.size), name=figure.name, css_class="wide"
            )
            drawn[figure.name] = Drawn(svg, (file,))
    return kit.render(page, drawn)


@pytest.fixture(scope="module")
def hostile_page(make_records):
    return pages_of(make_records, NAMES)


@pytest.fixture(scope="module")
def hostile(hostile_page):
    return rendered(hostile_page)


@pytest.mark.long
def test_the_page_has_all_that_a_page_can_have(hostile):
    assert hostile.count('class="switch"') == 5
    assert hostile.count('class="wide"') == 4


@pytest.fixture(scope="module")
def benign(make_records):
    return rendered(pages_of(make_records, [f"name-{n}" for n in range(6)]))


@pytest.fixture(scope="module")
def read(hostile):
    return " ".join("".join(Structure(hostile).text).split())


def test_no_name_adds_an_element_or_an_attribute(hostile, benign):
    added = Structure(hostile).shapes - Structure(benign).shapes
    assert added == set()


def test_every_id_is_there_once(hostile):
    ids = Counter(Structure(hostile).ids)
    assert [name for name, count in ids.items() if count > 1] == []


def test_every_element_is_closed_where_it_was_opened(hostile):
    found = Structure(hostile)
    assert found.balanced
    assert found.open == []


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n.strip()], ids=lambda name: ascii(name[:30])
)
def test_every_name_is_there_to_be_read(read, name):
    assert " ".join(kit.shorten(name, 40).split()) in read


def test_there_is_one_script_and_it_is_ours(hostile, benign):
    assert hostile.count("<script") == benign.count("<script") == 1
    script = hostile.split("<script>")[1].split("</script>")[0]
    assert script == benign.split("<script>")[1].split("</script>")[0]


def test_nothing_unseen_reaches_the_page(hostile):
    allowed = {"\n", kit.NBSP}
    odd = {one for one in hostile if not one.isprintable()} - allowed
    assert odd == set()


@pytest.mark.parametrize("name", ALL, ids=lambda name: ascii(name[:30]))
def test_what_glossary_and_command_say_is_text_too(name):
    term = kit.Term("t", name, summary=name, warnings=name)
    section = kit.Section(
        "s",
        name,
        name,
        lead=name,
        blocks=[
            kit.Terms(name, [term]),
            kit.Facts([(name, name)], name),
            kit.Notice(name),
        ],
        caveats=[kit.Caveat("note", name, name, name)],
    )
    page = kit.Page([kit.Chapter("", name, name, name, sections=[section])])
    plain = kit.render(
        kit.Page(
            [
                kit.Chapter(
                    "",
                    "a",
                    "a",
                    "a",
                    sections=[
                        kit.Section(
                            "s",
                            "a",
                            "a",
                            lead="a",
                            blocks=[
                                kit.Terms("a", [kit.Term("t", "a", "a", "a")]),
                                kit.Facts([("a", "a")], "a"),
                                kit.Notice("a"),
                            ],
                            caveats=[kit.Caveat("note", "a", "a", "a")],
                        )
                    ],
                )
            ]
        )
    )
    text = kit.render(page)
    assert Structure(text).shapes <= Structure(plain).shapes
    text.encode("utf-8")


def test_file_names_are_ours_whatever_names_there_are(hostile_page):
    names = {download.name for download in page_files(hostile_page, {})}
    plain = set("abcdefghijklmnopqrstuvwxyz0123456789-./")
    assert all(set(name) <= plain for name in names)
    assert not any(part.startswith(".") for name in names for part in name.split("/"))
