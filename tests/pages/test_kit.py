"""The parts that all pages are built from."""

import base64
import hashlib
import itertools
import os
import re
from collections import defaultdict
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat import pages as kit
from caveat.board import build_page
from caveat.exceptions import InvalidInput
from caveat.pages._axes import round_ticks, spread
from caveat.pages._canvas import draw_png, draw_svg, text_width
from caveat.pages._drawn import Drawn
from caveat.pages._labels import Box, Mark, around_points, below_line
from caveat.pages._svg import file_svg, inline_svg
from caveat.pages._theme import TOKENS, light, sentinel
from caveat.pages._write import page_files

few = settings(max_examples=60, deadline=None)


def small_page(**changes):
    section = kit.Section(
        name="models",
        eyebrow="The models",
        heading="em-lr scores 0.85",
        blocks=[
            kit.Table(
                "scores",
                "Scores",
                [kit.Column("Model", "name"), kit.Column("AUC", best="max")],
                [kit.Row([kit.Cell("em-lr"), kit.Cell("0.85", value=0.85)])],
                downloads=[kit.Download("tables/scores.csv", "CSV", b"a,b\n1,2\n")],
            )
        ],
        caveats=[kit.Caveat("careful", "3 of 9 runs failed.", "3 of 9", name="few")],
    )
    chapter = kit.Chapter("", "An example", "em-lr leads.", sections=[section])
    return kit.Page([chapter], **changes)


class Outline(HTMLParser):
    """Collects elements, attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self.targets, self.ids = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        link = found.get("href", "")
        self.targets += [link[1:]] if link.startswith("#") else []

    def handle_data(self, data):
        self.words.append(data)


@few
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_sentence_keeps_names_apart_from_its_words(name, number):
    said = kit.say("{who} scores {n}", who=name, n=kit.strong(number))
    html = str(said.__html__())
    inside = re.sub(r"</?b>", "", html)
    assert "<" not in inside
    assert html.count("<b>") == 1


@few
@given(st.text(max_size=60))
def test_what_is_shown_can_be_seen(text):
    shown = kit.visible(text).replace(kit.NBSP, " ")
    assert shown.isprintable()


@few
@given(st.text(max_size=120), st.integers(5, 50))
def test_a_shortened_text_is_never_longer_than_asked_for(text, most):
    assert len(kit.shorten(text, most)) <= most


def test_braces_in_names_are_text():
    assert str(kit.say("{who}", who="{0.__class__}")) == "{0.__class__}"


def test_a_caveat_sets_its_number_in_bold():
    assert "<b>3 of 9</b>" in str(
        small_page().chapters[0].caveats[0][2].words.__html__()
    )


@few
@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_lie_within_the_axis_and_are_few(low, span):
    ticks, places = round_ticks(low, low + span)
    assert len(ticks) <= 5
    assert (ticks >= low - 1e-6 * span).all()
    assert (ticks <= low + span * (1 + 1e-6)).all()
    assert places >= 0


@few
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12))
def test_labels_are_moved_apart_and_keep_their_order(places):
    moved = spread(places, 1.0)
    gaps = sorted(moved)
    assert all(b - a >= 1 - 1e-9 for a, b in itertools.pairwise(gaps))
    assert abs(sum(moved) - sum(places)) < 1e-6


def test_labels_that_find_no_room_are_dropped_and_never_overlap():
    wanted = [(1.0, f"a long label {number}", "normal") for number in range(6)]
    placed = below_line(wanted, left=0, right=3, rows=[0.4, 0.2])
    assert len(placed) == 2
    marks = [Mark(1.0, 1.0, f"label {number}") for number in range(40)]
    around = around_points(marks, bounds=Box(0, 0, 2, 2))
    boxes = [
        Box(one.x, one.y - 0.07, one.x + text_width(one.text), one.y + 0.07)
        for one in around
        if one.align == "left"
    ]
    pairs = [(a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :]]
    assert not any(a.meets(b) for a, b in pairs)
    assert 0 < len(around) < 40


@pytest.mark.thorough
@given(
    st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=5),
    st.sampled_from([3.6, 10.5]),
)
@few
def test_names_on_a_number_line_stay_on_the_sheet_and_apart(values, width):
    canvas = kit.Canvas(width, 1.7)
    axes = kit.number_line(canvas, 0, 1)
    wanted = [(v, f"model {n} {v:.2f}", "ink", "bold") for n, v in enumerate(values)]
    kit.line_labels(axes, canvas, 1.06, wanted)
    assert axes.texts[0].get_text() == wanted[0][1]
    spans = []
    for text in axes.texts:
        half = text_width(text.get_text(), 8.5, "bold") / 2
        middle = 0.2 + text.get_position()[0] * (width - 0.4)
        spans.append((middle - half, middle + half))
    spans.sort()
    assert spans[0][0] >= 0
    assert spans[-1][1] <= width
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))


def scribble(canvas):
    axes = canvas.axes(0.5, 0.5, 2, 1)
    colour = canvas.colour
    axes.axvspan(
        0, 0.3, facecolor=colour("free-tint"), edgecolor=colour("free"), hatch="//"
    )
    axes.plot([0, 1], [0, 1], "o-", color=colour("earned"))
    canvas.text(0.5, 0.2, "#fa1e05 <b> $x$ & 日本", token="ink")


def test_one_drawing_serves_light_dark_and_files():
    drawn = draw_svg(scribble, (3, 2))
    page = inline_svg(drawn, name="f", css_class="wide")
    file = file_svg(drawn, name="f", label="What it says")
    assert "var(--earned)" in page
    assert "var(--free)" in page
    assert light("earned") in file
    assert "var(" not in file
    assert sentinel("free") not in page.replace("#fa1e05", "")
    # A name that looks like one of our colours is still a name.
    assert "#fa1e05 &lt;b&gt; $x$ &amp; 日本" in page


def test_a_drawing_has_no_metadata_no_size_and_ids_of_its_own():
    page = inline_svg(draw_svg(scribble, (3, 2)), name="fig-w", css_class="wide")
    assert "metadata" not in page
    assert "<style" not in page
    assert 'width="' not in page.split(">", 1)[0]
    assert all(one.startswith("fig-w-") for one in re.findall(r'\bid="([^"]+)"', page))
    used = set(re.findall(r"url\(#([^)]+)\)", page)) | set(
        re.findall(r'href="#([^"]+)', page)
    )
    assert used <= set(re.findall(r'\bid="([^"]+)"', page))


@pytest.mark.thorough
def test_drawing_twice_gives_the_same_bytes():
    assert draw_svg(scribble, (3, 2)) == draw_svg(scribble, (3, 2))
    assert draw_png(scribble, (3, 2), title="t") == draw_png(
        scribble, (3, 2), title="t"
    )


def test_a_users_style_does_not_change_a_report():
    import matplotlib as mpl

    plain = draw_svg(scribble, (3, 2))
    with mpl.rc_context({"axes.grid": True, "font.size": 20}):
        assert draw_svg(scribble, (3, 2)) == plain


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize(
    "token",
    ["ink", "muted", "earned", "free", "serious", *(f"c{n}" for n in range(1, 9))],
)
def test_text_colours_have_enough_contrast(token, theme):
    assert contrast(TOKENS[token][theme], TOKENS["page"][theme]) >= 4.5


def test_the_policy_admits_exactly_our_script():
    text = kit.render(small_page())
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text).group(1)
    assert f"script-src &#39;sha256-{digest}&#39;" in policy
    assert "default-src &#39;none&#39;" in policy
    assert text.count("<script") == 1


def test_a_page_asks_nothing_of_anybody():
    text = kit.render(small_page())
    outside = re.findall(r'(?:src|href|action)="(?!#|data:)[^"]*"', text)
    assert outside == []
    assert "@import" not in text
    assert re.findall(r"url\((?!#)", text) == []


def test_every_link_on_a_page_leads_somewhere():
    found = Outline(kit.render(small_page()))
    assert set(found.targets) - {"at-few"} <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))


def test_a_page_has_one_title_and_landmarks():
    found = Outline(kit.render(small_page()))
    assert found.elements.count("h1") == 1
    assert {"main", "header", "footer", "nav", "section"} <= set(found.elements)


def test_a_section_without_caveats_says_what_was_looked_for():
    chapter = kit.Chapter(
        "",
        "e",
        "t",
        sections=[kit.Section("a", "A", "h")],
        checks="No caveat was found by these checks: none.",
    )
    assert "No caveat was found" in kit.render(kit.Page([chapter]))


def test_more_than_three_caveats_are_folded_and_counted():
    many = [kit.Caveat("note", f"Number {n}.", str(n)) for n in range(5)]
    section = kit.Section("a", "A", "h", caveats=many)
    text = kit.render(kit.Page([kit.Chapter("", "e", "t", sections=[section])]))
    assert "Two more in section 1." in text
    assert "<summary>Two more</summary>" in text


def test_caveats_come_worst_first():
    caveats = [
        kit.Caveat("note", "n"),
        kit.Caveat("careful", "small", size=0.1),
        kit.Caveat("careful", "large", size=0.9),
        kit.Caveat("serious", "s"),
    ]
    chapter = kit.Chapter(
        "", "e", "t", sections=[kit.Section("a", "A", "h", caveats=caveats)]
    )
    order = [str(one.words) for _, _, one in chapter.caveats]
    assert order == ["s", "large", "small", "n"]


def test_a_figure_that_cannot_be_drawn_leaves_its_reason():
    figure = kit.Figure("f", "The finding", "label", None, cannot="Needs two classes.")
    section = kit.Section("a", "A", "h", blocks=[figure])
    text = kit.render(kit.Page([kit.Chapter("", "e", "t", sections=[section])]))
    assert "The finding" in text
    assert "Needs two classes." in text
    assert "<svg" not in text.replace('<svg class="strip"', "")


def test_a_large_file_is_linked_beside_the_page():
    table = kit.Table(
        "t",
        "Large",
        [kit.Column("a", "name")],
        [kit.Row([kit.Cell("x")])],
        downloads=[kit.Download("tables/large.csv", "CSV", b"x" * 300_000)],
    )
    section = kit.Section("a", "A", "h", blocks=[table])
    text = kit.render(kit.Page([kit.Chapter("", "e", "t", sections=[section])]))
    assert 'href="tables/large.csv" download="large.csv"' in text
    assert len(text) < 100_000


def test_files_lie_beside_the_page_and_nothing_is_left_over(tmp_path):
    index = kit.write(small_page(), tmp_path / "new" / "folder")
    names = sorted(str(p.relative_to(index.parent)) for p in index.parent.rglob("*"))
    assert names == ["index.html", "tables", "tables/scores.csv"]
    assert index.read_text("utf-8") == kit.render(small_page())
    assert os.stat(index).st_mode & 0o044 == 0o044 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_in_place_of_the_folder_is_one_clear_sentence(tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(InvalidInput, match="choose another folder with --out"):
        kit.write(small_page(), tmp_path / "taken")


def test_a_full_disk_leaves_the_old_file_and_no_remains(tmp_path, monkeypatch):
    target = tmp_path / "index.html"
    target.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        kit.write_file(target, b"new")
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["index.html"]


@pytest.mark.thorough
def test_a_page_described_twice_is_the_same_page(make_records):
    def described():
        records = make_records(
            learners={"a": 0.8, "b": 0.7}, repeats=2, rules={"r": 0.1}, oracle=False
        )
        page = build_page(records, command="caveat report")
        return kit.render(page, defaultdict(lambda: Drawn("", ()))), page

    (first, one), (second, two) = described(), described()
    assert first == second
    files = [[file.content for file in page_files(page, {})] for page in (one, two)]
    assert files[0] == files[1]
    assert len(files[0]) > 5


def test_digits_follow_the_interval():
    assert [kit.decimals(h) for h in (0.008, 0.0096, 0.03, 0.4, 12)] == [3, 2, 2, 1, 0]
    assert kit.decimals(float("nan")) == 3
    assert kit.fixed(float("nan")) == "–"


def test_a_table_of_plain_parts_is_the_table_of_its_cells():
    auc = kit.Column("AUC", best="max", sorted=True)
    floor = kit.Row(["constant", "0.50", ""], "bottom")
    plain = kit.Table.of(
        "t",
        "Scores",
        ["Model", auc, "95 % interval"],
        [["a", kit.Cell.number(0.84951, tone="strong"), kit.ends(0.8, 0.9, 2)], floor],
        brief=True,
    )
    spelt = kit.Table(
        "t",
        "Scores",
        [kit.Column("Model", "name"), auc, kit.Column("95 % interval")],
        [
            kit.Row(
                [
                    kit.Cell("a"),
                    kit.Cell("0.850", value=0.84951, tone="strong"),
                    kit.Cell("0.80 to 0.90"),
                ]
            ),
            kit.Row([kit.Cell("constant"), kit.Cell("0.50"), kit.Cell()], "bottom"),
        ],
        brief=True,
    )
    assert plain == spelt


def test_a_number_that_is_not_known_is_a_dash_that_sorts_last():
    for unknown in (None, float("nan"), float("inf")):
        assert kit.Cell.number(unknown) == kit.Cell("–", value=None)
